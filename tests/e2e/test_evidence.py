"""The ledger and its receipts, as a steward, an analyst and an auditor meet them."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from lapcat.ledger.receipts import UNSAFE
from lapcat.ledger.store_urls import state_witness
from tests.e2e.kit import Desk

COUNT = "SELECT region, COUNT(*) AS n FROM staff GROUP BY region"
PAY = "SELECT region, AVG(salary) AS pay FROM staff GROUP BY region"
ANALYSTS = """
[analysts.ana]
tables = { staff = { epsilon = 1 }, orders = { epsilon = 1 } }
[analysts.bob]
tables = { staff = { epsilon = 1 } }
"""


@pytest.fixture
def signed_desk(make_desk: Callable[[str], Desk], tmp_path: Path) -> Desk:
    """A deployment with analysts, a key and a witness, both elsewhere."""
    desk = make_desk("desk")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "witness").touch()
    guards = '[ledger]\nkey = "../secret/key"\nwitness = "../elsewhere/witness"\n\n'
    text = desk.catalogue.read_text(encoding="utf-8")
    desk.catalogue.write_text(guards + text + ANALYSTS, encoding="utf-8")
    assert desk.here("accept", "--reason", "analysts").code == 0
    return desk


def ask(desk: Desk, sql: str, *more: str, analyst: str = "ana", epsilon: str = "0.2") -> None:
    done = desk.here("ask", sql, "--epsilon", epsilon, "--as", analyst, *more)
    assert done.code == 0, done


def backed_up(desk: Desk) -> Callable[[], None]:
    """Makes a backup of the ledger now; the result puts it back."""
    ledger, copy = desk.folder / "lapcat.ledger", desk.folder / "backup"
    with (
        contextlib.closing(sqlite3.connect(ledger)) as source,
        contextlib.closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target)

    def restore() -> None:
        for log in ("-wal", "-shm"):
            Path(f"{ledger}{log}").unlink(missing_ok=True)
        os.replace(copy, ledger)

    return restore


def test_a_receipt_is_verified_with_the_public_key_alone(signed_desk: Desk, tmp_path: Path) -> None:
    ask(signed_desk, COUNT, "--receipt", "r.json")
    auditor = Desk(tmp_path / "auditor")
    auditor.folder.mkdir()
    for name in ("r.json", "lapcat.pub"):
        shutil.copy(signed_desk.folder / name, auditor.folder)
    done = auditor.run("receipt", "verify", "r.json")
    assert (done.code, done.err) == (0, "") and "genuine: entry" in done.out
    answer = auditor.here("receipt", "verify", "r.json", "--key", "lapcat.pub", "--json").json()
    receipt = json.loads((auditor.folder / "r.json").read_text(encoding="utf-8"))
    assert answer == {
        "verified": True,
        "entries": [receipt["id"]],
        "signed": True,
        "in_ledger": False,
        "not_compared": [],
    }
    assert receipt["question"] == COUNT and receipt["unit"] == "row" and receipt["relation"] == "add-remove"
    assert receipt["guarantee"] == {"epsilon": "0.2"} and "lapcat.toml" in receipt["bounds"][0]
    assert receipt["spent"][0]["epsilon"] == "0.2" and receipt["engine"].startswith("duckdb")
    os.remove(auditor.folder / "lapcat.pub")
    nameless = auditor.here("receipt", "verify", "r.json", "--json")
    assert nameless.code == 2 and nameless.error()["code"] == "public-key-unnamed"


def test_a_repeat_has_the_same_receipt_byte_for_byte_whoever_asks(signed_desk: Desk) -> None:
    ask(signed_desk, COUNT, "--receipt", "first.json")
    ask(signed_desk, PAY, analyst="bob")
    done = signed_desk.run("ask", COUNT, "--epsilon", "0.1", "--as", "bob", "--receipt", "again.json")
    assert done.code == 0
    first, again = ((signed_desk.folder / f"{name}.json").read_bytes() for name in ("first", "again"))
    assert first == again


def test_a_forged_receipt_is_refused_with_exit_code_5(signed_desk: Desk) -> None:
    ask(signed_desk, COUNT, "--receipt", "r.json")
    file = signed_desk.folder / "r.json"
    text = file.read_text(encoding="utf-8")
    assert text.count('"epsilon": "0.2"') == 3
    file.write_text(text.replace('"epsilon": "0.2"', '"epsilon": "0.02"', 1), encoding="utf-8")
    forged = signed_desk.here("receipt", "verify", "r.json", "--json")
    assert forged.code == 5 and forged.error()["code"] == "receipt-fields"
    assert "guarantee" in forged.error()["message"]
    assert signed_desk.here("receipt", "verify", "missing.json", "--json").error()["code"] == "receipt-file"


def test_an_unsigned_receipt_says_so_and_the_ledger_can_confirm_it(desk: Desk) -> None:
    desk.here("ask", COUNT, "--epsilon", "0.2", "--receipt", "r.json")
    assert json.loads((desk.folder / "r.json").read_text(encoding="utf-8"))["signature"] is None
    alone = desk.here("receipt", "verify", "r.json", "--json")
    assert alone.code == 5 and alone.error()["code"] == "receipt-unsigned"
    done = desk.here("receipt", "verify", "r.json", "--ledger", "lapcat.toml")
    assert done.code == 0 and "in the ledger of lapcat.toml" in done.out
    restore = backed_up(desk)
    desk.run("ask", PAY, "--epsilon", "0.2", "--receipt", "later.json")
    restore()
    rolled = desk.here("receipt", "verify", "later.json", "--ledger", "lapcat.toml", "--json")
    assert rolled.code == 5 and rolled.error()["code"] == "ledger-rolled-back"


def test_an_answer_that_follows_from_others_has_a_receipt_that_proves_them(signed_desk: Desk) -> None:
    ask(signed_desk, PAY)
    free = signed_desk.here("ask", COUNT, "--as", "ana", "--receipt", "d.json", "--json").json()
    assert free["free"] is True and len(free["receipt"]["derived_from"]) == 1
    done = signed_desk.here("receipt", "verify", "d.json", "--ledger", "lapcat.toml", "--json")
    assert done.json()["entries"] == free["derived"]["entries"]


def test_an_unsigned_receipt_is_refused_where_the_ledger_has_a_key(signed_desk: Desk) -> None:
    ask(signed_desk, PAY, "--receipt", "r.json")
    signed_desk.here("ask", COUNT, "--as", "ana", "--receipt", "d.json")
    for name in ("r.json", "d.json"):
        receipt = json.loads((signed_desk.folder / name).read_text(encoding="utf-8"))
        stripped = {**receipt, "signature": None, "public_key": None}
        (signed_desk.folder / name).write_text(json.dumps(stripped), encoding="utf-8")
        for more in ((), ("--ledger", "lapcat.toml"), ("--key", "lapcat.pub", "--ledger", "lapcat.toml")):
            answer = signed_desk.here("receipt", "verify", name, *more, "--json")
            assert (answer.code, answer.error()["code"]) == (5, "receipt-unsigned"), (name, more)
    (signed_desk.folder / "lapcat.pub").rename(signed_desk.folder / "elsewhere.pub")
    answer = signed_desk.here("receipt", "verify", "r.json", "--ledger", "lapcat.toml", "--json")
    assert answer.code == 5, "the catalogue still names a key"


OTHERWISE: dict[str, tuple[str, dict[str, object]]] = {
    "another question": (
        "receipt-derived",
        {"question": COUNT.replace("GROUP", "WHERE salary < 9000 GROUP")},
    ),
    "no question": ("receipt-derived", {"question": "hello"}),
    "a question about another column": (
        "receipt-derived",
        {"question": "SELECT AVG(age) AS n FROM staff"},
    ),
    "another unit": ("receipt-derived", {"unit": "household"}),
    "another relation": ("receipt-derived", {"relation": "replace-one"}),
    "another version": ("receipt-derived", {"version": 99}),
    "other bounds": ("receipt-derived", {"bounds": []}),
    "another lapcat": ("receipt-derived", {"lapcat": "certified by us"}),
    "something added": ("receipt-derived", {"result": "42 people"}),
    "a mark of tests": ("receipt-fields", {"UNSAFE": UNSAFE}),
    "another number": ("receipt-fields", {"id": 99}),
}


def test_a_ledger_without_a_key_derives_a_derived_receipt_again(desk: Desk) -> None:
    desk.here("ask", PAY, "--epsilon", "0.2")
    free = desk.here("ask", COUNT, "--receipt", "d.json", "--json").json()
    receipt = json.loads((desk.folder / "d.json").read_text(encoding="utf-8"))
    verify = ("receipt", "verify", "d.json", "--ledger", "lapcat.toml", "--json")
    assert free["free"] and desk.here(*verify).json()["entries"] == free["derived"]["entries"]
    for forgery, (code, changed) in OTHERWISE.items():
        (desk.folder / "d.json").write_text(json.dumps({**receipt, **changed}), encoding="utf-8")
        answer = desk.here(*verify)
        assert (answer.code, answer.error()["code"]) == (5, code), forgery
    older = {**receipt, "lapcat": "0.1.0", "bounds": ["each row counts, in other words"]}
    (desk.folder / "d.json").write_text(json.dumps(older), encoding="utf-8")
    assert desk.here(*verify).json()["not_compared"] == ["bounds"]
    assert "not compared: bounds" in desk.here(*verify[:-1]).out
    (desk.folder / "d.json").write_text(json.dumps({**older, "unit": "household"}), encoding="utf-8")
    assert desk.here(*verify).error()["code"] == "receipt-derived"
    other = {**receipt["derived_from"][0], "answer": "0" * 64}
    (desk.folder / "d.json").write_text(json.dumps({**receipt, "derived_from": [other]}), encoding="utf-8")
    assert desk.here(*verify).error()["code"] == "receipt-answer"


def test_an_older_ledger_is_refused_by_every_command(signed_desk: Desk) -> None:
    ask(signed_desk, COUNT)
    restore = backed_up(signed_desk)
    ask(signed_desk, PAY)
    restore()
    for typed in (
        ("ask", COUNT, "--epsilon", "0.2", "--as", "ana"),
        ("budget",),
        ("ledger", "verify"),
        ("ledger", "list"),
    ):
        done = signed_desk.here(*typed, "--json")
        assert done.code == 5 and done.error()["code"] == "ledger-rolled-back", typed


def test_an_edited_entry_is_named_by_verify_and_at_start_up(signed_desk: Desk) -> None:
    ask(signed_desk, COUNT)
    connection = sqlite3.connect(signed_desk.folder / "lapcat.ledger")
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute("UPDATE entries SET body = replace(body, 'north', 'south') WHERE id = 1")
    connection.commit()
    connection.close()
    for typed in (("ledger", "verify"), ("ask", COUNT, "--epsilon", "0.2", "--as", "ana")):
        done = signed_desk.here(*typed, "--json")
        assert done.code == 5 and "entry 1 of the ledger" in done.error()["message"]


def test_verify_says_what_holds_and_what_it_cannot_see(signed_desk: Desk, desk_without: Desk) -> None:
    ask(signed_desk, COUNT)
    answer = signed_desk.here("ledger", "verify", "--json").json()
    assert answer["witness"]["torn"] == 0 and answer["witness"]["lines"] > 2
    assert any("both the ledger and its witness" in what for what in answer["not_detectable"])
    shown = signed_desk.run("ledger", "verify")
    assert (
        shown.code == 0
        and "all hashes and derived data are correct" in shown.out
        and "the witness agrees" in shown.out
    )
    text = desk_without.catalogue.read_text(encoding="utf-8")
    desk_without.catalogue.write_text('[ledger]\nwitness = "none"\n\n' + text, encoding="utf-8")
    assert desk_without.here("ask", COUNT, "--epsilon", "0.2").code == 0  # and nobody had to accept that
    bare = desk_without.here("ledger", "verify").out
    assert "older copy of the ledger" in bare and "completely rewritten" in bare


@pytest.fixture
def desk_without(make_desk: Callable[[str], Desk]) -> Desk:
    return make_desk("without")


def test_looking_at_the_books_needs_neither_key_nor_data(signed_desk: Desk, tmp_path: Path) -> None:
    ask(signed_desk, COUNT)
    shutil.rmtree(tmp_path / "secret")
    for name in ("staff.parquet", "visits.csv", "shop.db"):
        os.remove(signed_desk.folder / name)
    for typed in (("list",), ("verify",), ("export",), ("account",)):
        done = signed_desk.here("ledger", *typed)
        assert done.code == 0 and done.out, done
    refused = signed_desk.here("ask", COUNT, "--epsilon", "0.2", "--as", "ana", "--json")
    assert refused.code == 5 and refused.error()["code"] == "key-missing"


def test_the_list_says_who_did_what_at_which_cost_and_how_far_it_came(signed_desk: Desk) -> None:
    ask(signed_desk, COUNT)
    ask(signed_desk, COUNT, analyst="bob")
    ask(signed_desk, "SELECT COUNT(*) AS n FROM orders", epsilon="0.3")
    signed_desk.here("resume", "staff", "--reason", "looked at the disk")
    entries = signed_desk.here("ledger", "list", "--json").json()["entries"]
    summaries = [(line["analyst"], line["kind"], line["what"], line["cost"]) for line in entries]
    assert ("ana", "debit", COUNT, {"epsilon": "0.2"}) in summaries
    assert any(
        line[:2] == ("bob", "share") and "received the answer of entry" in line[2] for line in summaries
    )
    assert any(line[2] == "resumed staff: looked at the disk" for line in summaries)
    assert any(line[2].startswith("visits: version 1") for line in summaries)
    assert {line["state"] for line in entries if line["kind"] == "debit"} <= {"answered", "released"}
    orders = signed_desk.here("ledger", "list", "--table", "orders", "--json").json()["entries"]
    assert [line["kind"] for line in orders] == ["refresh", "debit"]
    bob = signed_desk.here("ledger", "list", "--analyst", "bob", "--json").json()["entries"]
    assert [line["kind"] for line in bob] == ["share"]
    since = signed_desk.here("ledger", "list", "--since", str(entries[-1]["id"]), "--json").json()["entries"]
    assert since == entries[-1:]
    rows = list(csv.DictReader(io.StringIO(signed_desk.here("ledger", "list", "--csv").out)))
    assert [row["id"] for row in rows] == [str(line["id"]) for line in entries]
    assert [row["epsilon"] for row in rows if row["kind"] == "debit"] == ["0.2", "0.3"]
    near = signed_desk.here("ledger", "list", "--table", "staf", "--json")
    assert near.code == 2 and near.error()["fix"] == "--table staff"
    nobody = signed_desk.here("ledger", "list", "--analyst", "anna", "--json")
    assert nobody.code == 2 and nobody.error()["fix"] == "--analyst ana"


def test_the_list_fits_into_80_columns_of_a_terminal(signed_desk: Desk) -> None:
    from lapcat.cli.ledger_view import Names, history_lines
    from lapcat.cli.screen import Screen
    from lapcat.ledger.history import history
    from lapcat.session.ledger_files import open_ledger_read_only

    ask(signed_desk, PAY)
    ask(signed_desk, PAY, analyst="bob")
    book = open_ledger_read_only(signed_desk.catalogue)
    for width in (60, 80, 120):
        screen = Screen(io.StringIO(), width, terminal=True, colour=False, drawn=True)
        lines = history_lines(history(book.ledger.entries()), Names(book.facts), screen)
        texts = ["".join(span.text for span in line) for line in lines]
        assert max(map(len, texts)) <= max(width, 80), texts
        assert any("SELECT region, AVG" in text and "ε 0.2" in text for text in texts), texts


def test_an_export_can_be_checked_without_lapcat(signed_desk: Desk) -> None:
    import hashlib

    ask(signed_desk, COUNT)
    done = signed_desk.run("ledger", "export", "-o", "book.jsonl")
    assert (done.code, done.out, done.err) == (0, "", "")
    text = (signed_desk.folder / "book.jsonl").read_text(encoding="utf-8")
    assert text == signed_desk.here("ledger", "export", "--jsonl").out
    before = "0" * 64
    for number, line in enumerate(text.splitlines(), start=1):
        entry = json.loads(line)
        parts = [entry["id"], entry["kind"], entry["text"], entry["previous"]]
        written = json.dumps(parts, separators=(",", ":"))
        assert (entry["id"], entry["previous"]) == (number, before)
        assert entry["hash"] == hashlib.sha256(written.encode()).hexdigest()
        before = entry["hash"]
    again = signed_desk.here("ledger", "export", "-o", "book.jsonl")
    assert again.code == 2 and "output-exists" in again.err
    assert signed_desk.here("ledger", "export", "--csv").out.startswith("id,kind,time,analyst,")
    nowhere = signed_desk.here("ledger", "export", "-o", "no/such/folder.jsonl")
    assert nowhere.code == 1 and "output-failed" in nowhere.err


def test_history_is_accounted_for_again_and_says_what_that_is_worth(signed_desk: Desk) -> None:
    for number in range(6):
        ask(signed_desk, f"SELECT COUNT(*) AS n FROM staff WHERE age > {20 + number}", epsilon="0.1")
    ask(signed_desk, "SELECT COUNT(*) AS n FROM staff WHERE age > 20", analyst="bob", epsilon="0.1")
    answer = signed_desk.here("ledger", "account", "--delta", "1e-5", "--json").json()
    accounts = {account["name"]: account for account in answer["accounts"]}
    assert answer["delta"] == "0.00001" and set(accounts) == {"staff", "ana on staff", "bob on staff"}
    assert [accounts[name]["questions"] for name in ("staff", "ana on staff", "bob on staff")] == [6, 6, 1]
    quotes = {quote["by"]: quote for quote in accounts["staff"]["quotes"]}
    assert quotes["basic"]["epsilon"] == "0.6" and quotes["basic"]["holds"] == "however they were chosen"
    assert quotes["zcdp"]["holds"] == "if these questions had been fixed beforehand"
    assert accounts["staff"]["cap"] == "epsilon 3"
    only = signed_desk.here("ledger", "account", "--by", "zcdp", "--json").json()["accounts"][0]["quotes"]
    assert [quote["by"] for quote in only] == ["zcdp"]
    shown = signed_desk.here("ledger", "account").out
    assert "The guarantee is the cap." in shown and "fixed beforehand" in shown
    assert signed_desk.here("ledger", "account", "--delta", "2", "--json").error()["code"] == "delta-range"


def test_a_book_that_is_not_there_is_said_to_be_missing(desk: Desk) -> None:
    os.remove(desk.folder / "lapcat.ledger")
    lost = desk.here("ledger", "list", "--json")
    assert lost.code == 5 and lost.error()["code"] == "ledger-missing"
    state_witness(desk.folder / "lapcat.ledger").path.unlink()  # as before the first use
    done = desk.here("ledger", "list", "--json")
    assert done.code == 2 and done.error()["code"] == "ledger-none"
    assert not (desk.folder / "lapcat.ledger").exists()


def test_the_books_commands_explain_themselves(shared_desk: Desk) -> None:
    for typed in (("ledger", name) for name in ("list", "verify", "export", "account")):
        done = shared_desk.here(*typed, "--help")
        assert done.code == 0 and done.out.startswith(f"Usage: lapcat {' '.join(typed)}")
    assert shared_desk.here("receipt", "verify", "--help").code == 0


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/Los_Angeles"])
def test_the_time_zone_changes_nothing_that_is_shown(signed_desk: Desk, zone: str) -> None:
    ask(signed_desk, COUNT, "--receipt", "r.json")
    here = signed_desk.run("ledger", "list")
    there = signed_desk.run("ledger", "list", env={"TZ": zone})
    assert (there.code, there.out) == (0, here.out)
    again = signed_desk.run(
        "ask", COUNT, "--epsilon", "0.2", "--as", "ana", "--receipt", "s.json", env={"TZ": zone}
    )
    assert again.code == 0
    assert (signed_desk.folder / "r.json").read_bytes() == (signed_desk.folder / "s.json").read_bytes()


def test_a_command_that_has_ended_has_noted_what_it_handed_over(signed_desk: Desk) -> None:
    assert signed_desk.run("ask", COUNT, "--epsilon", "0.2", "--as", "ana").code == 0
    entries = signed_desk.here("ledger", "list", "--json").json()["entries"]
    assert [line["state"] for line in entries if line["kind"] == "debit"] == ["released"]


@pytest.mark.parametrize(
    ("now", "message"),
    [("", "the file says nothing"), ('witness = "../elsewhere/other"\n', "the file says ../elsewhere/other")],
    ids=["left out", "another"],
)
def test_a_witness_is_dropped_or_exchanged_only_with_a_reason(
    signed_desk: Desk, tmp_path: Path, now: str, message: str
) -> None:
    """Without it nobody would notice that the ledger was exchanged for an older copy."""
    ask(signed_desk, COUNT)
    (tmp_path / "elsewhere" / "other").touch()
    text = signed_desk.catalogue.read_text(encoding="utf-8")
    signed_desk.catalogue.write_text(
        text.replace('witness = "../elsewhere/witness"\n', now), encoding="utf-8"
    )
    refused = signed_desk.here("ask", PAY, "--epsilon", "0.2", "--as", "ana")
    assert refused.code == 5 and "catalogue-unaccepted" in refused.err
    assert f"ledger.witness: accepted ../elsewhere/witness, {message}" in refused.err
    checked = signed_desk.here("ledger", "verify")
    assert checked.code == 5 and "all hashes and derived data are correct" not in checked.out
    assert f"ledger.witness: accepted ../elsewhere/witness, {message}" in checked.err
    assert signed_desk.here("accept", "--reason", "the other machine is gone").code == 0
    assert signed_desk.here("ledger", "verify").code == 0
    ask(signed_desk, PAY)


def test_a_witness_that_is_not_accepted_yet_is_no_reason_not_to_verify(desk_without: Desk) -> None:
    """It can only find more."""
    assert desk_without.here("ask", COUNT, "--epsilon", "0.2").code == 0
    (desk_without.folder / "witness").touch()
    text = desk_without.catalogue.read_text(encoding="utf-8")
    desk_without.catalogue.write_text('[ledger]\nwitness = "witness"\n\n' + text, encoding="utf-8")
    assert desk_without.here("ledger", "verify").code == 0
