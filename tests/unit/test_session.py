"""Asking, end to end in Python: preview, pay, repeat, refuse."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import lapcat
from lapcat.session import Session
from lapcat.session.files import open_deployment, refresh
from tests.support import deploy, seeded, write_table

CATALOGUE = """
[tables.staff]
source = "staff.{form}"
unit = "person_id"
rows_per_unit = 2
budget = {{ epsilon = 1 }}
[tables.staff.columns]
person_id = {{ type = "integer" }}
region = {{ type = "text", keys = ["north", "south"] }}
salary = {{ type = "float", low = 0, high = 100, null = 0 }}
age = {{ type = "integer", low = 0, high = 110 }}
"""
ROWS = {
    "person_id": [1, 1, 1, 2, 3, 4, None],
    "region": ["north", "north", "north", "south", "south", "elsewhere", "north"],
    "salary": [10.0, 10.0, 10.0, 50.0, 1e300, 70.0, 5.0],
    "age": [30, 30, 30, 40, 50, 60, 70],
}
AVERAGE = "SELECT region, COUNT(*) AS n, AVG(salary) AS pay FROM staff GROUP BY region"


def staff(folder: Path, form: str = "parquet", extra: str = "") -> Path:
    return deploy(folder, CATALOGUE.format(form=form) + extra, {f"staff.{form}": ROWS}, refreshed=["staff"])


def test_an_answer_has_rows_intervals_cost_receipt_and_what_is_left(tmp_path: Path) -> None:
    answer = seeded(staff(tmp_path)).sql(AVERAGE).run(epsilon="0.5")
    assert answer.columns == ["region", "n", "n_low", "n_high", "pay", "pay_low", "pay_high"]
    assert answer["region"] == ["north", "south"] and len(answer) == 2
    for row in answer:
        assert row["n_low"] <= row["n"] <= row["n_high"] and isinstance(row["n"], int)
        assert 0 <= row["pay_low"] <= row["pay"] <= row["pay_high"] <= 100
    body = answer.as_json()
    assert body["cost"] == {"epsilon": "0.5"} and body["free"] is False
    assert body["budget"]["tables"]["staff"]["left"] == {"epsilon": "0.5"}  # type: ignore[index]
    assert {"id", "hash", "unit", "relation", "guarantee", "measurements", "UNSAFE"} <= set(body["receipt"])  # type: ignore[arg-type]


def test_a_receipt_of_real_noise_is_not_marked_unsafe(tmp_path: Path) -> None:
    answer = lapcat.open(staff(tmp_path)).sql(AVERAGE).run(epsilon="0.5")
    assert "UNSAFE" not in answer.receipt.fields
    answer.receipt.save(tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text())["hash"] == answer.receipt.hash


def test_the_same_question_is_free_and_byte_for_byte_the_same(tmp_path: Path) -> None:
    path = staff(tmp_path)
    first = lapcat.open(path).sql(AVERAGE).run(epsilon="0.5")
    again = lapcat.open(path).sql(AVERAGE.replace("AS pay", "AS wage").lower()).run(epsilon="0.5")
    assert again.free and again.as_json()["cost"] == {"epsilon": "0"}
    assert again["wage"] == first["pay"] and again["wage_low"] == first["pay_low"]
    assert again.receipt.as_json() == first.receipt.as_json()
    assert lapcat.open(path).budget().tables["staff"].left.epsilon == Fraction(1, 2)


def test_another_confidence_is_free(tmp_path: Path) -> None:
    question = lapcat.open(staff(tmp_path)).sql(AVERAGE)
    narrow, wide = (
        question.run(epsilon="0.5", confidence="0.5"),
        question.run(epsilon="0.5", confidence="0.99"),
    )
    assert wide.free and wide["n"] == narrow["n"] and wide["n_high"][0] > narrow["n_high"][0]


def test_a_smaller_epsilon_gets_the_stored_better_answer_and_a_larger_one_pays_in_full(
    tmp_path: Path,
) -> None:
    question = lapcat.open(staff(tmp_path)).sql(AVERAGE)
    first = question.run(epsilon="0.3")
    smaller = question.run(epsilon="0.1")
    assert smaller.free and smaller["n"] == first["n"] and smaller["n_high"] == first["n_high"]
    assert question.preview(epsilon="0.1").free
    larger = question.run(epsilon="0.5")
    assert not larger.free and larger.as_json()["cost"] == {"epsilon": "0.5"}
    assert lapcat.open(tmp_path / "lapcat.toml").budget().tables["staff"].spent.epsilon == Fraction(8, 10)


def test_a_question_beyond_the_budget_is_refused_with_what_is_left_and_costs_nothing(tmp_path: Path) -> None:
    session = lapcat.open(staff(tmp_path))
    session.sql(AVERAGE).run(epsilon="0.9")
    question = session.sql("SELECT COUNT(*) FROM staff")
    with pytest.raises(lapcat.BudgetExceeded, match=r"0\.1") as refusal:
        question.run(epsilon="0.2")
    offered = re.search(r"epsilon=(\S+)", refusal.value.fix)
    assert offered is not None
    assert not question.run(epsilon=offered[1]).free  # the fix works
    with pytest.raises(lapcat.BudgetExceeded):
        session.sql("SELECT COUNT(*) FROM staff WHERE age > 1").run(epsilon="0.0001")


def test_preview_reads_no_row_and_spends_nothing(tmp_path: Path) -> None:
    path = staff(tmp_path)
    session = lapcat.open(path)
    for file in (tmp_path / "lapcat.cache").iterdir():
        file.unlink()  # without a single row to read, price and error are the same
    (tmp_path / "staff.parquet").unlink()
    preview = session.sql(AVERAGE).preview(epsilon="0.5").as_json()
    assert preview["cost"] == {"epsilon": "0.5"} and preview["free"] is False
    assert preview["budget"]["tables"]["staff"]["left_after"] == {"epsilon": "0.5"}  # type: ignore[index]
    n, pay = preview["columns"]  # type: ignore[misc]
    assert n["margin"] > 0 and n["assuming"] is None
    assert pay["margin"] is None and [a["n"] for a in pay["assuming"]] == [100, 1000, 10000]
    assert session.budget().tables["staff"].spent.epsilon == 0


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_rows_beyond_the_limit_of_a_person_and_rows_of_nobody_do_not_count(tmp_path: Path, form: str) -> None:
    path = staff(tmp_path, form, extra="").parent / "lapcat.toml"
    text = path.read_text().replace(
        "epsilon = 1 }", 'epsilon = 2000000, i_understand = "to see the exact figures" }'
    )
    path = deploy(tmp_path / "loud", text, {f"staff.{form}": ROWS}, refreshed=["staff"])
    answer = (
        lapcat.open(path)
        .sql("SELECT region, COUNT(*) AS n, SUM(salary) AS s FROM staff GROUP BY region")
        .run(epsilon=1_000_000)
    )
    assert answer["n"] == [
        2,
        2,
    ]  # three rows of person 1, of which two count; person 4's region is no declared key
    assert answer["s"] == pytest.approx([20.0, 150.0], abs=0.01)  # 1e300 is clamped to 100


def test_a_wanted_error_finds_the_least_epsilon(tmp_path: Path) -> None:
    question = lapcat.open(staff(tmp_path)).sql("SELECT COUNT(*) AS n, SUM(salary) AS s FROM staff")
    preview = question.preview(error=2000)
    assert all(column.margin is not None and column.margin <= 2000 for column in preview.columns)
    epsilon = preview.cost.epsilon  # type: ignore[union-attr]
    worse = question.preview(epsilon=epsilon * Fraction(99, 100))
    assert any(column.margin is not None and column.margin > 2000 for column in worse.columns)
    with pytest.raises(lapcat.Refused, match="not public"):
        lapcat.open(tmp_path / "lapcat.toml").sql(AVERAGE).preview(error=5)
    with pytest.raises(lapcat.Refused, match="relative"):
        question.preview(error="5%")


@pytest.mark.parametrize(
    "epsilon", [0, -1, "0", float("nan"), float("inf"), "abc", "1e999", "0,1", True, None, ""]
)
def test_a_price_that_is_no_price_is_refused(tmp_path: Path, epsilon: object) -> None:
    question = lapcat.open(staff(tmp_path)).sql(AVERAGE)
    with pytest.raises(lapcat.BadQuery) as problem:
        question.run(epsilon=epsilon)
    assert problem.value.fix and isinstance(problem.value, ValueError)


def test_exactly_one_price_is_named(tmp_path: Path) -> None:
    question = lapcat.open(staff(tmp_path)).sql("SELECT COUNT(*) FROM staff")
    for prices in ({}, {"epsilon": 1, "error": 5}, {"epsilon": 1, "delta": "1e-7"}):
        with pytest.raises(lapcat.BadQuery):
            question.preview(**prices)
    with pytest.raises(lapcat.Refused, match="rho"):
        question.preview(rho="0.1")


ANALYSTS = """
[analysts.ana]
tables = { staff = { epsilon = 0.4, per_query = 0.3 } }
[analysts.bob]
tables = { staff = { epsilon = 0.5 } }
[analysts.eve]
tables = {}
"""


def test_each_analyst_has_a_cap_and_all_of_them_share_the_tables(tmp_path: Path) -> None:
    path = staff(tmp_path, extra=ANALYSTS)
    with pytest.raises(lapcat.BadQuery, match="names its analysts"):
        lapcat.open(path)
    with pytest.raises(lapcat.BadQuery, match="no analyst"):
        lapcat.open(path, analyst="mallory")
    ana, bob = lapcat.open(path, analyst="ana"), lapcat.open(path, analyst="bob")
    with pytest.raises(lapcat.BudgetExceeded, match="per question"):
        ana.sql(AVERAGE).run(epsilon="0.35")
    first = ana.sql(AVERAGE).run(epsilon="0.3")
    shared = bob.sql(AVERAGE).run(
        epsilon="0.3"
    )  # the table paid already; bob's own cap pays for what bob learns
    assert shared.free and shared["n"] == first["n"]
    spent = open_deployment(path).budget()
    assert spent.tables["staff"].spent.epsilon == Fraction(3, 10)
    assert (
        spent.analysts["ana"]["staff"].spent.epsilon
        == spent.analysts["bob"]["staff"].spent.epsilon
        == Fraction(3, 10)
    )
    bob.sql(AVERAGE).run(epsilon="0.3")  # once
    assert open_deployment(path).budget().analysts["bob"]["staff"].spent.epsilon == Fraction(3, 10)
    with pytest.raises(lapcat.BadQuery, match="may not ask"):
        lapcat.open(path, analyst="eve").sql(AVERAGE).run(epsilon="0.1")


def test_spent_follows_the_source_not_the_name(tmp_path: Path) -> None:
    path = staff(tmp_path)
    lapcat.open(path).sql("SELECT COUNT(*) FROM staff").run(epsilon="0.9")
    path.write_text(path.read_text().replace("tables.staff", "tables.people"))
    with pytest.raises(lapcat.IntegrityFailed) as refusal:
        lapcat.open(path)
    assert refusal.value.code == "catalogue-unaccepted" and refusal.value.exit_code == 5
    open_deployment(path).accept("renamed")
    with pytest.raises(lapcat.BudgetExceeded):
        lapcat.open(path).sql("SELECT COUNT(*) FROM people WHERE age > 3").run(epsilon="0.2")


def test_a_raised_cap_needs_the_stewards_reason(tmp_path: Path) -> None:
    path = staff(tmp_path)
    path.write_text(path.read_text().replace("budget = { epsilon = 1 }", "budget = { epsilon = 9 }"))
    with pytest.raises(lapcat.IntegrityFailed, match="accepted epsilon 1, the file says epsilon 9"):
        lapcat.open(path)
    assert open_deployment(path).accept("approved by the board") == [
        "the budget of staff: accepted epsilon 1, the file says epsilon 9 (raised)"
    ]
    assert lapcat.open(path).budget().tables["staff"].left.epsilon == 9


def test_rows_added_without_a_refresh_change_nothing_that_is_free(tmp_path: Path) -> None:
    path = staff(tmp_path)
    question = lapcat.open(path).sql(AVERAGE)
    before, paid = str(question.preview(epsilon="0.2")), question.run(epsilon="0.2")
    write_table(tmp_path / "staff.parquet", {name: values * 50 for name, values in ROWS.items()})
    after = lapcat.open(path).sql(AVERAGE)
    assert after.run(epsilon="0.2").as_json()["rows"] == paid.as_json()["rows"]
    assert after.preview(epsilon="0.2").free and "free" not in before
    refresh(open_deployment(path), "staff")
    assert not lapcat.open(path).sql(AVERAGE).preview(epsilon="0.2").free


def test_a_table_that_was_never_refreshed_is_refused_with_the_command(tmp_path: Path) -> None:
    path = deploy(tmp_path, CATALOGUE.format(form="parquet"), {"staff.parquet": ROWS}, refreshed=[])
    with pytest.raises(lapcat.BadQuery) as problem:
        lapcat.open(path).sql(AVERAGE)
    assert problem.value.code == "never-refreshed" and problem.value.fix == "lapcat refresh staff"


def frames() -> dict[str, object]:
    import pandas
    import polars
    import pyarrow

    rows = dict(ROWS)
    return {"pandas": pandas.DataFrame(rows), "polars": polars.DataFrame(rows), "arrow": pyarrow.table(rows)}


def held(data: object, **changes: object) -> Session:
    given: dict[str, object] = {
        "unit": "person_id",
        "rows_per_unit": 2,
        "bounds": {"salary": (0, 100)},
        "keys": {"region": ["north", "south"]},
        "epsilon": 3,
    }
    return lapcat.table(data, **{**given, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_a_data_frame_is_held_privately(kind: str) -> None:
    session = held(frames()[kind])
    answer = session.sql("SELECT region, COUNT(*) AS n FROM data GROUP BY region").run(epsilon="0.5")
    assert answer["region"] == ["north", "south"]
    assert "ends with the process" in repr(session) and "ends with the process" in str(session.budget())
    assert session.sql("SELECT region, COUNT(*) AS n FROM data GROUP BY region").run(epsilon="0.5").free


def test_a_frame_with_a_ledger_keeps_its_budget(tmp_path: Path) -> None:
    for left in (Fraction(5, 2), Fraction(2)):
        session = held(frames()["pandas"], ledger=tmp_path / "staff.ledger", name="staff")
        session.sql(f"SELECT COUNT(*) AS n FROM staff WHERE salary > {left.numerator}").run(epsilon="0.5")
        assert session.budget().tables["staff"].left.epsilon == left


def test_answers_become_frames(tmp_path: Path) -> None:
    answer = seeded(staff(tmp_path)).sql(AVERAGE).run(epsilon="0.5")
    assert answer.to_pandas()["n"].tolist() == answer["n"]
    assert answer.to_polars()["pay"].to_list() == answer["pay"]
    assert answer.to_arrow().column("region").to_pylist() == ["north", "south"]
    assert "<svg" in answer._repr_html_() and "95 %" in repr(answer)


def test_a_million_buckets_are_answered_as_arrays(tmp_path: Path) -> None:
    path = deploy(
        tmp_path,
        """
