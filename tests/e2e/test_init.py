"""A newcomer's own data: init drafts, check lists what is open, and the filled-in draft answers."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from lapcat.cli.draft import open_questions
from tests.e2e.kit import CANARY, Desk, write_rows

TYPES = {
    "staff.parquet": {
        "region": "text",
        "salary": "float",
        "age": "integer",
        "bonus": "float",
        "city": "text",
        "note": "text",
    },
    "visits.csv": {"person_id": "integer", "kind": "text", "cost": "text", "note": "text"},
    "duckdb:shop.db#orders": {"amount": "integer", "paid": "boolean", "day": "date", "note": "text"},
}


@pytest.fixture
def empty_desk(tmp_path: Path) -> Desk:
    write_rows(tmp_path)
    return Desk(tmp_path)


@pytest.mark.parametrize("source", TYPES)
def test_a_draft_has_the_types_and_leaves_the_decisions_open(source: str, empty_desk: Desk) -> None:
    done = empty_desk.run("init", source)
    assert (done.code, done.err) == (0, ""), done
    text = empty_desk.catalogue.read_text(encoding="utf-8")
    ((table, body),) = tomllib.loads(text)["tables"].items()
    assert table == {"staff.parquet": "staff", "visits.csv": "visits"}.get(source, "orders")
    assert set(body) == {"source", "columns"} and body["source"] == source
    assert {name: spec["type"] for name, spec in body["columns"].items()} == TYPES[source]
    assert all(set(spec) == {"type"} for spec in body["columns"].values()), "no bounds or keys from values"
    assert CANARY not in text and "north" not in text and "test" not in text
    assert ("# guessed: confirm" in text) == source.endswith(".csv")
    assert max(map(len, text.splitlines())) <= 80
    assert text.startswith("#:schema ./lapcat.schema.json\n"), "for editors"
    schema = (empty_desk.folder / "lapcat.schema.json").read_bytes()
    assert schema == files("lapcat").joinpath("catalogue.schema.json").read_bytes()
    asked = " ".join(question.text for question in open_questions(text))
    assert "unit = " in asked and "budget = " in asked and "rows_per_unit = " in asked

    again = empty_desk.here("init", source)
    assert again.code == 2 and "[catalogue-exists]" in again.err
    assert empty_desk.catalogue.read_text(encoding="utf-8") == text


def test_a_draft_becomes_a_deployment_as_its_questions_are_answered(empty_desk: Desk) -> None:
    assert empty_desk.here("init", "visits.csv").code == 0
    checked = empty_desk.here("check")
    assert checked.code == 2, "unit and budget are open"
    assert "required decisions in lapcat.toml:\n  line 20: unit = " in checked.out
    assert (
        checked.out.index("required decisions")
        < checked.out.index("optional, for SUM")
        < checked.out.index("guessed")
    )
    assert "tables.visits.unit" in checked.err and "there is no default" in checked.err
    early = empty_desk.here("tables", "--json")
    assert early.code == 2 and early.error()["line"] == 20, "the line to fill in"
    assert not list(empty_desk.folder.glob("lapcat.ledger*")), (
        "nothing begins before the catalogue is complete"
    )

    text = empty_desk.catalogue.read_text(encoding="utf-8")
    for name in ("unit", "rows_per_unit", "budget"):
        text = text.replace(f"# ? {name} = ", f"{name} = ")
    empty_desk.catalogue.write_text(text, encoding="utf-8")
    checked = empty_desk.here("check")
    assert checked.code == 0 and "the catalogue is valid: visits" in checked.out
    assert "visits has no snapshot yet: lapcat refresh visits" in checked.out
    assert "guessed from the file" in checked.out and 'person_id = { type = "integer" }' in checked.out

    early = empty_desk.here("ask", "SELECT COUNT(*) AS n FROM visits", "--epsilon", "0.5", "--json")
    assert early.code == 2 and early.error()["code"] == "never-refreshed"
    assert early.error()["fix"] == "lapcat refresh visits"
    assert empty_desk.here("refresh").out == "visits: version 1\n"
    answer = empty_desk.here("ask", "SELECT COUNT(*) AS n FROM visits", "--epsilon", "0.5", "--json").json()
    assert answer["rows"][0]["n_low"] <= answer["rows"][0]["n"]


def test_receipts_are_signed_from_the_draft_on(empty_desk: Desk) -> None:
    assert empty_desk.here("init", "staff.parquet").code == 0
    text = empty_desk.catalogue.read_text(encoding="utf-8")
    text = text.replace("# ? unit", "unit").replace("# ? budget", "budget")
    empty_desk.catalogue.write_text(text, encoding="utf-8")
    assert empty_desk.here("refresh").code == 0
    count = ("ask", "SELECT COUNT(*) AS n FROM staff", "--epsilon", "0.5")
    assert empty_desk.here(*count, "--receipt", "r.json").code == 0
    verified = empty_desk.here("receipt", "verify", "r.json")
    assert verified.code == 0 and "signed" in verified.out and (empty_desk.folder / "lapcat.pub").exists(), (
        verified
    )


def test_several_sources_are_drafted_at_once_and_more_are_added(empty_desk: Desk) -> None:
    assert empty_desk.here("init", "staff.parquet", "visits.csv").code == 0
    text = empty_desk.catalogue.read_text(encoding="utf-8").replace("[ledger]", "# my own words\n[ledger]")
    empty_desk.catalogue.write_text(text, encoding="utf-8")
    empty_desk.catalogue.chmod(0o640)
    assert empty_desk.here("init", "--add", "duckdb:shop.db#orders").code == 0
    after = empty_desk.catalogue.read_text(encoding="utf-8")
    assert after.startswith(text.rstrip()), "all that was there stays, comments and all"
    assert list(tomllib.loads(after)["tables"]) == ["staff", "visits", "orders"]
    assert empty_desk.catalogue.stat().st_mode & 0o777 == 0o640
    again = empty_desk.here("init", "--add", "visits.csv", "--json")
    assert again.code == 2 and again.error()["code"] == "table-twice"
    empty_desk.catalogue.write_text("[tables", encoding="utf-8")
    broken = empty_desk.here("init", "--add", "visits.csv", "--json")
    assert broken.error()["code"] == "catalogue-syntax"
    assert empty_desk.catalogue.read_text(encoding="utf-8") == "[tables"


def test_keys_lead_from_table_to_table_by_their_names(tmp_path: Path) -> None:
    """A shop: a draft suggests that items belong to the customer of their order."""
    (tmp_path / "customers.csv").write_text("customer_id,town\n1,Graz\n2,Wien\n")
    (tmp_path / "orders.csv").write_text("order_id,customer_id,day\n1,1,2024-01-05\n2,2,2024-01-06\n")
    (tmp_path / "items.csv").write_text("order_id,product,price\n1,tea,2.5\n2,pot,7\n")
    desk = Desk(tmp_path)
    assert desk.here("init", "customers.csv", "orders.csv", "items.csv").code == 0
    text = desk.catalogue.read_text(encoding="utf-8")
    desk.catalogue.write_text(text.replace("# ? ", ""), encoding="utf-8")
    body = tomllib.loads(desk.catalogue.read_text(encoding="utf-8"))
    people = {"column": "customer_id", "of": "people"}
    assert body["tables"]["customers"]["unit"] == body["tables"]["orders"]["unit"] == people
    assert body["tables"]["items"]["unit"] == {"column": "order_id", "through": "orders.order_id"}
    assert body["tables"]["orders"]["columns"]["order_id"]["unique"] is True
    assert desk.here("check").code == 0 and desk.here("refresh").code == 0
    for name in ("returns", "visits"):
        (tmp_path / f"{name}.csv").write_text("customer_id,day\n1,2024-01-05\n")
    assert desk.here("init", "--add", "returns.csv", "visits.csv").code == 0
    body = tomllib.loads(desk.catalogue.read_text(encoding="utf-8"))
    assert len(body["tables"]) == 5 and list(body["populations"]) == ["people"], "declared once"


def test_strange_names_of_columns_and_files_are_quoted(tmp_path: Path) -> None:
    (tmp_path / "order of 2024.csv").write_text('a b,"x\ny","quo""te",ünï\n1,2,3,4\n', encoding="utf-8")
    assert Desk(tmp_path).here("init", "order of 2024.csv").code == 0
    text = (tmp_path / "lapcat.toml").read_text(encoding="utf-8")
    (table,) = tomllib.loads(text)["tables"].items()
    assert table[0] == "order_of_2024" and list(table[1]["columns"]) == ["a b", "x\ny", 'quo"te', "ünï"]


def test_check_finds_columns_that_the_source_does_not_have(desk: Desk) -> None:
    text = desk.catalogue.read_text(encoding="utf-8")
    desk.catalogue.write_text(
        text.replace("bonus  =", "bonsu  =").replace('"person_id"', '"persn_id"'), encoding="utf-8"
    )
    done = desk.here("check", "--json")
    assert done.code == 2 and done.err == ""
    import json

    messages = [problem["message"] for problem in json.loads(done.out)["problems"]]
    assert any("'bonsu'; did you mean bonus?" in message for message in messages)
    assert any("'persn_id'; did you mean person_id?" in message for message in messages)


def test_check_rows_counts_what_falls_outside_and_names_no_value(desk: Desk) -> None:
    done = desk.here("check", "--rows")
    assert done.code == 0 and done.err == ""
    assert CANARY not in done.out
    findings = desk.here("check", "--rows", "--json").json()["rows"]
    by_column = {(finding["table"], finding["column"]): finding["rows"] for finding in findings}
    assert by_column[("staff", "region")] == 100, "400 rows, every fourth in a land that is no key"
    assert ("staff", "age") not in by_column or by_column[("staff", "age")] == 0


@pytest.mark.parametrize(
    ("name", "content", "code", "exit"),
    [
        ("empty.csv", b"", "source-empty", 1),
        ("empty.parquet", b"", "source-empty", 1),
        ("broken.parquet", b"PAR1 this is none PAR1", "source-broken", 1),
        ("broken.csv", b"a,b\n1,\xff\n", "source-broken", 1),
        ("staff.doc", b"a,b\n1,2\n", "source-unknown", 2),
    ],
)
def test_an_empty_or_broken_file_is_named_and_nothing_is_drafted(
    name: str, content: bytes, code: str, exit: int, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    done = Desk(tmp_path).here("init", name, "--json")
    assert (done.code, done.error()["code"]) == (exit, code) and name in done.error()["message"]
    assert not (tmp_path / "lapcat.toml").exists()


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = Desk(tmp_path).here("init", "nowhere.csv", "--json")
    assert (
        done.code == 2
        and done.error()["code"] == "source-unreadable"
        and "nowhere.csv" in done.error()["message"]
    )


def test_one_cell_that_is_no_number_changes_no_preview_cost_or_refusal(tmp_path: Path) -> None:
    """A CSV of 500 rows, with and without one `n/a` in a column of numbers."""
    catalogue = """\
