"""The worked examples of the theory, computed by the product: each answer is derived here, none is pasted from it."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest

import lapcat
from tests.support import deploy, seeded, write_table

WEIGHTS = [40.0, 60.0, 80.0, 60.0]


def people(folder: Path, n: int, relation: str = "replace-one", null: str = ", null = 30") -> Path:
    units = f"units = {n}" if relation == "replace-one" else ""
    return deploy(
        folder,
        f"""
[tables.people]
source = "people.parquet"
unit = "row"
relation = "{relation}"
{units}
budget = {{ epsilon = 5 }}
[tables.people.columns]
weight = {{ type = "float", low = 30, high = 150{null} }}
""",
        {"people.parquet": {"weight": (WEIGHTS * n)[:n]}},
    )


def cats(folder: Path, relation: str) -> lapcat.Session:
    units = "units = 3" if relation == "replace-one" else ""
    path = deploy(
        folder,
        f"""
[tables.cats]
source = "cats.parquet"
unit = "row"
relation = "{relation}"
{units}
budget = {{ epsilon = 5 }}
[tables.cats.columns]
colour = {{ type = "text", keys = ["orange", "blue", "tuxedo"] }}
weight = {{ type = "float", low = 0, high = 5 }}
age = {{ type = "integer", low = 0, high = 109 }}
positive = {{ type = "boolean" }}
""",
        {
            "cats.parquet": {
                "colour": ["orange", "blue", "tuxedo"],
                "weight": [4.0, 5.0, 7.0],
                "age": [3, 4, 109],
                "positive": [True, False, True],
            }
        },
    )
    return lapcat.open(path)


def test_v1_an_exact_average_reveals_the_fourth_weight_and_a_private_one_does_not(tmp_path: Path) -> None:
    exact_average = sum(WEIGHTS) / 4
    known = [40.0, 60.0, 60.0]
    assert 4 * exact_average - sum(known) == 80.0  # three of the four tell theirs: the fourth is revealed

    question = lapcat.open(people(tmp_path, 4)).sql("SELECT AVG(weight) AS pay FROM people")
    margin = question.preview(epsilon="0.1").columns[0].margin
    assert margin is not None and margin > 150 - 30  # wider than everything the fourth weight could be
    private = seeded(tmp_path / "lapcat.toml").sql("SELECT AVG(weight) AS pay FROM people").run(epsilon="0.1")
    assert 4 * private["pay"][0] - sum(known) != 80.0
    assert private["pay_low"][0] == 30.0 and private["pay_high"][0] == 150.0


def test_v2_the_average_of_four_weights_moves_by_thirty(tmp_path: Path) -> None:
    question = lapcat.open(people(tmp_path, 4)).sql("SELECT AVG(weight) FROM people")
    assert question.sensitivity().l1 == Fraction(150 - 30, 4) == 30
    assert question.preview(epsilon="0.1").statistics == (
        "count(*): public, no noise",
        "avg(weight): discrete Laplace noise of scale 300",
    )


def test_v3_the_average_of_a_thousand_weights_is_within_the_derived_margins(tmp_path: Path) -> None:
    question = lapcat.open(people(tmp_path, 1000)).sql("SELECT AVG(weight) FROM people")
    assert question.sensitivity().l1 == Fraction(12, 100)
    scale = 0.12 / 0.1
    column = question.preview(epsilon="0.1", confidence="0.75").columns[0]
    assert column.margin == pytest.approx(scale * math.log(4), abs=1e-6)
    assert column.variance == pytest.approx(2 * scale**2, rel=1e-9)
    sd = math.sqrt(2) * scale
    chebyshev = 2 * sd  # within two standard deviations with probability at least 3/4
    assert chebyshev == pytest.approx(3.394, abs=1e-3)
    within = 1 - math.exp(-chebyshev / scale)
    exact = question.preview(epsilon="0.1", confidence=f"{within:.9f}").columns[0]
    assert within == pytest.approx(0.9409, abs=1e-4) and exact.margin == pytest.approx(chebyshev, rel=1e-6)


@pytest.mark.parametrize(
    ("predicates", "add_remove", "replace_one"),
    [
        (["colour = 'orange'"], 1, 1),
        (["colour = 'orange'", "colour = 'blue'"], 1, 2),
        (["weight > 4.5"], 1, 1),
        (["colour = 'orange'", "weight > 4.5"], 2, 2),
    ],
)
def test_v4_sets_of_predicates_have_the_sensitivity_one_record_can_reach(
    tmp_path: Path, predicates: list[str], add_remove: int, replace_one: int
) -> None:
    for relation, expected in (("add-remove", add_remove), ("replace-one", replace_one)):
        columns = ", ".join(f"COUNT(*) FILTER (WHERE {p}) AS n{i}" for i, p in enumerate(predicates))
        report = cats(tmp_path / relation, relation).sql(f"SELECT {columns} FROM cats").sensitivity()
        assert report.l1 == expected, (relation, predicates)


def test_v5_a_sum_of_cat_weights_moves_by_five(tmp_path: Path) -> None:
    question = cats(tmp_path, "add-remove").sql("SELECT SUM(weight) FROM cats")
    assert question.sensitivity().l1 == 5 and question.sensitivity().l2_squared == 25
    assert question.preview(epsilon="0.1").statistics == ("sum(weight): discrete Laplace noise of scale 50",)
    assert question.preview(epsilon=4).statistics == ("sum(weight): discrete Laplace noise of scale 1.25",)


def test_v6_the_number_of_positive_tests_moves_by_one_under_both_relations(tmp_path: Path) -> None:
    for relation in ("add-remove", "replace-one"):
        session = cats(tmp_path / relation, relation)
        assert session.sql("SELECT COUNT(*) FROM cats WHERE positive").sensitivity().l1 == 1


@pytest.mark.parametrize(
    ("relation", "null", "expected"),
    [
        ("add-remove", "", 200_000),
        ("add-remove", ", null = 20000", 200_000),
        ("replace-one", ", null = 20000", 180_000),
        ("replace-one", "", 200_000),
    ],
)
def test_v7_a_total_of_salaries_moves_by_what_the_relation_allows(
    tmp_path: Path, relation: str, null: str, expected: int
) -> None:
    units = "units = 90" if relation == "replace-one" else ""
    path = deploy(
        tmp_path,
        f"""
