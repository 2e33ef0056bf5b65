"""Group commit: work of several threads, done in one durable transaction by whichever of them comes first.

A sync of the disk takes longer than a debit, and while one thread waits for it others arrive. Each leaves its work in a
queue. One of them leads: it does all that is in the queue, and what arrives meanwhile, makes it durable once, and only
then lets anybody have a result; then the first of those who came too late leads. So nobody waits for more than the
transaction under way and the next one, and there is no thread in the background that could die.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Generic, TypeVar, cast

from lapcat.ledger.store import Transaction

T = TypeVar("T")
MOST = 64
"""Works in one transaction: so many that the sync hardly matters, so few that other processes get their turn."""


class Turn(Generic[T]):
    """One thread's work, and what became of it."""

    __slots__ = ("called", "done", "error", "value", "work")

    def __init__(self, work: Callable[[Transaction], T]) -> None:
        self.work = work
        self.value: T | None = None
        self.error: Exception | None = None
        self.done = False
        self.called = threading.Event()
        """Set when it is done, or when it is this thread that leads."""

    def attempt(self, transaction: Transaction, stops: type[Exception]) -> None:
        """Does the work inside a savepoint. Errors of lapcat undo this work alone; an error of the store, which may have
        ended the whole transaction, goes on."""
        head = transaction.head
        transaction.connection.execute("SAVEPOINT turn")
        self.error = None
        try:
            self.value = self.work(transaction)
        except stops:
            raise
        except Exception as error:
            self.error = error
            transaction.head = head
            transaction.connection.execute("ROLLBACK TO SAVEPOINT turn")
        transaction.connection.execute("RELEASE SAVEPOINT turn")

    def result(self) -> T:
        if self.error is not None:
            raise self.error
        return cast(T, self.value)


class Turns:
    """The queue in front of one store. `together` does the works that it is given durably, or raises for all of them."""

    def __init__(self, together: Callable[[Iterable[Turn[object]]], None]) -> None:
        self._together = together
        self._waiting: deque[Turn[object]] = deque()
        self._led = False
        self._queue = threading.Lock()
        self.lock = threading.Lock()
        """Held by whoever uses the connection."""

    def take(self, work: Callable[[Transaction], T]) -> T:
        turn = Turn(work)
        one = cast(Turn[object], turn)
        leads = False
        try:
            with self._queue:
                self._waiting.append(one)
                leads, self._led = not self._led, True
            if not leads:
                turn.called.wait()
                leads = not turn.done
            if leads:
                self._lead()
        except BaseException:  # an interrupt: whatever this thread was called for meanwhile, others go on
            with self._queue:
                leads = leads or (turn.called.is_set() and not turn.done)
                with suppress(ValueError):
                    self._waiting.remove(one)
            raise
        finally:
            if leads:
                self._hand_over()
        return turn.result()

    def forget(self) -> None:
        """In a child of fork: the threads that wait, and the one that leads, are the parent's."""
        self._waiting.clear()
        self._led = False
        self._queue = threading.Lock()

    def _lead(self) -> None:
        served: list[Turn[object]] = []

        def arriving() -> Iterator[Turn[object]]:
            while len(served) < MOST:
                with self._queue:
                    if not self._waiting:
                        return
                    served.append(self._waiting.popleft())
                yield served[-1]

        try:
            with self.lock:
                self._together(arriving())
        except Exception as error:
            for turn in served or list(arriving()):  # perhaps it failed before the first of them was begun
                turn.error = error
        except BaseException:  # this thread was interrupted; the others' work is still to be done
            with self._queue:
                self._waiting.extendleft(reversed(served))
            raise
        for turn in served:
            turn.done = True
            turn.called.set()

    def _hand_over(self) -> None:
        with self._queue:
            if self._waiting:
                self._waiting[0].called.set()
            else:
                self._led = False
