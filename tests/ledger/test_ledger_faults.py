"""A disk that fails at any single operation, or for a while: an error with a fix, nothing half done, and a retry works."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from random import Random, SystemRandom

import apsw
import pytest
from disk_model import Folder
from disk_shim import Operation, Shim, replay
from ledger_kit import ask, finish, kinds
from power_kit import FAST, NAME, PRICE, Small, lost

from lapcat.errors import IntegrityFailed
from lapcat.ledger import SQLiteLedger

ERRORS = {
    "open": (apsw.SQLITE_CANTOPEN,),
    "read": (apsw.SQLITE_IOERR_READ,),
    "write": (apsw.SQLITE_IOERR_WRITE, apsw.SQLITE_FULL),
    "sync": (apsw.SQLITE_IOERR_FSYNC,),
    "truncate": (apsw.SQLITE_IOERR_TRUNCATE,),
    "lock": (apsw.SQLITE_IOERR_LOCK, apsw.SQLITE_BUSY),
    "size": (apsw.SQLITE_IOERR_FSTAT,),
    "delete": (apsw.SQLITE_IOERR_DELETE,),
    "access": (apsw.SQLITE_IOERR_ACCESS,),
}
SAID = {"ledger-disk-failed", "ledger-disk-full", "ledger-read-only", "ledger-locked", "ledger-unknown"}


class Fails:
    """Fails from the `first` operation on, `times` times, unless it is mended before."""

    def __init__(self, first: int, times: int, other: bool) -> None:
        self.left, self.times, self.other = first, times, other
        self.met: Counter[str] = Counter()

    def __call__(self, operation: str, file: str) -> int | None:
        self.left -= 1
        if self.left >= 0 or self.times == 0:
            return None
        self.times -= 1
        self.met[operation] += 1
        return ERRORS[operation][-1 if self.other else 0]

    def mend(self) -> None:
        self.times = 0


def empty(folder: Path) -> None:
    """Nothing is there."""


def tidy(folder: Path) -> None:
    """A ledger that was closed."""
    with SQLiteLedger(folder / NAME) as ledger:
        finish(ledger, ledger.debit(ask("earlier", PRICE)).id, b"earlier" * 2000)


def crashed(folder: Path) -> None:
    """A ledger whose process was killed: its log is still there."""
    other = folder / "other"
    other.mkdir()
    with SQLiteLedger(other / NAME) as ledger:
        finish(ledger, ledger.debit(ask("earlier", PRICE)).id, b"earlier" * 2000)
        for name in (NAME, NAME + "-wal"):
            shutil.copy(other / name, folder / name)
    shutil.rmtree(other)


def ask_until_it_works(
    folder: Path, shim: Shim, fails: Fails, pages: int, anew: bool
) -> list[IntegrityFailed]:
    """A client that asks the same question again after an error, with a ledger opened `anew` or not; by then the disk is mended."""
    errors: list[IntegrityFailed] = []
    ledger = None
    for _ in range(3):
        try:
            if ledger is None:
                ledger = SQLiteLedger(
                    folder / NAME,
                    connect=lambda path: Small(shim.connect(path), pages),
                    clock=lambda: datetime(2030, 1, 1, tzinfo=UTC),
                    wait=0.01,
                )
                shim.journal.append(("acknowledged", "opened", ledger.secret()))
            debit = ledger.debit(ask("q", PRICE))
            shim.journal.append(("acknowledged", "debit", debit.id, debit.hash))
            answer = debit.answer
            if answer is None:
                ledger.executing(debit.id)
                shim.journal.append(("acknowledged", "looked", debit.id))
                answer = ledger.answered(debit.id, b"answer %d" % len(errors) * 1000)
            shim.journal.append(("acknowledged", "answered", debit.id, answer))
            ledger.close()
            return errors
        except IntegrityFailed as error:
            errors.append(error)
            if anew and ledger is not None:
                ledger.close()
                ledger = None
            fails.mend()
    raise AssertionError(f"it never worked again: {errors}")


def fail(start: Path, fails: Fails, pages: int, chance: Random) -> None:
    """All that must hold of a disk that fails, and whose power is cut some time later."""
    shim = Shim(fails)
    with tempfile.TemporaryDirectory(prefix="lapcat-faults-", dir=FAST) as place:
        folder = Path(place) / "folder"
        shutil.copytree(start, folder)
        try:
            errors = ask_until_it_works(folder, shim, fails, pages, anew=chance.random() < 0.5)
        finally:
            shim.unregister()
        assert len(errors) <= 1 and all(error.code in SAID and error.fix for error in errors), errors
        with SQLiteLedger(folder / NAME) as ledger:
            assert kinds(ledger) == ["debit", "looked", "answered"] * (1 + (start / NAME).exists())
        for moment in _moments(shim.journal):
            operations, left = shim.journal[:moment], Path(place) / f"left {moment}"
            disk = Folder.durable(start)
            replay(disk, operations)
            left.mkdir()
            disk.cut(left, chance, chance.choice([0, 0, 0.5, 1]))
            assert lost(left, operations) is None, f"power cut at {moment}"


def _moments(journal: Sequence[Operation]) -> list[int]:
    """When to cut the power: in the end; and where a sync has failed, also whenever something was acknowledged."""
    failed = next((i for i, operation in enumerate(journal) if operation[0] == "sync-failed"), len(journal))
    moments = [i + 1 for i, operation in enumerate(journal) if i > failed and operation[0] == "acknowledged"]
    return [*moments, len(journal)]


def fail_everywhere(start: Path, times: int, other: bool, pages: int, chance: Random) -> Counter[str]:
    """A failure at each operation of opening a ledger and asking one question; which operations met one."""
    met: Counter[str] = Counter()
    for first in count():
        fails = Fails(first, times, other)
        try:
            fail(start, fails, pages, chance)
        except Exception as error:
            error.add_note(f"operation {first} failed, {times} times; {other=}, {pages=}")
            raise
        if not fails.met:
            return met
        met += fails.met
    raise AssertionError


@pytest.fixture(params=[empty, tidy, crashed], ids=["new", "closed", "crashed"])
def start(request: pytest.FixtureRequest) -> Iterator[Path]:
    made: Callable[[Path], None] = request.param
    with tempfile.TemporaryDirectory(prefix="lapcat-faults-", dir=FAST) as place:
        made(Path(place))
        yield Path(place)


TIMES = pytest.mark.parametrize("times", [1, 2, 10**9], ids=["once", "twice", "until-it-works"])


@TIMES
def test_a_disk_may_fail_at_any_operation(start: Path, times: int) -> None:
    pages = 2 if times == 1 else 1000
    met = fail_everywhere(start, times, other=times == 2, pages=pages, chance=Random(8812))
    assert met.total() >= 80
    assert met.keys() >= {"open", "read", "write", "sync", "truncate", "lock", "size", "delete", "access"}


@pytest.mark.slow
@TIMES
@pytest.mark.parametrize("pages", [1, 1000])
@pytest.mark.parametrize("other", [False, True])
def test_a_disk_may_fail_in_any_way_at_any_operation(
    start: Path, times: int, pages: int, other: bool
) -> None:
    seed = SystemRandom().getrandbits(32)
    assert fail_everywhere(start, times, other, pages, Random(seed)).total() >= 80, f"seed {seed}"
