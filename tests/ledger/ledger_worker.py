"""What a test lets another process do to a ledger: `python ledger_worker.py COMMAND STORE …`."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from typing import TypeVar

from ledger_kit import (
    PRICES,
    STAFF,
    ask,
    epsilons,
    faulty,
    guarded,
    keyed,
    laplace,
    on_a_server,
    open_ledger,
    own,
    table,
)

from lapcat.core.exact import exact
from lapcat.errors import BudgetExceeded, IntegrityFailed
from lapcat.ledger import Charge
from lapcat.plan.schema import SpendingLimit

T = TypeVar("T")


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def crash(store: str, step: str, price: str) -> None:
    """Pays, looks and answers, and is killed at this step: `before` or `after` the commit of one of the three."""
    when, verb = step.split("-")
    armed = False

    def fault(sql: str) -> None:
        if armed and when == "before" and sql == "COMMIT":
            die()

    ledger = open_ledger(store, connect=faulty(fault, store=store))
    armed = verb == "debit"
    debit = ledger.debit(ask("q", PRICES[price]))
    if step == "after-debit":
        die()
    armed = verb == "looked"
    ledger.executing(debit.id)
    if step == "after-looked":
        die()
    armed = verb == "answered"
    ledger.answered(debit.id, b"answer of the first process")
    if step == "after-answered":
        die()


def race(store: str, name: str, price: str, epsilon: str, cap: str, delta: str) -> None:
    """Asks ever new questions until a budget is empty; prints how many were paid for, and the longest wait for one."""
    ledger, paid, longest = open_ledger(store, wait=60), 0, 0.0
    event = laplace(epsilon) if price == "pure" else keyed(epsilon, 2000)
    limit = SpendingLimit(epsilon=exact(cap), delta=exact(delta))
    try:
        while True:
            start = time.monotonic()
            ledger.debit(ask(f"{name}-{paid}", event, table(limit), own(name, limit), analyst=name))
            paid, longest = paid + 1, max(longest, time.monotonic() - start)
    except BudgetExceeded:
        print(paid, longest)


def answer(store: str, name: str) -> None:
    """Answers one question at the same time as others do; prints what it was given."""
    ledger = open_ledger(store, wait=60)
    debit = ledger.debit(ask("q", "0.5"))
    ledger.executing(debit.id)
    print(ledger.answered(debit.id, name.encode()).decode())


def hammer(store: str, name: str) -> None:
    """Asks and answers until it is killed; prints what was acknowledged, one line each, as it happens."""
    ledger, i = open_ledger(store, wait=60), 0
    while True:
        request = ask(f"{name}-{i}", "0.001", Charge(STAFF, "staff", epsilons("1000000")))
        debit = until_it_works(lambda request=request: ledger.debit(request))  # type: ignore[misc]
        os.write(1, f"debit {name}-{i} {debit.id}\n".encode())
        until_it_works(lambda id=debit.id: ledger.executing(id))  # type: ignore[misc]
        answer = f"answer {name}-{i}".encode()
        until_it_works(lambda id=debit.id, answer=answer: ledger.answered(id, answer))  # type: ignore[misc]
        os.write(1, f"answer {name}-{i} {debit.id}\n".encode())
        i += 1


def until_it_works(work: Callable[[], T]) -> T:
    """Where a server is gone for a while: the same again, as the error says."""
    while True:
        try:
            return work()
        except IntegrityFailed as failed:
            if failed.code not in ("ledger-unreachable", "ledger-unknown"):
                raise
            time.sleep(0.05)


def hold(store: str, seconds: str) -> None:
    """Holds the write lock."""
    connection = guarded(store)
    connection.execute("BEGIN; SELECT id FROM head FOR UPDATE" if on_a_server(store) else "BEGIN IMMEDIATE")
    print("held", flush=True)
    time.sleep(float(seconds))


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    {"crash": crash, "race": race, "answer": answer, "hammer": hammer, "hold": hold}[command](*arguments)
