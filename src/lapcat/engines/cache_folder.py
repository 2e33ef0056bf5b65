"""The folder beside the catalogue in which snapshots of files are kept, for the owner's eyes alone.

    visits_csv-1a2b3c4d.7.parquet              a snapshot (a folder …7.spark, where Spark wrote it)
    .visits_csv-1a2b3c4d.7.parquet.4711.part   one that is being written, locked by the process that writes it
    .visits_csv-1a2b3c4d.7.parquet.4711.spill  what that process moved out of its memory

The lock is the system's and ends with the process, so what a killed one left behind is told from what is being written.
"""

from __future__ import annotations

import fcntl
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from lapcat.errors import EngineFailed

CACHE = "lapcat.cache"
_SNAPSHOT = re.compile(r".+-[0-9a-f]{8}\.\d+\.(parquet|spark)")
_UNFINISHED = re.compile(r"\.(.+)\.(\d+)\.(part|spill)")


@dataclass(frozen=True, slots=True)
class StoredSnapshot:
    """A snapshot that is there, or what is there of one that was never finished."""

    path: Path
    size: int
    """In bytes."""
    unfinished: bool = False
    being_written: bool = False


def private_folder(folder: Path) -> None:
    """Makes the folder for its owner alone; one that others can enter is refused."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    require_private(folder)


def require_private(folder: Path) -> None:
    """Refuses a folder that others can read or write: it holds private rows, and what is in it is believed."""
    try:
        mode = folder.stat().st_mode & 0o777
    except OSError:
        return  # nothing is there that could be read
    if mode & 0o077:
        raise EngineFailed(
            "cache-open",
            f"other users can read or change {folder} (mode {mode:03o})",
            why="it holds the private rows that questions read",
            fix=f"chmod 700 {shlex.quote(str(folder))}",
        )


@contextmanager
def new_file(path: Path) -> Iterator[None]:
    """An empty file for the owner alone, locked while it is written; it is gone afterwards unless it was moved."""
    while True:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        fcntl.flock(handle, fcntl.LOCK_EX)
        if _is_at(handle, path):
            break
        os.close(handle)  # somebody took it for what a killed process left behind
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(handle)


@contextmanager
def new_folder(path: Path) -> Iterator[None]:
    """The same as a folder."""
    while True:
        path.mkdir(mode=0o700, exist_ok=True)
        handle = os.open(path, os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX)
        if _is_at(handle, path):
            break
        os.close(handle)
    try:
        yield
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(handle)


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


def stored_in(folder: Path) -> list[StoredSnapshot]:
    """All snapshots in the folder, and what is left of unfinished ones; nothing else that may be there."""
    found = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        unfinished = _UNFINISHED.fullmatch(path.name)
        if unfinished is not None:
            part = path.with_name(f".{unfinished[1]}.{unfinished[2]}.part")
            found.append(StoredSnapshot(path, _size(path), True, _is_locked(part)))
        elif _SNAPSHOT.fullmatch(path.name):
            found.append(StoredSnapshot(path, _size(path)))
    return found


def remove(path: Path) -> None:
    """Removes a snapshot, a file or a folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _size(path: Path) -> int:
    total = 0
    for each in [path, *path.rglob("*")] if path.is_dir() else [path]:
        with suppress(OSError):
            total += each.stat().st_size if each.is_file() else 0
    return total


def _is_locked(path: Path) -> bool:
    """Whether a live process holds the lock; what cannot be opened is taken for locked."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return False
    except OSError:
        return True
    finally:
        os.close(handle)
