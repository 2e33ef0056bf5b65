"""What the ledger needs of a connection, and the one that it makes by itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol


class Rows(Protocol):
    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """All that is used of a connection, so that a test can put its own, with its own faults, in the place."""

    @property
    def in_transaction(self) -> bool: ...
    def execute(self, sql: str, parameters: Sequence[object] = (), /) -> Rows: ...
    def close(self) -> None: ...


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
