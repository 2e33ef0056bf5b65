"""What the steward sees and does: gauges and how they burn down, pauses, debits taken back, budgets raised and lowered."""

from __future__ import annotations

import io
import re
from fractions import Fraction

import pytest

import lapcat
from lapcat.cli.budgets import budget_lines
from lapcat.cli.screen import Screen
from lapcat.session.debit_request import request_of
from lapcat.session.files import open_deployment
from tests.e2e.kit import Desk

COUNT = "SELECT region, COUNT(*) AS n FROM staff GROUP BY region"
ANALYSTS = """
[analysts.ana]
tables = { staff = { epsilon = 1, per_query = 0.3 } }
[analysts.bo]
tables = { staff = { epsilon = 2 }, visits = { epsilon = 1 } }
"""


def unfinished(desk: Desk, analyst: str | None = None) -> int:
    """The entry of a question that was paid for and that nobody looked at yet, as after a crash."""
    db = lapcat.open(desk.catalogue, analyst=analyst)
    question = db.sql("SELECT COUNT(*) AS n FROM staff WHERE age > 50")
    program = question.priced_at(Fraction(1, 4), None)
    return db._deployment.ledger.debit(request_of(question._context, program)).id


def with_analysts(desk: Desk) -> None:
    with desk.catalogue.open("a", encoding="utf-8") as file:
        file.write(ANALYSTS)
    assert desk.here("accept", "--reason", "analysts").code == 0


def fail(desk: Desk, *analysts: str) -> None:
    deployment = open_deployment(desk.catalogue)
    debit = next(entry.id for entry in deployment.ledger.entries() if entry.kind == "debit")
    for analyst in analysts:
        deployment.ledger.failed(debit, analyst)


def test_the_budget_says_how_it_was_spent_and_how_long_it_lasts(desk: Desk) -> None:
    for age in range(5):
        desk.here("ask", f"SELECT COUNT(*) AS n FROM staff WHERE age > {age}", "--epsilon", "0.2")
    shown = desk.here("budget").out
    assert re.search(r"^ staff +█+░+ 2 of 3 left   spent ε 1$", shown, re.MULTILINE)
    assert re.search(r"^ +▇▆▆▅▅ 5 entries on \d{4}-\d\d-\d\d$", shown, re.MULTILINE)
    assert "about 10 more questions like last week's" in shown
    plain = desk.here("budget", "--plain").out
    assert re.search(r"left after 5 entries on [\d-]+: 2\.8, 2\.6, 2\.4, 2\.2, 2$", plain, re.MULTILINE)
    assert plain.isascii()
    staff = desk.here("budget", "--json").json()["tables"]["staff"]
    assert [point["left"] for point in staff["burn_down"]] == ["2.8", "2.6", "2.4", "2.2", "2"]
    assert staff["pace"] == {"questions": 10, "like": "last week's"}
    assert set(staff["burn_down"][0]) == {"entry", "date", "left"}


def test_an_analyst_sees_their_own_loss_and_what_all_have_learnt_together_and_nobody_elses(
    desk: Desk,
) -> None:
    with_analysts(desk)
    desk.here("ask", COUNT, "--epsilon", "0.3", "--as", "ana")
    desk.here("ask", "SELECT COUNT(*) AS n FROM staff", "--epsilon", "0.5", "--as", "bo")
    shown = desk.here("budget", "--as", "ana").out
    assert "spent ε 0.3, all analysts together ε 0.8" in shown
    seen = desk.here("budget", "--json", "--as", "ana").json()
    assert all(set(point) == {"date", "left"} for point in seen["tables"]["staff"]["burn_down"])
    assert set(seen["analysts"]["ana"]["staff"]["burn_down"][0]) == {"entry", "date", "left"}
    assert "bo on" not in shown and "visits" not in shown
    everything = desk.here("budget").out
    assert "ana on staff" in everything and "bo on visits" in everything
    assert "all analysts together epsilon 0.8" in desk.here("budget", "--plain").out


@pytest.mark.parametrize("width", [40, 80])
def test_the_view_fits_the_terminal(desk: Desk, width: int) -> None:
    with_analysts(desk)
    desk.here("ask", COUNT, "--epsilon", "0.3", "--as", "ana")
    assert (
        desk.here(
            "pause", "staff", "--reason", "an audit that takes a while, until the end of the month"
        ).code
        == 0
    )
    fail(desk, "bo", "cy")
    budget = open_deployment(desk.catalogue).budget(history=True)
    lines = budget_lines(budget, Screen(io.StringIO(), width, True, False, True))
    shown = ["".join(span.text for span in line).rstrip() for line in lines]
    assert max(map(len, shown)) <= width, shown
    assert any("2 questions have failed" in line for line in shown)


