"""Margins of answers: a multiple of the standard deviation that holds for every linear combination of noise draws.

An answer's error is Σ a_j Z_j, with a_j given by the strategy. Only its variance is computed for each of a million
answers, which is enough:

Theorem: let S = Σ a_j Y_j for independent Laplace variables Y_j of any scales, m its variance, and t > 0. Then
         Pr[|S| > t] ≤ E h(m·E) with E exponential of mean 1, where h is g(v) = Pr[|N(0, v)| > t] up to v₀ = t²/3 and its
         tangent at v₀ beyond.
Proof:   a Laplace variable of scale b is normal with the random variance 2b²E. So S is normal given V = Σ c_j E_j,
         c_j = 2 a_j² b_j², Σ c_j = m, and Pr[|S| > t] = E g(V). g is convex up to t²/3 and concave beyond (its slope
         t·e^(−t²/2v) / √(2πv³) rises until then), so h is convex and nowhere below g. By convexity
         h(Σ (c_j/m)·mE_j) ≤ Σ (c_j/m) h(mE_j), and the mean of the right side is E h(mE).
Slack:   at 95 % the factor is 2.161; one Laplace noise alone needs 2.118, a sum of very many 1.960.

The integral is computed to within 1e-9. Higher confidence needs another bound:

Theorem: for m = 1 and 0 < h < √2, Pr[|S| > t] ≤ 2·e^(−ht) / (1 − h²/2).
Proof:   Chernoff's bound on either side. E e^(hS) = Π 1 / (1 − h²a_j²b_j²), Σ a_j²b_j² = 1/2, and Π (1 − x_j) ≥ 1 − Σ x_j.
Slack:   at one failure in 10¹² the factor is 22.7, and one Laplace noise alone needs 19.5.

The draws Z_j are integers, for which the first theorem fails as stated: one draw of scale 0.98 lies beyond 2.161 deviations
of the continuous law, 2.995, with probability 7 %.

Theorem: let S = Σ a_j Z_j for discrete Laplace draws, m = Σ 2 a_j² b_j² and A = Σ a_j². For 0 < π < 1 and r = √(A · ln(1/π) / 3),
         Pr[|S| > t + r] ≤ E h(m·E) / (1 − π), h being that of t.
Proof:   docs/proofs/combinations.md: a continuous draw is a discrete one and an independent rest, which is symmetric and so
         small that Σ a_j R_j is below −r with probability π at most.

If an answer is a sum of cells that were measured once each, with noise of one scale, the sum is an integer, and the first
theorem holds for every integer t: plan/laplace_sums.py has the proof. Then nothing is added, and the margin is rounded up.

K-norm noise is not such a combination. A combination of Gaussian draws is sub-Gaussian with the variance used here (Canonne,
Kamath & Steinke 2020), which is weaker than normal tails. For these two, coverage is tested.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from lapcat.workload.factors import Floats
from lapcat.workload.strategy import NoiseKind

NODES = 128
ROUNDING = 1e-9
"""Upper bound, by far, on the error of the integral below."""
PARTS = 1024
"""Number of grid points for h."""
RESTS = tuple(Fraction(1, n) for n in (4, 6, 10, 20, 50, 100, 200, 500, 1000, 10_000))
"""Candidates for π: the best depends on the size of the noise relative to one step."""


@lru_cache(maxsize=256)
def deviations(kind: NoiseKind, confidence: Fraction) -> float:
    """The number of standard deviations that covers the true answer with this confidence.

    >>> round(deviations("gaussian", Fraction(95, 100)), 3), round(deviations("laplace", Fraction(95, 100)), 3)
    (1.96, 2.161)
    """
    if kind == "gaussian":
        return NormalDist().inv_cdf(float(1 + confidence) / 2)
    failure = float(1 - confidence) - ROUNDING
    if failure < ROUNDING:
        return _surely(float(1 - confidence))
    low, high = 0.0, 1.0
    while exceeds(high) > failure:
        high *= 2
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if exceeds(middle) > failure else (low, middle)
    return high


def _surely(failure: float) -> float:
    """The same by the second theorem, minimised over a grid of h."""
    tried = (math.sqrt(2) * i / PARTS for i in range(1, PARTS))
    return min((math.log(2 / failure) - math.log1p(-h * h / 2)) / h for h in tried)


def margins_of_draws(sds: Floats, lengths: Floats, confidence: Fraction) -> Floats:
    """Margins of combinations of discrete Laplace draws, given √m and √A of the theorem for each; minimised over π.

    >>> margins_of_draws(np.array([1.386]), np.array([1.0]), Fraction(95, 100)).round(2).tolist()  # of one draw
    [3.94]
    """
    failure = 1 - confidence
    margins = np.full(len(sds), math.inf)
    for rest in RESTS:
        factor = deviations("laplace", 1 - failure * (1 - rest))
        margins = np.minimum(margins, factor * sds + math.sqrt(math.log(1 / rest) / 3) * lengths)
    return margins


def exceeds(t: float) -> float:
    """E h(E) of the theorem, for variance 1: an upper bound on Pr[|S| > t]."""
    end = t * t / 3
    inside = 0.0
    for node, weight in _nodes():
        v = (node + 1) * end / 2
        inside += weight * math.erfc(t / math.sqrt(2 * v)) * math.exp(-v)
    last = math.erfc(t / math.sqrt(2 * end))
    slope = t * math.exp(-t * t / (2 * end)) / math.sqrt(2 * math.pi * end**3)
    return inside * end / 2 + math.exp(-end) * (last + slope)


@lru_cache(maxsize=1)
def _nodes() -> tuple[tuple[float, float], ...]:
    """Nodes and weights of Gauss–Legendre quadrature on −1..1."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return tuple(zip(nodes.tolist(), weights.tolist(), strict=True))
