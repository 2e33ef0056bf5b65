"""Read-only access to a ledger file: nothing is written in it or beside it.

- If no process has the file open, it is read as immutable, without SQLite's -wal and -shm files; a concurrent write is
  detected afterwards.
- If both of these files exist, some process may be using the ledger: it is read in shared mode.
- A -wal file without its -shm file was left behind or copied: SQLite would have to write before reading. A file of an older
  schema would have to be upgraded. Both are read in a private copy, which is then removed.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import NoReturn, TypeVar
from urllib.parse import quote

from lapcat.errors import BadQuery, Bug, EngineFailed, IntegrityFailed
from lapcat.ledger.chain import GENESIS, Head
from lapcat.ledger.sqlite.connection import connect
from lapcat.ledger.sqlite.failures import failure, not_a_ledger, primary_code, unreadable
from lapcat.ledger.sqlite.guarding import check_file
from lapcat.ledger.sqlite.opening import is_empty
from lapcat.ledger.sqlite.schema import SCHEMA_VERSION
from lapcat.ledger.sqlite.store import SQLiteStore
from lapcat.ledger.store import Absent, Connection
from lapcat.ledger.transaction import Transaction

T = TypeVar("T")
WAIT = 10.0
"""Seconds to wait for a locked file."""


class ReadOnlyStore:
    """One file. Every view has its own connection."""

    lasts = True
    reads_only = True
    newest: Head = GENESIS

    def __init__(self, path: str | os.PathLike[str], absent: Absent) -> None:
        self.place = os.path.abspath(path)
        self._lock = threading.Lock()
        self._copy: SQLiteStore | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        if not os.access(self.place, os.R_OK):
            raise unreadable(self.place)
        try:
            with self._failures(), self._connected() as connection:
                if is_empty(connection, self.place):
                    raise absent(self.place) or not_a_ledger(self.place)
                older = connection.execute("PRAGMA user_version").fetchone()[0] < SCHEMA_VERSION
            if older:
                self._copied()
        except _NeedsACopy:
            self._copied()

    def write(self, work: Callable[[Transaction], T], question: str | None = None) -> NoReturn:
        raise Bug("ledger-order", "a read-only ledger cannot be written")

    def alone(self, waits: Callable[[], None]) -> NoReturn:
        raise Bug("ledger-order", "a read-only ledger cannot be locked")

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One consistent view of the ledger."""
        with self._lock, self._failures(), ExitStack() as stack:
            yield self._view(stack)

    def _view(self, stack: ExitStack) -> Connection:
        if self._copy is None:
            try:
                connection = stack.enter_context(self._connected())
                connection.execute("BEGIN")
                return connection
            except _NeedsACopy:
                self._copied()
        assert self._copy is not None
        return stack.enter_context(self._copy.reading())

    def check(self) -> None:
        """Raises unless the file is sound and has lapcat's triggers."""
        with self.reading() as connection:
            check_file(connection)

    def backup(self, to: Path) -> None:
        """Writes a full copy to a new file with mode 600."""
        part = to.with_name(f"{to.name}.part")
        try:
            os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            try:
                with self.reading() as source, closing(sqlite3.connect(part)) as target:
                    assert isinstance(source, sqlite3.Connection)
                    source.backup(target)
                _sync(part)
                os.link(part, to)  # never replaces a file
            finally:
                os.unlink(part)
            _sync(to.absolute().parent)
        except FileExistsError as problem:
            raise BadQuery(
                "output-exists",
                f"there is a file at {problem.filename2 or problem.filename} already",
                fix="lapcat ledger backup with the name of a new file",
            ) from None
        except OSError as problem:
            raise EngineFailed(
                "output-failed",
                f"the copy could not be written to {to}: {problem.strerror}",
                fix="lapcat ledger backup with a place that can be written",
            ) from None

    def close(self) -> None:
        if self._copy is not None:
            self._copy.close()
        if self._folder is not None:
            self._folder.cleanup()

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        log, index = (os.path.exists(self.place + end) for end in ("-wal", "-shm"))
        if log != index and (index or os.path.getsize(self.place + "-wal") > 0):
            raise _NeedsACopy
        still = not index
        before = os.stat(self.place)
        how = "immutable=1" if still else "mode=ro"
        try:
            connection = sqlite3.connect(
                f"file:{quote(self.place)}?{how}", uri=True, isolation_level=None, check_same_thread=False
            )
            connection.execute(f"PRAGMA busy_timeout = {int(WAIT * 1000)}")
        except sqlite3.Error as error:
            raise failure(error, self.place, WAIT) from error
        with closing(connection):
            if not still:
                try:
                    connection.execute("PRAGMA user_version")
                except sqlite3.OperationalError as error:
                    if primary_code(error) in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                        raise _NeedsACopy from None
                    raise
            yield connection
        now = os.stat(self.place)
        if still and (before.st_mtime_ns, before.st_size, before.st_ino) != (
            now.st_mtime_ns,
            now.st_size,
            now.st_ino,
        ):
            raise IntegrityFailed(
                "ledger-changed",
                f"{self.place} was written while it was read",
                why="the parts read may belong to different states",
                fix="run the same command again",
            )

    def _copied(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="lapcat-ledger-")
        copy = os.path.join(self._folder.name, "lapcat.ledger")
        for end in ("", "-wal"):
            if os.path.exists(self.place + end):
                shutil.copyfile(self.place + end, copy + end)
        self._copy = SQLiteStore(copy, connect, WAIT)

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise failure(error, self.place, WAIT) from error


class _NeedsACopy(Exception):
    """The file cannot be read in place without writing."""


def _sync(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
