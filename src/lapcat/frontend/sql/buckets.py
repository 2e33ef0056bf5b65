"""BUCKETS(x) and BUCKETS(x, 20): about so many buckets of round width between the public bounds of x."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from lapcat.errors import BadQuery, Refused
from lapcat.frontend.sql.scopes import Scope
from lapcat.frontend.sql.text import Text
from lapcat.plan.buckets import bucketed
from lapcat.plan.expressions import Expression, Literal, columns_of
from lapcat.plan.schema import Type
from lapcat.plan.words import toml_key

USUAL = 20
MOST = 10_000


def how_many(text: Text, node: exp.Expression, constant: Literal | None) -> int:
    """The second argument of BUCKETS, or what is usual."""
    if constant is None:
        return USUAL
    if constant.type is Type.INTEGER and isinstance(constant.value, int) and 1 <= constant.value <= MOST:
        return constant.value
    raise BadQuery(
        "type-mismatch",
        f"BUCKETS(x, n) takes a whole number of buckets from 1 to {MOST}, but this is something else",
        fix=f"BUCKETS(x, {USUAL})",
        place=text.place(node),
    )


def buckets(
    text: Text, scope: Scope, node: exp.Expression, this: exp.Expression, operand: Expression, number: int
) -> tuple[Expression, str]:
    """Where the bucket of the operand begins, and a sentence about the buckets."""
    written = text.written(this)
    if not operand.type.is_number and operand.type not in (Type.DATE, Type.TIMESTAMP):
        raise BadQuery(
            "type-mismatch",
            f"BUCKETS takes a number or a date, but this is a {operand.type}",
            fix=f"GROUP BY {written}, if its keys are declared",
            place=text.place(this),
        )
    found = bucketed(operand, number)
    if found is None:
        raise Refused(
            "bounds-missing",
            f"BUCKETS({written}) needs bounds for {written}",
            why="buckets from the least to the greatest value would tell whose values those are",
            fix=", or ".join(_fixes(scope, written, operand)),
            place=text.place(node),
        )
    expression, width = found
    return expression, f"a bucket of {written} is {width} wide and shown by where it begins"


def _fixes(scope: Scope, written: str, operand: Expression) -> Iterator[str]:
    bounds = "low = 0, high = 100"
    if operand.type.is_number:
        yield f"BUCKETS(CLAMP({written}, 0, 100)) in the question"
    else:
        bounds = "low = 2020-01-01, high = 2029-12-31"
        yield f"YEAR({written}) in the question"
    declared = next((scope.declared(column.name) for column in columns_of(operand)), None)
    if declared is not None and declared.table != "the sub-query":
        line = f'{toml_key(declared.spec.name)} = {{ type = "{declared.spec.type}", {bounds} }}'
        yield f"{line} under [tables.{declared.table}.columns]"
