"""SQLite connections and waiting for locks."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager

from lapcat.ledger.sqlite.failures import primary_code
from lapcat.ledger.sqlite.lock_queue import LockQueue
from lapcat.ledger.store import Connection, ResultRows


def connect(path: str) -> Connection:
    """The default factory: transactions are explicit, and threads are serialized by the store's lock."""
    return sqlite3.connect(path, isolation_level=None, check_same_thread=False)


@contextmanager
def one_view(connection: Connection, begin: str = "BEGIN", wait: float | None = None) -> Iterator[None]:
    """One transaction with a consistent view; rolled back unless committed. With `wait`, it begins by `in_turn`."""
    if wait is None:
        connection.execute(begin)
    else:
        in_turn(connection, begin, wait)
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def set_patience(connection: Connection, wait: float) -> None:
    """Sets the time that a statement waits for another process, except by `in_turn`."""
    connection.execute(f"PRAGMA busy_timeout = {int(wait * 1000)}")


def in_turn(connection: Connection, sql: str, wait: float, line: LockQueue | None = None) -> ResultRows:
    """Retries a statement until the file is not locked; with a `line`, after processes that have waited for long.

    SQLite's own busy handler sleeps longer at each retry, up to 100 ms. A file under load is free for less than a millisecond
    at a time, so such a sleeper hardly ever succeeds: with eight processes one waited for five seconds.
    """
    until = time.monotonic() + wait
    set_patience(connection, 0)
    try:
        while True:
            if line is None or line.is_free() or time.monotonic() > until:
                try:
                    return connection.execute(sql)
                except sqlite3.OperationalError as error:
                    if primary_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                        raise
            if line is not None:
                line.stand()
            time.sleep(0.001)
    finally:
        if line is not None:
            line.leave()
        set_patience(connection, wait)
