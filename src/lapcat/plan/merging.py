"""Merges several questions about the same rows into one, so that they are charged once with their joint sensitivity.

The rows that the questions share stay; each question's own conditions become filters of its statistics:

    SELECT COUNT(*) FROM cats WHERE colour = 'orange'        COUNT(*) FILTER (WHERE colour = 'orange'),
    SELECT COUNT(*) FROM cats WHERE weight > 4.5             COUNT(*) FILTER (WHERE weight > 4.5)  FROM cats

`predicates` then proves how many of them one row moves. Questions with different groups are merged in one of two ways: as
grouping sets, if all measure the same; else each group becomes a filter too, if there are few.

Theorem: the merged question measures, in the cells and columns of question i, what question i measures by itself.
Proof:   a row passes a filter and is in the cell of a key's value if and only if it satisfies their conjunction; and what
         is measured of a row does not depend on the filters above it. (Where rows of a unit are chosen for the question,
         they are chosen among all rows that the merged question reads.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lapcat.errors import BadQuery
from lapcat.plan.aggregates import Argument, Estimates, SelectionAggregate
from lapcat.plan.aggregates.running import RunningCount, RunningShare
from lapcat.plan.bounding import AS_DECLARED
from lapcat.plan.columns import AnswerColumn, ComputedColumn, KeyColumn, ValueColumn
from lapcat.plan.compile import Query
from lapcat.plan.expressions import Compare, Expression, InList, IsNull, Literal, Logic, Not
from lapcat.plan.nodes import Filter, Group, GroupKey, Kind, Rows, Statistic
from lapcat.plan.released import After, ReleasedTable, tabulate
from lapcat.plan.released.computed import joined
from lapcat.plan.schema import Value
from lapcat.plan.show import show_expression
from lapcat.stored.digest import canonical, identity_of

MAX_CONDITIONS = 200
"""The maximum number of groups that become conditions: the solver handles that many in about a second."""
MAX_SETS = 64
"""The maximum number of grouping sets in a merged question."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The location of a column's numbers: a column of the merged question and a range of its cells."""

    name: str
    first: int
    stop: int


