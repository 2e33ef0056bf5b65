"""What somebody who can write a ledger's file does to it: with an editor, and with an editor and a calculator.

Only ever done to copies that an audit has made of a ledger of its own.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from lapcat.ledger.chain import GENESIS, entry_hash


def copy_ledger(book: Path, to: Path) -> Path:
    """The book as it is now, also while it is open."""
    to.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(book)) as here, closing(sqlite3.connect(to)) as there:
        here.backup(there)
    return to


def edit_ledger(book: Path, *statements: str) -> None:
    """Changes a file past the rules of its schema."""
    with closing(_unguarded(book)) as connection:
        for statement in statements:
            connection.execute(statement)


def rewrite_ledger(book: Path, change: Callable[[int, str], str]) -> None:
    """Changes the texts of entries, by their numbers, and computes all hashes anew: so that the book is one that hashes
    alone cannot tell from another."""
    with closing(_unguarded(book)) as connection:
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


def _unguarded(book: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(book, isolation_level=None)
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    return connection
