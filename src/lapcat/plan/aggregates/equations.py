"""Intervals from equations that are linear in noisy sums: variances, correlations, slopes.

Theorem: let T be exact sums and T̃ = T + Z what is released, with independent noises Z. Let θ be a number and η others
         that belong to the table, and c(θ, η) coefficients with Σ cₖ(θ, η)·Tₖ = 0 at the true θ and η. Then

             |Σ cₖ(θ, η)·T̃ₖ| ≤ q(c(θ, η))   with probability at least 1 − β,   where Pr[|Σ cₖ·Zₖ| ≤ q(c)] ≥ 1 − β.

         So the true θ is among those for which this holds with some η in a set that is known to hold the true one.
Proof:   at the true θ and η the left side is |Σ cₖ·Zₖ|, and these cₖ are constants of the table, whatever was drawn. The
         η come from equations of their own; the union bound adds up what may fail.
Example: of AVG, Σ(x − θ) = 0, and there is no η.

Nothing is neglected: no term is omitted, and where c is only known to lie in a range, q is taken at the largest |cₖ| there,
which is an upper bound (`margin_of_combination`). Each equation is chosen so that an error in η has only second-order effects.
Rounding is IEEE's, not outwards: about 2⁻⁵⁰ of an interval.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

import numpy as np

from lapcat.plan.accuracy import Floats, Noise, margin_of_combination

ASIDE = Fraction(1, 50)
"""The share of the failure probability for each statement about an η: small, as η have second-order effects."""


@dataclass(frozen=True, slots=True)
class IntervalArray:
    """All numbers between two ends, in each cell."""

    low: Floats
    high: Floats

    @property
    def ends(self) -> tuple[Floats, Floats]:
        return self.low, self.high

    def __add__(self, other: IntervalArray | Floats | float) -> IntervalArray:
        other = spanned(other)
        return IntervalArray(self.low + other.low, self.high + other.high)

    def __neg__(self) -> IntervalArray:
        return IntervalArray(-self.high, -self.low)

    def __sub__(self, other: IntervalArray | Floats | float) -> IntervalArray:
        return self + -spanned(other)

    def __mul__(self, other: IntervalArray | Floats | float) -> IntervalArray:
        """0 times an end that is open is 0."""
        factors = (other,) if isinstance(other, float) else spanned(other).ends  # most are constants
        corners = [a * b for a in self.ends for b in factors]
        corners = [np.where(np.isnan(corner), 0.0, corner) for corner in corners]
        return IntervalArray(reduce(np.minimum, corners), reduce(np.maximum, corners))

    def squared(self) -> IntervalArray:
        nearest = np.maximum(0.0, np.maximum(self.low, -self.high))
        return IntervalArray(nearest**2, self.size**2)

    def inverse(self) -> IntervalArray:
        """1/x of positive numbers; unbounded where they may be zero."""
        sure = self.low > 0
        low, high = np.where(sure, self.low, 1.0), np.where(sure, self.high, 1.0)
        return IntervalArray(np.where(sure, 1 / high, -np.inf), np.where(sure, 1 / low, np.inf))

    def root(self) -> IntervalArray:
        """√x; negative numbers count as zero."""
        return IntervalArray(np.sqrt(np.maximum(self.low, 0.0)), np.sqrt(np.maximum(self.high, 0.0)))

    def within(self, low: Floats | float, high: Floats | float) -> IntervalArray:
        """The nearest numbers between the ends."""
        return IntervalArray(np.clip(self.low, low, high), np.clip(self.high, low, high))

    @property
    def size(self) -> Floats:
        return np.maximum(np.abs(self.low), np.abs(self.high))


def spanned(x: IntervalArray | Floats | float) -> IntervalArray:
    if isinstance(x, IntervalArray):
        return x
    number = np.asarray(x, dtype=np.float64)
    return IntervalArray(number, number)


def around(half: Floats) -> IntervalArray:
    """−half..half."""
    return IntervalArray(-half, half)


@dataclass(frozen=True, slots=True)
class Equations:
    """Noisy sums of functions of a row, the first of them the count, with the noise and centre of each.

    The sums are Σ gₖ over rows; the released statistics are Σ(gₖ − κₖ). Two functions may share a statistic.
    """

    noises: tuple[Noise, ...]
    """The noise of each distinct statistic."""
    places: tuple[int, ...]
    """The position of each function's statistic."""
    centres: tuple[float, ...]
    """κ; 0 for the count."""
    failure: Fraction
    """The total failure probability."""

    def noise_of(
        self, coefficients: Mapping[int, IntervalArray | Floats | float], cells: int, failure: Fraction
    ) -> Floats:
        """q(c): upper bound on |Σ cₖ·Zₖ| with this failure probability; c by function."""
        by_place = [spanned(np.zeros(cells))] * len(self.noises)
        for function, c in coefficients.items():
            place = self.places[function]
            by_place[place] = by_place[place] + c
            if self.centres[function]:  # Σ g = Σ(g − κ) + κ·n, so the noise of the count enters too
                by_place[self.places[0]] = by_place[self.places[0]] + spanned(c) * self.centres[function]
        largest = np.array([np.broadcast_to(c.size, cells) for c in by_place])
        known = np.isfinite(largest).all(axis=0)
        margin = margin_of_combination(self.noises, np.where(known, largest, 0.0), 1 - failure)
        return np.where(known, margin, np.inf)

    @property
    def aside(self) -> Fraction:
        """The failure probability of one statement about an η."""
        return self.failure * ASIDE

    def main(self, others: int) -> Fraction:
        """The failure probability left for θ after `others` statements about η."""
        return self.failure * (1 - others * ASIDE)


def solved(start: IntervalArray, once: Callable[[IntervalArray], IntervalArray]) -> IntervalArray:
    """The interval of θ, given that it lies in `start`, and in once(x) whenever it lies in x: two iterations."""
    for _ in range(2):
        narrowed = once(start)
        start = narrowed.within(start.low, start.high)
    return narrowed
