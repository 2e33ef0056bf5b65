"""The cost of a durable debit: debits per second, and the three steps of a question relative to one raw fsync.

Eight threads share a sync (group commit). With c the CPU time of a debit, alone or in a group of eight, and s the time of a
sync, the speed-up should be (c alone + s) / (c in a group + s / 8). Both are measured, on this disk and on a simulated slower
one. The default witness adds a sync to each commit; rates with and without it are measured in alternation.

Run: python benchmarks/ledger.py [FOLDER]   (the folder's disk is measured; by default the one for temporary files)
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

from lapcat.core.event import LaplaceRelease
from lapcat.ledger import Charge, Request, SQLiteLedger
from lapcat.ledger.guards import Guards
from lapcat.ledger.sqlite.connection import connect
from lapcat.ledger.store import Connection, ResultRows
from lapcat.ledger.store_urls import state_witness
from lapcat.plan.schema import SpendingLimit

T = TypeVar("T")
QUESTIONS = 1000
THREADS = 8
GAIN = 5
SYNCS = (0.3e-3, 1e-3, 2e-3, 4e-3)
"""Sync times, in seconds, for which the speed-up is predicted."""
TURNS = 5
"""Number of alternations of debits with and without a witness."""
SLOW = 2e-3
"""Sync time of the simulated slower disk, in seconds."""
ANSWER = os.urandom(2000)  # the size of about 250 cells


def request(i: int) -> Request:
    """A new question: charges a table and the analyst's own limit."""
    limit = SpendingLimit(epsilon=Fraction(10**6))
    charges = (
        Charge("table:staff.parquet", "staff", limit),
        Charge("analyst:ana@staff.parquet", "ana on staff", limit, analyst=True),
    )
    event = LaplaceRelease("count_star()", Fraction(1), Fraction(100))
    memo = {"unit": "person_id", "relation": "add-remove", "statistics": ["count_star()"]}
    return Request(f"{i:064x}", event, charges, ("table:staff.parquet",), memo, "ana")


def times(work: Callable[[int], object], n: int) -> list[float]:
    """Seconds of each of `n` runs."""
    taken = []
    for i in range(n):
        start = time.perf_counter()
        work(i)
        taken.append(time.perf_counter() - start)
    return taken


def raw_fsync(folder: Path) -> list[float]:
    """Appends a page to a file and syncs it: the cheapest durable write."""
    file = os.open(folder / "raw", os.O_WRONLY | os.O_CREAT)
    page = bytes(4096)

    def write(_: int) -> None:
        os.write(file, page)
        os.fsync(file)

    taken = times(write, QUESTIONS)
    os.close(file)
    return taken


class SlowDisk:
    """A connection whose COMMIT is delayed to simulate a slower disk."""

    def __init__(self, path: str, longer: float) -> None:
        self._inner, self._longer = connect(path), longer

    @property
    def in_transaction(self) -> bool:
        return self._inner.in_transaction

    def execute(self, sql: str, parameters: Sequence[object] = (), /) -> ResultRows:
        rows = self._inner.execute(sql, parameters)
        if sql == "COMMIT":
            time.sleep(self._longer)
        return rows

    def close(self) -> None:
        self._inner.close()


def alone(ledger: SQLiteLedger) -> list[float]:
    """Seconds of each debit in one thread."""
    requests = [request(i) for i in range(QUESTIONS)]
    return times(lambda i: ledger.debit(requests[i]), QUESTIONS)


def together(ledger: SQLiteLedger) -> float:
    """Seconds per debit with eight threads that share commits."""
    requests = [[request((thread + 1) * 10**6 + i) for i in range(QUESTIONS)] for thread in range(THREADS)]

    def debit_all(thread: int) -> None:
        for each in requests[thread]:
            ledger.debit(each)

    with ThreadPoolExecutor(THREADS) as pool:
        start = time.perf_counter()
        list(pool.map(debit_all, range(THREADS)))
        return (time.perf_counter() - start) / (THREADS * QUESTIONS)


