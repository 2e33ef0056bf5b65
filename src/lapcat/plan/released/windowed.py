"""Window functions over the rows of an answer: their values, and the enclosures of those that are monotone.

Rows are sorted by partition and order; a frame is then a run of neighbouring rows. Sums over runs are made in one of three
ways, none of which subtracts: all of a partition at once, accumulated from one of its ends, or offset by offset.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lapcat.plan.released.enclosures import Enclosure
from lapcat.plan.released.vectors import INTEGER_END, Flags, Vector
from lapcat.plan.schema import Type
from lapcat.plan.windows import Frame, Order, WindowFunction

Places = npt.NDArray[np.intp]
Numbers = npt.NDArray[Any]
EXACT = 2.0**53
_REDUCE: dict[str, Any] = {"sum": np.add, "min": np.minimum, "max": np.maximum}


def sort_ranks(vector: Vector, order: Order) -> Places:
    """Whole numbers in the order of the values, equal for equal ones; NULLs come where the order says."""
    present = ~vector.null
    ranks = np.zeros(len(present), dtype=np.intp)
    if present.any():
        inverse = np.unique(vector.data[present], return_inverse=True)[1]
        ranks[present] = (inverse.max() - inverse if order.descending else inverse) + 1
    if not order.nulls_first:
        ranks[~present] = len(ranks) + 1
    return ranks


class Partitions:
    """The rows in the order of their partitions, and within each in the order of ORDER BY."""

    def __init__(self, rows: int, parts: Sequence[Places], order: Sequence[Places]) -> None:
        kinds = np.zeros(rows, dtype=np.intp)
        for ranks in parts:
            kinds = np.unique(kinds * (rows + 2) + ranks, return_inverse=True)[1]
        self.rows = rows
        self.sorted: Places = np.lexsort((np.arange(rows), *reversed(order), kinds))
        """The row at each place."""
        self.place = np.arange(rows)
        self.first, self.last = _runs([kinds[self.sorted]], rows)
        """The first and last place of each place's partition."""
        peers = [kinds[self.sorted], *(ranks[self.sorted] for ranks in order)]
        self.peer_first, self.peer_last = _runs(peers, rows)

    def bounds(self, frame: Frame) -> tuple[Places, Places]:
        """The first and last place of each frame; none where the first is beyond the last."""
        low = self.first if frame.start is None else self.place + frame.start
        high = self.last if frame.stop is None else self.place + frame.stop
        if frame.peers:
            low = low if frame.start is None else self.peer_first
            high = high if frame.stop is None else self.peer_last
        return np.maximum(low, self.first), np.minimum(high, self.last)

    def reduced(self, how: str, values: Numbers, frame: Frame, nothing: Any) -> Numbers:
        """The sum, minimum or maximum of the values in each place's frame; `nothing` for an empty frame."""
        combine = _REDUCE[how]
        if not self.rows:
            return values
        starts = np.flatnonzero(self.first == self.place)
        low, high = self.bounds(frame)
        if frame.start is None and frame.stop is None:
            whole = combine.reduceat(values, starts)
            return np.asarray(np.repeat(whole, np.diff(np.append(starts, self.rows))))
        if frame.start is None or frame.stop is None:
            result = np.empty_like(values)
            step = 1 if frame.start is None else -1
            for start, stop in zip(starts, np.append(starts[1:], self.rows), strict=True):
                result[start:stop] = combine.accumulate(values[start:stop][::step])[::step]
            end = high if frame.start is None else low
            return np.where(low <= high, result[np.clip(end, 0, self.rows - 1)], nothing)
        result = np.full_like(values, nothing)
        longest = int((self.last - self.first).max())
        if frame.peers:  # all rows that are equal in the order
            starts = np.flatnonzero(self.peer_first == self.place)
            whole = combine.reduceat(values, starts)
            return np.asarray(np.repeat(whole, np.diff(np.append(starts, self.rows))))
        for offset in range(max(frame.start, -longest), min(frame.stop, longest) + 1):
            place = self.place + offset
            inside = (place >= self.first) & (place <= self.last)
            result = combine(result, np.where(inside, values[np.clip(place, 0, self.rows - 1)], nothing))
        return np.asarray(result)

    def unsorted(self, values: Numbers) -> Numbers:
        result = np.empty_like(values)
        result[self.sorted] = values
        return result


