"""Running totals and shares are what SQL makes of the released counts, and their intervals keep what they say."""

from __future__ import annotations

from fractions import Fraction

import duckdb
import numpy as np
import pandas as pd
import pytest

import lapcat
from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw
from lapcat.plan.accuracy import Noise
from lapcat.plan.aggregates import Argument
from lapcat.plan.aggregates.running import LARGEST, RunningCount, RunningShare, Window

LEVEL = Fraction(95, 100)
ROWS = Argument("*", None, None, None)


def table() -> lapcat.Session:
    dice = np.random.default_rng(5)
    rows = pd.DataFrame(
        {
            "person": np.arange(900) // 3,
            "age": dice.integers(0, 60, 900),
            "region": dice.choice(["n", "s"], 900),
            "level": dice.choice([3, 1, 2], 900),
        }
    )
    return lapcat.table(
        rows,
        unit="row",
        bounds={"age": (0, 59)},
        keys={"region": ["n", "s"], "level": [3, 1, 2]},
        epsilon=9,
    )


@pytest.mark.parametrize(
    "window",
    [
        "",
        "PARTITION BY region",
        "ORDER BY b",
        "ORDER BY b DESC",
        "PARTITION BY region ORDER BY b",
        "PARTITION BY region, level ORDER BY b DESC",
        "ORDER BY level",  # which is listed as 3, 1, 2
        "PARTITION BY b ORDER BY level DESC",
    ],
)
def test_a_running_total_is_what_sql_makes_of_the_released_counts(window: str) -> None:
    db = table()
    text = (
        f"SELECT region, level, BUCKETS(age, 6) AS b, COUNT(*) AS n, SUM(COUNT(*)) OVER ({window}) AS upto "
        "FROM data GROUP BY region, level, b"
    )
    released = db.sql(text).run(epsilon=1).to_pandas()  # noqa: F841 (DuckDB reads it by its name)
    order = "region, level, b"
    expected = duckdb.sql(f"SELECT SUM(n) OVER ({window}) AS upto FROM released ORDER BY {order}").fetchall()
    totals = duckdb.sql(f"SELECT upto FROM released ORDER BY {order}").fetchall()
    assert totals == expected and len(totals) == 2 * 3 * 6


def test_a_running_total_costs_nothing_beside_its_counts() -> None:
    db = table()
    db.sql("SELECT age, COUNT(*) AS n FROM data GROUP BY age").run(epsilon=1)
    again = db.sql("SELECT age, SUM(COUNT(*)) OVER (ORDER BY age) AS n FROM data GROUP BY age")
    assert again.preview(epsilon=1).free and again.run(epsilon=1).free


def test_private_groups_have_running_totals_of_their_own() -> None:
    rows = pd.DataFrame({"city": ["a"] * 300 + ["b"] * 200, "age": [*range(50)] * 10})
    db = lapcat.table(
        rows, unit="row", bounds={"age": (0, 49)}, keys={"city": "private"}, epsilon=9, delta=1e-6
    )
    text = (
        "SELECT city, BUCKETS(age, 5) AS b, COUNT(*) AS n, SUM(COUNT(*)) OVER (PARTITION BY city ORDER BY b) AS upto "
        "FROM data GROUP BY city, b"
    )
    answer = db.sql(text).run(epsilon=4, delta=1e-7).to_pandas()
    assert set(answer.city) == {"a", "b"}
    assert (answer.groupby("city").n.cumsum() == answer.upto).all()


# ------------------------------------------------------------------------------------------------ intervals


def noisy(counts: np.ndarray, scale: float, repeats: int, seed: int) -> np.ndarray:
    """The counts with discrete Laplace noise: a difference of two geometric numbers."""
    dice, p = np.random.default_rng(seed), -np.expm1(-1 / scale)
    noise = dice.geometric(p, (repeats, counts.size)) - dice.geometric(p, (repeats, counts.size))
    return (counts + noise).astype(np.int64)