def test_a_paused_table_is_shown_as_such_and_answers_again_when_resumed(desk: Desk) -> None:
    done = desk.here("pause", "staff", "--reason", "an audit")
    assert (done.code, done.err) == (0, "") and "lapcat resume staff --reason" in done.out
    refused = desk.here("ask", COUNT, "--epsilon", "0.2", "--json")
    assert refused.code == 3 and refused.error()["code"] == "table-paused"
    assert "paused by the steward: an audit" in desk.here("budget").out
    assert desk.here("budget", "--json").json()["tables"]["staff"]["paused"] == "by the steward: an audit"
    again = desk.here("pause", "staff", "--reason", "still", "--json").json()
    assert again["table"] == "staff" and again["paused"] == "still" and isinstance(again["entry"], int)
    assert desk.here("resume", "staff", "--reason", "done").out == "staff is resumed\n"
    assert desk.here("ask", COUNT, "--epsilon", "0.2").code == 0


def test_three_failures_pause_a_table_and_the_steward_sees_how_many(desk: Desk) -> None:
    with_analysts(desk)
    desk.here("ask", COUNT, "--epsilon", "0.2", "--as", "ana")
    fail(desk, "bo")
    shown = desk.here("budget").out
    assert "1 question has failed since it was last resumed; failures of 3 analysts pause it" in shown
    assert "paused for bo after a failed question" in shown
    assert "failed" not in desk.here("budget", "--as", "ana").out
    assert "paused for bo after a failed question" in desk.here("budget", "--as", "bo").out
    fail(desk, "ana", "cy")
    assert desk.here("budget", "--json").json()["tables"]["staff"]["failures"] == 3
    seen = desk.here("budget", "--json", "--as", "ana").json()["tables"]["staff"]
    assert seen["paused"] == "after 3 failed questions" and "failures" not in seen
    assert (
        desk.here("ask", COUNT, "--epsilon", "0.1", "--as", "bo", "--json").error()["code"] == "table-paused"
    )
    desk.here("resume", "staff", "--reason", "the disk was full")
    assert "failed" not in desk.here("budget").out


def test_an_analyst_whose_question_failed_waits_for_the_steward_and_others_do_not(desk: Desk) -> None:
    with_analysts(desk)
    assert desk.here("ask", COUNT, "--epsilon", "0.2", "--as", "ana").code == 0
    fail(desk, "bo")
    refused = desk.here("ask", COUNT, "--epsilon", "0.1", "--as", "bo", "--json")
    assert refused.code == 3 and refused.error()["code"] == "analyst-paused"
    fix = str(refused.error()["fix"])
    assert 'lapcat resume staff --analyst bo --reason "' in fix
    again = desk.here("ask", "SELECT COUNT(*) AS n FROM staff", "--epsilon", "0.1", "--as", "ana")
    assert again.code == 0
    other = desk.here("resume", "staff", "--analyst", "ana", "--reason", "looked into")
    assert other.out == "ana was not paused on staff\n"
    done = desk.here("resume", "staff", "--analyst", "bo", "--reason", "looked into")
    assert (done.code, done.out) == (0, "bo may ask about staff\n")
    assert desk.here("ask", COUNT, "--epsilon", "0.1", "--as", "bo").code == 0
    assert "resumed staff for bo: looked into" in desk.here("ledger", "list", "--plain").out


def test_a_debit_that_nobody_looked_under_is_taken_back_once(desk: Desk) -> None:
    entry = unfinished(desk)
    assert desk.spent() == "0.25"
    done = desk.here("void", str(entry), "--reason", "asked of the wrong table", "--json").json()
    assert done["voided"] == entry and done["entry"] > entry
    assert desk.spent() == "0"
    again = desk.here("void", str(entry), "--reason", "twice", "--json")
    assert again.code == 3 and again.error()["code"] == "void-late"
    paid = desk.here("ask", COUNT, "--epsilon", "0.2", "--json").json()["receipt"]["id"]
    late = desk.here("void", str(paid), "--reason", "a mistake", "--json")
    assert late.code == 3 and late.error()["code"] == "void-late" and desk.spent() == "0.2"
    none = desk.here("void", "1", "--reason", "no debit", "--json")
    assert none.code == 2 and none.error()["code"] == "no-debit"


