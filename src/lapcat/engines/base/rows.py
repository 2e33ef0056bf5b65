"""The rows of a plan as steps of a statement: one or a few per node, each with only the columns that later steps read.

A step's columns are the plan's, under names distinct from the statement's own. If a later step needs them, there are also the
row's unit (`unit`), its rank within the unit (`rank`) and the unit's row count in the table (`size`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from sqlglot import exp

from lapcat.engines.base.dialect import Dialect
from lapcat.engines.base.expressions import Code, Writer, in_base
from lapcat.engines.base.grids import on_grid, plain_zero, range_of, saturated
from lapcat.engines.base.relation import RANK, ROWS, UNIT, SourceRelation, short_enough
from lapcat.engines.base.weights import Ready
from lapcat.engines.base.words import (
    SQL,
    JoinKind,
    at_least,
    at_most,
    call,
    cast,
    column,
    double,
    equal,
    filtered,
    integer,
    is_null,
    join,
    joined,
    named,
    number,
    plus,
    ratio,
    select,
    steps,
    table,
    times,
)
from lapcat.errors import Bug
from lapcat.plan.bounding import considered
from lapcat.plan.expressions import Expression, columns_of
from lapcat.plan.facts import rows_facts
from lapcat.plan.nodes import (
    Filter,
    Join,
    LimitGroups,
    LimitRows,
    PerUnit,
    Public,
    Rows,
    Scan,
    Union,
    UnitAggregate,
    UnitColumn,
    WeightRows,
)
from lapcat.plan.schema import Type

Opened = tuple[SourceRelation, Mapping[str, Type]]
"""A table's relation, and the declared types of its columns."""
OF_UNIT, IN_RANK, IN_SIZE = "unit", "rank", "size"


@dataclass(frozen=True, slots=True)
class RequiredColumns:
    """What later steps read of a node's rows: columns by their names in the plan, and parts of the index."""

    columns: frozenset[str]
    index: frozenset[str] = frozenset()

    def also(self, expressions: Iterable[Expression], *index: str) -> RequiredColumns:
        return RequiredColumns(self.columns | names_in(expressions), self.index | set(index))


@dataclass(frozen=True, slots=True)
class Step:
    """A named step of the statement: its columns with their types, and its parts of the index."""

    name: str
    columns: Mapping[str, Type]
    index: tuple[str, ...] = ()
    max_rows: int | None = None
    """With weighted rows: the contribution bound in rows."""
    ready: Ready | None = None
    """The precomputed integers of its rows, under their stored names."""

    def carried(self, of: str | None = None) -> list[SQL]:
        """All columns, selected unchanged."""
        return [column(alias, of) for alias in (*map(in_base, self.columns), *self.index)]


def names_in(expressions: Iterable[Expression]) -> frozenset[str]:
    return frozenset(c.name for expression in expressions for c in columns_of(expression))


