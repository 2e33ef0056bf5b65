"""SQL for values rounded to integers on a public grid, and for sums of such integers."""

from __future__ import annotations

from collections.abc import Iterator

from lapcat.engines.base.dialect import Dialect
from lapcat.engines.base.expressions import Code, Writer, clamped
from lapcat.engines.base.words import (
    SQL,
    call,
    case,
    cast,
    double,
    equal,
    integer,
    is_null,
    negated,
    number,
    times,
)
from lapcat.engines.values import SATURATION, coerce, literal_value
from lapcat.errors import Bug
from lapcat.plan.expressions import Absolute, Cast, Clamp, Coalesce, Expression
from lapcat.plan.nodes import Grid
from lapcat.plan.schema import Type, Value


def plain_zero(writer: Writer, expression: Expression) -> Code:
    """A value for grouping or comparison: -0.0 becomes 0.0."""
    code = writer.clean(expression)
    if expression.type is not Type.FLOAT:
        return code
    x = writer.name(code)
    return Code(case((equal(x.sql, double(0.0)), double(0.0)), otherwise=x.sql), x.step)


def presence(value: Expression) -> Expression | None:
    """An expression that is NULL exactly where the value is; None if the value is never NULL."""
    match value:
        case Clamp(operand) | Absolute(operand, Type.FLOAT):
            return presence(operand)
        case Cast(operand, Type.FLOAT) if operand.type is Type.INTEGER:
            return presence(operand)
        case Coalesce():
            return None
    return value


def lattice_of(value: Expression, grid: Grid) -> tuple[object, ...]:
    """A key that is equal for values and grids that give every row the same integer, up to the centre."""
    core, replacement = bare_operand(value, grid)
    return ("grid", core, replacement, value.type, grid.clamp_low, grid.clamp_high, grid.exponent)


def bare_operand(value: Expression, grid: Grid) -> tuple[Expression, Value | None]:
    """The operand without clamps that the grid's own clamp makes redundant, and the replacement of NULL."""
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


def on_grid(writer: Writer, value: Expression, grid: Grid, *, whole: bool = True) -> Code:
    """A row's integer without the centre: ⌊clamp(x) / 2^exponent⌋, NULL if the row adds nothing.

    Without `whole`, it may be a double with an integer value."""
    if range_of(grid) > SATURATION:
        raise Bug("grid-range", "the grid of a sum does not fit into 63 bits")
    kind = value.type
    core, replacement = bare_operand(value, grid)
    low, high = _end(grid.clamp_low, kind), _end(grid.clamp_high, kind)
    spare = None
    if replacement is not None:
        typed = coerce(replacement, kind)
        assert isinstance(typed, (int, float))
        spare = _end(min(max(typed, grid.clamp_low), grid.clamp_high), kind)
    x = writer.name(writer.number(core, kind))
    inside = clamped(x.sql, low, high, kind, spare)
    if kind is Type.INTEGER:
        return Code(_whole(inside, grid.exponent, writer.dialect), x.step)
    floored = _floored(writer, Code(inside, x.step), grid.exponent)
    return Code(writer.dialect.whole(floored.sql), floored.step) if whole else floored


def range_of(grid: Grid) -> int:
    """Upper bound on the absolute value of a row's integer without the centre."""
    return max(abs(grid.low + grid.centre_steps), abs(grid.high + grid.centre_steps))


def _end(end: float, kind: Type) -> SQL:
    if kind is Type.FLOAT:
        return double(end)
    if end != int(end):
        raise Bug("grid-ends", "a sum of integers is clamped to integers")
    return integer(int(end))


def _whole(x: SQL, exponent: int, dialect: Dialect) -> SQL:
    """⌊x / 2^exponent⌋ of an integer."""
    if exponent > 0:
        return dialect.shifted(x, exponent)
    return times(x, integer(2**-exponent)) if exponent < 0 else x


def _floored(writer: Writer, x: Code, exponent: int) -> Code:
    """⌊x / 2^exponent⌋ of a double. Multiplying by a power of two is exact unless the product is subnormal, which needs a
    positive exponent. Flooring first then avoids tiny values and does not change the result (⌊⌊x⌋/n⌋ = ⌊x/n⌋)."""
    if exponent > 0:
        x = writer.name(x) if writer.dialect.repeats else x
        x = Code(writer.dialect.floor(x.sql), x.step)
    sql = x.sql
    for power in _powers(-exponent):
        sql = times(sql, double(2.0**power))
    return Code(call("floor", sql), x.step)


def _powers(total: int) -> Iterator[int]:
    """Exponents with the given sum, each of which gives a normal double."""
    while abs(total) > 1000:
        yield 1000 if total > 0 else -1000
        total -= 1000 if total > 0 else -1000
    if total:
        yield total


def saturated(total: SQL, dialect: Dialect) -> SQL:
    """A sum as a 64-bit integer, saturated far below overflow; NULL stays."""
    wide = cast(total, dialect.wide_integer)
    ends = [cast(number(end), dialect.wide_integer) for end in (-SATURATION, SATURATION)]
    limited = call("least", call("greatest", wide, ends[0]), ends[1])
    # LEAST and GREATEST ignore NULL, so an empty sum would become a limit
    return cast(case((negated(is_null(total)), limited)), "BIGINT")
