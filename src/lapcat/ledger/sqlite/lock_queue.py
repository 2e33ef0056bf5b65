"""A fair queue of processes for a ledger file: processes that have waited for long go first, in order of arrival.

SQLite's lock is not fair, so on a busy machine a process may starve for seconds. Here each waiting process locks one byte of
a side file, at the offset of its arrival time in nanoseconds; and no process tries SQLite's lock while an earlier byte has
been locked for long. The file stays empty: the bytes are locked and never written, and the locks end with their process.

Correctness does not depend on it: SQLite's lock decides who writes. Without the file or such locks (a folder that cannot be
written, another user's file, macOS), all processes simply retry.
"""

from __future__ import annotations

import fcntl
import os
import struct
import time
from contextlib import suppress

SUFFIX = "-turn"
LONG, LONGEST = 300_000_000, 3_000_000_000
"""Nanoseconds. A process that has waited for LONG goes first; before that any process may write, because the file would be
idle until the next in line wakes up. A process that has waited for more than LONGEST is ignored: it may have been stopped."""
_LOCK, _LOOK = (getattr(fcntl, name, None) for name in ("F_OFD_SETLK", "F_OFD_GETLK"))
"""Open-file-description locks, which belong to an open file, not a process: threads and ledgers queue separately."""


class LockQueue:
    """The queue of one ledger file, for one open ledger. Not thread-safe: a store has one writer at a time."""

    def __init__(self, ledger: str) -> None:
        self._ledger = ledger
        self._file: int | None = None
        self._place: int | None = None

    def stand(self) -> None:
        """Joins the end of the queue, unless already in it or there is no queue."""
        if self._file is None:
            self._open()
        if self._file is not None and self._place is None:
            place = time.monotonic_ns()  # the same clock for all processes of a machine
            with suppress(OSError):
                _ask(self._file, _LOCK, fcntl.F_WRLCK, place, 1)
                self._place = place

    def is_free(self) -> bool:
        """Whether no earlier process has waited for long."""
        if self._file is None:
            return True
        now = time.monotonic_ns()
        start, end = max(0, now - LONGEST), now - LONG
        if self._place is not None:
            end = min(end, self._place)
        if end <= start:
            return True
        try:
            return _ask(self._file, _LOOK, fcntl.F_WRLCK, start, end - start) == fcntl.F_UNLCK
        except OSError:
            return True

    def leave(self) -> None:
        """Leaves the queue, after the statement succeeded or timed out."""
        if self._file is not None and self._place is not None:
            with suppress(OSError):
                _ask(self._file, _LOCK, fcntl.F_UNLCK, self._place, 1)
        self._place = None

    def close(self) -> None:
        """Closes the file, so that a forked child does not inherit a place in the queue."""
        if self._file is not None:
            with suppress(OSError):
                os.close(self._file)
        self._file = self._place = None

    def _open(self) -> None:
        """Opens the side file, with the ledger's permissions; does nothing if that fails."""
        if _LOCK is None or _LOOK is None:
            return
        with suppress(OSError):
            mode = os.stat(self._ledger).st_mode & 0o666
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            self._file = os.open(self._ledger + SUFFIX, flags, mode)


def _ask(file: int, command: int | None, kind: int, start: int, many: int) -> int:
    """One lock operation on a byte range; returns the type of the conflicting lock, or of the lock set."""
    assert command is not None
    asked = struct.pack("hhqqi", kind, os.SEEK_SET, start, many, 0)
    return int(struct.unpack_from("h", fcntl.fcntl(file, command, asked))[0])
