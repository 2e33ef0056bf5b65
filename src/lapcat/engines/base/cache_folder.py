"""The cache folder: snapshots of files, beside the catalogue, readable by the owner only.

    visits_csv-1a2b3c4d.7.parquet              a snapshot (a folder …7.spark, where Spark wrote it)
    .visits_csv-1a2b3c4d.7.parquet.4711.part   a snapshot being written, locked by its writer
    .visits_csv-1a2b3c4d.7.parquet.4711.spill  what the writer spilled to disk

The operating system drops the lock when the process ends, so leftovers of a killed process can be recognised.
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
_SNAPSHOT = re.compile(r".+-[0-9a-f]{8}\.\d+\.[a-z]+")
_UNFINISHED = re.compile(r"\.(.+)\.(\d+)\.(part|spill)")


@dataclass(frozen=True, slots=True)
class StoredSnapshot:
    """A stored snapshot, or the leftovers of an unfinished one."""

    path: Path
    size: int
    """In bytes."""
    unfinished: bool = False
    being_written: bool = False


def private_folder(folder: Path) -> None:
    """Creates the folder with mode 700; refuses one that other users can enter."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    require_private(folder)


def require_private(folder: Path) -> None:
    """Refuses a folder that other users can read or write: it holds private rows, and its contents are trusted."""
    try:
        mode = folder.stat().st_mode & 0o777
    except OSError:
        return  # the folder does not exist
    if mode & 0o077:
        raise EngineFailed(
            "cache-open",
            f"other users can read or change {folder} (mode {mode:03o})",
            why="it holds the private rows that questions read",
            fix=f"chmod 700 {shlex.quote(str(folder))}",
        )


@contextmanager
def new_file(path: Path) -> Iterator[None]:
    """Creates an empty file with mode 600, locked inside the block and removed after it unless it was moved."""
    while True:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        fcntl.flock(handle, fcntl.LOCK_EX)
        if _is_at(handle, path):
            break
        os.close(handle)  # another process removed it as a leftover
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(handle)


@contextmanager
def new_folder(path: Path) -> Iterator[None]:
    """The same for a folder, with mode 700."""
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
    """All snapshots in the folder and the leftovers of unfinished ones; other files are ignored."""
    snapshots = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        unfinished = _UNFINISHED.fullmatch(path.name)
        if unfinished is not None:
            part = path.with_name(f".{unfinished[1]}.{unfinished[2]}.part")
            snapshots.append(StoredSnapshot(path, _size(path), True, _is_locked(part)))
        elif _SNAPSHOT.fullmatch(path.name):
            snapshots.append(StoredSnapshot(path, _size(path)))
    return snapshots


def remove(path: Path) -> None:
    """Removes a snapshot (a file or a folder) if it exists."""
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
    """Whether a live process holds the lock. A file that cannot be opened counts as locked."""
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
