"""Common to both selection mechanisms: scores, their sensitivity, and the utility bound."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.exact import exact, ln_up
from lapcat.core.mechanisms.finite import checked_confidence, checked_whole
from lapcat.core.sampling.choice import Choice
from lapcat.core.sampling.choice import peeled as integers_peeled
from lapcat.core.sensitivity import Sensitivity
from lapcat.errors import BadArgument

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


def chosen(choice: Choice, rate: Fraction, scores: Scores, coins: CoinSource) -> int:
    """One candidate's index."""
    whole, parts = on_a_grid(scores)
    return int(choice(rate / parts, whole, 1, coins)[0])


def chosen_repeatedly(
    choice: Choice, rate: Fraction, scores: Scores, n: int, coins: CoinSource
) -> NDArray[np.int64]:
    """n independent choices from the same scores."""
    whole, parts = on_a_grid(scores)
    return choice(rate / parts, whole, n, coins)


def peeled(choice: Choice, rate: Fraction, scores: Scores, picks: int, coins: CoinSource) -> tuple[int, ...]:
    """`picks` different candidates, each chosen from the remaining ones (peeling)."""
    whole, parts = on_a_grid(scores)
    return integers_peeled(choice, rate / parts, whole, checked_picks(picks, len(whole)), coins)


def checked_picks(picks: int, candidates: int | None = None) -> int:
    return checked_whole("picks-range", "picks", picks, 1, candidates, "picks = 3")


def margin_up(rate: Fraction, candidates: int, confidence: Fraction) -> Fraction:
    """A t with Pr[score of the choice < best - t] <= 1 - confidence: ln(candidates / (1 - confidence)) / rate, rounded up."""
    checked_whole("candidates-empty", "candidates", candidates, 1, fix="how many there are to choose from")
    return ln_up(candidates / (1 - checked_confidence(confidence))) / rate
