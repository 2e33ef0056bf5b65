"""Constants with a decimal point are exact in SQL: `0.06 + 0.01` is 0.07, which the sum of the nearest doubles is not."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from lapcat.core.exact import exact
from lapcat.plan.expressions import Arithmetic, Expression, Literal
from lapcat.plan.schema import Type

OPERATIONS: dict[str, Callable[..., float | Fraction]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
}
DIGITS = 10**15
"""Decimals of up to 15 digits are the shortest decimals of their doubles, so that the doubles determine them."""


def exact_constant(expression: Arithmetic) -> Expression:
    """A sum, difference or product of two decimal constants as the double nearest to its exact value, if doubles miss it.

    >>> both = Literal(0.06, Type.FLOAT), Literal(0.01, Type.FLOAT)
    >>> exact_constant(Arithmetic("+", *both, Type.FLOAT)).value, 0.06 + 0.01
    (0.07, 0.06999999999999999)
    """
    operation = OPERATIONS.get(expression.op)
    constants = [_decimal(side) for side in (expression.left, expression.right)]
    if operation is None or None in constants or expression.type is not Type.FLOAT:
        return expression
    value = float(operation(*constants))
    in_doubles = operation(*(float(constant or 0) for constant in constants))
    return expression if value == in_doubles else Literal(value, Type.FLOAT)


def _decimal(expression: Expression) -> Fraction | None:
    """The exact value of a constant of few digits; None for anything else."""
    if not isinstance(expression, Literal) or not isinstance(expression.value, int | float):
        return None
    if not 1 / DIGITS <= abs(expression.value) < DIGITS:
        return None
    value = exact(expression.value) if expression.type.is_number else None
    return value if value is not None and max(abs(value.numerator), value.denominator) < DIGITS else None
