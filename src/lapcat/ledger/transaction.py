"""A write that is under way: many works decide in memory, one after the other, and their rows are written together.

A statement costs about as much as a debit's arithmetic, and on a server a round trip. So a work that can be decided by what
is known already only queues its rows, and the rows of all works that share a transaction are written with one statement for
each table. What is queued is a row of the book like any other: the works that follow see it, by three rules.

- What was spent is kept here, with what is queued; `known` reads each of the other facts that all debits ask for once.
- A work that asks about a question, key or debit of which something is queued finds it written: `about`.
- A work that needs more than that takes `connection`: all that was queued before it is written, and it gets a savepoint of
  its own. What it does is written when it ends, and what was known is read anew.

A work that fails leaves nothing, in the queue or in the store.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from lapcat.errors import Error
from lapcat.ledger.base import Charge, Entry
from lapcat.ledger.chain import Head, canonical, follow
from lapcat.ledger.fixed_point import FixedPointAmounts
from lapcat.ledger.rows import asked_before, spent_from
from lapcat.ledger.store import Connection, SelectReader

Row = tuple[object, ...]
MOST_ROWS = 64
"""In one statement: the number of its parameters is limited."""
TABLES = {
    "entries": ("id", "kind", "body", "previous", "hash"),
    "debits": ("id", "question", "epsilon", "state"),
    "receivers": ("debit", "analyst"),
    "holdings": ("statistic", "debit"),
    "keys": ("analyst", "key", "asks", "debit"),
    "spent": ("scope", "epsilon", "delta", "rho"),
}
"""What rows are queued for, in the order in which they are written."""
_REPLACES = " ON CONFLICT (scope) DO UPDATE SET epsilon = excluded.epsilon, delta = excluded.delta, rho = excluded.rho"


class Transaction:
    """The head that new entries extend, what is queued, and the connection. `check` raises where the store cannot keep a
    text: then, and not when it is written, for by then others would share its fate."""

    def __init__(self, connection: Connection, head: Head, check: Callable[[str], object]) -> None:
        self.head = head
        self.known = QueryMemo(connection)
        self._connection = connection
        self._check = check
        self._queued, self._own = Queue(), Queue()
        """Of the works that are done, and of the one under way."""
        self._spent: dict[str, FixedPointAmounts] = {}
        self._new: set[str] = set()
        self._before = head
        self._direct = False

    # --- what a work does -------------------------------------------------------------------------------------

    def append(self, kind: str, body: Mapping[str, object]) -> Entry:
        return self.append_text(kind, canonical(body))

    def append_text(self, kind: str, text: str) -> Entry:
        """`text`: the body as canonical JSON."""
        entry = follow(self.head, kind, text)
        self._own.rows["entries"].append((entry.id, kind, text, entry.previous, entry.hash))
        self.head = (entry.id, entry.hash)
        return entry

    def insert(self, table: str, row: Row, about: Hashable = None) -> None:
        """Queues a row; `about`: what somebody may ask for and then must find it."""
        for part in row:
            if isinstance(part, str):
                self._check(part)
        self._own.rows[table].append(row)
        if about is not None:
            self._own.about.add(about)

    def update(self, sql: str, parameters: Row, about: Hashable) -> None:
        """Queues a statement that changes what is kept about a debit; it is done after the rows that are queued with it."""
        self._own.updates.append((sql, parameters))
        self._own.about.add(about)

    def spent(self, charges: Sequence[Charge]) -> dict[str, FixedPointAmounts]:
        """What was spent from each scope, with what is queued."""
        return {charge.scope: self._spent_from(charge.scope) for charge in charges}

    def charge(self, after: Mapping[str, FixedPointAmounts]) -> None:
        """This is spent from each scope from now on."""
        self._spent.update(after)
        self._own.spent.update(after)

    def foresee(self, questions: Sequence[str]) -> None:
        """Asks the store once which of these were never asked before. One that it cannot keep is left to its own work."""
        kept = [question for question in questions if self._can_keep(question)]
        if kept:
            before = asked_before(self._connection, kept)
            self._new.update(question for question in kept if question not in before)

    def is_new(self, question: str) -> bool:
        """Whether a question was never asked before, also by a work that is done and not written."""
        if question in self._queued.about:
            return False
        return question in self._new or not asked_before(self._connection, [question])

    def about(self, subject: Hashable) -> SelectReader:
        """Where everything about a question, key or debit can be read."""
        if subject in self._queued.about or subject in self._own.about:
            return self.connection
        return self._connection

    @property
    def connection(self) -> Connection:
        """For a work that reads or writes by itself: with all that was queued, and undone if the work fails."""
        if not self._direct:
            self._queued.write(self._connection)
            self._connection.execute("SAVEPOINT work")
            self._direct = True
        self._own.write(self._connection)
        self._forget()
        return self._connection

    # --- what is done with a work -----------------------------------------------------------------------------

    def begin(self) -> None:
        self._before = self.head

    def keep(self) -> None:
        """The work is done."""
        if self._direct:
            self._own.write(self._connection)
            self._connection.execute("RELEASE SAVEPOINT work")
            self._direct = False
            self._forget()
        else:
            self._queued.take(self._own)

    def undo(self) -> None:
        """The work has failed."""
        self.head = self._before
        self._own = Queue()
        if self._direct:
            self._connection.execute("ROLLBACK TO SAVEPOINT work")
            self._connection.execute("RELEASE SAVEPOINT work")
            self._direct = False
        self._queued.write(self._connection)  # so that nothing is known but what is written
        self._forget()

    def write(self) -> None:
        """Writes what is queued."""
        self._queued.write(self._connection)

    def _spent_from(self, scope: str) -> FixedPointAmounts:
        found = self._spent.get(scope)
        if found is None:
            found = self._spent[scope] = spent_from(self._connection, scope)
        return found

    def _can_keep(self, text: str) -> bool:
        try:
            self._check(text)
        except (Error, UnicodeError):
            return False
        return True

    def _forget(self) -> None:
        self._spent.clear()
        self._new.clear()
        self.known.forget()


class Queue:
    """Rows that are decided and not written yet."""

    __slots__ = ("about", "rows", "spent", "updates")

    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = {table: [] for table in TABLES}
        self.spent: dict[str, FixedPointAmounts] = {}
        self.updates: list[tuple[str, Row]] = []
        self.about: set[Hashable] = set()

    def take(self, later: Queue) -> None:
        """Adds what another holds, and empties it."""
        for table, rows in later.rows.items():
            if rows:
                self.rows[table] += rows
                rows.clear()
        if later.spent:
            self.spent.update(later.spent)
            later.spent.clear()
        if later.updates:
            self.updates += later.updates
            later.updates.clear()
        self.about |= later.about
        later.about.clear()

    def write(self, connection: Connection) -> None:
        """Writes everything, and is empty."""
        if self.rows["entries"]:
            last = self.rows["entries"][-1]
            self.updates.append(("UPDATE head SET id = ?, hash = ?", (last[0], last[-1])))
        self.rows["spent"] += [
            (scope, amount.epsilon, amount.delta, amount.rho) for scope, amount in sorted(self.spent.items())
        ]
        for table, rows in self.rows.items():
            for start in range(0, len(rows), MOST_ROWS):
                some = rows[start : start + MOST_ROWS]
                connection.execute(_insert(table, len(some)), tuple(part for row in some for part in row))
            rows.clear()
        for sql, parameters in self.updates:
            connection.execute(sql, parameters)
        self.updates.clear()
        self.spent.clear()
        self.about.clear()


class QueryMemo:
    """Asks the store every question once, for as long as nothing is written that could change an answer."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._answers: dict[tuple[str, Sequence[object]], QueryRows] = {}

    def execute(self, sql: str, parameters: Sequence[object] = (), /) -> QueryRows:
        found = self._answers.get((sql, parameters))
        if found is None:
            found = self._answers[sql, parameters] = QueryRows(self._connection.execute(sql, parameters))
        return found

    def forget(self) -> None:
        self._answers.clear()


class QueryRows(tuple[Any, ...]):
    """Rows that were read."""

    __slots__ = ()

    def __new__(cls, rows: Iterable[Any]) -> QueryRows:
        return super().__new__(cls, rows)

    def fetchone(self) -> Any:
        return self[0] if self else None

    def fetchall(self) -> list[Any]:
        return list(self)


@lru_cache(maxsize=MOST_ROWS * len(TABLES))
def _insert(table: str, many: int) -> str:
    columns = TABLES[table]
    places = "(" + ", ".join("?" * len(columns)) + ")"
    values = ", ".join([places] * many)
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES {values}{_REPLACES if table == 'spent' else ''}"
    )
