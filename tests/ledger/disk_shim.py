"""SQLite over a disk that is watched and may fail: a VFS that writes down every operation, and a connection over it.

The files are real ones; what is written down is enough to say, by disk_model.py, what a power cut would have left.
SQLite's index of its log (-shm) is not watched: whoever opens a ledger first makes it anew.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

import apsw
from disk_model import Folder

Operation = tuple[Any, ...]
Fault = Callable[[str, str], int | None]
"""Of an operation and the end of the file's name: the code of the error that it meets, if any."""

_numbers = count()
_SYNCS_ITS_FOLDER = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL
"""Files of which SQLite's unix VFS syncs the folder with the first sync (os_unix.c: UNIXFILE_DIRSYNC)."""


class Shim(apsw.VFS):
    """Passes everything on to the unix VFS, unless `fault` has an error for it, and writes it down in `journal`."""

    def __init__(self, fault: Fault = lambda operation, file: None) -> None:
        self.journal: list[Operation] = []
        self.fault = fault
        self.name = f"shim-{next(_numbers)}"
        super().__init__(self.name, "unix")

    def meet(self, operation: str, path: str) -> None:
        """Raises where this operation is to fail."""
        name = os.path.basename(path)
        code = self.fault(operation, name.partition("-")[2] or "main")
        if code is not None:
            self.journal.append((f"{operation}-failed", name))
            raise apsw.exception_for(code)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        self.meet("open", path)
        opened = ShimFile(self, path, name, flags)
        self.journal.append(("create", os.path.basename(path)))
        return opened

    def xDelete(self, path: str, sync_folder: bool) -> None:
        self.meet("delete", path)
        super().xDelete(path, sync_folder)
        self.journal.append(("delete", os.path.basename(path)))
        if sync_folder:
            self.journal.append(("sync-folder",))

    def xAccess(self, path: str, flags: int) -> bool:
        self.meet("access", path)
        return super().xAccess(path, flags)

    def connect(self, path: str) -> Shimmed:
        return Shimmed(path, self.name)


class ShimFile(apsw.VFSFile):
    def __init__(self, shim: Shim, path: str, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        self.shim, self.path, self.name = shim, path, os.path.basename(path)
        self.folder_unsynced = bool(flags[0] & _SYNCS_ITS_FOLDER)
        super().__init__("unix", name, flags)

    def xRead(self, amount: int, offset: int) -> bytes:
        self.shim.meet("read", self.path)
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:
        self.shim.meet("write", self.path)
        super().xWrite(data, offset)
        self.shim.journal.append(("write", self.name, offset, bytes(data)))

    def xTruncate(self, size: int) -> None:
        self.shim.meet("truncate", self.path)
        super().xTruncate(size)
        self.shim.journal.append(("truncate", self.name, size))

    def xSync(self, flags: int) -> None:
        self.shim.meet("sync", self.path)
        super().xSync(flags)
        self.shim.journal.append(("sync", self.name))
        if self.folder_unsynced:
            self.folder_unsynced = False
            self.shim.journal.append(("sync-folder",))

    def xLock(self, level: int) -> None:
        self.shim.meet("lock", self.path)
        super().xLock(level)

    def xFileSize(self) -> int:
        self.shim.meet("size", self.path)
        return super().xFileSize()


def replay(folder: Folder, operations: Sequence[Operation]) -> None:
    """Does to the disk what the journal says was done."""
    for operation in operations:
        match operation:
            case "create", name:
                folder.create(name)
            case "delete", name:
                folder.delete(name)
            case "write", name, offset, data:
                folder.now(name).write(offset, data)
            case "truncate", name, size:
                folder.now(name).truncate(size)
            case "sync", name:
                folder.now(name).sync()
            case "sync-failed", name:
                folder.now(name).sync_failed()
            case ("sync-folder",):
                folder.sync()


class Shimmed:
    """An apsw.Connection as the ledger knows connections: its errors are those of the sqlite3 module."""

    def __init__(self, path: str, vfs: str) -> None:
        with _as_sqlite3():
            self._inner = apsw.Connection(path, vfs=vfs)

    @property
    def in_transaction(self) -> bool:
        return self._inner.in_transaction

    def execute(self, sql: str, parameters: Sequence[object] = (), /) -> Fetched:
        with _as_sqlite3():
            return Fetched(list(self._inner.execute(sql, tuple(parameters))))  # type: ignore[arg-type]

    def close(self) -> None:
        with _as_sqlite3():
            self._inner.close()


class Fetched:
    """Rows that were all read at once."""

    def __init__(self, rows: list[Any]) -> None:
        self._rows = iter(rows)

    def fetchone(self) -> Any:
        return next(self._rows, None)

    def fetchall(self) -> list[Any]:
        return list(self._rows)

    def __iter__(self) -> Iterator[Any]:
        return self._rows


@contextmanager
def _as_sqlite3() -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        code = error.extendedresult or error.result
        raised = sqlite3.OperationalError(str(error))
        raised.sqlite_errorcode = code
        raised.sqlite_errorname = str(apsw.mapping_extended_result_codes.get(code) or code)
        raise raised from error
