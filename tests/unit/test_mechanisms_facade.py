"""The mechanisms by themselves, as a statistician imports them: the worked examples, floats and arrays, bad arguments."""

from __future__ import annotations

import itertools
import math
import re
import time
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lapcat
from lapcat import mechanisms as m
from lapcat.core.exact import exp_up
from lapcat.core.loss import ZCDP, ApproxDP, PureDP
from lapcat.errors import BadArgument, BadQuery
from lapcat.mechanisms.grids import floored, floored_array
from lapcat.mechanisms.shown import declares_integers

grids = st.integers(-30, 30).map(lambda k: Fraction(2) ** k)
numbers = st.floats(-1e12, 1e12)


def test_v5_the_scale_is_sensitivity_over_epsilon() -> None:
    assert m.Laplace(sensitivity=5, epsilon="0.1").scale == 50
    assert m.Laplace(sensitivity=5, epsilon=4).scale == Fraction(5, 4)


def test_v9_an_age_reported_with_lap_3_costs_82_thirds() -> None:
    alice = m.Laplace(sensitivity=100 - 18, scale=3)
    assert alice.epsilon == Fraction(82, 3) and alice.loss == PureDP(Fraction(82, 3)) and alice.scale == 3


def test_v10_the_extreme_of_weights_moves_across_the_whole_range_and_laplace_is_useless() -> None:
    lap = m.Laplace(sensitivity=150 - 30, epsilon="0.1")
    assert lap.scale == 1200 and lap.margin(0.95) > 10 * (150 - 30)
    # the choice by rank is not useless: within t ranks of the maximum, however wide the range is
    weights = np.linspace(30, 150, 10_000)
    candidates = list(range(30, 151))
    choice = m.Exponential(epsilon="0.1", sensitivity=1)
    wanted = math.ceil(choice.margin(len(candidates), 0.95))
    above = [int((weights > r).sum()) for r in candidates]
    at_least = [int((weights >= r).sum()) for r in candidates]
    scores = [-max(0, a - wanted, wanted - b) for a, b in zip(above, at_least, strict=True)]
    law = choice.law(scores)
    assert sum(law.pmf(i) for i, score in enumerate(scores) if score < max(scores) - wanted) <= 0.05
    assert 2 * wanted < len(weights) / 30 and choice.choose(candidates, scores) in candidates


def test_v12_a_favourite_day_is_chosen_within_the_bound() -> None:
    days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    votes = [3, 5, 2, 9, 40, 41, 12]
    general, monotone = (m.Exponential(epsilon=1, sensitivity=1, monotone=how) for how in (False, True))
    assert general.rate == Fraction(1, 2) and monotone.rate == 1  # weights e^(ε n): 2ε-DP, ε-DP if monotone
    assert monotone.margin(7, 0.95) == pytest.approx(math.log(7 / 0.05))
    law = monotone.law(votes)
    far = sum(law.pmf(i) for i, n in enumerate(votes) if n < max(votes) - monotone.margin(7, 0.95))
    assert far <= 0.05
    assert monotone.choose(days, votes) in days and m.PermuteAndFlip(epsilon=1).choose(days, votes) in days


@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "1", "3"])
def test_v13_the_expected_squared_error_of_a_count(epsilon: str) -> None:
    e = float(epsilon)
    q = math.exp(-e)
    count = m.Laplace(sensitivity=1, epsilon=epsilon, grid=1)
    assert count.variance == pytest.approx(2 * q / (1 - q) ** 2, rel=1e-9)
    assert m.Laplace(sensitivity=1, epsilon=epsilon).variance == pytest.approx(2 / e**2, rel=1e-6)
    steps = range(1, math.ceil(60 / e))
    assert count.variance == pytest.approx(sum(2 * z * z * count.law.pmf(z) for z in steps), rel=1e-6)


