"""Every mechanism that chooses: its draws follow its law, and its law costs what its event says.

Beside tests/laws/test_laws.py, with a false-positive budget of 1e-6 of its own. In CI the coins are seeded.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest
from numpy.typing import NDArray

from lapcat.core.coins import Coins, CoinSource
from lapcat.core.event_codec import event_from_json
from lapcat.core.exact import exp_up
from lapcat.core.loss import ApproxDP, PureDP
from lapcat.mechanisms.integers import CHOICES
from lapcat.mechanisms.integers.finite import FiniteLaw
from lapcat.testing.coins import SeededCoins
from tests.laws.chi_square import FEWEST, Verdict, pearson
from tests.laws.choice_cases import ALL_CHOICES, CHOICE_CASES, ONE_DAY, ChoiceCase

BUDGET = 1e-6
SHARES = {"law": 0.6, "pairs": 0.4}  # divided evenly among the cases
SEED = 20240229
SEEDED, FRESH = 10**5, 10**7  # draws in CI, and in the slow suite

ALPHA_LAW = BUDGET * SHARES["law"] / len(ALL_CHOICES)
ALPHA_PAIRS = BUDGET * SHARES["pairs"] / len(ALL_CHOICES)
TIGHT = Fraction(1, 2**40)

every_case = pytest.mark.parametrize("case", ALL_CHOICES, ids=repr)


@lru_cache(len(ALL_CHOICES))
def seeded(case: ChoiceCase) -> NDArray[np.int64]:
    """The draws that the tests of CI share."""
    return case.draw(SEEDED, SeededCoins(SEED))


def fit(drawn: NDArray[np.int64], law: FiniteLaw) -> Verdict:
    """Pearson's test of the draws against the law; outcomes too rare to expect many of are counted together."""
    weights = np.array([law.pmf(outcome) for outcome in law.outcomes])
    counts = np.bincount(drawn, minlength=len(weights))
    assert len(counts) == len(weights), "an outcome that the law does not know"
    assert not counts[weights == 0].any(), "an outcome that has no chance"
    common = weights * len(drawn) >= FEWEST
    rare = weights[~common].sum()
    if rare * len(drawn) >= FEWEST:
        counts, weights = (np.append(x[common], x[~common].sum()) for x in (counts, weights))
    else:  # too few even together: they join the most common one
        merged = common.copy()
        merged[np.argmax(weights)] = False
        counts, weights = (np.append(x[merged], x[~merged].sum()) for x in (counts, weights))
    return pearson(counts, weights * len(drawn))


def pairs(drawn: NDArray[np.int64], law: FiniteLaw) -> Verdict:
    """Pearson's test of whether each draw and the next are independent: is each the most likely outcome, or not?"""
    likeliest = max(law.outcomes, key=law.pmf)
    p = law.pmf(likeliest)
    first, second = ((part == likeliest).astype(np.int64) for part in (drawn[0::2], drawn[1::2]))
    expected = np.outer([1 - p, p], [1 - p, p]).ravel() * len(first)
    return pearson(np.bincount(2 * first + second, minlength=4), expected)


def told(verdict: Verdict, alpha: float, case: ChoiceCase, n: int, seed: object = SEED) -> str:
    return f"{case}: seed={seed} n={n} statistic={verdict.statistic:.1f} on {verdict.freedom} degrees of freedom, p={verdict.p:.2e}, alpha={alpha:.2e}"


def test_the_tests_spend_no_more_than_their_budget() -> None:
    assert sum(SHARES.values()) <= 1 + 1e-12


def test_every_choice_is_under_the_laws() -> None:
    assert set(CHOICE_CASES) == set(CHOICES)
    assert all(case.mechanism is mechanism for mechanism, cases in CHOICE_CASES.items() for case in cases)


