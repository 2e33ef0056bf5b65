"""Mechanisms that draw several numbers jointly: their draws follow the joint law, and the law costs what the event says.

Beside tests/laws/test_laws.py, with a false-positive budget of 1e-6 of its own. In CI the coins are seeded.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest
from numpy.typing import NDArray

from lapcat.core.coins import Coins
from lapcat.core.event_codec import event_from_json
from lapcat.core.exact import exp_up
from lapcat.mechanisms.integers import VECTORS, KNorm, KNormLaw
from lapcat.mechanisms.integers.norms import Ball
from lapcat.testing.coins import SeededCoins
from tests.laws.chi_square import FEWEST, Verdict, pearson

BUDGET = 1e-6
SHARES = {"law": 0.6, "pairs": 0.4}
SEED = 20240229
SEEDED, FRESH = 10**5, 10**7

Vector = tuple[int, ...]


@dataclass(frozen=True)
class VectorCase:
    """A mechanism, itself with other noise, and differences that lie in its K."""

    name: str
    mechanism: KNorm
    rescaled: Callable[[Fraction], KNorm]
    moves: tuple[Vector, ...]

    def __repr__(self) -> str:
        return self.name


def ball(kind: str, dimension: int, radius: Fraction, epsilon: Fraction, *moves: Vector) -> VectorCase:
    norm = Ball(kind, dimension, radius)  # type: ignore[arg-type]
    return VectorCase(
        f"{kind}-{dimension}-{radius}-{epsilon}",
        KNorm(norm, epsilon),
        lambda factor: KNorm(norm, epsilon / factor),
        moves,
    )


def hull(name: str, epsilon: Fraction, *moves: Vector) -> VectorCase:
    return VectorCase(
        name,
        KNorm.of_differences(moves, epsilon),
        lambda factor: KNorm.of_differences(moves, epsilon / factor),
        moves,
    )


ONE, HALF = Fraction(1), Fraction(1, 2)
VECTOR_CASES: dict[type[KNorm], tuple[VectorCase, ...]] = {
    KNorm: (
        ball("l1", 1, ONE, ONE, (1,), (-1,)),
        ball("l1", 2, Fraction(2), ONE, (2, 0), (1, -1), (0, 1)),
        ball("l1", 3, ONE, Fraction(2), (0, 0, -1)),
        ball("l2", 2, ONE, ONE, (1, 0), (0, -1)),
        ball("l2", 2, Fraction(5), Fraction(2), (3, 4), (-5, 0)),
        ball("l2", 3, ONE, Fraction(3, 2), (0, 1, 0)),
        ball("linf", 2, ONE, HALF, (1, 1), (-1, 1)),
        ball("linf", 3, ONE, Fraction(2), (1, -1, 1)),
        hull("slanted", HALF, (1, 1), (1, 0)),
        hull("three-questions", ONE, (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 0, 0)),
        hull("asked-twice", HALF, (1, 1, 0), (0, 0, 1)),
        hull("skew-lattice", ONE, (1, 2, 3), (3, 2, 1), (2, 2, 2)),
    )
}
ALL = tuple(case for cases in VECTOR_CASES.values() for case in cases)
ALPHA_LAW = BUDGET * SHARES["law"] / len(ALL)
ALPHA_PAIRS = BUDGET * SHARES["pairs"] / len(ALL)
every_case = pytest.mark.parametrize("case", ALL, ids=repr)


@lru_cache(len(ALL))
def seeded(case: VectorCase) -> NDArray[np.int64]:
    return drawn(case, SEEDED, SeededCoins(SEED))


def drawn(case: VectorCase, n: int, coins: SeededCoins | Coins) -> NDArray[np.int64]:
    return case.mechanism.draw(np.zeros((n, case.mechanism.dimension), np.int64), coins)


def fit(draws: NDArray[np.int64], case: VectorCase, law: KNormLaw) -> Verdict:
    """Pearson's test over the likely points, each a bin of its own, and all others together.

    The bins are made from the case's own law: of each point the chance is computed, never estimated.
    """
    n = len(draws)
    own = case.mechanism.law()
    points = [z for z in likely(case) if own.pmf(z) * n >= FEWEST]
    counted = Counter(map(tuple, draws.tolist()))
    counts = [counted[z] for z in points]
    weights = [law.pmf(z) for z in points]
    rest = 1 - sum(weights)
    if rest * n >= FEWEST:
        counts, weights = [*counts, n - sum(counts)], [*weights, rest]
    return pearson(np.array(counts), np.array(weights) * n)


def likely(case: VectorCase) -> list[Vector]:
    """The lattice points near 0."""
    mechanism = case.mechanism
    reach = 12 if mechanism.norm.dimension < 3 else 6
    inside = itertools.product(range(-reach, reach + 1), repeat=mechanism.norm.dimension)
    if mechanism.lattice is None:
        return list(inside)
    basis = np.array(mechanism.lattice.basis)
    return [tuple(map(int, np.array(c) @ basis)) for c in inside]


def pairs(draws: NDArray[np.int64], case: VectorCase) -> Verdict:
    """Is the sign of the first number independent of the next draw's?"""
    law = case.mechanism.law()
    zero = sum(law.pmf(z) for z in likely_all(case) if z[0] == 0)
    weights = np.array([(1 - zero) / 2, zero, (1 - zero) / 2])
    signs = np.sign(draws[:, 0]) + 1
    counts = np.bincount(signs[0::2] * 3 + signs[1::2], minlength=9)
    return pearson(counts, np.outer(weights, weights).ravel() * (len(draws) // 2))


def likely_all(case: VectorCase) -> list[Vector]:
    """All points but for less than e^-20 of the weight."""
    mechanism = case.mechanism
    reach = int(20 * mechanism.scale) + 1
    inside = itertools.product(range(-reach, reach + 1), repeat=mechanism.norm.dimension)
    if mechanism.lattice is None:
        return [z for z in inside if z[0] == 0]
    basis = np.array(mechanism.lattice.basis)
    return [tuple(map(int, np.array(c) @ basis)) for c in inside if int(np.array(c) @ basis[:, 0]) == 0]


def test_every_vector_mechanism_is_under_the_laws() -> None:
    assert set(VECTOR_CASES) == set(VECTORS)
    assert sum(SHARES.values()) <= 1 + 1e-12


@every_case
def test_draws_follow_the_joint_law(case: VectorCase) -> None:
    verdict = fit(seeded(case), case, case.mechanism.law())
    assert verdict.p >= ALPHA_LAW, f"{case}: seed={SEED} n={SEEDED} {verdict} alpha={ALPHA_LAW:.2e}"


@every_case
@pytest.mark.parametrize("factor", [Fraction(5, 4), Fraction(4, 5)], ids=str)
def test_a_quarter_more_or_less_noise_is_noticed(case: VectorCase, factor: Fraction) -> None:
    verdict = fit(seeded(case), case, case.rescaled(factor).law())
    assert verdict.p < ALPHA_LAW, f"{case}: {verdict}"


@every_case
def test_each_draw_is_independent_of_the_one_before(case: VectorCase) -> None:
    verdict = pairs(seeded(case), case)
    assert verdict.p >= ALPHA_PAIRS, f"{case}: seed={SEED} n={SEEDED} {verdict} alpha={ALPHA_PAIRS:.2e}"


@pytest.mark.slow
@every_case
def test_ten_million_fresh_draws_follow_the_joint_law(case: VectorCase) -> None:
    draws = np.concatenate([drawn(case, FRESH // 10, Coins()) for _ in range(10)])
    verdict = fit(draws, case, case.mechanism.law())
    assert verdict.p >= ALPHA_LAW, f"{case}: fresh entropy n={FRESH} {verdict} alpha={ALPHA_LAW:.2e}"


@every_case
def test_no_outcome_tells_more_than_the_event_costs(case: VectorCase) -> None:
    mechanism = case.mechanism
    event = mechanism.event("x")
    assert event_from_json(event.as_json()) == event
    slack = Fraction(1, 2**60) if not mechanism.norm.rational else Fraction(0)
    here = mechanism.law()
    for move in case.moves:
        there = mechanism.law(move)
        worst = Fraction(0)
        for z in likely(case):
            for left, other in ((here, there), (there, here)):
                ratio = left.log_ratio(other, z)
                worst = max(worst, ratio)
                assert ratio <= event.loss.epsilon * (1 + slack) + slack
        assert worst > 0


@every_case
def test_the_stated_log_ratio_is_that_of_the_weights(case: VectorCase) -> None:
    here = case.mechanism.law()
    there = case.mechanism.law(case.moves[0])
    for z in likely(case)[::7]:
        low, high = here.weight_bounds(z)
        _, other_high = there.weight_bounds(z)
        assert 0 < low <= high and low <= exp_up(here.log_ratio(there, z)) * other_high


@every_case
def test_the_law_moves_with_the_exact_vector(case: VectorCase) -> None:
    away = np.array([case.moves[0]] * 500) * 1000
    here = drawn(case, 500, SeededCoins(SEED))
    assert np.array_equal(case.mechanism.draw(away, SeededCoins(SEED)), here + away)
