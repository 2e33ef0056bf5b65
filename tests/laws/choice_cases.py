"""What the laws suite needs to know of each mechanism that chooses. A new one adds its cases here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.loss import ApproxDP, PureDP
from lapcat.core.mechanisms.threshold import Threshold
from lapcat.core.sensitivity import Sensitivity
from lapcat.mechanisms.integers import Discrete, Exponential, PermuteAndFlip, Response
from lapcat.mechanisms.integers.finite import FiniteLaw

Pair = tuple[FiniteLaw, FiniteLaw]
QUARTER_MORE, QUARTER_LESS = Fraction(5, 4), Fraction(4, 5)


@dataclass(frozen=True)
class ChoiceCase:
    """One mechanism at one input: how to draw from it, its law, the law of a wrong one, and what it may cost."""

    name: str
    mechanism: type
    draw: Callable[[int, CoinSource], NDArray[np.int64]]  # n outcomes, numbered as in the law
    law: FiniteLaw
    wrong: tuple[FiniteLaw, ...]  # of a parameter that is a quarter off
    loss: PureDP | ApproxDP
    neighbours: Callable[[], Iterator[Pair]]  # the laws of neighbouring inputs, in one order
    reached: bool = True  # whether some pair comes to within 2^-40 of the loss

    def __repr__(self) -> str:  # pytest's name for it
        return self.name


# ---- randomised response


def _response(epsilon: Fraction, values: int) -> ChoiceCase:
    mechanism = Response(epsilon, values)
    true = values // 2

    def draw(n: int, coins: CoinSource) -> NDArray[np.int64]:
        return np.asarray(mechanism.draw(np.full(n, true), coins), np.int64)

    def neighbours() -> Iterator[Pair]:
        for here, there in permutations(range(min(values, 5)), 2):
            yield mechanism.law(here), mechanism.law(there)

    return ChoiceCase(
        name=f"response-{epsilon}-of-{values}",
        mechanism=Response,
        draw=draw,
        law=mechanism.law(true),
        wrong=tuple(Response(epsilon * by, values).law(true) for by in (QUARTER_MORE, QUARTER_LESS)),
        loss=mechanism.event("x").loss,
        neighbours=neighbours,
    )


# ---- any matrix

STEPS = (
    ("1/2", "1/4", "1/8", "1/8"),
    ("1/4", "1/2", "1/8", "1/8"),
    ("1/7", "1/3", "1/3", "4/21"),
)


def _discrete() -> ChoiceCase:
    mechanism = Discrete(STEPS)
    last = len(STEPS) - 1

    def neighbours() -> Iterator[Pair]:
        for here, there in permutations(range(len(STEPS)), 2):
            yield mechanism.law(here), mechanism.law(there)

    return ChoiceCase(
        name="discrete",
        mechanism=Discrete,
        draw=lambda n, coins: mechanism.draw(np.full(n, last), coins),
        law=mechanism.law(last),
        wrong=(mechanism.law(0), mechanism.law(1)),
        loss=mechanism.event("x").loss,
        neighbours=neighbours,
    )


# ---- one of several candidates

DAYS = (31, 28, 30, 35, 35, 12, 33)
ONE_DAY = Sensitivity(1, Fraction(1), Fraction(1), Fraction(1))
TWO_DAYS = Sensitivity(2, Fraction(1), Fraction(2), Fraction(2))
EVERY_DAY = Sensitivity(len(DAYS), Fraction(1), Fraction(len(DAYS)), Fraction(len(DAYS)))


def _changed(scores: tuple[int, ...], sensitivity: Sensitivity, monotone: bool) -> Iterator[tuple[int, ...]]:
    """Scores that one unit could have made of these."""
    places = range(len(scores))
    for i in places:
        yield tuple(score + (j == i) for j, score in enumerate(scores))
    if sensitivity.l0 >= 2 and not monotone:
        for i, k in permutations(places, 2):
            yield tuple(score + (j == i) - (j == k) for j, score in enumerate(scores))
    if sensitivity.l0 > 2:
        for i in places:
            yield tuple(score + (j != i) for j, score in enumerate(scores))
            if not monotone:
                yield tuple(score + (1 if j == i else -1) for j, score in enumerate(scores))


def _choice(
    kind: type[Exponential] | type[PermuteAndFlip],
    name: str,
    rate: Fraction,
    scores: tuple[int, ...] = DAYS,
    sensitivity: Sensitivity = ONE_DAY,
    monotone: bool = False,
    reached: bool = False,
) -> ChoiceCase:
    mechanism = kind(rate)

    def neighbours() -> Iterator[Pair]:
        here = mechanism.law(scores)
        for changed in _changed(scores, sensitivity, monotone):
            there = mechanism.law(changed)
            yield here, there
            yield there, here

    return ChoiceCase(
        name=f"{kind.__name__}-{name}",
        mechanism=kind,
        draw=lambda n, coins: mechanism.draw_repeatedly(np.array(scores), n, coins),
        law=mechanism.law(scores),
        wrong=tuple(kind(rate * by).law(scores) for by in (QUARTER_MORE, QUARTER_LESS)),
        loss=mechanism.event("x", sensitivity, monotone=monotone).loss,
        neighbours=neighbours,
        reached=reached,
    )


def _choices(kind: type[Exponential] | type[PermuteAndFlip]) -> tuple[ChoiceCase, ...]:
    return (
        _choice(kind, "one-day", Fraction(1, 5)),
        _choice(kind, "two-days", Fraction(1, 3), sensitivity=TWO_DAYS),
        _choice(kind, "every-day", Fraction(1, 4), sensitivity=EVERY_DAY),
        _choice(kind, "every-day-upwards", Fraction(2, 7), sensitivity=EVERY_DAY, monotone=True),
        _choice(kind, "steep", Fraction(5, 2), scores=(0, 1, 1, 0, 0)),
        _choice(kind, "wide", Fraction(1, 10**6), scores=(0, 500_000, 1_000_000, 2**20, 3), reached=False),
    )


# ---- keys that are shown


def _threshold(scale: Fraction, tau: int, count: int, keys: int) -> ChoiceCase:
    """What is released of one key: nothing (0), tau (1), tau + 1 (2), ..., or anything from the last on."""
    wide = 3 * int(scale) + 3

    def law(mechanism: Threshold, count: int) -> FiniteLaw:
        bounds = [mechanism.law(count).pmf_bounds(z) for z in (None, *range(tau, tau + wide))]
        if count < 1:
            rest = (Fraction(0), Fraction(0))
        else:  # Pr[count + Z >= tau + wide]
            rest = Threshold(mechanism.scale, tau + wide).law(count).shown_bounds()
        lows, highs = zip(*bounds, rest, strict=True)
        return FiniteLaw(lows, highs)

    mechanism = Threshold(scale, tau)

    def draw(n: int, coins: CoinSource) -> NDArray[np.int64]:
        shown = mechanism.draw(np.full(n, count), coins)
        return np.where(shown.mask, np.minimum(shown.noisy - tau, wide) + 1, 0)

    def neighbours() -> Iterator[Pair]:
        for here, there in ((count, count + 1), (0, 1), (1, 2), (tau, tau + 1)):
            yield law(mechanism, here), law(mechanism, there)
            yield law(mechanism, there), law(mechanism, here)

    return ChoiceCase(
        name=f"threshold-{scale}-{tau}",
        mechanism=Threshold,
        draw=draw,
        law=law(mechanism, count),
        wrong=tuple(law(Threshold(scale * by, tau), count) for by in (QUARTER_MORE, QUARTER_LESS)),
        loss=mechanism.event("x", keys, "add-remove").loss,
        neighbours=neighbours,
    )


CHOICE_CASES: dict[type, tuple[ChoiceCase, ...]] = {
    Response: (
        _response(Fraction(1, 3), 2),
        _response(Fraction(3), 2),
        _response(Fraction(1), 3),
        _response(Fraction(2), 10),
    ),
    Discrete: (_discrete(),),
    Exponential: _choices(Exponential),
    PermuteAndFlip: _choices(PermuteAndFlip),
    Threshold: (
        _threshold(Fraction(1), 4, 3, 1),
        _threshold(Fraction(5), 20, 18, 1),
        _threshold(Fraction(7, 2), 9, 4, 1),
    ),
}
ALL_CHOICES = tuple(case for cases in CHOICE_CASES.values() for case in cases)