@pytest.mark.parametrize("grid", ["1", "0.25", "8", None])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "5/3"])
def test_the_ratio_on_neighbours_stays_within_e_epsilon_everywhere_on_the_grid(
    grid: str | None, epsilon: str
) -> None:
    """From the exact law, not by sampling: also the probabilities themselves, enclosed by fractions."""
    lap = m.Laplace(sensitivity=5, epsilon=epsilon, grid=grid)
    here, there = lap.law_around(17.2), lap.law_around(17.2 + 5)
    unit = max(1, int(lap.law.scale) // 7)
    for z in range(here.exact - 200 * unit, there.exact + 200 * unit, 11 * unit):
        assert abs(here.log_ratio(there, z)) <= lap.epsilon
    for z in (here.exact, there.exact, (here.exact + there.exact) // 2, here.exact - 9):
        low, high = here.pmf_bounds(z), there.pmf_bounds(z)
        assert low[0] <= exp_up(lap.epsilon) * high[1] and high[0] <= exp_up(lap.epsilon) * low[1]


@given(numbers, numbers, grids)
def test_a_floor_moves_two_numbers_apart_by_less_than_a_step(x: float, y: float, grid: Fraction) -> None:
    distance = abs(Fraction(x) - Fraction(y))
    assert abs(floored(x, grid) - floored(y, grid)) <= math.ceil(distance / grid)


@given(st.lists(numbers, min_size=1, max_size=6), grids)
def test_arrays_are_floored_as_numbers_are(values: list[float], grid: Fraction) -> None:
    for held in (values, [int(x) for x in values]):
        expected = [floored(x, grid) for x in held]
        if max(map(abs, expected)) < 2**62:
            assert floored_array(np.array(held), grid).tolist() == expected
        else:
            with pytest.raises(BadArgument, match="beyond"):
                floored_array(np.array(held), grid)


@pytest.mark.parametrize("exponent", [-70, -62, -1, 0, 1, 2, 61, 62, 63, 64, 90])
@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint8, np.uint64])
def test_integers_of_every_width_are_floored_or_refused_up_to_their_ends(kind: type, exponent: int) -> None:
    grid = Fraction(2) ** exponent
    for value in (np.iinfo(kind).min, 0, 1, 100, 2**61, 2**62 - 1, 2**62, 2**63, np.iinfo(kind).max):
        if not np.iinfo(kind).min <= value <= np.iinfo(kind).max:
            continue
        expected = math.floor(value / grid)
        if abs(expected) < 2**62:
            assert floored_array(np.array([value], kind), grid).tolist() == [expected]
        else:
            with pytest.raises(BadArgument, match="beyond"):
                floored_array(np.array([value], kind), grid)


MASKED = np.ma.array([0, 1], mask=[False, True])


@pytest.mark.parametrize(
    "release",
    [
        m.Laplace(1, 1).release,
        m.Gaussian(1, rho=1, dimensions=2).release,
        m.KNorm(norm="l2", dimensions=2, epsilon=1).release,
        m.RandomizedResponse(1).release,
        m.RandomizedResponse(1).estimate,
        m.DiscreteMechanism([["0.75", "0.25"], ["0.25", "0.75"]]).release,
        lambda scores: m.Exponential(1).choose(["a", "b"], scores),
        lambda scores: m.PermuteAndFlip(1).choose(["a", "b"], scores),
    ],
)
def test_what_lies_below_a_mask_is_not_released(release: Callable[[object], object]) -> None:
    release(np.array([0, 1]))
    with pytest.raises(BadArgument, match="masked"):
        release(MASKED)


@pytest.mark.parametrize("value", [1e12, 1.6e15, -1e12, 1e308])
@pytest.mark.parametrize("kind", [np.float64, np.int64])
def test_no_array_is_cut_to_the_reach_of_its_grid_without_a_word(value: float, kind: type) -> None:
    if kind is np.int64 and value > 1e18:
        return
    lap = m.Laplace(sensitivity=1, epsilon=1)
    assert lap.release(value) == pytest.approx(value)
    with pytest.raises(BadArgument, match="range of a grid"):
        lap.release(np.array([value], kind))
    assert m.Laplace(1, 1, grid=1 if value < 1e18 else 2**1000).release(np.array([0.0, 1.0])).shape == (2,)  # type: ignore[union-attr]
    if value < 1e18:
        assert m.Laplace(1, 1, grid=1).release(np.array([value], kind))[0] == pytest.approx(value)  # type: ignore[index]


