"""Group commit: work of several threads, done in one durable transaction by whichever of them comes first.

A sync of the disk takes longer than a debit, and while one thread waits for it others arrive. Each leaves its work in a
queue and waits for its turn; whose turn it is does all that is in the queue, makes it durable once, and only then lets
anybody have a result. So nobody waits for more than the transaction under way and the next one, and there is no thread
in the background that could die.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Generic, TypeVar, cast

from lapcat.ledger.store import Transaction

T = TypeVar("T")
MOST = 64
"""Works in one transaction: so many that the sync hardly matters, so few that other processes get their turn."""


class Turn(Generic[T]):
    """One thread's work, and what became of it."""

    __slots__ = ("done", "error", "value", "work")

    def __init__(self, work: Callable[[Transaction], T]) -> None:
        self.work = work
        self.value: T | None = None
        self.error: Exception | None = None
        self.done = False

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
    """The queue in front of one store. `together` does several works durably, or raises for all of them."""

    def __init__(self, together: Callable[[Sequence[Turn[object]]], None]) -> None:
        self._together = together
        self._waiting: deque[Turn[object]] = deque()
        self.lock = threading.Lock()
        """Held by whoever uses the connection."""

    def take(self, work: Callable[[Transaction], T]) -> T:
        turn = Turn(work)
        self._waiting.append(cast(Turn[object], turn))
        try:
            while not turn.done:
                with self.lock:
                    if not turn.done:
                        self._serve()
        finally:
            if not turn.done:  # interrupted before its turn came
                with suppress(ValueError):
                    self._waiting.remove(cast(Turn[object], turn))
        return turn.result()

    def forget(self) -> None:
        """In a child of fork: the threads that wait are the parent's."""
        self._waiting.clear()

    def _serve(self) -> None:
        turns: list[Turn[object]] = []
        with suppress(IndexError):
            while len(turns) < MOST:
                turns.append(self._waiting.popleft())
        try:
            self._together(turns)
        except Exception as error:
            for turn in turns:
                turn.error = error
        except BaseException:  # this thread was interrupted; the others' work is still to be done
            self._waiting.extendleft(reversed(turns))
            raise
        for turn in turns:
            turn.done = True
