"""The Gaussian mechanism on the integers: noise whose law is the normal density at the integers, normalised.

Theorem: it is (l2² / (2 sigma²))-zCDP. For one integer moved by j the Rényi divergence of order a is at most
         a j² / (2 sigma²), with equality where (a - 1) j is an integer; independent coordinates add up.
Source:  Canonne, Kamath & Steinke 2020; Bun & Steinke 2016 (arXiv:1605.02065).
Slack:   none: two inputs at distance l2 reach it at every integer order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Self

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.event import GaussianRelease
from lapcat.core.exact import exp_down, exp_up
from lapcat.core.loss import ZCDP
from lapcat.core.sampling import (
    checked_sigma_squared,
    discrete_gaussian,
    discrete_gaussian_one,
    saturating_add,
)
from lapcat.core.sensitivity import Sensitivity
from lapcat.core.theta import survival_bounds, total_bounds
from lapcat.errors import BadArgument

FEW = 200  # up to this many draws, one at a time (30 µs each) is as fast as the table of a new sigma (5 ms)
BITS = 160  # of the probabilities that become floats: far beyond a float's 53, even if they are small


@dataclass(frozen=True, slots=True)
class Gaussian:
    """Discrete Gaussian noise of this sigma², counted in squared steps of the grid."""

    sigma_squared: Fraction

    def __post_init__(self) -> None:
        checked_sigma_squared(self.sigma_squared)

    def draw(self, exact: NDArray[np.int64], coins: CoinSource) -> NDArray[np.int64]:
        """The exact integers with fresh noise in each coordinate, kept within ±(2^62 - 1).

        >>> from lapcat.core.coins import system_coins
        >>> Gaussian(Fraction(1, 10**4)).draw(np.array([3, 5]), system_coins()).tolist()
        [3, 5]
        """
        return add_gaussian_noise(self.sigma_squared, exact, coins)

    def draw_one(self, exact: int, coins: CoinSource) -> int:
        """One exact integer with fresh noise; Python's integers need no limit."""
        return exact + discrete_gaussian_one(self.sigma_squared, coins)

    def law(self, exact: int = 0) -> DiscreteGaussianLaw:
        """The law of a draw around this exact value."""
        return DiscreteGaussianLaw(self.sigma_squared, exact)

    def event(self, label: str, sensitivity: Sensitivity) -> GaussianRelease:
        """One release of a vector of this sensitivity.

        >>> count = Sensitivity(1, Fraction(1), Fraction(1), Fraction(1))
        >>> Gaussian(Fraction(50)).event("n", count).loss
        ZCDP(rho=Fraction(1, 100))
        """
        return GaussianRelease(label, sensitivity.l2_squared, self.sigma_squared)

    @classmethod
    def calibrate(cls, sensitivity: Sensitivity, share: ZCDP) -> Self:
        """The least noise that costs at most the share: sigma² = l2² / (2 rho), exactly.

        >>> five = Sensitivity(1, Fraction(5), Fraction(5), Fraction(25))
        >>> Gaussian.calibrate(five, ZCDP(Fraction(1, 8)))
        Gaussian(sigma_squared=Fraction(100, 1))
        """
        if not sensitivity.l2_squared:
            raise BadArgument(
                "sensitivity-zero",
                "Gaussian noise needs a sensitivity above 0",
                why="no unit can change this number, so it is public",
                fix="release it without noise: an ExactRelease, which costs nothing",
            )
        if not share.rho:
            raise BadArgument(
                "rho-zero",
                "rho = 0 allows no answer",
                why="an answer that costs nothing ignores the data",
                fix="give this question a share of rho above 0",
            )
        return cls(sensitivity.l2_squared / (2 * share.rho))


def add_gaussian_noise(
    sigma_squared: Fraction, exact: NDArray[np.int64], coins: CoinSource
) -> NDArray[np.int64]:
    """The exact integers with fresh discrete Gaussian noise in each coordinate, kept within ±(2^62 - 1)."""
    if exact.dtype != np.int64:
        raise TypeError(f"noise is added to int64, not {exact.dtype}")
    if exact.size > FEW:
        noise = discrete_gaussian(sigma_squared, exact.size, coins)
    else:
        ends = np.iinfo(np.int64)
        drawn = (discrete_gaussian_one(sigma_squared, coins) for _ in range(exact.size))
        noise = np.array([max(-ends.max, min(ends.max, z)) for z in drawn], np.int64)
    return saturating_add(exact, noise.reshape(exact.shape))


