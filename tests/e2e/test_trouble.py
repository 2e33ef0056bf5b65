"""The world fails: ledgers that are locked or cannot be written, data that is broken, pipes that close."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.kit import CANARY, LAPCAT, Desk

COUNT = "SELECT region, COUNT(*) AS n FROM staff GROUP BY region"


def snapshot_of(desk: Desk, table: str) -> Path:
    (path,) = (desk.folder / "lapcat.cache").glob(f"{table}_*.parquet")
    return path


def test_a_locked_ledger_is_waited_for_and_then_refused(desk: Desk) -> None:
    holder = sqlite3.connect(desk.folder / "lapcat.ledger", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    done = desk.ask(COUNT, "--epsilon", "0.2", "--json")
    holder.execute("ROLLBACK")
    holder.close()
    assert done.code == 5 and done.out == "" and done.error()["code"] == "ledger-locked"
    assert desk.spent() == "0"


def test_a_ledger_that_is_a_folder_is_refused(desk: Desk) -> None:
    for file in desk.folder.glob("lapcat.ledger*"):
        file.unlink()
    (desk.folder / "lapcat.ledger").mkdir()
    done = desk.here("ask", COUNT, "--epsilon", "0.2", "--json")
    assert done.code == 5 and done.out == "" and done.error()["family"] == "IntegrityFailed"


def test_a_ledger_that_cannot_be_written_is_refused(desk: Desk) -> None:
    """Marked read-only inside the file (root may write whatever its mode), so that every write fails."""
    with sqlite3.connect(desk.folder / "lapcat.ledger") as db:
        db.execute(
            "CREATE TRIGGER no_more BEFORE INSERT ON entries BEGIN SELECT RAISE(FAIL, 'read-only'); END"
        )
    db.close()
    done = desk.here("ask", COUNT, "--epsilon", "0.2", "--json")
    assert done.code == 5 and done.out == "" and done.error()["family"] == "IntegrityFailed"
    assert desk.spent() == "0"


def test_a_ledger_in_a_read_only_place_is_refused(desk: Desk, tmp_path: Path) -> None:
    """/proc and /sys take no files, not even from root."""
    text = desk.catalogue.read_text(encoding="utf-8")
    desk.catalogue.write_text('[ledger]\nstore = "sqlite:/proc/lapcat.ledger"\n' + text, encoding="utf-8")
    done = desk.here("ask", COUNT, "--epsilon", "0.2", "--json")
    assert (
        done.code == 5 and done.out == "" and done.error()["code"] in ("ledger-read-only", "ledger-no-folder")
    )


def test_a_damaged_ledger_is_refused(desk: Desk) -> None:
    (desk.folder / "lapcat.ledger").write_bytes(b"this is no ledger" * 1000)
    done = desk.here("ask", COUNT, "--epsilon", "0.2", "--json")
    assert done.code == 5 and done.error()["code"] == "ledger-damaged"


def test_a_snapshot_that_is_gone_costs_nothing(desk: Desk) -> None:
    snapshot_of(desk, "staff").unlink()
    done = desk.here("ask", COUNT, "--epsilon", "0.2", "--json")
    assert (done.code, done.out, done.error()["code"]) == (1, "", "snapshot-missing")
    assert desk.spent() == "0"


def test_questions_do_not_read_the_source(desk: Desk) -> None:
    (desk.folder / "staff.parquet").unlink()
    assert desk.here("ask", COUNT, "--epsilon", "0.2", "--json").code == 0


def test_a_source_or_snapshot_that_is_broken_is_refused_before_the_debit_and_never_tells_a_cell(
    desk: Desk,
) -> None:
    broken = b"PAR1" + CANARY.encode() * 50 + b"PAR1"
    (desk.folder / "staff.parquet").write_bytes(broken)
    refused = desk.here("refresh", "staff", "--json")
    snapshot_of(desk, "staff").write_bytes(broken)
    done = desk.here("ask", COUNT, "--epsilon", "0.2", "--json")
    assert (refused.error()["code"], done.error()["code"]) == ("source-broken", "snapshot-missing")
    assert CANARY not in refused.out + refused.err + done.out + done.err
    assert desk.spent() == "0"


def test_after_a_failure_nobody_asks_without_a_name_until_the_steward_resumes_the_table(desk: Desk) -> None:
    """The file's header is whole and its pages are not, so that the engine fails only when it looks."""
    file = snapshot_of(desk, "staff")
    whole = file.read_bytes()
    footer = int.from_bytes(whole[-8:-4], "little") + 8
    file.write_bytes(b"PAR1" + b"\xff" * (len(whole) - footer - 4) + whole[-footer:])
    sum_pay = ("ask", "SELECT SUM(salary) AS pay FROM staff", "--epsilon", "0.2", "--json")
    failed = desk.here(*sum_pay)
    assert (failed.code, failed.out, failed.error()["code"]) == (1, "", "engine-failed")
    assert CANARY not in failed.err and "lapcat resume" in failed.error()["fix"]
    assert desk.spent() == "0.2", "the charge stands, once"
    paused = desk.here(*sum_pay)
    assert (paused.code, paused.error()["code"]) == (3, "table-paused")
    assert "lapcat resume staff --reason" in paused.error()["fix"]
    file.write_bytes(whole)
    assert desk.here("resume", "staff", "--reason", "restored the file").out == "staff is resumed\n"
    assert desk.here(*sum_pay).json()["free"] is True
    assert desk.spent() == "0.2"


def test_a_catalogue_that_is_no_toml_names_the_line(desk: Desk) -> None:
    text = desk.catalogue.read_text(encoding="utf-8")
    desk.catalogue.write_text(text.replace('unit = "row"', "unit row", 1), encoding="utf-8")
    done = desk.here("ask", COUNT, "--epsilon", "0.2", "--json")
    assert done.code == 2 and (done.error()["code"], done.error()["line"]) == ("catalogue-syntax", 3)