@pytest.mark.parametrize(
    "value",
    [10**400, -(10**400), 10**7000, Fraction(10**400), Decimal("1e9999")],
    ids=lambda v: type(v).__name__,
)
def test_a_number_beyond_floats_is_a_bad_argument(value: object) -> None:
    for release in (
        m.Laplace(1, 1).release,
        m.Laplace(1, 1, grid=1).release,
        m.Gaussian(1, rho=1).release,
        lambda value: m.Threshold(1, 1e-6).release({"a": value}),
        lambda value: m.Exponential(1).choose(["a", "b"], [value, 1]),
        lambda value: m.PermuteAndFlip(1).choose(["a", "b"], [value, 1]),
    ):
        with pytest.raises(BadArgument):
            release(value)  # type: ignore[operator]
    with pytest.raises(BadArgument, match="number-too-large"):
        m.Laplace(1, 10**400)


@given(st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=1, max_size=5), st.integers(-6, 2))
@settings(max_examples=60)
def test_an_array_of_floats_moves_no_further_than_its_mechanism_covers(
    pairs: list[tuple[float, float]], exponent: int
) -> None:
    grid = Fraction(2) ** exponent
    moved = sum(abs(Fraction(a) - Fraction(b)) for a, b in pairs)
    if not moved:
        return
    lap = m.Laplace(sensitivity=moved, epsilon=1, grid=grid, dimensions=len(pairs))
    here, there = (floored_array(np.array(side), grid) for side in zip(*pairs, strict=True))
    assert int(np.abs(here - there).sum()) <= lap.law.scale * lap.epsilon


def test_tiny_negative_floats_are_floored_and_not_lost() -> None:
    tiny = np.array([-5e-324, 5e-324])
    assert (
        floored_array(tiny, Fraction(2**40)).tolist()
        == [-1, 0]
        == [floored(x, Fraction(2**40)) for x in tiny]
    )


def test_numbers_of_every_kind_are_released_in_their_own_unit() -> None:
    sharp = m.Laplace(sensitivity=1, epsilon=10**6)
    for value in (17.25, 17, Fraction(69, 4), Decimal("17.25"), np.float32(17.25), np.int8(17)):
        assert abs(float(sharp.release(value)) - float(value)) < 1e-3  # type: ignore[arg-type]
    count = m.Laplace(sensitivity=1, epsilon=1, grid=1)
    assert isinstance(count.release(5), int) and count.release(np.arange(4)).dtype == np.int64  # type: ignore[union-attr]
    import pandas as pd

    assert np.abs(sharp.release(pd.Series([1.5, 2.5])) - [1.5, 2.5]).max() < 1e-3  # type: ignore[operator]
    for kind in (np.uint64, np.int8, np.float32):
        shape = sharp.release(np.ones((2, 3), kind))
        assert shape.shape == (2, 3) and np.abs(shape - 1).max() < 1e-3  # type: ignore[union-attr]


def used(mechanism: m.Laplace | m.Gaussian, values: object) -> m.Laplace | m.Gaussian:
    """The mechanism that releases this array."""
    return mechanism._for(np.asarray(values), declares_integers(values))


