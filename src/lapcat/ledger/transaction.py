"""A write transaction: several works are decided in memory, one after the other, and their rows are written together.

A statement costs about as much as a debit's arithmetic, and on a server a round trip. So a work that can be decided from
cached facts only queues its rows, and the rows of all works in a transaction are written with one statement per table.
Later works see queued rows by three rules.

- The amounts spent, including queued ones, are cached here; `known` caches the other facts that every debit reads.
- `about` writes the queue first if it holds rows about the question, key or debit concerned.
- A work that needs more uses `connection`: the queue is written first, and the work gets its own savepoint. Its rows are
  written when it ends, and the caches are cleared.

A work that fails leaves nothing in the queue or in the store.
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
MAX_ROWS = 64
"""Rows per statement: the number of parameters is limited."""
TABLES = {
    "entries": ("id", "kind", "body", "previous", "hash"),
    "debits": ("id", "question", "epsilon", "state"),
    "receivers": ("debit", "analyst"),
    "holdings": ("statistic", "debit"),
    "keys": ("analyst", "key", "asks", "debit"),
    "spent": ("scope", "epsilon", "delta", "rho"),
}
"""The tables that rows are queued for, in the order of writing."""
_REPLACES = " ON CONFLICT (scope) DO UPDATE SET epsilon = excluded.epsilon, delta = excluded.delta, rho = excluded.rho"


class Transaction:
    """The current head, the queue and the connection. `check` raises if the store cannot hold a text: it is called when a row is
    queued, because an error at the time of writing would fail the other works too."""

    def __init__(self, connection: Connection, head: Head, check: Callable[[str], object]) -> None:
        self.head = head
        self.known = QueryMemo(connection)
        self._connection = connection
        self._check = check
        self._queued, self._own = Queue(), Queue()
        """Rows of the finished works, and of the current one."""
        self._spent: dict[str, FixedPointAmounts] = {}
        self._new: set[str] = set()
        self._before = head
        self._direct = False

    # --- called by a work -------------------------------------------------------------------------------------

    def append(self, kind: str, body: Mapping[str, object]) -> Entry:
        return self.append_text(kind, canonical(body))

    def append_text(self, kind: str, text: str) -> Entry:
        """`text`: the body as canonical JSON."""
        entry = follow(self.head, kind, text)
        self._own.rows["entries"].append((entry.id, kind, text, entry.previous, entry.hash))
        self.head = (entry.id, entry.hash)
        return entry

    def insert(self, table: str, row: Row, about: Hashable = None) -> None:
        """Queues a row; `about`: the subject by which a later work may look it up."""
        for part in row:
            if isinstance(part, str):
                self._check(part)
        self._own.rows[table].append(row)
        if about is not None:
            self._own.about.add(about)

    def update(self, sql: str, parameters: Row, about: Hashable) -> None:
        """Queues an UPDATE about a debit; it is executed after the queued rows."""
        self._own.updates.append((sql, parameters))
        self._own.about.add(about)

    def spent(self, charges: Sequence[Charge]) -> dict[str, FixedPointAmounts]:
        """The amount spent from each scope, including queued debits."""
        return {charge.scope: self._spent_from(charge.scope) for charge in charges}

    def charge(self, after: Mapping[str, FixedPointAmounts]) -> None:
        """Sets the amounts spent."""
        self._spent.update(after)
        self._own.spent.update(after)

    def foresee(self, questions: Sequence[str]) -> None:
        """Looks up in one query which questions have no debit. A text that the store cannot hold is left to its own work."""
        kept = [question for question in questions if self._can_keep(question)]
        if kept:
            before = asked_before(self._connection, kept)
            self._new.update(question for question in kept if question not in before)

    def is_new(self, question: str) -> bool:
        """Whether a question has no debit, written or queued."""
        if question in self._queued.about:
            return False
        return question in self._new or not asked_before(self._connection, [question])

    def about(self, subject: Hashable) -> SelectReader:
        """A reader that sees everything about a question, key or debit."""
        if subject in self._queued.about or subject in self._own.about:
            return self.connection
        return self._connection

    @property
    def connection(self) -> Connection:
        """The connection, for a work that reads or writes directly: the queue is written first, and a failure is rolled back."""
        if not self._direct:
            self._queued.write(self._connection)
            self._connection.execute("SAVEPOINT work")
            self._direct = True
        self._own.write(self._connection)
        self._forget()
        return self._connection

    # --- called around a work ---------------------------------------------------------------------------------

    def begin(self) -> None:
        self._before = self.head

    def keep(self) -> None:
        """The work succeeded."""
        if self._direct:
            self._own.write(self._connection)
            self._connection.execute("RELEASE SAVEPOINT work")
            self._direct = False
            self._forget()
        else:
            self._queued.take(self._own)

    def undo(self) -> None:
        """The work failed."""
        self.head = self._before
        self._own = Queue()
        if self._direct:
            self._connection.execute("ROLLBACK TO SAVEPOINT work")
            self._connection.execute("RELEASE SAVEPOINT work")
            self._direct = False
        self._queued.write(self._connection)  # so that no cached fact is ahead of the store
        self._forget()

    def write(self) -> None:
        """Writes what is queued."""
        self._queued.write(self._connection)

    def _spent_from(self, scope: str) -> FixedPointAmounts:
        amounts = self._spent.get(scope)
        if amounts is None:
            amounts = self._spent[scope] = spent_from(self._connection, scope)
        return amounts

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
    """Rows that are decided but not written yet."""

    __slots__ = ("about", "rows", "spent", "updates")

    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = {table: [] for table in TABLES}
        self.spent: dict[str, FixedPointAmounts] = {}
        self.updates: list[tuple[str, Row]] = []
        self.about: set[Hashable] = set()

    def take(self, later: Queue) -> None:
        """Moves the contents of another queue here."""
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
        """Writes everything and clears the queue."""
        if self.rows["entries"]:
            last = self.rows["entries"][-1]
            self.updates.append(("UPDATE head SET id = ?, hash = ?", (last[0], last[-1])))
        self.rows["spent"] += [
            (scope, amount.epsilon, amount.delta, amount.rho) for scope, amount in sorted(self.spent.items())
        ]
        for table, rows in self.rows.items():
            for start in range(0, len(rows), MAX_ROWS):
                batch = rows[start : start + MAX_ROWS]
                connection.execute(_insert(table, len(batch)), tuple(part for row in batch for part in row))
            rows.clear()
        for sql, parameters in self.updates:
            connection.execute(sql, parameters)
        self.updates.clear()
        self.spent.clear()
        self.about.clear()


class QueryMemo:
    """Caches the results of queries until something is written that could change them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._answers: dict[tuple[str, Sequence[object]], QueryRows] = {}

    def execute(self, sql: str, parameters: Sequence[object] = (), /) -> QueryRows:
        rows = self._answers.get((sql, parameters))
        if rows is None:
            rows = self._answers[sql, parameters] = QueryRows(self._connection.execute(sql, parameters))
        return rows

    def forget(self) -> None:
        self._answers.clear()


class QueryRows(tuple[Any, ...]):
    """The rows of a query result."""

    __slots__ = ()

    def __new__(cls, rows: Iterable[Any]) -> QueryRows:
        return super().__new__(cls, rows)

    def fetchone(self) -> Any:
        return self[0] if self else None

    def fetchall(self) -> list[Any]:
        return list(self)


@lru_cache(maxsize=MAX_ROWS * len(TABLES))
def _insert(table: str, many: int) -> str:
    columns = TABLES[table]
    places = "(" + ", ".join("?" * len(columns)) + ")"
    values = ", ".join([places] * many)
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES {values}{_REPLACES if table == 'spent' else ''}"
    )
