"""The default witness of a ledger: a small file in the user's state folder, named after the ledger's place.

Its first line names the ledger and the entry it starts from; two slots for a head follow. The slots are written
alternately, each within one disk sector, so a crash can tear at most the older one. The file never shrinks and its heads
never go back, however many processes write.

It belongs to the user, so it is not part of the accepted catalogue, and it may be missing: another user, machine or
container starts a new one from the current ledger, with a note. A separate witness detects more (witness.py).
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
"""Bytes at the end of the file that hold the two heads."""


def state_folder() -> Path:
    """The folder lapcat in XDG_STATE_HOME or its default."""
    named = os.environ.get("XDG_STATE_HOME", "")
    return Path(named if os.path.isabs(named) else os.path.expanduser("~/.local/state")) / "lapcat"


class StateWitness(Witness):
    """`place`: the ledger's place, which determines the file name; `store`: the `--store` option for fixes of ledgers without a
    catalogue."""

    longest = 1 << 16
    ways_out: ClassVar[Mapping[str, str]] = {
        "device": "name another folder: export XDG_STATE_HOME=/var/lib/lapcat",
        "unfit": "start a new one, if the ledger is known to be the newest: mv {path} {path}.old && {adopt}",
        "silent": "start a new one, if the ledger is known to be the newest: {adopt}",
    }

    def __init__(self, place: str, store: str | None = None) -> None:
        name = hashlib.sha256(os.fsencode(place)).hexdigest()[:32]
        super().__init__(state_folder() / f"{name}.witness")
        self._place, self._store = place, store
        self._begun = Begun(GENESIS, place=place)

    def read(self, max_bytes: int | None = None) -> Testimony:
        """The whole file: it is short."""
        with self._failures():
            try:
                with self._opened(os.O_RDONLY) as file:
                    fcntl.flock(file, fcntl.LOCK_SH)
                    testimony = read_lines(_text(file).split("\n"))
            except FileNotFoundError:
                return Testimony((), 0, absent=True)
        if testimony.begun is None:
            raise self.emptied()
        return testimony

    def attend(self, testimony: Testimony, begun: Begun) -> str | None:
        if testimony.begun is not None and testimony.begun.ledger != begun.ledger:
            raise self.rolled_back(f"the ledger {begun.place} is not the one recorded by its witness")
        self._begun = begun
        if not testimony.absent:
            return None
        with self._failures():
            self._start()
        if begun.head == GENESIS:
            return None
        return (
            f"you had no witness of this ledger yet; one starts now, at entry {begun.head[0]}. From now on an older copy of "
            "the ledger, or a missing ledger, is detected."
        )

    def begin(self, begun: Begun) -> None:
        """Replaces the file with a new one, which keeps the old one's begin lines."""
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
        """Creates the file, unless another process was faster."""
        written = self._written(b"")
        try:
            with suppress(FileExistsError):
                os.link(written, self.path)
        finally:
            os.unlink(written)
        _sync_folder(self.path.parent)

    def _written(self, before: bytes) -> str:
        """Writes a new temporary file: the begin lines, padded to whole sectors, and empty heads."""
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
                        continue  # it was replaced meanwhile
                    self._overwrite(file, here.st_size - HEADS, due)
                    return
            except FileNotFoundError:
                self._start()

    def _overwrite(self, file: int, start: int, due: Head) -> None:
        """Overwrites the older head, unless another process has written a newer one."""
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
            why="the ledger's head is also written to the user's state folder, so that an older copy is detected; "
            "nothing is released before that; the charge stands, and the same question finishes under it",
            fix="name a writable folder: export XDG_STATE_HOME=/var/lib/lapcat; or under [ledger] another witness, "
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
