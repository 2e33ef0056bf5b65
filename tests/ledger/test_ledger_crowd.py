"""Eight processes on one file, killed at any moment or never: nothing is lost or doubled, the cap is hit exactly, and nobody
starves."""

from __future__ import annotations

import os
import signal
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import count
from pathlib import Path
from random import Random, SystemRandom

import pytest
from ledger_kit import ask, kinds, laplace, spent, table

from lapcat.core.exact import exact
from lapcat.errors import BudgetExceeded
from lapcat.ledger import SQLiteLedger

pytestmark = pytest.mark.alone
"""Nobody else is at work while waits are measured; and a process that has run other tests has threads, which a fork ends
in the middle of whatever they do."""
PRICE = "0.001"
LONGEST_WAIT = 2.0
"""Seconds for one debit, while seven others debit as fast as they can."""


def process(work: Callable[[], None]) -> int:
    """Starts another process that does this; its number."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc()  # else only its exit code were known
        finally:
            os._exit(code)
    return child


def ended(child: int) -> int:
    """Waits for it; its exit code, or minus the signal that it died of."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def kill(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    assert ended(child) == -signal.SIGKILL  # it had not failed by itself before


def client(path: str, name: str, log: Path) -> None:
    """Asks and answers with two threads, for ever; says what was acknowledged, one line each, as it happens."""
    ledger, file = SQLiteLedger(path, wait=60), os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def ask_for_ever(thread: str) -> None:
        for i in count():
            question = f"{name}{thread}{i}"
            debit = ledger.debit(ask(question, PRICE, table("1000000")))
            os.write(file, f"debit {question} {debit.id}\n".encode())
            ledger.executing(debit.id)
            ledger.answered(debit.id, f"answer {question}".encode())
            os.write(file, f"answer {question} {debit.id}\n".encode())
            ledger.released(debit.id)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(ask_for_ever, "ab"))


def race(path: str, name: str, cap: str, output: Path) -> None:
    """Asks ever new questions until the budget is empty; says how many were paid for, and the longest wait for one."""
    ledger, longest = SQLiteLedger(path, wait=60), 0.0
    for paid in count():
        begun = time.monotonic()
        try:
            ledger.debit(ask(f"{name}-{paid}", PRICE, table(cap)))
        except BudgetExceeded:
            break
        longest = max(longest, time.monotonic() - begun)
    output.write_text(f"{paid} {longest}")


def raced(path: str, cap: Fraction) -> tuple[int, float]:
    """Eight processes until the budget is empty: how many debits that took, and the longest wait for one."""
    files = [Path(f"{path}.{i}") for i in range(8)]
    children = [
        process(lambda i=i, file=file: race(path, f"r{i}", str(cap), file))  # type: ignore[misc]
        for i, file in enumerate(files)
    ]
    assert [ended(child) for child in children] == [0] * 8
    reports = [file.read_text().split() for file in files]
    return sum(int(paid) for paid, _ in reports), max(float(wait) for _, wait in reports)


def kill_under_load(path: str, seconds: float, seed: int) -> None:
    chance, names, log = Random(seed), count(), Path(path + ".told")

    def started() -> int:
        name = f"c{next(names)}"
        return process(lambda: client(path, name, log))

    until = time.monotonic() + seconds
    running = [started() for _ in range(8)]
    try:
        while time.monotonic() < until:
            time.sleep(chance.expovariate(8))
            kill(running.pop(chance.randrange(8)))
            running.append(started())
    finally:
        for child in running:
            kill(child)
    facts = [line.split() for line in log.read_text().splitlines()]
    debits = [question for verb, question, _ in facts if verb == "debit"]
    assert len(debits) > 50 and len(set(debits)) == len(debits)
    with SQLiteLedger(path) as ledger:
        ledger.verify()
        paid = kinds(ledger).count("debit")
        assert spent(ledger) == paid * exact(PRICE)
        assert len(debits) <= paid <= len(debits) + 2 * next(names)  # each thread had one under way
        for verb, question, id in facts:
            debit = ledger.find(question, laplace(PRICE))
            assert debit is not None and debit.id == int(id), f"lost: {question} (seed {seed})"
            if verb == "answer":
                assert debit.answer == f"answer {question}".encode(), f"lost: {question} (seed {seed})"
    cap = (paid + 40) * exact(PRICE)
    assert raced(path, cap + exact(PRICE) / 2)[0] == 40
    with SQLiteLedger(path) as ledger:
        assert spent(ledger) == cap
        ledger.verify()


def test_nothing_acknowledged_is_lost_or_doubled_when_clients_are_killed(path: str) -> None:
    kill_under_load(path, seconds=15, seed=8812)


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_or_doubled_when_clients_are_killed_for_a_minute(path: str) -> None:
    kill_under_load(path, seconds=60, seed=SystemRandom().getrandbits(32))


@pytest.mark.parametrize("debits", [1500, pytest.param(20_000, marks=pytest.mark.slow)])
def test_nobody_starves_while_eight_processes_ask_as_fast_as_they_can(path: str, debits: int) -> None:
    """With SQLite's own way of waiting, some would wait for seconds."""
    paid, longest = raced(path, debits * exact(PRICE))
    assert paid == debits and longest < LONGEST_WAIT
    with SQLiteLedger(path) as ledger:
        assert spent(ledger) == debits * exact(PRICE) and ledger.verify() == debits
