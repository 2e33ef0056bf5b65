"""Races: many clients ask at the same moment, so that each sees enough budget left."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from fractions import Fraction

from lapcat.audit.attacks.arena import arena
from lapcat.audit.attacks.finding import Finding
from lapcat.core.exact import exact, exact_text
from lapcat.errors import BudgetExceeded
from lapcat.session import Session

CLIENTS, EACH, AFFORDED = 8, 5, 20
"""Clients, questions per client, and the number of questions the budget covers."""


def attack(epsilon: object) -> Finding:
    names = [f"analyst{i}" for i in range(CLIENTS)]
    with arena(epsilon, analysts=names) as made:
        price = exact_text(exact(made.epsilon) / AFFORDED)
        sessions = [made.session(name) for name in names]
        answered = _together(lambda client: _ask(sessions[client], client, price))
        spent = sum(
            (exact(gauge.spent.epsilon) for gauge in made.session(names[0]).budget().tables.values()),
            Fraction(0),
        )
        cap = exact(made.epsilon)
    careless = _Careless(AFFORDED)
    over = _together(lambda client: sum(careless.spend() for _ in range(EACH)))
    return Finding(
        "races",
        f"{CLIENTS} clients at once, {EACH} questions each, a budget for {AFFORDED}",
        f"check, then spend, without a lock: {over} answers",
        f"{answered} answers; spent ε = {exact_text(spent)} of {exact_text(cap)}",
        answered <= AFFORDED and spent <= cap,
        {"answered": answered, "careless": over, "spent": float(spent)},
    )


def _ask(session: Session, client: int, price: str) -> int:
    answered = 0
    for i in range(EACH):
        try:
            session.sql(f"SELECT COUNT(*) AS n FROM people WHERE code <= {client * EACH + i}").run(
                epsilon=price
            )
            answered += 1
        except BudgetExceeded:
            pass
    return answered


def _together(work: Callable[[int], int]) -> int:
    done: list[int] = []
    start = threading.Barrier(CLIENTS)

    def client(number: int) -> None:
        start.wait()
        done.append(work(number))

    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done)


class _Careless:
    """A budget that checks first and debits later, without a lock."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self) -> int:
        if self.left <= 0:
            return 0
        time.sleep(0.002)  # the question is answered in between
        self.left -= 1
        return 1
