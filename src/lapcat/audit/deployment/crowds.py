"""Whether questions that several threads ask at once are paid as if they came one after the other.

Threads share a transaction of the ledger where they come together (ledger/group_commit.py). Here they are made to: nobody's debit is
written before all of them wait in one queue, so that whoever does not see what the others spend in it is found every time.
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

from lapcat.audit.deployment.asking import in_rho, limit_like, run_at, spent_most, that_cost
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
"""Prices, of a cap of 1: of a question that all ask, and of several questions of which it is enough for one."""
LONGEST = 60.0
"""Seconds for which threads are waited for."""


class _Gathering(SQLLedger):
    """A ledger in memory whose debits are written when as many wait as are asked at once."""

    def __init__(self) -> None:
        self._in_memory = SQLiteStore(MEMORY, connect, LONGEST)
        super().__init__(self._in_memory)
        self._came = threading.Barrier(1)
        self._go_on = threading.Event()
        self._go_on.set()

    def debit(self, request: Request) -> Debit:
        with suppress(threading.BrokenBarrierError):
            self._came.wait(LONGEST)
        self._go_on.wait(LONGEST)
        return super().debit(request)

    def at_once(self, acts: Sequence[Callable[[], Answer]]) -> list[Future[Answer]]:
        """What becomes of acts each of which makes one debit."""
        self._came, self._go_on = threading.Barrier(len(acts) + 1), threading.Event()

        def act(one: Callable[[], Answer]) -> Answer:
            try:
                return one()
            except BaseException:
                self._came.abort()  # of those who came, nobody waits for it
                raise

        with ThreadPoolExecutor(len(acts)) as pool:
            found = [pool.submit(act, one) for one in acts]
            with suppress(threading.BrokenBarrierError):
                self._came.wait(LONGEST)
                self._queued(len(acts))
            self._go_on.set()
        return found

    def _queued(self, many: int) -> None:
        """While somebody reads nobody writes: all who come meanwhile are in the queue when it ends."""
        with self._in_memory.reading():
            self._go_on.set()
            until = time.monotonic() + LONGEST
            while self._in_memory.waiting < many and time.monotonic() < until:
                time.sleep(0.001)


def crowds(family: Family, folder: Path) -> Iterator[Check]:
    """A cap of 1, of which a question takes a fifth, and others three fifths each."""
    ledger = _Gathering()
    cap = limit_like(family, Fraction(1))
    copy = copied(family, neighbours_of(family)[0].here, folder, limit=cap, ledger=ledger)
    try:
        for text, problem in _checked(copy, ledger):
            yield Check("books", "any", "–", copy.engine, PROVED, text, problem)
    finally:
        copy.remove()


def _checked(copy: Copy, ledger: _Gathering) -> Iterator[tuple[str, str]]:
    """What was done, and what is wrong."""
    texts = that_cost(copy, sums_of(copy.family, 0), SAME, THREADS + 1)
    if len(texts) < 2:
        return
    session = copy.session()
    yield f"one question from {THREADS} threads at once", _same(copy, session, ledger, texts[0])
    # That an answer was handed over is written with the next debit, which then shares no queue with the others.
    ledger.resume(copy.deployment.scope(copy.family.tables[0]), "an audit")
    yield "several questions at once, under a cap for one", _apart(copy, session, ledger, texts[1:])


def _same(copy: Copy, session: Session, ledger: _Gathering, text: str) -> str:
    answers = ledger.at_once([partial(run_at, session, text, SAME, rho=in_rho(copy))] * THREADS)
    if any(answer.exception() is not None for answer in answers):
        return "it was refused to some of them"
    receipts = {answer.result().receipt.id for answer in answers}
    if len(receipts) > 1 or spent_most(copy) != SAME:
        return f"it was paid {len(receipts)} times: {float(spent_most(copy)):.6g} for {float(SAME):.6g}"
    return ""


def _apart(copy: Copy, session: Session, ledger: _Gathering, texts: list[str]) -> str:
    acts = [partial(run_at, session, text, APART, rho=in_rho(copy)) for text in texts]
    answered = sum(answer.exception() is None for answer in ledger.at_once(acts))
    total = SAME + answered * APART
    return f"{float(total):.6g} was answered under a cap of 1" if max(total, spent_most(copy)) > 1 else ""
