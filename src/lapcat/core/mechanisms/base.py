"""What a mechanism is: how it draws, which law the draws have, what they cost. Shared tests tie the three together."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.event import Event
from lapcat.core.loss import Loss
from lapcat.core.sensitivity import Sensitivity

Share = TypeVar("Share", bound=Loss, contravariant=True)


class Law(Protocol):
    """The distribution of one released integer."""

    def pmf(self, z: int) -> float:
        """Pr[the release is z]."""
        ...

    def pmf_bounds(self, z: int) -> tuple[Fraction, Fraction]:
        """Pr[the release is z], rounded down and up."""
        ...

    def log_ratio(self, other: Self, z: int) -> Fraction:
        """ln(Pr[z under this law] / Pr[z under the other]), exactly or rounded up: the privacy loss at z."""
        ...

    def cdf(self, z: int) -> float:
        """Pr[the release is at most z]."""
        ...

    def quantile(self, p: Fraction) -> int:
        """The least z whose cdf is at least p."""
        ...

    def within(self, t: int) -> float:
        """Pr[the release is at most t away from the exact value]."""
        ...

    def margin(self, confidence: Fraction) -> int:
        """The least t for which `within(t)` is at least the confidence; never too small."""
        ...

    @property
    def variance(self) -> float:
        """The mean squared distance from the exact value."""
        ...


class Mechanism(Protocol[Share]):
    """A frozen dataclass per mechanism; adding one is one file and one name in MECHANISMS."""

    def draw(self, exact: NDArray[np.int64], coins: CoinSource) -> NDArray[np.int64]:
        """The blurred integers, with fresh noise in each coordinate."""
        ...

    def law(self, exact: int = 0) -> Law:
        """The law of one coordinate of `draw` whose exact value is this."""
        ...

    def event(self, label: str, sensitivity: Sensitivity) -> Event:
        """What one `draw` of a vector of this sensitivity is, for the ledger: the cost follows from it."""
        ...

    @classmethod
    def calibrate(cls, sensitivity: Sensitivity, share: Share) -> Self:
        """The mechanism with the least noise whose event costs at most the share."""
        ...
