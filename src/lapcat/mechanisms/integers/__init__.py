"""The mechanisms on integers that no SQL question asks for directly, and the tuples of all that tests/laws checks.

Like those of core/mechanisms, each has a sampler, an exact law and an event. The façade and `workload/` draw with them.
"""

from typing import Any

from lapcat.core.mechanisms import registry
from lapcat.core.mechanisms.base import Mechanism
from lapcat.core.mechanisms.threshold import Threshold
from lapcat.mechanisms.integers.discrete import Discrete
from lapcat.mechanisms.integers.exponential import Exponential
from lapcat.mechanisms.integers.gaussian_delta import ApproxGaussian
from lapcat.mechanisms.integers.knorm import KNorm, KNormLaw
from lapcat.mechanisms.integers.permute_and_flip import PermuteAndFlip
from lapcat.mechanisms.integers.response import Response, ShareEstimate

MECHANISMS: tuple[type[Mechanism[Any]], ...] = (*registry.MECHANISMS.values(), ApproxGaussian)

CHOICES: tuple[type[Response | Discrete | Exponential | PermuteAndFlip | Threshold], ...] = (
    Response,
    Discrete,
    Exponential,
    PermuteAndFlip,
    Threshold,
)
"""Mechanisms that select instead of adding noise to a number: a value to report, a candidate, the keys to show."""

VECTORS: tuple[type[KNorm], ...] = (KNorm,)
"""Mechanisms with joint noise on several numbers: the law is that of the whole vector."""

__all__ = [
    "CHOICES",
    "MECHANISMS",
    "VECTORS",
    "ApproxGaussian",
    "Discrete",
    "Exponential",
    "KNorm",
    "KNormLaw",
    "PermuteAndFlip",
    "Response",
    "ShareEstimate",
]
