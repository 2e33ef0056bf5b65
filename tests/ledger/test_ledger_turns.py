"""Group commit: threads share a sync, and nothing else."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest
from ledger_kit import Once, ask, disk_failure, epsilons, faulty, lock_held, open_ledger, spent, table

from lapcat.core.exact import exact
from lapcat.errors import BudgetExceeded, IntegrityFailed
from lapcat.ledger import Debit, SQLLedger
from lapcat.ledger.group_commit import GroupCommit, PendingWork


class Slow:
    """Lets the next COMMIT wait until it is told to go on, so that others arrive meanwhile; counts them all."""

    def __init__(self) -> None:
        self.armed, self.begun, self.go_on, self.commits = False, threading.Event(), threading.Event(), 0

    def __call__(self, sql: str) -> None:
        if sql == "COMMIT":
            self.commits += 1
            if self.armed:
                self.armed = False
                self.begun.set()
                assert self.go_on.wait(30)


def waiting(ledger: SQLLedger, many: int) -> None:
    """Until so many turns are in the queue."""
    until = time.monotonic() + 30
    while len(ledger._store._group_commit._waiting) < many:  # type: ignore[attr-defined]
        assert time.monotonic() < until
        time.sleep(0.001)


def while_one_commits(
    store: str, requests: list[Any], fault: Any = None
) -> tuple[SQLLedger, list[Future[Debit]], int]:
    """Asks all of these while the commit of another question is under way; also how many commits that took."""
    slow = Slow()

    def both(sql: str) -> None:
        if fault is not None:  # not the commit that is under way already when it is armed
            fault(sql)
        slow(sql)

    ledger = open_ledger(store, connect=faulty(both, store=store))
    with ThreadPoolExecutor(len(requests) + 1) as pool:
        slow.armed = True
        first = pool.submit(ledger.debit, ask("first"))
        assert slow.begun.wait(30)
        others = [pool.submit(ledger.debit, request) for request in requests]
        waiting(ledger, len(requests))
        if fault is not None:
            fault.armed = True
        before = slow.commits
        slow.go_on.set()
        first.result()
    return ledger, others, slow.commits - before


def test_what_arrives_during_a_commit_is_committed_once_together(store: str) -> None:
    ledger, others, commits = while_one_commits(store, [ask(f"q{i}") for i in range(8)])
    assert commits == 1 and len({other.result().id for other in others}) == 8
    assert spent(ledger) == exact("0.9") and ledger.verify() == 9


def test_a_refusal_undoes_its_own_work_and_nobody_elses(store: str) -> None:
    requests = [ask("a"), ask("too much", "9"), ask("b"), ask("a")]
    ledger, others, commits = while_one_commits(store, requests)
    assert isinstance(others[1].exception(), BudgetExceeded) and commits == 1
    assert others[0].result().id == others[3].result().id and spent(ledger) == exact("0.3")
    assert ledger.verify() == 3


def test_a_question_that_is_asked_twice_in_one_group_is_paid_once(store: str) -> None:
    ledger, others, commits = while_one_commits(store, [ask("a"), ask("b"), ask("a"), ask("a")])
    debits = [other.result() for other in others]
    assert commits == 1 and sorted(debit.free for debit in debits) == [False, False, True, True]
    assert len({debits[i].id for i in (0, 2, 3)}) == 1
    assert spent(ledger) == exact("0.3") and ledger.verify() == 3


def test_together_they_stay_within_the_cap(store: str) -> None:
    small = table(epsilons("1"))
    ledger, others, _ = while_one_commits(store, [ask(f"q{i}", "0.25", small) for i in range(8)])
    paid = [other for other in others if other.exception() is None]
    assert len(paid) == 3 and spent(ledger) == exact("0.85")


def test_an_error_of_the_disk_fails_all_that_share_the_commit_and_leaves_nothing(store: str) -> None:
    fault = Once("COMMIT", disk_failure(store))
    ledger, others, _ = while_one_commits(store, [ask("a"), ask("b")], fault)
    for other in others:
        assert isinstance(other.exception(), IntegrityFailed)
    assert spent(ledger) == exact("0.1") and ledger.verify() == 1
    assert not ledger.debit(ask("a")).free


def test_a_transaction_that_cannot_begin_fails_all_that_wait_for_it(store: str) -> None:
    fault = Once("BEGIN", lock_held(store))
    ledger, others, _ = while_one_commits(store, [ask("a"), ask("b")], fault)
    for other in others:
        error = other.exception()
        assert isinstance(error, IntegrityFailed) and error.code == "ledger-locked"
    assert not ledger.debit(ask("a")).free and ledger.verify() == 2


def test_whoever_is_interrupted_leaves_the_others_work_to_them(store: str) -> None:
    """The first in the queue does the work of all; if a Ctrl-C ends it, the others still get theirs done."""
    fault = Once("INSERT INTO debits", KeyboardInterrupt())  # type: ignore[arg-type]
    ledger, others, _ = while_one_commits(store, [ask("a"), ask("b"), ask("c")], fault)
    errors = [other.exception() for other in others]
    assert sum(isinstance(error, KeyboardInterrupt) for error in errors) == 1 and errors.count(None) == 2
    assert spent(ledger) == exact("0.3") and ledger.verify() == 3


def test_whoever_is_interrupted_while_waiting_takes_its_work_with_it(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow()
    ledger = open_ledger(store, connect=faulty(slow, store=store))

    class Impatient:
        """A lock that is taken when it is made, and cannot be waited for."""

        def __init__(self) -> None:
            self.taken = False

        def acquire(self) -> bool:
            if self.taken:
                raise KeyboardInterrupt
            self.taken = True
            return True

    with ThreadPoolExecutor(2) as pool:
        slow.armed = True
        first = pool.submit(ledger.debit, ask("first"))
        assert slow.begun.wait(30)
        monkeypatch.setattr("lapcat.ledger.group_commit.threading.Lock", Impatient)
        with pytest.raises(KeyboardInterrupt):
            ledger.debit(ask("never"))
        monkeypatch.undo()
        slow.go_on.set()
        first.result()
    assert not ledger.debit(ask("next")).free
    assert spent(ledger) == exact("0.2") and ledger.verify() == 2


class Rounds:
    """What a store does, without one: counts the works of each transaction; the first lasts until it is told to go on."""

    def __init__(self) -> None:
        self.turns = GroupCommit(self._together)
        self.many: list[int] = []
        self.begun, self.go_on = threading.Event(), threading.Event()

    def _together(self, arriving: Iterable[list[PendingWork[object]]]) -> None:
        self.many.append(sum(len(some) for some in arriving))
        if len(self.many) == 1:
            self.begun.set()
            assert self.go_on.wait(300)

    def take(self) -> None:
        self.turns.run(lambda transaction: None)


def test_whoever_leads_waits_for_those_who_came_the_last_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise threads that come back at once would share every sync with half of the others."""
    rounds, clock = Rounds(), count(step=300)
    monkeypatch.setattr("lapcat.ledger.group_commit.LONGEST_WAIT", 300)
    monkeypatch.setattr(
        "lapcat.ledger.group_commit.monotonic", lambda: next(clock)
    )  # every transaction takes long
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(rounds.take)
        assert rounds.begun.wait(300)
        others = [pool.submit(rounds.take) for _ in range(2)]
        while len(rounds.turns._waiting) < 2:
            time.sleep(0.001)
        rounds.go_on.set()
        first.result(300)
        time.sleep(0.1)  # whoever does not wait is done by then
        pool.submit(rounds.take).result(300)
        for other in others:
            other.result(300)
    assert rounds.many == [1, 3]


def test_nobody_is_waited_for_longer_than_the_last_transaction_took() -> None:
    rounds = Rounds()
    rounds.go_on.set()
    rounds.turns._expected, rounds.turns._took = 8, 0.001
    rounds.take()
    assert rounds.many == [1] and rounds.turns._expected == 1


def test_a_thread_that_is_alone_waits_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(seconds: float) -> bool:
        raise AssertionError(f"it waits for {seconds} s")

    rounds = Rounds()
    rounds.go_on.set()
    monkeypatch.setattr(rounds.turns._all_came, "wait", never)
    for _ in range(3):
        rounds.take()
    assert rounds.many == [1, 1, 1]
