"""Group commit: work of several threads, done in one durable transaction by whichever of them comes first.

A sync of the disk takes longer than a debit, and while one thread waits for it others arrive. Each leaves its work in a
queue. One of them leads: it does all that is in the queue, and what arrives meanwhile, makes it durable once, and only
then lets anybody have a result; then the first of those who came too late leads. So nobody waits for more than the
transaction under way and the next one, and there is no thread in the background that could die.

Threads that ask one question after the other would fall into two halves, of which one prepares while the other syncs, and
every sync would serve half of them. So whoever leads waits for as many as there were the last time, but no longer than
that transaction took, which is what each of those who come in time is spared. A thread that is alone never waits.
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
MOST = 64
"""Works in one transaction: so many that the sync hardly matters, so few that other processes get their turn."""
LONGEST_WAIT = 0.01
"""Seconds for which others are waited for at most, however slow the last transaction was."""


class PendingWork(Generic[T]):
    """One thread's work, and what became of it."""

    __slots__ = ("called", "error", "leads", "question", "value", "work")

    def __init__(self, work: Callable[[Transaction], T], question: str | None = None) -> None:
        self.work = work
        self.question = question
        """What it will ask for first, so that the store is asked once for all who come together."""
        self.value: T | None = None
        self.error: Exception | None = None
        self.leads = False
        self.called = threading.Lock()
        """Released when it is done, or when it is this thread that leads. An Event costs as much as the rest of a turn."""
        self.called.acquire()

    def attempt(self, transaction: Transaction, stops: type[Exception]) -> None:
        """Does the work. Errors of lapcat undo this work alone; an error of the store, which may have ended the whole
        transaction, goes on."""
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
    turns: Iterable[list[PendingWork[object]]], transaction: Transaction, stops: type[Exception]
) -> None:
    """Does the works in the order in which they came, and writes what they queued."""
    for some in turns:
        transaction.foresee([turn.question for turn in some if turn.question is not None])
        for turn in some:
            turn.attempt(transaction, stops)
    transaction.write()


class GroupCommit:
    """The queue in front of one store. `together` does the works that it is given durably, or raises for all of them."""

    def __init__(self, together: Callable[[Iterable[list[PendingWork[object]]]], None]) -> None:
        self._together = together
        self._waiting: deque[PendingWork[object]] = deque()
        self._led = False
        self._expected = 1
        """How many came to the last transaction, in time or too late."""
        self._took = 0.0
        self._queue = threading.Lock()
        self._all_came = threading.Condition(self._queue)
        self.lock = threading.Lock()
        """Held by whoever uses the connection."""

    def take(self, work: Callable[[Transaction], T], question: str | None = None) -> T:
        turn = PendingWork(work, question)
        one = cast(PendingWork[object], turn)
        try:
            with self._queue:
                self._waiting.append(one)
                turn.leads, self._led = not self._led, True
                if len(self._waiting) == self._expected:
                    self._all_came.notify()
            if not turn.leads:
                turn.called.acquire()
            if turn.leads:
                self._lead()
        except BaseException:  # an interrupt: whatever this thread was called for meanwhile, others go on
            with self._queue, suppress(ValueError):
                self._waiting.remove(one)
            raise
        finally:
            if turn.leads:
                self._hand_over()
        return turn.result()

    @property
    def waiting(self) -> int:
        """How many works are in the queue now."""
        return len(self._waiting)

    def forget(self) -> None:
        """In a child of fork: the threads that wait, and the one that leads, are the parent's."""
        self._waiting.clear()
        self._led = False
        self._queue = threading.Lock()
        self._all_came = threading.Condition(self._queue)

    def _lead(self) -> None:
        served: list[PendingWork[object]] = []

        def arriving() -> Iterator[list[PendingWork[object]]]:
            while len(served) < MOST:
                with self._queue:
                    some = [
                        self._waiting.popleft() for _ in range(min(len(self._waiting), MOST - len(served)))
                    ]
                    served.extend(some)
                if not some:
                    return
                yield some

        with self._queue:
            if len(self._waiting) < self._expected:
                self._all_came.wait(min(self._took, LONGEST_WAIT))
        begun = monotonic()
        try:
            with self.lock:
                self._together(arriving())
        except Exception as error:
            if not served:  # it failed before the first of them was begun
                list(arriving())
            for turn in served:
                turn.error = error
        except BaseException:  # this thread was interrupted; the others' work is still to be done
            with self._queue:
                self._waiting.extendleft(reversed(served))
            raise
        self._took = monotonic() - begun
        with self._queue:
            self._expected = min(len(served) + len(self._waiting), MOST)
        for turn in served:
            turn.called.release()

    def _hand_over(self) -> None:
        with self._queue:
            if self._waiting:
                self._waiting[0].leads = True
                self._waiting[0].called.release()
            else:
                self._led = False
