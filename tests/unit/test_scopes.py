"""What a question debits, in every kind of budget, through the front door: table, population, analyst, one question."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import lapcat
from lapcat.core.exact import exact
from lapcat.core.loss import ZCDP, ApproxDP, PureDP
from lapcat.ledger import Spent
from lapcat.ledger.fixed_point import cost_up
from lapcat.session.files import open_deployment, refresh
from tests.support import deploy, seeded

ROWS = {
    "person": list(range(400)),
    "age": [20 + i % 60 for i in range(400)],
    "city": ["x"] * 200 + ["y"] * 200,
}
COLUMNS = """
age = { type = "integer", low = 0, high = 110 }
city = { type = "text", keys = "private" }
"""


def world(folder: Path, budget: str, extra: str = "", analysts: str = "") -> Path:
    text = (
        f'[tables.staff]\nsource = "staff.parquet"\nunit = "row"\nbudget = {budget}\n'
        f"[tables.staff.columns]\n{COLUMNS}\n{extra}\n{analysts}\n"
    )
    return deploy(folder, text, {"staff.parquet": ROWS, "visits.parquet": ROWS})


def older_than(age: int) -> str:
    return f"SELECT COUNT(*) AS n FROM staff WHERE age > {age}"


def test_the_table_binds_the_sum_over_all_analysts_whatever_each_may_spend(tmp_path: Path) -> None:
    names = ("ana", "bob", "eve")
    limits = "\n".join(f"[analysts.{name}]\ntables = {{ staff = {{ epsilon = 0.9 }} }}" for name in names)
    path = world(tmp_path, "{ epsilon = 1 }", analysts=limits)
    for age, name in enumerate(names[:2]):
        lapcat.open(path, analyst=name).sql(older_than(age)).run(epsilon="0.45")
    with pytest.raises(lapcat.BudgetExceeded, match=r"staff has epsilon 0\.1 left"):
        lapcat.open(path, analyst="eve").sql(older_than(50)).run(epsilon="0.2")
    budget = open_deployment(path).budget()
    assert budget.tables["staff"].spent.epsilon == Fraction(9, 10)
    assert budget.analysts["eve"]["staff"].spent.epsilon == 0


@pytest.mark.parametrize("kind, cap, per_query", [("epsilon", "2", "0.3"), ("rho", "1", "0.045")])
def test_one_question_may_cost_no_more_than_per_query_in_the_limits_own_kind(
    tmp_path: Path, kind: str, cap: str, per_query: str
) -> None:
    limit = f"[analysts.ana]\ntables = {{ staff = {{ {kind} = {cap}, per_query = {per_query} }} }}"
    path = world(tmp_path, f"{{ {kind} = {cap} }}", analysts=limit)
    ana = lapcat.open(path, analyst="ana")
    with pytest.raises(lapcat.BudgetExceeded) as refusal:
        ana.sql(older_than(3)).run(epsilon="0.31")  # against a rho, epsilon² / 2
    assert refusal.value.code == "per-query-exceeded"
    assert refusal.value.fix == "epsilon=0.3"
    ana.sql(older_than(3)).run(epsilon="0.3")


def test_a_population_is_capped_over_all_tables_of_the_same_people(tmp_path: Path) -> None:
    unit = 'unit = { column = "person", of = "people" }\nrows_per_unit = 1\nbudget = { epsilon = 1 }'
    text = "[populations.people]\nbudget = { epsilon = 1.5 }\n" + "".join(
        f'[tables.{name}]\nsource = "{name}.parquet"\n{unit}\n[tables.{name}.columns]\n{COLUMNS}\n'
        for name in ("staff", "visits")
    )
    path = deploy(
        tmp_path, text, {"staff.parquet": ROWS, "visits.parquet": ROWS}, refreshed=["staff", "visits"]
    )
    db = lapcat.open(path)
    db.sql(older_than(3)).run(epsilon="0.9")
    with pytest.raises(lapcat.BudgetExceeded, match=r"the population people has epsilon 0\.6 left"):
        db.sql("SELECT COUNT(*) AS n FROM visits").run(epsilon="0.8")
    db.sql("SELECT COUNT(*) AS n FROM visits").run(epsilon="0.6")
    budget = db.budget()
    assert budget.populations["people"].left.epsilon == 0 and budget.tables[
        "visits"
    ].left.epsilon == Fraction(4, 10)
    assert [float(point.left) for point in budget.burn_down["population people"]] == [0.6, 0]


def test_a_pure_loss_is_charged_to_every_kind_of_budget_and_no_pair_is_ever_a_rho() -> None:
    pure = Spent.of(cost_up(PureDP(Fraction(1, 2))))
    assert (pure.epsilon, pure.delta, pure.rho) == (Fraction(1, 2), 0, Fraction(1, 8))
    pair = Spent.of(cost_up(ApproxDP(Fraction(1, 2), exact("1e-7"))))
    assert (pair.epsilon, pair.delta, pair.rho) == (Fraction(1, 2), exact("1e-7"), None)
    rho = Spent.of(cost_up(ZCDP(Fraction(1, 8))))
    assert (rho.epsilon, rho.delta, rho.rho) == (None, 0, Fraction(1, 8))


def test_a_budget_of_epsilon_and_delta_is_charged_both(tmp_path: Path) -> None:
    path = world(tmp_path, "{ epsilon = 2, delta = 1e-6 }")
    db = seeded(path)
    db.sql(older_than(3)).run(epsilon="0.5")
    assert db.budget().tables["staff"].spent.delta == 0  # a pure loss is an (epsilon, 0)
    db.sql("SELECT city, COUNT(*) AS n FROM staff GROUP BY city").run(epsilon="0.5", delta="6e-7")
    spent = db.budget().tables["staff"].spent
    assert spent.epsilon == 1 and spent.delta is not None and 0 < spent.delta <= exact("6e-7")
    with pytest.raises(lapcat.BudgetExceeded, match="delta"):
        db.sql("SELECT city, AVG(age) AS n FROM staff GROUP BY city").run(epsilon="0.5", delta="9e-7")


def test_delta_beside_rho_caps_the_deltas_of_thresholds_alone(tmp_path: Path) -> None:
    path = world(tmp_path, "{ rho = 0.5, delta = 1e-6 }")
    db = seeded(path)
    db.sql(older_than(3)).run(rho="0.1")
    assert (db.budget().tables["staff"].spent.rho, db.budget().tables["staff"].spent.delta) == (
        Fraction(1, 10),
        0,
    )
    db.sql("SELECT city, COUNT(*) AS n FROM staff GROUP BY city").run(epsilon="0.4", delta="6e-7")
    spent = db.budget().tables["staff"].spent
    assert spent.rho == Fraction(1, 10) + Fraction(8, 100) and spent.delta is not None and spent.delta > 0
    with pytest.raises(lapcat.BudgetExceeded, match="delta"):
        db.sql("SELECT city, AVG(age) AS n FROM staff GROUP BY city").run(epsilon="0.4", delta="9e-7")
    body = db.budget().as_json()["tables"]["staff"]  # type: ignore[index]
    assert set(body["left"]) == {"rho", "delta"} and len(body["burn_down"]) == 2


def test_a_loss_in_rho_is_refused_by_a_budget_of_epsilon(tmp_path: Path) -> None:
    with pytest.raises(lapcat.Refused, match="rho cannot be converted"):
        lapcat.open(world(tmp_path, "{ epsilon = 2 }")).sql(older_than(3)).run(rho="0.1")


def test_what_was_spent_follows_the_source_through_names_versions_and_kinds(tmp_path: Path) -> None:
    path = world(tmp_path, "{ epsilon = 1 }")
    lapcat.open(path).sql(older_than(3)).run(epsilon="0.6")
    path.write_text(
        path.read_text().replace("tables.staff", "tables.people").replace("epsilon = 1", "rho = 0.5")
    )
    open_deployment(path).accept("renamed, and counted in rho")
    refresh(open_deployment(path), "people")
    gauge = lapcat.open(path).budget().tables["people"]
    assert gauge.spent.rho == Fraction(18, 100) and [point.left for point in gauge.burn_down] == [
        Fraction(32, 100)
    ]
