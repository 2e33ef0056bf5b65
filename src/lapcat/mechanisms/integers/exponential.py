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

from lapcat.core.event import EXPONENTIAL
from lapcat.core.exact import exp_bounds
from lapcat.core.sampling.choice import exponential_choice, gaps_below_best
from lapcat.mechanisms.integers.choosing import ScoredChoice, Scores, on_a_grid
from lapcat.mechanisms.integers.finite import FiniteLaw

LAW_BITS = 128  # relative precision of the law's probabilities ...
MAX_LAW_BITS = 1 << 13  # ... down to probabilities of 2^-8000; smaller ones have the lower bound 0


@dataclass(frozen=True, slots=True)
class Exponential(ScoredChoice):
    """The exponential mechanism: one more point of score makes a candidate e^rate times as likely.

    >>> from lapcat.core.coins import system_coins
    >>> from lapcat.core.loss import PureDP
    >>> from lapcat.core.sensitivity import Sensitivity
    >>> mechanism = Exponential(Fraction(1000))
    >>> mechanism.draw([3, "5.5", 1], system_coins()), mechanism.draw_several([3, 5, 1], 2, system_coins())
    (1, (1, 0))
    >>> day = Sensitivity(1, Fraction(1), Fraction(1), Fraction(1))  # each person has one favourite day
    >>> Exponential(Fraction(1, 2)).event("favourite day", day).loss
    PureDP(epsilon=Fraction(1, 2))
    >>> Exponential.calibrate(day, PureDP(Fraction(1)))
    Exponential(rate=Fraction(1, 1))
    >>> float(Exponential(Fraction(1)).margin(7, Fraction(95, 100)))  # ln(7 / 0.05)
    4.941642422609304
    """

    sampler = staticmethod(exponential_choice)
    tag = EXPONENTIAL

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
