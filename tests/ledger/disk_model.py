"""A disk that keeps what was synced, and of everything else whatever it likes: what a power cut may leave.

A disk writes whole sectors, in any order. Until a sync has succeeded, a sector may hold any of the values that it was
given since the last one, a file may have any of its sizes, and a name in the folder may stand for any of the files that
it stood for. A sector beyond the end that was synced may hold anything at all. After a sync that failed the kernel takes
the pages for written, so that a later sync says nothing about them: what was not written again stays open for ever.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TypeVar

T = TypeVar("T")
SECTOR = 512
EMPTY = bytes(SECTOR)


@dataclass(slots=True)
class File:
    """One file: what a reader sees now, and all that may be on the disk."""

    now: bytearray = field(default_factory=bytearray)
    kept: dict[int, list[bytes]] = field(default_factory=dict)
    """Sector → what it may hold, the latest last; a sector that is not here is empty."""
    sizes: list[int] = field(default_factory=lambda: [0])
    dirty: set[int] = field(default_factory=set)
    resized: bool = False
    reach: int = 0
    """The end of what was written since the last sync."""

    @classmethod
    def durable(cls, content: bytes) -> File:
        made = cls()
        made.write(0, content)
        made.sync()
        return made

    def write(self, offset: int, data: bytes) -> None:
        end = offset + len(data)
        if end > len(self.now):
            self._resize(end)
        self.now[offset:end] = data
        self.reach = max(self.reach, end)
        self._touch(offset // SECTOR, -(-end // SECTOR))

    def truncate(self, size: int) -> None:
        before = len(self.now)
        self._resize(size)
        self._touch(min(size, before) // SECTOR, -(-max(size, before) // SECTOR))

    def sync(self) -> None:
        for sector in self.dirty:
            self.kept[sector] = self.kept[sector][-1:]
        self.sizes = self.sizes[-1:] if self.resized else [max(size, self.reach) for size in self.sizes]
        self.sync_failed()

    def sync_failed(self) -> None:
        """Nothing is known to be written, and nothing will be by the next sync."""
        self.dirty.clear()
        self.resized, self.reach = False, 0

    def after_a_cut(self, chance: Random, survival: float) -> bytes:
        size = self._pick(self.sizes, chance, survival)
        sectors = range(-(-size // SECTOR))
        content = b"".join(self._sector(sector, chance, survival) for sector in sectors)
        return content[:size]

    def _sector(self, sector: int, chance: Random, survival: float) -> bytes:
        values = self.kept.get(sector, [EMPTY])
        if len(values) > 1 and sector * SECTOR >= min(self.sizes) and chance.random() < 0.05:
            return chance.randbytes(SECTOR)
        return self._pick(values, chance, survival)

    @staticmethod
    def _pick(values: list[T], chance: Random, survival: float) -> T:
        if len(values) == 1 or chance.random() < survival:
            return values[-1]
        return chance.choice(values[:-1])

    def _resize(self, size: int) -> None:
        del self.now[size:]
        self.now.extend(bytes(size - len(self.now)))
        self.sizes.append(size)
        self.resized = True

    def _touch(self, first: int, last: int) -> None:
        for sector in range(first, last):
            start = sector * SECTOR
            value = bytes(self.now[start : start + SECTOR]).ljust(SECTOR, b"\0")
            self.kept.setdefault(sector, [EMPTY]).append(value)
            self.dirty.add(sector)


@dataclass(slots=True)
class Folder:
    """The names of one folder, and which file each may stand for; None: there is no such name."""

    names: dict[str, list[File | None]] = field(default_factory=dict)

    @classmethod
    def durable(cls, folder: Path) -> Folder:
        return cls({path.name: [File.durable(path.read_bytes())] for path in folder.iterdir()})

    def now(self, name: str) -> File:
        file = self.names[name][-1]
        assert file is not None
        return file

    def create(self, name: str) -> None:
        """If it is not there."""
        values = self.names.setdefault(name, [None])
        if values[-1] is None:
            values.append(File())

    def delete(self, name: str) -> None:
        self.names[name].append(None)

    def sync(self) -> None:
        self.names = {name: values[-1:] for name, values in self.names.items()}

    def cut(self, folder: Path, chance: Random, survival: float) -> None:
        """Writes into an empty folder what a power cut at this moment may have left.

        `survival`: the share of the sectors and sizes that are the latest although they were not synced.
        """
        for name, values in self.names.items():
            file = (
                values[-1] if len(values) == 1 or chance.random() < survival else chance.choice(values[:-1])
            )
            if file is not None:
                (folder / name).write_bytes(file.after_a_cut(chance, survival))
