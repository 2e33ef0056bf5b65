"""What was chosen before is not chosen again: medians, extremes and modes that follow from stored answers, of the same groups."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import lapcat
from lapcat.session import debit_request
from tests.unit.test_answers_from_cache import is_derived, spent, staff

BY_REGION = "SELECT region, MEDIAN(salary) AS m, COUNT(*) AS n FROM staff GROUP BY region"


def columns(answer: lapcat.Answer, *names: str) -> list[dict[str, object]]:
    """The rows of an answer, as far as these columns go."""
    return [{name: row[name] for name in names} for row in answer.rows]


@pytest.mark.patient
@pytest.mark.parametrize(
    ("stored", "asked", "same"),
    [
        (
            "SELECT MEDIAN(salary) AS m, COUNT(*) AS n FROM staff",
            "SELECT MEDIAN(salary) AS m FROM staff",
            "m",
        ),
        ("SELECT COUNT(*) AS n, MEDIAN(salary) AS m FROM staff", "SELECT COUNT(*) AS n FROM staff", "n"),
        (BY_REGION, "SELECT MEDIAN(salary) AS m, region FROM staff GROUP BY region", "m"),
        (
            "SELECT QUANTILE_CONT(salary, 0.25) AS a, MEDIAN(salary) AS m, QUANTILE_CONT(salary, 0.75) AS b FROM staff",
            "SELECT MEDIAN(salary) AS m FROM staff",
            "m",
        ),
        (
            "SELECT QUANTILE_CONT(salary, 0.25) AS a, MEDIAN(salary) AS m, QUANTILE_CONT(salary, 0.75) AS b FROM staff",
            "SELECT QUANTILE_CONT(salary, 0.75) AS b, QUANTILE_CONT(salary, 0.25) AS a FROM staff",
            "b",
        ),
        (
            "SELECT MIN(age) AS low, MODE(sex) AS s, MAX(age) AS high, MEDIAN(age) AS m FROM staff",
            "SELECT MAX(age) AS high, MODE(sex) AS s FROM staff",
            "high",
        ),
        (
            "SELECT MIN(age) AS low, MODE(sex) AS s, MAX(age) AS high, MEDIAN(age) AS m FROM staff",
            "SELECT MODE(sex) AS s FROM staff",
            "s",
        ),
        (
            "SELECT region, sex, MEDIAN(age) AS m FROM staff GROUP BY region, sex",
            "SELECT sex, region, MEDIAN(age) AS m FROM staff GROUP BY sex, region",
            "m",
        ),
    ],
)
def test_what_was_chosen_beside_other_things_is_free_and_the_same(
    tmp_path: Path, stored: str, asked: str, same: str
) -> None:
    path = staff(tmp_path)
    first = lapcat.open(path).sql(stored).run(epsilon=2)
    answer = lapcat.open(path).sql(asked).run()
    assert answer.free and answer.derived_from == (first.receipt.id,) and spent(path) == 2
    by = [key for key in ("region", "sex") if key in answer.columns]
    shown = [name for name in answer.columns if name in (*by, same, f"{same}_low", f"{same}_high")]
    assert f"{same}_low" in shown or same == "s"
    order = sorted(columns(first, *shown), key=lambda row: [str(row[key]) for key in by])
    assert sorted(columns(answer, *shown), key=lambda row: [str(row[key]) for key in by]) == order


def test_medians_of_private_groups_follow_from_one_answer(tmp_path: Path) -> None:
    path = staff(tmp_path)
    both = "SELECT city, MEDIAN(salary) AS m, COUNT(DISTINCT person_id) AS n FROM staff GROUP BY city"
    first = lapcat.open(path).sql(both).run(epsilon=4, delta="1e-7")
    for sql in (
        "SELECT city, MEDIAN(salary) AS m FROM staff GROUP BY city",
        "SELECT city, COUNT(DISTINCT person_id) AS n FROM staff GROUP BY city",
    ):
        answer = lapcat.open(path).sql(sql).run()
        assert answer.free and answer.derived_from == (first.receipt.id,)
        assert (
            [row["city"] for row in answer.rows] == [row["city"] for row in first.rows] == ["here", "there"]
        )
        if "m" in answer.columns:
            assert columns(answer, "m", "m_low", "m_high") == columns(first, "m", "m_low", "m_high")
        else:
            assert columns(answer, "n", "n_low", "n_high") == columns(first, "n", "n_low", "n_high")


@pytest.mark.patient
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT MEDIAN(salary) AS m FROM staff",
        "SELECT sex, MEDIAN(salary) AS m FROM staff GROUP BY sex",
        "SELECT region, QUANTILE_CONT(salary, 0.4) AS m FROM staff GROUP BY region",
        "SELECT region, MEDIAN(age) AS m FROM staff GROUP BY region",
        "SELECT region, MAX(salary) AS m FROM staff GROUP BY region",
        "SELECT region, MEDIAN(salary) AS m FROM staff WHERE sex = 'f' GROUP BY region",
        "SELECT region, MEDIAN(salary) FILTER (WHERE sex = 'f') AS m FROM staff GROUP BY region",
        "SELECT region, sex, MEDIAN(salary) AS m FROM staff GROUP BY region, sex",
        "SELECT region, MEDIAN(salary) AS m, MODE(sex) AS s FROM staff GROUP BY region",
    ],
)
def test_other_groups_quantiles_columns_and_rows_are_chosen_anew(tmp_path: Path, sql: str) -> None:
    path = staff(tmp_path)
    lapcat.open(path).sql(BY_REGION).run(epsilon=1)
    assert not is_derived(lapcat.open(path), sql)


def test_with_a_price_a_choice_is_paid_unless_the_stored_one_is_as_near(tmp_path: Path) -> None:
    path = staff(tmp_path)
    lapcat.open(path).sql("SELECT MEDIAN(salary) AS m, COUNT(*) AS n FROM staff").run(epsilon=2)
    question = lapcat.open(path).sql("SELECT MEDIAN(salary) AS m FROM staff")
    assert question.run(epsilon="0.1").free and spent(path) == 2
    assert not question.run(epsilon=2).free and spent(path) == 4


def test_of_several_stored_choices_the_nearest_is_taken(tmp_path: Path) -> None:
    path = staff(tmp_path)
    for epsilon, beside in (("0.1", "COUNT(*)"), ("3", "SUM(age)"), ("0.2", "AVG(age)")):
        lapcat.open(path).sql(f"SELECT MEDIAN(salary) AS m, {beside} AS n FROM staff").run(epsilon=epsilon)
    debits = [e.id for e in lapcat.open(path)._deployment.ledger.entries() if e.kind == "debit"]
    answer = lapcat.open(path).sql("SELECT MEDIAN(salary) AS m FROM staff").run()
    assert answer.derived_from == (debits[1],) and spent(path) == Fraction(33, 10)


def test_a_choice_and_a_sum_of_two_answers_go_together(tmp_path: Path) -> None:
    path = staff(tmp_path)
    lapcat.open(path).sql("SELECT MEDIAN(salary) AS m, MODE(sex) AS s FROM staff").run(epsilon=1)
    lapcat.open(path).sql("SELECT SUM(age) AS years FROM staff").run(epsilon=1)
    answer = (
        lapcat.open(path)
        .sql("SELECT SUM(age) AS years, MEDIAN(salary) AS m FROM staff")
        .run(simultaneous=True)
    )
    assert answer.free and len(answer.derived_from) == 2 and spent(path) == 2


def test_a_stored_extreme_still_says_that_it_is_none(tmp_path: Path) -> None:
    path = staff(tmp_path)
    lapcat.open(path).sql("SELECT MAX(age) AS high, COUNT(*) AS n FROM staff").run(epsilon=1)
    answer = lapcat.open(path).sql("SELECT MAX(age) AS high FROM staff").run()
    assert any("no private answer can be the true extreme" in note for note in answer.notes)


def test_an_answer_that_does_not_say_what_was_chosen_gives_its_sums_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As entries were written before choices said what they are."""
    path, honest = staff(tmp_path), debit_request.content_held
    both = "SELECT city, MEDIAN(salary) AS m, COUNT(DISTINCT person_id) AS n FROM staff GROUP BY city"
    with monkeypatch.context() as before:
        before.setattr(debit_request, "content_held", lambda program: replace(honest(program), choices=()))
        first = lapcat.open(path).sql(both).run(epsilon=4, delta="1e-7")
    assert not is_derived(lapcat.open(path), "SELECT city, MEDIAN(salary) AS m FROM staff GROUP BY city")
    units = (
        lapcat.open(path).sql("SELECT city, COUNT(DISTINCT person_id) AS n FROM staff GROUP BY city").run()
    )
    assert units.free and columns(units, "city", "n") == columns(first, "city", "n")
    assert lapcat.open(path)._deployment.ledger.verify() > 0
