"""BUCKETS(x) and BUCKETS(x, 20): about so many buckets of round width between the public bounds of x."""

from __future__ import annotations

from sqlglot import exp

from lapcat.errors import BadQuery, Refused
from lapcat.frontend.sql.scopes import NameScope
from lapcat.frontend.sql.text import Text
from lapcat.plan.buckets import bucketed
from lapcat.plan.expressions import Expression, Literal, columns_of
from lapcat.plan.schema import Type

USUAL = 20
MOST = 10_000


def how_many(text: Text, node: exp.Expression, this: exp.Expression, constant: Literal | None) -> int:
    """The second argument of BUCKETS, or what is usual."""
    if constant is None:
        return USUAL
    if constant.type is Type.INTEGER and isinstance(constant.value, int) and 1 <= constant.value <= MOST:
        return constant.value
    raise BadQuery(
        "type-mismatch",
        f"BUCKETS(x, n) takes a whole number of buckets from 1 to {MOST}, but this is something else",
        fix=f"BUCKETS({text.written(this)}, {USUAL})",
        place=text.place(node),
    )


def buckets(
    text: Text, scope: NameScope, node: exp.Expression, this: exp.Expression, operand: Expression, number: int
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
            fix=_fix(text, scope, node, written, operand),
            place=text.place(node),
        )
    expression, width = found
    return expression, f"a bucket of {written} is {width} wide and shown by where it begins"


def _fix(text: Text, scope: NameScope, node: exp.Expression, written: str, operand: Expression) -> str:
    fixes = []
    if operand.type.is_number:
        call = text.written(node).replace(written, f"CLAMP({written}, LOW, HIGH)", 1)
        fixes.append(f"{call} in the question")
    declared = next((scope.declared(column.name) for column in columns_of(operand)), None)
    if declared is not None and declared.table != "the sub-query":
        fixes.append(text.declaring.bounds(declared.table, declared.spec.name, declared.spec.type))
    ask = f"give the bounds of {written}, as you know them"
    if fixes:
        return f"{ask}: {', or '.join(fixes)}"
    return f"{ask}, where the column that it is made of is declared"