@every_case
def test_the_bounds_of_a_law_enclose_one_law(case: ChoiceCase) -> None:
    assert all(0 <= low <= high <= 1 for low, high in zip(case.law.low, case.law.high, strict=True))
    assert sum(case.law.low) <= 1 <= sum(case.law.high)
    assert sum(case.law.high) - sum(case.law.low) < TIGHT


@every_case
def test_draws_follow_the_law(case: ChoiceCase) -> None:
    verdict = fit(seeded(case), case.law)
    assert verdict.p >= ALPHA_LAW, told(verdict, ALPHA_LAW, case, SEEDED)


@every_case
def test_a_parameter_that_is_a_quarter_off_is_noticed(case: ChoiceCase) -> None:
    for wrong in case.wrong:
        verdict = fit(seeded(case), wrong)
        assert verdict.p < ALPHA_LAW, told(verdict, ALPHA_LAW, case, SEEDED)


@every_case
def test_each_draw_is_independent_of_the_one_before(case: ChoiceCase) -> None:
    verdict = pairs(seeded(case), case.law)
    assert verdict.p >= ALPHA_PAIRS, told(verdict, ALPHA_PAIRS, case, SEEDED)


@every_case
def test_a_draw_used_twice_is_noticed(case: ChoiceCase) -> None:
    verdict = pairs(np.repeat(seeded(case)[: SEEDED // 2], 2), case.law)
    assert verdict.p < ALPHA_PAIRS, told(verdict, ALPHA_PAIRS, case, SEEDED)


@pytest.mark.slow
@every_case
def test_ten_million_fresh_draws_follow_the_law(case: ChoiceCase) -> None:
    coins: CoinSource = Coins()
    drawn = np.concatenate([case.draw(FRESH // 10, coins) for _ in range(10)])
    for verdict, alpha in ((fit(drawn, case.law), ALPHA_LAW), (pairs(drawn, case.law), ALPHA_PAIRS)):
        assert verdict.p >= alpha, told(verdict, alpha, case, FRESH, seed="fresh entropy")


@every_case
def test_no_outcome_tells_more_than_the_event_costs(case: ChoiceCase) -> None:
    match case.loss:
        case PureDP(epsilon):
            worst = max(
                here.log_ratio_bounds(there, outcome)[0]
                for here, there in case.neighbours()
                for outcome in here.outcomes
            )
            assert worst <= epsilon, "certainly too much"
            assert not case.reached or worst >= epsilon - TIGHT, "more is paid than is told"
        case ApproxDP(epsilon, delta):
            assert all(excess(*pair, epsilon) <= delta * (1 + TIGHT) for pair in case.neighbours())


def excess(here: FiniteLaw, there: FiniteLaw, epsilon: Fraction) -> Fraction:
    """The sum of max(0, Pr[here] - e^epsilon * Pr[there]), certainly not too large a number."""
    factor = exp_up(epsilon)
    differences = (low - factor * high for low, high in zip(here.low, there.high, strict=True))
    return sum((d for d in differences if d > 0), Fraction(0))


@pytest.mark.parametrize("case", [case for case in ALL_CHOICES if case.reached], ids=repr)
def test_a_cost_a_fifth_too_low_is_noticed(case: ChoiceCase) -> None:
    # a test that cannot fail is none; the choices among candidates have theirs in tests/unit
    epsilon = case.loss.epsilon * Fraction(4, 5)
    assert any(excess(*pair, epsilon) > 0 for pair in case.neighbours())


@every_case
def test_an_event_is_read_back_as_it_was_written(case: ChoiceCase) -> None:
    match case.mechanism.__name__:
        case "Response":
            event = case.mechanism(Fraction(1)).event("x")
        case "Discrete":
            event = case.mechanism([[1, 0], ["1/3", "2/3"]]).event("x", epsilon=Fraction(1, 3))
        case "Threshold":
            event = case.mechanism(Fraction(7, 3), 20).event("x", 2, "replace-one")
        case _:
            event = case.mechanism(Fraction(2, 3)).event("x", ONE_DAY, picks=3)
    assert event_from_json(event.as_json()) == event
