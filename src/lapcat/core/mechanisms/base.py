"""The interface of a mechanism: its sampler, its law and its cost. Shared tests check that the three agree."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.event import NoiseRelease, SelectionRelease
from lapcat.core.loss import Loss
from lapcat.core.sampling import saturating_add
from lapcat.core.sensitivity import Sensitivity
from lapcat.errors import BadArgument

FEW = 200
"""Up to this many draws, one at a time (10 to 30 µs each) is as fast as the table of a new scale (2 ms and more)."""

Share = TypeVar("Share", bound=Loss, contravariant=True)


class NoiseLaw(ABC):
    """The distribution of the noise of a released number, in steps of its grid; symmetric about zero."""

    __slots__ = ()
    family: ClassVar[str] = ""
    """Laws of one family have theorems for their sums (plan/noise_families.py); those of none are added by the union bound."""

    @abstractmethod
    def margin(self, confidence: Fraction) -> int:
        """The least t for which the noise is within ±t with at least this probability; never too small."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """The mean squared distance from the exact value."""

    @property
    @abstractmethod
    def width(self) -> float:
        """The parameter of its family: the scale b of Laplace noise, the sigma of Gaussian noise."""

    @property
    def continuous_variance(self) -> float:
        """The variance of the continuous law that it rounds, if there is one."""
        return self.variance

    @property
    def draws(self) -> int:
        """The number of independent draws that the noise is the sum of."""
        return 1


class Law(NoiseLaw):
    """The distribution of one released integer."""

    __slots__ = ()

    @abstractmethod
    def pmf(self, z: int) -> float:
        """Pr[the release is z]."""

    @abstractmethod
    def pmf_bounds(self, z: int) -> tuple[Fraction, Fraction]:
        """Pr[the release is z], rounded down and up."""

    @abstractmethod
    def log_ratio(self, other: Self, z: int) -> Fraction:
        """ln(Pr[z under this law] / Pr[z under the other]), exactly or rounded up: the privacy loss at z."""

    def largest_log_ratio(self, other: Law) -> Fraction | None:
        """The largest privacy loss over all z; None if it is unbounded, or not known."""
        return None

    @abstractmethod
    def cdf(self, z: int) -> float:
        """Pr[the release is at most z]."""

    @abstractmethod
    def quantile(self, p: Fraction) -> int:
        """The least z whose cdf is at least p."""

    @abstractmethod
    def within(self, t: int) -> float:
        """Pr[the release is at most t away from the exact value]."""

    @property
    def sd(self) -> float:
        """The standard deviation."""
        return math.sqrt(self.variance)


class StatisticMechanism(ABC):
    """What turns the exact sums of a statistic into released integers."""

    __slots__ = ()

    @property
    def public(self) -> int | None:
        """The released number, if it does not depend on the data."""
        return None

    @abstractmethod
    def draw(self, exact: NDArray[np.int64], coins: CoinSource) -> NDArray[np.int64]:
        """The exact integers with fresh noise in each coordinate."""

    @abstractmethod
    def law(self) -> Law | None:
        """The law of the noise; None if there is none."""

    @abstractmethod
    def event(self, label: str, sensitivity: Sensitivity) -> NoiseRelease:
        """The ledger event of one `draw` of a vector of this sensitivity; the cost follows from it."""

    def privacy(self, sensitivity: Sensitivity) -> Loss:
        """The privacy loss of one `draw` of a vector of this sensitivity."""
        return self.event("", sensitivity).loss

    @abstractmethod
    def in_words(self, step: Fraction) -> str:
        """The noise, for people, where a step of the grid is worth `step`; empty if there is none."""


class Mechanism(StatisticMechanism, Generic[Share]):
    """A noise mechanism: a frozen dataclass. A new one needs one module and one line in MECHANISMS (registry.py)."""

    __slots__ = ()
    priced_in: ClassVar[type[Loss]]
    """The kind of loss that it is calibrated to."""

    @abstractmethod
    def law(self, exact: int = 0) -> Law:
        """The law of one coordinate of `draw` with this exact value."""

    @property
    def family(self) -> str:
        """The family of its law."""
        return self.law().family

    @property
    def variance(self) -> float:
        """The variance of each coordinate."""
        return self.law().variance

    @property
    def continuous_variance(self) -> float:
        return self.law().continuous_variance

    @abstractmethod
    def rescaled(self, factor: Fraction) -> Self:
        """The same mechanism with `factor` times the noise."""

    @classmethod
    @abstractmethod
    def calibrate(cls, sensitivity: Sensitivity, share: Share) -> Self:
        """The mechanism with the least noise whose event costs at most the share."""

    @classmethod
    @abstractmethod
    def charged(cls, event: Any) -> Self:
        """The mechanism of a stored event of its own class."""


class IntegerNoise(Mechanism[Share]):
    """Independent integer noise of one law in each coordinate: few draws one at a time, many from a table."""

    __slots__ = ()

    @abstractmethod
    def _draw_many(self, n: int, coins: CoinSource) -> NDArray[np.int64]:
        """n draws of the noise, kept within 64 bits."""

    @abstractmethod
    def _draw_single(self, coins: CoinSource) -> int:
        """One draw of the noise."""

    def draw(self, exact: NDArray[np.int64], coins: CoinSource) -> NDArray[np.int64]:
        """The exact integers with fresh noise in each coordinate, kept within ±(2^62 - 1)."""
        if exact.dtype != np.int64:
            raise TypeError(f"noise is added to int64, not {exact.dtype}")
        if exact.size > FEW:
            noise = self._draw_many(exact.size, coins)
        else:
            ends = np.iinfo(np.int64)
            drawn = (self._draw_single(coins) for _ in range(exact.size))
            noise = np.array([max(-ends.max, min(ends.max, z)) for z in drawn], np.int64)
        return saturating_add(exact, noise.reshape(exact.shape))

    def draw_one(self, exact: int, coins: CoinSource) -> int:
        """One exact integer with fresh noise; Python's integers need no limit."""
        return exact + self._draw_single(coins)