def test_intervals_of_running_totals_hold_as_often_as_they_say_and_hardly_more() -> None:
    """Each total by itself: at least 95 %, up to 5 sd of so many repeats, and hardly more."""
    counts, scale, repeats = np.array([400, 0, 90, 3, 250, 10, 700, 1]), 20, 20_000
    law = Noise(DiscreteLaplaceLaw(Fraction(scale)), Fraction(1))
    running = RunningCount(Window((counts.size,), (), 0))
    truth = np.cumsum(counts)
    answer = running.finish(ROWS, [noisy(counts, scale, repeats, 1).ravel()], [law], LEVEL)
    low, high = (end.reshape(repeats, -1) for end in (answer.low, answer.high))
    held = ((low <= truth) & (truth <= high)).mean(axis=0)
    spread = 5 * (0.05 * 0.95 / repeats) ** 0.5
    assert (held >= 0.95 - spread).all() and (held <= 0.96).all()


def test_intervals_of_shares_hold_at_least_as_often_as_they_say() -> None:
    counts, scale, repeats = np.array([400, 0, 90, 3, 250, 10, 700, 1]), 20, 20_000
    law = Noise(DiscreteLaplaceLaw(Fraction(scale)), Fraction(1))
    running = RunningShare(Window((counts.size,), (), 0))
    truth = np.cumsum(counts) / counts.sum()
    answer = running.finish(ROWS, [noisy(counts, scale, repeats, 2).ravel()], [law], LEVEL)
    low, value, high = (part.reshape(repeats, -1) for part in (answer.low, answer.value, answer.high))
    assert ((low >= 0) & (low <= value) & (value <= high) & (high <= 1)).all()
    held = ((low <= truth) & (truth <= high)).mean(axis=0)
    narrow = (np.abs(truth - value) <= (high - low) / 4).mean(axis=0)
    spread = 5 * (0.05 * 0.95 / repeats) ** 0.5
    assert (held >= 0.95 - spread).all()
    assert (narrow[:-1] < 0.95).all(), "half as wide an interval would not do"


def test_a_share_of_nothing_is_unknown() -> None:
    law = Noise(DiscreteLaplaceLaw(Fraction(2)), Fraction(1))
    answer = RunningShare(Window((3,), (), 0)).finish(ROWS, [np.array([-1, 0, -4])], [law], LEVEL)
    assert answer.low.tolist() == [0, 0, 0] and answer.high.tolist() == [1, 1, 1]
    assert answer.value.tolist() == [0.5, 0.5, 0.5]


def test_totals_beyond_the_largest_integer_do_not_wrap_around() -> None:
    cells = np.full(8, LARGEST, np.int64)
    totals = Window((8,), (), 0).totals(cells)
    assert (totals > 0).all() and (np.diff(totals) >= 0).all()


def test_the_margin_that_a_preview_shows_is_that_of_the_last_group() -> None:
    law = Noise(DiscreteLaplaceLaw(Fraction(10)), Fraction(1))
    running = RunningCount(Window((2, 5), (0,), 1))
    answer = running.finish(ROWS, [np.zeros(10, np.int64)], [law], LEVEL)
    assert running.foresee(ROWS, [law], LEVEL).margin == answer.high[4] == answer.high[9]
    assert (np.diff(answer.high[:5]) > 0).all()


def test_two_windows_of_one_count_are_two_statements_about_noise() -> None:
    """A ratio of totals that is no share is sure only where both intervals hold: each must be surer than asked."""
    from lapcat.plan.compile import compile_program

    db = table()
    text = (
        "SELECT level, SUM(COUNT(*)) OVER (ORDER BY level) / SUM(COUNT(*)) OVER (ORDER BY level DESC) AS odds "
        "FROM data GROUP BY level"
    )
    program = compile_program(db.sql(text)._prepared(), Fraction(1))
    (column,) = program.prepared.values
    assert program.each(column, LEVEL) == 1 - (1 - LEVEL) / 2
