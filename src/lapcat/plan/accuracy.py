"""Margins of error before a question is asked, from the exact noise laws.

Nothing here depends on data. A margin at confidence 1 − β is a t with Pr[|noise| ≤ t] ≥ 1 − β: the smallest for a single
discrete law, and from the joint tail for a sum of two of one kind.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from lapcat.core.mechanisms.base import NoiseLaw
from lapcat.errors import Bug
from lapcat.plan.fourier_sums import margin_of_equal_sum as margin_of_equal_sum
from lapcat.plan.laplace_sums import margin_of_many, margin_of_two
from lapcat.plan.noise_families import FAMILIES, family_of

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Noise:
    """The noise on one statistic: its law in steps of the grid (None: the statistic is public) and the step."""

    law: NoiseLaw | None
    step: Fraction

    def margin(self, confidence: Fraction) -> float:
        """The smallest margin on the lattice, in the statistic's own unit of measure."""
        return 0.0 if self.law is None else float(_margin(self.law, confidence) * self.step)

    @property
    def variance(self) -> float:
        return 0.0 if self.law is None else self.law.variance * float(self.step) ** 2

    @property
    def draws(self) -> int:
        """The number of draws in the sum."""
        return 1 if self.law is None else self.law.draws

    @property
    def spread(self) -> float:
        """The width of the law, in the statistic's own unit of measure."""
        return self.steps * float(self.step)

    @property
    def steps(self) -> float:
        """The same in steps of the grid."""
        return 0.0 if self.law is None else self.law.width


@lru_cache(1024)
def _margin(law: NoiseLaw, confidence: Fraction) -> int:
    """Cached: the exact computation takes a millisecond."""
    return law.margin(confidence)


def margin_of_sum(first: Noise, factor: float, second: Noise, confidence: Fraction) -> float:
    """A t with Pr[|X + factor·Y| ≤ t] ≥ confidence for independent noises X and Y.

    Where Y is coarse it is summed over exactly; where it is fine (64 steps and more) both are replaced by continuous
    variables of the same scale, or sigma. Under the monotone coupling the discrete ones stay within one step of those, so
    a step of each that is replaced is added to the margin.

    Proof:  of Laplace, the discrete tail 2q^t/(1+q) lies between e^(−t/b) and e^(−(t−1)/b). Of Gauss, by Poisson's
            summation the sum of e^(−z²/2σ²) over the integers is σ·√2π times a number from 1 to 1 + 3e^(−2π²σ²), so
            each probability is at most the density, and the tail from t on at most the continuous one from t − 1 on, for
            the density falls; and at least the continuous one from t on, over that factor: 3e^(−2π²σ²) is added to the
            failure probability, which is less than 10^-30 from σ = 2 on. (Where it is too much, by the union bound; so too
            where the laws are of no known family.)
    """
    factor = abs(factor)
    if second.law is None or factor == 0.0:
        return first.margin(confidence)
    if first.law is None:
        return factor * second.margin(confidence)
    names = {first.law.family, second.law.family}
    if len(names) > 1 and names <= FAMILIES.keys():
        raise Bug("noise-mixed", "one number has both Laplace and Gaussian noise")
    family = family_of(first.law, second.law)
    if family is not None and (first.draws, second.draws) != (1, 1):
        return margin_of_two(
            (first.spread, first.draws),
            (factor * second.spread, second.draws),
            float(first.step) + factor * float(second.step),
            confidence,
        )
    failure = float(1 - confidence) - (0.0 if family is None else family.lost(first.steps))
    if family is None or failure < 0.9 * float(1 - confidence):
        each = 1 - (1 - confidence) / 2
        return first.margin(each) + factor * second.margin(each)
    wide, narrow = first.spread, factor * second.spread
    if second.steps >= 64:
        slack = float(first.step) + factor * float(second.step)
        return _solve(lambda t: family.tail_of_two(t, wide, narrow), failure, wide + narrow) + slack
    steps = np.arange(0, math.ceil(second.steps * family.beyond) + 2)
    weights = family.weights(steps, second.steps)
    shift: Floats = steps.astype(np.float64) * (factor * float(second.step))

    def tail(t: float) -> float:
        """Pr[|X + shift| > t], each side summed over Y ≥ 0 and doubled, for Y and X are symmetric."""
        above, below = family.upper_tail(t - shift, wide), family.upper_tail(t + shift, wide)
        both = weights * (above + below)
        return float(both[0] + 2 * both[1:].sum())

    return _solve(tail, failure, wide + narrow) + float(first.step)


APART = 1.01
"""The minimum ratio of consecutive scales in a sum; closer ones are moved apart."""


