"""What a durable debit costs: payments per second, and a whole question's three steps against one raw fsync.

Run: python benchmarks/ledger.py [FOLDER]   (the folder's disk is measured; by default the one for temporary files)
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

from lapcat.core.event import LaplaceRelease
from lapcat.ledger import Charge, Request, SQLiteLedger
from lapcat.plan.schema import Limit

QUESTIONS = 1000
THREADS = 8
GAIN = 5
ANSWER = os.urandom(2000)  # about what 250 cells take


def request(i: int) -> Request:
    """A new question by an analyst: a table and the analyst's own cap are charged."""
    limit = Limit(epsilon=Fraction(10**6))
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


def together(ledger: SQLiteLedger) -> float:
    """Debits per second of eight threads that share the ledger's commits."""

    def pay(thread: int) -> None:
        for i in range(QUESTIONS):
            ledger.debit(request((thread + 1) * 10**6 + i))

    start = time.perf_counter()
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(pay, range(THREADS)))
    return THREADS * QUESTIONS / (time.perf_counter() - start)


def main() -> int:
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as name:
        folder = Path(name)
        fsync = raw_fsync(folder)
        with SQLiteLedger(folder / "debits.ledger") as ledger:
            debits = times(lambda i: ledger.debit(request(i)), QUESTIONS)
            threads = together(ledger)
        with SQLiteLedger(folder / "questions.ledger") as ledger:

            def question(i: int) -> None:
                debit = ledger.debit(request(i))
                ledger.looked(debit.id)
                ledger.answered(debit.id, ANSWER)

            questions = times(question, QUESTIONS)
            repeats = times(lambda i: ledger.debit(request(i)), QUESTIONS)
            previews = times(lambda i: ledger.find(request(i).question, request(i).event, "ana"), QUESTIONS)
            verify = times(lambda _: ledger.verify(), 1)
            ledger.close()
            opening = times(lambda _: SQLiteLedger(folder / "questions.ledger").close(), 50)
        with SQLiteLedger(":memory:") as memory:
            computing = times(lambda i: memory.debit(request(i)), QUESTIONS)

    unit = statistics.median(fsync)
    print(f"durable debits, one process             {QUESTIONS / sum(debits):10,.0f} per second")
    gain = threads * sum(debits) / QUESTIONS
    print(
        f"durable debits, {THREADS} threads, group commit    {threads:10,.0f} per second: {gain:.1f}× (at least {GAIN})"
    )
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
