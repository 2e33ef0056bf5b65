"""Several questions under one limit: each gets what serves it best, all are paid or none, and nothing paid is lost."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import lapcat
from lapcat.errors import BadQuery, BudgetExceeded, EngineFailed
from lapcat.session import Session
from tests.support import deploy, resume_all, seeded

CATALOGUE = """
[tables.staff]
source = "staff.parquet"
unit = "row"
budget = {{ epsilon = {cap}, delta = 1e-6 }}
[tables.staff.columns]
region = {{ type = "text", keys = ["north", "south"] }}
city = {{ type = "text", keys = "private" }}
salary = {{ type = "float", low = 0, high = 100, null = 0 }}
age = {{ type = "integer", low = 0, high = 110 }}
"""
ROWS = {
    "region": ["north", "south"] * 300,
    "city": ["Bern"] * 600,
    "salary": [50.0] * 600,
    "age": [40] * 600,
}
COUNT = "SELECT COUNT(*) AS n FROM staff"
SUM = "SELECT SUM(salary) AS s FROM staff"
THREE = "SELECT COUNT(*) AS n, SUM(salary) AS s, SUM(age) AS a FROM staff"


def where(folder: Path, cap: object = 5) -> Path:
    return deploy(folder, CATALOGUE.format(cap=cap), {"staff.parquet": ROWS}, refreshed=["staff"])


def staff(folder: Path, cap: object = 5) -> Session:
    return seeded(where(folder, cap))


def prices(previews: list[lapcat.session.results.Preview]) -> list[Fraction]:  # type: ignore[name-defined]
    return [preview.cost.epsilon for preview in previews]


def test_the_limit_is_spent_and_who_has_more_to_hide_gets_more(tmp_path: Path) -> None:
    epsilons = prices(staff(tmp_path).batch([COUNT, THREE], epsilon=1).preview())
    assert sum(epsilons) == 1 and epsilons[1] > 2 * epsilons[0]


def test_alike_questions_get_the_same(tmp_path: Path) -> None:
    assert prices(staff(tmp_path).batch([COUNT, SUM], epsilon=1).preview()) == [Fraction(1, 2)] * 2


def test_wanted_errors_come_first_and_the_rest_is_shared(tmp_path: Path) -> None:
    session = staff(tmp_path)
    alone = session.sql(COUNT).preview(error=20).cost.epsilon
    wanted, other = session.batch([(COUNT, 20), session.sql(SUM)], epsilon=1).preview()
    assert wanted.cost.epsilon == alone and other.cost.epsilon == 1 - alone
    assert wanted.columns[0].margin <= 20


def test_wanted_errors_that_need_more_than_the_limit_are_refused_with_what_they_need(tmp_path: Path) -> None:
    session = staff(tmp_path)
    with pytest.raises(BudgetExceeded, match="batch-exceeded") as caught:
        session.batch([(COUNT, 20), (SUM, 500)], epsilon="0.1").run()
    assert session.budget().tables["staff"].left.epsilon == 5
    needed = caught.value.fix.split("=")[1].split(",")[0]  # type: ignore[union-attr]
    assert len(session.batch([(COUNT, 20), (SUM, 500)], epsilon=needed).run()) == 2


def test_answers_come_in_the_order_of_the_questions_and_cost_the_limit(tmp_path: Path) -> None:
    session = staff(tmp_path)
    built = session.table("staff").group_by("region").agg(pay=lapcat.mean("salary"))
    answers = session.batch([SUM, built, COUNT], epsilon=2).run()
    assert [answer.columns[0] for answer in answers] == ["s", "region", "n"]
    assert session.budget().tables["staff"].left.epsilon == 3
    again = session.batch([SUM, built, COUNT], epsilon=2).run()
    assert all(answer.free for answer in again) and again[0].rows == answers[0].rows


def test_a_question_that_is_asked_twice_pays_once(tmp_path: Path) -> None:
    session = staff(tmp_path)
    first, second = session.batch([COUNT, COUNT.lower()], epsilon=1).run()
    assert first.rows == second.rows and second.free
    assert session.budget().tables["staff"].left.epsilon == 4


def test_where_not_all_can_be_paid_none_is(tmp_path: Path) -> None:
    session = staff(tmp_path, cap="0.5")
    with pytest.raises(BudgetExceeded, match="batch-exceeded"):
        session.batch([COUNT, SUM], epsilon=1).run()
    assert session.budget().tables["staff"].left.epsilon == Fraction(1, 2)


def test_a_question_above_what_one_may_cost_keeps_all_from_being_paid(tmp_path: Path) -> None:
    text = CATALOGUE.format(cap=5) + "[analysts.ana]\ntables = { staff = { epsilon = 2, per_query = 0.4 } }\n"
    path = deploy(tmp_path, text, {"staff.parquet": ROWS}, refreshed=["staff"])
    with pytest.raises(BudgetExceeded, match="batch-exceeded"):
        seeded(path, analyst="ana").batch([COUNT, THREE], epsilon=1).run()
    assert seeded(path, analyst="ana").budget().tables["staff"].left.epsilon == 5


def test_a_failure_in_the_middle_loses_no_paid_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lapcat.core import release as gate

    path = where(tmp_path)
    honest, calls = gate._execute_and_add_noise, []

    def failing(*arguments: object) -> object:
        calls.append(1)
        return None if len(calls) == 2 else honest(*arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as broken:
        broken.setattr(gate, "_execute_and_add_noise", failing)
        with pytest.raises(EngineFailed):
            seeded(path).batch([COUNT, (SUM, 300)], epsilon=1).run()
    resume_all(path)
    spent = seeded(path).budget().tables["staff"].left
    answers = seeded(path).batch([COUNT, (SUM, 300)], epsilon=1).run()
    assert all(answer.free for answer in answers) and seeded(path).budget().tables["staff"].left == spent


def test_private_groups_share_the_delta(tmp_path: Path) -> None:
    session = staff(tmp_path)
    cities = "SELECT city, COUNT(*) AS n FROM staff GROUP BY city"
    session.batch([cities, COUNT], epsilon=1, delta="1e-7").run()
    left = session.budget().tables["staff"].left
    assert left.epsilon == 4 and 0 < 10**-6 - float(left.delta) <= 1.01e-7
    with pytest.raises(BadQuery, match="delta-missing"):
        session.batch([cities, SUM], epsilon=1).preview()


def test_a_wanted_error_of_private_groups_is_kept(tmp_path: Path) -> None:
    preview = (
        staff(tmp_path)
        .sql("SELECT city, COUNT(*) AS n FROM staff GROUP BY city")
        .preview(error=30, delta="1e-7")
    )
    assert 25 <= preview.columns[0].margin <= 30 and preview.cost.delta <= Fraction(1, 10**7)


def test_a_batch_of_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadQuery, match="batch-empty"):
        staff(tmp_path).batch([], epsilon=1)


def test_a_wanted_error_asked_again_is_free_though_more_is_known_by_then(tmp_path: Path) -> None:
    path = where(tmp_path)
    seeded(path).sql(COUNT).run(epsilon="0.05")
    for seed in range(5):
        seeded(path, seed).sql(COUNT).run(error="2%")
    assert seeded(path).sql(COUNT).run(error="2%").free
    debits = [entry for entry in seeded(path)._deployment.ledger.entries() if entry.kind == "debit"]
    assert len(debits) == 2
