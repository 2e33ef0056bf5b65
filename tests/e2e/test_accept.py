"""A table that has spent cannot leave the catalogue unseen while another takes its place."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.e2e.kit import Desk

CATALOGUE = """\
[tables.NAME]
source = "FILE"
unit = "person_id"
rows_per_unit = 3
budget = { epsilon = 1 }
[tables.NAME.columns]
minutes = { type = "integer", low = 0, high = 120 }
"""


def declare(desk: Desk, name: str, file: str) -> None:
    desk.catalogue.write_text(CATALOGUE.replace("NAME", name).replace("FILE", file), encoding="utf-8")


@pytest.fixture
def spent(tmp_path: Path) -> Desk:
    """A table that has spent 0.75 of 1, and then is the same file under another name, in a table of another name."""
    desk = Desk(tmp_path / "desk")
    desk.folder.mkdir()
    lines = "\n".join(f"{n},{n % 90}" for n in range(50))
    (desk.folder / "visits.csv").write_text(f"person_id,minutes\n{lines}\n", encoding="utf-8")
    declare(desk, "visits", "visits.csv")
    assert desk.here("refresh").code == 0
    assert desk.here("ask", "SELECT COUNT(*) AS n FROM visits", "--epsilon", "0.75").code == 0
    shutil.copy(desk.folder / "visits.csv", desk.folder / "stays.csv")
    declare(desk, "stays", "stays.csv")
    return desk


def left(desk: Desk) -> str:
    return str(desk.here("budget", "--json").json()["tables"]["stays"]["left"]["epsilon"])


def test_a_table_that_has_spent_does_not_go_while_another_appears(spent: Desk) -> None:
    refused = spent.here("accept", "--reason", "a new name")
    assert refused.code == 3 and "[table-gone]" in refused.err
    assert "lapcat accept --renamed visits=stays --reason" in refused.err
    assert "lapcat accept --forget visits --reason" in refused.err
    assert spent.here("budget").code == 5, "nothing was accepted"


def test_nor_in_two_steps(spent: Desk) -> None:
    """First it goes, and nothing appears; then another appears, and nothing goes."""
    (spent.folder / "beds.csv").write_text("person_id,minutes\n1,2\n", encoding="utf-8")
    text = CATALOGUE.replace("FILE", "NAME.csv")
    both, beds_only, new = (
        "".join(text.replace("NAME", name) for name in names)
        for names in (("visits", "beds"), ("beds",), ("beds", "stays"))
    )
    for catalogue, code in ((both, 0), (beds_only, 0), (new, 3)):
        spent.catalogue.write_text(catalogue, encoding="utf-8")
        done = spent.here("accept", "--reason", "a step")
        assert done.code == code, done
    assert "[table-gone]" in done.err and "visits.csv" in done.err, (
        "by its book: no catalogue has its name now"
    )
    renamed = spent.here("accept", "--renamed", "visits.csv=stays", "--reason", "the same data")
    assert renamed.code == 0 and left(spent) == "0.25"


def test_a_renamed_table_keeps_what_was_spent(spent: Desk) -> None:
    done = spent.here("accept", "--renamed", "visits=stays", "--reason", "the file has another name")
    assert done.code == 0 and "visits is now stays" in done.out, done
    assert left(spent) == "0.25"
    assert spent.here("refresh").code == 0
    over = spent.here("ask", "SELECT COUNT(*) AS n FROM stays", "--epsilon", "0.5")
    assert over.code == 4, "the cap still binds"
    assert "visits is now stays" in spent.here("ledger", "list").out
    assert spent.here("ledger", "verify").code == 0
    assert spent.here("accept", "--reason", "nothing").code == 0 and left(spent) == "0.25"


def test_what_is_given_up_is_shown_for_ever(spent: Desk) -> None:
    done = spent.here("accept", "--forget", "visits", "--reason", "another study")
    assert done.code == 0 and left(spent) == "1"
    for _ in range(2):
        for shown in (spent.here("statement").out, spent.here("statement", "--participants").out):
            flat = " ".join(shown.split())
            assert "The table visits was given up after epsilon 0.75 was spent on it: another study." in flat
        assert "gave up visits, which had spent epsilon 0.75" in spent.here("ledger", "list").out
        text = spent.catalogue.read_text(encoding="utf-8")  # and after every later acceptance
        spent.catalogue.write_text(text.replace("epsilon = 1 ", "epsilon = 0.9 "), encoding="utf-8")
        assert spent.here("accept", "--reason", "a lower cap").code == 0
    assert spent.here("ledger", "verify").code == 0


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--renamed", "nobody=stays"), "table-not-gone"),
        (("--renamed", "visits=nobody"), "unknown-table"),
        (("--renamed", "visits"), "usage"),
        (("--forget", "stays"), "table-not-gone"),
    ],
)
def test_a_name_that_is_not_there_is_refused(options: tuple[str, str], code: str, spent: Desk) -> None:
    done = spent.here("accept", *options, "--reason", "why", "--json")
    assert done.code == 2 and done.error()["code"] == code


def test_a_table_that_spent_nothing_may_go(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    for name in ("visits", "stays"):
        (tmp_path / f"{name}.csv").write_text("person_id,minutes\n1,2\n", encoding="utf-8")
    declare(desk, "visits", "visits.csv")
    assert desk.here("refresh").code == 0
    declare(desk, "stays", "stays.csv")
    assert desk.here("accept", "--reason", "another file").code == 0
