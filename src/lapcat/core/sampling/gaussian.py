"""An exact sampler of the discrete Gaussian law: Pr[z] proportional to e^(-z² / (2 sigma²)) on all integers.

No float, no truncation, no delta. docs/proofs/gaussian.md proves the law and every number written in capitals here;
what it shares with the Laplace sampler is in docs/proofs/sampler.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.exact import exp_bounds
from lapcat.core.sampling.bernoulli import bernoulli_exp_ratio
from lapcat.core.sampling.blocks import LARGEST, PREFIX, BlockTable
from lapcat.core.sampling.laplace import (
    ACCEPT,
    CHUNK,
    LARGEST_SCALE,
    SPARE_BITS,
    TABLES_KEPT,
    UNIT,
    discrete_laplace_one,
)
from lapcat.core.sampling.lazy import LazyUniform
from lapcat.core.theta import narrow_tails
from lapcat.errors import BadArgument

LARGEST_SIGMA_SQUARED = LARGEST_SCALE**2  # sigma up to 2^56: then 1 209 blocks of 2^50 fit an int64
BLOCKS_PER_SIGMA = 64  # a block of 2^k has sigma / 2^k in [64, 128), or k = 0

TOP = 26  # leading bits of `low` that enter the fixed-point product
PRODUCT = 20  # the 2 * TOP bits of the product are reduced to this many, plus 12 for the block number
SHORT = 13  # 0 <= 2^32 * y - Y < SHORT for the computed Y


def discrete_gaussian(sigma_squared: Fraction, n: int, coins: CoinSource) -> NDArray[np.int64]:
    """n independent draws. A magnitude above 2^63 - 1 is clipped to 2^63 - 1, which `saturating_add` accounts for.

    >>> from lapcat.core.coins import system_coins
    >>> draws = discrete_gaussian(Fraction(2500), 10**5, system_coins())
    >>> bool(abs(draws.mean()) < 2), bool(48 < draws.std() < 52)  # the law: 0, and 50
    (True, True)
    """
    sampler = _sampler(checked_sigma_squared(sigma_squared))
    drawn = np.empty(n, np.int64)
    rejected = [np.empty(0, np.int64)]
    for start in range(0, n, CHUNK):
        drawn[start : start + CHUNK], again = sampler.tried(min(CHUNK, n - start), coins)
        rejected.append(again + start)
    still_open = np.concatenate(rejected)  # all at once: the overhead is per call
    while len(still_open):
        drawn[still_open], again = sampler.tried(len(still_open), coins)
        still_open = still_open[again]
    return drawn


def discrete_gaussian_one(sigma_squared: Fraction, coins: CoinSource) -> int:
    """One draw, without a table: for a few draws of a sigma that may not recur.

    Theorem: discrete Laplace noise y of any scale t, kept with probability e^-x, x = (|y| - sigma²/t)² / (2 sigma²),
             has weight e^(-|y|/t - x) = e^(-y² / (2 sigma²)) * e^(-sigma² / (2 t²)), and the last factor is constant.
    Source:  Canonne, Kamath & Steinke 2020, with t = floor(sigma) + 1.

    >>> from lapcat.core.coins import system_coins
    >>> discrete_gaussian_one(Fraction(1, 10000), system_coins())  # anything else has probability 2 * e^-5000
    0
    """
    numerator, denominator = checked_sigma_squared(sigma_squared).as_integer_ratio()
    t = min(math.isqrt(numerator // denominator) + 1, LARGEST_SCALE)
    scale = Fraction(t)
    while True:
        drawn = discrete_laplace_one(scale, coins)
        # x = (|y| t d - n)² / (2 n d t²) for sigma² = n / d
        away = abs(drawn) * t * denominator - numerator
        if _shows(away * away, 2 * numerator * denominator * t * t, coins):
            return drawn


def checked_sigma_squared(sigma_squared: Fraction) -> Fraction:
    """The sigma², if the sampler can draw with it."""
    if not isinstance(sigma_squared, Fraction):  # an int would turn 1 / sigma² into a float
        raise TypeError(f"a sigma² is a Fraction, not {type(sigma_squared).__name__}: exact() makes one")
    if sigma_squared <= 0:
        raise BadArgument(
            "scale-not-positive",
            f"a sigma² of {sigma_squared} is not above 0",
            fix="a number that no unit can change needs no noise: release it directly",
        )
    if sigma_squared > LARGEST_SIGMA_SQUARED:
        raise BadArgument(
            "scale-too-large",
            f"a sigma of 2^{math.log2(math.ceil(sigma_squared)) / 2:.2f} grid units is above 2^56, the largest lapcat draws",
            why="an answer is a 64-bit integer, and such noise would often leave its range",
            fix="use a coarser grid, narrower bounds, or a larger rho or epsilon",
        )
    return sigma_squared


def _shows(numerator: int, denominator: int, coins: CoinSource) -> bool:
    """One coin that shows True with probability exactly e^-x, x = numerator / denominator >= 0, in integers alone."""
    whole, rest = divmod(numerator, denominator)
    return all(bernoulli_exp_ratio(1, 1, coins) for _ in range(whole)) and bernoulli_exp_ratio(
        rest, denominator, coins
    )


@dataclass(frozen=True, slots=True)
class GaussianTail:
    """The law of an integer H >= 0 with weights e^(-h² / (2 sigma²)), or, if folded, that of |Z| (0 counts half)."""

    sigma_squared: Fraction
    folded: bool

    def bounds(self, h: int, bits: int) -> tuple[int, int]:
        """Integers low <= 2^bits * Pr[H > h] <= high.

        With T(h) the sum of the weights above h, Pr[H > h] = T(h) / (1 + T(0)), or, folded, 2 T(h) / (1 + 2 T(0)).
        """
        working = bits + 8
        lower, upper = narrow_tails(self.sigma_squared, working)
        low, high = (lower[h], upper[h]) if h < len(lower) else (0, upper[-1])
        return self._shares(low, high, lower[0], upper[0], working, bits)

    def table(self) -> tuple[list[int], list[int]]:
        """lower[h] <= 2^64 * Pr[H > h] <= upper[h], up to the first h with upper[h] <= 1."""
        working = PREFIX + 8
        tails = narrow_tails(self.sigma_squared, working)
        lower, upper = [], []
        for low, high in zip(*tails, strict=True):
            low, high = self._shares(low, high, tails[0][0], tails[1][0], working, PREFIX)
            lower.append(low)
            upper.append(high)
            if high <= 1:
                break
        return lower, upper

    def _shares(
        self, low: int, high: int, all_low: int, all_high: int, working: int, bits: int
    ) -> tuple[int, int]:
        """Bounds of 2^bits * Pr[H > h] from those of T(h) and T(0), which are in units of 2^-working."""
        unity = 1 << working
        fold = 2 if self.folded else 1
        return (fold * low << bits) // (unity + fold * all_high), -(
            -(fold * high << bits) // (unity + fold * all_low)
        )


class _Magnitudes:
    """Sigmas below 128: the magnitude from a table, then a fair sign."""

    __slots__ = ("_table",)

    def __init__(self, sigma_squared: Fraction) -> None:
        self._table = BlockTable(GaussianTail(sigma_squared, folded=True))

    def tried(self, n: int, coins: CoinSource) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """n draws, and the indices to draw again: none."""
        magnitude = self._table.draw(n, coins)
        flip = np.unpackbits(coins.array((n + 7) // 8, np.uint8), count=n)
        return _signed(magnitude, -flip.astype(np.int64)), np.empty(0, np.int64)


class _Blocks:
    """Sigmas from 128 on: a candidate |z| = h * 2^k + low is kept with probability e^-y, else drawn again.

    h has weights e^(-(h 2^k)² / (2 sigma²)), from a table; low is k raw bits; y = (2 h 2^k + low) * low / (2 sigma²).
    """

    __slots__ = ("_factor", "_k", "_known", "_product_shift", "_shift", "_sigma_squared", "_surely", "_table")

    def __init__(self, sigma_squared: Fraction) -> None:
        self._sigma_squared = sigma_squared
        self._k = k = block_bits(sigma_squared)
        self._table = BlockTable(GaussianTail(sigma_squared / (1 << 2 * k), folded=False))
        self._known = len(self._table)
        c = (1 << 2 * k) / (2 * sigma_squared)  # y < (2h + 1) * c, and 2^-15 < c <= 2^-13
        # e^-y > 1 - (2h + 1) c, so a uniform number below that is accepted whatever `low` is. The last entry, for all
        # blocks beyond the table, accepts nothing this way.
        blocks = range(self._known)
        surely = [(1 << ACCEPT) - math.ceil((2 * h + 1) * c * (1 << ACCEPT)) for h in blocks]
        self._surely = np.array([*surely, 0], np.uint16)
        top = min(k, TOP)
        self._shift = k - top
        self._product_shift = max(0, 2 * top - PRODUCT)
        self._factor = math.floor(c * (1 << (2 * UNIT - 2 * top + self._product_shift)))

    def tried(self, n: int, coins: CoinSource) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """n candidates, and the indices of the rejected ones."""
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
        unsure = np.flatnonzero((prefix >= self._surely.take(block, mode="clip")) | (magnitude == 0))
        its_block = block[unsure]  # a block beyond the table is always among them
        magnitude[unsure[its_block > LARGEST >> k]] = LARGEST
        keep = self._kept(its_block, low[unsure], prefix[unsure], coins)
        keep &= (magnitude[unsure] != 0) | (sign[unsure] == 0)  # minus zero would count zero twice
        return _signed(magnitude, sign), unsure[~keep]

    def _kept(
        self,
        block: NDArray[np.int64],
        low: NDArray[np.int64],
        prefix: NDArray[np.uint16],
        coins: CoinSource,
    ) -> NDArray[np.bool_]:
        """Coins that show True with probability e^-y; `prefix` begins their uniform numbers."""
        uniform = prefix.astype(np.int64) << (UNIT - ACCEPT) | coins.array(len(low), np.uint16)
        lower, upper = self._kept_bounds(block, low)
        kept = uniform < lower
        for i in np.flatnonzero(~kept & (uniform < upper)):
            y = self._loss(int(block[i]), int(low[i]))
            kept[i] = LazyUniform(coins, int(uniform[i]), UNIT).is_below(partial(exp_bounds, y))
        return kept

    def _loss(self, block: int, low: int) -> Fraction:
        """y, exactly."""
        return ((block << self._k + 1) + low) * low / (2 * self._sigma_squared)

    def _kept_bounds(
        self, block: NDArray[np.int64], low: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Integers around 2^32 * e^-y, from 1 - y + y²/2 - y³/6 <= e^-y <= 1 - y + y²/2 in fixed point."""
        unit = np.uint64(UNIT)
        top = (low >> self._shift).view(np.uint64)
        wide = (block.view(np.uint64) << np.uint64(self._k - self._shift + 1)) + top
        y = ((wide * top >> np.uint64(self._product_shift)) * np.uint64(self._factor)) >> unit
        square = y * y
        middle = (1 << UNIT) - y.view(np.int64) + (square >> np.uint64(UNIT + 1)).view(np.int64)
        cubic = (((square >> unit) * y >> unit) // np.uint64(6)).view(np.int64) + 2
        lower, upper = middle - (SHORT + cubic), middle + 1
        # not in the table: its products may overflow, so exact arithmetic decides
        beyond = block >= self._known
        lower[beyond], upper[beyond] = 0, 1 << UNIT
        return lower, upper


def block_bits(sigma_squared: Fraction) -> int:
    """The k of the blocks of 2^k: 0 for sigma below 128, else such that sigma / 2^k lies in [64, 128)."""
    return max(0, (math.isqrt(math.floor(sigma_squared)) // BLOCKS_PER_SIGMA).bit_length() - 1)


@lru_cache(TABLES_KEPT)
def _sampler(sigma_squared: Fraction) -> _Magnitudes | _Blocks:
    return _Blocks(sigma_squared) if block_bits(sigma_squared) else _Magnitudes(sigma_squared)


def _signed(magnitude: NDArray[np.int64], sign: NDArray[np.int64]) -> NDArray[np.int64]:
    """The magnitude where the sign is 0, its negative where the sign is -1."""
    magnitude ^= sign
    magnitude -= sign
    return magnitude