@dataclass(frozen=True, slots=True)
class DiscreteGaussianLaw:
    """Pr[z] = e^(-(z - exact)² / (2 sigma²)) / (the sum of that over all integers z).

    Fractions and ints are exact, or rounded as the name says; floats are for display.
    """

    sigma_squared: Fraction
    exact: int = 0

    def pmf(self, z: int) -> float:
        """Pr[the draw is z].

        >>> DiscreteGaussianLaw(Fraction(100)).pmf(0) == 1 / math.sqrt(200 * math.pi)  # up to e^-1900
        True
        """
        return math.exp(-float(min(self._exponent(z), Fraction(1000)))) / self._total()

    def pmf_bounds(self, z: int) -> tuple[Fraction, Fraction]:
        """Pr[the draw is z], rounded down and up; the two agree to 2^-60 of their size (unless below e^-8192).

        >>> low, high = DiscreteGaussianLaw(Fraction(50)).pmf_bounds(7)
        >>> low < high < low * (1 + Fraction(1, 2**60))
        True
        """
        low, high = total_bounds(self.sigma_squared, 128)
        away = -self._exponent(z)
        return exp_down(away) * (1 << 128) / high, exp_up(away) * (1 << 128) / low

    def log_ratio(self, other: DiscreteGaussianLaw, z: int) -> Fraction:
        """ln(Pr[z here] / Pr[z under the other law]), exactly; both have the same sigma. It is unbounded over z.

        >>> DiscreteGaussianLaw(Fraction(10), 3).log_ratio(DiscreteGaussianLaw(Fraction(10), 4), 0)
        Fraction(7, 20)
        """
        if self.sigma_squared != other.sigma_squared:
            raise ValueError(f"{self} and {other}: the ratio is rational only where the sigmas are equal")
        return other._exponent(z) - self._exponent(z)

    def cdf(self, z: int) -> float:
        """Pr[the draw is at most z]."""
        return self._survival(self.exact - z - 1)  # the law is symmetric

    def quantile(self, p: Fraction) -> int:
        """The least z with Pr[the draw is at most z] >= p; if 1000 bits do not decide, the next z.

        >>> law = DiscreteGaussianLaw(Fraction(2500))
        >>> law.quantile(Fraction(1, 2)), law.quantile(Fraction(1, 4)), law.quantile(Fraction(3, 4))
        (0, -34, 34)
        """
        return self.exact + self._least_tail(1 - _checked_probability(p))

    def within(self, t: int) -> float:
        """Pr[the draw is at most t away from the exact value]."""
        return (
            0.0
            if t < 0
            else float(1 - 2 * Fraction(survival_bounds(self.sigma_squared, t, BITS)[0], 1 << BITS))
        )

    def margin(self, confidence: Fraction) -> int:
        """The least t with Pr[|draw - exact| <= t] >= confidence, by bounds rounded so that it is never too small.

        >>> law = DiscreteGaussianLaw(Fraction(2500))
        >>> t = law.margin(Fraction(95, 100))
        >>> t, law.within(t) >= 0.95 > law.within(t - 1)
        (98, True)
        """
        return max(0, self._least_tail((1 - _checked_probability(confidence)) / 2))

    @property
    def variance(self) -> float:
        """A little less than sigma²: by Poisson's summation less than 10^-30 of it, from sigma = 2 on.

        >>> DiscreteGaussianLaw(Fraction(2**80)).variance == 2**80
        True
        """
        if self.sigma_squared >= 4:
            return float(self.sigma_squared)
        return math.fsum(2 * z * z * self.pmf(self.exact + z) for z in range(1, 80))  # 39 sigma or more

    @property
    def sd(self) -> float:
        """The standard deviation."""
        return math.sqrt(self.variance)

    def _exponent(self, z: int) -> Fraction:
        away = z - self.exact
        return away * away / (2 * self.sigma_squared)

    def _total(self) -> float:
        return float(Fraction(total_bounds(self.sigma_squared, BITS)[0], 1 << BITS))

    def _survival(self, z: int) -> float:
        """Pr[the noise alone is above z]."""
        return float(Fraction(survival_bounds(self.sigma_squared, z, BITS)[0], 1 << BITS))

    def _least_tail(self, p: Fraction) -> int:
        """The least z with Pr[the noise is above z] <= p, for 0 < p < 1: by steps from the normal law's quantile."""
        z, step = self._guess(p), 1
        if self._tail_at_most(z, p):
            while self._tail_at_most(z - step, p):
                z, step = z - step, 2 * step
            low, high = z - step, z
        else:
            while not self._tail_at_most(z + step, p):
                z, step = z + step, 2 * step
            low, high = z, z + step
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._tail_at_most(middle, p) else (middle, high)
        return high

    def _guess(self, p: Fraction) -> int:
        """About where the tail is p; it affects only the number of steps."""
        sign, tail = (-1, 1 - p) if p > Fraction(1, 2) else (1, p)
        # beyond the floats, the tail of a normal law is about e^(-z²/2)
        bits = tail.denominator.bit_length() - tail.numerator.bit_length()
        away = -NormalDist().inv_cdf(float(tail)) if bits < 1000 else math.sqrt(2 * bits * math.log(2))
        return sign * round(away * math.sqrt(self.sigma_squared))

    def _tail_at_most(self, z: int, p: Fraction) -> bool:
        """Whether Pr[the noise is above z] <= p, certainly; False if the bounds do not decide after many bits."""
        bits = 64 + p.denominator.bit_length()
        for _ in range(4):
            low, high = survival_bounds(self.sigma_squared, z, bits)
            if high <= p * (1 << bits):
                return True
            if low >= p * (1 << bits):
                return False
            bits *= 2
        return False


def _checked_probability(p: Fraction) -> Fraction:
    if not 0 < p < 1:
        raise BadArgument(
            "probability-range",
            f"{p} is not a probability strictly between 0 and 1",
            fix="unbounded noise has no margin at confidence 1: use 0.95, or 0.999",
        )
    return p
