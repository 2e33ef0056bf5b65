"""The server of a PostgreSQL ledger: one session per process, written one durable transaction at a time.

- synchronous_commit and fsync are read back: a COMMIT that returned is on the server's disk.
- A budget is checked while the head row is locked (`FOR UPDATE`), on every machine. Every writer locks it first, and no
  scope is read without it: so there is one lock order, no deadlock, and READ COMMITTED sees all earlier debits. An advisory
  lock in front of it is a fair queue.
- The outcome of a COMMIT that raised is unknown until a new session has locked and read the head, which the old session
  locks until it ends.
- A session never crosses a fork. A dropped one is reopened; if an entry that this process saw is then missing, the server was
  replaced, and is refused.
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
PAUSE = 0.1  # seconds between attempts to reach the server again


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
        self._group_commit = GroupCommit(self._together)
        self._session: PostgresSession | None = None
        self._seen = GENESIS
        self._closed = False
        self.newest: Head = GENESIS
        forks.watch(self)
        with self._group_commit.lock, self._failures():
            self._opened()

    def write(self, work: Callable[[Transaction], T], question: str | None = None) -> T:
        """The result of the work, once its writes are durable; if it raised, nothing was written."""
        return self._group_commit.run(work, question)

    def _together(self, batches: Iterable[list[PendingWork[object]]]) -> None:
        with self._failures():
            try:
                session = self._begun(HOLD)
                self._see(read_head(session))
                transaction = Transaction(session, self._seen, check_storable)
                attempt_all(batches, transaction, psycopg.Error)
                if transaction.head != self._seen:
                    self._commit(transaction)
                    self._seen = self.newest = transaction.head
            finally:
                self._roll_back()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One consistent view of the ledger."""
        with self._group_commit.lock, self._failures():
            try:
                yield self._begun(READ)
            finally:
                self._roll_back()

    @contextmanager
    def alone(self, waits: Callable[[], None]) -> Iterator[None]:
        """Holds an advisory lock in a separate session, which ends with this process."""
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
        with self._group_commit.lock:
            self._closed = True
            self._drop()

    def _begun(self, begin: str) -> PostgresSession:
        """A session with a new transaction. A session dropped since its last use is reopened: it had no open transaction."""
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
        """Whether a COMMIT that raised took effect nevertheless. Waits for the server and for the end of the old session."""
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
            f"the server of the ledger failed during a write ({self.place}), and it is unknown whether the "
            "entry was stored",
            why="nothing was released; if the entry was stored, it is found again and not charged twice",
            fix="check the server, then ask the same question again",
        )

    def _see(self, head: Head) -> None:
        """Remembers the head; raises if it is behind the one seen before, or differs from it."""
        if head != self._seen and head[0] <= self._seen[0]:
            raise replaced(self.place, self._seen[0])
        self._seen = head

    def _roll_back(self) -> None:
        """Rolls back the current transaction, if any."""
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
        """Waits for the current transaction, and closes the session so that it is not inherited."""
        self._group_commit.lock.acquire()
        self._drop()

    def after_fork(self, *, child: bool) -> None:
        if child:
            self._group_commit.forget()
        self._group_commit.lock.release()


def _has(session: Connection, head: Head) -> bool:
    """Whether the ledger has this entry."""
    row = session.execute("SELECT hash FROM entries WHERE id = ?", (head[0],)).fetchone()
    return row is not None and row[0] == head[1]
