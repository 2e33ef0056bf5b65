"""Variances, correlations and slopes over odd bounds: the interval covers the exact number, or the question is refused."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import lapcat
from lapcat.plan.expressions import Clamp, Column, Literal
from lapcat.plan.grids import sum_statistic
from lapcat.plan.schema import Type

ROWS = 300
ODD = [
    (0.0, 1e-88),
    (-1e-60, 1e-60),
    (1e-20, 2e-20),
    (0.0, 1e-13),
    (0.0, 1e-12),
    (0.001, 0.001 + 1e-15),
    (0.5, 0.5 + 1e-13),
    (1e6, 1e6 + 10),
    (1.7e12, 1.7e12 + 86.4e6),  # epoch milliseconds of one day
    (1e15, 1e15 + 0.125),
    (2.0**53, 2.0**53 + 2),
    (1e17, 1e17 + 16),
    (1e18, 1e18 + 1000),
    (-4e18, 4e18),
]
NARROW = [(0.0, 1e-320), (0.0, 5e-324), (-5e-324, 5e-324), (1e-310, 2e-310), (0.0, 1e-200), (-1e-100, 1e-100)]
AGGREGATES = {
    "mean": "AVG(x)",
    "total": "SUM(x)",
    "variance": "VAR_POP(x)",
    "deviation": "STDDEV_SAMP(x)",
    "covariance": "COVAR_POP(y, x)",
    "correlation": "CORR(y, x)",
    "slope": "REGR_SLOPE(y, x)",
    "intercept": "REGR_INTERCEPT(y, x)",
}


def held(low: float, high: float) -> tuple[lapcat.session.Session, list[float], list[float]]:  # type: ignore[name-defined]
    """A table with values all over the bounds, and those values."""
    shares = np.random.default_rng(7).uniform(0, 1, ROWS)
    xs = [
        min(high, max(low, float(Fraction(low) + (Fraction(high) - Fraction(low)) * Fraction(s))))
        for s in shares
    ]
    ys = (5 * shares + np.random.default_rng(8).uniform(0, 5, ROWS)).tolist()
    frame = pd.DataFrame({"x": xs, "y": ys})
    bounds = {"x": (low, high), "y": (0, 10)}
    return lapcat.table(frame, unit="row", bounds=bounds, epsilon=10_000, i_understand="made-up rows"), xs, ys


def root(x: Fraction) -> float:
    scale = 2**1400
    return float(Fraction(math.isqrt(x.numerator * scale * scale // x.denominator), scale))


def exact(xs: list[float], ys: list[float]) -> dict[str, float]:
    x, y = [Fraction(v) for v in xs], [Fraction(v) for v in ys]
    n = len(x)
    mx, my = sum(x) / n, sum(y) / n
    xx, yy = sum((v - mx) ** 2 for v in x), sum((v - my) ** 2 for v in y)
    xy = sum((v - mx) * (w - my) for v, w in zip(x, y, strict=True))
    return {
        "mean": float(mx),
        "total": float(sum(x)),
        "variance": float(xx / n),
        "deviation": root(Fraction(xx, n - 1)),
        "covariance": float(xy / n),
        "correlation": root(Fraction(xy * xy, xx * yy)),
        "slope": float(xy / xx),
        "intercept": float(my - xy / xx * mx),
    }


@pytest.mark.parametrize(("low", "high"), ODD)
def test_intervals_cover_the_exact_numbers_over_odd_bounds(low: float, high: float) -> None:
    """Two-sided, 14 · 8 intervals at 1 − 10⁻⁹ each: one fails by chance in 10⁷ runs."""
    session, xs, ys = held(low, high)
    for name, aggregate in AGGREGATES.items():
        answer = session.sql(f"SELECT {aggregate} AS a FROM data").run(
            epsilon=100, confidence=1 - Fraction(1, 10**9)
        )
        (row,) = answer.rows
        true = exact(xs, ys)[name]
        assert row["a_low"] is not None and row["a_low"] <= true <= row["a_high"], (name, true, row)
        if name in (
            "variance",
            "deviation",
            "covariance",
            "slope",
        ):  # a confident answer, not the whole range
            assert abs(row["a"] - true) <= 0.2 * abs(true), (name, true, row)


@pytest.mark.parametrize(("low", "high"), NARROW)
def test_bounds_that_are_narrower_than_squares_can_tell_are_refused_and_the_fix_works(
    low: float, high: float
) -> None:
    session, _, _ = held(0.0, 1.0)
    written = f"CLAMP(x, {low!r}, {high!r})"
    for aggregate in ("VAR_POP({})", "AVG({})", "CORR({}, y)", "REGR_SLOPE(y, {})"):
        with pytest.raises(lapcat.Refused) as refusal:
            session.sql(f"SELECT {aggregate.format(written)} AS a FROM data")
        assert refusal.value.code == "bounds-narrow"
        fixed = refusal.value.fix.partition(": ")[2]
        whole = fixed if aggregate.endswith("({})") else aggregate.format(fixed)
        session.sql(f"SELECT {whole} AS a FROM data").preview(epsilon=1)


@pytest.mark.parametrize(
    ("low", "high"), [("1e15", "1000000000000000.125"), ("1e17", "1e18"), ("0.1", "0.2")]
)
def test_the_variance_of_a_constant_is_zero(low: str, high: str) -> None:
    """Values of 0 clamped into bounds above them are all the lower bound."""
    frame = pd.DataFrame({"x": [0.0] * ROWS})
    session = lapcat.table(frame, unit="row", bounds={"x": (-1, 0)}, epsilon=100, i_understand="made-up rows")
    (row,) = session.sql(f"SELECT VAR_POP(CLAMP(x, {low}, {high})) AS v FROM data").run(epsilon=10).rows
    assert row["v_low"] <= 0 <= row["v"] <= row["v_high"] <= 1e-5


@pytest.mark.parametrize("constant", [0.1, 0.001, 1e15, 1e17, 5.0, 2.0**-299])
def test_the_grid_of_a_centred_constant_holds_it_exactly(constant: float) -> None:
    end = Literal(constant, Type.FLOAT)
    statistic = sum_statistic(Clamp(Column("x", Type.FLOAT), end, end, Type.FLOAT), None, centred=True)
    assert statistic.grid is not None and statistic.grid.centre == Fraction(constant)
    assert statistic.low == statistic.high == 0
