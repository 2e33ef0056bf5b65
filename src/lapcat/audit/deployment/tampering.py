"""Attacks by somebody with write access to a ledger file: plain edits, and rewrites with recomputed hashes.

The audit applies them only to copies of its own ledger.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from lapcat.ledger.chain import GENESIS, entry_hash


def copy_ledger(ledger: Path, to: Path) -> Path:
    """Copies the current state of a ledger, even if it is open."""
    to.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(ledger)) as here, closing(sqlite3.connect(to)) as there:
        here.backup(there)
    return to


def edit_ledger(ledger: Path, *statements: str) -> None:
    """Edits a file without the triggers of its schema."""
    with closing(_unguarded(ledger)) as connection:
        for statement in statements:
            connection.execute(statement)


def rewrite_ledger(ledger: Path, change: Callable[[int, str], str]) -> None:
    """Changes the texts of entries by id, and recomputes all hashes, so that hashes alone cannot detect it."""
    with closing(_unguarded(ledger)) as connection:
        rows = connection.execute("SELECT id, kind, body FROM entries ORDER BY id").fetchall()
        id, previous = GENESIS
        for id, kind, body in rows:
            text = change(id, body)
            hash = entry_hash(id, kind, text, previous)
            connection.execute(
                "UPDATE entries SET body = ?, previous = ?, hash = ? WHERE id = ?", (text, previous, hash, id)
            )
            previous = hash
        connection.execute("UPDATE head SET id = ?, hash = ?", (id, previous))


def _unguarded(ledger: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(ledger, isolation_level=None)
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    return connection
