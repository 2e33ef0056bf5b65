"""Categorical draws, vectorised: inversion by 64 bits of a uniform number, with more bits where they tie.

docs/proofs/choice.md, section "Categories", proves what the comments here claim.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.sampling.lazy import LazyUniform

PREFIX = 64  # bits of the uniform number that are drawn at once
LAST = (1 << PREFIX) - 1  # the last of the prefixes

# For a number of bits b: integers low[i] <= 2^b * c(i) <= high[i] around each cut c(i) = Pr[category <= i], i = 0, 1, ...
# up to the last but one category (the last cut is 1). Both lists are nondecreasing, and high[i] - low[i] is bounded.
Cuts = Callable[[int], tuple[list[int], list[int]]]


class Categories:
    """Draws category i if c(i - 1) <= U < c(i), with one uniform number U per draw; every comparison is exact."""

    __slots__ = ("_cuts", "_high", "_known", "_low")

    def __init__(self, cuts: Cuts) -> None:
        self._cuts = cuts
        self._known: dict[int, tuple[list[int], list[int]]] = {}
        low, high = self._at(PREFIX)
        # A bound of 2^64 does not fit a word; it is clipped to 2^64 - 1, and that prefix is always left open.
        self._low, self._high = (
            np.array([min(cut, LAST) for cut in cuts], np.uint64) for cuts in (low, high)
        )

    def draw(self, n: int, coins: CoinSource) -> NDArray[np.int64]:
        """n independent categories.

        >>> from lapcat.core.coins import system_coins
        >>> third = lambda bits: ([(1 << bits) // 3] * 2, [(1 << bits) // 3 + 1] * 2)
        >>> drawn = Categories(third).draw(1000, system_coins())  # 1/3, 0 and 2/3
        >>> sorted(set(drawn.tolist()))
        [0, 2]
        """
        if not len(self._low):
            return np.zeros(n, np.int64)
        prefix = coins.array(n, np.uint64)
        # certainly U < c(drawn), if there is such a cut
        drawn = np.searchsorted(self._low, prefix, side="right")
        at_least = np.searchsorted(self._high, prefix, side="right")  # certainly U >= c(at_least - 1)
        for i in np.flatnonzero((drawn != at_least) | (prefix == np.uint64(LAST))):
            drawn[i] = self._invert(LazyUniform(coins, int(prefix[i]), PREFIX))
        return drawn

    def _invert(self, uniform: LazyUniform) -> int:
        """The category of one uniform number, by bisection over its exact comparisons with the cuts."""
        low, high = 0, len(self._low)
        while low < high:
            middle = (low + high) // 2
            if uniform.is_below(lambda bits, i=middle: self._cut(i, bits)):  # type: ignore[misc]
                high = middle
            else:
                low = middle + 1
        return low

    def _cut(self, i: int, bits: int) -> tuple[int, int]:
        low, high = self._at(bits)
        return low[i], high[i]

    def _at(self, bits: int) -> tuple[list[int], list[int]]:
        if bits not in self._known:
            self._known[bits] = self._cuts(bits)
        return self._known[bits]
