"""VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP: the mean square less the square of the mean.

SQL returns NULL for a sample of one row; here too few rows give the middle of 0..(U − L)²/2 with that interval. For weighted
rows n is the sum of the weights, and the sample variance is corrected by n/(n − 1).
"""

from __future__ import annotations

import numpy as np

from lapcat.plan.accuracy import Floats
from lapcat.plan.aggregates.moments import MomentLayout, Moments
from lapcat.plan.aggregates.of_moments import MomentEstimate, OfMoments

BELOW = "the noisy variance was negative and is shown as 0"


def _population(moments: Moments, layout: MomentLayout) -> MomentEstimate:
    """At most h²: half the values at each end."""
    span = moments.variance(0, moments.mean(0), moments.equations.main(1))
    return MomentEstimate(moments.central(0, 0), span, 0.0, 1.0, float(layout.sizes[1]) ** 2)


def _sample(moments: Moments, layout: MomentLayout) -> MomentEstimate:
    value = moments.central(0, 0) * bessel(moments)
    span = moments.variance(0, moments.mean(0), moments.equations.main(1), sample=True)
    return MomentEstimate(value, span, 0.0, 2.0, float(layout.sizes[1]) ** 2)


def bessel(moments: Moments) -> Floats:
    """n/(n − 1): at most 2, as there are at least two rows."""
    return np.asarray(moments.n / (moments.n - 1))


VAR_POP = OfMoments("var_pop", 1, ((0, 0),), _population, below=BELOW)
VAR_SAMP = OfMoments("var_samp", 1, ((0, 0),), _sample, least=2, below=BELOW)
STDDEV_POP = OfMoments("stddev_pop", 1, ((0, 0),), _population, rooted=True, below=BELOW)
STDDEV_SAMP = OfMoments("stddev_samp", 1, ((0, 0),), _sample, least=2, rooted=True, below=BELOW)