def _runs(kinds: Sequence[Places], rows: int) -> tuple[Places, Places]:
    """The first and last place of the run of equal kinds around each place."""
    starts = np.zeros(rows, dtype=np.bool_)
    starts[:1] = True
    for kind in kinds:
        starts[1:] |= kind[1:] != kind[:-1]
    begins = np.flatnonzero(starts)
    lengths = np.diff(np.append(begins, rows))
    return np.repeat(begins, lengths), np.repeat(begins + lengths - 1, lengths)


def window_value(
    function: WindowFunction, rows: Partitions, operand: Vector | None, default: Vector | None
) -> Vector:
    """The value in every row."""
    with np.errstate(all="ignore"):
        data, null = _value(function, rows, operand, default)
    return Vector(rows.unsorted(data), rows.unsorted(np.broadcast_to(null, rows.rows)))


def _value(
    function: WindowFunction, rows: Partitions, operand: Vector | None, default: Vector | None
) -> tuple[Numbers, Flags]:
    place, first, size = rows.place - rows.first, rows.first, rows.last - rows.first + 1
    never = np.zeros(rows.rows, dtype=np.bool_)
    match function.name:
        case "row_number":
            return (place + 1).astype(np.int64), never
        case "rank":
            return (rows.peer_first - first + 1).astype(np.int64), never
        case "dense_rank":
            number = np.cumsum(rows.peer_first == rows.place)
            return (number - (number[first] if rows.rows else number) + 1).astype(np.int64), never
        case "percent_rank":
            return (rows.peer_first - first) / np.maximum(size - 1, 1), never
        case "cume_dist":
            return (rows.peer_last - first + 1) / size, never
        case "ntile":
            return _tile(place, size, function.number), never
        case "count":
            there = (
                np.ones(rows.rows, np.int64)
                if operand is None
                else (~operand.null[rows.sorted]).astype(np.int64)
            )
            return rows.reduced("sum", there, function.frame, 0), never
    assert operand is not None
    data, null = operand.data[rows.sorted], operand.null[rows.sorted]
    if function.name in ("sum", "avg", "min", "max"):
        return _reduced(function, rows, data, null)
    at, inside = _target(function, rows)
    value, absent = data[at], null[at]
    if default is None:
        return value, absent | ~inside
    other, missing = default.data[rows.sorted], default.null[rows.sorted]
    return np.where(inside, value, other), np.where(inside, absent, missing)


def _tile(place: Places, size: Places, tiles: int) -> Numbers:
    """The first rows, one more in each tile, then the others."""
    small, larger = size // tiles, size % tiles
    border = larger * (small + 1)
    among_larger = place // (small + 1)
    among_others = larger + (place - border) // np.maximum(small, 1)
    return np.where(place < border, among_larger, among_others).astype(np.int64) + 1


def _target(function: WindowFunction, rows: Partitions) -> tuple[Places, Flags]:
    """The place that LAG, FIRST_VALUE and the like read, and whether there is one."""
    low, high = rows.bounds(function.frame)
    match function.name:
        case "lag" | "lead":
            at = rows.place + (function.number if function.name == "lead" else -function.number)
            low, high = rows.first, rows.last
        case "last_value":
            at = high
        case _:
            at = low + (function.number - 1 if function.name == "nth_value" else 0)
    inside = (at >= low) & (at <= high)
    return np.where(inside, at, rows.place), inside


def _reduced(function: WindowFunction, rows: Partitions, data: Numbers, null: Flags) -> tuple[Numbers, Flags]:
    there = rows.reduced("sum", (~null).astype(np.int64), function.frame, 0)
    if function.name in ("min", "max"):  # by ranks, which texts and dates have too
        values, ranks = np.unique(data[~null], return_inverse=True)
        worst = len(values) if function.name == "min" else -1
        filled = np.full(len(data), worst)
        filled[~null] = ranks
        at = rows.reduced(function.name, filled, function.frame, worst)
        if not len(values):
            return data, np.ones_like(null)
        return values[np.clip(at, 0, len(values) - 1)], there == 0
    near = rows.reduced("sum", np.where(null, 0, data).astype(np.float64), function.frame, 0.0)
    if function.name == "avg":
        mean = near / np.maximum(there, 1)
        return mean, (there == 0) | np.isnan(mean)
    if function.type is Type.INTEGER:
        total = rows.reduced("sum", np.where(null, 0, data), function.frame, 0)
        return total, (there == 0) | (np.abs(near) >= INTEGER_END)
    return near, (there == 0) | np.isnan(near)


