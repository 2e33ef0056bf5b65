"""Error bars hold what they say: 95 % of them hold the true number, whatever the number of rows, and narrower ones do not.

One-sided binomial tests with a false-positive budget of 1e-6 for this file, over seeded noise.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from lapcat.plan.aggregates import AGGREGATES, SelectionAggregate
from tests.laws.coverage_cases import CASES, TRUTHS, Case, covered, fewest, rows_of

SMALL, TIMES = (1, 2, 5, 30, 300), 10_000
LARGE, MANY = 200_000, 100_000
ALPHA = 1e-6 / (len(CASES) * (len(SMALL) + 1))

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.aggregate.name)


def test_every_aggregate_has_its_coverage_measured() -> None:
    summed = {
        aggregate.name for aggregate in AGGREGATES.values() if not isinstance(aggregate, SelectionAggregate)
    }
    assert summed - set(TRUTHS) == set()


@every_case
@pytest.mark.parametrize("n", SMALL)
def test_the_interval_holds_the_true_number_also_where_rows_are_few(case: Case, n: int) -> None:
    rows = rows_of(n)
    estimates, _ = case.asked(rows, TIMES, Fraction(2), n)
    value = np.asarray(estimates.value, np.float64)
    assert np.isfinite(value).all()
    assert (np.ma.filled(estimates.low <= value, True) & np.ma.filled(value <= estimates.high, True)).all()
    if n >= case.least:
        assert covered(estimates, case.value(rows)) >= fewest(TIMES, ALPHA)


@every_case
def test_the_interval_is_no_wider_than_it_must_be_where_rows_are_many(case: Case) -> None:
    """A tenth narrower, it would hold the true number too rarely."""
    rows = rows_of(LARGE)
    estimates, _ = case.asked(rows, MANY, Fraction(1, 4), 3)
    times = covered(estimates, case.value(rows))
    assert fewest(MANY, ALPHA) <= times <= 0.985 * MANY
    assert covered(estimates, case.value(rows), narrowed=0.9) < fewest(MANY, ALPHA), (
        f"{times} of {MANY} held it"
    )