def test_integers_on_a_grid_that_divides_1_have_the_scale_of_their_sensitivity() -> None:
    for grid in (1, "0.5", "0.125"):
        announced = m.Laplace(sensitivity=1, epsilon=1, grid=grid, dimensions=10)
        declared = m.Laplace(sensitivity=1, epsilon=1, grid=grid, dimensions=10, dtype=int)
        assert declared.scale == 1 and announced.scale == 1 + 10 * Fraction(str(grid))
        assert declared.event().loss == PureDP(Fraction(1))
        for kind in (np.int8, np.int64, np.uint32):
            assert used(announced, np.ones(10, kind)).scale == 1
        assert used(declared, np.arange(10)) is declared and used(declared, [1, 2, 3]) is declared
    gauss = m.Gaussian(sensitivity=1, rho="0.5", grid=1, dimensions=9)
    assert (
        gauss.sigma == pytest.approx(4)
        and m.Gaussian(1, rho="0.5", grid=1, dimensions=9, dtype=int).sigma == 1
    )
    assert used(gauss, np.arange(9)).sigma == 1 and used(gauss, np.arange(9.0)) is gauss
    coarse = m.Laplace(sensitivity=2, epsilon=1, grid=2, dimensions=10)
    assert used(coarse, np.arange(10)) is coarse, "a grid of 2 moves integers"
    with pytest.raises(BadArgument, match="divides 1"):
        m.Laplace(1, 1, grid=2, dtype=int)
    with pytest.raises(BadArgument, match="for integers"):
        m.Laplace(1, 1, dtype=int).release(np.array([1.0, 2.0]))
    with pytest.raises(BadArgument, match="for integers"):
        m.Gaussian(1, rho=1, dtype=int, dimensions=2).release([1.5, 2])
    with pytest.raises(BadArgument, match="int or float"):
        m.Laplace(1, 1, dtype=str)


def test_which_noise_is_drawn_depends_on_the_dtype_and_never_on_a_value() -> None:
    """Neighbouring arrays [1, 2] and [1, 2.5] of floats must get the same law, and so must lists, which bring no dtype."""
    lap = m.Laplace(sensitivity=1, epsilon=1, grid=1)
    for values in (np.array([1.0, 2.0]), [1, 2], (1, 2), [1, 2.5], np.array([1, 2.5])):
        assert used(lap, values) == lap.for_array(2), values
    assert used(lap, np.array([1, 2])).scale == 1


@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=5), st.integers(-6, 0)
)
@settings(max_examples=60)
def test_integers_move_by_exactly_their_distance_in_steps(
    pairs: list[tuple[int, int]], exponent: int
) -> None:
    grid, moved = Fraction(2) ** exponent, sum(abs(a - b) for a, b in pairs)
    if not moved:
        return
    lap = m.Laplace(sensitivity=moved, epsilon=1, grid=grid, dimensions=len(pairs), dtype=int)
    here, there = (floored_array(np.array(side), grid) for side in zip(*pairs, strict=True))
    assert int(np.abs(here - there).sum()) == moved / grid == lap.law.scale * lap.epsilon


def test_the_loss_of_two_integers_over_all_outcomes_is_the_one_that_is_claimed() -> None:
    """(3, 5) and (3, 6) on grid 1: the ratio of the joint laws is largest where the moved one lies beyond both."""
    lap = m.Laplace(sensitivity=1, epsilon=1, grid=1, dimensions=2, dtype=int)
    here, there = ([lap.law_around(x) for x in side] for side in ((3, 5), (3, 6)))
    losses = [
        sum(math.log(h.pmf(z) / t.pmf(z)) for h, t, z in zip(here, there, outcome, strict=True))
        for outcome in itertools.product(range(-4, 12), repeat=2)
    ]
    assert max(losses) == pytest.approx(1, rel=1e-12) and min(losses) == pytest.approx(-1, rel=1e-12)


def test_an_array_of_floats_pays_a_step_for_each_floor_and_integers_do_not() -> None:
    lap = m.Laplace(sensitivity=5, epsilon="0.1", grid="0.5")
    assert lap.scale == 50 and lap.for_array(20).scale == (10 + 20) * Fraction(1, 2) * 10
    assert used(lap, np.arange(20)).scale == 50 and used(lap, np.ones(20)) == lap.for_array(20)
    announced = m.Laplace(sensitivity=5, epsilon="0.1", dimensions=20)
    assert announced.event().loss == PureDP(Fraction(1, 10)) and float(announced.scale) == pytest.approx(
        50, rel=1e-5
    )
    with pytest.raises(BadArgument, match="21"):
        announced.release(np.ones(21))


