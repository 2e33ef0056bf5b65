"""Estimates the disk space of a snapshot from the size of the source's files."""

from __future__ import annotations

import shutil
from pathlib import Path

from lapcat.engines.base.sources import Source
from lapcat.errors import EngineFailed

TIMES = 2
"""Factor: a snapshot also has an index and sums, and sorting spills to disk."""


def disk_needed(source: Source) -> int | None:
    """Estimated bytes; None if the source is not a file of its own (a server, or one of several tables)."""
    if source.table is not None:
        return None
    try:
        if source.path.is_dir():
            return TIMES * sum(file.stat().st_size for file in source.path.rglob("*.parquet"))
        return TIMES * source.path.stat().st_size
    except OSError:  # the error is reported when the source is read
        return None


def free_disk(folder: Path) -> int:
    return shutil.disk_usage(folder).free


def require_room(source: Source, folder: Path) -> None:
    """Raises if the snapshot will not fit."""
    needed = disk_needed(source)
    if needed is not None and needed > free_disk(folder):
        raise EngineFailed(
            "disk-room",
            f"the snapshot of {source.name} needs about {shown(needed)} of disk, but only {shown(free_disk(folder))} are free",
            why="each table is stored twice: as its source, and as the snapshot that questions read",
            fix="lapcat snapshots prune; or free disk elsewhere, or move the catalogue's folder to a larger one",
        )


def shown(size: int) -> str:
    """A number of bytes, in a unit that leaves few digits."""
    for unit in ("bytes", "KiB", "MiB"):
        if size < 10 * 1024:
            return f"{size} {unit}"
        size //= 1024
    return f"{size} GiB"
