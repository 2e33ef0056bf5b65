"""The interface of a mechanism: its sampler, its law and its cost. Shared tests check that the three agree."""

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
    """A noise mechanism: a frozen dataclass. A new one needs one module and one name in MECHANISMS."""

    def draw(self, exact: NDArray[np.int64], coins: CoinSource) -> NDArray[np.int64]:
        """The exact integers with fresh noise in each coordinate."""
        ...

    def law(self, exact: int = 0) -> Law:
        """The law of one coordinate of `draw` with this exact value."""
        ...

    def event(self, label: str, sensitivity: Sensitivity) -> Event:
        """The ledger event of one `draw` of a vector of this sensitivity; the cost follows from it."""
        ...

    @classmethod
    def calibrate(cls, sensitivity: Sensitivity, share: Share) -> Self:
        """The mechanism with the least noise whose event costs at most the share."""
        ...
