"""The interface of a store: an SQL connection, one durable transaction at a time, and consistent reads.

The SQL of ledger.py, entries.py and rows.py is the common subset of SQL dialects, in SQLite's notation: `?` for parameters,
`CAST(text AS BLOB)` for the bytes of a text. A store with another dialect translates these in its connection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from lapcat.errors import Error
from lapcat.ledger.chain import Head

if TYPE_CHECKING:
    from lapcat.ledger.transaction import Transaction

T = TypeVar("T")
Absent = Callable[[str], Error | None]
"""Called with the place before a new ledger is created there; returns the error to raise instead, if any."""


def may_be_made(place: str) -> None:
    """Allows a new ledger anywhere."""


class ResultRows(Protocol):
    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...


class SelectReader(Protocol):
    """A connection that executes SELECT."""

    def execute(self, sql: str, parameters: Sequence[object] = (), /) -> ResultRows: ...


class Connection(SelectReader, Protocol):
    """The part of a connection that is used, so that tests can substitute a faulty one."""

    @property
    def in_transaction(self) -> bool: ...
    def close(self) -> None: ...


class Store(Protocol):
    """Storage of a ledger. Thread-safe and fork-safe; process-safe if several processes can open it."""

    @property
    def place(self) -> str:
        """Its name in messages."""

    @property
    def lasts(self) -> bool:
        """Whether it survives the process."""

    @property
    def reads_only(self) -> bool:
        """Whether it is read-only: neither the store nor the witness is written."""

    @property
    def newest(self) -> Head:
        """The newest head that this process has made durable, including other threads' work in the same group commit."""

    def write(self, work: Callable[[Transaction], T], question: str | None = None) -> T:
        """The result of the work, once its writes are durable; if it raised, nothing was written. `question`: the one it will
        look up first, if any.

        Works of several threads may share one transaction (group_commit.py), so a work may run in another thread, and more
        than once; an exception undoes only that work.
        """

    def reading(self) -> AbstractContextManager[Connection]:
        """One consistent view of the ledger."""

    def alone(self, waits: Callable[[], None]) -> AbstractContextManager[None]:
        """Mutual exclusion among all users of the store, on all machines; `waits` is called if it must wait. Ends with the
        process."""

    def check(self) -> None:
        """Raises unless the store itself is sound, apart from the entries."""

    def close(self) -> None: ...
