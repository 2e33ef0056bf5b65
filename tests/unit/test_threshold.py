"""Private keys: the least threshold, its exact tail, and what one unit's keys can tell, any of them."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapcat.core.event import JointRelease, KeyedRelease, LaplaceRelease
from lapcat.core.exact import exp_down, exp_up
from lapcat.core.loss import ApproxDP
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.core.mechanisms.threshold import Threshold, ThresholdLaw
from lapcat.core.tails import any_shown_up
from lapcat.errors import BadArgument
from lapcat.testing.coins import SeededCoins

TIGHT = 1 + Fraction(1, 2**60)

scales = st.builds(Fraction, st.integers(1, 10**4), st.integers(1, 100))
deltas = st.builds(lambda n: Fraction(1, n), st.integers(2, 10**18))


def shown_once(scale: Fraction, tau: int) -> tuple[Fraction, Fraction]:
    """Pr[1 + Z >= tau] = q^(tau-1) / (1 + q), rounded down and up."""
    away, q = Fraction(1 - tau) / scale, -1 / scale
    return exp_down(away) / (1 + exp_up(q)), exp_up(away) / (1 + exp_down(q))


@given(scales, st.integers(1, 2000), st.integers(1, 300))
def test_delta_is_the_chance_that_any_of_the_keys_is_shown(scale: Fraction, tau: int, keys: int) -> None:
    low, high = shown_once(scale, tau)
    if high < Fraction(1, 10**60):  # exact powers of such fractions take too long
        return
    delta = any_shown_up(scale, tau, keys)
    assert 1 - (1 - low) ** keys <= delta <= (1 - (1 - high) ** keys) * TIGHT


@given(scales, st.integers(1, 50), deltas)
def test_tau_is_the_least_that_keeps_delta(epsilon: Fraction, keys: int, delta: Fraction) -> None:
    mechanism = Threshold.calibrate(keys, ApproxDP(epsilon, delta), "add-remove")
    loss = mechanism.event("city", keys, "add-remove").loss
    assert loss.epsilon == epsilon and loss.delta <= delta
    if mechanism.tau > 1:
        assert any_shown_up(mechanism.scale, mechanism.tau - 1, keys) > delta


def test_the_tail_is_the_sum_of_the_law() -> None:
    for scale in (Fraction(1, 3), Fraction(2), Fraction(15, 2)):
        for count, tau in ((1, 4), (4, 4), (9, 4), (3, 20)):
            law = ThresholdLaw(scale, tau, count)
            shown = math.fsum(law.pmf(z) for z in range(tau, tau + 1000))
            assert math.isclose(shown + law.pmf(None), 1, rel_tol=1e-12)
            low, high = law.shown_bounds()
            assert low <= high <= low * TIGHT and math.isclose(low, shown, rel_tol=1e-12)
            assert law.pmf(tau - 1) == 0


def test_a_city_of_one_is_shown_once_in_a_million() -> None:
    # epsilon = 1, C = 1, delta = 1e-6: p = e^-(tau-1) / (1 + 1/e) <= 1e-6 from tau = 1 + ln(1e6 / 1.3679) = 14.5 on
    assert Threshold.calibrate(1, ApproxDP(Fraction(1), Fraction(1, 10**6)), "add-remove").tau == 15
    # with three keys each the noise is three times as wide, and delta is shared by three
    three = Threshold.calibrate(3, ApproxDP(Fraction(1), Fraction(1, 10**6)), "add-remove")
    q = math.exp(-1 / 3)
    p = -math.expm1(math.log1p(-1e-6) / 3)
    assert three.scale == 3 and three.tau == math.ceil(1 + 3 * math.log(1 / (p * (1 + q))))
    assert Threshold.calibrate(3, ApproxDP(Fraction(1), Fraction(1, 10**6)), "replace-one").scale == 6


OUTCOMES = 3


def joint(mechanism: Threshold, counts: tuple[int, ...]) -> list[Fraction]:
    """The law of what is released of several keys, as products; a number beyond the first few counts as "more".

    Each probability is rounded down; they agree with the true ones to 2^-55.
    """
    each = []
    for count in counts:
        law = mechanism.law(count)
        beyond = Threshold(mechanism.scale, mechanism.tau + OUTCOMES).law(count)
        each.append(
            [
                *(law.pmf_bounds(z)[0] for z in (None, *range(mechanism.tau, mechanism.tau + OUTCOMES))),
                beyond.shown_bounds()[0],
            ]
        )
    return [math.prod(parts, start=Fraction(1)) for parts in product(*each)]


# the counts of three keys without the unit, then what one unit adds there: at most two keys
WITHOUT = [(0, 0, 0), (0, 0, 3), (0, 2, 1), (4, 1, 0), (2, 5, 1)]
ADDS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1)]


@pytest.mark.patient
@pytest.mark.parametrize("tau", [2, 6, 30])
@pytest.mark.parametrize("relation", ["add-remove", "replace-one"])
@pytest.mark.parametrize("scale", [Fraction(1), Fraction(7), Fraction(10**4)], ids=str)
def test_no_set_of_keys_tells_more_than_the_event_costs(relation: str, tau: int, scale: Fraction) -> None:
    mechanism = Threshold(scale, tau)
    loss = mechanism.event("city", 2, relation).loss
    assert loss.epsilon == (2 if relation == "add-remove" else 4) / scale
    factor = exp_up(loss.epsilon)
    worst = Fraction(0)
    for others in (*WITHOUT, (tau, tau + 1, tau - 1)):  # around tau, where the numbers themselves tell most
        laws = {
            adds: joint(mechanism, tuple(a + b for a, b in zip(others, adds, strict=True))) for adds in ADDS
        }
        for here, there in product(ADDS, repeat=2):
            if relation == "add-remove" and any(here) and any(there):
                continue
            excess = sum(
                (p - factor * q for p, q in zip(laws[here], laws[there], strict=True) if p > factor * q)
            )
            worst = max(worst, Fraction(excess))
    assert worst <= loss.delta + Fraction(1, 2**50)
    assert worst >= loss.delta - Fraction(1, 2**50)  # two keys of one's own reach it


def test_what_is_not_shown_is_not_there() -> None:
    counts = np.array([0, 1, 2, 50, 1000])
    for seed in range(50):
        shown = Threshold(Fraction(5), 20).draw(counts, SeededCoins(seed))
        assert shown.noisy.shape == shown.mask.shape == counts.shape
        assert not shown.noisy[~shown.mask].any() and np.all(shown.noisy[shown.mask] >= 20)
        assert not shown.mask[0]  # nobody has it
        assert shown.mask[4]
    assert Threshold(Fraction(2**50), 1).draw(np.zeros(1000, np.int64), SeededCoins(1)).mask.sum() == 0


@pytest.mark.parametrize(
    ("call", "code", "shown"),
    [
        (lambda: Threshold(Fraction(1), 0), "tau-range", "0"),
        (lambda: Threshold(Fraction(1), 2.5), "tau-range", "2.5"),
        (lambda: Threshold(Fraction(0), 5), "scale-not-positive", "0"),
        (lambda: Threshold(Fraction(1), 5).event("x", 0, "add-remove"), "threshold-keys", "0"),
        (lambda: Threshold(Fraction(1), 5).event("x", 1, "swap"), "relation-unknown", "'swap'"),
        (lambda: Threshold.calibrate(1, ApproxDP(Fraction(1), Fraction(0)), "add-remove"), "delta-zero", "0"),
        (
            lambda: Threshold.calibrate(1, ApproxDP(Fraction(0), Fraction(1, 9)), "add-remove"),
            "epsilon-zero",
            "0",
        ),
        (lambda: ApproxDP(Fraction(1), Fraction(1)), "delta-range", "1"),
    ],
)
def test_what_makes_no_threshold_is_refused(call, code: str, shown: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(BadArgument) as caught:
        call()
    assert caught.value.code == code and shown in caught.value.message


def shown_with_rows(mechanism: Threshold, rows: Laplace, units: int) -> dict[object, float]:
    """The law of what is released of a group in which every unit has one row: nothing, or both noisy numbers."""
    if units == 0:
        return {None: 1.0}
    counted, added = mechanism.law(units), rows.law(units)
    around = range(units - 40, units + 41)
    return {None: counted.pmf(None)} | {
        (z, y): counted.pmf(z) * added.pmf(y)
        for z in range(mechanism.tau, mechanism.tau + 40)
        for y in around
    }


@pytest.mark.patient
@pytest.mark.parametrize("relation", ["add-remove", "replace-one"])
@pytest.mark.parametrize("tau", [3, 8])
def test_a_table_of_private_groups_tells_no_more_than_its_event_costs(relation: str, tau: int) -> None:
    """A unit is in one of two groups, of which it may be alone in the first. Outcomes beyond the ranges weigh e^-26."""
    mechanism, rows, moved = (
        Threshold(Fraction(3, 2), tau),
        Laplace(Fraction(3, 2)),
        1 + (relation == "replace-one"),
    )
    rest = JointRelease((LaplaceRelease("n", Fraction(moved), rows.scale),), 1)
    event = KeyedRelease(mechanism.event("city", 1, relation), rest)
    assert event.loss.epsilon == 2 * moved / Fraction(3, 2)
    factor, worst = math.exp(event.loss.epsilon), 0.0
    laws = {units: shown_with_rows(mechanism, rows, units) for units in (0, 1, 3, 4)}
    for here, there in product(
        [(0, 3), (1, 3), (0, 4)], repeat=2
    ):  # without the unit, and with it in either group
        if relation == "add-remove" and sum(here) == sum(there):
            continue
        first, second = ([laws[units] for units in pair] for pair in (here, there))
        excess = math.fsum(
            max(0.0, p * q - factor * second[0].get(x, 0.0) * second[1].get(y, 0.0))
            for x, p in first[0].items()
            for y, q in first[1].items()
            if p * q > 1e-14
        )
        worst = max(worst, excess)
    assert float(event.loss.delta) * 0.99 < worst <= float(event.loss.delta) * (1 + 1e-9)
