"""The staircase mechanism on the integers: noise whose law falls by the factor e^epsilon with every block of steps, and within a
block only once.

Theorem: for a unit that changes at most l0 numbers, each by at most linf, it is (epsilon * l0 * ceil(linf / block))-DP.
Proof:   Pr[z] falls with |z|, and at |z| + block it is e^-epsilon times that at |z|. So no shift by up to k blocks changes it by
         more than the factor e^(k * epsilon).
Source:  Geng & Viswanath 2014 (arXiv:1212.1186).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.event import PureNoise
from lapcat.core.event_codec import EXACT, TEXT, WHOLE, stored_event
from lapcat.core.exact import exp_bounds
from lapcat.core.loss import PureDP
from lapcat.core.mechanisms.base import IntegerNoise, Law, checked_probability, require_noise
from lapcat.core.sampling.bernoulli import bernoulli_exp_ratio
from lapcat.core.sensitivity import Sensitivity


@stored_event("staircase", label=TEXT, l0=WHOLE, linf=EXACT, block=WHOLE, rise=WHOLE, epsilon=EXACT)
@dataclass(frozen=True, slots=True)
class StaircaseRelease(PureNoise):
    """Staircase noise on each coordinate of a vector, of which a unit changes at most l0 numbers, each by at most linf."""

    linear: ClassVar[bool] = False  # a single step may cost as much as a block
    label: str
    l0: int
    linf: Fraction
    block: int
    rise: int
    epsilon: Fraction

    @property
    def loss(self) -> PureDP:
        return PureDP(self.epsilon * self.l0 * math.ceil(self.linf / self.block))

    @property
    def variance(self) -> Fraction:
        return Fraction(StaircaseLaw(self.block, self.rise, self.epsilon).variance)


@dataclass(frozen=True, slots=True)
class Staircase(IntegerNoise[PureDP]):
    """Staircase noise: the first `rise` steps of a block are e^epsilon times as likely as the others."""

    priced_in = PureDP
    block: int
    rise: int
    epsilon: Fraction

    def _draw_many(self, n: int, coins: CoinSource) -> NDArray[np.int64]:
        return np.array([self._draw_single(coins) for _ in range(n)], np.int64)

    def _draw_single(self, coins: CoinSource) -> int:
        while True:
            place, negative = coins.below(self.block), coins.below(2)
            if place >= self.rise and not self._falls(coins):
                continue
            while self._falls(coins):
                place += self.block
            if place or not negative:  # zero has one sign
                return -place if negative else place

    def _falls(self, coins: CoinSource) -> bool:
        """A coin with bias exactly e^-epsilon, as a product."""
        whole, rest = divmod(self.epsilon, 1)
        return all(bernoulli_exp_ratio(1, 1, coins) for _ in range(int(whole))) and bernoulli_exp_ratio(
            rest.numerator, rest.denominator, coins
        )

    def law(self, exact: int = 0) -> StaircaseLaw:
        return StaircaseLaw(self.block, self.rise, self.epsilon, exact)

    def event(self, label: str, sensitivity: Sensitivity) -> StaircaseRelease:
        return StaircaseRelease(label, sensitivity.l0, sensitivity.linf, self.block, self.rise, self.epsilon)

    def in_words(self, step: Fraction) -> str:
        return f"staircase noise in blocks of {float(self.block * step):.6g}"

    def rescaled(self, factor: Fraction) -> Self:
        return type(self)(round(self.block * factor), round(self.rise * factor), self.epsilon)

    @classmethod
    def calibrate(cls, sensitivity: Sensitivity, share: PureDP) -> Self:
        """A block for the largest change of a number; the rise is the best one for the expected size of the noise."""
        require_noise("staircase", sensitivity.linf, "epsilon", share.epsilon)
        block, epsilon = math.ceil(sensitivity.linf), share.epsilon / sensitivity.l0
        rise = round(block / (1 + math.exp(min(float(epsilon), 100.0) / 2)))
        return cls(block, min(max(rise, 1), block), epsilon)

    @classmethod
    def charged(cls, event: StaircaseRelease) -> Self:
        return cls(event.block, event.rise, event.epsilon)


@dataclass(frozen=True, slots=True)
class StaircaseLaw(Law):
    """Pr[z] is proportional to e^(-epsilon * stair), where the stair of z is that of |z - exact|."""

    block: int
    rise: int
    epsilon: Fraction
    exact: int = 0

    @property
    def width(self) -> float:
        return float(self.block)

    def pmf_bounds(self, z: int) -> tuple[Fraction, Fraction]:
        stair = self._stair(abs(z - self.exact))
        (low, high), (q_low, q_high) = self._totals(), _decay(self.epsilon, stair)
        return q_low**stair / high, q_high**stair / low

    def pmf(self, z: int) -> float:
        return float(self.pmf_bounds(z)[0])

    def log_ratio(self, other: StaircaseLaw, z: int) -> Fraction:
        stairs = other._stair(abs(z - other.exact)) - self._stair(abs(z - self.exact))
        return stairs * self.epsilon

    def largest_log_ratio(self, other: Law) -> Fraction | None:
        assert isinstance(other, StaircaseLaw)
        return math.ceil(Fraction(abs(self.exact - other.exact), self.block)) * self.epsilon

    def cdf(self, z: int) -> float:
        away = z - self.exact
        return float(self._from(-away)[0]) if away < 0 else float(1 - self._from(away + 1)[0])

    def quantile(self, p: Fraction) -> int:
        checked_probability(p)
        if p <= self._from(1)[0]:  # below the exact value, where the law is mirrored
            return self.exact - self._least(lambda t: self._from(t + 1)[0] < p)
        return self.exact + self._least(lambda t: self._from(t + 1)[1] <= 1 - p)

    def within(self, t: int) -> float:
        return float(1 - 2 * self._from(t + 1)[0]) if t >= 0 else 0.0

    def margin(self, confidence: Fraction) -> int:
        beyond = (1 - checked_probability(confidence)) / 2
        return self._least(lambda t: self._from(t + 1)[1] <= beyond)

    @property
    def variance(self) -> float:
        q = math.exp(-float(self.epsilon))
        none, first, second = (
            float(_powers(k, self.rise)) + q * float(_powers(k, self.block) - _powers(k, self.rise))
            for k in (0, 1, 2)
        )
        squares = (
            self.block**2 * q * (1 + q) / (1 - q) ** 3 * none
            + 2 * self.block * q / (1 - q) ** 2 * first
            + second / (1 - q)
        )
        return 2 * squares / float(self._totals()[0])

    def _stair(self, away: int) -> int:
        return (away + self.block - self.rise) // self.block

    def _beyond(self, away: int, q: Fraction, stair: int) -> Fraction:
        """The sum of e^(-epsilon * stair) over all places from `away` > 0 on, on one side."""
        left = stair * self.block + self.rise - away
        return left * q**stair + self.block * q ** (stair + 1) / (1 - q)

    def _totals(self) -> tuple[Fraction, Fraction]:
        low, high = (2 * self._beyond(0, q, 0) - 1 for q in _decay(self.epsilon, 0))
        return low, high

    def _from(self, away: int) -> tuple[Fraction, Fraction]:
        """Pr[the noise is at least `away`], for away > 0, rounded down and up."""
        stair = self._stair(away)
        (low, high), (q_low, q_high) = self._totals(), _decay(self.epsilon, stair)
        return self._beyond(away, q_low, stair) / high, self._beyond(away, q_high, stair) / low

    def _least(self, holds: Callable[[int], bool]) -> int:
        """The least t >= 0 from which on a monotone statement holds."""
        low, high = -1, 1
        while not holds(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if holds(middle) else (middle, high)
        return high


def _powers(k: int, n: int) -> int:
    """The sum of j^k over j = 0 .. n - 1."""
    return (n, n * (n - 1) // 2, (n - 1) * n * (2 * n - 1) // 6)[k]


@lru_cache(256)
def _decay(epsilon: Fraction, stair: int) -> tuple[Fraction, Fraction]:
    """e^-epsilon, rounded down and up, so that its power still has 100 bits."""
    bits = 200 + 2 * math.ceil(epsilon) + stair.bit_length()
    low, high = exp_bounds(epsilon, bits)
    return Fraction(low, 1 << bits), Fraction(high, 1 << bits)
