"""The file under a SQLite ledger: opened carefully, written one durable transaction at a time.

- WAL with synchronous=FULL, and the pragmas are read back: a commit that returned has been synced to disk.
- `BEGIN IMMEDIATE`: whoever checks a budget holds the write lock while checking, in whichever process it runs.
- A COMMIT that raised is unknown until the file was opened again and read.
- A connection never crosses a fork: SQLite's record of its own locks would, and then the first process to close the
  file would take the log away from the other. A file that was swapped under an open ledger is refused.
- Threads of one process share transactions (group_commit.py); processes stand in line (lock_queue.py).
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
    """One file, or one memory; shared by the threads of this process and, as a file, by other processes."""

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
        self._turns = GroupCommit(self._together)
        self._line = LockQueue(self.place) if self.lasts else None
        self._connection: Connection | None = None
        self._process = 0
        self._file: tuple[int, int] | None = None
        self._closed = False
        self.newest: Head = GENESIS
        forks.watch(self)
        with self._turns.lock, self._failures():
            self._opened()

    def write(self, work: Callable[[Transaction], T], question: str | None = None) -> T:
        """What the work returns, when all that it wrote is durable; if it raised, it has left no trace."""
        return self._turns.take(work, question)

    @property
    def waiting(self) -> int:
        """How many works wait for their turn, for whoever wants to see them share one."""
        return self._turns.waiting

    def _together(self, turns: Iterable[list[PendingWork[object]]]) -> None:
        with self._failures():
            try:
                connection = self._opened()
                in_turn(connection, "BEGIN IMMEDIATE", self._wait, self._line)
                before = read_head(connection)
                transaction = Transaction(connection, before, str.encode)
                attempt_all(turns, transaction, sqlite3.Error)
                if transaction.head != before:
                    self._commit(transaction)
                    self.newest = transaction.head
            finally:
                self._roll_back()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One consistent view of the ledger."""
        with self._turns.lock, self._failures():
            try:
                connection = self._opened()
                connection.execute("BEGIN")
                yield connection
            finally:
                self._roll_back()

    def alone(self, waits: Callable[[], None]) -> AbstractContextManager[None]:
        return alone_in(os.path.dirname(self.place) if self.lasts else None, waits)

    def check(self) -> None:
        """Raises unless the file itself is sound, with the triggers that lapcat made."""
        with self.reading() as connection:
            check_file(connection)

    def close(self) -> None:
        with self._turns.lock:
            self._closed = True
            self._drop()

    def _commit(self, transaction: Transaction) -> None:
        try:
            transaction.connection.execute("COMMIT")
        except sqlite3.Error as error:
            if not self.lasts or not self._is_there(transaction.head, error):
                raise

    def _is_there(self, head: Head, error: sqlite3.Error) -> bool:
        """Whether a COMMIT that raised has happened all the same, as a fresh connection reads it.

        If it has, it is written anew: a sync that failed once may claim success the next time although nothing was
        written.
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
                return False  # whether or not it is there, what to do is to make room
        raise IntegrityFailed(
            "ledger-unknown",
            "the disk failed while the ledger was written, and it cannot be told whether the entry is there",
            why="nothing was released; an entry that is there is found again, and is not charged twice",
            fix=f"see to the disk that holds {self.place}, then ask the same question again",
        ) from error

    def _roll_back(self) -> None:
        """Ends whatever is under way; after a COMMIT there is nothing left to end."""
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
        """Creates the file for its owner alone; SQLite gives its -wal and -shm files the same mode.

        A file that exists must not be opened here: closing it again would end the POSIX locks that another connection
        of this process holds on it. For the same reason nobody else may open it between these two lines (_OPENING).
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
            found = os.stat(self.place)
        except FileNotFoundError:
            folder = shlex.quote(os.path.dirname(self.place))
            raise IntegrityFailed(
                "ledger-no-folder",
                f"there is no folder for the ledger {self.place}",
                fix=f"mkdir -p {folder}",
            ) from None
        except OSError as error:
            raise read_only(self.place) from error
        if not stat.S_ISREG(found.st_mode):
            raise not_a_ledger(self.place)
        self._file = (found.st_dev, found.st_ino)

    def _check_same_file(self) -> None:
        if self._file is None:
            return
        try:
            found = os.stat(self.place)
        except OSError:
            found = None
        if found is None or (found.st_dev, found.st_ino) != self._file:
            raise IntegrityFailed(
                "ledger-replaced",
                f"{self.place} was moved, deleted or replaced while it was in use",
                why="what is spent from now on would be written to a file that nobody reads again",
                fix="put the ledger back in its place and start again",
            )

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise failure(error, self.place, self._wait) from error

    def before_fork(self) -> None:
        """Waits for the transaction that is under way, and leaves no open file to inherit."""
        self._turns.lock.acquire()
        if self.lasts:
            self._drop()

    def after_fork(self, *, child: bool) -> None:
        if child:
            self._turns.forget()
        self._turns.lock.release()


def has_header(path: os.PathLike[str]) -> bool:
    """Whether a file is empty, or begins as SQLite's do."""
    with open(path, "rb") as file:
        return file.read(16) in (b"", b"SQLite format 3\0")


_OPENING = threading.Lock()
"""Held within a store's lock, while a file is made and opened."""
