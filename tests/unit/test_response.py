"""Randomised response: how often the truth is told, what a report costs, and what the reports tell together."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapcat.core.event import ResponseRelease
from lapcat.core.exact import exp_down, exp_up, ln_down, ln_up
from lapcat.errors import BadArgument
from lapcat.mechanisms.binomial import true_count_bounds
from lapcat.mechanisms.integers import Response
from lapcat.testing.coins import SeededCoins

STEP = Fraction(1, 2**64)

epsilons = st.builds(Fraction, st.integers(1, 10**6), st.integers(10**3, 10**5))
sizes = st.integers(2, 2000)


def odds(truth: Fraction, values: int) -> Fraction:
    return truth * (values - 1) / (1 - truth)


@given(epsilons, sizes)
def test_the_truth_is_told_as_often_as_the_promise_allows(epsilon: Fraction, values: int) -> None:
    truth = Response(epsilon, values).truth
    assert odds(truth, values) <= exp_up(epsilon)
    more = truth + 2 * STEP  # one step for rounding p down, one for a cost that is rounded up
    assert more >= 1 or odds(more, values) >= exp_down(epsilon)


@given(epsilons, sizes)
def test_a_report_never_costs_more_than_was_claimed(epsilon: Fraction, values: int) -> None:
    mechanism = Response(epsilon, values)
    loss = mechanism.event("x").loss.epsilon
    assert loss <= epsilon
    assert exp_up(loss) >= odds(mechanism.truth, values)


def test_a_cost_that_is_rounded_up_is_still_within_the_claim() -> None:
    # claims between the two roundings of ln(odds): p itself would be right, but its cost would be stated above the claim
    ratio = odds(Fraction(3, 4) + 5 * STEP, 2)
    low, high = ln_down(ratio), ln_up(ratio)
    for i in range(65):
        claim = low + (high - low) * Fraction(i, 64)
        assert Response(claim).event("x").loss.epsilon <= claim


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(4)], ids=str)
@pytest.mark.parametrize("values", [2, 3, 10])
def test_the_truth_has_the_probability_of_the_theory(epsilon: Fraction, values: int) -> None:
    mechanism = Response(epsilon, values)
    e = math.exp(epsilon)
    assert math.isclose(mechanism.truth, e / (e + values - 1), rel_tol=1e-15)
    law = mechanism.law(1)
    assert sum(law.low) == sum(law.high) == 1  # exactly
    assert law.low[1] == mechanism.truth and set(law.low) == {mechanism.truth, mechanism.lie}


def test_a_claim_beyond_64_bits_costs_what_it_is_worth() -> None:
    mechanism = Response(Fraction(10**5))
    assert mechanism.truth == 1 - STEP  # never 1: some doubt remains
    assert mechanism.event("x").loss.epsilon < 45


@pytest.mark.parametrize(
    ("epsilon", "values", "code", "shown"),
    [
        (Fraction(0), 2, "epsilon-zero", "0"),
        (Fraction(-1, 3), 2, "epsilon-sign", "-1/3"),
        (Fraction(1, 2**70), 2, "epsilon-too-small", "1/1180591620717411303424"),
        (Fraction(1), 1, "values-range", "1"),
        (Fraction(1), 2**40, "values-range", "1099511627776"),
        (Fraction(1), True, "values-range", "True"),
        (Fraction(1), 2.5, "values-range", "2.5"),
    ],
)
def test_what_makes_no_response_is_refused(epsilon: Fraction, values: int, code: str, shown: str) -> None:
    with pytest.raises(BadArgument) as caught:
        Response(epsilon, values)
    assert caught.value.code == code and shown in caught.value.message and caught.value.fix


@pytest.mark.parametrize("epsilon", [1, 0.5, math.nan, math.inf])
def test_an_epsilon_that_is_no_fraction_is_refused(epsilon: object) -> None:
    with pytest.raises(TypeError, match=str(epsilon)):
        Response(epsilon)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [-1, 3])
def test_a_value_that_is_none_of_them_is_refused_without_being_told(value: int) -> None:
    with pytest.raises(BadArgument) as caught:
        Response(Fraction(1), 3).draw(np.array([0, value]), SeededCoins(1))
    assert caught.value.code == "response-value" and "0 .. 2" in caught.value.message
    assert str(value) not in caught.value.message
    with pytest.raises(BadArgument, match="response-value"):
        Response(Fraction(1), 3).law(value)


def test_reports_have_the_type_and_shape_of_the_values() -> None:
    for exact in (np.zeros((3, 4), np.bool_), np.zeros((3, 4), np.int64), np.zeros(0, np.int64)):
        reports = Response(Fraction(1)).draw(exact, SeededCoins(1))
        assert reports.dtype == exact.dtype and reports.shape == exact.shape
        assert not exact.any()  # left as it was
    for exact, values in ((np.zeros(3), 2), (np.zeros(3, np.bool_), 3), (np.zeros(3, np.int8), 2)):
        with pytest.raises(TypeError, match=str(exact.dtype)):
            Response(Fraction(1), values).draw(exact, SeededCoins(1))


def test_bools_and_integers_are_blurred_alike() -> None:
    true = np.arange(10**5) % 3 == 0
    bools, other = (Response(Fraction(1)).draw(x, SeededCoins(1)) for x in (true, true.astype(np.int64)))
    assert np.array_equal(bools.astype(np.int64), other)


@pytest.mark.parametrize("values", [2, 3, 7])
def test_every_lie_is_as_likely_as_another_whatever_the_truth(values: int) -> None:
    mechanism, n = Response(Fraction(1, 2), values), 60_000
    for true in range(values):
        named = np.bincount(mechanism.draw(np.full(n, true), SeededCoins(true)), minlength=values)
        for value, number in enumerate(named):
            p = float(mechanism.law(true).low[value])
            assert abs(number - n * p) < 6 * math.sqrt(n * p * (1 - p))


# ---- the estimate


def test_the_estimate_is_that_of_the_theory() -> None:
    mechanism, n, yes = Response(Fraction(1)), 1000, 600
    p = float(mechanism.truth)
    estimate = mechanism.estimate([n - yes, yes])[1]
    assert math.isclose(estimate.value, (yes / n - (1 - p)) / (2 * p - 1), rel_tol=1e-12)
    assert math.isclose(estimate.variance, p * (1 - p) / (n * (2 * p - 1) ** 2), rel_tol=1e-12)
    assert estimate.low < estimate.value < estimate.high


@given(st.integers(2, 6).flatmap(lambda k: st.lists(st.integers(0, 40), min_size=k, max_size=k)))
def test_the_estimate_is_unbiased_whatever_the_data(true: list[int]) -> None:
    n, values = sum(true), len(true)
    if not n:
        return
    mechanism = Response(Fraction(1), values)
    # its mean over the law of the reports: linear in the expected numbers of reports
    expected = [a * mechanism.truth + (n - a) * mechanism.lie for a in true]
    for a, mean in zip(true, expected, strict=True):
        assert (mean / n - mechanism.lie) / (mechanism.truth - mechanism.lie) == Fraction(a, n)


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(4)], ids=str)
@pytest.mark.parametrize("values", [2, 4])
def test_the_interval_holds_as_often_as_it_says(epsilon: Fraction, values: int) -> None:
    # the chance that the interval misses, summed over the whole law of the number of reports
    mechanism, n, confidence = Response(epsilon, values), 60, Fraction(9, 10)
    p, r = float(mechanism.truth), float(mechanism.lie)
    ends = [
        true_count_bounds(c, n, p / (1 - p), r / (1 - r), float((1 - confidence) / 2)) for c in range(n + 1)
    ]
    for a in (0, 1, 17, 30, 59, 60):
        law = np.convolve(binomial(a, p), binomial(n - a, r))
        held = sum(w for w, (low, high) in zip(law, ends, strict=True) if low <= a <= high)
        assert held >= confidence * (1 - Fraction(1, 10**9))


def binomial(n: int, p: float) -> list[float]:
    return [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


def test_the_interval_knows_that_much_truth_leaves_little_doubt() -> None:
    # at epsilon 4 the noise of 10 000 reports has a deviation of 0.0014 of them; Hoeffding's bound would give ± 0.0141
    estimate = Response(Fraction(4)).estimate([5000, 5000])[0]
    assert estimate.high - estimate.low < 4.2 * math.sqrt(estimate.variance) < 0.006


def test_an_estimate_may_leave_zero_to_one_but_its_interval_does_not() -> None:
    rare, *_ = Response(Fraction(2), 5).estimate([1, 200, 200, 200, 200])
    assert rare.value < 0 == rare.low <= rare.high


@pytest.mark.parametrize(
    ("reports", "code", "shown"),
    [
        ([1, 2, 3], "reports-length", "3"),
        ([-1, 2], "reports-number", "-1"),
        ([1.5, 2], "reports-number", "1.5"),
        ([0, 0], "reports-number", "0"),
        ([2**40, 1], "reports-number", str(2**40 + 1)),
    ],
)
def test_reports_that_cannot_be_are_refused(reports: list[int], code: str, shown: str) -> None:
    with pytest.raises(BadArgument) as caught:
        Response(Fraction(1)).estimate(reports)
    assert caught.value.code == code and shown in caught.value.message and caught.value.fix


@pytest.mark.parametrize("confidence", [Fraction(0), Fraction(1), Fraction(3, 2)], ids=str)
def test_no_confidence_outside_zero_to_one(confidence: Fraction) -> None:
    with pytest.raises(BadArgument, match=str(confidence)):
        Response(Fraction(1)).estimate([1, 1], confidence)


def test_a_confidence_beyond_every_float_rules_nothing_out() -> None:
    estimate = Response(Fraction(1)).estimate([10, 10], 1 - Fraction(1, 10**400))[0]
    assert (estimate.low, estimate.high) == (0, 1)


def test_a_promise_finer_than_floats_rules_nothing_out() -> None:
    estimate = Response(Fraction(1, 2**58)).estimate([10, 10])[0]
    assert (estimate.low, estimate.high) == (0, 1)


def test_the_event_is_all_that_its_cost_needs() -> None:
    assert math.isclose(ResponseRelease("x", 2, Fraction(3, 4)).loss.epsilon, math.log(3))
