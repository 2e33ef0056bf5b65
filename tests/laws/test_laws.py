"""Every mechanism: its draws follow its law, and its law costs what its event says.

The statistical tests share a false-positive budget of 1e-6: with fresh coins, the whole suite accuses a right sampler
less than once in a million runs. In CI the coins are seeded, so that a result never changes; `make slow` takes fresh ones
and 100 times as many draws, under a budget of its own. A test that could not fail would be none: a scale that is wrong by a quarter must be seen.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import assert_never

import numpy as np
import pytest
from numpy.typing import NDArray

from lapcat.core.coins import Coins, CoinSource
from lapcat.core.exact import exp_down, exp_up, ln_down
from lapcat.core.loss import ZCDP, ApproxDP, Loss, PureDP
from lapcat.mechanisms.integers import MECHANISMS
from lapcat.testing.coins import SeededCoins
from tests.laws.cases import ALL, CASES, FINE, Case, Vector
from tests.laws.chi_square import Verdict, alike, fit, pairs, pearson

BUDGET = 1e-6
SHARES = {
    "law": 0.4,
    "pairs": 0.2,
    "low bits": 0.2,
    "2-adic": 0.1,
    "margin": 0.1,
}  # divided evenly among the tests

SEED = 20240229
SEEDED, FRESH = 10**5, 10**7  # draws in CI, and in the slow suite
MANY, FEW = "many at once", "few at a time"  # the two ways in which a mechanism may draw
FEW_SIZE = 100
CONFIDENCES = (Fraction(1, 2), Fraction(95, 100), Fraction(999, 1000))
ORDERS = (Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(7), Fraction(32))  # of the Rényi divergence

ALPHA_LAW = BUDGET * SHARES["law"] / (2 * len(ALL))  # two ways to draw
ALPHA_PAIRS = BUDGET * SHARES["pairs"] / (2 * len(ALL))
ALPHA_LOW_BITS = BUDGET * SHARES["low bits"] / (2 * len(FINE))
ALPHA_2_ADIC = BUDGET * SHARES["2-adic"] / len(FINE)
ALPHA_MARGIN = BUDGET * SHARES["margin"] / (len(CONFIDENCES) * len(ALL))

every_case = pytest.mark.parametrize("case", ALL, ids=repr)
fine_case = pytest.mark.parametrize("case", FINE, ids=repr)
either_way = pytest.mark.parametrize("way", [MANY, FEW])


def has_loss(case: Case, kind: type[Loss]) -> bool:
    return isinstance(case.mechanism.event("x", case.sensitivity).loss, kind)


def drawn(case: Case, way: str, n: int, coins: CoinSource, exact: int = 0) -> NDArray[np.int64]:
    """n draws of the case's mechanism around an exact value."""
    if way == MANY:
        return case.mechanism.draw(np.full(n, exact), coins)
    few = np.full(FEW_SIZE, exact)
    return np.concatenate([case.mechanism.draw(few, coins) for _ in range(n // FEW_SIZE)])


@lru_cache(2 * len(ALL))
def seeded(case: Case, way: str) -> NDArray[np.int64]:
    """The draws that the tests of CI share."""
    return drawn(case, way, SEEDED, SeededCoins(SEED))


def assert_likely(verdict: Verdict, alpha: float, case: Case, n: int, seed: object = SEED) -> None:
    assert verdict.p >= alpha, told(verdict, alpha, case, n, seed)


def told(verdict: Verdict, alpha: float, case: Case, n: int, seed: object = SEED) -> str:
    return f"{case}: seed={seed} n={n} statistic={verdict.statistic:.1f} on {verdict.freedom} degrees of freedom, p={verdict.p:.2e}, alpha={alpha:.2e}"


def test_the_tests_spend_no_more_than_their_budget() -> None:
    assert sum(SHARES.values()) <= 1 + 1e-12


def test_every_mechanism_is_under_the_laws() -> None:
    assert set(CASES) == set(MECHANISMS)
    assert all(type(case.mechanism) is mechanism for mechanism, cases in CASES.items() for case in cases)


@every_case
@either_way
def test_draws_follow_the_law(case: Case, way: str) -> None:
    assert_likely(fit(seeded(case, way), case.mechanism.law()), ALPHA_LAW, case, SEEDED)


@every_case
@either_way
@pytest.mark.parametrize("factor", [Fraction(5, 4), Fraction(4, 5)], ids=str)
def test_a_quarter_more_or_less_noise_is_noticed(case: Case, factor: Fraction, way: str) -> None:
    verdict = fit(seeded(case, way), case.mechanism.rescaled(factor).law())
    assert verdict.p < ALPHA_LAW, told(verdict, ALPHA_LAW, case, SEEDED)


@every_case
@either_way
def test_each_draw_is_independent_of_the_one_before(case: Case, way: str) -> None:
    assert_likely(pairs(seeded(case, way), case.mechanism.law()), ALPHA_PAIRS, case, SEEDED)


@every_case
@either_way
def test_noise_used_twice_is_noticed(case: Case, way: str) -> None:
    verdict = pairs(np.repeat(seeded(case, way)[: SEEDED // 2], 2), case.mechanism.law())
    assert verdict.p < ALPHA_PAIRS, told(verdict, ALPHA_PAIRS, case, SEEDED)


@fine_case
@either_way
def test_the_last_bits_of_fine_noise_are_fair(case: Case, way: str) -> None:
    assert_likely(last_bits(seeded(case, way)), ALPHA_LOW_BITS, case, SEEDED)


@fine_case
def test_the_divisibility_of_an_answer_tells_nothing(case: Case) -> None:
    verdict = mironov(case, SEEDED, SeededCoins(1), SeededCoins(2))
    assert_likely(verdict, ALPHA_2_ADIC, case, 2 * SEEDED, seed=(1, 2))


@pytest.mark.slow
@every_case
@either_way
def test_ten_million_fresh_draws_follow_the_law(case: Case, way: str) -> None:
    n = FRESH if way == MANY else case.fresh_few
    draws = drawn(case, way, n, Coins())
    law = case.mechanism.law()
    assert_likely(fit(draws, law), ALPHA_LAW, case, n, seed="fresh entropy")
    assert_likely(pairs(draws, law), ALPHA_PAIRS, case, n, seed="fresh entropy")
    if case in FINE:
        assert_likely(last_bits(draws), ALPHA_LOW_BITS, case, n, seed="fresh entropy")


@pytest.mark.slow
@fine_case
def test_the_divisibility_of_ten_million_answers_tells_nothing(case: Case) -> None:
    verdict = mironov(case, FRESH, Coins(), Coins())
    assert_likely(verdict, ALPHA_2_ADIC, case, 2 * FRESH, seed="fresh entropy")


@every_case
@either_way
def test_the_law_moves_with_the_exact_value(case: Case, way: str) -> None:
    shift = 12345  # with the same coins the noise is the same, and only its place changes
    here, there = (drawn(case, way, 1000, SeededCoins(SEED), exact) for exact in (0, shift))
    assert np.array_equal(here + shift, there)
    law, moved = case.mechanism.law(), case.mechanism.law(shift)
    for z in (-3, 0, 1, case.spread):
        assert moved.pmf(z + shift) == law.pmf(z) and moved.cdf(z + shift) == law.cdf(z)


def last_bits(draws: NDArray[np.int64]) -> Verdict:
    """Are the draws uniform modulo 16? Noise of spread s is, up to (16/s)^2: far less than n draws can show."""
    return pearson(np.bincount(draws & 15, minlength=16), np.full(16, len(draws) / 16))


def mironov(case: Case, n: int, coins: CoinSource, other_coins: CoinSource) -> Verdict:
    """Mironov's attack on the low bits of floating-point noise, for integers: can they tell an exact 0 from a 1?"""
    here, there = drawn(case, MANY, n, coins, 0), drawn(case, MANY, n, other_coins, 1)
    return alike(two_adic(here, case.spread), two_adic(there, case.spread))


def two_adic(released: NDArray[np.int64], spread: int) -> NDArray[np.int64]:
    """Counts over (trailing zero bits, range): what an attacker on low-order bits looks at, jointly with the size."""
    lowest_bit = released & -released
    zeros = np.where(released == 0, 15, np.minimum(np.log2(np.maximum(lowest_bit, 1)).astype(np.int64), 14))
    ranges = np.clip(released // max(1, spread // 2), -4, 3) + 4
    return np.bincount(zeros * 8 + ranges, minlength=128)


@fine_case
def test_noise_on_a_coarser_grid_than_the_data_is_noticed(case: Case) -> None:
    coarse = case.mechanism.rescaled(Fraction(1, 2))
    even, odd = (coarse.draw(np.zeros(SEEDED, np.int64), SeededCoins(seed)) * 2 + seed for seed in (0, 1))
    verdict = alike(two_adic(even, case.spread), two_adic(odd, case.spread))
    assert verdict.p < ALPHA_2_ADIC, told(verdict, ALPHA_2_ADIC, case, 2 * SEEDED, seed=(0, 1))


@every_case
def test_no_outcome_tells_more_than_the_event_costs(case: Case) -> None:
    loss = case.mechanism.event("x", case.sensitivity).loss
    for here, there in case.neighbours:
        assert within_sensitivity(case, here, there)
        for left, other in ((here, there), (there, here)):
            moved = [(a, b) for a, b in zip(left, other, strict=True) if a != b]
            match loss:
                case PureDP(epsilon):
                    assert sum(worst_log_ratio(case, a, b) for a, b in moved) <= epsilon
                case ZCDP(rho):
                    for order in ORDERS:
                        divergence = sum(renyi_down(case, a, b, order) for a, b in moved)
                        assert divergence <= rho * order, f"{case}: order {order} at {left} and {other}"
                case ApproxDP(epsilon, delta):
                    assert sum(excess_down(case, a, b, epsilon) for a, b in moved) <= delta
                case _:
                    assert_never(loss)


def within_sensitivity(case: Case, here: Vector, there: Vector) -> bool:
    steps = [abs(a - b) for a, b in zip(here, there, strict=True) if a != b]
    bound = case.sensitivity
    return (
        len(steps) <= bound.l0
        and max(steps, default=0) <= bound.linf
        and sum(steps) <= bound.l1
        and sum(step * step for step in steps) <= bound.l2_squared
    )


def worst_log_ratio(case: Case, here: int, there: int) -> Fraction:
    """The largest ln(Pr[z | here] / Pr[z | there]) over a grid of z: around, between and far beyond the two."""
    law, other = case.mechanism.law(here), case.mechanism.law(there)
    return max(law.log_ratio(other, z) for z in outcomes(case, here, there))


def renyi_down(case: Case, here: int, there: int, order: Fraction) -> Fraction:
    """The Rényi divergence of this order, rounded down: ln(the mean of e^((order - 1) * log ratio)) / (order - 1).

    The terms p^order * q^(1 - order) of a Gaussian law are those of one around order * here + (1 - order) * there; what
    lies 12 spreads away only adds. Of a wide law every `stride`-th term stands for `stride` of them: with spread / stride
    at least 4 that changes their sum by a factor within 1 ± 2.1 * e^(-2 pi² * 16) (Poisson's summation), below 2^-400.
    """
    law, other = case.mechanism.law(here), case.mechanism.law(there)
    stride = max(1, case.spread // 4)
    middle, reach = round(order * here + (1 - order) * there), 12 * case.spread
    mean = sum(
        law.pmf_bounds(z)[0] * exp_down((order - 1) * law.log_ratio(other, z))
        for z in range(middle - reach, middle + reach + 1, stride)
    )
    return ln_down(mean * stride * (1 - Fraction(1, 2**400))) / (order - 1)


def excess_down(case: Case, here: int, there: int, epsilon: Fraction) -> Fraction:
    """The sum of max(0, Pr[z | here] - e^epsilon Pr[z | there]), rounded down; of a wide law, Pr of some upper sets."""
    law, other = case.mechanism.law(here), case.mechanism.law(there)
    if case.spread < 100:
        reach = 12 * case.spread + abs(here - there)
        near = range(min(here, there) - reach, max(here, there) + reach + 1)
        terms = (law.pmf_bounds(z)[0] - exp_up(epsilon) * other.pmf_bounds(z)[1] for z in near)
        return sum((term for term in terms if term > 0), Fraction(0))
    cuts = [here + i * case.spread // 8 for i in range(-80, 81)]
    if there > here:  # the outcomes that speak for `here` are the small ones
        sets = [(law.cdf(cut), other.cdf(cut)) for cut in cuts]
    else:
        sets = [(1 - law.cdf(cut), 1 - other.cdf(cut)) for cut in cuts]
    return Fraction(max(p - math.exp(epsilon) * q for p, q in sets)) * (1 - Fraction(1, 10**6))


@pytest.mark.parametrize("case", [case for case in ALL if has_loss(case, ZCDP)], ids=repr)
@pytest.mark.parametrize("order", [2, 7], ids=str)
def test_a_rho_that_is_too_small_by_a_thousandth_is_noticed(case: Case, order: int) -> None:
    here, there = case.neighbours[0]
    loss = case.mechanism.event("x", case.sensitivity).loss
    assert renyi_down(case, here[0], there[0], Fraction(order)) > loss.rho * order * Fraction(999, 1000)


@pytest.mark.parametrize("case", [case for case in ALL if has_loss(case, ApproxDP)], ids=repr)
def test_a_delta_that_is_too_small_is_noticed(case: Case) -> None:
    here, there = case.neighbours[0]
    loss = case.mechanism.event("x", case.sensitivity).loss
    slack = (
        Fraction(999, 1000) if case.spread < 100 else Fraction(9, 10)
    )  # of a wide law only some sets are tried
    assert excess_down(case, here[0], there[0], loss.epsilon) > loss.delta * slack


def outcomes(case: Case, here: int, there: int) -> set[int]:
    near = {z + d for z in (here, there, (here + there) // 2) for d in range(-20, 21)}
    far = {here + sign * i * case.spread for sign in (-1, 1) for i in (1, 2, 5, 10, 40)}
    return near | far


@every_case
def test_the_stated_log_ratio_is_that_of_the_probabilities(case: Case) -> None:
    for (here, *_), (there, *_) in case.neighbours:
        law, other = case.mechanism.law(here), case.mechanism.law(there)
        for z in outcomes(case, here, there):
            (low, high), (other_low, other_high) = law.pmf_bounds(z), other.pmf_bounds(z)
            stated = law.log_ratio(other, z)
            assert low <= high and low <= exp_up(stated) * other_high
            assert high >= exp_down(stated) * other_low * (1 - Fraction(1, 2**40))
            assert low < 1e-300 or abs(law.pmf(z) / float(low) - 1) < 1e-9


@every_case
def test_the_probabilities_add_up_to_the_distribution(case: Case) -> None:
    law = case.mechanism.law()
    for z in (-2 * case.spread, -1, 0, 1, case.spread):
        step = law.cdf(z) - law.cdf(z - 1)
        assert abs(step - law.pmf(z)) <= 1e-15 + 1e-9 * law.pmf(z)


@every_case
@pytest.mark.parametrize("confidence", CONFIDENCES, ids=str)
def test_a_margin_holds_as_often_as_it_says_and_no_smaller_one_does(case: Case, confidence: Fraction) -> None:
    law = case.mechanism.law(3)
    margin = law.margin(confidence)
    assert law.within(margin) >= float(confidence) * (1 - 1e-12)
    assert margin == 0 or law.within(margin - 1) < float(confidence) * (1 + 1e-12)
    draws = seeded(case, MANY)
    held = np.count_nonzero(np.abs(draws) <= margin) / len(draws)
    slack = math.sqrt(math.log(1 / ALPHA_MARGIN) / (2 * len(draws)))  # Hoeffding's bound
    assert held >= confidence - slack, (
        f"{case}: seed={SEED} n={SEEDED} statistic={held} alpha={ALPHA_MARGIN:.2e}"
    )


@every_case
@pytest.mark.parametrize("share", [Fraction(1, 10), Fraction(1), Fraction(27, 7)], ids=str)
def test_calibration_costs_at_most_the_share(case: Case, share: Fraction) -> None:
    wanted = case.share(share)
    loss = type(case.mechanism).calibrate(case.sensitivity, wanted).event("x", case.sensitivity).loss
    match wanted, loss:
        case PureDP(most), PureDP(epsilon):
            assert epsilon <= most
        case ZCDP(most), ZCDP(rho):
            assert rho <= most
        case ApproxDP(most, most_delta), ApproxDP(epsilon, delta):
            assert epsilon <= most and delta <= most_delta
        case _:
            pytest.fail(f"{case}: {wanted} was asked for, and {loss} is another kind of loss")
