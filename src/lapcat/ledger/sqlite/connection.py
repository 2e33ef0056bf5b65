"""The connection that a SQLite ledger makes by itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from lapcat.ledger.store import Connection


def connect(path: str) -> Connection:
    """The default factory: transactions are begun and ended by hand, and threads are kept apart by the store's lock."""
    return sqlite3.connect(path, isolation_level=None, check_same_thread=False)


@contextmanager
def one_view(connection: Connection, begin: str = "BEGIN") -> Iterator[None]:
    """What is read inside belongs together. Whatever was not committed inside is rolled back."""
    connection.execute(begin)
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
