"""A charge survives `kill -9` between any two steps; what a fresh process reads is what counts."""

from __future__ import annotations

import random
import select
import signal
import time
from fractions import Fraction

import pytest
from ledger_kit import PRICES, STAFF, ask, finish, kinds, laplace, open_ledger, spent, worker

from lapcat.core.exact import exact
from lapcat.ledger.fixed_point import DELTAS, cost_of

DONE = ["debit", "looked", "answered"]


@pytest.mark.parametrize(
    ("step", "left_behind"),
    [
        ("before-debit", []),
        ("after-debit", DONE[:1]),
        ("before-looked", DONE[:1]),
        ("after-looked", DONE[:2]),
        ("before-answered", DONE[:2]),
        ("after-answered", DONE[:3]),
    ],
)
@pytest.mark.parametrize("price", PRICES)
def test_a_charge_survives_a_crash(store: str, step: str, left_behind: list[str], price: str) -> None:
    event = PRICES[price]
    delta = cost_of(event).delta
    assert (delta > 0) is (price == "keyed")
    process = worker("crash", store, step, price)
    process.communicate(timeout=300)
    assert process.returncode == -signal.SIGKILL
    with open_ledger(store) as ledger:
        assert kinds(ledger) == left_behind
        assert spent(ledger) == (exact("0.5") if left_behind else 0)
        assert ledger.spent(STAFF).delta == (Fraction(delta, DELTAS) if left_behind else 0)
        again = ledger.debit(ask("q", event))
        assert again.free is bool(left_behind)
        assert again.answer == (b"answer of the first process" if left_behind == DONE else None)
        if again.answer is None:
            finish(ledger, again.id, b"answer of the second process")
        assert spent(ledger) == exact("0.5") and ledger.spent(STAFF).delta == Fraction(delta, DELTAS)
        assert kinds(ledger) == DONE
        assert ledger.verify() == 3


def _killed_under_load(store: str, clients: int, seconds: float, seed: int) -> None:
    """Kills clients at random moments; everything that was acknowledged must be there, and nothing twice."""
    chance = random.Random(seed)
    until = time.monotonic() + seconds
    acknowledged: list[list[str]] = []
    generation = 0
    while time.monotonic() < until or len(acknowledged) < 150:  # a busy machine takes longer
        running = [worker("hammer", store, f"g{generation}c{i}") for i in range(clients)]
        select.select(
            [process.stdout for process in running], [], [], 60
        )  # how long a start takes is no matter
        time.sleep(chance.random())
        for process in chance.sample(running, len(running)):
            process.kill()
            time.sleep(chance.random() / 20)
        for process in running:
            output, _ = process.communicate(timeout=300)
            acknowledged += [line.split() for line in output.splitlines()]
        generation += 1
    with open_ledger(store) as ledger:
        ledger.verify()
        paid = kinds(ledger).count("debit")
        assert spent(ledger) == paid * exact("0.001")
        debits = [question for verb, question, _ in acknowledged if verb == "debit"]
        assert (
            len(debits) > 50 and len(set(debits)) == len(debits) <= paid <= len(debits) + generation * clients
        )
        for verb, question, id in acknowledged:
            debit = ledger.find(question, laplace("0.001"))
            assert debit is not None and debit.id == int(id), f"lost: {question} (seed {seed})"
            if verb == "answer":
                assert debit.answer == f"answer {question}".encode(), f"lost: {question} (seed {seed})"


def test_nothing_acknowledged_is_lost_when_clients_are_killed(store: str) -> None:
    _killed_under_load(store, clients=4, seconds=3, seed=8812)


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_when_clients_are_killed_for_a_minute(store: str) -> None:
    _killed_under_load(store, clients=8, seconds=60, seed=random.SystemRandom().getrandbits(32))
