"""The skeleton of both selection mechanisms: scores, their sensitivity, and the utility bound."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.event import ChoiceRelease
from lapcat.core.exact import exact, ln_up
from lapcat.core.loss import PureDP
from lapcat.core.mechanisms.checked import checked_whole
from lapcat.core.sampling.choice import peeled as integers_peeled
from lapcat.core.sensitivity import Sensitivity
from lapcat.errors import BadArgument
from lapcat.mechanisms.integers.finite import FiniteLaw, checked_confidence
from lapcat.plan.margins import checked_above_zero

Scores = NDArray[np.int64] | Sequence[object]
"""Integers, or any numbers that `exact` reads; the higher the better."""


def spread(sensitivity: Sensitivity, monotone: bool = False) -> Fraction:
    """Sensitivity of the difference of two candidates' scores.

    Theorem: let d be the change of the scores between neighbours. The spread max d - min d is at most 2 * linf, for each
             end is within ±linf; at most l1, for both ends count in it (if there is but one sign, the spread is at most
             linf, and linf <= l1); and at most linf if all scores move in one direction ("monotone"), as counts do under
             add-remove. Both mechanisms cost rate * spread: docs/proofs/choice.md, "Privacy".
    Source:  McSherry & Talwar 2007; McKenna & Sheldon 2020.

    A sensitivity with l1 = linf (a unit affects one candidate only) is recognised as this case without the flag.

    >>> day = Sensitivity(1, Fraction(1), Fraction(1), Fraction(1))  # add-remove, each person has one favourite day
    >>> moved = Sensitivity(2, Fraction(1), Fraction(2), Fraction(2))  # replace-one
    >>> spread(day), spread(moved)
    (Fraction(1, 1), Fraction(2, 1))
    """
    if monotone:
        return sensitivity.linf
    return min(2 * sensitivity.linf, sensitivity.l1)


def rate_for(epsilon: Fraction, moved: Fraction) -> Fraction:
    """The rate epsilon / spread, which costs exactly epsilon."""
    if not moved:
        raise BadArgument(
            "sensitivity-zero",
            "a selection mechanism needs a sensitivity above 0",
            why="no unit can change these scores, so they are public",
            fix="take the candidate with the best score",
        )
    if not epsilon:
        raise BadArgument(
            "epsilon-zero",
            "at epsilon = 0 the choice ignores the data",
            fix="give this question a share of epsilon above 0",
        )
    return epsilon / moved


def on_a_grid(scores: Scores) -> tuple[NDArray[np.int64], int]:
    """(integers, parts): score = integer / parts, exactly.

    >>> on_a_grid(["0.5", "1/3", 2])
    (array([ 3,  2, 12]), 6)
    """
    if isinstance(scores, np.ndarray) and scores.ndim != 1:
        raise BadArgument(
            "scores-shape", f"scores of shape {scores.shape}: one number for each candidate", fix="[3, 5, 1]"
        )
    if isinstance(scores, np.ma.MaskedArray):
        raise BadArgument(
            "array-type",
            "scores cannot be a masked array: it leaves open which candidates there are",
            fix="scores.compressed(), with the remaining candidates",
        )
    if not len(scores):
        raise BadArgument(
            "candidates-empty",
            f"{len(scores)} candidates: there is nothing to choose from",
            fix="at least one score",
        )
    if isinstance(scores, np.ndarray) and scores.dtype.kind == "i":
        return scores.astype(np.int64, copy=False), 1
    read = [exact(score) for score in scores]  # refuses NaN and infinities
    parts = math.lcm(*(score.denominator for score in read))
    whole = [score.numerator * (parts // score.denominator) for score in read]
    ends = np.iinfo(np.int64)
    if min(whole) < ends.min or max(whole) > ends.max:
        raise BadArgument(
            "scores-span",
            f"scores from {_shown(min(read))} to {_shown(max(read))} in steps of 1/{parts} exceed 64 bits",
            fix="scores on a coarser grid: fewer digits",
        )
    return np.array(whole, np.int64), parts


def _shown(score: Fraction) -> str:
    """To six digits, also beyond the range of floats."""
    try:
        return f"{float(score):.6g}"
    except OverflowError:
        return f"{Decimal(int(score)):.5e}"


@dataclass(frozen=True, slots=True)
class ScoredChoice(ABC):
    """A selection mechanism with this rate (often eta): the price of a choice is rate * spread."""

    tag: ClassVar[str]
    """Its name in stored events."""
    rate: Fraction

    def __post_init__(self) -> None:
        checked_above_zero("rate", self.rate)

    def draw(self, scores: Scores, coins: CoinSource) -> int:
        """The index of one candidate."""
        return int(self.draw_repeatedly(scores, 1, coins)[0])

    def draw_repeatedly(self, scores: Scores, n: int, coins: CoinSource) -> NDArray[np.int64]:
        """n independent choices from the same scores, with repetition; each costs the full price."""
        whole, parts = on_a_grid(scores)
        return self.sampler(self.rate / parts, whole, n, coins)

    def draw_several(self, scores: Scores, picks: int, coins: CoinSource) -> tuple[int, ...]:
        """`picks` different candidates, by peeling: one after the other. Costs `picks` times the price of one."""
        whole, parts = on_a_grid(scores)
        return integers_peeled(
            self.sampler, self.rate / parts, whole, checked_picks(picks, len(whole)), coins
        )

    @staticmethod
    @abstractmethod
    def sampler(rate: Fraction, scores: NDArray[np.int64], n: int, coins: CoinSource) -> NDArray[np.int64]:
        """n indices of integer scores: a sampler of core/sampling/choice.py."""

    @abstractmethod
    def law(self, scores: Scores) -> FiniteLaw:
        """The law of a choice from these scores."""

    def event(
        self, label: str, sensitivity: Sensitivity, *, monotone: bool = False, picks: int = 1
    ) -> ChoiceRelease:
        """One choice, or several by peeling, among scores of this sensitivity."""
        epsilon = self.rate * spread(sensitivity, monotone)
        return ChoiceRelease(label, self.tag, epsilon, checked_picks(picks))

    def margin(self, candidates: int, confidence: Fraction) -> Fraction:
        """Utility bound: a t with Pr[score < best - t] <= 1 - confidence, rounded up.

        Theorem: a candidate that far below weighs at most e^(-rate * t) of the best (exponential mechanism), or is chosen only
                 if it shows heads, which has that probability (permute-and-flip). There are fewer than m of them:
                 Pr <= m * e^(-rate * t), so t = ln(m / (1 - confidence)) / rate.
        Source:  McSherry & Talwar 2007; McKenna & Sheldon 2020.
        """
        checked_whole(
            "candidates-empty", "candidates", candidates, 1, fix="how many there are to choose from"
        )
        return ln_up(candidates / (1 - checked_confidence(confidence))) / self.rate

    @classmethod
    def calibrate(
        cls, sensitivity: Sensitivity, share: PureDP, *, monotone: bool = False, picks: int = 1
    ) -> Self:
        """The largest rate whose total cost is at most the share."""
        return cls(rate_for(share.epsilon / checked_picks(picks), spread(sensitivity, monotone)))


def checked_picks(picks: int, candidates: int | None = None) -> int:
    return checked_whole("picks-range", "picks", picks, 1, candidates, "picks = 3")
