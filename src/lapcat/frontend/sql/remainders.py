"""`a // m` and `a % m` for integers and a constant m, exact on every engine.

Theorem: for whole numbers |a| ≤ 2^52 and 1 ≤ m ≤ 2^31, the double nearest to a/m, cut towards zero, is a/m cut towards zero
         (engines/base/weights.py: `divides_as_double`), so a − m · trunc(a/m) is the remainder with the sign of a.
Larger integers are NULL, as is every value that does not fit. The remainder's range is stated by NullOutsideBounds, which
changes nothing, so that GROUP BY a % 10 has at most 19 groups, and 10 where a is not negative.
"""

from __future__ import annotations

from collections.abc import Callable

from lapcat.plan.expressions import (
    Absolute,
    Arithmetic,
    Case,
    Compare,
    Expression,
    Literal,
    NullOutsideBounds,
    Rounded,
    range_of,
)
from lapcat.plan.schema import Type

LARGEST = 2**52
LARGEST_DIVISOR = 2**31
ZERO = Literal(0, Type.INTEGER)


def whole(expression: Expression) -> Expression | None:
    """The expression as an integer, where it is made of integers alone; None where it may have a fraction.

    `age + 1` is computed in doubles where nothing bounds age, and is a whole number all the same.
    """
    if expression.type is Type.INTEGER:
        return expression
    return Rounded("round", expression) if _is_whole(expression) else None


def _is_whole(expression: Expression) -> bool:
    match expression:
        case Arithmetic("+" | "-" | "*", left, right):
            return _is_whole(left) and _is_whole(right)
        case Absolute(operand):
            return _is_whole(operand)
    return expression.type is Type.INTEGER


def quotient(read: Callable[[], Expression], divisor: int) -> Expression:
    """a // m, towards zero. `read` gives the operand anew for each use, so that its size is counted each time."""
    towards_zero = Rounded("floor", _ratio(read, divisor))
    if range_of(_small(read)).low >= 0:
        return towards_zero
    positive = Compare(">=", _small(read), ZERO)
    return Case(((positive, towards_zero),), Rounded("ceil", _ratio(read, divisor)), Type.INTEGER)


def remainder(read: Callable[[], Expression], divisor: int) -> Expression:
    """a % m, with the sign of a."""
    product = Arithmetic("*", quotient(read, divisor), Literal(divisor, Type.INTEGER), Type.INTEGER)
    rest = Arithmetic("-", _small(read), product, Type.INTEGER)
    least = 0 if range_of(_small(read)).low >= 0 else 1 - divisor
    if divisor == 1:
        return rest
    ends = Literal(least, Type.INTEGER), Literal(divisor - 1, Type.INTEGER)
    return NullOutsideBounds(rest, *ends, Type.INTEGER)


def _small(read: Callable[[], Expression]) -> Expression:
    operand = read()
    inside = range_of(operand)
    if inside.low >= -LARGEST and inside.high <= LARGEST:
        return operand
    return NullOutsideBounds(
        operand, Literal(-LARGEST, Type.INTEGER), Literal(LARGEST, Type.INTEGER), Type.INTEGER
    )


def _ratio(read: Callable[[], Expression], divisor: int) -> Expression:
    return Arithmetic("/", _small(read), Literal(divisor, Type.INTEGER), Type.FLOAT)
