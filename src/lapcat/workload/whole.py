"""Consistent rounding: integer counts that still add up, from fractional estimates of a strategy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def along_a_line(cells: Floats) -> Integers:
    """Integer cells whose prefix sums are the rounded prefix sums of the given ones.

    So every range differs from its estimate by at most 1.

    >>> along_a_line(np.array([0.4, 0.4, 0.4])).tolist()
    [0, 1, 0]
    """
    totals = np.rint(np.cumsum(cells)).astype(np.int64)
    return np.concatenate([totals[:1], totals[1:] - totals[:-1]])


def below(parents: Integers, children: Floats) -> Integers:
    """Integer children that add up to their integer parents: each is rounded down or up.

    Theorem: if each parent is one of the two whole numbers around the sum of its children, so is each child around what it
             was.
    Proof:   let f be the sum of the children's fractions. The parent less the children rounded down is ⌊f⌋ or ⌈f⌉, which is
             at most the number of children that have a fraction, and that number of them, those of the largest, are rounded up.

    >>> below(np.array([3]), np.array([[0.6, 1.7, 0.6]])).tolist()
    [[1, 2, 0]]
    """
    down = np.floor(children)
    missing = np.clip(parents - down.sum(axis=1), 0, children.shape[1]).astype(np.int64)
    order = np.argsort(down - children, axis=1, kind="stable")
    ranks = np.argsort(order, axis=1, kind="stable")
    return np.asarray(down + (ranks < missing[:, None]), np.int64)


def nested(tables: Sequence[tuple[tuple[int, ...], Floats]]) -> list[Integers] | None:
    """Integer tables that add up, given tables with their axes; None if they are not a chain of nested tables."""
    order = sorted(range(len(tables)), key=lambda n: len(tables[n][0]))
    rounded_tables: dict[int, Integers] = {}
    above: tuple[tuple[int, ...], Integers] | None = None
    for n in order:
        axes, table = tables[n]
        if above is None:
            whole = np.rint(table).astype(np.int64)
        else:
            parents = above[0]
            if not set(parents) < set(axes):
                return None
            first = [axes.index(axis) for axis in parents]
            last = [position for position in range(len(axes)) if position not in first]
            moved = table.transpose([*first, *last])
            rounded = below(above[1].reshape(-1), moved.reshape(above[1].size, -1))
            whole = rounded.reshape(moved.shape).transpose(np.argsort([*first, *last]))
        rounded_tables[n] = whole
        above = axes, whole
    return [rounded_tables[n] for n in range(len(tables))]
