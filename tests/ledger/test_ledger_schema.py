"""`verify` names a guard of the schema that was taken away, replaced or added, in each kind of store."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from ledger_kit import ask, finish, guarded, on_a_server, open_ledger
from tests.postgres_cluster import Cluster

from lapcat.errors import IntegrityFailed
from lapcat.ledger.postgres import PostgresLedger


@pytest.fixture
def book(store: str) -> str:
    with open_ledger(store) as ledger:
        finish(ledger, ledger.debit(ask("q")).id)
    return store


def changed(book: str, *statements: str) -> str:
    """What `verify` says after somebody has run these past lapcat."""
    connection = guarded(book)
    for statement in statements:
        connection.execute(statement)
    connection.close()
    with open_ledger(book) as ledger, pytest.raises(IntegrityFailed) as caught:
        ledger.verify()
    assert caught.value.code == "ledger-damaged" and caught.value.fix
    return caught.value.message


def test_a_trigger_that_was_dropped_is_named(book: str) -> None:
    on = " ON lapcat.entries" if on_a_server(book) else ""
    message = changed(book, f"DROP TRIGGER entries_are_never_changed{on}")
    assert "the guard entries_are_never_changed was removed" in message


def test_a_trigger_that_does_something_else_under_its_old_name_is_named(book: str) -> None:
    drop, create = (
        "DROP TRIGGER the_first_answer_stays",
        "CREATE TRIGGER the_first_answer_stays BEFORE UPDATE ON debits ",
    )
    if on_a_server(book):
        drop += " ON debits"
        create += "FOR EACH ROW WHEN (false) EXECUTE FUNCTION lapcat.never('the first answer stays')"
    else:
        create += "WHEN false BEGIN SELECT RAISE(ABORT, 'the first answer stays'); END"
    assert "the guard the_first_answer_stays is not the one that lapcat made" in changed(book, drop, create)


def test_a_trigger_that_somebody_added_is_named(book: str) -> None:
    acts = "FOR EACH ROW EXECUTE FUNCTION lapcat.appended()" if on_a_server(book) else "BEGIN SELECT 1; END"
    message = changed(book, f"CREATE TRIGGER helpful AFTER UPDATE ON spent {acts}")
    assert "the guard helpful was added" in message


@pytest.mark.parametrize(
    "act",
    [
        "CREATE OR REPLACE FUNCTION lapcat.never() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$",
        "ALTER FUNCTION lapcat.never() SECURITY DEFINER",
        "ALTER FUNCTION lapcat.never() SET session_replication_role = replica",
    ],
    ids=["another body", "another user's rights", "settings"],
)
def test_a_function_that_does_something_else_is_named(postgres: str, act: str) -> None:
    with open_ledger(postgres) as ledger:
        finish(ledger, ledger.debit(ask("q")).id)
    assert "the guard never() is not the one that lapcat made" in changed(postgres, act)


def test_a_trigger_that_was_switched_off_is_named(postgres: str) -> None:
    with open_ledger(postgres) as ledger:
        finish(ledger, ledger.debit(ask("q")).id)
    message = changed(postgres, "ALTER TABLE lapcat.entries DISABLE TRIGGER entries_are_never_removed")
    assert "entries_are_never_removed is not the one" in message


def test_no_log_of_the_server_holds_the_secret_whatever_it_is_told_to_log(cluster: Cluster) -> None:
    address = cluster.emptied()
    loud = (
        "log_statement=all", "log_min_duration_statement=0", "log_parameter_max_length=-1",
        "log_parameter_max_length_on_error=-1", "debug_print_parse=on", "log_min_messages=debug1",
    )  # fmt: skip
    options = "%20".join(f"-c%20{setting.replace('=', '%3D')}" for setting in loud)
    with PostgresLedger(f"{address}&options={options}") as ledger:
        secret = ledger.secret()
        ledger.debit(ask("a question that the log shows"))
    assert len(secret) == 32 and len(set(secret)) > 10
    log = Path(cluster.folder / "log")
    until = time.monotonic() + 10
    while "a question that the log shows" not in (text := log.read_text(errors="replace")):
        assert time.monotonic() < until, "the log must show statements, or this test shows nothing"
    assert "INSERT INTO secret" in text
    assert secret.hex() not in text.lower()
    assert not any(secret[i : i + 8].hex() in text.lower() for i in range(0, 32, 8))
