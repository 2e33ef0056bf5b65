"""The ledger in a PostgreSQL database, in its own schema `lapcat`; needs psycopg, so it is imported lazily.

connection.py opens the connection; opening.py and store.py make it durable; schema.py defines its tables.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from lapcat.ledger.guards import Guards
from lapcat.ledger.ledger import SQLLedger, now
from lapcat.ledger.postgres.connection import Address, connect
from lapcat.ledger.postgres.store import PostgresSession, PostgresStore
from lapcat.ledger.store import Absent, may_be_made

__all__ = ["PostgresLedger", "open_read_only"]
WAIT = 10.0


def open_read_only(store: str, guards: Guards, absent: Absent) -> SQLLedger:
    """The ledger in a database, opened read-only; none is created."""
    return SQLLedger(PostgresStore(store, connect, WAIT, absent, reads_only=True), now, guards)


class PostgresLedger(SQLLedger):
    """`connect`, `clock` and `wait` (seconds to wait for another client) are for tests."""

    def __init__(
        self,
        store: str,
        *,
        connect: Callable[[Address], PostgresSession] = connect,
        clock: Callable[[], datetime] = now,
        wait: float = WAIT,
        guards: Guards | None = None,
    ) -> None:
        absent = may_be_made if guards is None else guards.absent
        super().__init__(PostgresStore(store, connect, wait, absent), clock, guards)
