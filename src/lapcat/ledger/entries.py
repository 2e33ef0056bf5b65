"""Reads entries and the head from their tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lapcat.ledger.base import Entry
from lapcat.ledger.chain import GENESIS, Head, check_link, check_self, damaged
from lapcat.ledger.store import Connection, SelectReader

ENTRY = "SELECT id, CAST(kind AS BLOB), CAST(body AS BLOB), CAST(previous AS BLOB), CAST(hash AS BLOB) FROM entries"
"""Columns as bytes: a damaged text may not be UTF-8, and must be reported, not crash the reader."""


def read_entry(row: Sequence[Any]) -> Entry:
    kind, text, previous, hash = (bytes(part or b"").decode(errors="replace") for part in row[1:])
    return Entry(row[0], kind, text, previous, hash)


def read_head(connection: Connection) -> Head:
    """Id and hash of the last entry, from two records that must agree."""
    kept, last = (
        GENESIS if row is None else (int(row[0]), bytes(row[1]).decode(errors="replace"))
        for row in (
            connection.execute("SELECT id, CAST(hash AS BLOB) FROM head").fetchone(),
            connection.execute(
                "SELECT id, CAST(hash AS BLOB) FROM entries ORDER BY id DESC LIMIT 1"
            ).fetchone(),
        )
    )
    if kept != last:
        raise damaged(max(kept[0], last[0]), "is not the one that was written last")
    return last


def check_head(connection: Connection) -> None:
    """Checks the last entry and its link to the previous one; cheap enough for every opening."""
    id, _ = read_head(connection)
    if id > 0:
        before = GENESIS if id == 1 else (id - 1, one_entry(connection, id - 1).hash)
        check_link(before, one_entry(connection, id))


def hash_of(connection: Connection, id: int) -> str | None:
    row = connection.execute("SELECT CAST(hash AS BLOB) FROM entries WHERE id = ?", (id,)).fetchone()
    return None if row is None else bytes(row[0]).decode(errors="replace")


def one_entry(connection: SelectReader, id: int) -> Entry:
    row = connection.execute(f"{ENTRY} WHERE id = ?", (id,)).fetchone()
    if row is None:
        raise damaged(id, "is missing")
    entry = read_entry(row)
    check_self(entry)
    return entry
