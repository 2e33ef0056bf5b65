"""Entries are appended, never edited; whoever edits the file all the same is found out, with the entry named."""

from __future__ import annotations

import hashlib
import json
import random
import sqlite3
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from ledger_kit import NOT_ALLOWED, ask, finish, guarded, on_a_server, open_ledger, own, raw, table

from lapcat.errors import IntegrityFailed


@pytest.fixture
def book(store: str) -> str:
    return written(store)


def written(store: str) -> str:
    """A closed ledger with entries of many kinds."""
    with open_ledger(store) as ledger:
        ledger.accept({"tables": ["staff"]}, "first")  # 1
        ledger.refreshed("staff.parquet", {})  # 2
        for question in ("q", "r"):  # 3 4 5, 6 7 8
            debit = ledger.debit(ask(question, "0.5", table(), own("ana", "2"), analyst="ana"))
            finish(ledger, debit.id, question.encode() * 40)
        ledger.debit(ask("q", "0.5", table(), own("bob", "2"), analyst="bob"))  # 9: share
        ledger.failed(3)  # 10
        assert ledger.verify() == 10
    return store


def found_in(store: str) -> str:
    """What opening and verifying this file complains about."""
    with pytest.raises(IntegrityFailed) as caught, open_ledger(store) as ledger:
        ledger.verify()
    assert caught.value.code == "ledger-damaged" and caught.value.fix
    return caught.value.message


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET body = '{}' WHERE id = 3",
        "DELETE FROM entries WHERE id = 3",
        "DELETE FROM entries",
        "INSERT INTO entries SELECT * FROM entries WHERE id = 3 ON CONFLICT (id) DO UPDATE SET body = '{}'",
        "INSERT INTO entries SELECT 99, kind, body, previous, hash FROM entries WHERE id = 3",
        "UPDATE debits SET answer = substr(answer, 2) WHERE id = 3",
        "DELETE FROM debits",
    ],
)
def test_entries_and_answers_cannot_be_changed_or_removed_by_a_statement(book: str, statement: str) -> None:
    connection = guarded(book)
    with pytest.raises(NOT_ALLOWED):
        connection.execute(statement)
    connection.close()
    with open_ledger(book) as ledger:
        assert ledger.verify() == 10


@pytest.mark.parametrize(
    ("store", "statement"),
    [
        (
            "path",
            "INSERT OR REPLACE INTO entries SELECT id, kind, '{}', previous, hash FROM entries WHERE id = 3",
        ),
        ("postgres", "TRUNCATE entries"),
        ("postgres", "TRUNCATE debits"),
    ],
    indirect=["store"],
)
def test_nor_by_one_that_only_this_store_knows(store: str, statement: str) -> None:
    connection = guarded(written(store))
    with pytest.raises(NOT_ALLOWED):
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize("amount", ["-1", "0.5", "9223372036854775808", "'many'"])
def test_an_amount_stays_a_whole_number_that_is_not_negative(book: str, amount: str) -> None:
    """A file refuses a fraction, a server rounds it; verifying finds either."""
    connection = guarded(book)
    for column in ("epsilon", "delta", "rho"):
        with suppress(sqlite3.Error, psycopg.Error):
            connection.execute(f"UPDATE spent SET {column} = {amount}")
        for (kept,) in connection.execute(f"SELECT {column} FROM spent"):
            assert type(kept) is int and kept >= 0
    connection.close()


