"""Group commit: the pending work of several threads, committed in one durable transaction by one of them, the leader.

A disk sync takes longer than a debit, and other threads arrive meanwhile. Each adds its work to a queue. The leader does
all work in the queue, including what arrives meanwhile, commits once, and only then returns results; the first thread left
in the queue leads next. So a thread waits for at most the current transaction and the next one, and no background thread is
needed.

Threads that ask in a loop would split into two halves, one preparing while the other syncs, and every sync would serve only
half of them. So the leader waits for as many threads as came last time, but no longer than that transaction took, which is
what each thread that arrives in time saves. A single thread never waits.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from time import monotonic
from typing import Generic, TypeVar, cast

from lapcat.ledger.transaction import Transaction

T = TypeVar("T")
MAX_GROUP = 64
"""Pending works per transaction: enough to amortize the sync, few enough to let other processes write."""
LONGEST_WAIT = 0.01
"""Upper bound in seconds on the wait for other threads, however slow the last transaction was."""


class PendingWork(Generic[T]):
    """One thread's work and its result."""

    __slots__ = ("called", "error", "leads", "question", "value", "work")

    def __init__(self, work: Callable[[Transaction], T], question: str | None = None) -> None:
        self.work = work
        self.question = question
        """The question it will look up first, so that the store is queried once per group."""
        self.value: T | None = None
        self.error: Exception | None = None
        self.leads = False
        self.called = threading.Lock()
        """Released when the work is done or this thread becomes the leader. A threading.Event would double the overhead."""
        self.called.acquire()

    def attempt(self, transaction: Transaction, stops: type[Exception]) -> None:
        """Does the work. An error raised by lapcat undoes only this work; a store error (`stops`), which may have ended the
        transaction, propagates."""
        self.error = None
        transaction.begin()
        try:
            self.value = self.work(transaction)
            transaction.keep()
        except stops:
            raise
        except Exception as error:
            self.error = error
            transaction.undo()

    def result(self) -> T:
        if self.error is not None:
            raise self.error
        return cast(T, self.value)


def attempt_all(
    batches: Iterable[list[PendingWork[object]]], transaction: Transaction, stops: type[Exception]
) -> None:
    """Does the works in order of arrival, and writes what they queued."""
    for batch in batches:
        transaction.foresee([pending.question for pending in batch if pending.question is not None])
        for pending in batch:
            pending.attempt(transaction, stops)
    transaction.write()


class GroupCommit:
    """The queue of pending work of one store. `together` commits the works it is given durably, or raises for all of them."""

    def __init__(self, together: Callable[[Iterable[list[PendingWork[object]]]], None]) -> None:
        self._together = together
        self._waiting: deque[PendingWork[object]] = deque()
        self._led = False
        self._expected = 1
        """Number of threads that came to the last transaction, in time or too late."""
        self._took = 0.0
        self._queue = threading.Lock()
        self._all_came = threading.Condition(self._queue)
        self.lock = threading.Lock()
        """Held while the connection is used."""

    def run(self, work: Callable[[Transaction], T], question: str | None = None) -> T:
        pending = PendingWork(work, question)
        queued = cast(PendingWork[object], pending)
        try:
            with self._queue:
                self._waiting.append(queued)
                pending.leads, self._led = not self._led, True
                if len(self._waiting) == self._expected:
                    self._all_came.notify()
            if not pending.leads:
                pending.called.acquire()
            if pending.leads:
                self._lead()
        except BaseException:  # an interrupt: the other threads go on
            with self._queue, suppress(ValueError):
                self._waiting.remove(queued)
            raise
        finally:
            if pending.leads:
                self._hand_over()
        return pending.result()

    @property
    def waiting(self) -> int:
        """Number of works in the queue."""
        return len(self._waiting)

    def forget(self) -> None:
        """In a forked child: the waiting threads and the leader belong to the parent."""
        self._waiting.clear()
        self._led = False
        self._queue = threading.Lock()
        self._all_came = threading.Condition(self._queue)

    def _lead(self) -> None:
        served: list[PendingWork[object]] = []

        def arriving() -> Iterator[list[PendingWork[object]]]:
            while len(served) < MAX_GROUP:
                with self._queue:
                    batch = [
                        self._waiting.popleft()
                        for _ in range(min(len(self._waiting), MAX_GROUP - len(served)))
                    ]
                    served.extend(batch)
                if not batch:
                    return
                yield batch

        with self._queue:
            if len(self._waiting) < self._expected:
                self._all_came.wait(min(self._took, LONGEST_WAIT))
        begun = monotonic()
        try:
            with self.lock:
                self._together(arriving())
        except Exception as error:
            if not served:  # it failed before the first work began
                list(arriving())
            for pending in served:
                pending.error = error
        except BaseException:  # this thread was interrupted; the others' work is still to be done
            with self._queue:
                self._waiting.extendleft(reversed(served))
            raise
        self._took = monotonic() - begun
        with self._queue:
            self._expected = min(len(served) + len(self._waiting), MAX_GROUP)
        for pending in served:
            pending.called.release()

    def _hand_over(self) -> None:
        with self._queue:
            if self._waiting:
                self._waiting[0].leads = True
                self._waiting[0].called.release()
            else:
                self._led = False
