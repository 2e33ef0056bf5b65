"""Private groups that one person alone has: the chance that any of them is shown is at most delta, through the whole path."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from scipy.stats import binom
from shop_kit import asked
from tests.support import deploy, seeded

from lapcat.core.mechanisms.threshold import ThresholdLaw
from lapcat.plan.compile import compile_program

DELTA = Fraction(1, 20)
"""So large that it can be seen."""
ALPHA = 1e-6
"""How often the sampled test fails though all is well, were its coins not seeded."""
QUESTIONS = {
    "one table": ("SELECT l.c, COUNT(*) AS n FROM orders_{} l GROUP BY l.c", 2),
    "one row of each": ("SELECT l.c, SUM(l.x) AS n FROM people_{} l GROUP BY l.c", 1),
    "through a path": ("SELECT l.c, l.k, COUNT(*) AS n FROM items_{} l GROUP BY l.c, l.k", 4),
    "pairs": (
        "SELECT r.c, COUNT(*) AS n FROM items_{0} l JOIN orders_{0} r ON l.oid = r.oid GROUP BY r.c",
        4,
    ),
    "two keys": (
        "SELECT l.c, r.c AS home, COUNT(*) AS n FROM orders_{0} l JOIN people_{0} r ON l.who = r.who GROUP BY l.c, r.c",
        2,
    ),
}


@pytest.mark.parametrize("mark", ["a", "r"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_any_of_a_persons_lone_keys_is_shown_with_probability_delta_at_most(name: str, mark: str) -> None:
    """The exact tail of each of as many independent draws as a person is in groups, and no lower threshold would do."""
    text, keys = QUESTIONS[name]
    question = asked(text.format(mark))
    assert question.facts.keys_per_unit == keys
    threshold = compile_program(question, Fraction(1), DELTA).threshold
    assert threshold is not None

    def any_shown(tau: int) -> tuple[Fraction, Fraction]:
        low, high = ThresholdLaw(threshold.scale, tau, 1).shown_bounds()
        return 1 - (1 - low) ** keys, 1 - (1 - high) ** keys

    assert any_shown(threshold.tau)[1] <= DELTA < any_shown(threshold.tau - 1)[0]


CATALOGUE = """
[tables.visits]
source = "visits.parquet"
unit = "person"
rows_per_unit = 3
groups_per_unit = %d
budget = { epsilon = 9, delta = 0.2, i_understand = "a test" }
[tables.visits.columns]
person = { type = "integer" }
city = { type = "text", keys = "private" }
note = { type = "integer" }
"""
PEOPLE = 4000


@pytest.mark.parametrize("cities", [3, 1])
def test_lone_keys_are_shown_no_more_often_than_claimed(cities: int, tmp_path: Path) -> None:
    """Everybody is alone in their cities, three of them or one with three rows: each is a draw of the same event.

    The number of people who are told on is binomial with at most the debited delta. It fails falsely with probability
    ALPHA; a delta of twice the size it notices: 4000 people make 200 ± 14, and 400 is far out.
    """
    rows = [(who, f"{who}/{visit % cities}", visit) for who in range(PEOPLE) for visit in range(3)]
    data = dict(zip(("person", "city", "note"), map(list, zip(*rows, strict=True)), strict=True))
    path = deploy(tmp_path, CATALOGUE % cities, {"visits.parquet": data}, refreshed=["visits"])
    answer = (
        seeded(path, seed=5)
        .sql("SELECT city, COUNT(*) AS n FROM visits GROUP BY city")
        .run(epsilon=1, delta="0.05")
    )
    claimed = Fraction(answer.as_json()["cost"]["delta"])  # type: ignore[index, call-overload]
    told_on = len({city.split("/")[0] for city in answer["city"]})
    assert claimed <= DELTA and binom.sf(told_on - 1, PEOPLE, float(claimed)) > ALPHA, (
        told_on,
        float(claimed),
    )
    # and it is the event that is paid for: half of it would be noticed too
    assert binom.cdf(told_on, PEOPLE, float(claimed)) > ALPHA