[tables.staff]
source = "staff.csv"
unit = "row"
budget = { epsilon = 1 }
[tables.staff.columns]
region = { type = "text", keys = ["north", "south"] }
age = { type = "integer", low = 0, high = 110 }
bonus = { type = "integer" }
"""
    asked = (
        (
            "preview",
            "SELECT region, AVG(age) AS age, COUNT(age) AS n FROM staff GROUP BY region",
            "--epsilon",
            "0.5",
            "--json",
        ),
        ("sensitivity", "SELECT SUM(age) FROM staff", "--json"),
        ("ask", "SELECT SUM(bonus) FROM staff", "--epsilon", "0.5"),
        ("ask", "SELECT SUM(age) AS age FROM staff", "--epsilon", "2"),
        ("ask", "SELECT SUM(age) AS age FROM staff WHERE age > 10", "--epsilon", "0.5", "--json"),
        ("budget", "--json"),
        ("schema", "staff", "--json"),
    )
    seen = []
    for name, cell in (("clean", "33"), ("dirty", "n/a")):
        folder = tmp_path / name
        folder.mkdir()
        rows = [f"{('north', 'south')[i % 2]},{20 + i % 60},{i}" for i in range(499)]
        (folder / "staff.csv").write_text(
            "\n".join(["region,age,bonus", *rows, f"north,{cell},{cell}"]) + "\n"
        )
        (folder / "lapcat.toml").write_text(catalogue, encoding="utf-8")
        desk = Desk(folder)
        done = [desk.here("refresh"), desk.here("check"), *(desk.here(*command) for command in asked)]
        answer = done[6].json()
        released = {key: answer[key] for key in ("columns", "cost", "budget", "free")}
        rest = [(d.code, d.out, d.err.replace(str(folder), "")) for i, d in enumerate(done) if i != 6]
        seen.append((rest, released))
    assert seen[0] == seen[1]
