"""The Gaussian mechanism on the integers: noise whose law is the normal density at the integers, normalised.

Theorem: it is (l2² / (2 sigma²))-zCDP. For one integer moved by j the Rényi divergence of order a is at most
         a j² / (2 sigma²), with equality where (a - 1) j is an integer; independent coordinates add up.
Source:  Canonne, Kamath & Steinke 2020; Bun & Steinke 2016 (arXiv:1605.02065).
Slack:   none: two inputs at distance l2 reach it at every integer order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import NormalDist
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.event import GaussianRelease
from lapcat.core.exact import exp_down, exp_up
from lapcat.core.loss import ZCDP
from lapcat.core.mechanisms.base import IntegerNoise, Law, Share, checked_probability, require_noise
from lapcat.core.sampling import checked_sigma_squared, discrete_gaussian, discrete_gaussian_one
from lapcat.core.sensitivity import Sensitivity
from lapcat.core.theta import survival_bounds, total_bounds

BITS = 160  # of the probabilities that become floats: far beyond a float's 53, even if they are small


@dataclass(frozen=True, slots=True)
class GaussianNoise(IntegerNoise[Share]):
    """Discrete Gaussian noise of this sigma², counted in squared steps of the grid."""

    sigma_squared: Fraction

    def _draw_many(self, n: int, coins: CoinSource) -> NDArray[np.int64]:
        return discrete_gaussian(self.sigma_squared, n, coins)

    def _draw_single(self, coins: CoinSource) -> int:
        return discrete_gaussian_one(self.sigma_squared, coins)

    def law(self, exact: int = 0) -> DiscreteGaussianLaw:
        """The law of a draw around this exact value."""
        return DiscreteGaussianLaw(self.sigma_squared, exact)

    def in_words(self, step: Fraction) -> str:
        return f"discrete Gaussian noise of sigma {math.sqrt(self.sigma_squared) * float(step):.6g}"

    def rescaled(self, factor: Fraction) -> Self:
        return replace(self, sigma_squared=self.sigma_squared * factor * factor)


@dataclass(frozen=True, slots=True)
class Gaussian(GaussianNoise[ZCDP]):
    """Gaussian noise, whose cost is a rho.

    >>> from lapcat.core.coins import system_coins
    >>> Gaussian(Fraction(1, 10**4)).draw(np.array([3, 5]), system_coins()).tolist()
    [3, 5]
    """

    priced_in = ZCDP

    def __post_init__(self) -> None:
        checked_sigma_squared(self.sigma_squared)

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
        require_noise("Gaussian", sensitivity.l2_squared, "rho", share.rho)
        return cls(sensitivity.l2_squared / (2 * share.rho))

    @classmethod
    def charged(cls, event: GaussianRelease) -> Self:
        return cls(event.sigma_squared)


@dataclass(frozen=True, slots=True)
class DiscreteGaussianLaw(Law):
    """Pr[z] = e^(-(z - exact)² / (2 sigma²)) / (the sum of that over all integers z).

    Fractions and ints are exact, or rounded as the name says; floats are for display.
    """

    family: ClassVar[str] = "gaussian"
    sigma_squared: Fraction
    exact: int = 0

    @property
    def width(self) -> float:
        return math.sqrt(self.sigma_squared)

    @property
    def continuous_variance(self) -> float:
        return float(self.sigma_squared)

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
        return self.exact + self._least_tail(1 - checked_probability(p))

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
        return max(0, self._least_tail((1 - checked_probability(confidence)) / 2))

    @property
    def variance(self) -> float:
        """A little less than sigma²: by Poisson's summation less than 10^-30 of it, from sigma = 2 on.

        >>> DiscreteGaussianLaw(Fraction(2**80)).variance == 2**80
        True
        """
        if self.sigma_squared >= 4:
            return float(self.sigma_squared)
        return math.fsum(2 * z * z * self.pmf(self.exact + z) for z in range(1, 80))  # 39 sigma or more

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
