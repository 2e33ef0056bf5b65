"""Where processes stand in line for a file: whoever has waited for long goes first, in the order in which they came.

SQLite lets whoever asks at the right moment write, so on a busy machine one process may ask in vain for seconds. Here each
that has to wait locks one byte of a side file, at the nanosecond at which it came; and nobody tries SQLite's own lock while
a byte is locked that stands before its own and for long. The file stays empty, the bytes are locked and never written, and
the locks of a process end with it, however it ends.

It is a courtesy and nothing rests on it: SQLite's lock decides who writes. Where there is no such file or no such lock (a
folder that cannot be written, another user's file, macOS), everybody asks as often as before.
"""

from __future__ import annotations

import fcntl
import os
import struct
import time
from contextlib import suppress

SUFFIX = "-turn"
LONG, LONGEST = 300_000_000, 3_000_000_000
"""Nanoseconds. Whoever has waited for 0.3 seconds goes first; before that, whoever is awake may write, for the file
would lie idle until the next in line is. Whoever came longer ago than the other is not waited for: it may have been stopped."""
_LOCK, _LOOK = (getattr(fcntl, name, None) for name in ("F_OFD_SETLK", "F_OFD_GETLK"))
"""Locks that belong to an open file, not to a process: other threads, and other ledgers, stand in line by themselves."""


class LockQueue:
    """The line before one ledger, as one open ledger sees it. Not thread-safe: a store has one writer at a time."""

    def __init__(self, ledger: str) -> None:
        self._ledger = ledger
        self._file: int | None = None
        self._place: int | None = None

    def stand(self) -> None:
        """Takes the place at the end of the line, unless this one has a place, or there is no line."""
        if self._file is None:
            self._open()
        if self._file is not None and self._place is None:
            place = time.monotonic_ns()  # the same clock for all processes of a machine
            with suppress(OSError):
                _ask(self._file, _LOCK, fcntl.F_WRLCK, place, 1)
                self._place = place

    def is_free(self) -> bool:
        """Whether nobody who came before this one has waited for long."""
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
        """Gives the place up: it is this one's turn, or it has waited for too long."""
        if self._file is not None and self._place is not None:
            with suppress(OSError):
                _ask(self._file, _LOCK, fcntl.F_UNLCK, self._place, 1)
        self._place = None

    def close(self) -> None:
        """Nothing of it is left open, so that a child of fork does not inherit a place."""
        if self._file is not None:
            with suppress(OSError):
                os.close(self._file)
        self._file = self._place = None

    def _open(self) -> None:
        """The side file, which whoever may write the ledger may write; nothing where it cannot be had."""
        if _LOCK is None or _LOOK is None:
            return
        with suppress(OSError):
            mode = os.stat(self._ledger).st_mode & 0o666
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            self._file = os.open(self._ledger + SUFFIX, flags, mode)


def _ask(file: int, command: int | None, kind: int, start: int, many: int) -> int:
    """One question about the locks of a file: what kind of lock stands against it, or was made."""
    assert command is not None
    asked = struct.pack("hhqqi", kind, os.SEEK_SET, start, many, 0)
    return int(struct.unpack_from("h", fcntl.fcntl(file, command, asked))[0])
