"""A question that reads several tables debits each of them, their population and the analyst's limits, all or none."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import lapcat
from lapcat.cli.answers import spent_lines
from lapcat.cli.previews import preview_lines
from lapcat.cli.screen import Screen
from lapcat.core.exact import exact
from lapcat.ledger import Spent
from lapcat.plan.aggregates import Argument
from lapcat.plan.aggregates.count import Count
from lapcat.plan.compile import Query, ValueColumn
from lapcat.plan.expressions import Column
from lapcat.plan.nodes import GroupKey, Join, LimitRows, Match
from lapcat.plan.schema import Type
from lapcat.session.debit_request import request_of
from lapcat.session.deployment import Deployment
from lapcat.session.files import open_deployment, refresh
from lapcat.session.question import Question
from lapcat.session.schemas import describe_table
from tests.support import deploy

CATALOGUE = """
[populations.humans]
budget = { epsilon = 0.9 }
[tables.people]
source = "people.parquet"
unit = { column = "id", of = "humans" }
rows_per_unit = 1
budget = { epsilon = 1 }
[tables.people.columns]
id = { type = "integer", unique = true }
region = { type = "text", keys = ["n", "s"] }
[tables.orders]
source = "orders.parquet"
unit = { column = "id", through = "people.id" }
rows_per_unit = 3
budget = { rho = 0.4, delta = 1e-6 }
[tables.orders.columns]
id = { type = "integer" }
city = { type = "text", keys = "private" }
[tables.regions]
public = true
source = "regions.parquet"
[tables.regions.columns]
code = { type = "text", unique = true }
[analysts.ana]
tables = { people = { epsilon = 1 }, orders = { epsilon = 0.5 } }
[analysts.bob]
tables = { people = { epsilon = 1 } }
"""
DATA = {
    "people.parquet": {"id": list(range(100)), "region": ["n", "s"] * 50},
    "orders.parquet": {"id": [row % 100 for row in range(250)], "city": ["Ulm"] * 250},
    "regions.parquet": {"code": ["n", "s"]},
}
PEOPLE, ORDERS = "table:people.parquet", "table:orders.parquet"
EVERY_SCOPE = (
    PEOPLE,
    ORDERS,
    "population:humans",
    "analyst:ana@people.parquet",
    "analyst:ana@orders.parquet",
)


@pytest.fixture
def deployment(tmp_path: Path) -> Deployment:
    opened = open_deployment(deploy(tmp_path, CATALOGUE, DATA, refreshed=["people", "orders", "regions"]))
    opened.require_acceptance()
    return opened


def joined(deployment: Deployment, *keys: GroupKey) -> Query:
    """Orders, each with its person and that person's region: two private tables and a public one."""
    orders, people = (deployment.scan(deployment.catalogue.tables[name]) for name in ("orders", "people"))
    regions = deployment.public(deployment.catalogue.public["regions"])
    id, region = Column("id", Type.INTEGER), Column("region@1", Type.TEXT)
    pairs = Join(LimitRows(orders, 3), LimitRows(people, 1), ((id, id),), Match.UNIQUE, False, 1)
    rows = Join(pairs, regions, ((region, Column("code", Type.TEXT)),), Match.PUBLIC, False, 2)
    return Query(rows, keys, (ValueColumn("n", Count(), Argument("*", None, None, None)),))


def question(deployment: Deployment, analyst: str | None = "ana") -> Question:
    return Question(deployment, analyst, "orders, people and regions", lambda: joined(deployment))


def test_every_table_population_and_limit_is_debited_once_in_its_own_kind(deployment: Deployment) -> None:
    question(deployment).run(epsilon="0.4")
    for scope in EVERY_SCOPE:
        assert deployment.ledger.spent(scope) == Spent(exact("0.4"), Fraction(0), exact("0.08"))
    left = deployment.budget("ana")
    assert left.tables["people"].left.epsilon == exact("0.6")
    assert (left.tables["orders"].left.rho, left.tables["orders"].left.epsilon) == (exact("0.32"), None)
    assert left.populations["humans"].left.epsilon == exact("0.5")
    assert left.analysts["ana"]["orders"].left.epsilon == exact("0.1")
    assert deployment.ledger.verify()


