"""The most frequent declared values: the exponential mechanism over counts, once per pick.

Theorem: the difference of two counts changes by at most the l1 sensitivity of all counts (`moved`), so each
         pick is (rate · moved)-DP, and the picks add up.
Source:  McSherry & Talwar 2007.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.event import EXPONENTIAL, ChoiceRelease
from lapcat.core.exact import ln_up
from lapcat.core.mechanisms.base import SelectionByCounts
from lapcat.core.sampling.choice import exponential_choice, peeled


@dataclass(frozen=True, slots=True)
class Commonest(SelectionByCounts):
    """`picks` different values, the most frequent first."""

    rate: Fraction
    picks: int

    @classmethod
    def calibrate(cls, picks: int, moved: Fraction, epsilon: Fraction) -> Self:
        """The largest rate that costs at most epsilon in all."""
        return cls(epsilon / (moved * picks), picks)

    def draw(self, counts: NDArray[np.int64], coins: CoinSource) -> NDArray[np.int64]:
        """For each cell (a row of counts by value) a column with the positions of the chosen values."""
        chosen = [peeled(exponential_choice, self.rate, row, self.picks, coins) for row in counts]
        return np.array(chosen, np.int64).reshape(len(chosen), self.picks).T

    def rows(self, places: int) -> int:
        """Released numbers per cell."""
        return self.picks

    def event(self, label: str, moved: Fraction, *, single_cell: bool) -> ChoiceRelease:
        return ChoiceRelease(label, EXPONENTIAL, self.rate * moved, self.picks)

    @classmethod
    def charged(cls, event: ChoiceRelease, moved: Fraction) -> Self:
        return cls(event.epsilon / moved, event.picks)

    @property
    def slowest(self) -> Fraction:
        return self.rate

    def in_words(self, places: int, unit_weight: int) -> str:
        return f"the commonest {self.picks} of {places} values, by their counts"

    def margin(self, candidates: int, confidence: Fraction) -> Fraction:
        """Upper bound on how much more frequent an omitted value is than any pick, for all picks together."""
        return ln_up(candidates * self.picks / (1 - confidence)) / self.rate
