"""What the ledger needs of a store: a connection that speaks SQL, one durable transaction at a time, one consistent view.

The SQL of ledger.py, entries.py and rows.py is SQLite's, of which it uses what other stores have too: `?` for parameters,
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
"""Asked, with the place, before a ledger is made where there is none: the error to raise instead, if any."""


def may_be_made(place: str) -> None:
    """Nobody knows of a ledger there."""


class ResultRows(Protocol):
    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...


class SelectReader(Protocol):
    """What answers a SELECT."""

    def execute(self, sql: str, parameters: Sequence[object] = (), /) -> ResultRows: ...


class Connection(SelectReader, Protocol):
    """All that is used of a connection, so that a test can put its own, with its own faults, in the place."""

    @property
    def in_transaction(self) -> bool: ...
    def close(self) -> None: ...


class Store(Protocol):
    """Where a book is kept. Thread-safe and fork-safe; safe between processes wherever several can open it."""

    @property
    def place(self) -> str:
        """What messages call it."""

    @property
    def lasts(self) -> bool:
        """Whether it survives the process."""

    @property
    def reads_only(self) -> bool:
        """Whether it is only looked at: nothing is written, here or by whoever watches."""

    @property
    def newest(self) -> Head:
        """The newest head that this process has made durable: that of the last transaction, whoever shared it."""

    def write(self, work: Callable[[Transaction], T], question: str | None = None) -> T:
        """What the work returns, when all that it wrote is durable; if it raised, it has left no trace. `question`: which
        one it will ask for first, if any.

        Work of several threads may share one transaction (group_commit.py), so it may be done in another thread, and more than
        once; what it raises undoes it alone.
        """

    def reading(self) -> AbstractContextManager[Connection]:
        """One consistent view of the ledger."""

    def alone(self, waits: Callable[[], None]) -> AbstractContextManager[None]:
        """Keeps out everybody else who asks for this, on whichever machine the store is open; `waits` is called if somebody
        is in already. It ends with the process."""

    def check(self) -> None:
        """Raises unless the store itself is sound, apart from what is in the book."""

    def close(self) -> None: ...
