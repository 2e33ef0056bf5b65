"""Concurrent questions from several threads must be debited as if they were sequential.

Concurrent threads share a ledger transaction (group commit, ledger/group_commit.py). Here they are forced to: no debit is written
before all of them wait in one queue, so a debit that ignores the others in its group is always detected.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from fractions import Fraction
from functools import partial
from pathlib import Path

from lapcat.audit.deployment.asking import charged_texts, in_rho, limit_like, max_spent, run_at
from lapcat.audit.deployment.check import PROVED, Check
from lapcat.audit.deployment.copies import Copy, copied
from lapcat.audit.deployment.fixtures import Family, neighbours_of
from lapcat.audit.deployment.questions import sums_of
from lapcat.ledger import Debit, Request, SQLLedger
from lapcat.ledger.sqlite.connection import connect
from lapcat.ledger.sqlite.opening import MEMORY
from lapcat.ledger.sqlite.store import SQLiteStore
from lapcat.session import Session
from lapcat.session.results import Answer

THREADS = 3
SAME, APART = Fraction(1, 5), Fraction(3, 5)
"""Prices, under a cap of 1: of a question that all threads ask, and of different questions, only one of them affordable."""
LONGEST = 60.0
"""Seconds to wait for threads."""


class _Gathering(SQLLedger):
    """A ledger in memory that holds debits back until all concurrent requests wait."""

    def __init__(self) -> None:
        self._in_memory = SQLiteStore(MEMORY, connect, LONGEST)
        super().__init__(self._in_memory)
        self._arrived = threading.Barrier(1)
        self._go_on = threading.Event()
        self._go_on.set()

    def debit(self, request: Request) -> Debit:
        with suppress(threading.BrokenBarrierError):
            self._arrived.wait(LONGEST)
        self._go_on.wait(LONGEST)
        return super().debit(request)

    def at_once(self, acts: Sequence[Callable[[], Answer]]) -> list[Future[Answer]]:
        """Runs acts concurrently; each makes one debit."""
        self._arrived, self._go_on = threading.Barrier(len(acts) + 1), threading.Event()

        def run(act: Callable[[], Answer]) -> Answer:
            try:
                return act()
            except BaseException:
                self._arrived.abort()  # the others must not wait for it
                raise

        with ThreadPoolExecutor(len(acts)) as pool:
            futures = [pool.submit(run, act) for act in acts]
            with suppress(threading.BrokenBarrierError):
                self._arrived.wait(LONGEST)
                self._queued(len(acts))
            self._go_on.set()
        return futures

    def _queued(self, many: int) -> None:
        """A read transaction blocks writes, so all requests that arrive meanwhile end up in the queue."""
        with self._in_memory.reading():
            self._go_on.set()
            until = time.monotonic() + LONGEST
            while self._in_memory.waiting < many and time.monotonic() < until:
                time.sleep(0.001)


def crowds(family: Family, folder: Path) -> Iterator[Check]:
    """Under a cap of 1: one question at 1/5, and others at 3/5 each."""
    ledger = _Gathering()
    cap = limit_like(family, Fraction(1))
    copy = copied(family, neighbours_of(family)[0].here, folder, limit=cap, ledger=ledger)
    try:
        for text, problem in _checked(copy, ledger):
            yield Check("books", "any", "–", copy.engine, PROVED, text, problem)
    finally:
        copy.remove()


def _checked(copy: Copy, ledger: _Gathering) -> Iterator[tuple[str, str]]:
    """Actions and their problems."""
    texts = charged_texts(copy, sums_of(copy.family, 0), SAME, THREADS + 1)
    if len(texts) < 2:
        return
    session = copy.session()
    yield f"one question from {THREADS} threads at once", _same(copy, session, ledger, texts[0])
    # The record that an answer was returned goes with the next debit, which would then not share a queue with the others.
    ledger.resume(copy.deployment.scope(copy.family.tables[0]), "an audit")
    yield "several questions at once, with budget for one", _apart(copy, session, ledger, texts[1:])


def _same(copy: Copy, session: Session, ledger: _Gathering, text: str) -> str:
    answers = ledger.at_once([partial(run_at, session, text, SAME, rho=in_rho(copy))] * THREADS)
    if any(answer.exception() is not None for answer in answers):
        return "it was refused for some of them"
    receipts = {answer.result().receipt.id for answer in answers}
    if len(receipts) > 1 or max_spent(copy) != SAME:
        return f"it has {len(receipts)} receipts, and {float(max_spent(copy)):.6g} was debited instead of {float(SAME):.6g}"
    return ""


def _apart(copy: Copy, session: Session, ledger: _Gathering, texts: list[str]) -> str:
    acts = [partial(run_at, session, text, APART, rho=in_rho(copy)) for text in texts]
    answered = sum(answer.exception() is None for answer in ledger.at_once(acts))
    total = SAME + answered * APART
    return (
        f"answers at a total of {float(total):.6g} under a cap of 1"
        if max(total, max_spent(copy)) > 1
        else ""
    )