def test_a_misspelt_key_of_the_catalogue_names_the_line_and_the_fix(desk: Desk) -> None:
    text = desk.catalogue.read_text(encoding="utf-8")
    desk.catalogue.write_text(text.replace("budget =", "bugdet =", 1), encoding="utf-8")
    error = desk.here("tables", "--json").error()
    assert (error["code"], error["line"]) == ("catalogue", 4) and "did you mean 'budget'?" in error["message"]


def test_a_reader_that_goes_away_is_no_error(desk: Desk) -> None:
    """`lapcat ask … --csv | head -1`, with more rows than a pipe holds."""
    text = desk.catalogue.read_text(encoding="utf-8")
    wide = text.replace(
        'age    = { type = "integer", low = 0, high = 110 }',
        'age    = { type = "integer", keys = { from = 0, to = 99999 } }',
    )
    desk.catalogue.write_text(wide, encoding="utf-8")
    assert desk.run("accept", "--reason", "more keys").code == 0
    for form in ("--csv", "--json"):
        shell = f"{LAPCAT} ask 'SELECT age, COUNT(*) AS n FROM staff GROUP BY age' --epsilon 0.1 {form} | head -c 100 >/dev/null; echo ${{PIPESTATUS[0]}}"
        done = subprocess.run(
            ["bash", "-c", shell],
            cwd=desk.folder,
            env=desk.environment(),
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.stdout == "0\n" and "Traceback" not in done.stderr and "Broken" not in done.stderr, done


def test_a_full_disk_behind_the_output_is_told_and_the_answer_is_not_lost(desk: Desk) -> None:
    for form in ("--plain", "--csv"):
        with open("/dev/full", "wb") as full:
            done = desk.run("ask", COUNT, "--epsilon", "0.2", form, stdout=full)
        assert done.code == 1 and done.err.startswith("EngineFailed [output-failed]"), done
        assert "Exception ignored" not in done.err
    assert desk.ask(COUNT, "--epsilon", "0.2", "--json").json()["free"] is True


def test_an_exception_that_nobody_foresaw_shows_no_data(desk: Desk, tmp_path: Path) -> None:
    """A module put in the way raises with a cell of data in its text; only its kind and place are shown."""
    trap = tmp_path / "trap"
    trap.mkdir()
    (trap / "sitecustomize.py").write_text(
        "import lapcat.render.tables as t\n"
        f"def broken(*a): raise KeyError('{CANARY}')\n"
        "t.shown_number = broken\n"
    )
    done = desk.run("ask", COUNT, "--epsilon", "0.2", env={"PYTHONPATH": str(trap)})
    assert done.code == 1 and "Bug [unexpected]: KeyError in " in done.err and "report" in done.err
    assert CANARY not in done.err and "Traceback" not in done.err
    debug = desk.run("ask", COUNT, "--epsilon", "0.2", env={"PYTHONPATH": str(trap), "LAPCAT_DEBUG": "1"})
    assert debug.code == 1 and "Traceback" in debug.err


def test_moving_the_folder_does_not_reset_what_was_spent(desk: Desk, tmp_path: Path) -> None:
    desk.here("ask", COUNT, "--epsilon", "0.2")
    shutil.move(desk.folder, tmp_path / "elsewhere")
    moved = Desk(tmp_path / "elsewhere")
    assert moved.spent() == "0.2"
    assert moved.here("ask", COUNT, "--epsilon", "0.2", "--json").json()["free"] is True


@pytest.mark.skipif(os.name != "posix", reason="impossible here: another operating system")
def test_canaries_in_rows_are_never_seen_outside_the_data(make_desk: Callable[[str], Desk]) -> None:
    """Every command, good and bad; then every byte that was printed, and the ledger's files."""
    desk = make_desk("canary")
    commands = [
        ("tables",),
        ("schema", "staff"),
        ("check",),
        ("check", "--rows"),
        ("preview", COUNT, "--epsilon", "0.1"),
        ("sensitivity", COUNT),
        ("ask", COUNT, "--epsilon", "0.1"),
        ("ask", COUNT, "--epsilon", "0.1", "--json", "--receipt", "r.json"),
        ("ask", "SELECT kind, SUM(cost) AS c FROM visits GROUP BY kind", "--epsilon", "0.1", "--csv"),
        ("ask", "SELECT COUNT(*) AS n FROM staff WHERE note LIKE '%1%'", "--epsilon", "0.1"),
        ("ask", "SELECT SUM(CLAMP(CAST(note AS INTEGER), 0, 9)) AS n FROM staff", "--epsilon", "0.1"),
        ("ask", "SELECT note FROM staff", "--epsilon", "0.1"),
        ("ask", "SELECT note, COUNT(*) FROM staff GROUP BY note", "--epsilon", "0.1"),
        ("ask", "SELECT COUNT(*) AS n FROM orders WHERE 1 / (amount - 77) > 0", "--epsilon", "0.1"),
        ("budget",),
        ("ledger", "list", "--json"),
        ("ledger", "export"),
        ("ledger", "account"),
        ("receipt", "verify", "r.json", "--ledger", "lapcat.toml"),
        ("refresh",),
    ]
    paid = [command for command in commands if command[0] == "ask" and "COUNT(*)" in command[1]]
    done = [*desk.run_all(paid), *(desk.here(*command) for command in commands if command not in paid)]
    assert [d.code for d in done].count(0) >= 12, done
    for d in done:
        assert CANARY not in d.out + d.err, d
    for file in [*desk.folder.glob("lapcat.ledger*"), desk.folder / "r.json", desk.catalogue]:
        assert CANARY.encode() not in file.read_bytes(), file
