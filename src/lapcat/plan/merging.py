"""Several questions about the same rows as one, so that they are paid for together with the sensitivity that they really have.

What the questions share stays as it is; each question's own conditions become conditions of what it measures:

    SELECT COUNT(*) FROM cats WHERE colour = 'orange'        COUNT(*) FILTER (WHERE colour = 'orange'),
    SELECT COUNT(*) FROM cats WHERE weight > 4.5             COUNT(*) FILTER (WHERE weight > 4.5)  FROM cats

How many of them one row moves is then what `predicates` proves. Questions of different groups become one in one of two
ways: as grouping sets, where all measure the same; else each group becomes a condition too, where there are few.

Theorem: the merged question measures, in the cells and columns of question i, what question i measures by itself.
Proof:   a row passes a filter and is in the cell of a key's value if and only if it satisfies their conjunction; and what
         is measured of a row does not depend on the filters above it. (Where rows of a unit are chosen for the question,
         they are chosen among all that the merged question reads.)
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

MOST_CONDITIONS = 200
"""So many groups at most become conditions: that many the solver proves in a second or so."""
MOST_SETS = 64
"""So many grouping sets at most are merged into one question."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Where numbers of a column are: a column of the merged question, and from which to which of its cells."""

    name: str
    first: int
    stop: int


@dataclass(frozen=True, slots=True)
class Share:
    """What one question gets of the merged one."""

    plan: Group
    """Its own groups, in which its answer is shown."""
    columns: tuple[AnswerColumn, ...]
    after: After
    pieces: Mapping[str, tuple[Piece, ...]]

    def table(
        self, estimates: Mapping[str, Estimates], private: tuple[tuple[Value, ...], ...] | None
    ) -> ReleasedTable:
        """The question's own answer; `private`: the combinations of private keys that are shown."""
        many = 1 if private is None else len(private)
        own = {
            name: joined([_cut(estimates[piece.name], piece, many) for piece in pieces])
            for name, pieces in self.pieces.items()
        }
        return tabulate(self.plan, self.columns, own, private, self.after)


@dataclass(frozen=True, slots=True)
class Merged:
    """Several questions as one, and what each of them gets of it."""

    asked: Query
    shares: tuple[Share, ...]

    def tables(
        self, estimates: Mapping[str, Estimates], private: tuple[tuple[Value, ...], ...] | None
    ) -> list[ReleasedTable]:
        """The answer of each question."""
        return [share.table(estimates, private) for share in self.shares]


def merged(questions: Sequence[Query]) -> Merged:
    """One question for all of them, or a refusal that names the one that does not fit."""
    bases = [_base(asked.rows) for asked in questions]
    for number, (asked, (rows, _)) in enumerate(zip(questions, bases, strict=True), 1):
        if asked.offer is not None:
            raise BadQuery(
                "workload-price",
                f"question {number} names its own price, and a workload is paid for once",
                fix="leave epsilon and delta out of OPTIONS, and name the price with the workload",
            )
        if identity_of(rows) != identity_of(bases[0][0]) or asked.limits != questions[0].limits:
            raise _mixed(f"question {number} reads other rows than question 1")
    common = [f for f in bases[0][1] if all(canonical(f) in map(canonical, own) for _, own in bases)]
    wheres = [[f for f in own if canonical(f) not in map(canonical, common)] for _, own in bases]
    if questions[0].limits != AS_DECLARED and any(wheres):
        raise _mixed("rows are chosen for each question, and their conditions differ")
    rows = bases[0][0]
    for predicate in reversed(common):
        rows = Filter(rows, predicate)
    if all(_groups(asked) == _groups(questions[0]) for asked in questions):
        return _side_by_side(questions, rows, wheres)
    if any(key.is_private for asked in questions for key in asked.keys):
        raise _mixed("private groups differ")
    if not any(wheres) and len({_measured(asked) for asked in questions}) == 1:
        as_sets = _as_sets(questions, rows)
        if as_sets is not None:
            return as_sets
    return _as_conditions(questions, rows, wheres)


def _mixed(why: str) -> BadQuery:
    return BadQuery(
        "workload-mixed",
        f"these questions cannot be one: {why}",
        why="a workload is paid for once, by what one unit can do to all of its answers over the same rows",
        fix="ask them side by side under one limit: db.batch([...], epsilon=1)",
    )


