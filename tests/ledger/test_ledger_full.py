"""A disk without room: nothing is released that is not written down, and when there is room again the question finishes."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from ledger_kit import ask, kinds, spent
from test_ledger_crowd import ended, process

from lapcat.core.exact import exact
from lapcat.errors import IntegrityFailed
from lapcat.ledger import SQLiteLedger

ANSWER = b"many groups " * 4000
DONE = ["debit", "looked", "answered"]


def asked(ledger: SQLiteLedger, question: str) -> bytes:
    debit = ledger.debit(ask(question, "0.01"))
    if debit.answer is not None:
        return debit.answer
    ledger.executing(debit.id)
    return ledger.answered(debit.id, question.encode() + ANSWER)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip(
            "only root may mount a small disk; the test with a limit on the size of files runs everywhere"
        )
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(place: Path, room: int) -> None:
    """Leaves so many bytes."""
    free = os.statvfs(place)
    with open(place / "filler", "wb") as filler:
        filler.write(bytes(max(0, free.f_bavail * free.f_bsize - room)))


@pytest.mark.parametrize("opened", ["before", "while it is full"])
def test_on_a_full_disk_nothing_is_released_and_the_question_finishes_when_there_is_room(
    small: Path, opened: str
) -> None:
    path, stages = small / "lapcat.ledger", set()
    for i, room in enumerate(range(0, 150_000, 8192)):
        ledger = SQLiteLedger(path) if opened == "before" else None
        fill(small, room)
        try:
            ledger = ledger or SQLiteLedger(path)
            asked(ledger, f"q{i}")
        except IntegrityFailed as error:
            assert error.code == "ledger-disk-full" and "make room" in error.fix
        os.remove(small / "filler")
        with SQLiteLedger(path) as fresh:
            stages.add(len(kinds(fresh)) - 3 * i)
            fresh.verify()
        ledger = ledger or SQLiteLedger(path)
        assert asked(ledger, f"q{i}") == b"q%d" % i + ANSWER
        ledger.close()
        with SQLiteLedger(path) as fresh:
            assert asked(fresh, f"q{i}") == b"q%d" % i + ANSWER
            assert spent(fresh) == (i + 1) * exact("0.01") and kinds(fresh) == DONE * (i + 1)
    assert stages == {0, 1, 2, 3}  # there was room for nothing, for a debit, for a look, for all


def ask_while_no_file_may_grow(path: str, question: str, limit: int, output: Path) -> None:
    """Says how it ended, and how many entries were acknowledged."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    acknowledged, outcome = 0, "answered"
    try:
        ledger = SQLiteLedger(path)
        debit = ledger.debit(ask(question, "0.01"))
        acknowledged = debit.id
        ledger.executing(debit.id)
        acknowledged += 1
        ledger.answered(debit.id, question.encode() + ANSWER)
        acknowledged += 1
    except IntegrityFailed as error:
        outcome = error.code
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    output.write_text(f"{outcome} {acknowledged}")


def test_a_file_that_may_not_grow_fails_closed(path: str, tmp_path: Path) -> None:
    ends, output = set(), tmp_path / "told"
    for i, limit in enumerate(range(10_000, 800_000, 40_000)):
        child = process(lambda i=i, limit=limit: ask_while_no_file_may_grow(path, f"q{i}", limit, output))  # type: ignore[misc]
        assert ended(child) == 0
        outcome, acknowledged = output.read_text().split()
        assert outcome in ("ledger-disk-failed", "ledger-disk-full", "ledger-unknown", "answered")
        ends.add(outcome == "answered")
        with SQLiteLedger(path) as ledger:
            ledger.verify()
            assert len(kinds(ledger)) >= int(acknowledged)
            assert asked(ledger, f"q{i}") == b"q%d" % i + ANSWER
            assert spent(ledger) == (i + 1) * exact("0.01") and kinds(ledger) == DONE * (i + 1)
    assert ends == {False, True}
