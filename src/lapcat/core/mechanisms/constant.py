"""A number that no unit can change: a public constant, released without reading the data."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lapcat.core.coins import CoinSource
from lapcat.core.event import ExactRelease
from lapcat.core.mechanisms.base import StatisticMechanism
from lapcat.core.sensitivity import Sensitivity
from lapcat.errors import Bug


@dataclass(frozen=True, slots=True)
class Constant(StatisticMechanism):
    """Answers `value` whatever the data: 0-DP. (COUNT(*) under replace-one is the declared number of units.)"""

    value: int

    @property
    def public(self) -> int:
        return self.value

    def draw(self, exact: npt.NDArray[np.int64], coins: CoinSource) -> npt.NDArray[np.int64]:
        return np.full_like(exact, self.value)

    def law(self) -> None:
        return None

    def in_words(self, step: Fraction) -> str:
        return ""

    def event(self, label: str, sensitivity: Sensitivity) -> ExactRelease:
        if sensitivity.l1 != 0:
            raise Bug("constant-moves", f"{label} has a sensitivity above 0, so it is not constant")
        return ExactRelease(label)