def test_a_million_floats_take_less_than_a_second() -> None:
    lap = m.Laplace(sensitivity=5, epsilon="0.1", dimensions=10**6)
    values = np.linspace(0, 1, 10**6)
    lap.release(values)  # the table of the scale
    start = time.process_time()
    lap.release(values)
    assert time.process_time() - start < 1, "about 0.1 s on an idle machine"


def test_the_least_epsilon_for_a_wanted_error_is_the_least() -> None:
    lap = m.Laplace.for_error(sensitivity=1, error=10, confidence=0.95, grid=1)
    assert lap.margin(0.95) <= 10
    assert m.Laplace(sensitivity=1, epsilon=lap.epsilon * Fraction(999, 1000), grid=1).margin(0.95) > 10
    with pytest.raises(BadArgument, match=r"grid of 2 .* error of 0\.25"):
        m.Laplace.for_error(sensitivity=1, error="0.25", grid=2)


def test_gaussian_noise_is_given_by_epsilon_and_delta_or_by_rho() -> None:
    g = m.Gaussian(sensitivity=1, epsilon=1, delta=1e-6)
    assert g.loss == ApproxDP(Fraction(1), Fraction(1, 10**6)) and g.event().loss.delta <= Fraction(1, 10**6)  # type: ignore[union-attr]
    assert g.sigma == pytest.approx(4.2247, abs=1e-3) and g.variance == pytest.approx(g.sigma**2)
    by_rho = m.Gaussian(sensitivity=3, rho="0.125")
    assert by_rho.sigma == pytest.approx(6) and by_rho.loss == ZCDP(Fraction(1, 8))
    vector = m.Gaussian(sensitivity=1, epsilon=1, delta=1e-6, dimensions=4)
    assert vector.release(np.ones(4)).shape == (4,) and vector.sigma > g.sigma  # type: ignore[union-attr]
    assert lapcat.compose([vector], delta=1e-6).epsilon <= 1
    with pytest.raises(BadArgument, match="array has 2"):
        g.release([1.0, 2.0])


def test_randomised_response_is_vectorised_and_unbiased() -> None:
    response = m.RandomizedResponse(epsilon=1)
    assert float(response.truth) == pytest.approx(math.e / (1 + math.e))
    bits = np.arange(20_000) < 6000
    no, yes = response.estimate(response.release(bits))
    sd = math.sqrt(response.variance / len(bits))
    assert (
        abs(yes.value - 0.3) < 6 * sd
        and yes.low < yes.value < yes.high
        and no.value == pytest.approx(1 - yes.value)
    )
    many = m.RandomizedResponse(epsilon=2, values=5)
    assert set(many.release(np.zeros(2000, int)).tolist()) == {0, 1, 2, 3, 4}


def test_a_table_of_probabilities_has_its_exact_epsilon_and_delta() -> None:
    coin = m.DiscreteMechanism([["0.75", "0.25"], ["0.25", "0.75"]])
    assert float(coin.epsilon) == pytest.approx(math.log(3)) and coin.delta(0) == Fraction(1, 2)
    one_row = m.DiscreteMechanism(np.array([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]]))
    assert one_row.epsilon == math.inf and one_row.delta(5) == Fraction(1, 2)
    assert "impossible for input" in repr(one_row)
    chain = m.DiscreteMechanism([["0.8", "0.2"], ["0.5", "0.5"], ["0.2", "0.8"]], neighbours=[(0, 1), (1, 2)])
    assert float(chain.epsilon) == pytest.approx(math.log(5 / 2))
    assert coin.release([0, 1, 1]).shape == (3,)


def test_private_keys_are_shown_only_where_enough_units_have_them() -> None:
    keys = m.Threshold(epsilon=1, delta=1e-6)
    shown = keys.release({"common": 10_000, "lily": 0})
    assert set(shown) == {"common"} and abs(shown["common"] - 10_000) < 100
    assert keys.loss.epsilon == 1 and keys.loss.delta <= Fraction(1, 10**6)