@pytest.mark.parametrize("id", range(1, 11))
@pytest.mark.parametrize("column", ["body", "kind", "hash", "previous"])
def test_one_flipped_byte_of_any_entry_is_found_and_named(book: str, id: int, column: str) -> None:
    connection = raw(book)
    text = bytearray(
        connection.execute(f"SELECT CAST({column} AS BLOB) FROM entries WHERE id = {id}").fetchone()[0]
    )
    text[len(text) // 2] ^= 0x01 if on_a_server(book) else 0x81  # in a file also no longer UTF-8
    flipped = text.decode() if on_a_server(book) else bytes(text)
    connection.execute(f"UPDATE entries SET {column} = CAST(? AS TEXT) WHERE id = ?", (flipped, id))
    connection.close()
    assert f"entry {id} of the ledger" in found_in(book)


def test_bytes_flipped_in_the_file_itself_never_pass(path: str) -> None:
    book = written(path)
    with open_ledger(book) as ledger:
        stored = [(entry.text + entry.previous).encode() for entry in ledger.entries()]
    clean, chance = Path(book).read_bytes(), random.Random(8812)
    for id, record in enumerate(stored, start=1):
        data = bytearray(clean)
        data[clean.index(record) + chance.randrange(len(record))] ^= 1 << chance.randrange(8)
        Path(book).write_bytes(data)
        assert f"entry {id} of the ledger" in found_in(book)


@pytest.mark.parametrize("id", range(1, 11))
def test_a_removed_entry_is_found_and_named(book: str, id: int) -> None:
    connection = raw(book)
    connection.execute("DELETE FROM entries WHERE id = ?", (id,))
    connection.close()
    assert f"entry {id} of the ledger" in found_in(book)


def test_a_removed_entry_is_found_though_the_rest_is_renumbered(book: str) -> None:
    connection = raw(book)
    connection.execute("DELETE FROM entries WHERE id = 4")
    connection.execute("UPDATE entries SET id = id - 1 WHERE id > 4")
    connection.execute("UPDATE head SET id = id - 1")
    connection.close()
    assert "entry 8 of the ledger" in found_in(
        book
    )  # at opening already: an entry's own number is in its hash


@pytest.mark.parametrize("with_links", [False, True])
def test_reordered_entries_are_found_and_named(book: str, with_links: bool) -> None:
    columns = ("kind", "body", "hash", "previous") if with_links else ("kind", "body")
    connection = raw(book)
    rows = {
        id: connection.execute(f"SELECT {', '.join(columns)} FROM entries WHERE id = {id}").fetchone()
        for id in (4, 7)
    }
    for id, other in ((4, 7), (7, 4)):
        sets = ", ".join(f"{column} = ?" for column in columns)
        connection.execute(f"UPDATE entries SET {sets} WHERE id = {id}", rows[other])
    connection.close()
    assert "entry 4 of the ledger" in found_in(book)


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        (
            "UPDATE spent SET epsilon = 0 WHERE scope = 'table:staff.parquet'",
            "spent from table:staff.parquet",
        ),
        ("DELETE FROM spent WHERE scope LIKE 'analyst:bob%'", "spent from analyst:bob@staff.parquet"),
        ("UPDATE debits SET state = 'looked', answer = NULL WHERE id = 6", "entry 6"),
        ("UPDATE debits SET answer = substr(answer, 2) WHERE id = 3", "entry 3"),
        ("UPDATE debits SET question = 'q' WHERE id = 6", "entry 6"),
        ("UPDATE debits SET epsilon = epsilon + 1 WHERE id = 6", "entry 6"),
        ("DELETE FROM debits WHERE id = 6", "entry 6"),
        ("INSERT INTO receivers VALUES (6, 'eve')", "the list of analysts charged for debit 6"),
        ("UPDATE failures SET count = 0", 'failures of ["table:staff.parquet", null]'),
        ("UPDATE versions SET version = 9", "version of staff.parquet"),
        ("UPDATE head SET id = 9", "entry 10"),
        ("DELETE FROM head", "entry 10"),
    ],
)
def test_a_derived_table_that_was_edited_is_found(book: str, statement: str, named: str) -> None:
    connection = raw(book)
    connection.execute(statement)
    connection.close()
    assert named in found_in(book)


def test_a_damaged_entry_is_not_used_for_an_answer(book: str) -> None:
    with open_ledger(book) as ledger:
        ledger.resume("table:staff.parquet", "looked into")
        connection = raw(book)
        connection.execute("UPDATE entries SET body = replace(body, '0.5', '5.5') WHERE id = 3")
        connection.close()
        with pytest.raises(IntegrityFailed, match="entry 3 of the ledger"):
            ledger.debit(ask("q", "0.5"))


def test_an_entry_that_was_forged_with_its_hash_is_found_by_its_cost(book: str) -> None:
    """Whoever can recompute the chain is stopped by signed checkpoints only; but the sums must still agree."""
    connection = raw(book)
    entries = connection.execute("SELECT id, kind, body, previous FROM entries ORDER BY id").fetchall()
    before = "0" * 64
    for id, kind, body, _ in entries:
        text = body.replace('"epsilon":500000000', '"epsilon":5') if id == 3 else body
        digest = hashlib.sha256(
            json.dumps([id, kind, text, before], separators=(",", ":")).encode()
        ).hexdigest()
        connection.execute(
            "UPDATE entries SET body = ?, previous = ?, hash = ? WHERE id = ?", (text, before, digest, id)
        )
        before = digest
    connection.execute("UPDATE head SET hash = ?", (before,))
    connection.close()
    assert "spent from analyst:ana@staff.parquet" in found_in(book)  # at opening already
    connection = raw(book)
    connection.execute("UPDATE spent SET epsilon = epsilon - 499999995 WHERE scope NOT LIKE '%bob%'")
    connection.close()
    assert "entry 3 of the ledger charged" in found_in(book)


@pytest.mark.parametrize("id", [4, 7])
def test_an_entry_that_is_removed_while_the_ledger_is_open_is_named_by_verify(book: str, id: int) -> None:
    with open_ledger(book) as ledger:
        connection = raw(book)
        connection.execute("DELETE FROM entries WHERE id = ?", (id,))
        connection.close()
        with pytest.raises(IntegrityFailed) as caught:
            ledger.verify()
        assert f"entry {id} of the ledger is missing" in caught.value.message


def test_a_kind_of_entry_from_a_newer_lapcat_is_not_guessed(book: str) -> None:
    with open_ledger(book) as ledger:
        ledger._store.write(lambda transaction: transaction.append("gift", {"debit": 3}))
    with open_ledger(book) as ledger, pytest.raises(IntegrityFailed) as caught:
        ledger.verify()
    assert caught.value.code == "entry-unknown" and "entry 11" in caught.value.message


def test_the_chain_can_be_checked_without_lapcat(book: str) -> None:
    before = "0" * 64
    for id, kind, body, previous, digest in guarded(book).execute("SELECT * FROM entries ORDER BY id"):
        text = json.dumps([id, kind, body, previous], separators=(",", ":"))
        assert previous == before and digest == hashlib.sha256(text.encode()).hexdigest()
        before = digest
