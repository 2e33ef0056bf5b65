"""What a position or an alias stands for, and the bounds that a sum needs."""

from __future__ import annotations

import math
from collections.abc import Callable

from sqlglot import exp

from lapcat.errors import BadQuery, Refused
from lapcat.frontend.sql.scalars import Scalars
from lapcat.frontend.sql.scopes import Declared
from lapcat.frontend.sql.text import Text
from lapcat.plan.expressions import Expression, range_of
from lapcat.plan.grids import is_too_narrow
from lapcat.plan.words import toml_key


def referred(
    text: Text,
    node: exp.Expression,
    items: list[tuple[str | None, exp.Expression]],
    known: Callable[[exp.Column], bool] = lambda column: False,
) -> exp.Expression:
    """What GROUP BY 1, or GROUP BY alias, stands for."""
    if isinstance(node, exp.Literal) and not node.args.get("is_string"):
        position = int(node.this) if str(node.this).isdigit() else 0
        if not 1 <= position <= len(items):
            raise BadQuery(
                "group-position",
                f"there is no column {node.this} to group by",
                fix="GROUP BY 1",
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
    """A sum needs numbers in a known range."""
    written = text.written(this)
    called = node.sql_name() if isinstance(node, exp.Func) else node.key.upper()
    if not value.type.is_number:
        raise scalars.mismatch(this, f"{called} takes a number", f"a {value.type}")
    reach = range_of(value)
    if reach.bounded and max(abs(reach.low), abs(reach.high)) <= 2**62:
        require_width(text, node, written, value)
        return
    columns = list(this.find_all(exp.Column))
    found = scalars.scope.find(text, columns[0]).means if columns else None
    declare = ""
    if isinstance(found, Declared) and found.table != "the sub-query":
        declare = (
            f', or {toml_key(found.spec.name)} = {{ type = "{found.spec.type}", low = 0, high = 200000 }} '
            f"under [tables.{found.table}.columns]"
        )
    raise Refused(
        "bounds-missing",
        f"{called}({written}) needs bounds for {written}",
        why=f"without bounds, one person could move the {node.key} without limit",
        fix=f"CLAMP({written}, 0, 200000) in the question{declare}",
        place=text.place(node),
    )


def require_width(text: Text, node: exp.Expression, written: str, value: Expression) -> None:
    """A sum of squares needs values whose squares are doubles."""
    if not is_too_narrow(value):
        return
    reach = range_of(value)
    width = float(reach.high) - float(reach.low) or abs(float(reach.high))
    raise Refused(
        "bounds-narrow",
        f"the values of {written} lie within {width:.3g}, which is too narrow to compute with",
        why="floating-point numbers could not tell their squares from 0, so an answer would be wrong",
        fix=f"the same in a smaller unit of measure: ({written}) * 1e{min(300, math.ceil(-math.log10(width)))}",
        place=text.place(node),
    )
