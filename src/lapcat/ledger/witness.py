"""The witness: a separate file that records the heads of the ledger, so that a rollback to an older copy is detected.

After every commit, and before anything is released, a line `{"hash": …, "id": …}` is appended and synced. Every line was
once an entry of the ledger, so a ledger without that entry, or with another hash for it, was rolled back or rewritten.
Processes append after they commit, so lines may be out of order; all of them hold.

A line `{"begins": …}` records that the steward continued with the ledger as of then (`lapcat ledger adopt`,
`lapcat ledger new`), and why: earlier lines no longer bind, and stay in the file.

A line torn by a crash is skipped; the complete lines before it still bind. The file is never created here: if a mount is
missing, a new empty witness would forget everything. state_witness.py is the default witness, used unless the catalogue
names one.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import shlex
import stat
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from lapcat.errors import IntegrityFailed
from lapcat.ledger.chain import GENESIS, Head, canonical

_LINE = re.compile(r'\{"hash":"([0-9a-f]{64})","id":([1-9][0-9]{0,18})\} *')
_BEGINS = '{"begins":'
RECENT = 1 << 16
"""Bytes at the end of the file that are read at every opening of a ledger: about the last 700 lines."""


@dataclass(frozen=True, slots=True)
class Begun:
    """The start of a witness: the ledger and entry it counts from, when and why."""

    head: Head
    ledger: str | None = None
    """The ledger's identity (SQLLedger.identity)."""
    place: str | None = None
    reason: str | None = None
    time: str | None = None
    before: Head = GENESIS
    """The newest entry in the witness before."""

    def line(self) -> str:
        fields = {
            "id": self.head[0],
            "hash": self.head[1],
            "ledger": self.ledger,
            "place": self.place,
            "reason": self.reason,
            "time": self.time,
            "before": list(self.before),
        }
        return canonical({"begins": fields})

    @classmethod
    def read(cls, line: str) -> Begun | None:
        """
        >>> Begun.read(Begun((1, "a" * 64), reason="moved").line()).reason
        'moved'
        >>> Begun.read('{"begins":{"id":1,"hash"')
        """
        try:
            value = json.loads(line)
        except ValueError:
            return None
        match value:
            case {
                "begins": {
                    "id": int(id), "hash": str(hash), "ledger": str() | None as ledger, "place": str() | None as place,
                    "reason": str() | None as reason, "time": str() | None as time,
                    "before": [int(last), str(last_hash)],
                }
            }:  # fmt: skip
                return cls((id, hash), ledger, place, reason, time, (last, last_hash))
        return None


@dataclass(frozen=True, slots=True)
class Testimony:
    """The contents of a witness: heads that the ledger has had, and the number of unreadable lines."""

    heads: tuple[Head, ...]
    torn: int
    begun: Begun | None = None
    """The last begin line."""
    absent: bool = False
    """Whether there is no file yet, for a witness that is created automatically."""

    @property
    def last(self) -> Head:
        """The newest head; that of an empty ledger if there is none."""
        return max(self.heads, default=GENESIS)

    @property
    def silent(self) -> bool:
        """Whether it is empty: new, or emptied."""
        return not self.heads and self.begun is None and not self.absent


def read_lines(lines: Iterable[str]) -> Testimony:
    heads: list[Head] = []
    begun, torn = None, 0
    for line in lines:
        if match := _LINE.fullmatch(line):
            heads.append((int(match[2]), match[1]))
        elif line.startswith(_BEGINS) and (again := Begun.read(line)) is not None:
            begun, heads = again, [again.head] if again.head != GENESIS else []
        elif line.strip():
            torn += 1
    return Testimony(tuple(heads), torn, begun)


