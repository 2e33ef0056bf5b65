"""A mechanism from outside: staircase.py and one line in MECHANISMS put it through the suites of the built-in ones, and into
the answers of questions that it serves best."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lapcat
from lapcat.core.event import JointRelease, LaplaceRelease
from lapcat.core.event_codec import event_from_json
from lapcat.core.loss import PureDP
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.core.mechanisms.registry import MECHANISMS
from lapcat.core.sensitivity import Sensitivity
from lapcat.plan.accuracy import Noise, margin_of_combination, margin_of_sum
from lapcat.plan.compile import compile_program, program_of
from lapcat.plan.fourier_sums import margin_of_equal_sum
from lapcat.testing.coins import SeededCoins
from tests.extending.staircase import Staircase, StaircaseRelease
from tests.laws import test_laws
from tests.laws.cases import Case
from tests.neighbours.neighbour_kit import TABLES, exact, pair_of, prepared
from tests.support import deploy, seeded

HIGH = Fraction(8)
"""An epsilon at which the stairs are worth much."""


@pytest.fixture(autouse=True, scope="module")
def registered() -> Iterator[None]:
    MECHANISMS["staircase"] = Staircase
    yield
    del MECHANISMS["staircase"]


# ------------------------------------------------------------------------------------------------ laws


def case_of(name: str, mechanism: Staircase, linf: int) -> Case:
    size = Fraction(linf)
    return Case(
        name=f"staircase-{name}",
        mechanism=mechanism,
        share=PureDP,
        spread=max(1, int(mechanism.law().sd)),
        sensitivity=Sensitivity(2, size, 2 * size, 2 * size * size),
        neighbours=(
            ((0,), (linf,)),
            ((-7,), (linf - 7,)),
            ((5, 5), (5 + linf, 5 - linf)),
            ((10**6, 3), (10**6 + 1, 3)),
            ((0,), (0,)),
        ),
    )


CASES = (
    case_of("20", Staircase(20, 5, Fraction(1)), 20),
    case_of("one block less than moved", Staircase(20, 15, Fraction(1, 2)), 50),
    case_of("1000", Staircase(1000, 200, Fraction(3)), 1000),
)
every_case = pytest.mark.parametrize("case", CASES, ids=repr)
either_way = pytest.mark.parametrize("way", [test_laws.MANY, test_laws.FEW])


@every_case
@either_way
def test_draws_follow_the_law_and_another_law_is_noticed(case: Case, way: str) -> None:
    test_laws.test_draws_follow_the_law(case, way)
    test_laws.test_each_draw_is_independent_of_the_one_before(case, way)
    test_laws.test_the_law_moves_with_the_exact_value(case, way)
    for factor in (Fraction(5, 4), Fraction(4, 5)):
        test_laws.test_a_quarter_more_or_less_noise_is_noticed(case, factor, way)


@every_case
def test_the_law_costs_what_the_event_says(case: Case) -> None:
    test_laws.test_no_outcome_tells_more_than_the_event_costs(case)
    test_laws.test_the_stated_log_ratio_is_that_of_the_probabilities(case)
    test_laws.test_the_probabilities_add_up_to_the_distribution(case)
    for confidence in test_laws.CONFIDENCES:
        test_laws.test_a_margin_holds_as_often_as_it_says_and_no_smaller_one_does(case, confidence)
    for share in (Fraction(1, 10), Fraction(1), Fraction(27, 7)):
        test_laws.test_calibration_costs_at_most_the_share(case, share)


@every_case
def test_its_variance_is_that_of_its_law(case: Case) -> None:
    law = case.mechanism.law()
    z = np.arange(-60 * case.spread, 60 * case.spread + 1)
    assert law.variance == pytest.approx(sum(x * x * law.pmf(x) for x in z.tolist()), rel=1e-6)


def test_an_event_is_written_and_read_back() -> None:
    event = JointRelease((Staircase(20, 5, Fraction(1, 3)).event("s", CASES[0].sensitivity),), 1)
    assert event_from_json(event.as_json()) == event


def test_a_loss_that_is_not_linear_in_rows_always_counts() -> None:
    """One of a unit's two rows may move the one sum, and the other row the other: each costs all of its price."""
    parts = tuple(StaircaseRelease(label, 1, Fraction(20), 20, 5, Fraction(1)) for label in "ab")
    others = tuple(LaplaceRelease(label, Fraction(1), Fraction(size)) for label, size in (("c", 2), ("d", 4)))
    assert JointRelease((*parts, *others), 1).loss == PureDP(Fraction(5, 2))


# ------------------------------------------------------------------------------------------------ sums of noises


