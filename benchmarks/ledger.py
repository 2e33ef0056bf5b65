"""What a durable debit costs: payments per second, and a whole question's three steps against one raw fsync.

Eight threads share a sync. With c the computing of a debit, alone and in a group of eight, and s a sync, they should be
(c alone + s) / (c in a group + s / 8) times as fast as one. Both are measured, on this disk and on one with slower syncs.
The default witness adds a sync to each commit: how many debits a second are left is measured in turns, with and without.

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
"""Seconds for which the gain is predicted."""
TURNS = 5
"""How often debits with a witness and without are measured after each other."""
SLOW = 2e-3
"""Seconds that a sync of the slower disk takes."""
ANSWER = os.urandom(2000)  # about what 250 cells take


def request(i: int) -> Request:
    """A new question by an analyst: a table and the analyst's own cap are charged."""
    limit = SpendingLimit(epsilon=Fraction(10**6))
    charges = (
        Charge("table:staff.parquet", "staff", limit),
        Charge("analyst:ana@staff.parquet", "ana on staff", limit, analyst=True),
    )
    event = LaplaceRelease("count_star()", Fraction(1), Fraction(100))
    memo = {"unit": "person_id", "relation": "add-remove", "statistics": ["count_star()"]}
    return Request(f"{i:064x}", event, charges, ("table:staff.parquet",), memo, "ana")


def times(work: Callable[[int], object], n: int) -> list[float]:
    """Seconds of each of n runs."""
    taken = []
    for i in range(n):
        start = time.perf_counter()
        work(i)
        taken.append(time.perf_counter() - start)
    return taken


def raw_fsync(folder: Path) -> list[float]:
    """A page appended to a file and synced, as the cheapest durable write there is."""
    file = os.open(folder / "raw", os.O_WRONLY | os.O_CREAT)
    page = bytes(4096)

    def write(_: int) -> None:
        os.write(file, page)
        os.fsync(file)

    taken = times(write, QUESTIONS)
    os.close(file)
    return taken


class SlowDisk:
    """A connection whose COMMIT takes as much longer as a slower disk would need for its sync."""

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
    """Seconds of each debit of one thread."""
    requests = [request(i) for i in range(QUESTIONS)]
    return times(lambda i: ledger.debit(requests[i]), QUESTIONS)


def together(ledger: SQLiteLedger) -> float:
    """Seconds for one debit, of eight threads that share the ledger's commits."""
    requests = [[request((thread + 1) * 10**6 + i) for i in range(QUESTIONS)] for thread in range(THREADS)]

    def pay(thread: int) -> None:
        for one in requests[thread]:
            ledger.debit(one)

    with ThreadPoolExecutor(THREADS) as pool:
        start = time.perf_counter()
        list(pool.map(pay, range(THREADS)))
        return (time.perf_counter() - start) / (THREADS * QUESTIONS)


def witnessed(folder: Path) -> tuple[float, float]:
    """How many times as many debits a second there are with the default witness: by one thread, and by eight."""
    os.environ["XDG_STATE_HOME"] = str(folder / "state")  # the witness on the same disk
    one, many = [0.0, 0.0], [0.0, 0.0]
    for turn in range(TURNS):
        for watched in (False, True):
            path = folder / f"{turn}{watched}.ledger"
            guards = Guards(witness=state_witness(path)) if watched else None
            with SQLiteLedger(path, guards=guards) as ledger:
                one[watched] += sum(alone(ledger))
                many[watched] += together(ledger)
    return one[False] / one[True], many[False] / many[True]


def computed(work: Callable[[], T], many: int) -> tuple[float, T]:
    """Seconds that the processor needs for each of so many debits, however busy it is with other things."""
    start = time.process_time()
    result = work()
    return (time.process_time() - start) / many, result


def gained(what: str, one: float, many: float, predicted: float) -> float:
    """Prints two rates and how they compare; returns how many times as fast eight threads are."""
    print(
        f"{what:40}{1 / one:9,.0f} debits a second by one thread, {1 / many:9,.0f} by {THREADS}: "
        f"{one / many:.1f} × (predicted {predicted:.1f} ×)"
    )
    return one / many


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
        watched_one, watched_many = witnessed(folder)
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
        f"with the default witness {watched_one:.2f} × as many debits a second by one thread, "
        f"{watched_many:.2f} × by {THREADS}"
    )
    print(
        f"computing alone {single * 1e3:.3f} ms, in a group of {THREADS} {shared * 1e3:.3f} ms; "
        f"a sync of this disk {statistics.mean(fsync) * 1e3:.3f} ms (middle {unit * 1e3:.3f})"
    )
    said = ", ".join(f"{predicted(sync):.1f} × at {sync * 1e3:g} ms" for sync in SYNCS)
    print(f"predicted gain by the time of a sync: {said} (at least {GAIN} × is wanted)")
    for what, taken in (
        ("one raw write and fsync", fsync),
        ("debit", debits),
        ("debit without a disk (in memory)", computing),
        ("debit + looked + answered", questions),
        ("the same question again, from the store", repeats),
        ("find, for a preview", previews),
        (f"open a ledger of {3 * QUESTIONS:,} entries", opening),
        (f"verify {3 * QUESTIONS:,} entries", verify),
    ):
        middle, slow = statistics.median(taken), sorted(taken)[int(0.99 * (len(taken) - 1))]
        print(f"{what:40}{middle * 1e3:9.3f} ms   99 % {slow * 1e3:9.3f} ms   {middle / unit:6.1f} × fsync")
    return 0 if gain >= GAIN else 1


if __name__ == "__main__":
    sys.exit(main())
