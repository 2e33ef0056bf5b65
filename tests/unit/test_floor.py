"""No question that reads rows is cheaper than [limits] min_epsilon; what reads none stays free."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

import lapcat
from lapcat.session import Session
from tests.support import deploy, seeded

CATALOGUE = """
{limits}
[tables.staff]
source = "staff.parquet"
unit = "row"
relation = "{relation}"
{units}
budget = {budget}
[tables.staff.columns]
region = {{ type = "text", keys = ["north", "south"] }}
city = {{ type = "text", keys = "private" }}
salary = {{ type = "float", low = 0, high = 100, null = 0 }}
age = {{ type = "integer", low = 0, high = 110, null = 0 }}
"""
ROWS = {
    "region": ["north", "south"] * 30,
    "city": ["Bern"] * 60,
    "salary": [50.0] * 60,
    "age": [40] * 60,
}
EPSILON, RHO = "{ epsilon = 5, delta = 1e-6 }", "{ rho = 0.5, delta = 1e-6 }"
COUNT = "SELECT COUNT(*) AS n FROM staff"
QUESTIONS = [
    COUNT,
    "SELECT region, AVG(salary) AS s, COUNT(*) AS n FROM staff GROUP BY region",
    "SELECT SUM(salary) AS s, SUM(age) AS a, COUNT(*) AS n FROM staff",
    "SELECT VAR_POP(salary) AS v, MEDIAN(age) AS m FROM staff",
    "SELECT region, age, COUNT(*) AS n FROM staff GROUP BY ROLLUP (region, age)",
]


def staff(folder: Path, budget: str = EPSILON, limits: str = "", relation: str = "add-remove") -> Session:
    units = "units = 60" if relation == "replace-one" else ""
    text = CATALOGUE.format(budget=budget, limits=limits, relation=relation, units=units)
    return seeded(deploy(folder, text, {"staff.parquet": ROWS}, refreshed=["staff"]))


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("relation", ["add-remove", "replace-one"])
@pytest.mark.parametrize("budget", [EPSILON, RHO])
def test_a_price_below_the_floor_is_refused_and_its_fix_is_the_least_price(
    tmp_path: Path, question: str, relation: str, budget: str
) -> None:
    session = staff(tmp_path, budget, relation=relation)
    asked = session.sql(question)
    if relation == "replace-one" and question == COUNT:
        return  # its number is public
    for ask in (asked.preview, asked.run):
        with pytest.raises(lapcat.Refused, match="min_epsilon") as refusal:
            ask(epsilon="0.0000999")
        assert refusal.value.code == "price-below-floor"
        kind, least = re.fullmatch(r"(epsilon|rho)=(\S+)", refusal.value.fix).groups()  # type: ignore[union-attr]
    spent = session.budget().tables["staff"].spent
    assert (spent.epsilon or spent.rho or 0) == 0
    assert not asked.preview(**{kind: least}).free
    assert not asked.run(epsilon="0.0001").free


def test_a_price_in_rho_is_refused_below_half_the_square(tmp_path: Path) -> None:
    asked = staff(tmp_path, RHO).sql(COUNT)
    with pytest.raises(lapcat.Refused, match="min_epsilon") as refusal:
        asked.run(rho="4.99e-9")
    assert refusal.value.fix == "rho=0.000000005"
    assert not asked.run(rho="0.000000005").free


def test_private_groups_have_the_same_floor(tmp_path: Path) -> None:
    asked = staff(tmp_path).sql("SELECT city, COUNT(*) AS n FROM staff GROUP BY city")
    with pytest.raises(lapcat.Refused, match="min_epsilon"):
        asked.run(epsilon="0.00009", delta="1e-7")
    assert not asked.run(epsilon="0.0001", delta="1e-7").free


def test_the_steward_moves_the_floor(tmp_path: Path) -> None:
    low = staff(tmp_path / "low", limits="[limits]\nmin_epsilon = 1e-9")
    assert not low.sql(COUNT).run(epsilon="0.000001").free
    high = staff(tmp_path / "high", limits="[limits]\nmin_epsilon = 0.5").sql(COUNT)
    with pytest.raises(lapcat.Refused) as refusal:
        high.run(epsilon="0.4")
    assert refusal.value.fix == "epsilon=0.5"
    assert high.preview(error=1000).cost.epsilon == Fraction(1, 2)  # type: ignore[union-attr]


@pytest.mark.parametrize("budget", [EPSILON, RHO])
def test_a_wanted_error_costs_at_least_the_floor_and_says_so(tmp_path: Path, budget: str) -> None:
    session = staff(tmp_path, budget)
    asked = session.sql("SELECT SUM(salary) AS s, COUNT(*) AS n FROM staff")
    preview, answer = asked.preview(error="1e9"), asked.run(error="1e9")
    for reply in (preview, answer):
        assert any("minimum price of a question" in note for note in reply.notes)
    spent = session.budget().tables["staff"].spent
    assert spent.epsilon == Fraction(1, 10**4) or spent.rho == Fraction(5, 10**9)
    finer = asked.preview(error="40")
    assert not any("minimum price" in note for note in finer.notes)


def test_stored_answers_are_free_at_any_price(tmp_path: Path) -> None:
    session = staff(tmp_path)
    session.sql(QUESTIONS[2]).run(epsilon=1)
    assert session.sql(QUESTIONS[2]).run(epsilon="1e-6").free
    assert session.sql(QUESTIONS[2]).preview(epsilon="1e-6").free
    assert session.sql(COUNT).run(epsilon="1e-6").free  # it follows from the stored answer


def test_what_was_paid_before_the_floor_rose_stays_free(tmp_path: Path) -> None:
    low = staff(tmp_path, limits="[limits]\nmin_epsilon = 1e-9")
    before = low.sql(COUNT).run(epsilon="0.000001")
    low._deployment.ledger.close()
    path = tmp_path / "lapcat.toml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("min_epsilon = 1e-9", "min_epsilon = 0.1"), "utf-8"
    )
    from lapcat.session.files import open_deployment

    open_deployment(path).accept("a higher floor")
    again = seeded(path).sql(COUNT).run(epsilon="0.000001")
    assert again.free and again.rows == before.rows


def test_every_question_of_a_batch_costs_the_floor_or_none_is_asked(tmp_path: Path) -> None:
    session = staff(tmp_path)
    asked = [COUNT, "SELECT SUM(salary) AS s, SUM(age) AS a FROM staff"]
    for price in ("0.00015", "0.0000001"):
        batch = session.batch(asked, epsilon=price)
        for ask in (batch.preview, batch.run):
            with pytest.raises(lapcat.Refused, match="min_epsilon") as refusal:
                ask()
        fixed = session.batch(asked, epsilon=refusal.value.fix.removeprefix("epsilon="))
        assert min(preview.cost.epsilon for preview in fixed.preview()) >= Fraction(1, 10**4)  # type: ignore[union-attr]
    assert session.budget().tables["staff"].spent.epsilon == 0
    assert not any(answer.free for answer in fixed.run())


def test_questions_that_are_asked_together_are_one_debit(tmp_path: Path) -> None:
    together = staff(tmp_path).workload([COUNT, "SELECT SUM(salary) AS s FROM staff"])
    with pytest.raises(lapcat.Refused, match="min_epsilon"):
        together.run(epsilon="0.00009")
    assert len(together.run(epsilon="0.0001")) == 2