def witnessed(folder: Path) -> tuple[float, float]:
    """Debits per second with the default witness relative to those without: by one thread, and by eight."""
    os.environ["XDG_STATE_HOME"] = str(folder / "state")  # the witness on the same disk
    single, shared = [0.0, 0.0], [0.0, 0.0]
    for turn in range(TURNS):
        for watched in (False, True):
            path = folder / f"{turn}{watched}.ledger"
            guards = Guards(witness=state_witness(path)) if watched else None
            with SQLiteLedger(path, guards=guards) as ledger:
                single[watched] += sum(alone(ledger))
                shared[watched] += together(ledger)
    return single[False] / single[True], shared[False] / shared[True]


def computed(work: Callable[[], T], many: int) -> tuple[float, T]:
    """CPU seconds per debit, over `many` debits."""
    start = time.process_time()
    result = work()
    return (time.process_time() - start) / many, result


def gained(what: str, single: float, shared: float, predicted: float) -> float:
    """Prints two rates and their ratio; returns the speed-up of eight threads."""
    print(
        f"{what:40}{1 / single:9,.0f} debits per second with one thread, {1 / shared:9,.0f} with {THREADS}: "
        f"{single / shared:.1f} × (predicted {predicted:.1f} ×)"
    )
    return single / shared


def main() -> int:
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as name:
        folder = Path(name)
        fsync = raw_fsync(folder)
        with SQLiteLedger(folder / "debits.ledger") as ledger:
            debits, threads = alone(ledger), together(ledger)

        def slower(path: str) -> Connection:
            return SlowDisk(path, max(0.0, SLOW - statistics.median(fsync)))

        with SQLiteLedger(folder / "slow.ledger", connect=slower) as ledger:
            slow_debits, slow_threads = alone(ledger), together(ledger)
        with SQLiteLedger(folder / "questions.ledger") as ledger:

            def question(i: int) -> None:
                debit = ledger.debit(request(i))
                ledger.executing(debit.id)
                ledger.answered(debit.id, ANSWER)

            questions = times(question, QUESTIONS)
            repeats = times(lambda i: ledger.debit(request(i)), QUESTIONS)
            previews = times(lambda i: ledger.find(request(i).question, request(i).event, "ana"), QUESTIONS)
            verify = times(lambda _: ledger.verify(), 1)
            ledger.close()
            opening = times(lambda _: SQLiteLedger(folder / "questions.ledger").close(), 50)
        watched_single, watched_shared = witnessed(folder)
        with SQLiteLedger(":memory:") as memory:
            single, computing = computed(lambda: alone(memory), QUESTIONS)
            shared, _ = computed(lambda: together(memory), THREADS * QUESTIONS)

    unit = statistics.median(fsync)

    def predicted(sync: float) -> float:
        return (single + sync) / (shared + sync / THREADS)

    gain = gained("this disk", statistics.mean(debits), threads, predicted(statistics.mean(fsync)))
    gained(
        f"a disk whose sync takes {SLOW * 1e3:g} ms",
        statistics.mean(slow_debits),
        slow_threads,
        predicted(SLOW),
    )
    print(
        f"with the default witness {watched_single:.2f} × as many debits per second with one thread, "
        f"{watched_shared:.2f} × with {THREADS}"
    )
    print(
        f"CPU time alone {single * 1e3:.3f} ms, in a group of {THREADS} {shared * 1e3:.3f} ms; "
        f"a sync of this disk {statistics.mean(fsync) * 1e3:.3f} ms (median {unit * 1e3:.3f})"
    )
    predictions = ", ".join(f"{predicted(sync):.1f} × at {sync * 1e3:g} ms" for sync in SYNCS)
    print(f"predicted speed-up by sync time: {predictions} (target: at least {GAIN} ×)")
    for what, taken in (
        ("one raw write and fsync", fsync),
        ("debit", debits),
        ("debit without a disk (in memory)", computing),
        ("debit + looked + answered", questions),
        ("the same question again, from the cache", repeats),
        ("find, for a preview", previews),
        (f"open a ledger of {3 * QUESTIONS:,} entries", opening),
        (f"verify {3 * QUESTIONS:,} entries", verify),
    ):
        middle, slow = statistics.median(taken), sorted(taken)[int(0.99 * (len(taken) - 1))]
        print(f"{what:40}{middle * 1e3:9.3f} ms   99 % {slow * 1e3:9.3f} ms   {middle / unit:6.1f} × fsync")
    return 0 if gain >= GAIN else 1


if __name__ == "__main__":
    sys.exit(main())
