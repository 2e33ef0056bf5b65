"""The exponential mechanism: one of many candidates, drawn with probability proportional to e^(rate * score).

Theorem: it is (rate * spread)-DP, where the spread bounds the change of a difference of two scores by one unit:
         2 * linf in general, linf if all scores move in one direction (`choosing.spread`). So rate = epsilon / (2 * linf)
         or epsilon / linf; as a concentrated release it is (epsilon² / 8)-zCDP.
Source:  McSherry & Talwar 2007; Cesar & Rogers 2021.
Slack:   in general none as the number of candidates grows.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.event import EXPONENTIAL, ChoiceRelease
from lapcat.core.exact import exp_bounds
from lapcat.core.loss import PureDP
from lapcat.core.mechanisms.finite import FiniteLaw, checked_above_zero
from lapcat.core.sampling.choice import exponential_choice, gaps_below_best
from lapcat.core.sensitivity import Sensitivity
from lapcat.mechanisms.integers.choosing import (
    Scores,
    checked_picks,
    chosen,
    chosen_repeatedly,
    margin_up,
    on_a_grid,
    peeled,
    rate_for,
    spread,
)

LAW_BITS = 128  # relative precision of the law's probabilities ...
MAX_LAW_BITS = 1 << 13  # ... down to probabilities of 2^-8000; smaller ones have the lower bound 0


@dataclass(frozen=True, slots=True)
class Exponential:
    """The exponential mechanism at this rate (often eta): one more point of score makes a candidate e^rate times as likely."""

    rate: Fraction

    def __post_init__(self) -> None:
        checked_above_zero("rate", self.rate)

    def draw(self, scores: Scores, coins: CoinSource) -> int:
        """The index of one candidate.

        >>> from lapcat.core.coins import system_coins
        >>> Exponential(Fraction(1000)).draw([3, "5.5", 1], system_coins())
        1
        """
        return chosen(exponential_choice, self.rate, scores, coins)

    def draw_repeatedly(self, scores: Scores, n: int, coins: CoinSource) -> NDArray[np.int64]:
        """n independent choices from the same scores, with repetition; each costs the full price."""
        return chosen_repeatedly(exponential_choice, self.rate, scores, n, coins)

    def draw_several(self, scores: Scores, picks: int, coins: CoinSource) -> tuple[int, ...]:
        """`picks` different candidates, by peeling: one after the other. Costs `picks` times the price of one.

        >>> from lapcat.core.coins import system_coins
        >>> Exponential(Fraction(1000)).draw_several([3, 5, 1], 2, system_coins())
        (1, 0)
        """
        return peeled(exponential_choice, self.rate, scores, picks, coins)

    def law(self, scores: Scores) -> FiniteLaw:
        """The law of a choice from these scores, each probability enclosed to 2^-120 of its size.

        >>> law = Exponential(Fraction(1)).law([0, 1])
        >>> round(law.pmf(1) / law.pmf(0), 12)  # e
        2.718281828459
        """
        whole, parts = on_a_grid(scores)
        rate = self.rate / parts
        gaps = gaps_below_best(whole).tolist()
        bits = LAW_BITS + min(int(rate * max(gaps) * 3 / 2), MAX_LAW_BITS)
        bounds = [exp_bounds(rate * gap, bits) for gap in gaps]
        all_low, all_high = (sum(ends) for ends in zip(*bounds, strict=True))
        return FiniteLaw(
            tuple(Fraction(low, low + all_high - high) for low, high in bounds),
            tuple(Fraction(high, high + all_low - low) for low, high in bounds),
        )

    def event(
        self, label: str, sensitivity: Sensitivity, *, monotone: bool = False, picks: int = 1
    ) -> ChoiceRelease:
        """One choice, or several by peeling, among scores of this sensitivity.

        >>> day = Sensitivity(1, Fraction(1), Fraction(1), Fraction(1))
        >>> Exponential(Fraction(1, 2)).event("favourite day", day).loss
        PureDP(epsilon=Fraction(1, 2))
        """
        epsilon = self.rate * spread(sensitivity, monotone)
        return ChoiceRelease(label, EXPONENTIAL, epsilon, checked_picks(picks))

    def margin(self, candidates: int, confidence: Fraction) -> Fraction:
        """Utility bound: a t with Pr[score < best - t] <= 1 - confidence, rounded up.

        Theorem: every candidate that far below weighs at most e^(-rate * t) of the best, and there are fewer than m of
                 them: Pr <= m * e^(-rate * t), so t = ln(m / (1 - confidence)) / rate.
        Source:  McSherry & Talwar 2007.

        >>> float(Exponential(Fraction(1)).margin(7, Fraction(95, 100)))  # ln(7 / 0.05)
        4.941642422609304
        """
        return margin_up(self.rate, candidates, confidence)

    @classmethod
    def calibrate(
        cls, sensitivity: Sensitivity, share: PureDP, *, monotone: bool = False, picks: int = 1
    ) -> Self:
        """The largest rate whose total cost is at most the share.

        >>> moved = Sensitivity(2, Fraction(1), Fraction(2), Fraction(2))
        >>> Exponential.calibrate(moved, PureDP(Fraction(1)))
        Exponential(rate=Fraction(1, 2))
        """
        return cls(rate_for(share.epsilon / checked_picks(picks), spread(sensitivity, monotone)))
