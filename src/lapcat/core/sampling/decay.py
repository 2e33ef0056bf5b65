"""Bernoulli draws with bias exactly e^(-rate * gap), one for each gap, vectorised.

docs/proofs/choice.md, section "A coin for each gap", proves the law and every number written in capitals here.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.exact import exp_bounds
from lapcat.core.sampling.bernoulli import bernoulli_exp
from lapcat.core.sampling.lazy import LazyUniform

UNIT = 31  # the fixed point: numbers in units of 2^-31, so that a product of two fits an int64
DIGIT = 8  # bits of a gap that one table covers
FINE = 2 * DIGIT  # the gap's last bits are dropped only while rate * 2^dropped <= 2^-FINE
# E <= 2^31 * e^-(rate * kept) <= E + SHORT for the computed E; kept is the gap without its dropped bits
SHORT = 9
CHUNK = 1 << 15  # coins at a time
FEW = 32  # up to this many coins, one at a time is faster than the tables
MAX_DROPPED = 64 - FINE - 1  # so that the third digit keeps a bit, however small the rate


def bernoulli_decay(rate: Fraction, gaps: NDArray[np.uint64], coins: CoinSource) -> NDArray[np.bool_]:
    """For each gap a coin that shows True with probability exactly e^(-rate * gap).

    >>> from lapcat.core.coins import system_coins
    >>> bernoulli_decay(Fraction(1000), np.array([0, 1, 10**19], np.uint64), system_coins()).tolist()
    [True, False, False]
    """
    if len(gaps) <= FEW:
        return np.array([bernoulli_exp(rate * int(gap), coins) for gap in gaps], np.bool_)
    decay = Decay(rate)
    shown = np.empty(len(gaps), np.bool_)
    for start in range(0, len(gaps), CHUNK):
        shown[start : start + CHUNK] = decay.coins(gaps[start : start + CHUNK], coins)
    return shown


class Decay:
    """Tables from which 2^31 * e^(-rate * gap) is bounded for every gap below 2^64.

    A gap without its last `dropped` bits is written as two digits of base 256 and a third part above them; each has a
    table, and e^(-rate * gap) is the product of three entries.
    """

    __slots__ = ("_dropped", "_high", "_low", "_middle", "_rate")

    def __init__(self, rate: Fraction) -> None:
        self._rate = rate
        # the largest s with rate * 2^s <= 2^-FINE, or 0
        quotient = (1 / rate) // (1 << FINE)
        self._dropped = min(max(0, quotient.bit_length() - 1), MAX_DROPPED)
        step = rate * (1 << self._dropped)
        self._low = _digits(step)
        self._middle = _digits(step * (1 << DIGIT))
        self._high = _powers(step * (1 << FINE), 1 << (64 - FINE - self._dropped))

    def coins(self, gaps: NDArray[np.uint64], coins: CoinSource) -> NDArray[np.bool_]:
        """One coin for each gap."""
        prefix = (coins.array(len(gaps), np.uint32) >> np.uint32(32 - UNIT)).astype(np.int64)
        lower, upper = self.bounds(gaps)
        shown = prefix < lower
        for i in np.flatnonzero(~shown & (prefix < upper)):
            uniform = LazyUniform(coins, int(prefix[i]), UNIT)
            shown[i] = uniform.is_below(partial(exp_bounds, self._rate * int(gaps[i])))
        return shown

    def bounds(self, gaps: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Integers around 2^31 * e^(-rate * gap)."""
        kept = gaps >> np.uint64(self._dropped)
        mask = np.uint64((1 << DIGIT) - 1)
        last = np.uint64(len(self._high) - 1)  # anything beyond the table is below its last entry, which is 0
        product = self._high.take(np.minimum(kept >> np.uint64(FINE), last).view(np.int64))
        product *= self._middle.take((kept >> np.uint64(DIGIT) & mask).view(np.int64))
        product >>= UNIT
        product *= self._low.take((kept & mask).view(np.int64))
        product >>= UNIT
        upper = product + SHORT
        if self._dropped:  # the dropped bits lower e^(-rate * gap) by a factor of at least 1 - 2^-FINE
            return product - (product >> FINE) - 1, upper
        return product, upper


def _powers(x: Fraction, length: int) -> NDArray[np.int64]:
    """Integers E(i) with E(i) <= 2^31 * e^(-i * x) <= E(i) + 2, for i = 0, 1, ... below `length` or up to the first 0."""
    powers: list[int] = []
    working = 2 * UNIT  # bits of the product that is carried along, rounded down
    ratio, power = exp_bounds(x, working)[0], 1 << working
    while len(powers) < length and (not powers or powers[-1]):
        powers.append(power >> (working - UNIT))
        power = power * ratio >> working
    return np.array(powers, np.int64)


def _digits(x: Fraction) -> NDArray[np.int64]:
    """The same for every digit of base 256, padded with 0."""
    powers = _powers(x, 1 << DIGIT)
    return np.pad(powers, (0, (1 << DIGIT) - len(powers)))