def _base(rows: Rows) -> tuple[Rows, list[Expression]]:
    """The rows below the outermost filters, and those filters."""
    found = []
    while isinstance(rows, Filter):
        found.append(rows.predicate)
        rows = rows.source
    return rows, found


def _groups(asked: Query) -> str:
    """The same for questions of the same groups, in the same order."""
    return identity_of([*asked.keys, [list(grouping) for grouping in asked.sets]])


def _measured(asked: Query) -> frozenset[Statistic]:
    """What a question measures in each group."""
    return frozenset(r.statistic for column in asked.columns for v in _inputs(column) for r in v.readings)


def _inputs(column: AnswerColumn) -> tuple[ValueColumn, ...]:
    if isinstance(column, ComputedColumn):
        return column.inputs
    return (column,) if isinstance(column, ValueColumn) else ()


def _notes(questions: Sequence[Query]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for asked in questions for note in asked.notes))


def _side_by_side(questions: Sequence[Query], rows: Rows, wheres: Sequence[Sequence[Expression]]) -> Merged:
    """Questions of the same groups: the columns of all of them."""
    first = questions[0]
    plan = Group(rows, first.keys, (), first.sets)
    columns: list[AnswerColumn] = [c for c in first.columns if isinstance(c, KeyColumn)]
    shares = []
    for number, (asked, where) in enumerate(zip(questions, wheres, strict=True), 1):
        pieces = {}
        for column in asked.columns:
            if not isinstance(column, KeyColumn):
                named = _narrowed(column, f"{number}: {column.name}", where)
                columns.append(named)
                pieces[column.name] = (Piece(named.name, 0, plan.cells),)
        shares.append(Share(replace(plan, keys=asked.keys), asked.columns, asked.after, pieces))
    merged_question = replace(
        first, rows=rows, columns=tuple(columns), notes=_notes(questions), after=After()
    )
    return Merged(merged_question, tuple(shares))


def _as_sets(questions: Sequence[Query], rows: Rows) -> Merged | None:
    """Questions that measure the same in different groups: grouping sets. None where there are too many of those."""
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
    if len(sets) > MOST_SETS:
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
            if isinstance(column, KeyColumn):
                continue
            if any(isinstance(source.aggregate, RunningCount | RunningShare) for source in _inputs(column)):
                return None  # they add up cells along a key of their own question
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
    """Questions of different groups: each group of each question is a condition of what is measured."""
    plans = [Group(rows, asked.keys, (), asked.sets) for asked in questions]
    if sum(plan.cells for plan in plans) > MOST_CONDITIONS:
        raise _mixed(f"their groups differ, and are more than {MOST_CONDITIONS} in all")
    columns: list[AnswerColumn] = []
    shares = []
    for number, (asked, plan, where) in enumerate(zip(questions, plans, wheres, strict=True), 1):
        pieces = {}
        for column in asked.columns:
            if isinstance(column, KeyColumn):
                continue
            if not all(_by_cell(source) for source in _inputs(column)):
                raise _mixed(
                    f"their groups differ, and {column.name} of question {number} is no sum over rows"
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
    """Whether what is measured in a group is a sum over its rows, whatever the other groups are."""
    return (
        not isinstance(source.aggregate, SelectionAggregate | RunningCount | RunningShare)
        and bool(source.readings)
        and all(reading.statistic.kind in (Kind.ROWS, Kind.PRESENT, Kind.SUM) for reading in source.readings)
    )


def _cells(plan: Group) -> list[list[Expression]]:
    """For each cell of a plan the conditions under which a row is in it."""
    found: list[list[Expression]] = []
    for grouping in plan.grouping_sets:
        cells: list[list[Expression]] = [[]]
        for position in grouping:
            tests = _tests(plan.keys[position])
            cells = [[*before, test] for before in cells for test in tests]
        found += cells
    return found


def _tests(key: GroupKey) -> list[Expression]:
    """For each group of a key, whether a row is in it."""
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
    """The same column under another name, over those rows that satisfy some more conditions."""
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
    """Some cells of a column; `many`: for each combination of private keys there are as many, one after the other."""
    if many != 1:
        return estimates  # questions of private groups have the same groups, so all cells are theirs
    place = slice(piece.first, piece.stop)
    ends = estimates.low[place], estimates.high[place]
    return Estimates(estimates.value[place], *ends, notes=estimates.notes)
