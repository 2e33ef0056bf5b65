"""Error bars are honest: they cover the noise as often as they say, and no bug in a ratio narrows them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from lapcat.core.mechanisms.laplace import Laplace
from lapcat.plan.accuracy import Noise, margin_of_sum
from lapcat.plan.aggregates.avg import BLOCK, Avg
from lapcat.plan.aggregates.base import Argument
from lapcat.plan.aggregates.sum import Sum
from lapcat.plan.expressions import Clamp, Coalesce, Column, Literal
from lapcat.plan.schema import Type
from lapcat.testing.coins import SeededCoins

LEVEL = Fraction(95, 100)
RUNS = 20_000
# One-sided binomial: 95 % of 20 000 runs is 19 000 ± 31; five standard deviations below is 18 846 (false alarm 3e-7).
FEWEST = 18_846


def salary(high: float = 200_000.0) -> Argument:
    column = Column("salary", Type.FLOAT)
    low, top = Literal(0.0, Type.FLOAT), Literal(high, Type.FLOAT)
    value = Clamp(Coalesce(column, low, Type.FLOAT), low, top, Type.FLOAT)
    return Argument("salary", value, None, None, counted=True)


def drawn(scale: Fraction, n: int, seed: int) -> np.ndarray:
    return Laplace(scale).draw(np.zeros(n, np.int64), SeededCoins(seed))


@pytest.mark.parametrize("scale", [Fraction(2), Fraction(20), Fraction(200)])
@pytest.mark.parametrize("factor", [0.0, 1.0, 40.0])
def test_the_margin_of_a_sum_of_two_noises_covers_it(scale: Fraction, factor: float) -> None:
    first, second = (
        Noise(Laplace(Fraction(3000)).law(), Fraction(1, 64)),
        Noise(Laplace(scale).law(), Fraction(1)),
    )
    margin = margin_of_sum(first, factor, second, LEVEL)
    total = drawn(Fraction(3000), RUNS, 1) / 64 + factor * drawn(scale, RUNS, 2)
    covered = int((np.abs(total) <= margin).sum())
    assert covered >= FEWEST
    assert int((np.abs(total) <= 0.9 * margin).sum()) < FEWEST  # a tenth narrower would be noticed


@pytest.mark.parametrize("rows", [3, 30, 300, 100_000])
@pytest.mark.parametrize("mean", [20_000.0, 100_000.0, 195_000.0])
def test_the_interval_of_an_average_covers_the_true_one(rows: int, mean: float) -> None:
    argument, avg = salary(), Avg()
    count, total = avg.reads(argument)
    grid = total.statistic.grid
    assert grid is not None
    epsilon = Fraction(1, 2)
    scales = 1 / epsilon, Fraction(max(abs(grid.low), abs(grid.high))) / epsilon
    noise = Noise(Laplace(scales[0]).law(), count.step), Noise(Laplace(scales[1]).law(), total.step)
    exact_sum = rows * grid.place(mean)
    cells = [rows + drawn(scales[0], RUNS, 3), exact_sum + drawn(scales[1], RUNS, 4)]
    estimates = avg.finish(argument, cells, noise, LEVEL)
    assert np.isfinite(estimates.value).all()
    assert ((estimates.low <= estimates.value) & (estimates.value <= estimates.high)).all()
    assert (estimates.low >= 0).all() and (estimates.high <= 200_000).all()
    covered = int(((estimates.low <= mean + 1e-3) & (mean - 1e-3 <= estimates.high)).sum())
    assert covered >= FEWEST
    if rows == 100_000:  # where the count is all but exact, the interval is no wider than it must be
        assert covered <= 0.985 * RUNS


def test_averages_of_many_cells_are_those_of_each_cell() -> None:
    argument, avg, cells = salary(), Avg(), BLOCK + 3
    noise = (
        Noise(Laplace(Fraction(2)).law(), Fraction(1)),
        Noise(Laplace(Fraction(2**31)).law(), Fraction(1, 2**14)),
    )
    counts, totals = 5 + drawn(Fraction(2), cells, 5), drawn(Fraction(2**33), cells, 6)
    together = avg.finish(argument, [counts, totals], noise, LEVEL)
    for cell in (0, 1, 2, 3, BLOCK - 1, BLOCK, BLOCK + 2):
        alone = avg.finish(argument, [counts[[cell]], totals[[cell]]], noise, LEVEL)
        assert (alone.value[0], alone.low[0], alone.high[0]) == (
            together.value[cell],
            together.low[cell],
            together.high[cell],
        )


def test_an_average_over_nobody_is_the_middle_with_the_whole_range() -> None:
    argument, avg = salary(), Avg()
    noise = (
        Noise(Laplace(Fraction(2)).law(), Fraction(1)),
        Noise(Laplace(Fraction(2**31)).law(), Fraction(1, 2**14)),
    )
    estimates = avg.finish(argument, [np.array([0, -4]), np.array([5, 7])], noise, LEVEL)
    assert estimates.value.tolist() == [100_000.0] * 2
    assert estimates.low.tolist() == [0.0] * 2 and estimates.high.tolist() == [200_000.0] * 2


def test_a_sum_beside_a_count_is_less_noisy_than_a_sum_alone() -> None:
    epsilon = Fraction(1)
    shared = salary()
    count, total = Sum().reads(shared)
    grid = total.statistic.grid
    assert grid is not None
    half = epsilon / 2  # two statistics share the price …
    pair = (
        Noise(Laplace(1 / half).law(), count.step),
        Noise(Laplace(Fraction(max(abs(grid.low), abs(grid.high))) / half).law(), total.step),
    )
    together = Sum().foresee(shared, pair, LEVEL).margin
    # … against two raw statistics at the same price, where the sum has its whole magnitude to hide
    apart = 200_000 / float(half) * math.log(20)
    assert together is not None and together < 0.85 * apart
