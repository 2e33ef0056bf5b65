"""On a terminal `init` asks three decisions, says why, and writes a catalogue that answers at once."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.e2e.kit import Desk

typing = pytest.importorskip(
    "tests.e2e.typing_at_a_terminal", reason="impossible here: another operating system"
)


def write(folder: Path) -> Desk:
    rows = "".join(f"{i % 90},{20 + i % 60},{i % 2}\n" for i in range(400))
    (folder / "visits.csv").write_text("person_id,age,ill\n" + rows)
    return Desk(folder)


def test_three_answers_make_a_catalogue_that_answers(tmp_path: Path) -> None:
    desk = write(tmp_path)
    shown = typing.at_a_terminal(desk, ["init", "visits.csv"], ["", "4", "2"])
    assert "Who is protected?" in shown and "How many rows" in shown and "What is the budget" in shown
    assert "73.1 %" in shown, "what a budget means is said where it is asked for"
    assert max(map(len, shown.splitlines())) <= 80
    table = tomllib.loads(desk.catalogue.read_text(encoding="utf-8"))["tables"]["visits"]
    assert (table["unit"], table["rows_per_unit"], table["budget"]) == ("person_id", 4, {"epsilon": 2})
    assert desk.here("check").code == 0 and desk.here("refresh").code == 0
    assert desk.here("ask", "SELECT COUNT(*) AS n FROM visits", "--epsilon", "1").code == 0


def test_a_wrong_answer_is_asked_again_and_a_row_needs_no_number(tmp_path: Path) -> None:
    desk = write(tmp_path)
    shown = typing.at_a_terminal(desk, ["init", "visits.csv"], ["persn", "row", "eleven", "11", "0.5"])
    assert "no column persn" in shown and "How many rows" not in shown
    assert shown.count("at most 10") == 2
    table = tomllib.loads(desk.catalogue.read_text(encoding="utf-8"))["tables"]["visits"]
    assert (table["unit"], table["budget"]) == ("row", {"epsilon": 0.5}) and "rows_per_unit" not in table


def test_a_first_line_that_may_be_a_row_is_asked_about(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (tmp_path / "adult.data").write_text("39, State-gov, Male\n50, Private, Female\n" * 20)
    shown = typing.at_a_terminal(desk, ["init", "adult.data"], ["n", "age,work", "age,work,sex", "row", "1"])
    assert "enter 3 different names" in shown
    assert "Does it hold the column names?" in shown and "State-gov" not in shown
    text = desk.catalogue.read_text(encoding="utf-8")
    assert "State-gov" not in text
    assert tomllib.loads(text)["tables"]["adult"]["read"] == {"delim": ", ", "names": ["age", "work", "sex"]}


def test_nothing_is_written_when_somebody_leaves(tmp_path: Path) -> None:
    desk = write(tmp_path)
    typing.at_a_terminal(desk, ["init", "visits.csv"], ["", "\x03"])
    assert not desk.catalogue.exists() and not (tmp_path / "lapcat.schema.json").exists()


def test_the_same_people_in_several_tables_have_one_limit(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (tmp_path / "orders.csv").write_text("order_id,customer_id\n1,1\n2,2\n")
    (tmp_path / "customers.csv").write_text("customer_id,age\n1,20\n2,30\n")
    (tmp_path / "items.csv").write_text("order_id,price\n1,2.5\n2,7\n")
    shown = typing.at_a_terminal(
        desk, ["init", "customers.csv", "orders.csv", "items.csv"], ["", "1", "", "5", "", "20", "3"]
    )
    assert "one budget covers them all" in " ".join(shown.split())
    body = tomllib.loads(desk.catalogue.read_text(encoding="utf-8"))
    assert body["populations"] == {"people": {"budget": {"epsilon": 3}}}
    assert body["tables"]["items"]["unit"]["through"] == "orders.order_id"
    assert desk.here("refresh").code == 0
