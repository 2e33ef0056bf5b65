"""A plan as one statement: bounded integer sums per cell.

    base…    the rows that the question reads (rows.py)
    step…    named values that are used more than once
    picked   the rows that pass the filters, with their keys and integers
    cells    one aggregation, still with undeclared groups
    placed   the position of each declared group; the others are dropped here

Undeclared groups are dropped after the aggregation: there are few of them by then, while a test on every row would cost more
than the sums. Sums are of integers, so they are exact and independent of row order; the centre of the grid is subtracted once
per cell. Grouping sets share `picked` and are placed one after another. Private keys are returned with their values and the
unit count of each combination.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from sqlglot import exp

from lapcat.engines.base.dialect import Dialect
from lapcat.engines.base.expressions import Code, Writer
from lapcat.engines.base.grids import lattice_of, on_grid, plain_zero, presence, range_of
from lapcat.engines.base.rows import IN_SIZE, OF_UNIT, Opened, RequiredColumns, RowWriter, union_all
from lapcat.engines.base.weights import Ready, weighted_unit, weighted_value
from lapcat.engines.base.words import (
    SQL,
    between,
    binary,
    call,
    case,
    cast,
    column,
    equal,
    filtered,
    integer,
    is_null,
    join,
    joined,
    minus,
    name,
    named,
    negated,
    number,
    plus,
    select,
    table,
    times,
)
from lapcat.engines.values import SATURATION, listed_values
from lapcat.plan.expressions import Expression
from lapcat.plan.nodes import Filter, Grid, Group, GroupKey, Kind, Rows, Statistic, private_scans
from lapcat.plan.schema import Type, Value


@dataclass(frozen=True, slots=True)
class SQLStatement:
    """SQL and its key lists. Result columns: the cell (negative: no cell) and one number per statistic (s0, s1, …); with
    private keys also their values (p0, p1, …) and the unit count of each combination."""

    sql: str
    parameters: Mapping[str, list[Value | None]]


def group_statement(plan: Group, tables: Mapping[str, Opened], dialect: Dialect) -> SQLStatement:
    """The statement of a plan over tables, each given as a relation and declared column types."""
    rows, predicates = _peeled(plan.source)
    once = [s for s in plan.statistics if s.kind in (Kind.UNITS, Kind.DISTINCT)]
    by_unit = not private_scans(rows)[0].unit.is_row
    needs_unit = by_unit and (any(s.kind is Kind.UNITS for s in once) or bool(plan.private_keys))
    rows_ = RowWriter(tables, dialect)
    wanted = RequiredColumns(frozenset()).also(
        _expressions(plan, predicates), *([OF_UNIT] if needs_unit else [])
    )
    step = rows_.rows(rows, wanted)
    writer = rows_.writer(step)
    picked = _Picked(writer, step.max_rows, needs_unit, step.ready)
    keys = [picked.key(key, merge_others=bool(once)) for key in plan.keys]
    wheres = [writer.clean(predicate) for predicate in predicates]
    for statistic in plan.statistics:  # sums first: a count of the same value can then reuse their integers
        if statistic.kind is Kind.SUM:
            picked.statistic(statistic)
    finals = [picked.statistic(statistic) for statistic in plan.statistics]

    source = rows_.named_values(step, writer)
    outputs = [named(code.sql, alias) for alias, code in picked.columns.items()]
    outputs += [column(OF_UNIT)] if needs_unit else []
    outputs = outputs or [named(number(1), "one")]
    rows_.add("picked", select(*outputs, source=table(source), where=[code.sql for code in wheres]))
    if plan.private_keys:
        return _private(plan, rows_, picked, keys, finals, needs_unit)

    parts: list[exp.Select] = []
    parameters: dict[str, list[Value | None]] = {}
    first = 0
    for grouping in plan.grouping_sets:
        own = [keys[position] for position in grouping]
        cells = rows_.add("cells", _aggregated(own, picked.aggregates))
        placed = _Places([(position, plan.keys[position]) for position in grouping], dialect)
        place = rows_.add("placed", placed.statement(cells, own, list(picked.aggregates)))
        parameters |= placed.parameters
        # unlisted groups share one cell, unless they were merged before
        again = any(plan.keys[position].other for position in grouping) and not once
        parts.append(_final(place, finals, dialect, again, first))
        first += plan.cells_of(grouping)
    return SQLStatement(rows_.finished(union_all(parts)), {**picked.parameters, **parameters})


def _final(
    source: str, finals: Sequence[_Final], dialect: Dialect, again: bool, first: int, *extra: SQL
) -> exp.Select:
    cell: SQL = column("cell")
    if first:
        cell = case((binary(exp.GTE, cell, number(0)), plus(cell, integer(first))), otherwise=cell)
    outputs = [*extra, named(cell, "cell")]
    outputs += [named(final(dialect, again), f"s{position}") for position, final in enumerate(finals)]
    statement = select(*outputs, source=table(source))
    return statement.group_by(*extra, column("cell"), copy=False) if again else statement


def _aggregated(keys: Sequence[str], aggregates: Mapping[str, SQL], where: Sequence[SQL] = ()) -> exp.Select:
    by = [column(alias) for alias in dict.fromkeys(keys)]  # two keys may be one expression
    sums = [named(sql, alias) for alias, sql in aggregates.items()]
    grouped = select(*by, *sums, source=table("picked"), where=where)
    return grouped.group_by(*by, copy=False) if by else grouped


def _private(
    plan: Group,
    rows: RowWriter,
    picked: _Picked,
    keys: Sequence[str],
    finals: Sequence[_Final],
    needs_unit: bool,
) -> SQLStatement:
    """Private combinations with their unit counts, joined with their cells of the declared keys."""
    private = [alias for alias, key in zip(keys, plan.keys, strict=True) if key.is_private]
    declared = [
        (position, alias, key)
        for position, (alias, key) in enumerate(zip(keys, plan.keys, strict=True))
        if not key.is_private
    ]
    present = [negated(is_null(column(alias))) for alias in private]
    counted = call("count", exp.Distinct(expressions=[column(OF_UNIT)]) if needs_unit else exp.Star())
    if not declared:
        cells = rows.add("cells", _aggregated(private, {**picked.aggregates, "units": counted}, present))
        outputs = [named(column(alias), f"p{position}") for position, alias in enumerate(private)]
        outputs += [named(cast(column("units"), "BIGINT"), "units"), named(integer(0), "cell")]
        outputs += [named(final(rows.dialect, False), f"s{n}") for n, final in enumerate(finals)]
        # in the order of the answer: the engine sorts faster than Python
        statement = select(*outputs, source=table(cells)).order_by(*map(column, private), copy=False)
        return SQLStatement(rows.finished(statement), picked.parameters)
    combinations = rows.add("combinations", _aggregated(private, {"units": counted}, present))
    cells = rows.add("cells", _aggregated(keys, picked.aggregates, present))
    places = _Places([(position, key) for position, _, key in declared], rows.dialect)
    different = list(dict.fromkeys(private))  # two keys may be one expression
    placed = places.statement(
        cells, [alias for _, alias, _ in declared], list(picked.aggregates), carried=different
    )
    place = rows.add("placed", placed)
    again = any(key.other for _, _, key in declared) and "once" not in picked.marks
    ready = rows.add("ready", _final(place, finals, rows.dialect, again, 0, *map(column, different)))
    same = [equal(column(alias, "combinations"), column(alias, ready)) for alias in different]
    outputs = [named(column(alias, "combinations"), f"p{n}") for n, alias in enumerate(private)]
    outputs += [named(cast(column("units"), "BIGINT"), "units")]
    outputs += [named(call("coalesce", column("cell"), integer(-1)), "cell")]
    outputs += [column(f"s{position}") for position in range(len(finals))]
    statement = select(*outputs, source=table(combinations))
    statement = join(statement, table(ready), joined(exp.And, same), "left")
    return SQLStatement(rows.finished(statement), {**picked.parameters, **places.parameters})


def _peeled(rows: Rows) -> tuple[Rows, list[Expression]]:
    """Splits off the topmost filters, which are applied in `picked`."""
    predicates = []
    while isinstance(rows, Filter):
        predicates.append(rows.predicate)
        rows = rows.source
    return rows, predicates


def _expressions(plan: Group, predicates: Sequence[Expression]) -> Iterator[Expression]:
    yield from (key.expression for key in plan.keys)
    for statistic in plan.statistics:
        yield from (x for x in (statistic.value, statistic.filter) if x is not None)
    yield from predicates


# ------------------------------------------------------------------------------------------------ sums


@dataclass(frozen=True, slots=True)
class _Final:
    """A statistic as a function of the aggregates of its cell: total − centre · count."""

    total: str
    is_sum: bool
    centre: int = 0
    count: str | None = None

    def __call__(self, dialect: Dialect, again: bool) -> SQL:
        def read_off(alias: str) -> SQL:
            return dialect.total(column(alias), None) if again else column(alias)

        total = read_off(self.total)
        if not self.is_sum and not again:
            return cast(total, "BIGINT")
        total = call("coalesce", cast(total, dialect.wide_integer), cast(number(0), dialect.wide_integer))
        if self.centre and self.count is not None:
            count = call(
                "coalesce",
                cast(read_off(self.count), dialect.wide_integer),
                cast(number(0), dialect.wide_integer),
            )
            total = minus(total, times(cast(number(self.centre), dialect.wide_integer), count))
        ends = (cast(number(end), dialect.wide_integer) for end in (-SATURATION, SATURATION))
        return cast(call("least", call("greatest", total, next(ends)), next(ends)), "BIGINT")


@dataclass(slots=True)
class _Picked:
    """Collects the columns of `picked` (keys, integers, conditions), each once."""

    writer: Writer
    max_rows: int | None
    """With weighted rows: the contribution bound in rows."""
    has_unit: bool
    ready: Ready | None = None
    """The precomputed integers of the rows."""
    columns: dict[str, Code] = field(default_factory=dict)
    aggregates: dict[str, SQL] = field(default_factory=dict)
    parameters: dict[str, list[Value | None]] = field(default_factory=dict)
    marks: set[str] = field(default_factory=set)
    _aliases: dict[object, str] = field(default_factory=dict)
    _counted: dict[tuple[Expression, Expression | None], str] = field(default_factory=dict)
    """For a presence expression and a filter, the column whose non-NULL values can be counted instead."""

    def key(self, key: GroupKey, *, merge_others: bool) -> str:
        """A key's column. `merge_others`: unlisted values become one group before the aggregation, since distinct counts
        cannot be added up later."""
        if not (merge_others and key.other):
            return self._column("k", ("key", key.expression), lambda: plain_zero(self.writer, key.expression))
        self.marks.add("once")
        parameter = f"known{len(self.parameters)}"
        self.parameters[parameter] = _listed(key, self.writer.dialect)

        def listed_only() -> Code:
            x = self.writer.name(plain_zero(self.writer, key.expression))
            known = self.writer.dialect.is_listed(x.sql, parameter, key.type)
            return Code(case((known, x.sql)), x.step)

        return self._column("k", ("listed key", key), listed_only)

    def statistic(self, statistic: Statistic) -> _Final:
        value, where, grid = statistic.value, statistic.filter, statistic.grid
        match statistic.kind:
            case Kind.ROWS | Kind.PRESENT if self.max_rows is not None:
                return self._weighted_count(statistic)
            case Kind.ROWS:
                return _Final(self._count(None, where), False)
            case Kind.PRESENT:
                assert value is not None
                return _Final(self._count(self._present(value, where), where), False)
            case Kind.SUM:
                assert value is not None and grid is not None
                return self._sum(value, where, grid)
            case Kind.UNITS:
                if not self.has_unit:  # each row is a unit of its own
                    return _Final(self._count(None, where), False)
                return _Final(self._once(OF_UNIT, where), False)
            case Kind.DISTINCT:
                assert value is not None
                alias = self._column("d", ("distinct", value), lambda: plain_zero(self.writer, value))
                return _Final(self._once(alias, where), False)
            case _:
                assert_never(statistic.kind)

    def _present(self, value: Expression, where: Expression | None) -> str | None:
        """A column that is NULL exactly where the value is; None if the value is never NULL."""
        core = presence(value)
        if core is None:
            return None
        if (core, where) not in self._counted:
            self._counted[core, where] = self._column("v", ("value", core), lambda: self.writer.clean(core))
        return self._counted[core, where]

    def _sum(self, value: Expression, where: Expression | None, grid: Grid) -> _Final:
        if self.max_rows is not None:
            mark = ("weighed", lattice_of(value, grid), grid.centre)
            alias = self._column("w", mark, lambda: self._weighted_value(value, grid))
            present = presence(value)
            if present is not None:
                self._counted.setdefault((present, None), alias)
            return _Final(self._total(alias, max(abs(grid.low), abs(grid.high)), where), True)
        stored = None if self.ready is None else self.ready.sum_of(value, grid)
        if stored is not None:
            alias = self._column("v", ("stored", stored), lambda: Code(column(stored)))
            present = presence(value)
            if present is not None:
                self._counted.setdefault((present, where), alias)
            return _Final(self._total(alias, max(abs(grid.low), abs(grid.high)), where), True)
        alias = self._column("v", lattice_of(value, grid), lambda: on_grid(self.writer, value, grid))
        present = presence(value)
        if present is not None:
            self._counted.setdefault((present, where), alias)
        total = self._total(alias, range_of(grid), where)
        count = self._count(alias if present is not None else None, where) if grid.centre_steps else None
        return _Final(total, True, grid.centre_steps, count)

    def _weighted_value(self, value: Expression, grid: Grid) -> Code:
        stored = None if self.ready is None else self.ready.sum_of(value, grid)
        if stored is not None:
            return Code(column(stored))
        return weighted_value(self.writer, value, grid, self.max_rows or 1, column(IN_SIZE))

    def _weight(self, unit_weight: int) -> Code:
        stored = None if self.ready is None else self.ready.weight(unit_weight)
        if stored is not None:
            return Code(column(stored))
        return Code(weighted_unit(unit_weight, self.max_rows or 1, column(IN_SIZE), self.writer.dialect))

    def _weighted_count(self, statistic: Statistic) -> _Final:
        """The sum of weights, minus that of rows where the value is NULL: these are few, so little is added twice."""
        alias = self._column("w", ("one", statistic.unit_weight), lambda: self._weight(statistic.unit_weight))
        total = self._total(alias, statistic.unit_weight, statistic.filter)
        value = None if statistic.value is None else self._present(statistic.value, None)
        if value is None:
            return _Final(total, True)
        return _Final(
            total, True, 1, self._total(alias, statistic.unit_weight, statistic.filter, without=value)
        )

    def _total(self, alias: str, reach: int, where: Expression | None, *, without: str | None = None) -> str:
        return self._aggregate(
            ("sum", alias), where, lambda x: self.writer.dialect.total(column(alias), reach, x), without
        )

    def _once(self, alias: str, where: Expression | None) -> str:
        different = exp.Distinct(expressions=[column(alias)])
        return self._aggregate(("once", alias), where, lambda x: filtered(call("count", different), x))

    def _count(self, alias: str | None, where: Expression | None) -> str:
        counted = exp.Star() if alias is None else column(alias)
        return self._aggregate(("count", alias), where, lambda x: filtered(call("count", counted), x))

    def _aggregate(
        self,
        what: tuple[str, str | None],
        where: Expression | None,
        write: Callable[[SQL | None], SQL],
        without: str | None = None,
    ) -> str:
        """An aggregate over the rows for which the filter holds and the column `without` is NULL."""
        mark = (*what, where, without)
        if mark not in self._aliases:
            tests: list[SQL] = [] if without is None else [is_null(column(without))]
            if where is not None:
                tests.append(column(self._column("p", ("filter", where), lambda: self.writer.clean(where))))
            sql = write(joined(exp.And, tests) if tests else None)
            self._aliases[mark] = f"a{len(self.aggregates)}"
            self.aggregates[self._aliases[mark]] = sql
        return self._aliases[mark]

    def _column(self, letter: str, mark: object, write: Callable[[], Code]) -> str:
        if mark not in self._aliases:
            self._aliases[mark] = f"{letter}{len(self.columns)}"
            self.columns[self._aliases[mark]] = write()
        return self._aliases[mark]


# ------------------------------------------------------------------------------------------------ places


class _Places:
    """Positions of groups among the cells of the product of their keys."""

    def __init__(self, keys: Sequence[tuple[int, GroupKey]], dialect: Dialect) -> None:
        self.keys, self.dialect = keys, dialect
        self.parameters: dict[str, list[Value | None]] = {}

    def statement(
        self, source: str, aliases: Sequence[str], aggregates: Sequence[str], carried: Sequence[str] = ()
    ) -> exp.Select:
        """The cell of each group; NULL keys match nothing. Listed keys are joined; groups outside a range get cell -1."""
        cell: SQL | None = None
        statement = select(source=table(source))
        for (position, key), alias in zip(self.keys, aliases, strict=True):
            values = key.values
            assert values is not None
            if isinstance(values, range) and values.step == 1 and key.type is Type.INTEGER:
                place = _place_in_range(column(alias), values)
            else:
                listed, parameter = f"keys{position}", f"list{position}"
                self.parameters[parameter] = _listed(key, self.dialect)
                side = exp.Subquery(
                    this=self.dialect.listed(parameter, key.type),
                    alias=exp.TableAlias(this=name(listed)),
                )
                same = equal(column(alias), column("value", listed))
                statement = join(statement, side, same, "left" if key.other else "inner")
                place = column("place", listed)
            if key.other:
                place = call("coalesce", place, integer(key.size - 1))
            cell = place if cell is None else plus(times(cell, integer(key.size)), place)
        whole = integer(0) if cell is None else call("coalesce", cell, integer(-1))
        outputs = [*map(column, carried), named(whole, "cell"), *map(column, aggregates)]
        return statement.select(*outputs, copy=False)


def _listed(key: GroupKey, dialect: Dialect) -> list[Value | None]:
    """The listed values of a key by position; None where no row can match."""
    return [None if value is None or not dialect.holds(value) else value for value in listed_values(key)]


def _place_in_range(x: SQL, values: range) -> SQL:
    if not values:
        return cast(exp.Null(), "BIGINT")
    low, high = integer(values[0]), integer(values[-1])
    return case((between(x, low, high), minus(x, low)))
