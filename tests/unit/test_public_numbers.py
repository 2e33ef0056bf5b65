"""A question whose every number is public costs nothing and reads nothing, so nothing about a row can make it fail."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

import lapcat
from lapcat.session.files import open_deployment
from tests.support import deploy

CATALOGUE = """
[tables.t]
source = "t.parquet"
unit = "row"
relation = "replace-one"
units = 5
budget = { epsilon = 1 }
[tables.t.columns]
v = { type = "integer", low = 0, high = 5 }
[tables.p]
public = true
source = "p.parquet"
[tables.p.columns]
z = { type = "integer", unique = true }
"""
QUESTIONS = [
    "SELECT COUNT(*) AS n FROM t",
    "SELECT COUNT(*) AS n FROM t LEFT JOIN p ON t.v = p.z",
    "SELECT 2 * COUNT(*) AS n FROM t",
]


def table(folder: Path, last: Decimal) -> Path:
    rows = {"v": [Decimal("1.0000000000")] * 4 + [last]}
    data = {"t.parquet": rows, "p.parquet": {"z": [1, 2, 3]}}
    return deploy(folder, CATALOGUE, data, refreshed=["p", "t"])


@pytest.mark.parametrize("question", QUESTIONS, ids=["a count", "a join", "computed"])
def test_a_public_number_is_stated_by_the_plan_and_no_engine_is_asked(tmp_path: Path, question: str) -> None:
    session = lapcat.open(table(tmp_path, Decimal("2")))
    asked = session.sql(question)
    n, answer = 10 if "2 *" in question else 5, asked.run(epsilon="0.5")
    assert answer.rows == [{"n": n, "n_low": n, "n_high": n}]
    assert answer.as_json()["cost"] == {"epsilon": "0"}
    assert session._deployment._engine is None, "an engine was opened"
    kinds = [entry.kind for entry in session._deployment.ledger.entries()]
    assert "looked" not in kinds and "failed" not in kinds
    assert session.budget().tables["t"].spent.epsilon == 0
    session._deployment.ledger.verify()


def test_a_public_number_may_be_asked_for_below_the_least_price(tmp_path: Path) -> None:
    asked = lapcat.open(table(tmp_path, Decimal("2"))).sql(QUESTIONS[0])
    assert asked.run(epsilon="1e-9").as_json()["cost"] == {"epsilon": "0"}  # there is nothing to price


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_row_that_no_reader_can_read_does_not_decide_whether_a_public_number_is_given(
    tmp_path: Path, question: str
) -> None:
    outcomes = []
    for name, last in (("ordinary", "2"), ("hostile", "-9999999999999999999999999999.5")):
        answer = lapcat.open(table(tmp_path / name, Decimal(last))).sql(question).run(epsilon="0.5")
        outcomes.append(answer.rows)
    assert outcomes[0] == outcomes[1]


def test_the_receipt_of_a_public_number_verifies_and_a_repeat_has_the_same(tmp_path: Path) -> None:
    path = table(tmp_path, Decimal("2"))
    first = lapcat.open(path).sql(QUESTIONS[0]).run(epsilon="0.5")
    again = lapcat.open(path).sql(QUESTIONS[0]).run(epsilon="0.5")
    assert again.free and again.receipt.as_json() == first.receipt.as_json()
    open_deployment(path).ledger.verify()


def test_one_number_that_units_can_change_makes_the_question_a_priced_one(tmp_path: Path) -> None:
    answer = (
        lapcat.open(table(tmp_path, Decimal("2")))
        .sql("SELECT COUNT(*) AS n, SUM(v) AS s FROM t")
        .run(epsilon="0.5")
    )
    assert answer.rows[0]["n"] == 5 and answer.as_json()["cost"] == {"epsilon": "0.5"}
