"""The witness that every ledger has by itself: a small file in the user's state folder, named after the ledger's place.

It begins with a line that says which ledger it watches, from which entry on; then two places for a head, which are
written in turn, each within one sector of the disk, so that a crash can tear at most the older one. A file that was
written is never shorter afterwards and its heads never go back, however many processes write.

It is the user's own, so nobody accepts it in the catalogue, and it may be missing: another user, another machine or a
container starts one, from the ledger as it is then, and says so. A witness elsewhere sees more (witness.py).
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shlex
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from lapcat.errors import IntegrityFailed
from lapcat.ledger.chain import GENESIS, Head
from lapcat.ledger.witness import Begun, Testimony, Witness, head_line, read_lines

SECTOR = 512
HEADS = 2 * SECTOR
"""Bytes at the end of the file, for two heads."""


def state_folder() -> Path:
    """XDG_STATE_HOME, or where it is by default."""
    named = os.environ.get("XDG_STATE_HOME", "")
    return Path(named if os.path.isabs(named) else os.path.expanduser("~/.local/state")) / "lapcat"


class StateWitness(Witness):
    """`place`: where the ledger is, in the words that name the file; `store`: what the fix of an error calls it, where no
    catalogue does."""

    longest = 1 << 16
    ways_out: ClassVar[Mapping[str, str]] = {
        "device": "name another folder: export XDG_STATE_HOME=/var/lib/lapcat",
        "unfit": "begin it anew, if the ledger is known to be the newest: mv {path} {path}.old && {adopt}",
        "silent": "begin it anew, if the ledger is known to be the newest: {adopt}",
    }

    def __init__(self, place: str, store: str | None = None) -> None:
        name = hashlib.sha256(os.fsencode(place)).hexdigest()[:32]
        super().__init__(state_folder() / f"{name}.witness")
        self._place, self._store = place, store
        self._begun = Begun(GENESIS, place=place)

    def read(self, most: int | None = None) -> Testimony:
        """All that it says; it is short."""
        with self._failures():
            try:
                with self._opened(os.O_RDONLY) as file:
                    fcntl.flock(file, fcntl.LOCK_SH)
                    found = read_lines(_text(file).split("\n"))
            except FileNotFoundError:
                return Testimony((), 0, absent=True)
        if found.begun is None:
            raise self.emptied()
        return found

    def attend(self, said: Testimony, begun: Begun) -> str | None:
        if said.begun is not None and said.begun.ledger != begun.ledger:
            raise self.rolled_back(f"the ledger {begun.place} is not the one that its witness has seen")
        self._begun = begun
        if not said.absent:
            return None
        with self._failures():
            self._start()
        if begun.head == GENESIS:
            return None
        return (
            f"you had no witness of this ledger yet; one starts now, at entry {begun.head[0]}. An older copy of the "
            "ledger, or a lost one, is noticed from here on."
        )

    def begin(self, begun: Begun) -> None:
        """Writes a new file in the place of the old one, whose beginnings it keeps."""
        with self._lock, self._failures():
            before = b""
            with suppress(FileNotFoundError, IntegrityFailed), self._opened(os.O_RDONLY) as file:
                lines = _text(file).split("\n")
                before = "".join(f"{line.rstrip()}\n" for line in lines if Begun.read(line)).encode()
            self._begun = begun
            written = self._written(before[-self.longest // 2 :])
            try:
                os.replace(written, self.path)
            except OSError:
                os.unlink(written)
                raise
            _sync_folder(self.path.parent)
            self._newest, self._due = begun.head[0], begun.head

    def _start(self) -> None:
        """Makes the file, unless another process was faster."""
        written = self._written(b"")
        try:
            with suppress(FileExistsError):
                os.link(written, self.path)
        finally:
            os.unlink(written)
        _sync_folder(self.path.parent)

    def _written(self, before: bytes) -> str:
        """A new file, not in its place yet: the beginnings, filled up to whole sectors, and no heads."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        text = before + self._begun.line().encode()
        text += b" " * (-(len(text) + 1) % SECTOR) + b"\n"
        file, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=self.path.parent)  # mode 600
        with open(file, "wb") as stream:
            stream.write(text + 2 * (b" " * (SECTOR - 1) + b"\n"))
            stream.flush()
            os.fsync(stream.fileno())
        return name

    def _say(self, due: Head) -> None:
        while True:
            try:
                with self._opened(os.O_RDWR) as file:
                    fcntl.flock(file, fcntl.LOCK_EX)
                    here = os.fstat(file)
                    if not os.path.samestat(here, os.stat(self.path)):
                        continue  # it began anew meanwhile
                    self._overwrite(file, here.st_size - HEADS, due)
                    return
            except FileNotFoundError:
                self._start()

    def _overwrite(self, file: int, start: int, due: Head) -> None:
        """In the place of the older head, unless a newer one is there: others write too."""
        slots = os.pread(file, HEADS, max(start, 0)).decode("ascii", "replace")
        if start < SECTOR or len(slots) != HEADS:
            raise self.emptied()
        heads = [read_lines([slots[at : at + SECTOR].rstrip()]).last for at in (0, SECTOR)]
        if max(heads) >= due:
            return
        older = start + SECTOR * heads.index(min(heads))
        os.pwrite(file, head_line(due).ljust(SECTOR - 1).encode() + b"\n", older)
        os.fdatasync(file)

    def command(self, verb: str, why: str) -> str:
        store = "" if self._store is None else f" --store {shlex.quote(self._store)}"
        return super().command(verb, why) + store

    def _failed(self, problem: OSError) -> IntegrityFailed:
        return IntegrityFailed(
            "witness-failed",
            f"the witness {self.path} cannot be read or written: {problem.strerror}",
            why="how far the ledger has come is also kept in the user's state folder, so that an older copy is noticed; "
            "nothing is released before that; what was charged stands, and the same question finishes under it",
            fix="a folder that can be written: export XDG_STATE_HOME=/var/lib/lapcat; or under [ledger] another witness, "
            'or none: witness = "none"',
        )


def _text(file: int) -> str:
    return os.pread(file, os.fstat(file).st_size, 0).decode("ascii", "replace")


def _sync_folder(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
