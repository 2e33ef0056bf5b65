"""Margins of sums of independent noise of one law: running totals, roll-ups, shares.

The law of a sum of k draws follows from its characteristic function, the k-th power of that of one draw. On a circle of N
integers the probability of −t..t is a finite sum of it, and the wrap-around error is bounded; so no margin is too small.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lapcat.core.mechanisms.base import NoiseLaw
from lapcat.plan.noise_families import NoiseFamily, family_of

Floats = npt.NDArray[np.float64]

SHARE = 1e-6  # of the failure probability, reserved for each bound: the margin grows by less than a millionth of itself
ROUNDING = 1e-12  # more than the total floating-point error of one sum
KNOT = 1.01  # from 100 noises on, margins of many numbers of noises are those of the next knot: at most 0.5 % wider


@lru_cache(maxsize=1024)
def margin_of_equal_sum(law: NoiseLaw, k: int, confidence: Fraction) -> int:
    """A t, in steps, with Pr[|Z₁ + … + Z_k| ≤ t] ≥ confidence for independent noises of this law; the law's own at k = 1.

    Theorem: let φ be the characteristic function of one noise and W(t) = (1/N)·Σ_j φ(2πj/N)^k·D_t(2πj/N) over
             |j| ≤ (N−1)/2, D_t(θ) = sin((2t+1)θ/2)/sin(θ/2), N odd and 2t < N. Then
             W(t) − Pr[|S| ≥ N/2] ≤ Pr[|S| ≤ t] ≤ W(t).
    Proof:   D_t(θ) = Σ_{|s|≤t} e^(isθ), and the mean of e^(i(S−s)θ) over θ = 2πj/N is 1 where N divides S − s and 0
             elsewhere. So W(t) is the chance that S is within t of a multiple of N; of another multiple than 0 it
             is only where |S| ≥ N − t > N/2.
    Slack:   the tail beyond N/2 (Chernoff) and the terms left out each get a millionth of the failure. The least t but
             for that, unless it exceeds 10⁶ steps: then to six digits, rounded up. A law of no known family: the union bound.

    >>> from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw
    >>> law = DiscreteLaplaceLaw(Fraction(50))
    >>> margin_of_equal_sum(law, 1, Fraction(95, 100)) == law.margin(Fraction(95, 100))
    True
    >>> round(margin_of_equal_sum(law, 10**6, Fraction(95, 100)) / (1.959964 * law.sd * 1000), 3)  # nearly normal
    1.0
    """
    if k < 1:
        raise ValueError(f"a sum of {k} draws: must be at least one")
    if k == 1:
        return law.margin(confidence)
    family = family_of(law)
    if family is None:
        return k * law.margin(1 - (1 - confidence) / k)
    failure = float(1 - confidence)
    circle = _circle(family, law, k, failure * SHARE)
    wanted = float(confidence) + 2 * failure * SHARE + ROUNDING
    low, high = -1, circle.size // 2
    while high - low > max(1, high // 10**6):
        middle = (low + high) // 2
        if circle.within(middle) >= wanted:
            high = middle
        else:
            low = middle
    return high


def margins_of_fourier_sums(law: NoiseLaw, ks: npt.NDArray[np.int64], confidence: Fraction) -> Floats:
    """The margin of a sum of k draws for each k, in steps; if there are many k beyond 100, those of knots are used.

    Theorem: the margin grows with k, so that of a larger k serves.
    Proof:   discrete Laplace and Gaussian laws are log-concave and symmetric, and so is a sum S of them. So the window
             −t..t shifted by z holds less of S than the window itself, and S plus another noise less than S. (By the union
             bound, k times the margin of one noise at 1 − β/k grows with k as well.)
    """
    needed, back = np.unique(_knots(ks), return_inverse=True)
    margins = [float(margin_of_equal_sum(law, int(k), confidence)) for k in needed]
    return np.array(margins, np.float64)[back].reshape(ks.shape)


def _knots(ks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Each k, or beyond 100 the next power of KNOT, if there are more than 100 different k."""
    if np.unique(ks).size <= 100:
        return ks
    powers = np.ceil(np.log(np.maximum(ks, 1)) / math.log(KNOT) - 1e-9)
    knots = np.ceil(KNOT**powers).astype(np.int64)
    return np.where(ks <= 100, ks, np.maximum(ks, knots))


class _Circle(NamedTuple):
    """The sum's characteristic function on a circle of `size` integers, at the angles that matter."""

    size: int
    half_angles: Floats
    weights: Floats
    """φ^k / (N·sin(θ/2)), doubled for ±j."""

    def within(self, t: int) -> float:
        """The probability that the sum is within t of a multiple of the circle, without the omitted terms."""
        return (2 * t + 1) / self.size + float(self.weights @ np.sin((2 * t + 1) * self.half_angles))


def _circle(family: NoiseFamily, law: NoiseLaw, k: int, slack: float) -> _Circle:
    """A circle such that the probability to leave it, and the sum of the omitted terms, are at most the slack each."""
    size = 2 * math.ceil(family.reach(law, k, slack)) + 1
    terms = min(size // 2, math.ceil(family.last_angle(law, k, slack, size) * size / (2 * math.pi)))
    half_angles = np.arange(1, terms + 1, dtype=np.float64) * (math.pi / size)
    logs = family.log_characteristic(law, half_angles)
    return _Circle(size, half_angles, 2 * np.exp(k * logs) / (size * np.sin(half_angles)))
