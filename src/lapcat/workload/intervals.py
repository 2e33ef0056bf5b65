"""How far an answer may be off: a multiple of its standard deviation that holds for every combination of noises.

An answer's error is Σ a_j Z_j, where a strategy decides the many a_j; only its variance is known for each of a million
answers. That is enough:

Theorem: let S = Σ a_j Y_j for independent Laplace variables Y_j of any scales, m its variance, and t > 0. Then
         Pr[|S| > t] ≤ E h(m·E) with E exponential of mean 1, where h is g(v) = Pr[|N(0, v)| > t] up to v₀ = t²/3 and its
         tangent at v₀ beyond.
Proof:   a Laplace variable of scale b is normal with the random variance 2b²E. So S is normal given V = Σ c_j E_j,
         c_j = 2 a_j² b_j², Σ c_j = m, and Pr[|S| > t] = E g(V). g is convex up to t²/3 and concave beyond (its slope
         t·e^(−t²/2v) / √(2πv³) rises until then), so h is convex and nowhere below g. By convexity
         h(Σ (c_j/m)·mE_j) ≤ Σ (c_j/m) h(mE_j), and the mean of the right side is E h(mE).
Slack:   at 95 % the factor is 2.161; one Laplace noise alone needs 2.118, a sum of very many 1.960.
Of discrete noise the same is taken, with the variance 2b² of the continuous law, which is more than its own. Its exponential
moments are below the continuous ones (the continuous draw is the discrete one plus an independent rest, plan/rolled.py); that
the bound holds for it too is tested, down to scales below one step, not proved.

A combination of Gaussian noises is Gaussian; of discrete ones it is sub-Gaussian with the same variance (Canonne, Kamath &
Steinke 2020).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from lapcat.workload.strategy import NoiseKind

NODES = 128
ROUNDING = 1e-9
"""Of the integral below: far more than its error."""


@lru_cache(maxsize=256)
def deviations(kind: NoiseKind, confidence: Fraction) -> float:
    """How many standard deviations around an answer hold the truth with this confidence.

    >>> round(deviations("gaussian", Fraction(95, 100)), 3), round(deviations("laplace", Fraction(95, 100)), 3)
    (1.96, 2.161)
    """
    if kind == "gaussian":
        return NormalDist().inv_cdf(float(1 + confidence) / 2)
    failure = float(1 - confidence) - ROUNDING
    low, high = 0.0, 1.0
    while exceeds(high) > failure:
        high *= 2
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if exceeds(middle) > failure else (low, middle)
    return high


def exceeds(t: float) -> float:
    """E h(E) of the theorem, for variance 1: never less than Pr[|S| > t]."""
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
    """Of Gauss's rule on −1..1."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return tuple(zip(nodes.tolist(), weights.tolist(), strict=True))
