"""SKEWNESS(x), an aggregate added from outside: the third central moment over the third power of the standard deviation.

Where the noise leaves no variance to divide by, it is 0 with open ends: the skewness of n rows is at most about √n.
"""

from __future__ import annotations

import math

import numpy as np

from lapcat.plan.aggregates.equations import IntervalArray, around, solved, spanned
from lapcat.plan.aggregates.moments import MomentLayout, Moments
from lapcat.plan.aggregates.of_moments import MomentEstimate, OfMoments

SQUARE, CUBE = (0, 0), (0, 0, 0)


def _skewness(moments: Moments, layout: MomentLayout) -> MomentEstimate:
    """Equation, with the mean a and the standard deviation s: Σ((u − a)³ − 3s²(u − a) − g·½(3s(u − a)² − s³)) = 0.

    The second term and the second power are 0 and s² on average; they make the derivatives by a and s vanish. With noisy sums it is
    k̃ + 3δ(ṽ − s²) + δ³ − g·½(3s(ṽ + δ²) − s³) = noise/n, where ṽ and k̃ are the noisy central moments.
    """
    mean, square = moments.means[0], moments.products[SQUARE]
    third = moments.products[CUBE] - 3 * square * mean + 2 * mean**3
    variance = np.where(moments.central(0, 0) > 0, moments.central(0, 0), np.nan)
    a = moments.mean(0)
    s = moments.variance(0, a, moments.equations.aside).within(0.0, 1.0).root()
    off = spanned(mean) - a
    shown = off * (spanned(variance) - s.squared()) * 3.0 + off * off.squared() + third
    ends = [(3 * variance * end - end**3) / 2 for end in s.ends]  # largest at √ṽ, which is between them
    scale = IntervalArray(np.minimum(*ends), variance**1.5) + s * off.squared() * 1.5

    def once(g: IntervalArray) -> IntervalArray:
        noise = moments.noise(
            {
                CUBE: 1.0,
                SQUARE: a * -3.0 - g * s * 1.5,
                0: (a.squared() - s.squared() + g * s * a) * 3.0,
                None: a * (s.squared() * 3.0 - a.squared()) - g * s * (a.squared() * 3.0 - s.squared()) * 0.5,
            },
            moments.equations.main(2),
        )
        return (shown + around(noise / moments.n)) * scale.inverse()

    farthest = 2 * s.inverse().high  # |u − a| is at most 2, so the third moment is at most 2s²
    return MomentEstimate(third / variance**1.5, solved(around(farthest), once), -math.inf, math.inf, 1.0)


SKEWNESS = OfMoments("skewness", 1, (SQUARE, CUBE), _skewness)
