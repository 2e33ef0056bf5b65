"""The cost of a debit on a server compared with a file: sequential, and with threads that share commits.

Run: python benchmarks/ledger_server.py   (starts its own PostgreSQL server, on the same disk)
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from lapcat.ledger import SQLLedger, ledger_at
from ledger import ANSWER, THREADS, request, times, together

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from postgres_cluster import Cluster, Missing

QUESTIONS = 500


def questions_per_second(ledger: SQLLedger) -> float:
    def question(i: int) -> None:
        debit = ledger.debit(request(10**9 + i))
        ledger.executing(debit.id)
        ledger.answered(debit.id, ANSWER)

    return QUESTIONS / sum(times(question, QUESTIONS))


def main() -> int:
    try:
        cluster = Cluster()
    except Missing as missing:
        print(f"not measured: {missing}")
        return 0
    rates: dict[str, dict[str, float]] = {}
    try:
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            for name, place in (("file", str(Path(folder) / "lapcat.ledger")), ("server", cluster.emptied())):
                with ledger_at(place) as ledger:
                    single = QUESTIONS / sum(times(lambda i, to=ledger: to.debit(request(i)), QUESTIONS))
                    rates[name] = {
                        "debits, sequential": single,
                        f"debits, {THREADS} threads": 1 / together(ledger),
                        "whole questions (debit, looked, answered)": questions_per_second(ledger),
                    }
                    start = time.perf_counter()
                    entries = ledger.verify()
                    rates[name]["entries verified"] = entries / (time.perf_counter() - start)
    finally:
        cluster.remove()
    print(f"{'per second':44}{'file':>10}{'server':>10}{'server/file':>13}")
    for what, rate in rates["file"].items():
        print(f"{what:44}{rate:10,.0f}{rates['server'][what]:10,.0f}{rates['server'][what] / rate:13.2f}")
    for name, steps in rates.items():
        gain = steps[f"debits, {THREADS} threads"] / steps["debits, sequential"]
        print(f"{THREADS} threads relative to one, {name:20}{gain:10.1f}×")
    return 0


if __name__ == "__main__":
    sys.exit(main())
