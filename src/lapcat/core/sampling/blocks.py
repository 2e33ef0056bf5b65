"""Integers >= 0 from a given law, vectorised: exact inversion by a table, with unbounded support.

docs/proofs/sampler.md, sections "The table" and "The guide", proves what the comments here claim.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.exact import exp_bounds
from lapcat.core.sampling.lazy import LazyUniform

PREFIX = 64  # bits of the uniform number that the table is compared with
GUIDE = 16  # bits of it that decide almost all draws by one table access
WORKING = 128  # bits of the products from which the table is built
LARGEST = (1 << 63) - 1  # of an int64

_CELL = PREFIX - GUIDE
_OPEN = -1  # in the guide: these 16 bits do not decide


class Survival(Protocol):
    """The law of an integer H >= 0, by bounds of Pr[H > h]."""

    def bounds(self, h: int, bits: int) -> tuple[int, int]:
        """Integers low <= 2^bits * Pr[H > h] <= high, with high - low bounded for all h and bits."""
        ...

    def table(self) -> tuple[list[int], list[int]]:
        """(lower, upper), lower[h] <= 2^64 * Pr[H > h] <= upper[h], up to the first h with upper[h] <= 1."""
        ...


@dataclass(frozen=True, slots=True)
class Tail:
    """The law of an integer H >= 0 by Pr[H > h] = e^-(h+1)x, or, if folded, by 2 * e^-(h+1)x / (1 + e^-x).

    The first is the geometric law; the second is that of |Z| where Pr[Z = z] is proportional to e^-|z|x on all integers.
    """

    x: Fraction
    folded: bool

    def bounds(self, h: int, bits: int) -> tuple[int, int]:
        """Integers low <= 2^bits * Pr[H > h] <= high, with high - low <= 2."""
        if not self.folded:
            return exp_bounds((h + 1) * self.x, bits)
        guard = 6
        unit = 1 << (bits + guard)
        low, high = exp_bounds((h + 1) * self.x, bits + guard)
        q_low, q_high = exp_bounds(self.x, bits + guard)
        return (2 * low * unit // (unit + q_high)) >> guard, -((-2 * high * unit // (unit + q_low)) >> guard)

    def table(self) -> tuple[list[int], list[int]]:
        """lower[h] <= 2^64 * Pr[H > h] <= upper[h], up to the first h with upper[h] <= 1: only the prefix 0 is below that."""
        q_low, q_high = exp_bounds(self.x, WORKING)
        low, high = self.bounds(0, WORKING)
        lower, upper = [], []
        while True:
            lower.append(low >> (WORKING - PREFIX))
            upper.append(-(-high >> (WORKING - PREFIX)))
            if upper[-1] <= 1:
                return lower, upper
            low, high = low * q_low >> WORKING, -(-high * q_high >> WORKING)


def invert(law: Survival, uniform: LazyUniform) -> int:
    """The h for which Pr[H > h] <= U < Pr[H > h - 1]: any h, however large.

    All comparisons are about the same U, so the order of the search does not matter.
    """

    def beyond(h: int) -> bool:
        return uniform.is_below(partial(law.bounds, h))

    reach = 1
    while beyond(reach - 1):
        reach *= 2
    low, high = reach // 2, reach - 1
    while low < high:
        middle = (low + high) // 2
        if beyond(middle):
            low = middle + 1
        else:
            high = middle
    return low


class BlockTable:
    """Draws H by comparing 64 bits of a uniform number with bounds of 2^64 * Pr[H > h].

    The bounds enclose the true numbers, each product having been rounded outwards; where the bits fall between them,
    or below the last entry, the same bits are continued with big integers. So the law is exact for every h.
    """

    __slots__ = ("_guide", "_lower_ascending", "_upper", "tail")

    def __init__(self, tail: Survival) -> None:
        self.tail = tail
        lower, upper = tail.table()
        if len(upper) > np.iinfo(np.int16).max:
            raise ValueError(f"{tail}: a table of {len(upper)} blocks is too long for its guide")
        self._guide = self._guided(lower, upper)
        self._lower_ascending = np.array(lower[::-1], np.uint64)
        self._upper = np.array(upper, np.uint64)

    def __len__(self) -> int:
        """Number of h in the table; larger draws come from `invert`."""
        return len(self._upper)

    @staticmethod
    def _guided(lower: list[int], upper: list[int]) -> NDArray[np.int16]:
        """For each 16-bit prefix the h that it determines whatever bits follow, else _OPEN."""
        guide = np.full(1 << GUIDE, _OPEN, np.int16)
        end = 1 << GUIDE
        for h, (low, high) in enumerate(zip(lower, upper, strict=True)):
            start = -(-high >> _CELL)
            if start < end:
                guide[start:end] = h
            end = low >> _CELL
            if not end:
                break
        return guide

    def draw(self, n: int, coins: CoinSource) -> NDArray[np.int64]:
        """n independent draws, clipped to 2^63 - 1."""
        cells = coins.array(n, np.uint16)
        decided = self._guide.take(cells)
        still_open = np.flatnonzero(decided == _OPEN)
        drawn = decided.astype(np.int64)
        if len(still_open):
            drawn[still_open] = self._searched(cells[still_open], coins)
        return drawn

    def _searched(self, cells: NDArray[np.uint16], coins: CoinSource) -> NDArray[np.int64]:
        """The draws whose first 16 bits, `cells`, did not decide."""
        prefix = cells.astype(np.uint64) << np.uint64(_CELL)
        prefix |= coins.array(len(cells), np.uint64) >> np.uint64(GUIDE)
        size = len(self._upper)
        drawn = size - np.searchsorted(self._lower_ascending, prefix, side="right")  # certainly H >= this
        undecided = prefix < self._upper[np.minimum(drawn, size - 1)]  # not certainly H <= this
        for i in np.flatnonzero(undecided | (drawn == size)):
            uniform = LazyUniform(coins, int(prefix[i]), PREFIX)
            drawn[i] = min(invert(self.tail, uniform), LARGEST)
        return drawn
