"""The witness: a file elsewhere that remembers how far the book had come, so that an older copy of it is noticed.

After every commit, and before anything is released, a line `{"hash": …, "id": …}` is appended and synced. Whatever the
witness has a line for was in the book, so a book without that entry, or with another hash for it, was rolled back or
rewritten. Processes append after they commit, so lines may stand out of order; all of them are true.

A line `{"begins": …}` says that the steward went on with a book as it was then (`lapcat ledger adopt`, `lapcat ledger new`),
and why: what was seen before it binds no more, and stays in the file.

A line that a crash cut short says nothing and is passed over; the whole lines before it still bind. The file is never
made here: where a mount is missing, a new empty witness would forget everything. state_witness.py is the witness that
every ledger has unless the catalogue names one.
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
"""Bytes at the end of the file that are read whenever a book is opened: the last 700 lines or so."""


@dataclass(frozen=True, slots=True)
class Begun:
    """From which entry of which ledger a witness counts, since when and why."""

    head: Head
    ledger: str | None = None
    """What tells the ledger from others (SQLLedger.identity)."""
    place: str | None = None
    reason: str | None = None
    time: str | None = None
    before: Head = GENESIS
    """The newest entry that the witness had seen before."""

    def line(self) -> str:
        said = {
            "id": self.head[0],
            "hash": self.head[1],
            "ledger": self.ledger,
            "place": self.place,
            "reason": self.reason,
            "time": self.time,
            "before": list(self.before),
        }
        return canonical({"begins": said})

    @classmethod
    def read(cls, line: str) -> Begun | None:
        """
        >>> Begun.read(Begun((1, "a" * 64), reason="moved").line()).reason
        'moved'
        >>> Begun.read('{"begins":{"id":1,"hash"')
        """
        try:
            found = json.loads(line)
        except ValueError:
            return None
        match found:
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
    """What the witness says: heads that the book has had, and how many lines cannot be read."""

    heads: tuple[Head, ...]
    torn: int
    begun: Begun | None = None
    """The last time that it began anew."""
    absent: bool = False
    """Whether there is no witness yet, where one is made by itself."""

    @property
    def last(self) -> Head:
        """The newest head; that of an empty book where there is none."""
        return max(self.heads, default=GENESIS)

    @property
    def silent(self) -> bool:
        """Whether it says nothing at all: it is new, or was emptied."""
        return not self.heads and self.begun is None and not self.absent


def read_lines(lines: Iterable[str]) -> Testimony:
    heads: list[Head] = []
    begun, torn = None, 0
    for line in lines:
        if found := _LINE.fullmatch(line):
            heads.append((int(found[2]), found[1]))
        elif line.startswith(_BEGINS) and (again := Begun.read(line)) is not None:
            begun, heads = again, [again.head] if again.head != GENESIS else []
        elif line.strip():
            torn += 1
    return Testimony(tuple(heads), torn, begun)


class Witness:
    """The file, as one process reads and extends it. Thread-safe; other processes may append to it too."""

    longest = 1 << 30
    """Bytes; what is longer is none that lapcat wrote, and is not read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._newest = 0
        """The largest number that is known to be in the file."""
        self._due = GENESIS
        """The newest head that is known to be durable in the book."""
        _WITNESSES.add(self)

    def read(self, most: int | None = None) -> Testimony:
        """All that it says, or what stands in its last bytes."""
        with self._failures(), self._opened(os.O_RDONLY) as file:
            size = os.fstat(file).st_size
            start = 0 if most is None else max(0, size - most)
            with open(file, "rb", closefd=False) as stream:
                stream.seek(start)
                lines = stream.read(size - start).decode("ascii", "replace").split("\n")
        return read_lines(lines[1:] if start > 0 else lines)  # it may begin somewhere inside a line

    def check(self, said: Testimony, head: Head, hash_of: Callable[[int], str | None]) -> None:
        """Raises unless all that was said is in the book, which ends with `head`.

        It must have been read before the book was: others append all the time, to the book first.
        """
        if said.last[0] > head[0]:
            raise self.rolled_back(
                f"the ledger ends with entry {head[0]}, and its witness has seen entry {said.last[0]}"
            )
        for id, hash in dict.fromkeys(said.heads):
            if hash_of(id) != hash:
                raise self.rolled_back(f"entry {id} of the ledger is not the one that its witness has seen")
        with self._lock:
            self._newest = max(self._newest, said.last[0])

    def attend(self, said: Testimony, begun: Begun) -> str | None:
        """From now on it watches this book, which has passed `check`; what the steward should know of it, if anything."""
        return None

    def missing(self, place: str) -> IntegrityFailed | None:
        """Why no ledger may be made in a place where there is none: this witness knows one."""
        last = self.read(RECENT).last
        if last == GENESIS:
            return None
        return IntegrityFailed(
            "ledger-missing",
            f"the ledger {place} is gone, or empty: its witness has seen {last[0]} entries in it",
            why=f"what was spent is written there, and a new ledger would let all of it be spent again (the witness is "
            f"{self.path})",
            fix=f"put your newest copy of the ledger back in its place; if there is none: {self.command('new', 'why it is gone')}",
        )

    def settle(self, head: Head) -> None:
        """Durably says that the book has come to this head, unless that has been said. Called before anything is released.

        Threads that come while one waits for the disk are served by the next line together: it names the last of them.
        """
        self._due = max(self._due, head)
        with self._lock:
            if head[0] > self._newest:
                due = max(self._due, head)  # another thread may have put its own, older one there
                with self._failures():
                    self._say(due)
                self._newest = due[0]

    def begin(self, begun: Begun) -> None:
        """Says that it counts from here: what it has seen before binds no more."""
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
        """The file, if it is one. What it is, is asked before it is opened: a pipe would be waited for."""
        self._require_file(os.stat(self.path))
        file = os.open(self.path, flags | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            self._require_file(os.fstat(file))
            yield file
        finally:
            os.close(file)

    def _require_file(self, found: os.stat_result) -> None:
        what = next((name for is_one, name in _KINDS if is_one(found.st_mode)), None)
        if what is None and not stat.S_ISREG(found.st_mode):
            what = "something else"
        if what is None and found.st_size > self.longest:
            what = f"{found.st_size} bytes long"
        if what is not None:
            device = stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode)
            raise IntegrityFailed(
                "witness-failed",
                f"the witness {self.path} is {what}, and no file that lapcat wrote; it was not read",
                why="nothing is released before the witness has seen the ledger",
                fix=self.ways_out["device" if device else "unfit"].format(
                    path=shlex.quote(str(self.path)), adopt=self.command("adopt", "why the witness was lost")
                ),
            )

    ways_out: ClassVar[Mapping[str, str]] = {
        "device": 'name a file elsewhere: witness = "/mnt/elsewhere/lapcat.witness" under [ledger]; touch it; then '
        'lapcat accept --reason "why the witness is another"',
        "unfit": "put the witness back in its place; or begin it anew, if the ledger is known to be the newest: "
        "mv {path} {path}.old && touch {path} && {adopt}",
        "silent": "put its newest copy back in its place; or begin it anew, if the ledger is known to be the newest: {adopt}",
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
            why="nothing is released before the witness has seen the ledger; what was charged stands, "
            "and the same question finishes under it",
            fix=f"mount the place where it lies; a new witness begins with: touch {quoted}"
            if missing
            else f"see to it (ls -l {quoted}), then ask the same question again",
        )

    def emptied(self) -> IntegrityFailed:
        """It says nothing, and should."""
        return IntegrityFailed(
            "witness-emptied",
            f"the witness {self.path} is empty, or nothing in it can be read: it has seen this ledger before",
            why="a witness that remembers nothing cannot tell whether entries of the ledger are missing",
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
        """In the child: whoever held the lock is the parent's."""
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
    """Where the file stands; a disk that takes a part of it is full."""
    if os.write(file, data) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def rolled_back(
    message: str,
    evidence: str,
    fix: str = "put the newest copy of the ledger back in its place; what was spent after an older one is not known",
) -> IntegrityFailed:
    """The book is older than something that it once said, or another."""
    return IntegrityFailed(
        "ledger-rolled-back",
        message,
        why=f"{evidence} shows that it was longer, or another: this is an older copy, or it was cut short, or the -wal file "
        "beside it was removed; what was spent since is missing",
        fix=fix,
    )


_WITNESSES: weakref.WeakSet[Witness] = weakref.WeakSet()


def _after_fork() -> None:
    for witness in list(_WITNESSES):
        witness.after_fork()


os.register_at_fork(after_in_child=_after_fork)
