"""What the ledger needs of a store: a connection that speaks SQL, one durable transaction at a time, one consistent view.

The SQL of ledger.py, entries.py and rows.py is SQLite's, of which it uses what other stores have too: `?` for parameters,
`CAST(text AS BLOB)` for the bytes of a text. A store with another dialect translates these in its connection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from lapcat.ledger.base import Entry
from lapcat.ledger.chain import Head, follow

T = TypeVar("T")


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


class Transaction:
    """A write that is under way: the connection, and the head that its entries extend."""

    def __init__(self, connection: Connection, head: Head) -> None:
        self.connection = connection
        self.head = head

    def append(self, kind: str, body: Mapping[str, object]) -> Entry:
        entry = follow(self.head, kind, body)
        self.connection.execute(
            "INSERT INTO entries (id, kind, body, previous, hash) VALUES (?, ?, ?, ?, ?)",
            (entry.id, entry.kind, entry.text, entry.previous, entry.hash),
        )
        self.connection.execute("UPDATE head SET id = ?, hash = ?", (entry.id, entry.hash))
        self.head = (entry.id, entry.hash)
        return entry


class Store(Protocol):
    """Where a book is kept. Thread-safe and fork-safe; safe between processes wherever several can open it."""

    @property
    def place(self) -> str:
        """What messages call it."""

    @property
    def lasts(self) -> bool:
        """Whether it survives the process."""

    def write(self, work: Callable[[Transaction], T]) -> T:
        """What the work returns, when all that it wrote is durable; if it raised, it has left no trace.

        Work of several threads may share one transaction (turns.py), so it may be done in another thread, and more than
        once; what it raises undoes it alone.
        """

    def reading(self) -> AbstractContextManager[Connection]:
        """One consistent view of the ledger."""

    def check(self) -> None:
        """Raises unless the store itself is sound, apart from what is in the book."""

    def close(self) -> None: ...
