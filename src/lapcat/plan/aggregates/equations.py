"""Intervals from equations that are linear in noisy sums: variances, correlations, slopes.

Theorem: let T be exact sums and T̃ = T + Z what is released, with independent noises Z. Let θ be a number and η others
         that belong to the table, and c(θ, η) coefficients with Σ cₖ(θ, η)·Tₖ = 0 at the true θ and η. Then

             |Σ cₖ(θ, η)·T̃ₖ| ≤ q(c(θ, η))   with probability at least 1 − β,   where Pr[|Σ cₖ·Zₖ| ≤ q(c)] ≥ 1 − β.

         So the true θ is among those for which this holds with some η in a set that is known to hold the true one.
Proof:   at the true θ and η the left side is |Σ cₖ·Zₖ|, and these cₖ are constants of the table, whatever was drawn. The
         η come from equations of their own; the union bound adds up what may fail.
Example: of AVG, Σ(x − θ) = 0, and there is no η.

Nothing is taken to be small: no term is left out, and where c is known only to lie in a range, q is taken of the largest
|cₖ| there, which is no less (`margin_of_combination`). Each equation is chosen so that an error in η counts only to the
second order. Rounding is IEEE's, not outwards: it is some 2⁻⁵⁰ of an interval.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

import numpy as np

from lapcat.plan.accuracy import Floats, Noise, margin_of_combination

ASIDE = Fraction(1, 50)
"""Which part of what may fail each statement about an η takes: a small one, for η are of second order."""


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
        """1/x of positive numbers; anything at all where they may be zero."""
        sure = self.low > 0
        low, high = np.where(sure, self.low, 1.0), np.where(sure, self.high, 1.0)
        return IntervalArray(np.where(sure, 1 / high, -np.inf), np.where(sure, 1 / low, np.inf))

    def root(self) -> IntervalArray:
        """√x; what is below zero cannot be, and counts as zero."""
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
    """Noisy sums of functions of a row, the first of them the count: which noise each has, and around what it was taken.

    Row functions gₖ are meant here, and statistics Σ(gₖ − κₖ) released. Two functions may have one statistic.
    """

    noises: tuple[Noise, ...]
    """Of the different statistics."""
    places: tuple[int, ...]
    """For each function its statistic."""
    centres: tuple[float, ...]
    """κ: 0 of the count."""
    failure: Fraction
    """What may fail in all."""

    def noise_of(
        self, coefficients: Mapping[int, IntervalArray | Floats | float], cells: int, failure: Fraction
    ) -> Floats:
        """q(c): what |Σ cₖ·Zₖ| stays below, but for this chance; c by function."""
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
        """What one statement about an η may fail with."""
        return self.failure * ASIDE

    def main(self, others: int) -> Fraction:
        """What is left for θ beside so many statements about η."""
        return self.failure * (1 - others * ASIDE)


def solved(start: IntervalArray, once: Callable[[IntervalArray], IntervalArray]) -> IntervalArray:
    """Where θ lies, if it lies in `start`, and in once(x) wherever it lies in x: twice narrowed."""
    for _ in range(2):
        found = once(start)
        start = found.within(start.low, start.high)
    return found
