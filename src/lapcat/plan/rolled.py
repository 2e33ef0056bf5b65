"""The noise of a number that was added up from several released ones: a sum of independent discrete Laplace draws.

Theorem: let S be a sum of k independent discrete Laplace draws of scale b, and C a sum of k independent continuous
         Laplace variables of scale b. Then Pr[|S| > t] <= Pr[|C| > t] for every whole number t.
Proof:   A discrete Laplace draw is the difference of two geometric ones, and a geometric draw is the whole part of an
         exponential variable, whose fractional part is independent of it. So C = S + R with R symmetric and independent
         of S. Let V be uniform on [-1/2, 1/2] and independent of both: S + V has a symmetric density that falls away
         from zero, for S has such a law on the integers, and |S| > t exactly where |S + V| > t + 1/2. Adding R spreads
         such a density (a window of fixed width holds most of it where it is centred at zero): Pr[|S + V| > t + 1/2] <= Pr[|C + V| > t + 1/2] <= Pr[|C| > t].

The tail of C has a closed form. In partial fractions (1 - s²)^-k = Σ_j a_j ((1 - s)^-j + (1 + s)^-j) with
a_j = C(2k - 1 - j, k - 1) / 2^(2k - j) > 0 for j = 1 … k: |C| / b is a mixture of Gamma(j) variables with weights 2 a_j.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw

Floats = npt.NDArray[np.float64]

POINTS = 2048
"""At so many points the tail of a sum is tabulated, and the other sum is cut into so many pieces."""
COARSE = 4096
"""Below so many steps the law of a sum is added up cell by cell."""
ROUNDED = 1 - 1e-9
"""Wanted probabilities of failure are lowered by far more than the rounding of the floats here."""


@dataclass(frozen=True, slots=True)
class LaplaceSum:
    """The law of a sum of `count` independent discrete Laplace draws of one scale, as far as error bars need it."""

    scale: Fraction
    count: int

    def margin(self, confidence: Fraction) -> int:
        """A whole t with Pr[|sum| <= t] >= confidence; never too small.

        On a coarse lattice the least one, from the law itself; on a fine one by the theorem above.

        >>> LaplaceSum(Fraction(10), 2).margin(Fraction(95, 100))  # of one draw it is 30
        41
        """
        failure = float(1 - confidence) * ROUNDED
        scale = float(self.scale)
        if scale * (self.count + 45 + 10 * math.sqrt(self.count)) < COARSE:
            return _least_margin(scale, self.count, failure)
        return math.ceil(_crossing(self.count, failure) * scale * (1 + 1e-9))

    @property
    def variance(self) -> float:
        return self.count * DiscreteLaplaceLaw(self.scale).variance


def tail_of_sum(count: int, u: Floats) -> Floats:
    """Pr[|C| > u] for a sum C of `count` independent continuous Laplace variables of scale 1, and u >= 0.

    >>> tail_of_sum(2, np.array([0.0, 3.0]))  # (1 + u / 2) e^-u
    array([1.        , 0.12446767])
    """
    within, factorials = _mixture(count)
    steps = np.arange(len(within))
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(steps == 0, 0.0, steps * np.log(u)[:, None]) - u[:, None] - factorials
    return np.asarray(np.exp(logs) @ within, dtype=np.float64)


def margin_of_two(
    first: tuple[float, int], second: tuple[float, int], slack: float, confidence: Fraction
) -> float:
    """A t with Pr[|X + Y| <= t] >= confidence, for independent sums of (scale, count) Laplace draws in one unit of measure.

    `slack` is the sum of the steps on which both are counted: for two lattices the theorem above holds with t less one
    step of each, half of it for V and half for |C + V| <= |C| + |V|.
    The narrower sum is cut into pieces, each moved to its outer end. That makes the tail no smaller, for Pr[|X + y| > t]
    rises with |y| where X has a symmetric density that falls away from zero.
    """
    failure = float(1 - confidence) * ROUNDED
    (wide, many), (narrow, few) = sorted((first, second), key=lambda s: s[0] ** 2 * s[1], reverse=True)
    reach = _crossing(few, failure * 1e-3)
    ends = np.linspace(0.0, reach, POINTS + 1)
    beyond = tail_of_sum(few, ends)
    pieces, shift = beyond[:-1] - beyond[1:], ends[1:] * narrow

    def tail(t: float) -> float:
        both = _above(many, (t - shift) / wide) + _above(many, (t + shift) / wide)
        return float(pieces @ both + beyond[-1])

    low, high = 0.0, wide * _crossing(many, failure) + narrow * reach
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle) > failure else (low, middle)
    return high + slack


@lru_cache(maxsize=64)
def _least_margin(scale: float, count: int, failure: float) -> int:
    """The least t with Pr[|sum| > t] <= failure: the sum is the difference of two negative binomial draws."""
    steps = np.arange(1, 2 * COARSE)
    ratios = (steps + count - 1) / steps * math.exp(-1 / scale)
    first = count * math.log(-math.expm1(-1 / scale))
    one = np.exp(np.concatenate([[first], first + np.cumsum(np.log(ratios))]))
    law = np.convolve(one, one[::-1])[len(one) - 1 :]  # of the difference, from 0 on
    beyond = 2 * np.cumsum(law[:0:-1])[::-1]  # Pr[|sum| > t] for t = 0, 1, …
    return int(np.argmax(np.append(beyond, 0.0) <= failure))


@lru_cache(maxsize=64)
def _mixture(count: int) -> tuple[Floats, Floats]:
    """For i = 0, 1, …: the weight of all Gamma(j) with j > i, and ln i!. What is left out weighs less than e^-90."""
    terms = min(count, 20 * math.isqrt(count) + 20)
    places = np.arange(1, terms)
    ratios = 2 * (count - places) / (2 * count - 1 - places)  # a_(j+1) / a_j
    weights = np.concatenate([[1.0], np.cumprod(ratios)])
    weights /= weights.sum()
    factorials = np.concatenate([[0.0], np.cumsum(np.log(places))])
    return np.cumsum(weights[::-1])[::-1], factorials


@lru_cache(maxsize=256)
def _crossing(count: int, failure: float) -> float:
    """The u at which the tail of a sum falls to `failure`, from above."""
    low, high = 0.0, 1.0
    while tail_of_sum(count, np.array([high]))[0] > failure:
        low, high = high, high * 2
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        if tail_of_sum(count, np.array([middle]))[0] > failure:
            low = middle
        else:
            high = middle
    return high


@lru_cache(maxsize=64)
def _table(count: int) -> tuple[Floats, Floats]:
    points = np.linspace(0.0, _crossing(count, 1e-18), POINTS + 1)
    return points, np.concatenate([tail_of_sum(count, part) for part in np.array_split(points, 16)])


def _above(count: int, x: Floats) -> Floats:
    """Pr[C > x], never too small: the tail is convex, so its chords lie above it; where x < 0 the next lower value counts."""
    points, tails = _table(count)
    upper = np.interp(x, points, tails) / 2
    place = np.minimum(np.searchsorted(points, -x), len(points) - 1)
    lower = np.where(-x > points[-1], 0.0, tails[place]) / 2
    return np.where(x >= 0, upper, 1 - lower)
