"""BUCKETS(x) and BUCKETS(x, n): about n buckets of a round width between the public bounds of x."""

from __future__ import annotations

from sqlglot import exp

from lapcat.errors import BadQuery, Refused
from lapcat.frontend.sql.scopes import NameScope
from lapcat.frontend.sql.text import Text
from lapcat.plan.buckets import bucketed
from lapcat.plan.expressions import Expression, Literal, columns_of
from lapcat.plan.schema import Type

DEFAULT_BUCKETS = 20
MAX_BUCKETS = 10_000


def how_many(text: Text, node: exp.Expression, this: exp.Expression, constant: Literal | None) -> int:
    """The second argument of BUCKETS, or the default."""
    if constant is None:
        return DEFAULT_BUCKETS
    if (
        constant.type is Type.INTEGER
        and isinstance(constant.value, int)
        and 1 <= constant.value <= MAX_BUCKETS
    ):
        return constant.value
    raise BadQuery(
        "type-mismatch",
        f"BUCKETS(x, n) takes a whole number of buckets from 1 to {MAX_BUCKETS}",
        fix=f"BUCKETS({text.written(this)}, {DEFAULT_BUCKETS})",
        place=text.place(node),
    )


def buckets(
    text: Text, scope: NameScope, node: exp.Expression, this: exp.Expression, operand: Expression, number: int
) -> tuple[Expression, str]:
    """The lower end of the operand's bucket as an expression, and a note about the buckets."""
    written = text.written(this)
    if not operand.type.is_number and operand.type not in (Type.DATE, Type.TIMESTAMP):
        raise BadQuery(
            "type-mismatch",
            f"BUCKETS takes a number or a date, but this is a {operand.type}",
            fix=f"GROUP BY {written}, if its keys are declared",
            place=text.place(this),
        )
    result = bucketed(operand, number)
    if result is None:
        raise Refused(
            "bounds-missing",
            f"BUCKETS({written}) needs bounds for {written}",
            why="buckets from the smallest to the largest value would reveal who has these values",
            fix=_fix(text, scope, node, written, operand),
            place=text.place(node),
        )
    expression, width = result
    return expression, f"each bucket of {written} is {width} wide and shown by its lower end"


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
    return f"{ask}, where its column is declared"