def test_sums_of_a_law_without_a_family_hold_by_the_union_bound() -> None:
    """No theorem about sums of this law is known; the margins are wider than they must be, and hold."""
    stairs, level = Staircase(20, 5, Fraction(2)), Fraction(9, 10)
    first, second = Noise(stairs.law(), Fraction(1)), Noise(Laplace(Fraction(3)).law(), Fraction(1))
    draws = [
        m.draw(np.zeros(40_000, np.int64), SeededCoins(seed))
        for seed, m in enumerate((stairs, Laplace(Fraction(3)), stairs))
    ]
    assert np.mean(np.abs(draws[0] - 2 * draws[1]) <= margin_of_sum(first, -2.0, second, level)) >= level
    assert np.mean(np.abs(draws[0] + draws[2]) <= margin_of_equal_sum(stairs.law(), 2, level)) >= level
    margin = margin_of_combination((first, second), np.array([[1.0], [2.0]]), level)
    assert np.mean(np.abs(draws[0] + 2 * draws[1]) <= margin[0]) >= level


# ------------------------------------------------------------------------------------------------ neighbours


@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_pair_of_neighbours_is_told_apart_by_more_than_the_price(table: str, data: st.DataObject) -> None:
    value = data.draw(st.sampled_from(["x", "y", "a", "b"]))
    groups = data.draw(st.sampled_from(["", " GROUP BY k", " GROUP BY o, z"]))
    question = prepared(f"SELECT SUM({value}) AS s, COUNT(*) AS n FROM {table}{groups}")
    program = compile_program(question, HIGH)
    seed = data.draw(st.integers(0, 2**32))
    pair = pair_of(table, seed)
    loss = Fraction(0)
    for measurement, here, there in zip(
        program.measurements, exact(question, pair.here), exact(question, pair.there), strict=True
    ):
        if measurement.mechanism.public is None:
            laws = [[measurement.mechanism.law(number) for number in row] for row in (here, there)]  # type: ignore[call-arg]
            loss += sum((a.largest_log_ratio(b) for a, b in zip(*laws, strict=True)), Fraction(0))
    assert loss <= program.loss.epsilon <= HIGH  # type: ignore[union-attr]


# ------------------------------------------------------------------------------------------------ questions

CATALOGUE = """
[tables.staff]
source = "staff.parquet"
unit = "row"
budget = { epsilon = 9 }
[tables.staff.columns]
salary = { type = "float", low = 0, high = 200000, null = 0 }
region = { type = "text", keys = ["north", "south"], other = true }
"""
ROWS = 200


@pytest.fixture
def staff(tmp_path: Path) -> Path:
    rows = {
        "salary": [1000.0 * who for who in range(ROWS)],
        "region": ["north", "south"] * (ROWS // 2),
    }
    return deploy(tmp_path, CATALOGUE, {"staff.parquet": rows})


def test_a_question_is_answered_with_the_least_noise(staff: Path) -> None:
    """At a high epsilon that is the staircase; at a low one there is little between the two."""
    session = seeded(staff)
    text = "SELECT region, SUM(salary) AS s FROM staff GROUP BY region"
    question = session.sql(text)
    assert "staircase noise in blocks of" in question.explain(epsilon=HIGH)
    answer = question.run(epsilon=HIGH, confidence="0.9999")
    assert answer.receipt.as_json()["guarantee"] == {"epsilon": "8"}
    for row, true in zip(answer.rows, (9_900_000, 10_000_000, 0), strict=True):
        assert row["s_low"] <= true <= row["s_high"]
    again = seeded(staff, seed=2).sql(text).run(epsilon=HIGH, confidence="0.9999")
    assert again.free and again.rows == answer.rows


def test_a_stored_answer_gives_others_for_free(staff: Path) -> None:
    session = seeded(staff)
    session.sql("SELECT region, SUM(salary) AS s, COUNT(*) AS n FROM staff GROUP BY region").run(epsilon=HIGH)
    mean = session.sql("SELECT region, AVG(salary) AS m FROM staff GROUP BY region").run(confidence="0.9999")
    assert mean.free and mean["m_low"][0] <= 99_000 <= mean["m_high"][0]
    with pytest.raises(lapcat.BadQuery):  # the law of a sum of cells is not known
        session.sql("SELECT SUM(salary) AS s FROM staff").run()


def test_a_stored_event_is_drawn_and_described_as_it_was() -> None:
    question = prepared("SELECT SUM(x) AS s, COUNT(*) AS n FROM people_added")
    program = compile_program(question, HIGH)
    assert any(isinstance(m.mechanism, Staircase) for m in program.measurements)
    event = event_from_json(program.event.as_json())
    assert program_of(question, event) == program


def test_where_rows_share_the_price_the_loss_is_linear() -> None:
    """One row changes one of two sums, so each gets the whole price; a staircase would cost it twice."""
    question = prepared(
        "SELECT SUM(x) FILTER (WHERE a > 0) AS s, SUM(x) FILTER (WHERE NOT a > 0) AS t FROM people_added"
    )
    assert not question.all_add_up
    program = compile_program(question, HIGH)
    assert all(isinstance(m.mechanism, Laplace) for m in program.measurements)
