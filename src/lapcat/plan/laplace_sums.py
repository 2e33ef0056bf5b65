"""The noise of a sum of released numbers: a sum of independent discrete Laplace draws.

Theorem: let S be a sum of k independent discrete Laplace draws of scale b, and C a sum of k independent continuous
         Laplace variables of scale b. Then Pr[|S| > t] <= Pr[|C| > t] for every whole number t.
Proof:   A discrete Laplace draw is the difference of two geometric ones, and a geometric draw is the whole part of an
         exponential variable, whose fractional part is independent of it. So C = S + R with R symmetric and independent
         of S. Let V be uniform on [-1/2, 1/2] and independent of both: S + V has a symmetric density that falls away
         from zero, for S has such a law on the integers, and |S| > t exactly where |S + V| > t + 1/2. Adding R spreads
         such a density (a window of fixed width holds most of it where it is centred at zero):
         Pr[|S + V| > t + 1/2] <= Pr[|C + V| > t + 1/2] <= Pr[|C| > t].

The tail of C has a closed form. In partial fractions (1 - s²)^-k = Σ_j a_j ((1 - s)^-j + (1 + s)^-j) with
a_j = C(2k - 1 - j, k - 1) / 2^(2k - j) > 0 for j = 1 … k: |C| / b is a mixture of Gamma(j) variables with weights 2 a_j.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from lapcat.core.mechanisms.base import NoiseLaw
from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw

Floats = npt.NDArray[np.float64]

POINTS = 2048
"""The number of points at which the tail of a sum is tabulated, and of pieces into which the other sum is cut."""
COARSE = 4096
"""Below this many steps the law of a sum is computed by convolution."""
ROUNDED = 1 - 1e-9
"""Failure probabilities are lowered by far more than the rounding errors of floats here."""


@dataclass(frozen=True, slots=True)
class LaplaceSum(NoiseLaw):
    """The law of a sum of `count` independent discrete Laplace draws of one scale: its margins and variance."""

    family: ClassVar[str] = DiscreteLaplaceLaw.family
    scale: Fraction
    count: int

    @property
    def width(self) -> float:
        return float(self.scale)

    @property
    def draws(self) -> int:
        return self.count

    def margin(self, confidence: Fraction) -> int:
        """An integer t with Pr[|sum| <= t] >= confidence.

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

    `slack` is the sum of the two steps: for two lattices the theorem above holds with t less one
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


FEWEST_TERMS, TERMS = 32, 1024
"""Minimum and maximum number of terms of the series in `margin_of_many`."""
UNSEEN = 1e-13
"""The probability beyond half a period of that series."""