[tables.staff]
source = "staff.parquet"
unit = "row"
relation = "{relation}"
{units}
budget = {{ epsilon = 5 }}
[tables.staff.columns]
salary = {{ type = "float", low = 20000, high = 200000{null} }}
""",
        {"staff.parquet": {"salary": [30_000.0] * 90}},
    )
    session = lapcat.open(path)
    assert session.sql("SELECT SUM(salary) FROM staff").sensitivity().l1 == expected
    if relation == "replace-one" and null:
        assert session.sql("SELECT AVG(salary) FROM staff").sensitivity().l1 == Fraction(180_000, 90)


def test_v8_a_histogram_of_ages_has_fresh_noise_in_each_of_eleven_buckets(tmp_path: Path) -> None:
    for relation, expected in (("add-remove", 1), ("replace-one", 2)):
        session = cats(tmp_path / relation, relation)
        text = "SELECT FLOOR(age / 10) AS decade, COUNT(*) AS n FROM cats GROUP BY decade"
        assert session.sql(text).sensitivity().l1 == expected
        answer = seeded(tmp_path / relation / "lapcat.toml").sql(text).run(epsilon="0.01")
        assert answer["decade"] == list(range(11))
        assert len(set(answer["n"])) > 8  # one shared draw would give three values at most


def test_v11_tomorrows_answer_costs_again_and_differencing_fails(tmp_path: Path) -> None:
    def write(rich: int) -> None:
        write_table(tmp_path / "staff.csv", {"salary": [2_500_000.0] * rich + [50_000.0] * (1000 - rich)})

    path = deploy(
        tmp_path,
        """
