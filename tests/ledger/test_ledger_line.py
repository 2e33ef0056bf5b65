"""Processes stand in line for a file: a courtesy that starves nobody, holds nobody up for ever and needs nothing."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from ledger_kit import ask, faulty, guarded, spent

from lapcat.core.exact import exact
from lapcat.ledger import SQLiteLedger
from lapcat.ledger.sqlite import lock_queue
from lapcat.ledger.sqlite.lock_queue import SUFFIX, LockQueue

STANDS = """
import sys, time
from lapcat.ledger.sqlite.lock_queue import LockQueue
queue = LockQueue(sys.argv[1])
queue.stand()
print("stands", flush=True)
time.sleep(600)
"""


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if everybody who waits had waited for long."""
    monkeypatch.setattr(lock_queue, "LONG", 0)


def ledger_at(path: str) -> str:
    SQLiteLedger(path).close()
    return path


def somebody(path: str) -> subprocess.Popen[str]:
    """Another process that stands in line."""
    process = subprocess.Popen([sys.executable, "-c", STANDS, path], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "stands\n"
    return process


def test_whoever_came_first_goes_first(path: str, at_once: None) -> None:
    first, second, passing = (LockQueue(ledger_at(path)) for _ in range(3))
    passing.stand()
    passing.leave()
    first.stand()
    second.stand()
    assert [queue.is_free() for queue in (first, second, passing)] == [True, False, False]
    first.leave()
    assert [queue.is_free() for queue in (first, second, passing)] == [False, True, False]
    second.leave()
    assert all(queue.is_free() for queue in (first, second, passing))
    for queue in (first, second, passing):
        queue.close()


def test_whoever_has_just_come_is_not_waited_for(path: str) -> None:
    first, second = LockQueue(ledger_at(path)), LockQueue(path)
    first.stand()
    second.stand()
    assert second.is_free() or time.monotonic_ns() - (first._place or 0) > lock_queue.LONG
    first.close()
    second.close()


def test_the_place_of_a_process_that_was_killed_is_free(path: str, at_once: None) -> None:
    other, mine = somebody(ledger_at(path)), LockQueue(path)
    mine.stand()
    assert not mine.is_free()
    other.kill()
    other.wait()
    assert mine.is_free()
    mine.close()


def test_a_process_that_was_stopped_in_line_holds_nobody_up_for_long(
    path: str, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock_queue, "LONGEST", 300_000_000)
    other, opened = somebody(ledger_at(path)), LockQueue(path)
    os.kill(other.pid, signal.SIGSTOP)
    opened.stand()
    opened.leave()
    with SQLiteLedger(path, wait=60) as ledger:
        assert ledger._store._line is not None  # type: ignore[attr-defined]
        ledger._store._line.stand()  # type: ignore[attr-defined]
        ledger.debit(ask("q", "0.5"))
        assert spent(ledger) == exact("0.5")
    other.kill()
    other.wait()
    opened.close()


def test_a_line_that_cannot_be_had_is_no_hindrance(path: str, tmp_path: Path) -> None:
    """A link in its place is not followed; nothing is made at its end."""
    os.symlink(tmp_path / "elsewhere", ledger_at(path) + SUFFIX)
    queue = LockQueue(path)
    queue.stand()
    assert queue.is_free() and not (tmp_path / "elsewhere").exists()
    queue.leave()
    queue.close()


def test_whoever_was_in_the_way_has_left_an_empty_file_for_the_owner_alone(path: str) -> None:
    tries = []

    def fault(sql: str) -> None:
        if sql == "BEGIN IMMEDIATE" and holder.in_transaction:
            tries.append(sql)
            if len(tries) == 3:
                holder.execute("COMMIT")

    ledger_at(path)
    assert not os.path.exists(path + SUFFIX)
    holder = guarded(path)
    with SQLiteLedger(path, connect=faulty(fault)) as ledger:
        holder.execute("BEGIN IMMEDIATE")
        ledger.debit(ask())
        assert len(tries) == 3
        status = os.stat(path + SUFFIX)
        assert status.st_size == 0 and stat.S_IMODE(status.st_mode) == 0o600
        assert LockQueue(path).is_free(), "whoever writes has left the line"
    holder.close()


def test_a_child_of_fork_inherits_no_place(path: str) -> None:
    with SQLiteLedger(path) as ledger:
        standing = ledger._store._line  # type: ignore[attr-defined]
        standing.stand()
        assert standing._file is not None
        child = os.fork()
        if child == 0:
            os._exit(0 if standing._file is None and standing._place is None else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
