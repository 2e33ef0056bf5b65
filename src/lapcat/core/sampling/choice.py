"""The exact sampler of the exponential mechanism: probability proportional to e^(rate * score).

No float, no truncation, no delta. docs/proofs/choice.md proves the law.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.exact import exp_bounds
from lapcat.core.sampling.categorical import Categories
from lapcat.core.sampling.decay import bernoulli_decay
from lapcat.core.sampling.uniform import uniform_below

# of gaps; all larger gaps share one more bin. With m candidates it has less than m * e^-96 of the weight
BINS = 192
WIDEST_BIN = 62  # bits of a gap that a bin may span, for any rate

Choice = Callable[[Fraction, NDArray[np.int64], int, CoinSource], NDArray[np.int64]]
"""A sampler of choices: (rate, scores, n, coins) to n indices."""


def exponential_choice(
    rate: Fraction, scores: NDArray[np.int64], n: int, coins: CoinSource
) -> NDArray[np.int64]:
    """n independent indices, each drawn with probability proportional to e^(rate * score).

    Rejection sampling. The gap of a candidate is the best score minus its own. Candidates with similar gaps share a bin.
    A bin is drawn as if all its members had its smallest gap, then a uniform member, which is accepted with probability
    e^(-rate * (its gap - the smallest)); otherwise all is drawn again.

    >>> from lapcat.core.coins import system_coins
    >>> exponential_choice(Fraction(1), np.array([0, 1000, -5]), 3, system_coins()).tolist()
    [1, 1, 1]
    """
    gaps = gaps_below_best(scores)
    shift = bin_bits(rate)
    bins = np.minimum(gaps >> np.uint64(shift), np.uint64(BINS)).astype(np.uint8)
    counts = np.bincount(bins, minlength=BINS + 1)
    held = np.flatnonzero(counts)
    sizes = counts[held].tolist()
    table = Categories(partial(_cuts, rate * (1 << shift), held.tolist(), sizes))
    members = _Members(bins, held, sizes, n)
    chosen = np.empty(n, np.int64)
    again = np.arange(n)
    while len(again):
        drawn = table.draw(len(again), coins)
        members_drawn = members.draw(drawn, coins)
        chosen[again] = members_drawn
        excess = gaps[members_drawn] - (held[drawn].astype(np.uint64) << np.uint64(shift))
        again = again[~bernoulli_decay(rate, excess, coins)]
    return chosen


def peeled(
    choice: Choice, rate: Fraction, scores: NDArray[np.int64], picks: int, coins: CoinSource
) -> tuple[int, ...]:
    """`picks` different indices, each chosen from the remaining ones (peeling).

    >>> from lapcat.core.coins import system_coins
    >>> peeled(exponential_choice, Fraction(1000), np.array([3, 5, 1]), 2, system_coins())
    (1, 0)
    """
    left = np.arange(len(scores))
    taken = []
    for _ in range(picks):
        place = int(choice(rate, scores[left], 1, coins)[0])
        taken.append(int(left[place]))
        left = np.delete(left, place)
    return tuple(taken)


def gaps_below_best(scores: NDArray[np.int64]) -> NDArray[np.uint64]:
    """max(scores) - score, for each score: below 2^64, so unsigned arithmetic is exact although int64 might wrap around.

    >>> gaps_below_best(np.array([2**63 - 1, -(2**63)])).tolist() == [0, 2**64 - 1]
    True
    """
    if scores.dtype != np.int64:
        raise TypeError(f"scores are int64, not {scores.dtype}")
    words = scores.view(np.uint64)
    gaps: NDArray[np.uint64] = words[scores.argmax()] - words
    return gaps


def bin_bits(rate: Fraction) -> int:
    """The largest k with rate * 2^k <= 1, in 0 .. 62: a bin spans 2^k gaps, so that its members are accepted often."""
    return min(max(0, ((1 / rate) // 1).bit_length() - 1), WIDEST_BIN)


def _cuts(x: Fraction, bins: list[int], sizes: list[int], bits: int) -> tuple[list[int], list[int]]:
    """Bounds of 2^bits * Pr[bin <= j] for each bin but the last, where bin j weighs size * e^(-j * x)."""
    working = bits + sum(sizes).bit_length() + 4
    bounds = [exp_bounds(j * x, working) for j in bins]
    low = list(accumulate(size * weight for size, (weight, _) in zip(sizes, bounds, strict=True)))
    high = list(accumulate(size * weight for size, (_, weight) in zip(sizes, bounds, strict=True)))
    # A / (A + B) grows with A and falls with B: the low end takes A low and B high
    lower = [(a << bits) // (a + high[-1] - b) for a, b in zip(low[:-1], high[:-1], strict=True)]
    upper = [-(-(b << bits) // (b + low[-1] - a)) for a, b in zip(low[:-1], high[:-1], strict=True)]
    return lower, upper


class _Members:
    """The candidates of each bin, from which one is drawn uniformly."""

    __slots__ = ("_bins", "_held", "_order", "_sizes", "_starts")

    def __init__(self, bins: NDArray[np.uint8], held: NDArray[np.int64], sizes: list[int], n: int) -> None:
        self._bins, self._held, self._sizes = bins, held, sizes
        self._order = np.argsort(bins, kind="stable") if n > 1 else None  # for a single draw a scan is faster
        self._starts = [0, *accumulate(sizes)]

    def draw(self, drawn: NDArray[np.int64], coins: CoinSource) -> NDArray[np.int64]:
        """For each drawn bin (its index among the nonempty ones) a uniform member."""
        members = np.empty(len(drawn), np.int64)
        for place in np.unique(drawn):
            here = np.flatnonzero(drawn == place)
            inside = uniform_below(self._sizes[place], len(here), coins)
            if self._order is None:
                members[here] = np.flatnonzero(self._bins == self._held[place])[inside]
            else:
                members[here] = self._order[self._starts[place] + inside]
        return members