[tables.staff]
source = "staff.csv"
unit = "row"
budget = { epsilon = 1 }
[tables.staff.columns]
salary = { type = "float" }
""",
        {},
        refreshed=[],
    )
    from lapcat.session.files import open_deployment, refresh

    answers = []
    for day, rich in enumerate((0, 1)):  # somebody with over two million arrives overnight
        write(rich)
        deployment = open_deployment(path)
        deployment.require_acceptance()
        assert refresh(deployment, "staff") == day + 1
        question = seeded(path, seed=day).sql("SELECT COUNT(*) AS n FROM staff WHERE salary > 2000000")
        answers.append(question.run(epsilon="0.1"))
        assert not answers[-1].free
        assert question.run(epsilon="0.1").free  # the same day again: the same answer, for nothing
    assert lapcat.open(path).budget().tables["staff"].spent.epsilon == Fraction(2, 10)
    margin = answers[0]["n_high"][0] - answers[0]["n"][0]
    assert margin > 10  # the one person of difference disappears in it


def test_v13_the_expected_squared_error_of_a_count_is_that_of_the_discrete_law(tmp_path: Path) -> None:
    question = cats(tmp_path, "add-remove").sql("SELECT COUNT(*) FROM cats")
    for epsilon in ("0.1", "1", "2"):
        q = math.exp(-float(epsilon))
        variance = question.preview(epsilon=epsilon).columns[0].variance
        assert variance == pytest.approx(2 * q / (1 - q) ** 2, rel=1e-12)
        assert variance is not None and variance < 2 / float(epsilon) ** 2


def test_v14_three_answers_add_up_and_a_family_of_four_gets_four_times_as_much(tmp_path: Path) -> None:
    session = cats(tmp_path, "add-remove")
    for epsilon, limit in (("0.1", 1), ("0.2", 2), ("0.3", 3)):
        session.sql(f"SELECT COUNT(*) FROM cats WHERE weight > {limit}").run(epsilon=epsilon)
    spent = session.budget().tables["cats"].spent.epsilon
    assert spent == Fraction(6, 10)
    assert lapcat.group(epsilon=spent, size=4).epsilon == Fraction(24, 10)  # type: ignore[union-attr]


def test_v15_an_epsilon_that_protects_nobody_is_called_so_and_refused(tmp_path: Path) -> None:
    catalogue = """
[tables.cats]
source = "cats.parquet"
unit = "row"
budget = {{ epsilon = 5000{understood} }}
"""
    data = {"cats.parquet": {"weight": [1.0, 2.0]}}
    path = deploy(tmp_path / "slip", catalogue.format(understood=""), data, refreshed=[])
    with pytest.raises(lapcat.Refused, match="protects nobody") as refusal:
        lapcat.open(path)
    assert refusal.value.code == "protects-nobody" and "i_understand" in refusal.value.fix
    path = deploy(tmp_path / "decided", catalogue.format(understood=', i_understand = "a toy"'), data)
    answer = lapcat.open(path).sql("SELECT COUNT(*) AS n FROM cats").run(epsilon=1000)
    assert any("protects nobody" in note for note in answer.notes)
    with pytest.raises(lapcat.Refused, match="protects nobody"):  # one question likewise
        cats(tmp_path / "one", "add-remove").sql("SELECT COUNT(*) FROM cats").preview(epsilon=11)


def test_v17_a_delta_that_would_publish_somebodys_row_needs_a_written_reason(tmp_path: Path) -> None:
    catalogue = """
[tables.cats]
source = "cats.parquet"
unit = "row"
budget = {{ epsilon = 1, delta = {delta} }}
"""
    data = {"cats.parquet": {"weight": [1.0, 2.0]}}
    with pytest.raises(lapcat.Refused, match="one random row out of 1000"):
        lapcat.open(deploy(tmp_path / "large", catalogue.format(delta="0.001"), data))
    lapcat.open(deploy(tmp_path / "small", catalogue.format(delta="1e-6"), data))


def test_count_sum_and_average_of_a_column_without_nulls_are_paid_as_two_statistics(tmp_path: Path) -> None:
    text = "SELECT COUNT(*) AS n, SUM(weight) AS total, AVG(weight) AS mean FROM people"
    two = lapcat.open(people(tmp_path / "two", 100, "add-remove")).sql(text)
    three = lapcat.open(people(tmp_path / "three", 100, "add-remove", null="")).sql(text)
    assert len(two.sensitivity().statistics) == 2
    assert len(three.sensitivity().statistics) == 3  # how many have a weight is a third thing to measure
    assert json.loads(json.dumps(two.preview(epsilon=1).as_json()))["cost"] == {"epsilon": "1"}
