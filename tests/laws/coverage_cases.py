"""For every aggregate, rows of which it is taken and the number that its interval must hold. A new one is one line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from lapcat.core.mechanisms.laplace import Laplace
from lapcat.plan.accuracy import Noise
from lapcat.plan.aggregates import AGGREGATES, Aggregate, Argument, Estimates
from lapcat.plan.expressions import Clamp, Column, Literal
from lapcat.plan.nodes import Kind, Statistic
from lapcat.plan.released.vectors import Vector, evaluate
from lapcat.plan.schema import Type
from lapcat.testing.coins import SeededCoins

Rows = dict[str, NDArray[np.float64]]
Truth = Callable[[NDArray[np.float64], NDArray[np.float64]], float]
"""Of y and x in the rows in which what the aggregate is taken of is there."""

BOUNDS = {"y": (0.0, 10.0), "x": (-5.0, 25.0)}


def clamped(name: str) -> Clamp:
    low, high = (Literal(end, Type.FLOAT) for end in BOUNDS[name])
    return Clamp(Column(name, Type.FLOAT), low, high, Type.FLOAT)


def rows_of(n: int, seed: int = 7) -> Rows:
    """So many rows with both values, and as many tenths with one of them only."""
    dice = np.random.default_rng(seed)
    more = n + 2 * (n // 10)
    x = dice.uniform(0, 20, more)
    y = np.clip(2 + 0.2 * x + dice.normal(0, 1.2, more), 0, 10)
    x[n : n + n // 10] = np.nan
    y[n + n // 10 :] = np.nan
    return {"y": y, "x": x}


def slope(y: NDArray[np.float64], x: NDArray[np.float64]) -> float:
    return float(np.cov(y, x, ddof=0)[0, 1] / np.var(x))


@dataclass(frozen=True)
class Case:
    """An aggregate of y, or of y and x."""

    aggregate: Aggregate
    truth: Truth
    least: int = 1
    """Of how many rows it can be taken."""

    @property
    def argument(self) -> Argument:
        argument = Argument("y", clamped("y"), None, None)
        if self.aggregate.arguments == 1:
            return argument
        return Argument("y", clamped("y"), None, None, second=clamped("x"), second_text="x")

    def value(self, rows: Rows) -> float:
        y, x = rows["y"], rows["x"]
        there = ~np.isnan(y) if self.aggregate.arguments == 1 else ~np.isnan(y) & ~np.isnan(x)
        return self.truth(y[there], x[there])

    def asked(self, rows: Rows, times: int, epsilon: Fraction, seed: int) -> tuple[Estimates, list[Noise]]:
        """The aggregate of the same rows with fresh noise, so many times."""
        readings = self.aggregate.reads(self.argument)
        different = list(dict.fromkeys(reading.statistic for reading in readings))
        noisy, laws = {}, {}
        for number, statistic in enumerate(different):
            moved = max(abs(statistic.low), abs(statistic.high))
            mechanism = Laplace(moved * len(different) / epsilon)
            exact = np.full(times, exactly(statistic, rows), np.int64)
            noisy[statistic] = mechanism.draw(exact, SeededCoins(100 * seed + number))
            laws[statistic] = mechanism.law()
        noise = [Noise(laws[reading.statistic], reading.step) for reading in readings]
        cells = [noisy[reading.statistic] for reading in readings]
        return self.aggregate.finish(self.argument, cells, noise, Fraction(95, 100)), noise


def exactly(statistic: Statistic, rows: Rows) -> int:
    """The exact integer of a statistic."""
    if statistic.kind is Kind.ROWS:
        return len(rows["y"])
    assert statistic.value is not None
    vector = evaluate(statistic.value, {name: Vector.of(column) for name, column in rows.items()})
    values = vector.data[~vector.null]
    if statistic.kind is Kind.PRESENT:
        return len(values)
    if statistic.kind is Kind.DISTINCT:
        return len(np.unique(values))
    grid = statistic.grid
    assert grid is not None
    inside = np.clip(values, grid.clamp_low, grid.clamp_high)
    return int(np.floor(inside / float(grid.step)).astype(np.int64).sum()) - grid.centre_steps * len(values)


TRUTHS: dict[str, tuple[Truth, int]] = {
    "count": (lambda y, x: len(y), 0),
    "count_distinct": (lambda y, x: len(np.unique(y)), 0),
    "sum": (lambda y, x: float(y.sum()), 0),
    "avg": (lambda y, x: float(y.mean()), 1),
    "var_pop": (lambda y, x: float(y.var()), 1),
    "var_samp": (lambda y, x: float(y.var(ddof=1)), 2),
    "stddev_pop": (lambda y, x: float(y.std()), 1),
    "stddev_samp": (lambda y, x: float(y.std(ddof=1)), 2),
    "covar_pop": (lambda y, x: float(np.cov(y, x, ddof=0)[0, 1]), 1),
    "covar_samp": (lambda y, x: float(np.cov(y, x)[0, 1]), 2),
    "corr": (lambda y, x: float(np.corrcoef(y, x)[0, 1]), 2),
    "regr_slope": (slope, 2),
    "regr_intercept": (lambda y, x: float(y.mean() - slope(y, x) * x.mean()), 2),
}
CASES = [Case(a, *TRUTHS[a.name]) for a in AGGREGATES.values() if a.name in TRUTHS]


def covered(estimates: Estimates, truth: float, *, narrowed: float = 1.0) -> int:
    """How many intervals hold the truth, once each side is narrowed to this part of itself."""
    low = np.ma.filled(np.ma.asarray(estimates.low, np.float64), -np.inf)
    high = np.ma.filled(np.ma.asarray(estimates.high, np.float64), np.inf)
    value = np.asarray(estimates.value, np.float64)
    rounding = 1e-6 * (1 + abs(truth))  # of the grid, which no interval covers
    if narrowed < 1:
        low, high = value - (value - low) * narrowed, value + (high - value) * narrowed
        rounding = 0.0
    return int(((low - rounding <= truth) & (truth <= high + rounding)).sum())


def fewest(times: int, alpha: float) -> int:
    """The number below which a coverage of 95 % is ruled out at this level (one-sided binomial)."""
    from scipy.stats import binom

    return int(binom.ppf(alpha, times, 0.95))
