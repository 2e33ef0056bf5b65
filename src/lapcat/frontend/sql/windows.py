"""Window functions over the answer: which one a call is, its frame, and where SUM(COUNT(*)) OVER (…) is a running total.

They read only released numbers, so they are free. A running total along a public number or date, and its share, is an
aggregate of its own (`plan/aggregates/running.py`), because the noise of a sum of counts is known more closely than the
intervals of its parts say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from lapcat.frontend.sql.keys import Grouping
from lapcat.frontend.sql.text import Text
from lapcat.plan.aggregates.running import Window
from lapcat.plan.nodes import GroupKey
from lapcat.plan.schema import Type
from lapcat.plan.windows import WHOLE, Frame

ORDERED = (Type.INTEGER, Type.FLOAT, Type.DATE, Type.TIMESTAMP)
MAX_OFFSET = 1_000
"""The largest number of rows before or after the current one in a frame: each is one more pass over the answer."""

Place = Callable[[exp.Expression], int | None]
"""The position of the group key that an expression refers to."""

RANKINGS: dict[type[exp.Expression], str] = {
    exp.RowNumber: "row_number",
    exp.Rank: "rank",
    exp.DenseRank: "dense_rank",
    exp.PercentRank: "percent_rank",
    exp.CumeDist: "cume_dist",
    exp.Ntile: "ntile",
}
OF_VALUES: dict[type[exp.Expression], str] = {
    exp.Lag: "lag",
    exp.Lead: "lead",
    exp.FirstValue: "first_value",
    exp.LastValue: "last_value",
    exp.NthValue: "nth_value",
    exp.Sum: "sum",
    exp.Avg: "avg",
    exp.Min: "min",
    exp.Max: "max",
    exp.Count: "count",
}


# ------------------------------------------------------------------------------------------------ running totals


def is_quotient(node: exp.Expression) -> bool:
    """Whether it divides one window by another, which may be a share."""
    return isinstance(node, exp.Div) and all(
        isinstance(part, exp.Window) for part in (node.this, node.expression)
    )


def counts_of(node: exp.Window) -> exp.Expression | None:
    """The COUNT inside SUM(COUNT(*)) OVER (…); None for any other window function."""
    total = node.this
    inside = total.this if isinstance(total, exp.Sum) else None
    count = inside.this if isinstance(inside, exp.Filter) else inside
    is_count = isinstance(count, exp.Count) and not isinstance(count.this, exp.Distinct)
    return inside if is_count and isinstance(inside, exp.Expression) else None


def running_window(text: Text, node: exp.Window, grouping: Grouping, place: Place) -> Window | None:
    """Which cells are added up for each cell; None where the cells depend on more than public numbers and dates."""
    parts, order = node.args.get("partition_by") or [], node.args.get("order")
    if node.args.get("spec") is not None or grouping.sets:
        return None
    kept = [place(part) for part in parts]
    if None in kept or any(key.is_private and n not in kept for n, key in enumerate(grouping.keys)):
        return None
    declared = [position for position, key in enumerate(grouping.keys) if not key.is_private]
    sizes = tuple(grouping.keys[position].size for position in declared)
    chosen = tuple(sorted({declared.index(position) for position in kept if position in declared}))
    if order is None:
        return Window(sizes, chosen)
    (nodes,) = text.consume(order, "expressions")
    assert isinstance(nodes, list)
    position = place(nodes[0].this) if len(nodes) == 1 else None
    if position is None or position in kept:
        return None
    key = grouping.keys[position]
    if key.is_private or key.type not in ORDERED or key.other:
        return None
    return Window(sizes, chosen, declared.index(position), _listing(key, bool(nodes[0].args.get("desc"))))


def _listing(key: GroupKey, descending: bool) -> tuple[int, ...] | None:
    """The positions of the values in sorted order; None if they are listed in that order."""
    values: Sequence[object] = key.values or ()
    order = sorted(range(len(values)), key=values.__getitem__, reverse=descending)  # type: ignore[arg-type]
    return None if order == list(range(len(values))) else tuple(order)


# ------------------------------------------------------------------------------------------------ any window


def named_windows(select: exp.Select) -> None:
    """Writes the windows of a WINDOW clause where they are used: `OVER w` as `OVER (PARTITION BY …)`."""
    windows = {str(window.name).casefold(): window for window in select.args.get("windows") or []}
    for node in list(select.find_all(exp.Window)):
        alias = node.args.get("alias")
        window = windows.get(alias.name.casefold()) if isinstance(alias, exp.Identifier) else None
        if window is None or node is window or any(window.args.get(key) for key in ("alias", "spec")):
            continue
        if not any(node.args.get(key) and window.args.get(key) for key in ("partition_by", "order")):
            for key in ("partition_by", "order"):
                given = window.args.get(key)
                if isinstance(given, list):
                    node.set(key, [part.copy() for part in given])
                elif given is not None:
                    node.set(key, given.copy())
            node.set("alias", None)
    select.set("windows", None)


def frame_of(text: Text, spec: object, *, ordered: bool) -> Frame:
    """The frame of a window: as SQL has it without ROWS or RANGE, all rows, or all rows up to the current one's peers."""
    if not isinstance(spec, exp.WindowSpec):
        return Frame(None, 0, peers=True) if ordered else WHOLE
    kind, start, before, stop, behind = text.consume(spec, "kind", "start", "start_side", "end", "end_side")
    first = _end(text, spec, start, before)
    last = 0 if stop is None else _end(text, spec, stop, behind)
    if kind == "RANGE" and {first, last} <= {None, 0}:
        return WHOLE if first is last is None or not ordered else Frame(first, last, peers=True)
    if kind != "ROWS" or (first is not None and last is not None and first > last):
        raise text.unsupported(
            spec,
            "a frame of values (RANGE or GROUPS), or an empty one",
            "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW",
        )
    return Frame(first, last)


def _end(text: Text, spec: exp.WindowSpec, end: object, side: object) -> int | None:
    """An end of a frame as a number of rows from the current one; None: the end of the partition."""
    if end == "CURRENT ROW":
        return 0
    if end == "UNBOUNDED":
        return None
    number = str(end.this) if isinstance(end, exp.Literal) and not end.args.get("is_string") else ""
    if not number.isdigit() or int(number) > MAX_OFFSET:
        raise text.unsupported(
            spec,
            f"a frame of more than {MAX_OFFSET} rows, or of none",
            "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW",
        )
    return -int(number) if side == "PRECEDING" else int(number)