class Witness:
    """The witness file, as read and extended by one process. Thread-safe; other processes may append to it too."""

    longest = 1 << 30
    """Maximum size in bytes; a larger file was not written by lapcat and is not read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._newest = 0
        """The largest entry id known to be in the file."""
        self._due = GENESIS
        """The newest head known to be durable in the ledger."""
        _WITNESSES.add(self)

    def read(self, max_bytes: int | None = None) -> Testimony:
        """The contents of the file, or of its last `max_bytes`."""
        with self._failures(), self._opened(os.O_RDONLY) as file:
            size = os.fstat(file).st_size
            start = 0 if max_bytes is None else max(0, size - max_bytes)
            with open(file, "rb", closefd=False) as stream:
                stream.seek(start)
                lines = stream.read(size - start).decode("ascii", "replace").split("\n")
        return read_lines(lines[1:] if start > 0 else lines)  # the first line may be incomplete

    def check(self, testimony: Testimony, head: Head, hash_of: Callable[[int], str | None]) -> None:
        """Raises unless every head in the testimony is in the ledger, which ends with `head`.

        The witness must be read before the ledger: other processes append to the ledger first.
        """
        if testimony.last[0] > head[0]:
            raise self.rolled_back(
                f"the ledger ends with entry {head[0]}, but its witness has recorded entry {testimony.last[0]}"
            )
        for id, hash in dict.fromkeys(testimony.heads):
            if hash_of(id) != hash:
                raise self.rolled_back(f"entry {id} of the ledger is not the one recorded by its witness")
        with self._lock:
            self._newest = max(self._newest, testimony.last[0])

    def attend(self, testimony: Testimony, begun: Begun) -> str | None:
        """Attaches it to this ledger, which has passed `check`; returns a note for the steward, if any."""
        return None

    def missing(self, place: str) -> IntegrityFailed | None:
        """Why no ledger may be created at an empty place: this witness has recorded one there."""
        last = self.read(RECENT).last
        if last == GENESIS:
            return None
        return IntegrityFailed(
            "ledger-missing",
            f"the ledger {place} is missing or empty: its witness has recorded {last[0]} entries",
            why=f"a new ledger would let the whole budget be spent again (the witness is {self.path})",
            fix=f"put your newest copy of the ledger back in its place; if there is none: {self.command('new', 'why it is gone')}",
        )

    def settle(self, head: Head) -> None:
        """Durably records this head, unless a newer one is recorded. Called before anything is released.

        Threads that arrive during a sync share the next line, which records the newest of their heads.
        """
        self._due = max(self._due, head)
        with self._lock:
            if head[0] > self._newest:
                due = max(self._due, head)  # another thread may have overwritten it with an older one
                with self._failures():
                    self._say(due)
                self._newest = due[0]

    def begin(self, begun: Begun) -> None:
        """Starts counting from here: earlier lines no longer bind."""
        with self._lock, self._failures():
            self._append(begun.line())
            self._newest, self._due = begun.head[0], begun.head

    def _say(self, due: Head) -> None:
        self._append(head_line(due))

    def _append(self, line: str) -> None:
        with self._opened(os.O_RDWR | os.O_APPEND) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            size = os.fstat(file).st_size
            torn = size > 0 and os.pread(file, 1, size - 1) != b"\n"
            write_all(file, (("\n" if torn else "") + line + "\n").encode())
            os.fsync(file)

    @contextmanager
    def _opened(self, flags: int) -> Iterator[int]:
        """The open file. Its type is checked before opening: opening a pipe would block."""
        self._require_file(os.stat(self.path))
        file = os.open(self.path, flags | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            self._require_file(os.fstat(file))
            yield file
        finally:
            os.close(file)

    def _require_file(self, status: os.stat_result) -> None:
        what = next((name for is_one, name in _KINDS if is_one(status.st_mode)), None)
        if what is None and not stat.S_ISREG(status.st_mode):
            what = "something else"
        if what is None and status.st_size > self.longest:
            what = f"{status.st_size} bytes long"
        if what is not None:
            device = stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode)
            raise IntegrityFailed(
                "witness-failed",
                f"the witness {self.path} is {what}, not a file that lapcat wrote; it was not read",
                why="nothing is released before the witness has recorded the ledger's head",
                fix=self.ways_out["device" if device else "unfit"].format(
                    path=shlex.quote(str(self.path)), adopt=self.command("adopt", "why the witness was lost")
                ),
            )

    ways_out: ClassVar[Mapping[str, str]] = {
        "device": 'name a file elsewhere: witness = "/mnt/elsewhere/lapcat.witness" under [ledger]; touch it; then '
        'lapcat accept --reason "why the witness is another"',
        "unfit": "put the witness back in its place; or start a new one, if the ledger is known to be the newest: "
        "mv {path} {path}.old && touch {path} && {adopt}",
        "silent": "put its newest copy back in its place; or start a new one, if the ledger is known to be the newest: {adopt}",
    }

    def command(self, verb: str, why: str) -> str:
        return f'lapcat ledger {verb} --reason "{why}"'

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            raise self._failed(problem) from None

    def _failed(self, problem: OSError) -> IntegrityFailed:
        quoted = shlex.quote(str(self.path))
        missing = isinstance(problem, FileNotFoundError)
        return IntegrityFailed(
            "witness-failed",
            f"there is no witness at {self.path}"
            if missing
            else f"the witness {self.path} cannot be read or written: {problem.strerror}",
            why="nothing is released before the witness has recorded the ledger's head; the charge stands, "
            "and the same question finishes under it",
            fix=f"mount its folder; to start a new witness: touch {quoted}"
            if missing
            else f"check the file (ls -l {quoted}), then ask the same question again",
        )

    def emptied(self) -> IntegrityFailed:
        """The error for a witness that is empty although it should not be."""
        return IntegrityFailed(
            "witness-emptied",
            f"the witness {self.path} is empty or unreadable, although it has recorded this ledger before",
            why="an empty witness cannot detect missing ledger entries",
            fix=self.ways_out["silent"].format(adopt=self.command("adopt", "why the witness was lost")),
        )

    def rolled_back(self, message: str) -> IntegrityFailed:
        return rolled_back(
            message,
            f"the witness {self.path}",
            fix="put the newest copy of the ledger back in its place, with the -wal file that lay beside it; if there is "
            f"none: {self.command('adopt', 'why the newest entries are lost')}",
        )

    def after_fork(self) -> None:
        """In the child: the lock may be held by a thread of the parent."""
        self._lock = threading.Lock()


_KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


def head_line(head: Head) -> str:
    return canonical({"id": head[0], "hash": head[1]})


def write_all(file: int, data: bytes) -> None:
    """Writes at the current position; a partial write means that the disk is full."""
    if os.write(file, data) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def rolled_back(
    message: str,
    evidence: str,
    fix: str = "put the newest copy of the ledger back in its place; an older one does not record all debits",
) -> IntegrityFailed:
    """The error for a ledger that is older than its evidence, or another one."""
    return IntegrityFailed(
        "ledger-rolled-back",
        message,
        why=f"{evidence} proves it: this is an older copy, or it was truncated, or the -wal file beside it was removed; "
        "later debits are missing",
        fix=fix,
    )


_WITNESSES: weakref.WeakSet[Witness] = weakref.WeakSet()


def _after_fork() -> None:
    for witness in list(_WITNESSES):
        witness.after_fork()


os.register_at_fork(after_in_child=_after_fork)
