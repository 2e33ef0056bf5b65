"""Permute-and-flip: in random order each candidate flips a coin with bias e^(-rate * gap); the first heads is chosen.

The gap is how far a score is below the best, whose coin always shows heads.
Theorem: it is (rate * spread)-DP, as the exponential mechanism at the same rate (`choosing.spread`), and its expected score is
         never below that of the exponential mechanism.
Source:  McKenna & Sheldon 2020.
Slack:   as a concentrated release only epsilon² / 2 is known, four times the exponential mechanism's: use that one under zCDP.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from lapcat.core.event import PERMUTE_AND_FLIP
from lapcat.core.exact import exp_bounds
from lapcat.core.sampling.choice import gaps_below_best
from lapcat.errors import BadArgument
from lapcat.mechanisms.integers.choosing import ScoredChoice, Scores, on_a_grid
from lapcat.mechanisms.integers.finite import FiniteLaw
from lapcat.mechanisms.integers.flips import permute_and_flip_choice

LAW_BITS = 192  # of the fixed point in which the law is computed
MAX_CANDIDATES = 64  # candidates: its work grows with their cube


@dataclass(frozen=True, slots=True)
class PermuteAndFlip(ScoredChoice):
    """Permute-and-flip: a candidate whose score is t below the best shows heads with probability e^(-rate * t).

    >>> from lapcat.core.coins import system_coins
    >>> from lapcat.core.loss import PureDP
    >>> from lapcat.core.sensitivity import Sensitivity
    >>> mechanism = PermuteAndFlip(Fraction(1000))
    >>> mechanism.draw([3, "5.5", 1], system_coins()), mechanism.draw_several([3, 5, 1], 2, system_coins())
    (1, (1, 0))
    >>> moved = Sensitivity(2, Fraction(1), Fraction(2), Fraction(2))
    >>> PermuteAndFlip.calibrate(moved, PureDP(Fraction(1)))
    PermuteAndFlip(rate=Fraction(1, 2))
    """

    sampler = staticmethod(permute_and_flip_choice)
    tag = PERMUTE_AND_FLIP

    def law(self, scores: Scores) -> FiniteLaw:
        """The law of a choice from at most 64 scores, each probability enclosed to a relative 2^-150 plus 2^-180.

        Theorem: Pr[i] = p(i) * E[1 / (1 + N)], N the number of heads among the others, p(i) = e^(-rate * gap).

        >>> low, high = PermuteAndFlip(Fraction(1)).law([0, 1]).pmf_bounds(0)
        >>> float(low), float(high)  # e^-1 / 2
        (0.18393972058572117, 0.18393972058572117)
        """
        whole, parts = on_a_grid(scores)
        if len(whole) > MAX_CANDIDATES:
            raise BadArgument(
                "candidates-many",
                f"the law of {len(whole)} candidates is not computed: at most {MAX_CANDIDATES}",
                fix="draw from it, or use the exponential mechanism's law",
            )
        heads = [exp_bounds(self.rate / parts * gap, LAW_BITS) for gap in gaps_below_best(whole).tolist()]
        bounds = [_first_heads(heads[i], heads[:i] + heads[i + 1 :]) for i in range(len(heads))]
        return FiniteLaw(tuple(low for low, _ in bounds), tuple(min(high, Fraction(1)) for _, high in bounds))


def _first_heads(own: tuple[int, int], others: list[tuple[int, int]]) -> tuple[Fraction, Fraction]:
    """Bounds of p * E[1 / (1 + N)]: N counts the heads among the others; in units of 2^-LAW_BITS, rounded outwards."""
    unit = 1 << LAW_BITS
    low, high = [unit], [unit]  # of Pr[N = 0], Pr[N = 1], ...
    for p_low, p_high in others:
        low = [
            (stay * (unit - p_high) + come * p_low) >> LAW_BITS
            for stay, come in zip([*low, 0], [0, *low], strict=True)
        ]
        high = [
            -(-(stay * (unit - p_low) + come * p_high) >> LAW_BITS)
            for stay, come in zip([*high, 0], [0, *high], strict=True)
        ]
    return (
        Fraction(own[0], unit) * sum((Fraction(x, unit * (n + 1)) for n, x in enumerate(low)), Fraction(0)),
        Fraction(own[1], unit) * sum((Fraction(x, unit * (n + 1)) for n, x in enumerate(high)), Fraction(0)),
    )