ALL = [
    m.Laplace(sensitivity=5, epsilon="0.1"),
    m.Gaussian(sensitivity=1, epsilon=1, delta=1e-6),
    m.Gaussian(sensitivity=1, rho=1, dimensions=2),
    m.RandomizedResponse(epsilon=1),
    m.RandomizedResponse(epsilon=1, values=7),
    m.Exponential(epsilon=1, sensitivity=1),
    m.PermuteAndFlip(epsilon=1, sensitivity=1),
    m.KNorm(norm="l2", dimensions=3, epsilon=1),
    m.KNorm(questions=[[1, 0], [1, 1]], epsilon=1),
    m.DiscreteMechanism([["0.75", "0.25"], ["0.25", "0.75"]]),
    m.Threshold(epsilon=1, delta=1e-6),
]


@pytest.mark.parametrize("mechanism", ALL, ids=lambda mechanism: type(mechanism).__name__)
def test_every_mechanism_shows_its_parameters_its_guarantee_and_its_two_curves(mechanism: object) -> None:
    text, html = repr(mechanism), mechanism._repr_html_()  # type: ignore[attr-defined]
    assert "guarantee" in text and "neighbour" in text and type(mechanism).__name__ in text
    ElementTree.fromstring(html[html.index("<svg") : html.index("</svg>") + 6])  # well-formed
    assert "<svg" in html and "e^ε" in html and "guarantee" in html and "<script" not in html
    assert lapcat.compose([mechanism], delta=1e-5).epsilon > 0


def test_every_mechanism_of_the_facade_is_shown_here() -> None:
    assert {type(mechanism).__name__ for mechanism in ALL} == set(m.__all__)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: m.Laplace(sensitivity=0, epsilon=1), "sensitivity of 0"),
        (lambda: m.Laplace(sensitivity=-2, epsilon=1), "-2"),
        (lambda: m.Laplace(sensitivity=math.nan, epsilon=1), "nan"),
        (lambda: m.Laplace(sensitivity=1, epsilon=0), "epsilon = 0"),
        (lambda: m.Laplace(sensitivity=1, epsilon=-1), "-1"),
        (lambda: m.Laplace(sensitivity=1, epsilon=math.inf), "inf"),
        (lambda: m.Laplace(sensitivity=1, epsilon=True), "True"),
        (lambda: m.Laplace(sensitivity=1, epsilon="0,1"), "0,1"),
        (lambda: m.Laplace(sensitivity=1), "epsilon or scale"),
        (lambda: m.Laplace(sensitivity=1, scale=-3), "-3"),
        (lambda: m.Laplace(sensitivity=1, epsilon=1, grid=3), "grid of 3"),
        (lambda: m.Laplace(sensitivity=1, epsilon=1, dimensions=0), "not 0"),
        (lambda: m.Laplace(sensitivity=1, epsilon="1e-30", grid=1), r"2\^99"),
        (lambda: m.Laplace(sensitivity=1, epsilon=1).release(math.nan), "nan"),
        (lambda: m.Laplace(sensitivity=1, epsilon=1).release("17"), "'17'"),
        (lambda: m.Laplace(sensitivity=1, epsilon=1).release(np.array([1.0, np.nan])), "NaN"),
        (lambda: m.Laplace(sensitivity=1, epsilon=1).release(np.array(["a"])), "<U1"),
        (lambda: m.Laplace(sensitivity=1, epsilon=1).margin(1), "1 is not a probability"),
        (lambda: m.Gaussian(sensitivity=1, epsilon=1, delta=1), "delta of 1"),
        (lambda: m.Gaussian(sensitivity=1, epsilon=1, delta=0), "at delta 0"),
        (lambda: m.Gaussian(sensitivity=1, epsilon=1), "epsilon and delta, or rho"),
        (lambda: m.Gaussian(sensitivity=1, rho=0), "rho of 0"),
        (lambda: m.RandomizedResponse(epsilon=-1), "-1"),
        (lambda: m.RandomizedResponse(epsilon=1, values=1), "1"),
        (lambda: m.RandomizedResponse(epsilon=1).release([0.5]), "float64"),
        (lambda: m.Exponential(epsilon=1, sensitivity=1).choose([], []), "0 candidates"),
        (lambda: m.Exponential(epsilon=1, sensitivity=1).choose(["a"], [math.nan]), "nan"),
        (lambda: m.Exponential(epsilon=1, sensitivity=1).choose(["a"], [1, 2]), "2 scores"),
        (lambda: m.Exponential(epsilon=1, sensitivity=0), "sensitivity of 0"),
        (lambda: m.KNorm(epsilon=1), "norm, vertices, differences and questions"),
        (lambda: m.KNorm(norm="l9", dimensions=2, epsilon=1), "l9"),
        (lambda: m.KNorm(norm="l1", dimensions=9, epsilon=1), "9 dimensions"),
        (lambda: m.KNorm(norm="l2", dimensions=2, epsilon=1).release([1.5, 2]), "float64"),
        (lambda: m.KNorm(norm="l2", dimensions=2, epsilon=1).release([1, 2, 3]), r"\(3,\)"),
        (lambda: m.DiscreteMechanism([["1.5", "-0.5"]]), "-0.5"),
        (lambda: m.DiscreteMechanism([["0.5", "0.4"]]), "0.9"),
        (lambda: m.Threshold(epsilon=1, delta=0), "delta = 0"),
    ],
)
def test_bad_arguments_are_refused_with_the_value(make: object, message: str) -> None:
    with pytest.raises(BadQuery, match=message) as refused:
        make()  # type: ignore[operator]
    assert isinstance(refused.value, ValueError)


