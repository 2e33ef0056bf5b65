"""The mechanisms by themselves, for a statistician: `from lapcat import mechanisms as m`.

    lap = m.Laplace(sensitivity=5, epsilon="0.1")
    lap.scale; lap.release(17.2); lap.release(array); lap.margin(0.95); lap.variance

A façade over lapcat.core, where the laws are proved and drawn. Nothing here keeps a budget: every call of `release` or
`choose` costs what `loss` says, and `lapcat.compose` adds them up. Numbers are floored to a public grid, a power of two,
before exact integer noise is added; the grid is part of the mechanism, so that margin and variance are known before
anything is released. With grid=1, integers come back.
"""

from lapcat.mechanisms.choice import Exponential, PermuteAndFlip
from lapcat.mechanisms.discrete import DiscreteMechanism
from lapcat.mechanisms.gaussian import Gaussian
from lapcat.mechanisms.knorm import KNorm
from lapcat.mechanisms.laplace import Laplace
from lapcat.mechanisms.response import RandomizedResponse
from lapcat.mechanisms.threshold import Threshold

__all__ = [
    "DiscreteMechanism",
    "Exponential",
    "Gaussian",
    "KNorm",
    "Laplace",
    "PermuteAndFlip",
    "RandomizedResponse",
    "Threshold",
]