@pytest.mark.parametrize("command", ["pause", "void"])
def test_what_the_steward_does_needs_a_reason(desk: Desk, command: str) -> None:
    what = "staff" if command == "pause" else str(unfinished(desk))
    assert desk.here(command, what).code == 2
    empty = desk.here(command, what, "--reason", "  ", "--json")
    assert empty.code == 2 and empty.error()["code"] == "reason-missing"


@pytest.mark.parametrize("cap, way", [("5", "raised"), ("2", "lowered")])
def test_a_budget_that_is_raised_or_lowered_needs_acceptance_which_says_so_in_words(
    desk: Desk, cap: str, way: str
) -> None:
    desk.here("ask", COUNT, "--epsilon", "0.2")
    text = desk.catalogue.read_text(encoding="utf-8")
    desk.catalogue.write_text(text.replace("epsilon = 3", f"epsilon = {cap}", 1), encoding="utf-8")
    assert desk.here("budget", "--json").error()["code"] == "catalogue-unaccepted"
    accepted = desk.here("accept", "--reason", "the board", "--json").json()
    assert accepted["changes"] == [
        f"the budget of staff: accepted epsilon 3, the file says epsilon {cap} ({way})"
    ]
    assert desk.here("budget", "--json").json()["tables"]["staff"]["left"] == {
        "epsilon": f"{int(cap) - 0.2:.1f}"
    }


def test_a_cap_that_is_lowered_below_what_was_spent_leaves_nothing(desk: Desk) -> None:
    desk.here("ask", COUNT, "--epsilon", "2")
    text = desk.catalogue.read_text(encoding="utf-8")
    desk.catalogue.write_text(text.replace("epsilon = 3", "epsilon = 1", 1), encoding="utf-8")
    assert desk.here("accept", "--reason", "less").code == 0
    assert "0 of 1 left" in desk.here("budget").out
    assert desk.here("ask", "SELECT COUNT(*) AS n FROM staff", "--epsilon", "0.01").code == 4
    assert desk.here("ask", COUNT, "--epsilon", "2").code == 0  # what was answered stays free


def test_limits_of_every_kind_are_said_in_words(desk: Desk) -> None:
    with_analysts(desk)
    text = desk.catalogue.read_text(encoding="utf-8")
    desk.catalogue.write_text(
        text.replace("epsilon = 3 }", "rho = 0.5, delta = 1e-7 }", 1).replace(
            "per_query = 0.3", "per_query = 0.2"
        ),
        encoding="utf-8",
    )
    output = desk.here("accept", "--reason", "concentrated").out
    assert "the budget of staff: accepted epsilon 3, the file says rho 0.5 and delta 0.0000001" in output
    assert (
        "the budget of ana on staff: accepted epsilon 1, at most 0.3 for one question, the file says "
        in output
    )
    assert "at most 0.2 for one question (lowered)" in output


def test_same_version_is_for_one_table_that_lost_its_snapshot_and_for_a_reason(desk: Desk) -> None:
    for given in (("--same-version",), ("staff", "--same-version"), ("staff", "--reason", "x")):
        assert desk.here("refresh", *given, "--json").error()["code"] == "same-version"
    question = ("ask", "SELECT COUNT(*) AS n FROM staff", "--epsilon", "0.2", "--json")
    first = desk.here(*question).json()
    again = ("refresh", "staff", "--same-version", "--reason", "the disk of the cache broke", "--json")
    assert desk.here(*again).error()["code"] == "snapshot-there"
    (snapshot,) = (desk.folder / "lapcat.cache").glob("staff_*")
    snapshot.unlink()
    assert desk.here(*again).json() == {"versions": {"staff": 1}}
    repeated = desk.here(*question).json()
    assert repeated["free"] is True and repeated["rows"] == first["rows"]
    assert desk.here("ask", "SELECT SUM(age) AS n FROM staff", "--epsilon", "0.2").code == 0


def test_a_snapshot_that_does_not_fit_on_the_disk_is_refused_before_it_is_written(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lapcat.session.disk.free_disk", lambda folder: 1000)
    refused = desk.here("refresh", "staff", "--json").error()
    assert refused["code"] == "disk-room" and "1000 bytes are free" in refused["message"]
    monkeypatch.undo()
    assert desk.here("refresh", "staff").out == "staff: version 2\n", "and no number was lost"
