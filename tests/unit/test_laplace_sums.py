"""Sums of released cells: their margins hold for the exact law, and are no wider than they must be."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, signal, stats

from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw, Laplace
from lapcat.plan.accuracy import Noise, margin_of_combination, margin_of_sum
from lapcat.plan.aggregates import Argument
from lapcat.plan.aggregates.avg import Avg
from lapcat.plan.expressions import Clamp, Column, Literal
from lapcat.plan.laplace_sums import LaplaceSum, _crossing, margin_of_many, margin_of_two, tail_of_sum
from lapcat.plan.schema import Type
from lapcat.testing.coins import SeededCoins
from tests.laws.coverage_cases import CASES, covered, exactly, rows_of

LEVELS = [Fraction(1, 2), Fraction(95, 100), Fraction(999, 1000)]


def masses(scale: Fraction) -> np.ndarray:
    reach = int(40 * scale) + 2
    away = np.abs(np.arange(-reach, reach + 1))
    return np.tanh(0.5 / float(scale)) * np.exp(-away / float(scale))


def exact_within(scale: Fraction, count: int, margin: int) -> float:
    """Pr[|sum| <= margin], by convolving the law with itself; right to about 1e-14."""
    total = np.array([1.0])
    for _ in range(count):
        total = signal.fftconvolve(total, masses(scale))
    middle = len(total) // 2
    return float(total[max(0, middle - margin) : middle + margin + 1].sum())


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("scale", "count"), [("1/2", 2), ("1", 30), ("3", 5), ("12", 3), ("40", 2)])
def test_a_margin_of_a_sum_is_the_least_that_holds(scale: str, count: int, level: Fraction) -> None:
    margin = LaplaceSum(Fraction(scale), count).margin(level)
    assert exact_within(Fraction(scale), count, margin) >= float(level) - 1e-12
    assert exact_within(Fraction(scale), count, margin - 1) < float(level)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("count", [2, 7])
def test_on_a_fine_lattice_the_margin_is_the_continuous_one_and_holds(count: int, level: Fraction) -> None:
    scale = Fraction(700)  # beyond what is added up cell by cell
    margin = LaplaceSum(scale, count).margin(level)
    assert exact_within(scale, count, margin) >= float(level)
    assert exact_within(scale, count, margin - 2) < float(level)


@given(st.integers(1, 40), st.floats(0, 60))
@settings(max_examples=25, deadline=None)
def test_the_tail_is_that_of_differences_of_gamma_variables(count: int, u: float) -> None:
    if count == 1:
        expected = np.exp(-u)
    else:  # Pr[G - G' > u] = E[Pr[G > u + G']]
        inner = lambda y: stats.gamma.sf(u + y, count) * stats.gamma.pdf(y, count)  # noqa: E731
        expected = 2 * integrate.quad(inner, 0, count + 60, limit=400)[0]
    assert tail_of_sum(count, np.array([u]))[0] == pytest.approx(expected, rel=1e-5, abs=1e-12)


def test_of_two_single_draws_the_margin_is_the_known_one() -> None:
    first, second = (
        Noise(DiscreteLaplaceLaw(Fraction(300)), Fraction(1)),
        Noise(DiscreteLaplaceLaw(Fraction(100)), Fraction(1)),
    )
    known = margin_of_sum(first, 2.0, second, Fraction(95, 100))
    margin = margin_of_two((300.0, 1), (200.0, 1), 3.0, Fraction(95, 100))
    assert known <= margin * (1 + 1e-4) and margin <= known * 1.005


@pytest.mark.parametrize(("a", "k", "b", "m"), [(3, 4, 5, 2), (50, 2, 1, 9), (1, 3, 1, 3)])
def test_a_margin_of_two_sums_holds_for_the_exact_laws(a: int, k: int, b: int, m: int) -> None:
    """On one lattice of step 1, where both laws can be convolved."""
    margin = margin_of_sum(
        Noise(LaplaceSum(Fraction(a), k), Fraction(1)),
        1.0,
        Noise(LaplaceSum(Fraction(b), m), Fraction(1)),
        Fraction(95, 100),
    )
    laws = [DiscreteLaplaceLaw(Fraction(a))] * k + [DiscreteLaplaceLaw(Fraction(b))] * m
    total = np.array([1.0])
    for law in laws:
        total = signal.fftconvolve(total, masses(law.scale))
    middle = len(total) // 2

    def within(t: int) -> float:
        return float(total[middle - t : middle + t + 1].sum())

    assert within(int(margin)) >= 0.95 > within(int(margin / 1.02) - 3)


def test_the_variance_of_a_sum_is_the_sum_of_variances() -> None:
    assert LaplaceSum(Fraction(7), 5).variance == 5 * DiscreteLaplaceLaw(Fraction(7)).variance


def test_an_average_of_added_up_cells_is_covered_as_often_as_stated() -> None:
    """40 000 draws: at 95 % the share that is covered has a standard deviation of 0.0011, so 0.945 is 4.5 of them below."""
    low, high = Literal(0.0, Type.FLOAT), Literal(120.0, Type.FLOAT)
    argument = Argument("pay", Clamp(Column("pay", Type.FLOAT), low, high, Type.FLOAT), None, None)
    count, total = Avg().reads(argument)
    laws = (LaplaceSum(Fraction(6), 5), LaplaceSum(Fraction(400) / total.step, 5))
    rng = np.random.default_rng(7)
    assert total.statistic.grid is not None
    draws, rows, mean = 40_000, 600, 49.5

    def noise(law: LaplaceSum) -> np.ndarray:
        parts = rng.geometric(-np.expm1(-1 / float(law.scale)), (2, law.count, draws))
        return (parts[0] - parts[1]).sum(axis=0)

    centred = round(rows * (Fraction(mean) - total.statistic.grid.centre) / total.step)
    cells = [rows + noise(laws[0]), centred + noise(laws[1])]
    noises = [Noise(laws[0], count.step), Noise(laws[1], total.step)]
    answer = Avg().finish(argument, cells, noises, Fraction(95, 100))
    covered = np.mean((answer.low <= mean) & (mean <= answer.high))
    assert 0.945 <= covered <= 0.975
    slimmer = (
        answer.value + (answer.low - answer.value) * 0.9,
        answer.value + (answer.high - answer.value) * 0.9,
    )
    assert np.mean((slimmer[0] <= mean) & (mean <= slimmer[1])) < 0.94


@pytest.mark.parametrize(
    "of", [((3, 4), (5, 2), (2, 7)), ((20, 2), (1, 9), (4, 1)), ((1, 3), (1, 3), (1, 3))]
)
def test_a_margin_of_several_sums_holds_for_the_exact_laws(of: tuple[tuple[int, int], ...]) -> None:
    """On one lattice of step 1, where all laws can be convolved; a step of each is what lattices may add."""
    noises = [Noise(LaplaceSum(Fraction(scale), count), Fraction(1)) for scale, count in of]
    (margin,) = margin_of_combination(noises, np.ones((3, 1)), Fraction(95, 100))
    total = np.array([1.0])
    for scale, count in of:
        for _ in range(count):
            total = signal.fftconvolve(total, masses(Fraction(scale)))
    middle = len(total) // 2

    def within(t: int) -> float:
        return float(total[middle - t : middle + t + 1].sum())

    assert within(int(margin)) >= 0.95 > within(int(margin) - 4)


@pytest.mark.parametrize("count", [2, 5, 40])
@pytest.mark.parametrize("failure", [0.5, 0.05, 1e-6])
def test_the_series_for_many_sums_agrees_with_the_closed_form_for_one(count: int, failure: float) -> None:
    (margin,) = margin_of_many(np.array([[1.0]]), (count,), failure)
    known = _crossing(count, failure)
    assert known <= margin * (1 + 1e-8) and margin <= known * 1.001


@pytest.mark.patient
@pytest.mark.parametrize("name", ["var_pop", "stddev_samp", "covar_pop"])
def test_moments_of_added_up_cells_are_covered_as_often_as_stated(name: str) -> None:
    """20 000 draws for five cells of 20 000 rows in all: 0.943 is 4.5 standard deviations below 95 %."""
    draws, parts = 20_000, 5
    case = next(case for case in CASES if case.aggregate.name == name)
    rows = rows_of(20_000)
    noises, cells = [], []
    for number, reading in enumerate(case.aggregate.reads(case.argument)):
        statistic = reading.statistic
        law = LaplaceSum(Fraction(12 * max(abs(statistic.low), abs(statistic.high))), parts)
        nothing = np.zeros(parts * draws, np.int64)
        noise = Laplace(law.scale).draw(nothing, SeededCoins(number)).reshape(parts, draws).sum(axis=0)
        cells.append(exactly(statistic, rows) + noise)
        noises.append(Noise(law, reading.step))
    answer = case.aggregate.finish(case.argument, cells, noises, Fraction(95, 100))
    assert 0.943 <= covered(answer, case.value(rows)) / draws <= 0.985
    assert covered(answer, case.value(rows), narrowed=0.9) / draws < 0.943
