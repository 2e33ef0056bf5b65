"""Folders for rows that do not fit into memory: for the owner's eyes alone, one for each process that needs one.

A folder is locked while its process lives and removed when it is done. What a process left behind that was killed is removed by
the next one that needs a folder in the same place.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path

PREFIX = ".lapcat-spill-"
LOCK = "owner.lock"


class Spill:
    """A private folder (mode 700) in `parent`, or, where that cannot be written to or is None, in the system's own place for
    temporary files."""

    def __init__(self, parent: Path | None = None) -> None:
        self._made, self._held = _made(parent)
        self.path = self._made / "rows"
        self.path.mkdir(mode=0o700)
        self._end = weakref.finalize(self, _remove, self._made, self._held, os.getpid())

    def close(self) -> None:
        """Removes the folder with all that is in it."""
        self._end()


def _made(parent: Path | None) -> tuple[Path, int]:
    """The folder, and the handle of its lock, which the system lets go of when the process ends."""
    for place in (parent, Path(tempfile.gettempdir())):
        if place is None:
            continue
        try:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            _remove_abandoned(place)
            folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=os.path.realpath(place)))  # of mode 700
        except OSError:
            if place is not parent:
                raise
            continue
        held = os.open(folder / "unlocked", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(held, fcntl.LOCK_EX)
        os.rename(folder / "unlocked", folder / LOCK)  # nobody finds it before it is locked
        return folder, held
    raise AssertionError("the last place is never passed over")


def _remove(folder: Path, held: int, owner: int) -> None:
    if os.getpid() == owner:  # a copy of the process, made by fork, leaves it alone
        shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        os.close(held)


def _remove_abandoned(place: Path) -> None:
    """Removes the folders of processes that are gone. One without a lock is being made this moment."""
    for folder in place.glob(f"{PREFIX}*"):
        with suppress(OSError):
            found = folder.lstat()
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
                continue
            held = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(held)