class SelectionByCounts(ABC):
    """A selection among public candidates by the counts of each, cell by cell."""

    __slots__ = ()

    @abstractmethod
    def draw(self, counts: NDArray[np.int64], coins: CoinSource) -> NDArray[np.int64]:
        """For each cell (a row of counts) a column: what is selected, and noisy counts around it, if any."""

    @abstractmethod
    def rows(self, places: int) -> int:
        """Released numbers per cell."""

    @abstractmethod
    def event(self, label: str, moved: Fraction, *, single_cell: bool) -> SelectionRelease:
        """The ledger event of a selection by counts of this l1 sensitivity. `single_cell`: see RankRelease."""

    @abstractmethod
    def margin(self, candidates: int, confidence: Fraction) -> Fraction:
        """Upper bound on the error of what is selected, in rows."""

    @property
    @abstractmethod
    def slowest(self) -> Fraction:
        """The lowest rate of its choices: the higher, the more accurate."""

    def no_worse_than(self, other: Self, places: int, confidence: Fraction) -> bool:
        """Whether it is at least as accurate as another selection of its class among as many places."""
        return self.slowest >= other.slowest

    @abstractmethod
    def in_words(self, places: int, unit_weight: int) -> str:
        """How it selects, for people; a row counts `unit_weight` steps."""

    @classmethod
    @abstractmethod
    def charged(cls, event: Any, moved: Fraction) -> Self:
        """The selection of a stored event of its own class."""


def require_noise(noise: str, sensitivity: Fraction, kind: str, share: Fraction) -> None:
    """Refuses to calibrate noise to a number that no unit can change, or to a share of nothing."""
    if not sensitivity:
        raise BadArgument(
            "sensitivity-zero",
            f"{noise} noise needs a sensitivity above 0",
            why="no unit can change this number, so it is public",
            fix="release it without noise: an ExactRelease, which costs nothing",
        )
    if not share:
        raise BadArgument(
            f"{kind}-zero",
            f"{kind} = 0 allows no answer",
            why="an answer that costs nothing ignores the data",
            fix=f"give this question a share of {kind} above 0",
        )


def checked_probability(p: Fraction) -> Fraction:
    if not 0 < p < 1:
        raise BadArgument(
            "probability-range",
            f"{p} is not a probability strictly between 0 and 1",
            fix="unbounded noise has no margin at confidence 1: use 0.95, or 0.999",
        )
    return p