def margin_of_combination(noises: Sequence[Noise], coefficients: Floats, confidence: Fraction) -> Floats:
    """For each column c of the coefficients a t with Pr[|c₁·Z₁ + … + c_k·Z_k| ≤ t] ≥ confidence; the Zᵢ are independent.

    Theorem: for continuous Laplace variables of different scales aᵢ, Pr[|Σ Xᵢ| > t] = Σ wᵢ e^(−t/aᵢ) with
             wᵢ = Π_{j≠i} aᵢ²/(aᵢ² − aⱼ²).
    Proof:   the characteristic function Π 1/(1 + aᵢ²s²) in partial fractions, each a Laplace density.
    Theorem: t grows with each |cᵢ|, so a scale may be taken larger than it is, and coefficients with only a known
             bound may be replaced by it.
    Proof:   of independent symmetric X and Y let Y be unimodal. Pr[|u + Y| ≤ t] falls with |u|, so
             Pr[|aX + Y| ≤ t] = E Pr[|aX + Y| ≤ t | X] falls with a. Sums of Laplace variables are symmetric and unimodal.
    A discrete Laplace variable is at most 1 − c steps from the continuous one of its scale b when both are driven by the
    same sign and tail: |Z| = t where |X| lies in t − c + [0, 1), c = b·ln(2/(1 + q)) ≤ 1/2, q = e^(−1/b). That is added.
    Where one of them is a sum of several draws, all are taken by `margin_of_many`, with a step of each added: that is the
    theorem of plan/laplace_sums.py for lattices of different steps.
    Any other law keeps its own margin, by the union bound; so do Laplace noises where that is less, which happens only on a
    coarse lattice.
    """
    size: Floats = np.abs(coefficients)
    noisy = [(noise, noise.law, size[i]) for i, noise in enumerate(noises) if noise.law is not None]
    laplace = [(noise, c) for noise, law, c in noisy if _combines(law)]
    others = [(noise, c) for noise, law, c in noisy if not _combines(law)]
    parts = len(others) + (1 if laplace else 0)
    total: Floats = np.zeros(size.shape[1:])
    if not parts:
        return total
    each = 1 - (1 - confidence) / parts
    for noise, c in others:
        total = total + c * noise.margin(each)
    if len(laplace) == 1:
        ((noise, c),) = laplace
        return np.asarray(total + c * noise.margin(each))
    if laplace:
        apart = 1 - (1 - each) / len(laplace)
        one_by_one = sum(c * noise.margin(apart) for noise, c in laplace)
        scales = [c * noise.spread for noise, c in laplace]
        if any(noise.draws > 1 for noise, _ in laplace):
            slack = sum(c * float(noise.step) for noise, c in laplace)
            counts = [noise.draws for noise, _ in laplace]
            together = slack + margin_of_many(np.array(scales), counts, float(1 - each))
        else:
            slack = sum(c * _rounding(noise) for noise, c in laplace)
            together = slack + _laplace_margin(scales, float(1 - each))
        total = total + np.minimum(one_by_one, together)
    return total


def _combines(law: NoiseLaw) -> bool:
    """Whether the theorem above is about its family."""
    family = family_of(law)
    return family is not None and family.combines


def _rounding(noise: Noise) -> float:
    """Upper bound on the distance of a discrete Laplace variable from the continuous one of its scale."""
    scale = noise.steps
    return float(noise.step) * (1 + scale * math.log1p(math.expm1(-1 / scale) / 2))


def _laplace_margin(scales: list[Floats], failure: float) -> Floats:
    """For each cell the t at which the tail of a sum of Laplace variables is `failure`, to six digits, rounded up.

    Theorem: Newton's steps for ln(tail(t)) = ln(failure) end at or beyond the solution.
    Proof:   the density is a convolution of log-concave ones, hence log-concave, and so is its tail. A concave
             function lies below its tangent, which therefore reaches a level no earlier than the function does.
    """
    a = np.sort(np.array(scales), axis=0)
    a[0] = np.maximum(a[0], np.maximum(a[-1] * 1e-6, 1e-300))
    for i in range(1, len(a)):
        a[i] = np.maximum(a[i], APART * a[i - 1])
    top = a[-1].copy()
    rates = top / a
    squares = rates**-2.0
    weights = np.ones_like(a)
    for i, j in ((i, j) for i in range(len(a)) for j in range(len(a)) if i != j):
        weights[i] *= squares[i] / (squares[i] - squares[j])
    weights = weights + np.abs(weights) * 2.0**-42  # rounding, which must not make a tail thinner than it is
    t = np.full(top.shape, -math.log(failure))  # that of the largest scale alone
    for _ in range(5):
        parts = weights * np.exp(-t * rates)
        tail = parts.sum(axis=0)
        t = t + tail / (parts * rates).sum(axis=0) * np.log(tail / failure)
    return np.asarray(t * top * (1 + 1e-9))


def _solve(tail: Callable[[float], float], failure: float, start: float) -> float:
    """The t at which a decreasing tail falls to `failure`, from above and to five digits."""
    low, high = 0.0, start
    while tail(high) > failure:
        low, high = high, high * 2
    while high - low > 1e-5 * high:
        middle = (low + high) / 2
        if tail(middle) > failure:
            low = middle
        else:
            high = middle
    return high


@dataclass(frozen=True, slots=True)
class Guarantee:
    """A guarantee for a selected value on every table, at the requested confidence: in rows, as that in the value's own unit
    depends on the data."""

    rows: float
    words: str


@dataclass(frozen=True, slots=True)
class Foreseen:
    """The error of a column that is known before it is charged.

    margin: at the requested confidence; None where it depends on a row count that is not public.
    assuming: in that case, the margin for some row counts.
    supposing: what else `assuming` assumes, and what holds without it.
    """

    margin: float | None
    variance: float | None
    assuming: tuple[tuple[int, float], ...] = ()
    supposing: str = ""
    guarantee: Guarantee | None = None
