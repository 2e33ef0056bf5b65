"""SUM(COUNT(*)) OVER (PARTITION BY … ORDER BY key): running totals over the groups of the answer.

It is the only supported window function. It reads only released counts, so it is free.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from lapcat.errors import BadQuery
from lapcat.frontend.sql.keys import Grouping
from lapcat.frontend.sql.text import Text
from lapcat.plan.aggregates.running import Window
from lapcat.plan.nodes import GroupKey
from lapcat.plan.schema import Type

ORDERED = (Type.INTEGER, Type.FLOAT, Type.DATE, Type.TIMESTAMP)

Place = Callable[[exp.Expression], int | None]
"""The position of the group key that an expression refers to."""


def is_quotient(node: exp.Expression) -> bool:
    """Whether it divides one window by another, which may be a share."""
    return isinstance(node, exp.Div) and all(
        isinstance(part, exp.Window) for part in (node.this, node.expression)
    )


def counts_of(text: Text, node: exp.Window, grouping: Grouping) -> exp.Expression:
    """The COUNT inside the window; any other window function is refused."""
    total = node.this
    inside = total.this if isinstance(total, exp.Sum) else None
    count = inside.this if isinstance(inside, exp.Filter) else inside
    if not isinstance(count, exp.Count) or isinstance(count.this, exp.Distinct):
        raise text.unsupported(
            node,
            "a window function",
            f"GROUP BY, for a number for each group; {_example(grouping)} adds up counts",
        )
    text.consume(total, "this")
    assert isinstance(inside, exp.Expression)
    return inside


def read_window(text: Text, node: exp.Window, grouping: Grouping, place: Place) -> Window:
    """The window: which cells are added up for each cell."""
    spec = node.args.get("spec")
    if isinstance(spec, exp.Expression):
        raise text.unsupported(
            node,
            "a window frame (ROWS, RANGE or GROUPS)",
            f"{_example(grouping)}, which adds up all groups before",
        )
    _, parts, order, over = text.consume(node, "this", "partition_by", "order", "over")
    if str(over).upper() != "OVER":
        raise text.unsupported(node, f"{over} of a window", _example(grouping))
    if grouping.sets:
        listed = ", ".join(key.name for key in grouping.keys)
        raise text.unsupported(
            node, "a running total with several grouping sets", f"GROUP BY {listed}, without totals"
        )
    kept = [_key(text, part, place) for part in parts] if isinstance(parts, list) else []
    for position, key in enumerate(grouping.keys):
        if key.is_private and position not in kept:
            raise text.unsupported(
                node,
                f"a total over the private groups of {key.name}, some of which are not shown",
                f"PARTITION BY {key.name}, which adds up within each",
            )
    declared = [position for position, key in enumerate(grouping.keys) if not key.is_private]
    sizes = tuple(grouping.keys[position].size for position in declared)
    chosen = tuple(sorted({declared.index(position) for position in kept if position in declared}))
    if not isinstance(order, exp.Expression):
        return Window(sizes, chosen)
    position, descending = _order(text, order, place)
    key = grouping.keys[position]
    if key.is_private or key.type not in ORDERED or key.other:
        raise text.unsupported(
            order,
            f"a running total along {key.name}, which is not a number or date with declared bounds or keys",
            "ORDER BY a number or a date that is grouped by",
        )
    if position in kept:
        raise text.unsupported(order, f"ORDER BY and PARTITION BY of {key.name} at once", _example(grouping))
    return Window(sizes, chosen, declared.index(position), _listing(key, descending))


def _example(grouping: Grouping) -> str:
    """An example of a running total along an ordered key of the question, if it has one."""
    keys = [key.name for key in grouping.keys if not key.is_private and key.type in ORDERED and not key.other]
    return f"SUM(COUNT(*)) OVER (ORDER BY {keys[0] if keys else '…'})"


def _key(text: Text, node: exp.Expression, place: Place) -> int:
    position = None if isinstance(node, exp.Literal) else place(node)
    if position is None:
        raise BadQuery(
            "not-grouped",
            f"{text.written(node)} is not in GROUP BY",
            why="a running total adds up groups of the answer",
            fix=f"add {text.written(node)} to GROUP BY",
            place=text.place(node),
        )
    return position


def _order(text: Text, order: exp.Expression, place: Place) -> tuple[int, bool]:
    (nodes,) = text.consume(order, "expressions")
    assert isinstance(nodes, list)
    if len(nodes) != 1:
        raise text.unsupported(order, "a running total along several keys at once", "ORDER BY one of them")
    this, descending, _ = text.consume(nodes[0], "this", "desc", "nulls_first")  # no group is NULL here
    assert isinstance(this, exp.Expression)
    return _key(text, this, place), bool(descending)


def _listing(key: GroupKey, descending: bool) -> tuple[int, ...] | None:
    """The positions of the values in sorted order; None if they are listed in that order."""
    values: Sequence[object] = key.values or ()
    order = sorted(range(len(values)), key=values.__getitem__, reverse=descending)  # type: ignore[arg-type]
    return None if order == list(range(len(values))) else tuple(order)