@dataclass(slots=True)
class RowWriter:
    """Writes the steps of one statement."""

    tables: Mapping[str, Opened]
    dialect: Dialect
    steps: list[tuple[str, exp.Select | exp.SetOperation]] = field(default_factory=list)

    def add(self, stem: str, statement: exp.Select | exp.SetOperation) -> str:
        taken = {name for name, _ in self.steps}
        name, again = stem, 2
        while name in taken:
            name, again = f"{stem}_{again}", again + 1
        self.steps.append((name, statement))
        return name

    def writer(self, step: Step) -> Writer:
        return Writer(self.dialect, step.columns)

    def named_values(self, step: Step, writer: Writer) -> str:
        """Adds steps for the values that the writer named; returns the name of the last step."""
        last = step.name
        for position, names in enumerate(writer.steps):
            all_and_new = [exp.Star(), *(named(sql, alias) for alias, sql in names.items())]
            step_ = select(*all_and_new, source=table(last))
            last = self.add(f"step{position}", self.dialect.named_step(step_))
        return last

    def finished(self, statement: exp.Select | exp.SetOperation) -> str:
        return self.dialect.printed(steps(statement, self.steps, self.dialect.materialized))

    # -------------------------------------------------------------------------------------------- nodes

    def rows(self, node: Rows | Public, wanted: RequiredColumns) -> Step:
        match node:
            case Scan() | Public():
                return self.scan(node, wanted, None)
            case LimitRows(source, max_rows):
                return self.scan(source, wanted, max_rows)
            case WeightRows(source, max_rows):
                return self.scan(source, wanted.also((), IN_SIZE), None, weigh=max_rows)
            case Filter(source, predicate):
                return self.filtered(source, predicate, wanted)
            case LimitGroups():
                return self.grouped(node, wanted)
            case Join():
                return self.join(node, wanted)
            case Union():
                return self.union(node, wanted)
            case PerUnit():
                return self.per_unit(node, wanted)
            case _:
                assert_never(node)

    def scan(
        self, scan: Scan | Public, wanted: RequiredColumns, max_rows: int | None, *, weigh: int | None = None
    ) -> Step:
        relation, types = self.tables[scan.table]
        if isinstance(scan, Scan) and relation.ranked is scan.unit.is_row:
            raise Bug(
                "index-missing", f"{scan.table} has a unit column and no contribution index, or the reverse"
            )
        names = sorted(wanted.columns)
        longest = relation.max_length
        outputs = [named(short_enough(column(n), types[n], longest), in_base(n)) for n in names]
        stored = {OF_UNIT: UNIT, IN_RANK: RANK, IN_SIZE: ROWS}
        index = tuple(sorted(wanted.index))
        # If each row is a unit, its rank and row count are 1.
        parts = {part: column(stored[part]) if relation.ranked else integer(1) for part in index}
        if (
            weigh is not None
        ):  # x · max_rows / max_rows = x: a unit with at most max_rows rows has full weight
            parts[IN_SIZE] = call("greatest", integer(weigh), parts[IN_SIZE])
        outputs += [named(sql, part) for part, sql in parts.items()]
        ready = relation.ready if relation.ready is not None and relation.ready.max_rows == weigh else None
        outputs += [column(stored) for stored in ready.stored(names)] if ready is not None else []
        rank: SQL = column(RANK) if relation.ranked else integer(1)
        where = [] if max_rows is None else [at_most(rank, integer(max_rows))]
        if relation.ranked and longest is not None and types[UNIT] is Type.TEXT:
            where.append(at_most(call("length", column(UNIT)), integer(longest)))
        select_ = select(*outputs or [named(number(1), "one")], source=relation.source, where=where)
        return Step(self.add("base", select_), {n: types[n] for n in names}, index, weigh, ready)

    def filtered(self, source: Rows, predicate: Expression, wanted: RequiredColumns) -> Step:
        step = self.rows(source, wanted.also([predicate]))
        writer = self.writer(step)
        passes = writer.clean(predicate)
        source_name = self.named_values(step, writer)
        kept = Step(
            "", {n: k for n, k in step.columns.items() if n in wanted.columns}, step.index, step.max_rows
        )
        outputs = kept.carried() or [named(number(1), "one")]
        name = self.add("kept", select(*outputs, source=table(source_name), where=[passes.sql]))
        return Step(name, kept.columns, kept.index, kept.max_rows)

    def grouped(self, node: LimitGroups, wanted: RequiredColumns) -> Step:
        """Limits rows by their position in the group, and groups by their minimum rank (then by value: joined rows may tie, and
        the choice must not depend on the engine)."""
        step = self.rows(considered(node.source), wanted.also(node.keys, OF_UNIT, IN_RANK))
        writer = self.writer(step)
        keys = [plain_zero(writer, key) for key in node.keys]
        source_name = self.named_values(step, writer)
        carried, early = step.carried(), None
        if not node.keys and node.rows is None:
            return step
        if not node.keys:
            place = _window(exp.RowNumber(), [column(OF_UNIT)], column(IN_RANK))
            ranked = self.add("ranked", select(*carried, named(place, "place"), source=table(source_name)))
            limits = [at_most(column("place"), integer(node.rows or 1))]
        else:
            aliases = [f"g{position}" for position in range(len(keys))]
            outputs = [named(code.sql, alias) for code, alias in zip(keys, aliases, strict=True)]
            keyed = self.add("keyed", select(*carried, *outputs, source=table(source_name)))
            if node.rows == 1 and _reads_one_table(node.source):
                early, keyed = self.settled_and_others(step, keyed, aliases, node.groups)
            group = [column(alias) for alias in (OF_UNIT, *aliases)]
            place = _window(exp.RowNumber(), group, column(IN_RANK))
            least = _window(call("first_value", column(IN_RANK)), group, column(IN_RANK))
            outputs = [*carried, *map(column, aliases), named(place, "place"), named(least, "least")]
            ordered = self.add("ordered", select(*outputs, source=table(keyed)))
            few = [] if node.rows is None else [at_most(column("place"), integer(node.rows))]
            which = _window(call("dense_rank"), [column(OF_UNIT)], column("least"), *map(column, aliases))
            outputs = [*carried, named(which, "which")]
            ranked = self.add("ranked", select(*outputs, source=table(ordered), where=few))
            limits = [at_most(column("which"), integer(node.groups))]
        bounded = [select(*carried, source=table(ranked), where=limits)]
        if early is not None:
            bounded.append(select(*carried, source=table(early)))
        return Step(self.add("bounded", union_all(bounded)), step.columns, step.index)

    def settled_and_others(
        self, step: Step, keyed: str, aliases: Sequence[str], groups: int
    ) -> tuple[str, str]:
        """The rows that a LimitGroups of one row per group keeps of most units, and all rows of the other units, which are sorted.

        Theorem: if a unit's rows of rank up to `groups` lie in as many groups, exactly these are kept.
        Proof:   groups are kept in the order of their minimum rank, and these come first; of each the first row is kept.
        """
        early = at_most(column(IN_RANK), integer(groups))
        group = [column(alias) for alias in (OF_UNIT, *aliases)]
        pairs = select(*group, source=table(keyed), where=[early]).group_by(*group, copy=False)
        full = at_least(call("count", exp.Star()), integer(groups))
        units = select(column(OF_UNIT), source=table(self.add("pairs", pairs)))
        settled = self.add("settled", units.group_by(column(OF_UNIT), copy=False).having(full, copy=False))

        def of_units(outputs: Sequence[SQL], kept: SQL, kind: JoinKind) -> exp.Select:
            rows = select(*outputs, source=_aliased(keyed, "l"), where=[kept])
            return join(rows, _aliased(settled, "r"), equal(column(OF_UNIT, "l"), column(OF_UNIT, "r")), kind)

        carried, named_keys = step.carried("l"), [column(alias, "l") for alias in aliases]
        first = of_units(carried, early.copy(), "inner")
        others = of_units([*step.carried("l"), *named_keys], is_null(column(OF_UNIT, "r")), "left")
        return self.add("early", first), self.add("others", others)

    def join(self, node: Join, wanted: RequiredColumns) -> Step:
        mark = f"@{node.mark}"
        theirs = frozenset(n.removesuffix(mark) for n in wanted.columns if n.endswith(mark))
        ours = frozenset(n for n in wanted.columns if not n.endswith(mark))
        same_unit = (OF_UNIT,) if not isinstance(node.right, Public) else ()
        left = self.side(
            node.left,
            RequiredColumns(ours, wanted.index).also((), *same_unit),
            [mine for mine, _ in node.on],
            "left",
        )
        right = self.side(
            node.right,
            RequiredColumns(theirs, frozenset(same_unit)),
            [theirs for _, theirs in node.on],
            "right",
        )
        pairs = [
            equal(column(f"j{position}", "l"), column(f"j{position}", "r"))
            for position in range(len(node.on))
        ]
        pairs += [equal(column(OF_UNIT, "l"), column(OF_UNIT, "r")) for _ in same_unit]
        outputs = left.carried("l")
        outputs += [named(column(in_base(name), "r"), in_base(name + mark)) for name in sorted(right.columns)]
        sides = [_aliased(left.name, "l"), _aliased(right.name, "r")]
        kept: JoinKind = "left" if node.outer else "inner"
        if self.dialect.hashes_right and same_unit and _one_each(node.left) and not _one_each(node.right):
            # all rows of a unit have the same hash, and the engine holds rows of one hash in memory
            sides, kept = sides[::-1], "right" if node.outer else "inner"
        statement = select(*outputs or [named(number(1), "one")], source=sides[0])
        statement = join(statement, sides[1], joined(exp.And, pairs), kept)
        columns = {**left.columns, **{name + mark: kind for name, kind in right.columns.items()}}
        return Step(self.add("pairs", statement), columns, left.index, left.max_rows)

    def side(
        self, rows: Rows | Public, wanted: RequiredColumns, keys: Sequence[Expression], stem: str
    ) -> Step:
        """One side of a join, with its join keys as j0, j1, …"""
        step = self.rows(rows, wanted.also(keys))
        writer = self.writer(step)
        codes = [writer.clean(key) for key in keys]
        source_name = self.named_values(step, writer)
        kept = {n: kind for n, kind in step.columns.items() if n in wanted.columns}
        outputs = Step("", kept, step.index).carried()
        outputs += [named(code.sql, f"j{position}") for position, code in enumerate(codes)]
        statement = select(*outputs or [named(number(1), "one")], source=table(source_name))
        return Step(self.add(stem, statement), kept, step.index, step.max_rows)

    def union(self, node: Union, wanted: RequiredColumns) -> Step:
        """The union of the branches. Ranks include the branch, so that no two rows of a unit have the same rank."""
        names = [name for name in node.names if name in wanted.columns]
        index = tuple(sorted(wanted.index))
        parts: list[exp.Select] = []
        columns: dict[str, Type] = {}
        for position, branch in enumerate(node.branches):
            given = dict(zip(node.names, branch.columns, strict=True))
            step = self.rows(
                branch.rows, RequiredColumns(frozenset(), wanted.index).also([given[n] for n in names])
            )
            writer = self.writer(step)
            codes = {name: writer.clean(given[name]) for name in names}
            source_name = self.named_values(step, writer)
            outputs = [named(code.sql, in_base(name)) for name, code in codes.items()]
            for part in index:
                x: SQL = column(part)
                if part == IN_RANK:
                    x = plus(times(x, integer(len(node.branches))), integer(position))
                outputs.append(named(x, part))
            parts.append(select(*outputs or [named(number(1), "one")], source=table(source_name)))
            columns = {name: given[name].type for name in names}
        return Step(self.add("parts", union_all(parts)), columns, index)

    def per_unit(self, node: PerUnit, wanted: RequiredColumns) -> Step:
        values = [unit_column for unit_column in node.values if unit_column.name in wanted.columns]
        read_ = [key for _, key in node.keys]
        read_ += [
            x for unit_column in values for x in (unit_column.value, unit_column.filter) if x is not None
        ]
        index = {OF_UNIT} | ({IN_RANK} & wanted.index if node.keys else set())
        step = self.rows(node.source, RequiredColumns(frozenset(), frozenset(index)).also(read_))
        writer = self.writer(step)
        keys = {in_base(name): plain_zero(writer, key) for name, key in node.keys}
        aggregates = {unit_column.name: self.unit_aggregate(writer, unit_column) for unit_column in values}
        inner = [column(OF_UNIT), *([column(IN_RANK)] if IN_RANK in index else [])]
        inner += [named(code.sql, alias) for alias, code in keys.items()]
        inner += [
            named(code.sql, alias)
            for aggregate in aggregates.values()
            for alias, code in aggregate.inputs.items()
        ]
        source_name = self.named_values(step, writer)
        rows = self.add("each", select(*inner, source=table(source_name)))
        by = [column(OF_UNIT), *map(column, keys)]
        outputs = [named(column(OF_UNIT), OF_UNIT)] if OF_UNIT in wanted.index else []
        if IN_RANK in wanted.index:
            least = call("min", column(IN_RANK)) if node.keys else integer(1)
            outputs.append(named(least, IN_RANK))
        shown = [name for name, _ in node.keys if name in wanted.columns]
        outputs += [column(in_base(name)) for name in shown]
        outputs += [named(aggregate.result, in_base(name)) for name, aggregate in aggregates.items()]
        statement = select(*outputs or [named(number(1), "one")], source=table(rows))
        name = self.add("units", statement.group_by(*by, copy=False))
        types = {name: key.type for name, key in node.keys if name in wanted.columns}
        types |= {unit_column.name: unit_column.type for unit_column in values}
        return Step(name, types, tuple(sorted(wanted.index)))

    def unit_aggregate(self, writer: Writer, unit_column: UnitColumn) -> _UnitAggregate:
        """The inputs that each row gives to a per-unit aggregate, and the aggregate over them."""
        inputs: dict[str, Code] = {}
        value_alias, test_alias = f"v_{unit_column.name}", f"p_{unit_column.name}"
        if unit_column.grid is not None:
            assert unit_column.value is not None
            inputs[value_alias] = on_grid(writer, unit_column.value, unit_column.grid)
        elif unit_column.value is not None:
            inputs[value_alias] = plain_zero(writer, unit_column.value)
        if unit_column.filter is not None:
            inputs[test_alias] = writer.clean(unit_column.filter)

        where = None if unit_column.filter is None else column(test_alias)

        def over(result: SQL) -> SQL:
            return filtered(result, where)

        x: SQL = exp.Star() if unit_column.value is None else column(value_alias)
        match unit_column.aggregate:
            case UnitAggregate.COUNT:
                return _UnitAggregate(inputs, cast(over(call("count", x)), "BIGINT"))
            case UnitAggregate.DISTINCT:
                return _UnitAggregate(
                    inputs, cast(over(call("count", exp.Distinct(expressions=[x]))), "BIGINT")
                )
            case UnitAggregate.MIN | UnitAggregate.MAX:
                result = self.dialect.extreme(
                    "min" if unit_column.aggregate is UnitAggregate.MIN else "max", x, unit_column.type
                )
                return _UnitAggregate(inputs, over(result))
            case UnitAggregate.SUM | UnitAggregate.AVG:
                assert unit_column.grid is not None
                total = saturated(self.dialect.total(x, range_of(unit_column.grid), where), self.dialect)
                if unit_column.type is Type.INTEGER:
                    return _UnitAggregate(inputs, total)
                step = double(2.0**unit_column.grid.exponent)
                result = self.dialect.float_operation("*", cast(total, "DOUBLE"), step)
                if unit_column.aggregate is UnitAggregate.AVG:
                    counted = call("nullif", cast(over(call("count", x)), "DOUBLE"), double(0.0))
                    plain = (
                        unit_column.grid.exponent > -900
                    )  # then dividing by a row count cannot underflow to 0
                    result = (
                        ratio(result, counted)
                        if plain
                        else self.dialect.float_operation("/", result, counted)
                    )
                return _UnitAggregate(inputs, result)
            case _:
                assert_never(unit_column.aggregate)


def _one_each(rows: Rows | Public) -> bool:
    """Whether every unit has at most one row."""
    if isinstance(rows, Public):
        return False
    produced = rows_facts(rows).produced
    return produced is not None and produced.rows == 1


@dataclass(frozen=True, slots=True)
class _UnitAggregate:
    inputs: Mapping[str, Code]
    result: SQL


def union_all(parts: Sequence[exp.Select]) -> exp.Select | exp.SetOperation:
    statement: exp.Select | exp.SetOperation = parts[0]
    for part in parts[1:]:
        statement = exp.Union(this=statement, expression=part, distinct=False)
    return statement


def _reads_one_table(rows: Rows) -> bool:
    """Whether the rows are those of a table, so that reading them again costs less than sorting them."""
    while isinstance(rows, Filter):
        rows = rows.source
    return isinstance(rows, Scan)


def _aliased(step: str, alias: str) -> SQL:
    aliased = exp.alias_(table(step), alias, table=True)
    assert isinstance(aliased, exp.Expression)
    return aliased


def _window(function: SQL, partition: Sequence[SQL], *order: SQL) -> SQL:
    return exp.Window(
        this=function,
        partition_by=list(partition),
        order=exp.Order(expressions=[exp.Ordered(this=by) for by in order]),
    )
