"""An exact sampler of the discrete Laplace law: Pr[z] = (1 - q) / (1 + q) * q^|z| on all integers, q = e^(-1 / scale).

No float, no truncation, no delta. docs/proofs/sampler.md proves the law and every number written in capitals here.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.exact import exp_bounds
from lapcat.core.sampling.bernoulli import bernoulli_exp_ratio
from lapcat.core.sampling.blocks import LARGEST, BlockTable, Tail
from lapcat.core.sampling.lazy import LazyUniform
from lapcat.errors import BadArgument

LARGEST_SCALE = 1 << 56  # then 5 800 blocks of 2^50 still fit an int64
BLOCKS_PER_SCALE = 64  # a block of 2^k has scale / 2^k in [64, 128), or k = 0
CHUNK = 1 << 15  # draws at a time: their arrays stay in the processor's cache
TABLES_KEPT = 64  # of about 220 KiB each

ACCEPT = 16  # bits of the acceptance's uniform number that are drawn with every candidate
SPARE_BITS = 64 - 1 - ACCEPT  # of a candidate's word, beside sign and acceptance: enough for k <= 47
TOP = 28  # leading bits of `low` that enter the fixed-point product
UNIT = 32  # the accept step's fixed point: numbers in units of 2^-32
SHORT = 2  # 0 <= 2^32 * y - Y < SHORT for the computed Y
CUBIC = 2731  # 2^32 * y^3 / 6 <= CUBIC for y <= 1/64 + 2^-30


def discrete_laplace(scale: Fraction, n: int, coins: CoinSource) -> NDArray[np.int64]:
    """n independent draws. A magnitude above 2^63 - 1 is clipped to 2^63 - 1, which `saturating_add` accounts for.

    >>> from lapcat.core.coins import system_coins
    >>> draws = discrete_laplace(Fraction(50), 10**5, system_coins())
    >>> bool(abs(draws.mean()) < 5), bool(65 < draws.std() < 76)  # the law: 0, and 70.7
    (True, True)
    """
    sampler = _sampler(checked_scale(scale))
    drawn = np.empty(n, np.int64)
    for start in range(0, n, CHUNK):
        drawn[start : start + CHUNK] = sampler.draw(min(CHUNK, n - start), coins)
    return drawn


def discrete_laplace_one(scale: Fraction, coins: CoinSource) -> int:
    """One draw, without a table: for a few draws of a scale that may not recur.

    Theorem: with scale = t/s, U uniform below t and kept with probability e^(-U/t), and V geometric with ratio 1/e,
             U + t*V is geometric with ratio e^(-1/t), so its quotient by s has ratio q = e^(-s/t). A fair sign, with
             minus zero drawn again, makes it two-sided.
    Source:  Canonne, Kamath & Steinke 2020.

    >>> from lapcat.core.coins import system_coins
    >>> discrete_laplace_one(Fraction(1, 1000), system_coins())  # anything else has probability 2 * e^-1000
    0
    """
    t, s = checked_scale(scale).as_integer_ratio()
    while True:
        u = coins.below(t)
        if not bernoulli_exp_ratio(u, t, coins):
            continue
        v = 0
        while bernoulli_exp_ratio(1, 1, coins):
            v += 1
        magnitude = (u + t * v) // s
        if not coins.bits(1):
            return magnitude
        if magnitude:
            return -magnitude


def checked_scale(scale: Fraction) -> Fraction:
    """The scale, if the sampler can draw with it."""
    if not isinstance(scale, Fraction):  # an int would turn 1 / scale into a float
        raise TypeError(f"a noise scale is a Fraction, not {type(scale).__name__}: exact() makes one")
    numerator, denominator = scale.as_integer_ratio()  # integers compare faster, and this is asked per draw
    if numerator <= 0:
        raise BadArgument(
            "scale-not-positive",
            f"a noise scale of {scale} is not above 0",
            fix="a number that no unit can change needs no noise: release it directly",
        )
    if numerator > LARGEST_SCALE * denominator:
        raise BadArgument(
            "scale-too-large",
            f"a noise scale of 2^{math.log2(math.ceil(scale)):.2f} grid units is above 2^56, the largest lapcat draws",
            why="an answer is a 64-bit integer, and such noise would often leave its range",
            fix="use a coarser grid, narrower bounds, or a larger epsilon",
        )
    return scale


class _Magnitudes:
    """Scales below 128: the magnitude from a table, then a fair sign."""

    __slots__ = ("_table",)

    def __init__(self, scale: Fraction) -> None:
        self._table = BlockTable(Tail(1 / scale, folded=True))

    def draw(self, n: int, coins: CoinSource) -> NDArray[np.int64]:
        magnitude = self._table.draw(n, coins)
        flip = np.unpackbits(coins.array((n + 7) // 8, np.uint8), count=n)
        return _signed(magnitude, -flip.astype(np.int64))


class _Blocks:
    """Scales from 128 on: a candidate |z| = h * 2^k + low is kept with probability e^(-low / scale), else drawn again.

    h is geometric with ratio e^(-2^k / scale), from a table; low is k raw bits.
    """

    __slots__ = ("_factor", "_k", "_scale", "_shift", "_surely", "_table")

    def __init__(self, scale: Fraction) -> None:
        self._scale = scale
        self._k = k = block_bits(scale)
        self._table = BlockTable(Tail((1 << k) / scale, folded=False))
        # e^(-low/scale) > 1 - 2^k/scale, so a uniform number below that is accepted whatever `low` is.
        self._surely = (1 << ACCEPT) - math.ceil((1 << (k + ACCEPT)) / scale)
        self._shift = max(0, k - TOP)
        self._factor = math.floor((1 << (self._shift + 2 * UNIT)) / scale)

    def draw(self, n: int, coins: CoinSource) -> NDArray[np.int64]:
        k = self._k
        block = self._table.draw(n, coins)
        word = coins.array(n, np.uint64)
        low = (word & np.uint64((1 << k) - 1)).view(np.int64)
        sign = word.view(np.int64) >> 63
        if k <= SPARE_BITS:
            prefix = (word >> np.uint64(SPARE_BITS)).astype(np.uint16)
        else:
            prefix = coins.array(n, np.uint16)
        magnitude = block << k | low
        magnitude[block > LARGEST >> k] = LARGEST
        unsure = np.flatnonzero((prefix >= self._surely) | (magnitude == 0))
        keep = self._kept(low[unsure], prefix[unsure], coins)
        keep &= (magnitude[unsure] != 0) | (sign[unsure] == 0)  # minus zero would count zero twice
        again = unsure[~keep]
        drawn = _signed(magnitude, sign)
        if len(again):
            drawn[again] = self.draw(len(again), coins)
        return drawn

    def _kept(
        self, low: NDArray[np.int64], prefix: NDArray[np.uint16], coins: CoinSource
    ) -> NDArray[np.bool_]:
        """Coins that show True with probability e^-y, y = low / scale; `prefix` begins their uniform numbers."""
        uniform = prefix.astype(np.int64) << (UNIT - ACCEPT) | coins.array(len(low), np.uint16)
        lower, upper = self._kept_bounds(low)
        kept = uniform < lower
        for i in np.flatnonzero(~kept & (uniform < upper)):
            y = int(low[i]) / self._scale
            kept[i] = LazyUniform(coins, int(uniform[i]), UNIT).is_below(partial(exp_bounds, y))
        return kept

    def _kept_bounds(self, low: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Integers around 2^32 * e^-y, from 1 - y + y^2/2 - y^3/6 <= e^-y <= 1 - y + y^2/2 in fixed point."""
        y = ((low >> self._shift).view(np.uint64) * np.uint64(self._factor)) >> np.uint64(UNIT)
        middle = (1 << UNIT) - y.view(np.int64) + ((y * y) >> np.uint64(UNIT + 1)).view(np.int64)
        return middle - (SHORT + CUBIC), middle + 1


def block_bits(scale: Fraction) -> int:
    """The k of the blocks of 2^k: 0 below 128, else such that scale / 2^k lies in [64, 128)."""
    return max(0, (math.floor(scale) // BLOCKS_PER_SCALE).bit_length() - 1)


@lru_cache(TABLES_KEPT)
def _sampler(scale: Fraction) -> _Magnitudes | _Blocks:
    return _Blocks(scale) if block_bits(scale) else _Magnitudes(scale)


def _signed(magnitude: NDArray[np.int64], sign: NDArray[np.int64]) -> NDArray[np.int64]:
    """The magnitude where the sign is 0, its negative where the sign is -1."""
    magnitude ^= sign
    magnitude -= sign
    return magnitude