def test_a_refusal_names_the_budget_that_is_short_and_nothing_is_charged(deployment: Deployment) -> None:
    with pytest.raises(lapcat.BudgetExceeded) as own:
        question(deployment).run(epsilon="0.6")
    assert own.value.message == "this question costs epsilon 0.6; ana on orders has epsilon 0.5 left"
    with pytest.raises(lapcat.BudgetExceeded) as table:
        question(deployment, None).run(epsilon="0.95")
    assert table.value.message == "this question costs rho 0.45125; orders has rho 0.4 left"
    assert table.value.fix == "epsilon=0.89442719"  # the root of 0.8, which is less than the population's 0.9
    question(deployment, None).run(epsilon="0.8")
    alone = replace(
        joined(deployment), rows=LimitRows(deployment.scan(deployment.catalogue.tables["people"]), 1)
    )
    with pytest.raises(lapcat.BudgetExceeded) as population:
        Question(deployment, None, "people alone", lambda: alone).run(epsilon="0.15")
    assert population.value.message == (
        "this question costs epsilon 0.15; the population humans has epsilon 0.1 left"
    )
    assert deployment.ledger.spent(PEOPLE).epsilon == exact("0.8")


def test_an_analyst_needs_every_table_that_is_read(deployment: Deployment) -> None:
    with pytest.raises(lapcat.BadQuery) as refusal:
        question(deployment, "bob").preview(epsilon="0.1")
    assert refusal.value.code == "table-not-granted" and "orders" in refusal.value.message


def test_a_preview_says_what_would_be_left_of_every_table(deployment: Deployment) -> None:
    preview = question(deployment).preview(epsilon="0.4")
    assert preview.as_json()["budget"] == {
        "tables": {
            "orders": {"left_after": {"rho": "0.32", "delta": "0.000001"}},
            "people": {"left_after": {"epsilon": "0.6"}},
        },
        "analyst": {
            "tables": {
                "orders": {"left_after": {"epsilon": "0.1"}},
                "people": {"left_after": {"epsilon": "0.6"}},
            }
        },
        "populations": {"humans": {"left_after": {"epsilon": "0.5"}}},
    }
    screen = Screen.of(plain=True)
    text = "\n".join(
        "".join(s.text for s in line) for line in preview_lines(preview, deployment.budget("ana"), screen)
    )
    assert "you 0.1 of 0.5 on orders" in text and "people 0.6 of 1 left after" in text
    assert "population humans 0.5 of 0.9 left after" in text
    assert "population humans: epsilon 0.5 left after" in str(preview)
    short = question(deployment).preview(epsilon="0.95")
    assert short.notes[0] == (
        "this is more than is left of orders, the population humans, ana on orders: it would be refused"
    )


def test_the_line_below_an_answer_has_a_gauge_for_every_table(deployment: Deployment) -> None:
    lines = spent_lines(question(deployment).run(epsilon="0.4"), Screen.of(plain=True))
    text = "\n".join("".join(span.text for span in line) for line in lines)
    assert "orders rho 0.32 of 0.4 left, delta 1e-6 of 1e-6" in text and "people 0.6 of 1 left" in text
    assert "population humans 0.5 of 0.9 left" in text
    assert "you 0.1 of 0.5 on orders" in text and "you 0.6 of 1 on people" in text


def test_a_receipt_says_which_versions_of_which_tables_were_read(deployment: Deployment) -> None:
    fields = question(deployment).run(epsilon="0.1").receipt.fields
    assert fields["tables"] == [
        {
            "table": "orders",
            "source": "orders.parquet",
            "version": 1,
            "unit": "id",
            "population": "humans",
            "rows_per_unit": 3,
        },
        {
            "table": "people",
            "source": "people.parquet",
            "version": 1,
            "unit": "id",
            "population": "humans",
            "rows_per_unit": 1,
        },
    ]
    assert fields["public"] == [{"table": "regions", "source": "regions.parquet", "version": 1}]
    assert fields["relation"] == "add-remove" and "table" not in fields


