"""Several processes and threads on one ledger spend exactly the cap, and agree on one answer."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pytest
from ledger_kit import STAFF, ask, faulty, finish, keyed, kinds, open_ledger, spent, table, worker

from lapcat.core.exact import exact
from lapcat.errors import BudgetExceeded, IntegrityFailed
from lapcat.ledger import SQLLedger
from lapcat.ledger.fixed_point import DELTAS, cost_of

LONGEST_WAIT = 2.0
"""Seconds for one debit, while seven others debit as fast as they can: nobody is starved."""
KEYED = Fraction(cost_of(keyed("0.01", 2000)).delta, DELTAS)


@pytest.mark.alone
@pytest.mark.parametrize(
    ("price", "cap", "delta"),
    [("pure", "1.205", "0"), ("keyed", "1.205", "0.9"), ("keyed", "9", str(KEYED * 120 + KEYED / 2))],
    ids=["the epsilons of pure losses", "the epsilons of private groups", "their deltas"],
)
def test_eight_racing_processes_spend_exactly_the_cap(store: str, price: str, cap: str, delta: str) -> None:
    processes = [
        worker("race", store, f"p{i}", price, "0.01", cap, delta) for i in range(8)
    ]  # which also race to create it
    outputs = [process.communicate(timeout=300)[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0] * 8
    counts, waits = [int(count) for count, _ in outputs], [float(longest) for _, longest in outputs]
    assert max(waits) < LONGEST_WAIT
    assert sum(counts) == 120
    with open_ledger(store) as ledger:
        assert spent(ledger) == exact("1.2")
        for i, count in enumerate(counts):
            assert spent(ledger, f"analyst:p{i}@staff.parquet") == count * exact("0.01")
        assert ledger.spent(STAFF).delta == (120 * KEYED if price == "keyed" else 0)
        assert ledger.verify() == 120


def test_racing_answers_of_one_question_are_all_the_first_and_it_is_paid_once(store: str) -> None:
    processes = [worker("answer", store, f"p{i}") for i in range(4)]
    answers = [process.communicate(timeout=300)[0].strip() for process in processes]
    assert len(set(answers)) == 1 and answers[0] in {f"p{i}" for i in range(4)}
    with open_ledger(store) as ledger:
        assert spent(ledger) == exact("0.5")
        assert kinds(ledger) == ["debit", "looked", "answered"]


@pytest.mark.parametrize("where", ["path", "postgres", "memory"])
def test_racing_threads_spend_exactly_the_cap(request: pytest.FixtureRequest, where: str) -> None:
    def spend(name: int) -> int:
        for i in range(1000):
            try:
                ledger.debit(ask(f"{name}-{i}", "0.01", table("1")))
            except BudgetExceeded:
                return i
        raise AssertionError("the cap never came")

    store = ":memory:" if where == "memory" else str(request.getfixturevalue(where))
    with open_ledger(store) as ledger, ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(spend, range(8))) == 100
        assert spent(ledger) == 1
        ledger.verify()


def _in_child(work: object) -> int:
    """Runs `work()` in a forked child; returns its exit code."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()  # type: ignore[operator]
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_child_of_fork_opens_the_file_anew_and_both_see_one_budget(ledger: SQLLedger) -> None:
    ledger.debit(ask("before", "0.5", table("1")))

    def in_child() -> None:
        assert ledger.debit(ask("before", "0.5", table("1"))).free
        ledger.debit(ask("child", "0.4", table("1")))

    assert _in_child(in_child) == 0
    with pytest.raises(BudgetExceeded):
        ledger.debit(ask("after", "0.2", table("1")))
    assert spent(ledger) == exact("0.9")


def test_a_child_keeps_its_debits_although_the_parent_closes_first(store: str, tmp_path: Path) -> None:
    """With inherited locks the parent, as the last to close, would remove the log that the child still writes."""
    ledger, closed = open_ledger(store), tmp_path / "closed"
    ledger.debit(ask("before", "0.1"))
    reader, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            ledger.debit(ask("child 1", "0.1"))
            os.write(tell, b".")
            while not closed.exists():
                time.sleep(0.005)
            ledger.debit(ask("child 2", "0.1"))
        finally:
            os.kill(os.getpid(), signal.SIGKILL)  # no orderly end, so what it leaves is what it wrote
    os.read(reader, 1)
    ledger.debit(ask("parent", "0.1"))
    ledger.close()
    closed.touch()
    os.waitpid(child, 0)
    os.close(reader), os.close(tell)
    with open_ledger(store) as fresh:
        assert spent(fresh) == exact("0.4")
        assert fresh.verify() == 4


def test_a_fork_waits_for_the_transaction_of_another_thread(store: str) -> None:
    inside, forking = threading.Event(), threading.Event()

    def slow(sql: str) -> None:
        if sql.startswith("INSERT INTO entries") and not forking.is_set():
            inside.set()
            time.sleep(0.2)
            forking.set()

    ledger = open_ledger(store, connect=faulty(slow, store=store))
    thread = threading.Thread(target=ledger.debit, args=(ask("thread", "0.1"),))
    thread.start()
    assert inside.wait(300)
    assert _in_child(lambda: ledger.debit(ask("child", "0.1"))) == 0
    thread.join()
    assert forking.is_set()
    assert spent(ledger) == exact("0.2")
    assert ledger.verify() == 2
    ledger.close()


def test_a_ledger_in_memory_is_refused_in_a_child() -> None:
    ledger = open_ledger(":memory:")
    ledger.debit(ask("parent"))

    def in_child() -> None:
        with pytest.raises(IntegrityFailed) as caught:
            ledger.debit(ask("child"))
        assert caught.value.code == "ledger-forked"

    assert _in_child(in_child) == 0
    finish(ledger, ledger.debit(ask("parent")).id)
    assert spent(ledger, STAFF) == exact("0.1")
