"""The Laplace mechanism on the integers: noise whose law falls by the same factor e^(1/scale) with every step.

Theorem: it is (l1 / scale)-DP. By the triangle inequality ||z - x| - |z - x'|| <= |x - x'| in each coordinate, so no
         outcome's probability changes by more than the factor e^(l1 / scale).
Source:  Dwork, McSherry, Nissim & Smith 2006.
Slack:   none: two inputs at distance l1 reach the factor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.event import LaplaceRelease
from lapcat.core.exact import exp_bounds, exp_down, exp_up, ln_down, ln_up
from lapcat.core.loss import PureDP
from lapcat.core.mechanisms.base import IntegerNoise, Law, checked_probability, require_noise
from lapcat.core.sampling import checked_scale, discrete_laplace, discrete_laplace_one
from lapcat.core.sensitivity import Sensitivity


@dataclass(frozen=True, slots=True)
class Laplace(IntegerNoise[PureDP]):
    """Discrete Laplace noise of this scale, counted in steps of the grid.

    >>> from lapcat.core.coins import system_coins
    >>> Laplace(Fraction(1, 1000)).draw(np.array([3, 5]), system_coins()).tolist()
    [3, 5]
    """

    priced_in = PureDP
    scale: Fraction

    def __post_init__(self) -> None:
        checked_scale(self.scale)

    def _draw_many(self, n: int, coins: CoinSource) -> NDArray[np.int64]:
        return discrete_laplace(self.scale, n, coins)

    def _draw_single(self, coins: CoinSource) -> int:
        return discrete_laplace_one(self.scale, coins)

    def law(self, exact: int = 0) -> DiscreteLaplaceLaw:
        """The law of a draw around this exact value."""
        return DiscreteLaplaceLaw(self.scale, exact)

    def event(self, label: str, sensitivity: Sensitivity) -> LaplaceRelease:
        """One release of a vector of this sensitivity.

        >>> count = Sensitivity(1, Fraction(1), Fraction(1), Fraction(1))
        >>> Laplace(Fraction(10)).event("n", count).loss
        PureDP(epsilon=Fraction(1, 10))
        """
        return LaplaceRelease(label, sensitivity.l1, self.scale)

    def in_words(self, step: Fraction) -> str:
        return f"discrete Laplace noise of scale {float(self.scale * step):.6g}"

    def rescaled(self, factor: Fraction) -> Self:
        return type(self)(self.scale * factor)

    @classmethod
    def calibrate(cls, sensitivity: Sensitivity, share: PureDP) -> Self:
        """The least noise that costs at most the share: scale = l1 / epsilon, exactly.

        >>> five = Sensitivity(1, Fraction(5), Fraction(5), Fraction(25))
        >>> Laplace.calibrate(five, PureDP(Fraction(1, 10)))
        Laplace(scale=Fraction(50, 1))
        """
        require_noise("Laplace", sensitivity.l1, "epsilon", share.epsilon)
        return cls(sensitivity.l1 / share.epsilon)

    @classmethod
    def charged(cls, event: LaplaceRelease) -> Self:
        return cls(event.scale)


@dataclass(frozen=True, slots=True)
class DiscreteLaplaceLaw(Law):
    """Pr[z] = (1 - q) / (1 + q) * q^|z - exact| on all integers, q = e^(-1 / scale).

    Fractions and ints are exact, or rounded as the name says; floats are for display.
    """

    family: ClassVar[str] = "laplace"
    scale: Fraction
    exact: int = 0

    @property
    def width(self) -> float:
        return float(self.scale)

    @property
    def continuous_variance(self) -> float:
        return 2 * float(self.scale) ** 2

    def pmf(self, z: int) -> float:
        """Pr[the draw is z].

        >>> DiscreteLaplaceLaw(Fraction(1)).pmf(0) == math.tanh(1 / 2)  # (1 - q) / (1 + q)
        True
        """
        top = math.tanh(self._steps(1) / 2)
        return top * self._decay(abs(z - self.exact))

    def pmf_bounds(self, z: int) -> tuple[Fraction, Fraction]:
        """Pr[the draw is z], rounded down and up; the two agree to 2^-60 of their size (unless below e^-8192).

        >>> low, high = DiscreteLaplaceLaw(Fraction(50)).pmf_bounds(7)
        >>> low < high < low * (1 + Fraction(1, 2**60))
        True
        """
        # 1 - q is about 1 / scale, and is needed to relative precision
        bits = 128 + int(self.scale).bit_length()
        q_low, q_high = exp_bounds(1 / self.scale, bits)
        unity, away = 1 << bits, -abs(z - self.exact) / self.scale
        return (
            Fraction(unity - q_high, unity + q_high) * exp_down(away),
            Fraction(unity - q_low, unity + q_low) * exp_up(away),
        )

    def log_ratio(self, other: DiscreteLaplaceLaw, z: int) -> Fraction:
        """ln(Pr[z here] / Pr[z under the other law]), exactly; both have the same scale.

        >>> DiscreteLaplaceLaw(Fraction(10), 3).log_ratio(DiscreteLaplaceLaw(Fraction(10), 4), 0)
        Fraction(1, 10)
        """
        if self.scale != other.scale:
            raise ValueError(f"{self} and {other}: the ratio is rational only where the scales are equal")
        return (abs(z - other.exact) - abs(z - self.exact)) / self.scale

    def largest_log_ratio(self, other: Law) -> Fraction | None:
        if not isinstance(other, DiscreteLaplaceLaw) or self.scale != other.scale:
            return None
        return abs(self.exact - other.exact) / self.scale

    def cdf(self, z: int) -> float:
        """Pr[the draw is at most z]."""
        away = z - self.exact
        q = self._decay(1)
        return self._decay(-away) / (1 + q) if away < 0 else 1 - self._decay(away + 1) / (1 + q)

    def quantile(self, p: Fraction) -> int:
        """The least z with Pr[the draw is at most z] >= p, decided exactly.

        >>> law = DiscreteLaplaceLaw(Fraction(50))
        >>> law.quantile(Fraction(1, 2)), law.quantile(Fraction(1, 4)), law.quantile(Fraction(3, 4))
        (0, -35, 35)
        """
        checked_probability(p)
        if self._tail_at_most(1, p):  # Pr[the draw is below exact] = q / (1 + q) does not reach p
            return self.exact + max(0, self._least_tail(1 - p) - 1)
        return self.exact + 1 - self._least_tail(p)

    def within(self, t: int) -> float:
        """Pr[the draw is at most t away from the exact value] = 1 - 2 * q^(t+1) / (1 + q), for t >= 0.

        Computed as ((1 - q^(t+1)) + q * (1 - q^t)) / (1 + q), which keeps its precision if it is small.
        """
        if t < 0:
            return 0.0
        q = self._decay(1)
        return (self._reach(t + 1) + q * self._reach(t)) / (1 + q)

    def margin(self, confidence: Fraction) -> int:
        """The least t with Pr[|draw - exact| <= t] >= confidence, decided exactly: never too small.

        >>> law = DiscreteLaplaceLaw(Fraction(50))
        >>> t = law.margin(Fraction(95, 100))
        >>> t, law.within(t) >= 0.95 > law.within(t - 1)
        (150, True)
        """
        checked_probability(confidence)
        return max(0, self._least_tail((1 - confidence) / 2) - 1)

    @property
    def variance(self) -> float:
        """2q / (1 - q)^2; by expm1, since 1 - q loses its digits where the scale is large.

        >>> DiscreteLaplaceLaw(Fraction(2**40)).variance / 2**81  # the continuous law has 2 * scale^2
        1.0
        """
        return 2 * self._decay(1) / self._reach(1) ** 2

    def _decay(self, t: int) -> float:
        """q^t."""
        return math.exp(-self._steps(t))

    def _reach(self, t: int) -> float:
        """1 - q^t."""
        return -math.expm1(-self._steps(t))

    def _steps(self, t: int) -> float:
        """t / scale, cut off at 1000, where e^-t/scale is 0 as a float: the fraction itself may exceed every float."""
        return float(min(t / self.scale, Fraction(1000)))

    def _least_tail(self, p: Fraction) -> int:
        """The least t >= 0 with q^t / (1 + q) <= p: t >= scale * ln(1 / (p * (1 + q))), for 0 < p < 1."""
        rate = -1 / self.scale
        t = max(0, math.ceil(self.scale * ln_down(1 / (p * (1 + exp_up(rate))))))
        surely = math.ceil(self.scale * ln_up(1 / (p * (1 + exp_down(rate)))))
        while t < surely and not self._tail_at_most(t, p):
            t += 1
        return t

    def _tail_at_most(self, t: int, p: Fraction) -> bool:
        """Whether q^t / (1 + q) <= p, exactly.

        Equality would make q = e^(-1/scale) algebraic, which it is not (Lindemann), so enough bits decide.
        """
        bits = 128
        while True:
            unity = 1 << bits
            low, high = exp_bounds(t / self.scale, bits)
            q_low, q_high = exp_bounds(1 / self.scale, bits)
            if high <= p * (unity + q_low):
                return True
            if low >= p * (unity + q_high):
                return False
            bits *= 2
