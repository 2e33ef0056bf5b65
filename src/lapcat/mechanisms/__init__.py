"""Stand-alone noise and selection mechanisms, without tables or budgets: `from lapcat import mechanisms as m`.

    lap = m.Laplace(sensitivity=5, epsilon="0.1")
    lap.scale; lap.release(17.2); lap.release(array); lap.margin(0.95); lap.variance

A façade over the mechanisms on integers of lapcat.core and lapcat.mechanisms.integers, which have the samplers and the proofs.
Nothing here tracks a budget: every call of `release` or
`choose` costs `loss`, and `lapcat.compose` composes the losses. Numbers are floored to a public grid, a power of two,
before exact integer noise is added; the grid is part of the mechanism, so margin and variance are known before
anything is released. With grid=1, releases are integers.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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

_MODULES = {
    "DiscreteMechanism": "discrete",
    "Exponential": "choice",
    "Gaussian": "gaussian",
    "KNorm": "knorm",
    "Laplace": "laplace",
    "PermuteAndFlip": "choice",
    "RandomizedResponse": "response",
    "Threshold": "threshold",
}


def __getattr__(name: str) -> object:
    """Lazy imports: what draws with `mechanisms.integers` does not load the façade and its pictures."""
    if name not in _MODULES:
        raise AttributeError(f"module 'lapcat.mechanisms' has no attribute {name!r}")
    return getattr(import_module(f"lapcat.mechanisms.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