# ------------------------------------------------------------------------------------------------ pictures


@pytest.mark.parametrize(
    "mechanism",
    [
        m.Gaussian(1, 1, "0.05"),
        m.Gaussian(1, 1, "1e-6"),
        m.Gaussian(1, rho="0.5"),
        m.Gaussian(2, 3, "1e-9", dimensions=4),
        m.Threshold(1, "1e-6"),
        m.Threshold(1, "0.01", keys=3),
    ],
    ids=lambda mechanism: type(mechanism).__name__,
)
def test_a_picture_with_a_delta_shades_where_the_bound_fails_and_says_so(mechanism: Any) -> None:
    picture = mechanism._repr_html_()
    assert re.search(r"at most × e\^ε = [0-9.e+]+, but for δ = [0-9.e-]+ \(shaded\)</text>", picture)
    assert picture.count('class="delta"') == 1 and 'width="0' not in picture


def test_what_is_shaded_of_a_gaussian_is_no_more_than_its_delta() -> None:
    gauss = m.Gaussian(1, 1, "0.05", grid=1)
    here, there = gauss.law_around(0), gauss.law_around(1)
    above = sum(max(0.0, here.pmf(z) - math.e * there.pmf(z)) for z in range(-100, 100))
    assert 0.01 < above <= 0.05


@pytest.mark.parametrize(
    "mechanism",
    [m.Laplace(1, 1), m.RandomizedResponse(1), m.Exponential(1), m.KNorm(norm="l2", dimensions=2, epsilon=1)],
    ids=lambda mechanism: type(mechanism).__name__,
)
def test_a_picture_of_a_pure_mechanism_shades_nothing(mechanism: Any) -> None:
    picture = mechanism._repr_html_()
    assert "at most × e^ε = 2.72</text>" in picture and 'class="delta"' not in picture


def test_a_mechanism_that_no_epsilon_fits_does_not_claim_a_factor() -> None:
    picture = m.DiscreteMechanism([[1, 0], ["0.5", "0.5"]])._repr_html_()
    assert "no ε is large enough" in picture and "at most" not in picture
