"""The server under a ledger in PostgreSQL: one session for each process, written one durable transaction at a time.

- synchronous_commit and fsync are read back: a COMMIT that returned is on the server's disk.
- Whoever checks a budget holds the head (`FOR UPDATE`) while checking, on whichever machine. Every writer takes it first,
  and nobody reaches a scope without it: so there is one order of locks, no deadlock, and READ COMMITTED sees all that was
  spent before. An advisory lock in front of it is a fair queue.
- A COMMIT that raised is unknown until a new session has held the head, which the old one holds until it is over, and read.
- A session never crosses a fork. One that was dropped is opened again; if what this process saw written is then missing,
  the server is not the one that it was, and is refused.
- Threads of one process share transactions (group_commit.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Protocol, TypeVar

import psycopg

from lapcat.errors import IntegrityFailed
from lapcat.ledger import forks
from lapcat.ledger.chain import GENESIS, Head
from lapcat.ledger.entries import read_head
from lapcat.ledger.group_commit import GroupCommit, PendingWork, attempt_all
from lapcat.ledger.postgres.connection import Address, address_of, check_storable, place_of
from lapcat.ledger.postgres.failures import failure, replaced
from lapcat.ledger.postgres.guarding import guards_in, guards_of
from lapcat.ledger.postgres.opening import ALONE, HOLD, READ, prepare
from lapcat.ledger.postgres.schema import SCHEMA
from lapcat.ledger.schema_guards import compare_guards
from lapcat.ledger.store import Absent, Connection, may_be_made
from lapcat.ledger.transaction import Transaction

T = TypeVar("T")
PAUSE = 0.1  # seconds between two attempts to reach a server that was there a moment ago


class PostgresSession(Connection, Protocol):
    """A connection that knows whether the server is still at its other end."""

    @property
    def broken(self) -> bool: ...


class PostgresStore:
    """One database; shared by the threads of this process, by other processes and by other machines."""

    lasts = True

    def __init__(
        self,
        store: str,
        connect: Callable[[Address], PostgresSession],
        wait: float,
        absent: Absent = may_be_made,
        *,
        reads_only: bool = False,
    ) -> None:
        self.reads_only = reads_only
        self._address = address_of(store)
        self.place = place_of(self._address)
        self._connect = connect
        self._wait = wait
        self._absent = absent
        self._turns = GroupCommit(self._together)
        self._session: PostgresSession | None = None
        self._seen = GENESIS
        self._closed = False
        self.newest: Head = GENESIS
        forks.watch(self)
        with self._turns.lock, self._failures():
            self._opened()

    def write(self, work: Callable[[Transaction], T], question: str | None = None) -> T:
        """What the work returns, when all that it wrote is durable; if it raised, it has left no trace."""
        return self._turns.take(work, question)

    def _together(self, turns: Iterable[list[PendingWork[object]]]) -> None:
        with self._failures():
            try:
                session = self._begun(HOLD)
                self._see(read_head(session))
                transaction = Transaction(session, self._seen, check_storable)
                attempt_all(turns, transaction, psycopg.Error)
                if transaction.head != self._seen:
                    self._commit(transaction)
                    self._seen = self.newest = transaction.head
            finally:
                self._roll_back()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One consistent view of the ledger."""
        with self._turns.lock, self._failures():
            try:
                yield self._begun(READ)
            finally:
                self._roll_back()

    @contextmanager
    def alone(self, waits: Callable[[], None]) -> Iterator[None]:
        """By an advisory lock of a session of its own, which ends with this process."""
        with self._failures():
            session = self._connect(self._address)
        try:
            with self._failures():
                session.execute("SET lock_timeout = 0")
                if not session.execute(f"SELECT pg_try_advisory_lock({ALONE})").fetchone()[0]:
                    waits()
                    session.execute(f"SELECT pg_advisory_lock({ALONE})")
            yield
        finally:
            with suppress(psycopg.Error):
                session.close()

    def check(self) -> None:
        """Raises unless the triggers and functions of the schema are those that lapcat made."""
        with self.reading() as connection:
            compare_guards(guards_in(connection), guards_of(SCHEMA))

    def close(self) -> None:
        with self._turns.lock:
            self._closed = True
            self._drop()

    def _begun(self, begin: str) -> PostgresSession:
        """A session with a transaction. One that was dropped since it was last used is opened again: nothing was in it."""
        session = self._opened()
        try:
            session.execute(begin)
        except psycopg.Error:
            if not session.broken:
                raise
            self._drop()
            session = self._opened()
            session.execute(begin)
        return session

    def _commit(self, transaction: Transaction) -> None:
        try:
            transaction.connection.execute("COMMIT")
        except psycopg.Error:
            if not self._is_there(transaction.head):
                raise

    def _is_there(self, head: Head) -> bool:
        """Whether a COMMIT that raised has happened all the same. Waits for the server, and for the old session's end."""
        until = time.monotonic() + self._wait
        while True:
            self._drop()
            try:
                return _has(self._begun(HOLD), head)
            except (psycopg.Error, IntegrityFailed):
                if time.monotonic() > until:
                    break
            time.sleep(PAUSE)
        raise IntegrityFailed(
            "ledger-unknown",
            f"the server of the ledger failed while it was written ({self.place}), and it cannot be told whether the "
            "entry is there",
            why="nothing was released; an entry that is there is found again, and is not charged twice",
            fix="see to the server, then ask the same question again",
        )

    def _see(self, head: Head) -> None:
        """Remembers the head; raises if it is not at or after the one that was seen before."""
        if head != self._seen and head[0] <= self._seen[0]:
            raise replaced(self.place, self._seen[0])
        self._seen = head

    def _roll_back(self) -> None:
        """Ends whatever is under way; after a COMMIT there is nothing left to end."""
        session = self._session
        if session is None or not session.in_transaction:
            return
        try:
            session.execute("ROLLBACK")
        except psycopg.Error:
            self._drop()

    def _drop(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            with suppress(psycopg.Error):
                session.close()

    def _opened(self) -> PostgresSession:
        if self._closed:
            raise IntegrityFailed(
                "ledger-closed", "this ledger was closed", fix="open it again: lapcat.open(…)"
            )
        if self._session is None:
            session = self._connect(self._address)
            try:
                prepare(session, self._wait, self.place, self._absent)
                if self._seen != GENESIS and not _has(session, self._seen):
                    raise replaced(self.place, self._seen[0])
            except BaseException:
                session.close()
                raise
            self._session = session
        return self._session

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise failure(error, self._address, self._wait) from None

    def before_fork(self) -> None:
        """Waits for the transaction that is under way, and leaves no session to inherit."""
        self._turns.lock.acquire()
        self._drop()

    def after_fork(self, *, child: bool) -> None:
        if child:
            self._turns.forget()
        self._turns.lock.release()


def _has(session: Connection, head: Head) -> bool:
    """Whether an entry is in the book."""
    row = session.execute("SELECT hash FROM entries WHERE id = ?", (head[0],)).fetchone()
    return row is not None and row[0] == head[1]