def margin_of_many(scales: Floats, counts: Sequence[int], failure: float) -> Floats:
    """For each column of scales a t with Pr[|X| > t] <= failure, for X the sum of counts[i] continuous Laplace draws of
    scales[i], all independent: the error of a linear combination of summed statistics.

    Theorem: with the characteristic function f of X, for every t > 0 and L > t
                 Pr[|X| > t] <= 1 - Σ 4/(πm) f(mπ/L) sin(mπt/L) + 2 Pr[|X| > L - t],   over odd m.
    Proof:   the series is that of E s(t - X), s the square wave of period 2L that is 1 on (0, L) and -1 on (-L, 0). It
             differs from the sign of t - X only where |t - X| > L, by 2 at most; and E sign(t - X) = 1 - Pr[|X| > t].
    What lies beyond the last term M is at most (2/π)·f(S)·(1 + 1/(aS)²) with S = Mπ/L and any of the scales a: f is a product
    of factors 1/(1 + a²s²), which all fall, and one of them, from S on, no slower than (1 + 1/(aS)²)·(S/s)² · 1/(1 + a²S²).

    >>> margin_of_many(np.array([[1.0], [0.5]]), (3, 3), 0.05) / _crossing(3, 0.05)  # doctest: +ELLIPSIS
    array([1.1053...])
    """
    margins = np.zeros(scales.shape[1])
    many = np.array(counts, dtype=np.float64)[:, None]
    deviation = np.sqrt((2 * many * scales**2).sum(axis=0))
    for part in np.array_split(np.flatnonzero(deviation > 0), 1 + len(margins) // COARSE):
        if len(part):
            margins[part] = deviation[part] * _margin_of_many(
                scales[:, part] / deviation[part], many, failure
            )
    return margins


def _margin_of_many(a: Floats, many: Floats, failure: float) -> Floats:
    """The same where X has the variance 1."""
    high = _chernoff(a, many, failure)
    half = high + _chernoff(a, many, UNSEEN)
    terms = FEWEST_TERMS
    while True:
        odd = np.arange(1, 2 * terms, 2)[:, None]
        points = odd * (math.pi / half)
        logs = -sum(k * np.log1p((scale * points) ** 2) for k, scale in zip(many[:, 0], a, strict=True))
        if terms >= TERMS or logs[-1].max() < math.log(UNSEEN):
            break
        terms *= 2
    weights = 4 / math.pi * np.exp(logs) / odd
    last = (a.max(axis=0) * points[-1]) ** 2
    unseen = 2 / math.pi * np.exp(logs[-1]) * (1 + 1 / last) + 2 * UNSEEN
    wanted = np.maximum(failure - unseen, failure / 2)
    # Newton's steps for ln(tail) = ln(wanted) end at or beyond the solution, for tails of Laplace sums are log-concave.
    t = high / 2
    for _ in range(6):
        angles = points * t
        tail = 1 - (weights * np.sin(angles)).sum(axis=0)
        density = (weights * points * np.cos(angles)).sum(axis=0)
        sure = (tail > 0) & (density > 0)
        step = np.where(sure, tail, 1.0) / np.where(sure, density, 1.0)
        t = np.clip(np.where(sure, t + step * np.log(np.where(sure, tail, wanted) / wanted), high), 0.0, high)
    t = np.minimum(t * (1 + 1e-6), high)  # for the remaining Newton and rounding error
    holds = 1 - (weights * np.sin(points * t)).sum(axis=0) + unseen <= failure
    return np.where(holds, t, high)


def _chernoff(a: Floats, many: Floats, failure: float) -> Floats:
    """A t with Pr[|X| > t] <= failure: 2·e^(-ht)·E e^(hX) for the best of some h, E e^(hX) = Π (1 - h²a²)^-k."""
    best = np.full(a.shape[1], np.inf)
    for step in range(1, 64):
        h = step / 64 / a.max(axis=0)
        logs = -(many * np.log1p(-((h * a) ** 2))).sum(axis=0)
        best = np.minimum(best, (logs + math.log(2 / failure)) / h)
    return best


@lru_cache(maxsize=64)
def _least_margin(scale: float, count: int, failure: float) -> int:
    """The least t with Pr[|sum| > t] <= failure: the sum is the difference of two negative binomial draws."""
    steps = np.arange(1, 2 * COARSE)
    ratios = (steps + count - 1) / steps * math.exp(-1 / scale)
    first = count * math.log(-math.expm1(-1 / scale))
    negative_binomial = np.exp(np.concatenate([[first], first + np.cumsum(np.log(ratios))]))
    law = np.convolve(negative_binomial, negative_binomial[::-1])[
        len(negative_binomial) - 1 :
    ]  # of the difference, from 0 on
    beyond = 2 * np.cumsum(law[:0:-1])[::-1]  # Pr[|sum| > t] for t = 0, 1, …
    return int(np.argmax(np.append(beyond, 0.0) <= failure))


@lru_cache(maxsize=64)
def _mixture(count: int) -> tuple[Floats, Floats]:
    """For i = 0, 1, …: the weight of all Gamma(j) with j > i, and ln i!. The omitted weight is less than e^-90."""
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
    """Upper bound on Pr[C > x]: the tail is convex, so its chords lie above it; where x < 0 the next lower value is used."""
    points, tails = _table(count)
    upper = np.interp(x, points, tails) / 2
    place = np.minimum(np.searchsorted(points, -x), len(points) - 1)
    lower = np.where(-x > points[-1], 0.0, tails[place]) / 2
    return np.where(x >= 0, upper, 1 - lower)
