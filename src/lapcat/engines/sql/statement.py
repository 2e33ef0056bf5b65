"""A plan as one statement: bounded integer sums per cell.

    base     the columns that the question reads, as their declared types; the contribution bound
    step…    values that are used more than once, by name
    picked   the rows that pass, with their keys and their integers
    cells    one aggregation; groups that nobody declared are still in it
    placed   the place of each declared group; the rest fall away here

Undeclared groups are dropped after the aggregation: there are few of them by then, where a test on every row would cost
more than the sums. A sum is of integers, exact and free of order; the centre of its grid is subtracted once per cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from sqlglot import exp

from lapcat.engines.sql.dialect import Dialect
from lapcat.engines.sql.expressions import Code, Writer, clamped, in_base
from lapcat.engines.sql.relation import RANK, Relation, may_be_nan, read
from lapcat.engines.sql.words import (
    SQL,
    TYPES,
    at_most,
    between,
    binary,
    call,
    case,
    cast,
    column,
    double,
    equal,
    integer,
    minus,
    name,
    named,
    number,
    plus,
    select,
    steps,
    table,
    times,
    try_cast,
)
from lapcat.engines.values import SATURATION, coerce, listed_values, literal_value
from lapcat.errors import Bug
from lapcat.plan.expressions import Absolute, Cast, Clamp, Coalesce, Column, Expression, columns_of
from lapcat.plan.nodes import (
    Bound,
    Filter,
    Grid,
    Group,
    Key,
    Kind,
    Rows,
    Scan,
    Statistic,
    filters_of,
    scan_of,
)
from lapcat.plan.schema import Type, Value


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL and the key lists it refers to. Its columns are the cell (negative: no cell) and one number per statistic."""

    sql: str
    parameters: Mapping[str, list[Value | None]]


def group_statement(
    plan: Group, relation: Relation, types: Mapping[str, Type], dialect: Dialect
) -> Statement:
    """One look at a table whose columns are declared to have the given types."""
    used = {c.name: c.type for c in _columns(plan)}
    writer = Writer(
        dialect,
        {n: (types[n], not relation.typed and may_be_nan(relation.physical[n], types[n])) for n in used},
    )
    picked = _Picked(writer)
    keys = [picked.key(key) for key in plan.keys]
    wheres = [writer.clean(predicate) for predicate in filters_of(plan)]
    for statistic in plan.statistics:  # sums first: a count of the same value then counts their integers
        if statistic.kind is Kind.SUM:
            picked.statistic(statistic)
    finals = [picked.statistic(statistic) for statistic in plan.statistics]

    before: list[tuple[str, exp.Select]] = [
        ("base", _base(plan.source, relation, types, list(used), dialect))
    ]
    for position, names in enumerate(writer.steps):
        all_and_new = [exp.Star(), *(named(sql, alias) for alias, sql in names.items())]
        before.append((f"step{position}", select(*all_and_new, source=table(before[-1][0]))))
    outputs = [named(code.sql, alias) for alias, code in picked.columns.items()] or [named(number(1), "one")]
    before.append(
        ("picked", select(*outputs, source=table(before[-1][0]), where=[code.sql for code in wheres]))
    )
    sums = [named(sql, alias) for alias, sql in picked.aggregates.items()]
    by = [column(alias) for alias in dict.fromkeys(keys)]  # two keys may be one expression
    grouped = select(*by, *sums, source=table("picked"))
    before.append(("cells", grouped.group_by(*by, copy=False) if by else grouped))

    placed, parameters = _placed(plan.keys, keys, list(picked.aggregates), dialect)
    before.append(("placed", placed))
    outputs = [named(column("cell"), "cell")]
    again = any(key.other for key in plan.keys)  # groups that nobody listed meet in one cell
    for position, final in enumerate(finals):
        outputs.append(named(final(dialect, again), f"s{position}"))
    statement = select(*outputs, source=table("placed"))
    if again:
        statement = statement.group_by(column("cell"), copy=False)
    return Statement(steps(statement, before).sql(dialect.name), parameters)


def _columns(plan: Group) -> Iterator[Column]:
    for key in plan.keys:
        yield from columns_of(key.expression)
    for statistic in plan.statistics:
        for expression in (statistic.value, statistic.filter):
            if expression is not None:
                yield from columns_of(expression)
    for predicate in filters_of(plan):
        yield from columns_of(predicate)


def _base(
    rows: Rows, relation: Relation, types: Mapping[str, Type], used: list[str], dialect: Dialect
) -> exp.Select:
    scan = scan_of(rows)
    if relation.ranked is scan.unit.is_row:
        raise Bug(
            "index-missing", f"{scan.table} has a unit column and no contribution index, or the reverse"
        )
    outputs = [named(typed_column(relation, n, types[n], dialect), in_base(n)) for n in used] or [
        named(number(1), "one")
    ]
    # A row that is a unit of its own is that unit's first.
    rank: SQL = column(RANK) if relation.ranked else integer(1)
    bounds = [at_most(rank, integer(most)) for most in _bounds(rows)]
    return select(*outputs, source=relation.source, where=bounds)


