"""The Gaussian mechanism for one integer under (epsilon, delta): the least sigma by the exact sum.

If one unit can change several numbers, use `Gaussian`, under zCDP.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from lapcat.core.event import ApproxGaussianRelease
from lapcat.core.loss import ApproxDP
from lapcat.core.mechanisms.gaussian import GaussianNoise
from lapcat.core.sampling import checked_sigma_squared
from lapcat.core.sensitivity import Sensitivity
from lapcat.errors import BadArgument
from lapcat.mechanisms.integers.least_sigma import least_sigma_squared


@dataclass(frozen=True, slots=True)
class ApproxGaussian(GaussianNoise[ApproxDP]):
    """Discrete Gaussian noise of this sigma², whose delta is quoted at this epsilon."""

    priced_in = ApproxDP
    epsilon: Fraction

    def __post_init__(self) -> None:
        checked_sigma_squared(self.sigma_squared)
        if self.epsilon <= 0:
            raise BadArgument(
                "epsilon-zero", f"an epsilon of {self.epsilon} is not above 0", fix="epsilon=0.1"
            )

    def event(self, label: str, sensitivity: Sensitivity) -> ApproxGaussianRelease:
        """One release of integers, at most one of which a unit can change.

        >>> count = Sensitivity(1, Fraction(1), Fraction(1), Fraction(1))
        >>> float(ApproxGaussian(Fraction(18), Fraction(1)).event("n", count).loss.delta) < 1e-6
        True
        """
        return ApproxGaussianRelease(label, _moved(sensitivity), self.sigma_squared, self.epsilon)

    @classmethod
    def calibrate(cls, sensitivity: Sensitivity, share: ApproxDP) -> Self:
        """The least noise that costs at most the share, rounded up by less than 2^-30 of sigma².

        >>> count = Sensitivity(1, Fraction(1), Fraction(1), Fraction(1))
        >>> share = ApproxDP(Fraction(1), Fraction(1, 10**6))
        >>> ApproxGaussian.calibrate(count, share).event("n", count).loss.delta <= share.delta
        True
        """
        return cls(least_sigma_squared(share.epsilon, share.delta, _moved(sensitivity)), share.epsilon)

    @classmethod
    def charged(cls, event: ApproxGaussianRelease) -> Self:
        return cls(event.sigma_squared, event.epsilon)


def _moved(sensitivity: Sensitivity) -> int:
    """Upper bound on the change of the integer, in whole steps."""
    if sensitivity.l0 > 1:
        raise BadArgument(
            "several-numbers",
            f"one unit may change {sensitivity.l0} of these numbers; this (epsilon, delta) is proved for one",
            fix="use Gaussian, whose cost is a rho, and convert the sum of rhos to (epsilon, delta)",
        )
    return int(sensitivity.linf)
