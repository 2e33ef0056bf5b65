"""The witness: a file elsewhere that remembers how far the book had come, so that an older copy of it is noticed.

After every commit, and before anything is released, a line `{"hash": …, "id": …}` is appended and synced. Whatever the
witness has a line for was in the book, so a book without that entry, or with another hash for it, was rolled back or
rewritten. Processes append after they commit, so lines may stand out of order; all of them are true.

A line that a crash cut short says nothing and is passed over; the whole lines before it still bind. The file is never
made here: where a mount is missing, a new empty witness would forget everything.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shlex
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lapcat.errors import IntegrityFailed
from lapcat.ledger.chain import GENESIS, Head, canonical

_LINE = re.compile(r'\{"hash":"([0-9a-f]{64})","id":([1-9][0-9]{0,18})\}')
RECENT = 1 << 16
"""Bytes at the end of the file that are read whenever a book is opened: the last 700 lines or so."""


@dataclass(frozen=True, slots=True)
class Testimony:
    """What the witness says: heads that the book has had, and how many lines cannot be read."""

    heads: tuple[Head, ...]
    torn: int

    @property
    def last(self) -> Head:
        """The newest head; that of an empty book where there is none."""
        return max(self.heads, default=GENESIS)


class Witness:
    """The file, as one process reads and extends it. Thread-safe; other processes may append to it too."""

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
        try:
            with self.path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                start = 0 if most is None else max(0, size - most)
                file.seek(start)
                lines = file.read().decode("ascii", "replace").split("\n")
        except OSError as problem:
            raise self._failed(problem) from None
        if start > 0:
            lines = lines[1:]  # it begins somewhere inside a line
        found = [_LINE.fullmatch(line) for line in lines if line]
        heads = tuple((int(line[2]), line[1]) for line in found if line is not None)
        return Testimony(heads, sum(line is None for line in found))

    def check(self, said: Testimony, head: Head, hash_of: Callable[[int], str | None]) -> None:
        """Raises unless all that was said is in the book, which ends with `head`.

        It must have been read before the book was: others append all the time, to the book first.
        """
        if said.last[0] > head[0]:
            raise self._rolled_back(
                f"the ledger ends with entry {head[0]}, and its witness has seen entry {said.last[0]}"
            )
        for id, hash in dict.fromkeys(said.heads):
            if hash_of(id) != hash:
                raise self._rolled_back(f"entry {id} of the ledger is not the one that its witness has seen")
        with self._lock:
            self._newest = max(self._newest, said.last[0])

    def settle(self, head: Head) -> None:
        """Durably says that the book has come to this head, unless that has been said. Called before anything is released.

        Threads that come while one waits for the disk are served by the next line together: it names the last of them.
        """
        self._due = max(self._due, head)
        with self._lock:
            if head[0] > self._newest:
                due = max(self._due, head)  # another thread may have put its own, older one there
                try:
                    self._append(canonical({"id": due[0], "hash": due[1]}))
                except OSError as problem:
                    raise self._failed(problem) from None
                self._newest = due[0]

    def _append(self, line: str) -> None:
        opened = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
        try:
            fcntl.flock(opened, fcntl.LOCK_EX)
            size = os.fstat(opened).st_size
            torn = size > 0 and os.pread(opened, 1, size - 1) != b"\n"
            data = (("\n" if torn else "") + line + "\n").encode()
            if os.write(opened, data) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(opened)
        finally:
            os.close(opened)

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

    def _rolled_back(self, message: str) -> IntegrityFailed:
        return rolled_back(message, f"the witness {self.path}")

    def after_fork(self) -> None:
        """In the child: whoever held the lock is the parent's."""
        self._lock = threading.Lock()


def rolled_back(message: str, evidence: str) -> IntegrityFailed:
    """The book is older than something that it once said, or another."""
    return IntegrityFailed(
        "ledger-rolled-back",
        message,
        why=f"{evidence} shows that it was longer, or another: what was spent since is missing",
        fix="put the newest copy of the ledger back in its place; what was spent after an older one is not known",
    )


_WITNESSES: weakref.WeakSet[Witness] = weakref.WeakSet()


def _after_fork() -> None:
    for witness in list(_WITNESSES):
        witness.after_fork()


os.register_at_fork(after_in_child=_after_fork)