def _bounds(rows: Rows) -> list[int]:
    """The most rows of a unit, as often as the plan says it."""
    match rows:
        case Scan():
            return []
        case Filter(source, _):
            return _bounds(source)
        case Bound(source, most):
            return [most, *_bounds(source)]
        case _:
            assert_never(rows)


def typed_column(relation: Relation, column_name: str, kind: Type, dialect: Dialect) -> SQL:
    """A column as its declared type."""
    if relation.typed:
        return column(column_name)
    typed = read(column(column_name), relation.physical[column_name], kind, dialect)
    if typed is None:
        raise Bug("column-type-opened", f"{column_name} was opened as a {kind} that it cannot be")
    return typed


# ------------------------------------------------------------------------------------------------ sums


@dataclass(frozen=True, slots=True)
class _Final:
    """How a statistic is read off the aggregates of its cell: total − centre · count."""

    total: str
    is_sum: bool
    centre: int = 0
    count: str | None = None

    def __call__(self, dialect: Dialect, again: bool) -> SQL:
        def read_off(alias: str) -> SQL:
            return call("sum", column(alias)) if again else column(alias)

        total = read_off(self.total)
        if not self.is_sum and not again:
            return cast(total, "BIGINT")
        total = call("coalesce", cast(total, dialect.wide_integer), cast(number(0), dialect.wide_integer))
        if self.centre and self.count is not None:
            count = cast(read_off(self.count), dialect.wide_integer)
            total = minus(total, times(cast(number(self.centre), dialect.wide_integer), count))
        ends = (cast(number(end), dialect.wide_integer) for end in (-SATURATION, SATURATION))
        return cast(call("least", call("greatest", total, next(ends)), next(ends)), "BIGINT")


@dataclass(slots=True)
class _Picked:
    """Collects what each row must say: keys, integers and conditions, each of them once."""

    writer: Writer
    columns: dict[str, Code] = field(default_factory=dict)
    aggregates: dict[str, SQL] = field(default_factory=dict)
    _aliases: dict[object, str] = field(default_factory=dict)
    _counted: dict[tuple[Expression, Expression | None], str] = field(default_factory=dict)
    """For a presence and a filter, the column whose non-NULL values a count of it may count."""

    def key(self, key: Key) -> str:
        return self._column("k", ("key", key.expression), lambda: self._key_value(key.expression))

    def _key_value(self, expression: Expression) -> Code:
        code = self.writer.clean(expression)
        if expression.type is not Type.FLOAT:
            return code
        x = self.writer.name(code)
        zero = equal(x.sql, double(0.0))  # -0.0 is the key 0.0
        return Code(case((zero, double(0.0)), otherwise=x.sql), x.step)

    def statistic(self, statistic: Statistic) -> _Final:
        value, where, grid = statistic.value, statistic.filter, statistic.grid
        match statistic.kind:
            case Kind.ROWS:
                return _Final(self._count(None, where), False)
            case Kind.PRESENT:
                assert value is not None
                return _Final(self._count(self._present(value, where), where), False)
            case Kind.SUM:
                assert value is not None and grid is not None
                return self._sum(value, where, grid)
            case _:
                assert_never(statistic.kind)

    def _present(self, value: Expression, where: Expression | None) -> str | None:
        """A column that is NULL exactly where the value is; None where it never is."""
        core = presence(value)
        if core is None:
            return None
        if (core, where) not in self._counted:
            self._counted[core, where] = self._column("v", ("value", core), lambda: self.writer.clean(core))
        return self._counted[core, where]

    def _sum(self, value: Expression, where: Expression | None, grid: Grid) -> _Final:
        core, replacement = bare_operand(value, grid)
        lattice = ("grid", core, replacement, value.type, grid.clamp_low, grid.clamp_high, grid.exponent)
        alias = self._column("v", lattice, lambda: on_grid(self.writer, core, replacement, value.type, grid))
        present = presence(value)
        if present is not None:
            self._counted.setdefault((present, where), alias)
        total = self._aggregate("sum", alias, where)
        count = self._count(alias if present is not None else None, where) if grid.centre_steps else None
        return _Final(total, True, grid.centre_steps, count)

    def _count(self, alias: str | None, where: Expression | None) -> str:
        return self._aggregate("count", alias, where)

    def _aggregate(self, function: str, alias: str | None, where: Expression | None) -> str:
        mark = (function, alias, where)
        if mark not in self._aliases:
            sql = call(function, exp.Star() if alias is None else column(alias))
            if where is not None:
                condition = self._column("p", ("filter", where), lambda: self.writer.clean(where))
                sql = exp.Filter(this=sql, expression=exp.Where(this=column(condition)))
            self._aliases[mark] = f"a{len(self.aggregates)}"
            self.aggregates[self._aliases[mark]] = sql
        return self._aliases[mark]

    def _column(self, letter: str, mark: object, write: Callable[[], Code]) -> str:
        if mark not in self._aliases:
            self._aliases[mark] = f"{letter}{len(self.columns)}"
            self.columns[self._aliases[mark]] = write()
        return self._aliases[mark]


