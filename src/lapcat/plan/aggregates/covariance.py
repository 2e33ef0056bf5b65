"""COVAR_POP, COVAR_SAMP and CORR of the rows in which both values are present.

CORR where a variance is not above zero is NULL in SQL; here it is 0 with −1..1 as interval.
"""

from __future__ import annotations

import numpy as np

from lapcat.plan.aggregates.equations import IntervalArray, around, solved, spanned
from lapcat.plan.aggregates.moments import MomentLayout, Moments
from lapcat.plan.aggregates.of_moments import MomentEstimate, OfMoments
from lapcat.plan.aggregates.variance import bessel


def _population(moments: Moments, layout: MomentLayout) -> MomentEstimate:
    """At most h·k: both values at the same ends."""
    means = moments.mean(0), moments.mean(1)
    span = moments.covariance(0, 1, means, moments.equations.main(2))
    return MomentEstimate(moments.central(0, 1), span, -1.0, 1.0, float(layout.sizes[3]))


def _sample(moments: Moments, layout: MomentLayout) -> MomentEstimate:
    means = moments.mean(0), moments.mean(1)
    span = moments.covariance(0, 1, means, moments.equations.main(2), sample=True)
    return MomentEstimate(moments.central(0, 1) * bessel(moments), span, -2.0, 2.0, float(layout.sizes[3]))


def _correlation(moments: Moments, layout: MomentLayout) -> MomentEstimate:
    """Equation, with λ = σ_w/σ_u: Σ((u − ū)(w − w̄) − r·½(λ(u − ū)² + (w − w̄)²/λ)) = 0.

    With noisy sums it is c̃ + δδ′ − r·½(λ(ũ + δ²) + (w̃ + δ′²)/λ) = noise/n, where ũ and w̃ are the noisy variances. As
    ½(λũ + w̃/λ) = √(ũw̃)·cosh(ln(λ/λ̃)), it hardly depends on λ.
    """
    equations = moments.equations
    u, w = moments.mean(0), moments.mean(1)
    variances = [moments.variance(i, mean, equations.aside) for i, mean in ((0, u), (1, w))]
    s, t = (variance.within(0.0, 1.0).root() for variance in variances)
    ratio, inverse = t * s.inverse(), s * t.inverse()
    noisy = [np.where(v > 0, v, np.nan) for v in (moments.central(0, 0), moments.central(1, 1))]
    middle = np.sqrt(noisy[1] / noisy[0])
    farthest = np.maximum(ratio.high / middle, inverse.high * middle)
    spread = np.sqrt(noisy[0] * noisy[1])
    off = [(spanned(moments.means[i]) - mean).squared() for i, mean in ((0, u), (1, w))]
    scale = (
        IntervalArray(spread, spread * (farthest + 1 / farthest) / 2)
        + (ratio * off[0] + inverse * off[1]) * 0.5
    )
    shown = moments.shown_covariance(0, 1, (u, w))

    def once(r: IntervalArray) -> IntervalArray:
        noise = moments.noise(
            {
                (0, 1): 1.0,
                (0, 0): r * ratio * -0.5,
                (1, 1): r * inverse * -0.5,
                0: r * ratio * u - w,
                1: r * inverse * w - u,
                None: u * w - r * (ratio * u.squared() + inverse * w.squared()) * 0.5,
            },
            equations.main(4),
        )
        return (shown + around(noise / moments.n)) * scale.inverse()

    span = solved(around(np.ones(moments.n.size)), once)
    return MomentEstimate(moments.central(0, 1) / spread, span, -1.0, 1.0, 1.0)


COVAR_POP = OfMoments("covar_pop", 2, ((0, 1),), _population)
COVAR_SAMP = OfMoments("covar_samp", 2, ((0, 1),), _sample, least=2)
CORR = OfMoments("corr", 2, ((0, 1), (0, 0), (1, 1)), _correlation)
