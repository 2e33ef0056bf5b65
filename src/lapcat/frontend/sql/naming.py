"""GROUP BY positions and aliases, and the bounds that a sum needs."""

from __future__ import annotations

import math
from collections.abc import Callable

from sqlglot import exp

from lapcat.errors import BadQuery, Refused
from lapcat.frontend.sql.scalars import Scalars
from lapcat.frontend.sql.scopes import DeclaredColumn
from lapcat.frontend.sql.text import Text
from lapcat.plan.expressions import Expression, range_of
from lapcat.plan.grids import is_too_narrow
from lapcat.plan.schema import Type


def referred(
    text: Text,
    node: exp.Expression,
    items: list[tuple[str | None, exp.Expression]],
    known: Callable[[exp.Column], bool] = lambda column: False,
) -> exp.Expression:
    """The expression that GROUP BY 1, or GROUP BY alias, refers to."""
    if isinstance(node, exp.Literal) and not node.args.get("is_string"):
        position = int(node.this) if str(node.this).isdigit() else 0
        if not 1 <= position <= len(items):
            raise BadQuery(
                "group-position",
                f"GROUP BY {node.this} is not the position of a column",
                fix=f"GROUP BY a column from 1 to {len(items)}, such as GROUP BY 1",
                place=text.place(node),
            )
        return items[position - 1][1]
    if isinstance(node, exp.Column) and not node.table and not known(node):
        for name, meant in items:
            if name is not None and name.casefold() == node.name.casefold():
                return meant
    return node


def require_bounds(
    text: Text, scalars: Scalars, node: exp.Expression, this: exp.Expression, value: Expression
) -> None:
    """Refuses a sum of values without a known range."""
    written = text.written(this)
    called = text.called(node)
    if not value.type.is_number:
        raise scalars.mismatch(
            this, f"{called} takes a number", f"a {value.type}", numbers_of(text, called, this, value)
        )
    reach = range_of(value)
    if reach.bounded and max(abs(reach.low), abs(reach.high)) <= 2**62:
        require_width(text, node, written, value)
        return
    columns = list(this.find_all(exp.Column))
    declared = scalars.scope.find(text, columns[0]).means if columns else None
    declare = ""
    if isinstance(declared, DeclaredColumn) and this is columns[0] and declared.usual is not None:
        low, high = (f"{float(end):.15g}" for end in declared.usual)
        fix = f"CLAMP({written}, {low}, {high}): the range for rows_per_unit rows within their bounds"
    else:
        if isinstance(declared, DeclaredColumn) and declared.table != "the sub-query":
            declare = f", or {text.declaring.bounds(declared.table, declared.spec.name, declared.spec.type)}"
        fix = f"give the bounds of {written}, as you know them: CLAMP({written}, LOW, HIGH) in the question{declare}"
    raise Refused(
        "bounds-missing",
        f"{called}({written}) needs bounds for {written}",
        why=f"without bounds, one person could move {called} without limit",
        fix=fix,
        place=text.place(node),
    )


def require_width(text: Text, node: exp.Expression, written: str, value: Expression) -> None:
    """Refuses values so close together that their squares underflow in doubles."""
    if not is_too_narrow(value):
        return
    reach = range_of(value)
    width = float(reach.high) - float(reach.low) or abs(float(reach.high))
    factor = f"1e{min(300, math.ceil(-math.log10(width)))}"
    scaled, call = f"({written}) * {factor}", text.written(node)
    if call.endswith(f"({written})"):  # one argument: the answer is scaled back
        scaled = f"{call.removesuffix(f'({written})')}({scaled}) / {factor}"
        scaled += f" / {factor}" if isinstance(node, (exp.Variance, exp.VariancePop)) else ""
    raise Refused(
        "bounds-narrow",
        f"the range of {written} is {width:.3g}, too narrow to compute with",
        why="squares of such values underflow to 0 in floating point, so the answer would be wrong",
        fix=f"the same, measured in a smaller unit: {scaled}",
        place=text.place(node),
    )


def numbers_of(text: Text, called: str, this: exp.Expression, value: Expression) -> str:
    """A rewrite of an aggregate of a column that is not numeric."""
    written = text.quoted(this)
    if value.type in (Type.DATE, Type.TIMESTAMP):
        return f"{called}(DATE_DIFF('day', DATE '1970-01-01', {written})), in days since then"
    fix = f"{called}(CLAMP(CAST({written} AS DOUBLE), LOW, HIGH)) if it holds numbers"
    if text.declaring.in_python and isinstance(this, exp.Column):
        dates = text.declaring.argument(f"types={{{this.name!r}: 'date'}}")
        fix += f"; if it holds dates, {dates}"
    return fix
