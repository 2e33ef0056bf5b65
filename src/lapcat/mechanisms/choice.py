"""Selection of a candidate by its score: the exponential mechanism and permute-and-flip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import system_coins
from lapcat.core.event import ChoiceRelease
from lapcat.core.loss import ZCDP, PureDP
from lapcat.core.sensitivity import Sensitivity
from lapcat.drawing.curves import card, neighbours_svg
from lapcat.errors import BadArgument
from lapcat.mechanisms.integers import exponential as core_exponential
from lapcat.mechanisms.integers import permute_and_flip as core_permute
from lapcat.mechanisms.integers.finite import FiniteLaw
from lapcat.mechanisms.shown import (
    POINTS,
    Curves,
    checked_sensitivity,
    describe,
    factor_of,
    number,
    read_epsilon,
    set_fields,
)
from lapcat.plan.margins import checked_confidence

Candidate = TypeVar("Candidate")
Scores = NDArray[np.int64] | Sequence[object]


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Exponential:
    """Chooses with probability proportional to e^(rate * score): rate = ε / 2Δ, or ε / Δ for monotone scores.

    sensitivity: upper bound on the change of one candidate's score by one unit.
    monotone: one unit changes all scores in the same direction, as it does counts under add-remove.

    >>> Exponential(epsilon=1000, sensitivity=1).choose(["tea", "coffee"], [3, 9])
    'coffee'
    """

    epsilon: Fraction
    sensitivity: Fraction
    monotone: bool
    core: core_exponential.Exponential

    def __init__(self, epsilon: object, sensitivity: object = 1, *, monotone: bool = False) -> None:
        price, moved = read_epsilon(epsilon), checked_sensitivity(sensitivity)
        monotone = checked_flag(monotone)
        core = core_exponential.Exponential.calibrate(_scores(moved), PureDP(price), monotone=monotone)
        set_fields(self, epsilon=price, sensitivity=moved, monotone=monotone, core=core)

    @property
    def rate(self) -> Fraction:
        return self.core.rate

    @property
    def loss(self) -> PureDP:
        """The cost of one choice."""
        return PureDP(self.epsilon)

    def event(self, label: str = "choice", picks: int = 1) -> ChoiceRelease:
        return self.core.event(label, _scores(self.sensitivity), monotone=self.monotone, picks=picks)

    def as_zcdp(self) -> ZCDP:
        """The cost of one choice under zCDP."""
        return self.event().as_zcdp()

    def choose(self, candidates: Sequence[Candidate], scores: Scores) -> Candidate:
        """One candidate."""
        _checked(candidates, scores)
        return candidates[self.core.draw(scores, system_coins())]

    def choose_several(self, candidates: Sequence[Candidate], scores: Scores, picks: int) -> list[Candidate]:
        """Different candidates, one after the other; each pick costs epsilon."""
        _checked(candidates, scores)
        return [candidates[i] for i in self.core.draw_several(scores, picks, system_coins())]

    def law(self, scores: Scores) -> FiniteLaw:
        """The law of a choice from these scores."""
        return self.core.law(scores)

    def margin(self, candidates: int, confidence: object = "0.95") -> float:
        """Upper bound on the best score minus the chosen one, at this confidence: ln(m/β) / rate."""
        return float(self.core.margin(candidates, checked_confidence(confidence)))

    def __repr__(self) -> str:
        return describe("Exponential", _rows(self), _curves(self.core, self.sensitivity))

    def _repr_html_(self) -> str:
        here, there = _curves(self.core, self.sensitivity)
        picture = neighbours_svg(here, there, factor_of(self.epsilon), "scores changed by one unit")
        return card("Exponential", _rows(self), picture)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class PermuteAndFlip:
    """Chooses like `Exponential`, and never worse at the same pure epsilon; under zCDP use `Exponential`.

    >>> PermuteAndFlip(epsilon=1000, sensitivity=1).choose(["tea", "coffee"], [3, 9])
    'coffee'
    """

    epsilon: Fraction
    sensitivity: Fraction
    monotone: bool
    core: core_permute.PermuteAndFlip

    def __init__(self, epsilon: object, sensitivity: object = 1, *, monotone: bool = False) -> None:
        price, moved = read_epsilon(epsilon), checked_sensitivity(sensitivity)
        monotone = checked_flag(monotone)
        core = core_permute.PermuteAndFlip.calibrate(_scores(moved), PureDP(price), monotone=monotone)
        set_fields(self, epsilon=price, sensitivity=moved, monotone=monotone, core=core)

    @property
    def rate(self) -> Fraction:
        return self.core.rate

    @property
    def loss(self) -> PureDP:
        """The cost of one choice."""
        return PureDP(self.epsilon)

    def event(self, label: str = "choice", picks: int = 1) -> ChoiceRelease:
        return self.core.event(label, _scores(self.sensitivity), monotone=self.monotone, picks=picks)

    def as_zcdp(self) -> ZCDP:
        """The cost of one choice under zCDP."""
        return self.event().as_zcdp()

    def choose(self, candidates: Sequence[Candidate], scores: Scores) -> Candidate:
        """One candidate."""
        _checked(candidates, scores)
        return candidates[self.core.draw(scores, system_coins())]

    def choose_several(self, candidates: Sequence[Candidate], scores: Scores, picks: int) -> list[Candidate]:
        """Different candidates, one after the other; each pick costs epsilon."""
        _checked(candidates, scores)
        return [candidates[i] for i in self.core.draw_several(scores, picks, system_coins())]

    def law(self, scores: Scores) -> FiniteLaw:
        """The law of a choice from these scores, at most 64 of them."""
        return self.core.law(scores)

    def margin(self, candidates: int, confidence: object = "0.95") -> float:
        """Upper bound on the best score minus the chosen one, at this confidence: ln(m/β) / rate."""
        return float(self.core.margin(candidates, checked_confidence(confidence)))

    def __repr__(self) -> str:
        return describe("PermuteAndFlip", _rows(self), _curves(self.core, self.sensitivity))

    def _repr_html_(self) -> str:
        here, there = _curves(self.core, self.sensitivity)
        picture = neighbours_svg(here, there, factor_of(self.epsilon), "scores changed by one unit")
        return card("PermuteAndFlip", _rows(self), picture)


def _scores(moved: Fraction) -> Sensitivity:
    """The general case: all scores may change by this much, in both directions."""
    return Sensitivity(2, moved, 2 * moved, 2 * moved * moved)


def _checked(candidates: Sequence[object], scores: Scores) -> None:
    if not len(candidates):
        raise BadArgument(
            "candidates-empty", "0 candidates: there is nothing to choose from", fix="at least one candidate"
        )
    if len(candidates) != len(scores):
        raise BadArgument(
            "scores-shape",
            f"{len(candidates)} candidates and {len(scores)} scores: there must be one score per candidate",
            fix="choose(['a', 'b'], [3, 5])",
        )


def checked_flag(monotone: object) -> bool:
    if not isinstance(monotone, bool | np.bool_):
        raise BadArgument(
            "monotone-flag", f"monotone is True or False, not {monotone!r}", fix="monotone=True"
        )
    return bool(monotone)


def _rows(mechanism: Exponential | PermuteAndFlip) -> list[tuple[str, str]]:
    return [
        ("guarantee", f"{number(mechanism.epsilon)}-differential privacy"),
        ("sensitivity", number(mechanism.sensitivity) + (", monotone" if mechanism.monotone else "")),
        ("rate", number(mechanism.rate)),
        ("of 10 candidates, 95 %", f"at most {mechanism.margin(10):.6g} below the best score"),
    ]


def _curves(core: core_exponential.Exponential | core_permute.PermuteAndFlip, moved: Fraction) -> Curves:
    """Nine candidates whose scores rise and fall, and the same after one unit raised one score and lowered another."""
    scores = [(4 - abs(i - 4)) / core.rate for i in range(9)]
    other = [s + moved if i == 3 else s - moved if i == 4 else s for i, s in enumerate(scores)]
    here, there = core.law(scores), core.law(other)
    wide = POINTS // 9
    return (
        [here.pmf(i) for i in range(9) for _ in range(wide)],
        [there.pmf(i) for i in range(9) for _ in range(wide)],
    )
