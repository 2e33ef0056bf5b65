"""The lock of refreshes: an flock on the folder of the ledger.

It ends with the process and leaves no file behind.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_IN_MEMORY = threading.Lock()


@contextmanager
def alone_in(folder: str | None, waits: Callable[[], None]) -> Iterator[None]:
    """Holds the lock of a folder (None: of this process); `waits` is called if it must wait."""
    if folder is None:
        with _IN_MEMORY:
            yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waits()
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
