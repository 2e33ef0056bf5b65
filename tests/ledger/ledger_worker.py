"""What a test lets another process do to a ledger: `python ledger_worker.py COMMAND PATH …`."""

from __future__ import annotations

import os
import signal
import sys
import time

from ledger_kit import PRICES, STAFF, Faulty, ask, epsilons, keyed, laplace, own, table

from lapcat.core.exact import exact
from lapcat.errors import BudgetExceeded
from lapcat.ledger import Charge, SQLiteLedger
from lapcat.ledger.sqlite.connection import connect
from lapcat.plan.schema import Limit


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def crash(path: str, step: str, price: str) -> None:
    """Pays, looks and answers, and is killed at this step: `before` or `after` the commit of one of the three."""
    when, verb = step.split("-")
    armed = False

    def fault(sql: str) -> None:
        if armed and when == "before" and sql == "COMMIT":
            die()

    ledger = SQLiteLedger(path, connect=lambda name: Faulty(connect(name), fault))
    armed = verb == "debit"
    debit = ledger.debit(ask("q", PRICES[price]))
    if step == "after-debit":
        die()
    armed = verb == "looked"
    ledger.looked(debit.id)
    if step == "after-looked":
        die()
    armed = verb == "answered"
    ledger.answered(debit.id, b"answer of the first process")
    if step == "after-answered":
        die()


def race(path: str, name: str, price: str, epsilon: str, cap: str, delta: str) -> None:
    """Asks ever new questions until a budget is empty; prints how many were paid for."""
    ledger, paid = SQLiteLedger(path, wait=60), 0
    event = laplace(epsilon) if price == "pure" else keyed(epsilon, 2000)
    limit = Limit(epsilon=exact(cap), delta=exact(delta))
    try:
        while True:
            ledger.debit(ask(f"{name}-{paid}", event, table(limit), own(name, limit), analyst=name))
            paid += 1
    except BudgetExceeded:
        print(paid)


def answer(path: str, name: str) -> None:
    """Answers one question at the same time as others do; prints what it was given."""
    ledger = SQLiteLedger(path, wait=60)
    debit = ledger.debit(ask("q", "0.5"))
    ledger.looked(debit.id)
    print(ledger.answered(debit.id, name.encode()).decode())


def hammer(path: str, name: str) -> None:
    """Asks and answers until it is killed; prints what was acknowledged, one line each, as it happens."""
    ledger, i = SQLiteLedger(path, wait=60), 0
    while True:
        charges = (Charge(STAFF, "staff", epsilons("1000000")),)
        debit = ledger.debit(ask(f"{name}-{i}", "0.001", *charges))
        os.write(1, f"debit {name}-{i} {debit.id}\n".encode())
        ledger.looked(debit.id)
        ledger.answered(debit.id, f"answer {name}-{i}".encode())
        os.write(1, f"answer {name}-{i} {debit.id}\n".encode())
        i += 1


def hold(path: str, seconds: str) -> None:
    """Holds the write lock."""
    connection = connect(path)
    connection.execute("BEGIN IMMEDIATE")
    print("held", flush=True)
    time.sleep(float(seconds))


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    {"crash": crash, "race": race, "answer": answer, "hammer": hammer, "hold": hold}[command](*arguments)
