"""The mechanisms of SQL questions, on integers: one module each, one name in the tuple. tests/laws checks them all."""

from lapcat.core.loss import ZCDP, ApproxDP, PureDP
from lapcat.core.mechanisms.base import Law, Mechanism
from lapcat.core.mechanisms.finite import FiniteLaw
from lapcat.core.mechanisms.gaussian import DiscreteGaussianLaw, Gaussian
from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw, Laplace
from lapcat.core.mechanisms.threshold import Shown, Threshold, ThresholdLaw

AnyMechanism = Mechanism[PureDP] | Mechanism[ZCDP] | Mechanism[ApproxDP]

MECHANISMS: tuple[type[AnyMechanism], ...] = (Laplace, Gaussian)

__all__ = [
    "MECHANISMS",
    "AnyMechanism",
    "DiscreteGaussianLaw",
    "DiscreteLaplaceLaw",
    "FiniteLaw",
    "Gaussian",
    "Laplace",
    "Law",
    "Mechanism",
    "Shown",
    "Threshold",
    "ThresholdLaw",
]
