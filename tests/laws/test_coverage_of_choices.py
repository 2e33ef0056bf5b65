"""The intervals of what is chosen hold the true number at least as often as they say; wider than need be, they may.

A choice's law depends on how the rows lie, so its interval is a bound for every way they could: it is tested from one side.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from lapcat.plan import choices
from lapcat.plan.aggregates import AGGREGATES, Argument, Choosing
from lapcat.plan.choices import choices_of
from lapcat.plan.expressions import Clamp, Column, Literal
from lapcat.plan.nodes import Group, Scan
from lapcat.plan.schema import Relation, Type, Unit
from lapcat.testing.coins import SeededCoins
from tests.laws.coverage_cases import fewest

TIMES, LOW, HIGH = 600, 0.0, 10.0
SHARES = {"median": 0.5, "quantile": 0.9, "min": 0.0, "max": 1.0}
CASES = [aggregate for aggregate in AGGREGATES if isinstance(aggregate, Choosing) and aggregate.has_interval]
SIZES = (1, 30, 300, 3000)
ALPHA = 1e-6 / (len(CASES) * len(SIZES) * 2)


def rows_of(n: int, tied: bool) -> NDArray[np.float64]:
    values = np.random.default_rng(n).gamma(2.0, 1.2, n).clip(LOW, HIGH)
    return np.round(values) if tied else values


def test_every_choice_with_an_interval_has_its_coverage_measured() -> None:
    assert {aggregate.name for aggregate in CASES} == set(SHARES)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("aggregate", CASES, ids=lambda aggregate: aggregate.name)
def test_the_interval_of_a_choice_holds_the_true_number(
    aggregate: Choosing, n: int, tied: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choices, "MOST_PLACES", 2**8)
    monkeypatch.setattr(choices, "FEWEST_PLACES", 2**8)
    share = SHARES[aggregate.name]
    value = Clamp(Column("y", Type.FLOAT), Literal(LOW, Type.FLOAT), Literal(HIGH, Type.FLOAT), Type.FLOAT)
    argument = Argument("y", value, None, None, parameter=Fraction(share).limit_denominator(10))
    question = Group(Scan("t", "t", 1, Unit(None), Relation.ADD_REMOVE, None), (), ())
    (choice,) = choices_of([("y", aggregate.wish(argument))], question, 1)
    mechanism, places = choice.at(Fraction(2)), choice.places
    assert places is not None
    rows = rows_of(n, tied)
    counts = np.bincount((rows // places.step).astype(np.int64) - places.first, minlength=choice.width)
    drawn = mechanism.draw(np.tile(counts.astype(np.int64), (TIMES, 1)), SeededCoins(n))
    found = aggregate.finish_choice(argument, choice, mechanism, drawn, Fraction(95, 100))
    true = np.quantile(rows, share, method="inverted_cdf")
    width = places.step * (1 + 1e-9)  # of a place, which no interval covers
    held = (found.low <= true + width) & (true - width <= found.high)
    assert int(held.sum()) >= fewest(TIMES, ALPHA)
    assert ((found.low <= found.value) & (found.value <= found.high)).all()
