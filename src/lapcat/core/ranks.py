"""The public structure of a release of quantiles: the tree in which they are chosen, and the windows around the choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class RankNode:
    """A node of the tree: a quantile among the rows between two quantiles chosen before (None: no limit on that side)."""

    index: int
    target: Fraction
    """Its level within those rows."""
    left: int | None
    right: int | None

    @property
    def reach(self) -> Fraction:
        """Sensitivity of the score to a row of weight 1: #{below} − target · n changes by 1 − target, or by target."""
        return max(self.target, 1 - self.target)


@lru_cache(maxsize=64)
def levels_of(quantiles: tuple[Fraction, ...]) -> tuple[tuple[RankNode, ...], ...]:
    """The levels of the tree, as few as possible, each in ascending order. The root of every part is the quantile nearest
    to its middle, which costs least, if the rest still fits into the remaining levels.

    >>> [[branch.index for branch in level] for level in levels_of(tuple(Fraction(i, 6) for i in range(1, 6)))]
    [[2], [0, 3], [1, 4]]
    """
    parts, levels = [(0, len(quantiles))], []
    for below in range(len(quantiles).bit_length() - 1, -1, -1):
        level, rest = [], []
        for first, end in parts:
            left = first - 1 if first else None
            right = end if end < len(quantiles) else None
            low = Fraction(0) if left is None else quantiles[left]
            high = Fraction(1) if right is None else quantiles[right]
            room = 2**below - 1
            fitting = [
                RankNode(index, (quantiles[index] - low) / (high - low), left, right)
                for index in range(max(first, end - 1 - room), min(end, first + room + 1))
            ]
            chosen = min(fitting, key=lambda branch: branch.reach)
            level.append(chosen)
            middle = chosen.index
            rest += [part for part in ((first, middle), (middle + 1, end)) if part[0] < part[1]]
        levels.append(tuple(level))
        parts = rest
    return tuple(levels)


@lru_cache(maxsize=64)
def inherited(quantiles: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """For each quantile, the factor by which the squared rank error of its own choice enters the sum of all squared rank errors.

    A quantile t of the rows between two others inherits (1 − t) times the error of the lower one and t times the upper one's.

    >>> [str(times) for times in inherited(tuple(Fraction(i, 4) for i in (1, 2, 3)))]
    ['1', '3/2', '1']
    """
    parts: dict[int, dict[int, Fraction]] = {}
    for branch in (branch for level in levels_of(quantiles) for branch in level):
        own = {branch.index: Fraction(1)}
        for other, share in ((branch.left, 1 - branch.target), (branch.right, branch.target)):
            for index, part in parts.get(other, {}).items() if other is not None else ():
                own[index] = own.get(index, Fraction(0)) + share * part
        parts[branch.index] = own
    return tuple(
        sum((own.get(i, Fraction(0)) ** 2 for own in parts.values()), Fraction(0))
        for i in range(len(quantiles))
    )


def window_edges(picks: Sequence[int], places: int) -> list[int]:
    """Edges of the windows around the (ascending) picks; the windows are adjacent and cover all places.

    Each pick is a window of its own. Away from it window widths double, up to the first or last place, or halfway to the
    next pick. The number of windows depends only on the number of picks and places; some are empty.

    >>> window_edges([5], 16)
    [0, 0, 0, 2, 4, 5, 6, 7, 9, 13, 16, 16]
    """
    steps = [2**power - 1 for power in range(places.bit_length() + 1)]
    edges = [0]
    for position, pick in enumerate(picks):
        start = edges[-1]
        stop = max(pick, start)  # a pick may equal the one before it: nothing lies between them
        near = stop - start if position == 0 else (stop - start + 1) // 2
        if position:
            edges += [start + min(step, stop - near - start) for step in steps[1:]]
        edges += [stop - min(step, near) for step in reversed(steps)][1:]
        edges.append(max(pick + 1, start))
    last = edges[-1]
    return edges + [last + min(step, places - last) for step in steps[1:]]
