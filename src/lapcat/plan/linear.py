"""Computed columns that are linear in their inputs: their error is known before the answer."""

from __future__ import annotations

from lapcat.plan.expressions import Arithmetic, Cast, Column, Expression, Literal
from lapcat.plan.schema import Type


def coefficients(expression: Expression) -> dict[str, float] | None:
    """The coefficient of each input in a linear expression; None if it is not linear.

    >>> x, y = Column("x", Type.FLOAT), Column("y", Type.FLOAT)
    >>> coefficients(Arithmetic("-", x, Arithmetic("/", y, Literal(4.0, Type.FLOAT), Type.FLOAT), Type.FLOAT))
    {'x': 1.0, 'y': -0.25}
    >>> coefficients(Arithmetic("/", x, y, Type.FLOAT)) is None
    True
    """
    terms = _terms(expression)
    return None if terms is None else terms[0]


def _terms(expression: Expression) -> tuple[dict[str, float], float] | None:
    """The coefficients and the constant term."""
    match expression:
        case Column(name, _):
            return {name: 1.0}, 0.0
        case Literal(int() | float() as value, _):
            return {}, float(value)
        case Cast(operand, Type.FLOAT):
            return _terms(operand)
        case Arithmetic(op, left, right, _):
            first, second = _terms(left), _terms(right)
            if first is None or second is None:
                return None
            return _combined(op, *first, *second)
    return None


def _combined(
    op: str, x: dict[str, float], a: float, y: dict[str, float], b: float
) -> tuple[dict[str, float], float] | None:
    match op:
        case "+" | "-":
            sign = 1.0 if op == "+" else -1.0
            names = dict.fromkeys((*x, *y))
            return {name: x.get(name, 0.0) + sign * y.get(name, 0.0) for name in names}, a + sign * b
        case "*" if not x or not y:
            return {n: c * (a if y else b) for n, c in (y or x).items()}, a * b
        case "/" if not y and b != 0:
            return {n: c / b for n, c in x.items()}, a / b
    return None
