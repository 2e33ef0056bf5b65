"""The file of a SQLite ledger, written one durable transaction at a time.

- WAL with synchronous=FULL, and the pragmas are read back: a commit that returned has been synced to disk.
- `BEGIN IMMEDIATE`: a budget is checked under the write lock, which all processes share.
- The outcome of a COMMIT that raised is unknown until the file is reopened and read.
- A connection never crosses a fork: SQLite's record of its locks would, and the first process to close the file would remove
  the other's log. A file that was replaced under an open ledger is refused.
- Threads of one process share transactions (group_commit.py); processes queue for the file (lock_queue.py).
"""

from __future__ import annotations

import os
import shlex
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TypeVar

from lapcat.errors import IntegrityFailed
from lapcat.ledger import forks
from lapcat.ledger.chain import GENESIS, Head
from lapcat.ledger.entries import read_head
from lapcat.ledger.group_commit import GroupCommit, PendingWork, attempt_all
from lapcat.ledger.sqlite.connection import in_turn
from lapcat.ledger.sqlite.failures import failure, not_a_ledger, primary_code, read_only
from lapcat.ledger.sqlite.guarding import check_file
from lapcat.ledger.sqlite.lock_queue import LockQueue
from lapcat.ledger.sqlite.opening import MEMORY, prepare, write_log_anew
from lapcat.ledger.sqlite.refresh_lock import alone_in
from lapcat.ledger.store import Absent, Connection, may_be_made
from lapcat.ledger.transaction import Transaction

T = TypeVar("T")


