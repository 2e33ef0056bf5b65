"""Spill folders for rows that do not fit into memory: readable by the owner only, one per process.

A folder is locked while its process lives and removed at its end. Leftovers of killed processes are removed by the next one
that creates a folder in the same place.
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
    """A private folder (mode 700) in `parent`, or in the system's temporary folder if `parent` is None or not writable."""

    def __init__(self, parent: Path | None = None) -> None:
        self._folder, self._held = _new_folder(parent)
        self.path = self._folder / "rows"
        self.path.mkdir(mode=0o700)
        self._end = weakref.finalize(self, _remove, self._folder, self._held, os.getpid())

    def close(self) -> None:
        """Removes the folder and its content."""
        self._end()


def _new_folder(parent: Path | None) -> tuple[Path, int]:
    """The folder, and the handle of its lock, which the system releases when the process ends."""
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
        os.rename(folder / "unlocked", folder / LOCK)  # no other process sees it before it is locked
        return folder, held
    raise AssertionError("the last place is never passed over")


def _remove(folder: Path, held: int, owner: int) -> None:
    if os.getpid() == owner:  # a forked child does not remove it
        shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        os.close(held)


def _remove_abandoned(place: Path) -> None:
    """Removes the folders of dead processes. A folder without a lock file is just being created."""
    for folder in place.glob(f"{PREFIX}*"):
        with suppress(OSError):
            status = folder.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
                continue
            held = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(held)
