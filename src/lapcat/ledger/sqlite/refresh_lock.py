"""One refresh at a time: a lock on the folder of the ledger, held by a live process and by nobody else.

The lock is the system's: it ends with the process, however that ends, and it leaves no file behind.
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
    """Waits until nobody else is in here for a ledger of the folder (None: of this process); `waits` is called if it must."""
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