def test_an_explanation_says_which_tables_are_read(deployment: Deployment) -> None:
    explanation = question(deployment).explain(epsilon="0.1")
    assert explanation.startswith("It reads orders, people and regions (public) and measures")
    assert (
        "each row joins at most one row of people, of the same unit" in explanation and "@" not in explanation
    )


def test_a_schema_says_whose_rows_a_table_reached_by_keys_holds(deployment: Deployment) -> None:
    info = describe_table(deployment.catalogue.tables["orders"])
    assert (
        info.protects_how == "each id of humans, with at most 3 rows (add-remove), reached through people.id"
    )
    assert describe_table(deployment.catalogue.public["regions"]).protects == "nobody: it is public"


def test_a_budget_in_words_has_a_line_for_each_population(deployment: Deployment) -> None:
    question(deployment).run(epsilon="0.4")
    assert "population humans: epsilon 0.5 left of epsilon 0.9" in str(deployment.budget())


@pytest.mark.parametrize("table", ["people", "orders", "regions"])
def test_a_new_version_of_any_table_that_is_read_is_a_new_question(
    deployment: Deployment, table: str
) -> None:
    asked = question(deployment, None)
    asked.run(epsilon="0.2")
    assert asked.run(epsilon="0.2").free
    old = joined(deployment)
    refresh(deployment, table)
    with pytest.raises(lapcat.BadQuery) as changed:
        Question(deployment, None, "old", lambda: old).run(epsilon="0.2")
    assert changed.value.code == "version-changed" and table in changed.value.message
    assert not asked.run(epsilon="0.2").free


def test_a_failure_counts_against_every_table_that_was_read(deployment: Deployment) -> None:
    asked = question(deployment)
    request = request_of(asked._context, asked._program("0.1", None, None, None, Fraction(19, 20)))
    assert request.tables == (ORDERS, PEOPLE)
    debit = deployment.ledger.debit(request)
    for analyst in ("ana", "bob", "cy"):
        deployment.ledger.failed(debit.id, analyst)
    assert deployment.ledger.paused(PEOPLE) and deployment.ledger.paused(ORDERS)


def test_rho_is_refused_where_one_of_the_tables_has_a_budget_of_epsilon(deployment: Deployment) -> None:
    with pytest.raises(lapcat.Refused) as refusal:
        question(deployment).preview(rho="0.01")
    assert refusal.value.code == "rho-against-epsilon" and "people" in refusal.value.message


def test_a_table_over_units_through_another_inherits_its_population_and_its_people(
    deployment: Deployment,
) -> None:
    orders, people = (deployment.scan(deployment.catalogue.tables[name]) for name in ("orders", "people"))
    assert orders.population == people.population == "population:humans"
    charges = deployment.charges([deployment.catalogue.tables["orders"]], None)
    assert [charge.scope for charge in charges] == [ORDERS, "population:humans", PEOPLE]


@pytest.mark.parametrize(
    ("delta", "code", "fix"),
    [
        (None, "delta-missing", "delta=1e-7"),
        ("0", "delta-range", "delta=1e-7"),
        ("1", "delta-range", "delta=1e-7"),
        ("2e-6", "protects-nobody", 'i_understand = "why"'),
    ],
)
def test_private_groups_need_a_delta_that_protects_somebody(
    deployment: Deployment, delta: str | None, code: str, fix: str
) -> None:
    city = GroupKey("city", Column("city", Type.TEXT), None)
    asked = Question(deployment, None, "by city", lambda: joined(deployment, city))
    with pytest.raises(lapcat.Error) as refusal:
        asked.preview(epsilon="0.1", delta=delta)
    assert refusal.value.code == code and fix in refusal.value.fix


def test_a_question_without_private_groups_takes_no_delta(deployment: Deployment) -> None:
    with pytest.raises(lapcat.BadQuery) as refusal:
        question(deployment).preview(epsilon="0.1", delta="1e-7")
    assert refusal.value.code == "delta-unused"