class SQLiteStore:
    """One file, or one in-memory database; shared by the threads of this process and, if a file, by other processes."""

    reads_only = False

    def __init__(
        self,
        path: str | os.PathLike[str],
        connect: Callable[[str], Connection],
        wait: float,
        absent: Absent = may_be_made,
    ) -> None:
        self.place = os.fspath(path)
        self.lasts = self.place != MEMORY
        if self.lasts:
            self.place = os.path.abspath(self.place)
        self._connect = connect
        self._wait = wait
        self._absent = absent
        self._group_commit = GroupCommit(self._together)
        self._line = LockQueue(self.place) if self.lasts else None
        self._connection: Connection | None = None
        self._process = 0
        self._file: tuple[int, int] | None = None
        self._closed = False
        self.newest: Head = GENESIS
        forks.watch(self)
        with self._group_commit.lock, self._failures():
            self._opened()

    def write(self, work: Callable[[Transaction], T], question: str | None = None) -> T:
        """The result of the work, once its writes are durable; if it raised, nothing was written."""
        return self._group_commit.run(work, question)

    @property
    def waiting(self) -> int:
        """Number of pending works (for tests)."""
        return self._group_commit.waiting

    def _together(self, batches: Iterable[list[PendingWork[object]]]) -> None:
        with self._failures():
            try:
                connection = self._opened()
                in_turn(connection, "BEGIN IMMEDIATE", self._wait, self._line)
                before = read_head(connection)
                transaction = Transaction(connection, before, str.encode)
                attempt_all(batches, transaction, sqlite3.Error)
                if transaction.head != before:
                    self._commit(transaction)
                    self.newest = transaction.head
            finally:
                self._roll_back()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One consistent view of the ledger."""
        with self._group_commit.lock, self._failures():
            try:
                connection = self._opened()
                connection.execute("BEGIN")
                yield connection
            finally:
                self._roll_back()

    def alone(self, waits: Callable[[], None]) -> AbstractContextManager[None]:
        return alone_in(os.path.dirname(self.place) if self.lasts else None, waits)

    def check(self) -> None:
        """Raises unless the file is sound and has lapcat's triggers."""
        with self.reading() as connection:
            check_file(connection)

    def close(self) -> None:
        with self._group_commit.lock:
            self._closed = True
            self._drop()

    def _commit(self, transaction: Transaction) -> None:
        try:
            transaction.connection.execute("COMMIT")
        except sqlite3.Error as error:
            if not self.lasts or not self._is_there(transaction.head, error):
                raise

    def _is_there(self, head: Head, error: sqlite3.Error) -> bool:
        """Whether a COMMIT that raised took effect nevertheless, as read by a new connection.

        If it did, the log is written again: after a failed sync the next one may report success although nothing was written.
        """
        self._drop()
        try:
            connection = self._opened()
            row = connection.execute("SELECT hash FROM entries WHERE id = ?", (head[0],)).fetchone()
            if row is None or row[0] != head[1]:
                return False
            if write_log_anew(connection, self._wait):
                return True
        except (sqlite3.Error, IntegrityFailed):
            if primary_code(error) == sqlite3.SQLITE_FULL:
                return False  # in either case the user must make room
        raise IntegrityFailed(
            "ledger-unknown",
            "the disk failed while the ledger was written, and it is unknown whether the entry was stored",
            why="nothing was released; if the entry was stored, it is found again and not charged twice",
            fix=f"check the disk that holds {self.place}, then ask the same question again",
        ) from error

    def _roll_back(self) -> None:
        """Rolls back the current transaction, if any."""
        connection = self._connection
        if connection is None or not connection.in_transaction:
            return
        try:
            connection.execute("ROLLBACK")
        except sqlite3.Error:
            if self.lasts:
                self._drop()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if self._line is not None:
            self._line.close()
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()

    def _opened(self) -> Connection:
        if self._closed:
            raise IntegrityFailed(
                "ledger-closed", "this ledger was closed", fix="open it again: lapcat.open(…)"
            )
        if self._connection is not None and self._process != os.getpid():
            raise IntegrityFailed(
                "ledger-forked",
                "this ledger was opened before the process forked",
                why="parent and child would each spend the whole budget",
                fix='open it after forking; and give it a file: lapcat.table(…, ledger="lapcat.ledger")',
            )
        if self._connection is None:
            with _OPENING:
                if self.lasts and self._file is None:
                    self._make_file()
                self._check_same_file()
                connection = self._connect(self.place)
            try:
                prepare(connection, self._wait, self.place, self._absent)
            except BaseException:
                connection.close()
                raise
            self._connection, self._process = connection, os.getpid()
        self._check_same_file()
        return self._connection

    def _make_file(self) -> None:
        """Creates the file with mode 600; SQLite gives its -wal and -shm files the same mode.

        An existing file must not be opened here: closing it would release the POSIX locks that another connection of this
        process holds on it. For the same reason _OPENING keeps other threads from opening it meanwhile.
        """
        if not os.path.exists(self.place):
            problem = self._absent(self.place)
            if problem is not None and not os.path.exists(
                self.place
            ):  # another process may have made it meanwhile
                raise problem
        try:
            with suppress(FileExistsError):
                os.close(os.open(self.place, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            status = os.stat(self.place)
        except FileNotFoundError:
            folder = shlex.quote(os.path.dirname(self.place))
            raise IntegrityFailed(
                "ledger-no-folder",
                f"there is no folder for the ledger {self.place}",
                fix=f"mkdir -p {folder}",
            ) from None
        except OSError as error:
            raise read_only(self.place) from error
        if not stat.S_ISREG(status.st_mode):
            raise not_a_ledger(self.place)
        self._file = (status.st_dev, status.st_ino)

    def _check_same_file(self) -> None:
        if self._file is None:
            return
        try:
            status = os.stat(self.place)
        except OSError:
            status = None
        if status is None or (status.st_dev, status.st_ino) != self._file:
            raise IntegrityFailed(
                "ledger-replaced",
                f"{self.place} was moved, deleted or replaced while it was in use",
                why="later debits would be written to a file that is never read again",
                fix="put the ledger back in its place and restart",
            )

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise failure(error, self.place, self._wait) from error

    def before_fork(self) -> None:
        """Waits for the current transaction, and closes the file so that it is not inherited."""
        self._group_commit.lock.acquire()
        if self.lasts:
            self._drop()

    def after_fork(self, *, child: bool) -> None:
        if child:
            self._group_commit.forget()
        self._group_commit.lock.release()


def has_header(path: os.PathLike[str]) -> bool:
    """Whether a file is empty or has SQLite's header."""
    with open(path, "rb") as file:
        return file.read(16) in (b"", b"SQLite format 3\0")


_OPENING = threading.Lock()
"""Held, within a store's lock, while a file is created and opened."""
