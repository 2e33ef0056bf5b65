"""The intervals of what is chosen hold the true number at least as often as they say, and just as often in the worst case.

A choice's law depends on how the rows lie, so its interval must hold for every way they could. On most tables it holds more
often than it says. On the worst ones, which docs/proofs/ranks.md gives, it holds as often as it says, and a narrower one does not.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from lapcat.core.mechanisms.base import SelectionByCounts
from lapcat.core.mechanisms.ranks import ExtremeRank
from lapcat.plan import choices
from lapcat.plan.aggregates import AGGREGATES, Argument, Estimates, SelectionAggregate, quantile
from lapcat.plan.choices import PlannedChoice, choices_of
from lapcat.plan.expressions import Clamp, Column, Literal
from lapcat.plan.nodes import Group, Scan
from lapcat.plan.schema import Relation, Type, Unit
from lapcat.testing.coins import SeededCoins
from tests.laws.coverage_cases import fewest

TIMES, LOW, HIGH = 600, 0.0, 10.0
SHARES = {"median": 0.5, "quantile": 0.9, "min": 0.0, "max": 1.0}
CASES = [
    aggregate
    for aggregate in AGGREGATES.values()
    if isinstance(aggregate, SelectionAggregate) and aggregate.has_interval
]
SIZES = (1, 30, 300, 3000)
ALPHA = 1e-6 / (len(CASES) * (len(SIZES) * 2 + 2))
MANY = 9000
"""Draws for which an interval narrowed by a tenth is told from one that is not, with what is left of ALPHA on both sides."""


def rows_of(n: int, tied: bool) -> NDArray[np.float64]:
    values = np.random.default_rng(n).gamma(2.0, 1.2, n).clip(LOW, HIGH)
    return np.round(values) if tied else values


def test_every_choice_with_an_interval_has_its_coverage_measured() -> None:
    assert {aggregate.name for aggregate in CASES} == set(SHARES)


@pytest.fixture(autouse=True)
def few_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "MAX_PLACES", 2**8)
    monkeypatch.setattr(choices, "MIN_PLACES", 2**8)


def asked(aggregate: SelectionAggregate) -> tuple[Argument, PlannedChoice]:
    value = Clamp(Column("y", Type.FLOAT), Literal(LOW, Type.FLOAT), Literal(HIGH, Type.FLOAT), Type.FLOAT)
    share = Fraction(SHARES[aggregate.name]).limit_denominator(10)
    argument = Argument("y", value, None, None, parameter=share)
    question = Group(Scan("t", "t", 1, Unit(None), Relation.ADD_REMOVE, None), (), ())
    (choice,) = choices_of([("y", aggregate.wish(argument))], question, 1)
    return argument, choice


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("aggregate", CASES, ids=lambda aggregate: aggregate.name)
def test_the_interval_of_a_choice_holds_the_true_number(
    aggregate: SelectionAggregate, n: int, tied: bool
) -> None:
    argument, choice = asked(aggregate)
    mechanism, places = choice.at(Fraction(2)), choice.places
    assert places is not None
    rows = rows_of(n, tied)
    counts = np.bincount((rows // places.step).astype(np.int64) - places.first, minlength=choice.width)
    drawn = mechanism.draw(np.tile(counts.astype(np.int64), (TIMES, 1)), SeededCoins(n))
    estimates = aggregate.finish_choice(argument, choice, mechanism, drawn, Fraction(95, 100))
    true = np.quantile(rows, SHARES[aggregate.name], method="inverted_cdf")
    width = places.step * (1 + 1e-9)  # of a place, which no interval covers
    held = (estimates.low <= true + width) & (true - width <= estimates.high)
    assert int(held.sum()) >= fewest(TIMES, ALPHA)
    assert ((estimates.low <= estimates.value) & (estimates.value <= estimates.high)).all()


# ---------------------------------------------------------------------------- the worst tables: docs/proofs/ranks.md


def worst_counts(aggregate: SelectionAggregate, choice: PlannedChoice) -> tuple[NDArray[np.int64], int]:
    """Rows by place, and the place of the true answer: for a quantile two heaps with nothing between them, of which the
    lower holds the quantile by less than a row; for an extreme one heap at the other end."""
    counts = np.zeros(choice.width, np.int64)
    if aggregate.name in ("min", "max"):
        true = 0 if aggregate.name == "max" else choice.width - 1
        counts[true] = 10**6
        return counts, true
    n, true = 10**6 + 1, choice.width // 8
    counts[true] = int(n * SHARES[aggregate.name]) + 1
    counts[-1 - true] = n - counts[true]
    return counts, true


def times_held(estimates: Estimates, choice: PlannedChoice, place: int) -> int:
    assert choice.places is not None
    middle = min((place + choice.places.first + 0.5) * choice.places.step, HIGH)
    return int(((estimates.low <= middle) & (middle <= estimates.high)).sum())


def drawn_at_worst(
    aggregate: SelectionAggregate, choice: PlannedChoice, mechanism: SelectionByCounts, times: int
) -> tuple[NDArray[np.int64], int]:
    counts, true = worst_counts(aggregate, choice)
    return mechanism.draw(np.tile(counts, (times, 1)), SeededCoins(5)), true


@pytest.mark.parametrize(
    "aggregate", [case for case in CASES if case.name in ("median", "quantile")], ids=lambda case: case.name
)
def test_no_margin_of_a_quantile_can_be_narrower_for_every_table(
    aggregate: SelectionAggregate, monkeypatch: pytest.MonkeyPatch
) -> None:
    argument, choice = asked(aggregate)
    mechanism = choice.at(Fraction(1))
    drawn, true = drawn_at_worst(aggregate, choice, mechanism, MANY)
    estimates = aggregate.finish_choice(argument, choice, mechanism, drawn, Fraction(95, 100))
    times = times_held(estimates, choice, true)
    assert fewest(MANY, ALPHA) <= times <= 0.985 * MANY
    margin = quantile._margin
    monkeypatch.setattr(quantile, "_margin", lambda *of: 0.9 * margin(*of))
    narrowed = aggregate.finish_choice(argument, choice, mechanism, drawn, Fraction(95, 100))
    assert times_held(narrowed, choice, true) < fewest(MANY, ALPHA), f"{times} of {MANY} held it"


@pytest.mark.parametrize(
    "aggregate", [case for case in CASES if case.name in ("min", "max")], ids=lambda case: case.name
)
def test_no_extreme_can_be_chosen_nearer_to_the_end_for_every_table(aggregate: SelectionAggregate) -> None:
    argument, choice = asked(aggregate)
    honest = choice.at(Fraction(1))
    assert isinstance(honest, ExtremeRank)
    nearer = ExtremeRank(honest.highest, honest.rate, int(0.9 * honest.depth))
    draws, times = MANY // 2, []  # it fails about twice as often: fewer draws tell it
    for mechanism in (honest, nearer):
        drawn, true = drawn_at_worst(aggregate, choice, mechanism, draws)
        estimates = aggregate.finish_choice(argument, choice, mechanism, drawn, Fraction(95, 100))
        times.append(times_held(estimates, choice, true))
    assert times[1] < fewest(draws, ALPHA) <= times[0] <= 0.985 * draws


def test_each_end_of_a_quantile_has_the_whole_failure_for_the_other_cannot_fail() -> None:
    """The interval holds its own choice, so it misses on the side where the true answer lies, or not at all."""
    (aggregate,) = (case for case in CASES if case.name == "median")
    argument, choice = asked(aggregate)
    mechanism = choice.at(Fraction(1))
    counts, true = worst_counts(aggregate, choice)
    drawn = mechanism.draw(np.tile(counts, (2000, 1)), SeededCoins(6))
    estimates = aggregate.finish_choice(argument, choice, mechanism, drawn, Fraction(80, 100))
    assert choice.places is not None
    edge = (true + choice.places.first) * choice.places.step
    above, below = estimates.low > edge, estimates.high < edge
    assert above.any() and not below.any() and (estimates.value[above] > edge).all()
