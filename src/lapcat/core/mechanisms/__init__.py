"""The mechanisms lapcat has: one file each, and one name in the tuple. The suite in tests/laws runs over it."""

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
"""Mechanisms that add no noise to a number but choose: a value to report, a candidate, the keys to show."""

VECTORS: tuple[type[KNorm], ...] = (KNorm,)
"""Mechanisms whose noise on several numbers is drawn jointly: the law is that of the whole vector."""

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
