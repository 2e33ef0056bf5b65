"""The noise and selection mechanisms, on integers: one module each, one name in the tuple. tests/laws checks them all."""

from lapcat.core.loss import ZCDP, ApproxDP, PureDP
from lapcat.core.mechanisms.base import Law, Mechanism
from lapcat.core.mechanisms.discrete import Discrete
from lapcat.core.mechanisms.exponential import Exponential
from lapcat.core.mechanisms.finite import FiniteLaw
from lapcat.core.mechanisms.gaussian import DiscreteGaussianLaw, Gaussian
from lapcat.core.mechanisms.gaussian_delta import ApproxGaussian
from lapcat.core.mechanisms.knorm import KNorm, KNormLaw
from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw, Laplace
from lapcat.core.mechanisms.permute_and_flip import PermuteAndFlip
from lapcat.core.mechanisms.response import Response, ShareEstimate
from lapcat.core.mechanisms.threshold import Shown, Threshold, ThresholdLaw

AnyMechanism = Mechanism[PureDP] | Mechanism[ZCDP] | Mechanism[ApproxDP]

MECHANISMS: tuple[type[AnyMechanism], ...] = (Laplace, Gaussian, ApproxGaussian)

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
    "AnyMechanism",
    "ApproxGaussian",
    "Discrete",
    "DiscreteGaussianLaw",
    "DiscreteLaplaceLaw",
    "Exponential",
    "FiniteLaw",
    "Gaussian",
    "KNorm",
    "KNormLaw",
    "Laplace",
    "Law",
    "Mechanism",
    "PermuteAndFlip",
    "Response",
    "ShareEstimate",
    "Shown",
    "Threshold",
    "ThresholdLaw",
]