def presence(value: Expression) -> Expression | None:
    """An expression that is NULL exactly where the value is; None where it never is."""
    match value:
        case Clamp(operand) | Absolute(operand, Type.FLOAT):
            return presence(operand)
        case Cast(operand, Type.FLOAT) if operand.type is Type.INTEGER:
            return presence(operand)
        case Coalesce():
            return None
    return value


def bare_operand(value: Expression, grid: Grid) -> tuple[Expression, Value | None]:
    """What is inside clamps that the grid's own clamp makes redundant, and what replaces its NULLs."""
    replacement: Value | None = None
    while True:
        match value:
            case Clamp(operand, low, high) if _wider(low.value, high.value, grid):
                value = operand
            case Cast(operand, Type.FLOAT) if operand.type is Type.INTEGER:
                value = operand  # conversion is monotone, so clamping after it is the same
            case Coalesce(operand, spare):
                value, replacement = operand, literal_value(spare)
            case _:
                return value, replacement


def _wider(low: Value, high: Value, grid: Grid) -> bool:
    return (
        isinstance(low, (int, float))
        and isinstance(high, (int, float))
        and low <= grid.clamp_low
        and high >= grid.clamp_high
    )


def on_grid(writer: Writer, core: Expression, replacement: Value | None, kind: Type, grid: Grid) -> Code:
    """A row's integer without the centre: ⌊clamp(x) / 2^exponent⌋, NULL where the row adds nothing."""
    if max(abs(grid.low + grid.centre_steps), abs(grid.high + grid.centre_steps)) > SATURATION:
        raise Bug("grid-range", "the grid of a sum does not fit into 63 bits")
    low, high = _end(grid.clamp_low, kind), _end(grid.clamp_high, kind)
    spare = None
    if replacement is not None:
        typed = coerce(replacement, kind)
        assert isinstance(typed, (int, float))
        spare = _end(min(max(typed, grid.clamp_low), grid.clamp_high), kind)
    x = writer.name(writer.number(core, kind))
    inside = clamped(x.sql, low, high, kind, spare)
    return Code((_whole if kind is Type.INTEGER else _floored)(inside, grid.exponent), x.step)


def _end(end: float, kind: Type) -> SQL:
    if kind is Type.FLOAT:
        return double(end)
    if end != int(end):
        raise Bug("grid-ends", "a sum of integers is clamped to integers")
    return integer(int(end))


def _whole(x: SQL, exponent: int) -> SQL:
    """⌊x / 2^exponent⌋ of an integer; the shift keeps the sign."""
    if exponent > 0:
        return binary(exp.BitwiseRightShift, x, number(min(exponent, 63)))
    return times(x, integer(2**-exponent)) if exponent < 0 else x


def _floored(x: SQL, exponent: int) -> SQL:
    """⌊x / 2^exponent⌋ of a double. Multiplying by a power of two is exact unless the product is subnormal, which
    needs a positive exponent; flooring before it then leaves the result as it is (⌊⌊x⌋/n⌋ = ⌊x/n⌋) and nothing tiny."""
    if exponent > 0:
        x = call("floor", x)
    for power in _powers(-exponent):
        x = times(x, double(2.0**power))
    return try_cast(call("floor", x), "BIGINT")


def _powers(total: int) -> Iterator[int]:
    """Exponents that add up to the total, each of a power of two that is a normal double."""
    while abs(total) > 1000:
        yield 1000 if total > 0 else -1000
        total -= 1000 if total > 0 else -1000
    if total:
        yield total


# ------------------------------------------------------------------------------------------------ places


def _placed(
    keys: tuple[Key, ...], aliases: list[str], aggregates: list[str], dialect: Dialect
) -> tuple[exp.Select, dict[str, list[Value | None]]]:
    """Each group's cell; NULL keys match nothing. Groups outside a range get the cell -1, listed ones a join."""
    cell: SQL | None = None
    parameters: dict[str, list[Value | None]] = {}
    statement = select(source=table("cells"))
    for position, (key, alias) in enumerate(zip(keys, aliases, strict=True)):
        if isinstance(key.values, range) and key.values.step == 1 and key.type is Type.INTEGER:
            place = _place_in_range(column(alias), key.values)
        else:
            listed, parameter = f"keys{position}", f"list{position}"
            parameters[parameter] = listed_values(key)
            side = exp.Subquery(
                this=dialect.listed(parameter, TYPES[key.type]), alias=exp.TableAlias(this=name(listed))
            )
            same = equal(column(alias), column("value", listed))
            statement = statement.join(side, on=same, join_type="left" if key.other else "inner", copy=False)
            place = column("place", listed)
        if key.other:
            place = call("coalesce", place, integer(len(key.values)))
        cell = place if cell is None else plus(times(cell, integer(key.size)), place)
    whole = integer(0) if cell is None else call("coalesce", cell, integer(-1))
    outputs = [named(whole, "cell"), *map(column, aggregates)]
    return statement.select(*outputs, copy=False), parameters


def _place_in_range(x: SQL, values: range) -> SQL:
    if not values:
        return cast(exp.Null(), "BIGINT")
    low, high = integer(values[0]), integer(values[-1])
    return case((between(x, low, high), minus(x, low)))
