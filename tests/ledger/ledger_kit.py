"""Small words for tests of the ledger: a question, a budget, a connection with a fault."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from lapcat.core.event import Event, JointRelease, KeyedRelease, LaplaceRelease, ThresholdRelease
from lapcat.core.exact import exact
from lapcat.ledger import Charge, Request, SQLiteLedger
from lapcat.ledger.sqlite.connection import connect
from lapcat.plan.schema import Limit

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
LOOSE = Limit(epsilon=Fraction(3), delta=exact("1e-3"))


def epsilons(cap: object, per_query: object = None) -> Limit:
    return Limit(epsilon=exact(cap), per_query=None if per_query is None else exact(per_query))


def table(limit: Limit | str = "3", name: str = "staff") -> Charge:
    return Charge(f"table:{name}.parquet", name, epsilons(limit) if isinstance(limit, str) else limit)


def own(analyst: str, limit: Limit | str, name: str = "staff") -> Charge:
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


def finish(ledger: SQLiteLedger, debit_id: int, answer: bytes = b"42") -> bytes:
    ledger.looked(debit_id)
    return ledger.answered(debit_id, answer)


def spent(ledger: SQLiteLedger, scope: str = STAFF) -> Fraction:
    found = ledger.spent(scope).epsilon
    assert found is not None
    return found


def kinds(ledger: SQLiteLedger) -> list[str]:
    return [entry.kind for entry in ledger.entries()]


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


def faulty(
    fault: Callable[[str], None], after: Callable[[str], None] = lambda sql: None
) -> Callable[[str], Any]:
    return lambda path: Faulty(connect(path), fault, after)


def raw(path: str) -> sqlite3.Connection:
    """The file as somebody with an editor sees it, with every guard of the schema taken away."""
    connection = sqlite3.connect(path, isolation_level=None)
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
