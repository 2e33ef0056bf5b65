"""Decimal constants are exact, as in SQL; every other arithmetic stays as it is."""

from __future__ import annotations

import duckdb
import pytest

from lapcat.frontend.sql.decimals import exact_constant
from lapcat.plan.expressions import Arithmetic, ArithmeticOp, Column, Expression, Literal
from lapcat.plan.schema import Type


def literal(value: float) -> Literal:
    return Literal(value, Type.INTEGER if isinstance(value, int) else Type.FLOAT)


@pytest.mark.parametrize(
    ("left", "op", "right"),
    [(0.06, "+", 0.01), (0.1, "+", 0.2), (1, "-", 0.9), (1.1, "*", 3), (0.3, "-", 0.1), (4.35, "*", 100)],
)
def test_two_decimals_are_what_duckdb_computes(left: float, op: ArithmeticOp, right: float) -> None:
    constant = exact_constant(Arithmetic(op, literal(left), literal(right), Type.FLOAT))
    ((value,),) = duckdb.sql(f"SELECT CAST({left} {op} {right} AS DOUBLE)").fetchall()
    assert isinstance(constant, Literal) and constant.value == value
    assert value != {"+": left + right, "-": left - right, "*": left * right}[op]


@pytest.mark.parametrize(
    ("left", "op", "right"),
    [
        (literal(0.5), "+", literal(0.25)),  # doubles are exact here, so the question keeps its identity
        (literal(0.06), "/", literal(0.01)),
        (literal(1e300), "*", literal(1e-300)),
        (literal(0.0), "+", literal(0.1)),
        (Column("x", Type.FLOAT), "+", literal(0.1)),
    ],
)
def test_other_arithmetic_is_left_alone(left: Expression, op: ArithmeticOp, right: Expression) -> None:
    whole = Arithmetic(op, left, right, Type.FLOAT)
    assert exact_constant(whole) is whole
