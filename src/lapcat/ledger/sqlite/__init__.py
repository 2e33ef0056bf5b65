"""The ledger in a SQLite file, or in memory for the life of the process.

connection.py opens the connection; opening.py and store.py make the file durable; schema.py defines its tables.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime

from lapcat.ledger.guards import Guards
from lapcat.ledger.ledger import SQLLedger, now
from lapcat.ledger.sqlite.connection import connect
from lapcat.ledger.sqlite.opening import MEMORY
from lapcat.ledger.sqlite.store import SQLiteStore
from lapcat.ledger.store import Connection, may_be_made

__all__ = ["SQLiteLedger"]


class SQLiteLedger(SQLLedger):
    """`connect`, `clock` and `wait` (seconds to wait for a locked file) are for tests."""

    def __init__(
        self,
        path: str | os.PathLike[str] = MEMORY,
        *,
        connect: Callable[[str], Connection] = connect,
        clock: Callable[[], datetime] = now,
        wait: float = 10.0,
        guards: Guards | None = None,
    ) -> None:
        absent = may_be_made if guards is None else guards.absent
        super().__init__(SQLiteStore(path, connect, wait, absent), clock, guards)