@dataclass(frozen=True, slots=True)
class Share:
    """One question's part of the merged question."""

    plan: Group
    """The question's own groups."""
    columns: tuple[AnswerColumn, ...]
    after: After
    pieces: Mapping[str, tuple[Piece, ...]]

    def table(
        self, estimates: Mapping[str, Estimates], private: tuple[tuple[Value, ...], ...] | None
    ) -> ReleasedTable:
        """The answer to the question; `private`: the combinations of private keys that are shown."""
        many = 1 if private is None else len(private)
        own = {
            name: joined([_cut(estimates[piece.name], piece, many) for piece in pieces])
            for name, pieces in self.pieces.items()
        }
        return tabulate(self.plan, self.columns, own, private, self.after)


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged question, and the part of each question in it."""

    asked: Query
    shares: tuple[Share, ...]

    def tables(
        self, estimates: Mapping[str, Estimates], private: tuple[tuple[Value, ...], ...] | None
    ) -> list[ReleasedTable]:
        """The answer of each question."""
        return [share.table(estimates, private) for share in self.shares]


def merged(questions: Sequence[Query]) -> Merged:
    """One question for all of them, or a refusal that names the one that cannot be merged."""
    bases = [_base(asked.rows) for asked in questions]
    for number, (asked, (rows, _)) in enumerate(zip(questions, bases, strict=True), 1):
        if asked.offer is not None:
            raise BadQuery(
                "workload-price",
                f"question {number} names its own price, but a workload is charged once",
                fix="leave epsilon and delta out of OPTIONS, and pass the price with the workload",
            )
        if asked.union is not None:
            raise _mixed(f"question {number} is a UNION ALL of its own")
        if identity_of(rows) != identity_of(bases[0][0]) or asked.limits != questions[0].limits:
            raise _mixed(f"question {number} and question 1 read different rows")
    common = [f for f in bases[0][1] if all(canonical(f) in map(canonical, own) for _, own in bases)]
    wheres = [[f for f in own if canonical(f) not in map(canonical, common)] for _, own in bases]
    if questions[0].limits != AS_DECLARED and any(wheres):
        raise _mixed("rows are chosen per question, and the conditions differ")
    rows = bases[0][0]
    for predicate in reversed(common):
        rows = Filter(rows, predicate)
    if all(_groups(asked) == _groups(questions[0]) for asked in questions):
        return _side_by_side(questions, rows, wheres)
    if any(key.is_private for asked in questions for key in asked.keys):
        raise _mixed("their private groups differ")
    if not any(wheres) and len({_measured(asked) for asked in questions}) == 1:
        as_sets = _as_sets(questions, rows)
        if as_sets is not None:
            return as_sets
    return _as_conditions(questions, rows, wheres)


def _mixed(why: str) -> BadQuery:
    return BadQuery(
        "workload-mixed",
        f"these questions cannot be merged: {why}",
        why="a workload is charged once, for the joint sensitivity of all its answers over the same rows",
        fix="ask them separately under one limit: db.batch([...], epsilon=1)",
    )


def _base(rows: Rows) -> tuple[Rows, list[Expression]]:
    """The rows below the outermost filters, and those filters."""
    filters = []
    while isinstance(rows, Filter):
        filters.append(rows.predicate)
        rows = rows.source
    return rows, filters


def _groups(asked: Query) -> str:
    """Equal for questions with the same groups in the same order."""
    return identity_of([*asked.keys, [list(grouping) for grouping in asked.sets]])


def _measured(asked: Query) -> frozenset[Statistic]:
    """The statistics that a question measures in each group."""
    return frozenset(r.statistic for column in asked.columns for v in _inputs(column) for r in v.readings)


def _inputs(column: AnswerColumn) -> tuple[ValueColumn, ...]:
    if isinstance(column, ComputedColumn):
        return column.inputs
    return (column,) if isinstance(column, ValueColumn) else ()


def _notes(questions: Sequence[Query]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for asked in questions for note in asked.notes))


def _side_by_side(questions: Sequence[Query], rows: Rows, wheres: Sequence[Sequence[Expression]]) -> Merged:
    """Merges questions with the same groups: the columns of all of them."""
    first = questions[0]
    plan = Group(rows, first.keys, (), first.sets)
    columns: list[AnswerColumn] = [c for c in first.columns if isinstance(c, KeyColumn)]
    shares = []
    for number, (asked, where) in enumerate(zip(questions, wheres, strict=True), 1):
        pieces = {}
        for column in asked.columns:
            if isinstance(column, ValueColumn | ComputedColumn):
                named = _narrowed(column, f"{number}: {column.name}", where)
                columns.append(named)
                pieces[column.name] = (Piece(named.name, 0, plan.cells),)
        shares.append(Share(replace(plan, keys=asked.keys), asked.columns, asked.after, pieces))
    merged_question = replace(
        first, rows=rows, columns=tuple(columns), notes=_notes(questions), after=After()
    )
    return Merged(merged_question, tuple(shares))


def _as_sets(questions: Sequence[Query], rows: Rows) -> Merged | None:
    """Merges questions that measure the same in different groups, as grouping sets; None if there are too many."""
    keys: dict[str, GroupKey] = {}
    sets: dict[tuple[int, ...], None] = {}
    own: list[list[tuple[int, ...]]] = []
    for asked in questions:
        names = [identity_of(key) for key in asked.keys]
        for name, key in zip(names, asked.keys, strict=True):
            keys.setdefault(name, key)
        places = [list(keys).index(name) for name in names]
        listed = Group(rows, asked.keys, (), asked.sets).grouping_sets
        own.append([tuple(places[position] for position in grouping) for grouping in listed])
        sets.update(dict.fromkeys(own[-1]))
    if len(sets) > MAX_SETS:
        return None
    plan = Group(rows, tuple(keys.values()), (), tuple(sets))
    starts, cells = {}, 0
    for grouping in sets:
        starts[grouping] = cells
        cells += plan.cells_of(grouping)
    columns: list[AnswerColumn] = []
    shares = []
    for number, (asked, groupings) in enumerate(zip(questions, own, strict=True), 1):
        pieces = {}
        for column in asked.columns:
            if not isinstance(column, ValueColumn | ComputedColumn):
                continue
            if any(isinstance(source.aggregate, RunningCount | RunningShare) for source in _inputs(column)):
                return None  # they sum over cells along a key of their own question
            columns.append(replace(column, name=f"{number}: {column.name}"))
            pieces[column.name] = tuple(
                Piece(columns[-1].name, starts[grouping], starts[grouping] + plan.cells_of(grouping))
                for grouping in groupings
            )
        own_plan = Group(rows, asked.keys, (), asked.sets)
        shares.append(Share(own_plan, asked.columns, asked.after, pieces))
    merged_question = replace(
        questions[0],
        rows=rows,
        keys=plan.keys,
        sets=plan.sets,
        columns=(*(KeyColumn(key.name, n) for n, key in enumerate(plan.keys)), *columns),
        notes=_notes(questions),
        after=After(),
    )
    return Merged(merged_question, tuple(shares))


def _as_conditions(questions: Sequence[Query], rows: Rows, wheres: Sequence[Sequence[Expression]]) -> Merged:
    """Merges questions with different groups: each group of each question becomes a filter."""
    plans = [Group(rows, asked.keys, (), asked.sets) for asked in questions]
    if sum(plan.cells for plan in plans) > MAX_CONDITIONS:
        raise _mixed(f"their groups differ, and there are more than {MAX_CONDITIONS} in total")
    columns: list[AnswerColumn] = []
    shares = []
    for number, (asked, plan, where) in enumerate(zip(questions, plans, wheres, strict=True), 1):
        pieces = {}
        for column in asked.columns:
            if not isinstance(column, ValueColumn | ComputedColumn):
                continue
            if not all(_by_cell(source) for source in _inputs(column)):
                raise _mixed(
                    f"their groups differ, and {column.name} of question {number} is not a sum over rows"
                )
            cells = []
            for cell, conditions in enumerate(_cells(plan)):
                named = _narrowed(column, f"{number}: {column.name} [{cell + 1}]", [*where, *conditions])
                columns.append(named)
                cells.append(Piece(named.name, 0, 1))
            pieces[column.name] = tuple(cells)
        shares.append(Share(plan, asked.columns, asked.after, pieces))
    merged_question = replace(
        questions[0],
        rows=rows,
        keys=(),
        sets=(),
        columns=tuple(columns),
        notes=_notes(questions),
        after=After(),
    )
    return Merged(merged_question, tuple(shares))


def _by_cell(source: ValueColumn) -> bool:
    """Whether a column is computed from sums over the rows of each group alone."""
    return (
        not isinstance(source.aggregate, SelectionAggregate | RunningCount | RunningShare)
        and bool(source.readings)
        and all(reading.statistic.kind in (Kind.ROWS, Kind.PRESENT, Kind.SUM) for reading in source.readings)
    )


def _cells(plan: Group) -> list[list[Expression]]:
    """The conditions under which a row is in each cell of a plan."""
    conditions: list[list[Expression]] = []
    for grouping in plan.grouping_sets:
        cells: list[list[Expression]] = [[]]
        for position in grouping:
            tests = _tests(plan.keys[position])
            cells = [[*before, test] for before in cells for test in tests]
        conditions += cells
    return conditions


def _tests(key: GroupKey) -> list[Expression]:
    """The condition of each group of a key."""
    assert key.values is not None
    literals = tuple(Literal(value, key.type) for value in key.values)
    tests: list[Expression] = [Compare("=", key.expression, literal) for literal in literals]
    if key.other:
        listed = InList(key.expression, literals)
        tests.append(Logic("or", (IsNull(key.expression), Not(listed))))
    return tests


def _narrowed(
    column: ValueColumn | ComputedColumn, name: str, conditions: Sequence[Expression]
) -> ValueColumn | ComputedColumn:
    """The column under another name, restricted to rows that satisfy more conditions."""
    if isinstance(column, ComputedColumn):
        inputs = tuple(
            replace(source, argument=_filtered(source.argument, conditions)) for source in column.inputs
        )
        return replace(column, name=name, inputs=inputs)
    return replace(column, name=name, argument=_filtered(column.argument, conditions))


def _filtered(argument: Argument, conditions: Sequence[Expression]) -> Argument:
    if not conditions:
        return argument
    every = [*conditions, *([] if argument.filter is None else [argument.filter])]
    shown = [show_expression(condition) for condition in conditions]
    shown += [argument.condition] if argument.condition else []
    return replace(
        argument,
        filter=every[0] if len(every) == 1 else Logic("and", tuple(every)),
        condition=" and ".join(shown),
    )


def _cut(estimates: Estimates, piece: Piece, many: int) -> Estimates:
    """A range of cells of a column; `many`: the number of combinations of private keys."""
    if many != 1:
        return estimates  # questions with private groups have the same groups, so each has all cells
    place = slice(piece.first, piece.stop)
    ends = estimates.low[place], estimates.high[place]
    return Estimates(estimates.value[place], *ends, notes=estimates.notes)