[tables.homes]
source = "homes.parquet"
unit = "row"
budget = { epsilon = 1 }
[tables.homes.columns]
zip = { type = "integer", keys = { from = 0, to = 999999 } }
""",
        {"homes.parquet": {"zip": [5, 5, 999_999, -1, 1_000_000]}},
    )
    answer = seeded(path).sql("SELECT zip, COUNT(*) AS n FROM homes GROUP BY zip").run(epsilon=1)
    assert len(answer) == 1_000_000 and answer["zip"][-1] == 999_999
    noise = np.array(answer["n"])
    assert abs(noise.mean()) < 0.02 and answer["n"][5] != 0


def test_under_replace_one_the_declared_size_is_the_answer(tmp_path: Path) -> None:
    path = deploy(
        tmp_path,
        """
[tables.clinic]
source = "clinic.parquet"
unit = "row"
relation = "replace-one"
units = 3
budget = { epsilon = 1 }
""",
        {"clinic.parquet": {"x": [1, 2, 3]}},
    )
    answer = lapcat.open(path).sql("SELECT COUNT(*) AS n FROM clinic").run(epsilon=1)
    assert answer.rows == [{"n": 3, "n_low": 3, "n_high": 3}]
    assert answer.as_json()["cost"] == {"epsilon": "0"}


def test_a_version_declared_in_the_middle_of_a_question_is_not_answered_from_other_rows(
    tmp_path: Path,
) -> None:
    path = staff(tmp_path)
    deployment = open_deployment(path)
    old = deployment.scan(deployment.catalogue.tables["staff"])
    refresh(deployment, "staff")
    with pytest.raises(lapcat.BadQuery) as problem:
        deployment.engine([old])
    assert problem.value.code == "version-changed"


def test_a_request_under_a_key_is_one_request_whatever_happens_in_between(tmp_path: Path) -> None:
    question = lapcat.open(staff(tmp_path)).sql("SELECT COUNT(*) AS n FROM staff WHERE age > 33")
    first = question.run(epsilon="0.1", key="monday")
    question.run(epsilon="0.2")  # a better answer is stored now
    again = question.run(epsilon="0.1", key="monday", confidence="0.9")
    assert again.free and again.confidence == Fraction(9, 10)
    again = question.run(epsilon="0.1", key="monday")
    assert again.free and (again.rows, again.receipt) == (first.rows, first.receipt)
    for other in (
        lambda: question.run(epsilon="0.15", key="monday"),
        lambda: question.run(rho="0.1", key="monday"),
    ):
        with pytest.raises(lapcat.Refused) as caught:
            other()
        assert caught.value.code == "key-reused"
    for bad in ("", "x" * 201, "two\nlines", 7):
        with pytest.raises(lapcat.BadQuery) as caught:
            question.run(epsilon="0.1", key=bad)  # type: ignore[arg-type]
        assert caught.value.code == "request-key"
