"""Small words for tests of the ledger: a question, a budget, a connection with a fault."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import psycopg

from lapcat.core.event import Event, JointRelease, KeyedRelease, LaplaceRelease, ThresholdRelease
from lapcat.core.exact import exact
from lapcat.ledger import Charge, Request, SQLiteLedger, SQLLedger
from lapcat.ledger.postgres import PostgresLedger
from lapcat.ledger.postgres.connection import address_of
from lapcat.ledger.postgres.connection import connect as connect_to_server
from lapcat.ledger.sqlite.connection import connect
from lapcat.plan.schema import SpendingLimit

STAFF = "table:staff.parquet"


def laplace(epsilon: object) -> LaplaceRelease:
    """A count whose loss is exactly this epsilon; 0 is a count that nobody can change."""
    return LaplaceRelease("n", exact(epsilon), Fraction(1))


def keyed(epsilon: object, tau: int = 60) -> KeyedRelease:
    """Private groups, each unit in one of them, with a count: half of this epsilon for each; delta follows from tau."""
    half = exact(epsilon) / 2
    groups = ThresholdRelease("city", 1 / half, tau, 1, "add-remove")
    return KeyedRelease(groups, JointRelease((laplace(half),), 1))


PRICES = {"pure": laplace("0.5"), "keyed": keyed("0.5")}
"""One question of each kind, of the same epsilon."""
LOOSE = SpendingLimit(epsilon=Fraction(3), delta=exact("1e-3"))


def epsilons(cap: object, per_query: object = None) -> SpendingLimit:
    return SpendingLimit(epsilon=exact(cap), per_query=None if per_query is None else exact(per_query))


def table(limit: SpendingLimit | str = "3", name: str = "staff") -> Charge:
    return Charge(f"table:{name}.parquet", name, epsilons(limit) if isinstance(limit, str) else limit)


def own(analyst: str, limit: SpendingLimit | str, name: str = "staff") -> Charge:
    cap = epsilons(limit) if isinstance(limit, str) else limit
    return Charge(f"analyst:{analyst}@{name}.parquet", f"{analyst} on {name}", cap, analyst=True)


def ask(
    question: str = "how many", price: object = "0.1", *charges: Charge, analyst: str | None = None
) -> Request:
    """At this epsilon, or for this event."""
    event: Event = price if isinstance(price, LaplaceRelease | KeyedRelease) else laplace(price)
    paid = charges or (table(LOOSE if isinstance(event, KeyedRelease) else "3"),)
    tables = tuple(charge.scope for charge in paid if charge.scope.startswith("table:"))
    return Request(question, event, paid, tables, {"question": question}, analyst)


def finish(ledger: SQLLedger, debit_id: int, answer: bytes = b"42") -> bytes:
    ledger.executing(debit_id)
    return ledger.answered(debit_id, answer)


def spent(ledger: SQLLedger, scope: str = STAFF) -> Fraction:
    epsilon = ledger.spent(scope).epsilon
    assert epsilon is not None
    return epsilon


def kinds(ledger: SQLLedger) -> list[str]:
    return [entry.kind for entry in ledger.entries()]


def on_a_server(store: str) -> bool:
    return store.startswith("postgresql:")


def open_ledger(store: str, **options: Any) -> SQLLedger:
    """The ledger in a file or in a database."""
    return PostgresLedger(store, **options) if on_a_server(store) else SQLiteLedger(store, **options)


class Faulty:
    """A connection that calls `fault(sql)` before each statement, and `after(sql)` after it."""

    def __init__(
        self, inner: Any, fault: Callable[[str], None], after: Callable[[str], None] = lambda sql: None
    ) -> None:
        self._inner, self._fault, self._after = inner, fault, after

    @property
    def in_transaction(self) -> bool:
        return bool(self._inner.in_transaction)

    def execute(self, sql: str, parameters: Sequence[object] = (), /) -> Any:
        self._fault(sql)
        rows = self._inner.execute(sql, parameters)
        self._after(sql)
        return rows

    @property
    def broken(self) -> bool:
        return bool(self._inner.broken)

    def close(self) -> None:
        self._inner.close()


def sqlite_error(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("planted by a test")
    error.sqlite_errorcode, error.sqlite_errorname = code, "PLANTED"
    return error


class Once:
    """Raises the error the next time that a statement begins with `start`, once it is armed."""

    def __init__(self, start: str, error: Exception) -> None:
        self.start, self.error, self.armed = start, error, False

    def __call__(self, sql: str) -> None:
        if self.armed and sql.startswith(self.start):
            self.armed = False
            raise self.error


def disk_failure(store: str) -> Exception:
    """What a store says when its disk fails."""
    return psycopg.errors.IoError() if on_a_server(store) else sqlite_error(sqlite3.SQLITE_IOERR)


def lock_held(store: str) -> Exception:
    """What a store says when another process holds it for too long."""
    return psycopg.errors.LockNotAvailable() if on_a_server(store) else sqlite_error(sqlite3.SQLITE_LOCKED)


def faulty(
    fault: Callable[[str], None], after: Callable[[str], None] = lambda sql: None, *, store: str = "file"
) -> Callable[[Any], Any]:
    """What a ledger in this store connects with, with a fault."""
    inner: Callable[[Any], Any] = connect_to_server if on_a_server(store) else connect
    return lambda place: Faulty(inner(place), fault, after)


NOT_ALLOWED = (sqlite3.IntegrityError, psycopg.IntegrityError)
"""How a store says that a guard of the schema stands against a statement."""


def guarded(store: str) -> Any:
    """A connection of somebody who may write to the ledger's tables, past lapcat."""
    if not on_a_server(store):
        return sqlite3.connect(store, isolation_level=None)
    connection = connect_to_server(address_of(store))
    connection.execute("SET search_path = lapcat")
    return connection


def raw(store: str) -> Any:
    """The ledger as somebody with an editor, or with all rights, sees it: without the guards of the schema."""
    connection = guarded(store)
    if on_a_server(store):
        connection.execute("SET session_replication_role = replica")
        return connection
    triggers: Iterator[tuple[str]] = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    )
    for (name,) in list(triggers):
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute("PRAGMA ignore_check_constraints = ON")
    return connection


def worker(*arguments: str) -> subprocess.Popen[str]:
    """Another process that does what ledger_worker.py says."""
    script = Path(__file__).with_name("ledger_worker.py")
    return subprocess.Popen([sys.executable, str(script), *arguments], stdout=subprocess.PIPE, text=True)