# ------------------------------------------------------------------------------------------------ enclosures


def window_enclosure(
    function: WindowFunction, rows: Partitions, operand: Enclosure, default: Enclosure | None
) -> Enclosure:
    """The enclosure of LAG, SUM and the like, whose rows are public."""
    with np.errstate(all="ignore"):
        ends = _spread(operand, rows)
        if function.name in ("sum", "avg", "min", "max"):
            result = _reduced_ends(function, rows, ends)
        else:
            result = _target_ends(function, rows, ends, None if default is None else _spread(default, rows))
    return Enclosure(rows.unsorted(result.low), rows.unsorted(result.high), rows.unsorted(result.null))


def _spread(ends: Enclosure, rows: Partitions) -> Enclosure:
    def placed(part: Numbers) -> Numbers:
        return np.broadcast_to(part, rows.rows)[rows.sorted]

    return Enclosure(placed(ends.low), placed(ends.high), placed(ends.null))


def _target_ends(
    function: WindowFunction, rows: Partitions, ends: Enclosure, default: Enclosure | None
) -> Enclosure:
    at, inside = _target(function, rows)
    if default is None:
        nowhere = np.full(rows.rows, np.inf)
        default = Enclosure(nowhere, -nowhere, np.ones(rows.rows, dtype=np.bool_))
    return Enclosure(
        np.where(inside, ends.low[at], default.low),
        np.where(inside, ends.high[at], default.high),
        np.where(inside, ends.null[at], default.null),
    )


def _reduced_ends(function: WindowFunction, rows: Partitions, ends: Enclosure) -> Enclosure:
    """NULLs are ignored: a value that may be NULL may also add nothing."""

    def total(values: Numbers) -> Numbers:
        return rows.reduced("sum", values, function.frame, 0)

    surely = total((~ends.null).astype(np.int64))
    possibly = total((~ends.none).astype(np.int64))
    least = rows.reduced("min", np.where(ends.none, np.inf, ends.low), function.frame, np.inf)
    greatest = rows.reduced("max", np.where(ends.none, -np.inf, ends.high), function.frame, -np.inf)
    none, null = possibly == 0, surely == 0
    certain = surely == total(np.ones(rows.rows, dtype=np.int64))
    low, high = least, greatest
    if function.name in ("min", "max"):
        if function.name == "min":
            high = np.where(certain, rows.reduced("min", ends.high, function.frame, np.inf), greatest)
        else:
            low = np.where(certain, rows.reduced("max", ends.low, function.frame, -np.inf), least)
        return Enclosure(np.where(none, np.inf, low), np.where(none, -np.inf, high), null)
    bottom = np.where(ends.none, 0.0, np.where(ends.null, np.minimum(ends.low, 0.0), ends.low))
    top = np.where(ends.none, 0.0, np.where(ends.null, np.maximum(ends.high, 0.0), ends.high))
    low, high, size = total(bottom), total(top), total(np.maximum(np.abs(bottom), np.abs(top)))
    slack = np.where(
        size < EXACT if function.type is Type.INTEGER else False, 0.0, size * (possibly + 2) * 2.0**-51
    )
    low, high = low - slack, high + slack
    if function.name == "avg":
        low = np.where(certain, low / np.maximum(surely, 1), least)
        high = np.where(certain, high / np.maximum(surely, 1), greatest)
    elif function.type is Type.INTEGER:
        low, high = np.floor(low), np.ceil(high)
        null = null | (low <= -INTEGER_END) | (high >= INTEGER_END)
    endless = ~(np.isfinite(low) & np.isfinite(high))
    low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    return Enclosure(np.where(none, np.inf, low), np.where(none, -np.inf, high), null | endless)
