"""Opening a file: durable, patient, ours; and creating the tables in an empty one."""

from __future__ import annotations

import os
import sqlite3
import time

from lapcat.errors import IntegrityFailed
from lapcat.ledger.chain import GENESIS
from lapcat.ledger.entries import check_head
from lapcat.ledger.sqlite.connection import one_view
from lapcat.ledger.sqlite.failures import not_a_ledger, primary_code
from lapcat.ledger.sqlite.schema import APPLICATION_ID, MIGRATIONS, SCHEMA, SCHEMA_VERSION
from lapcat.ledger.store import Connection

MEMORY = ":memory:"


def prepare(connection: Connection, wait: float, path: str) -> None:
    """Makes a connection durable and patient, creates the tables in an empty file, and checks the head."""
    connection.execute(f"PRAGMA busy_timeout = {int(wait * 1000)}")
    with one_view(connection):
        empty = _is_empty(connection, path)
    mode = _write_ahead(connection, wait)
    if mode != ("memory" if path == MEMORY else "wal"):
        raise IntegrityFailed(
            "ledger-not-durable",
            f"the place of {path} does not allow a write-ahead log (journal mode {mode!r})",
            fix='put it on a local disk: [ledger] store = "sqlite:/var/lib/lapcat/lapcat.ledger"',
        )
    for pragma, value in (("synchronous", 2), ("fullfsync", 1), ("checkpoint_fullfsync", 1)):
        connection.execute(f"PRAGMA {pragma} = {value}")
        if connection.execute(f"PRAGMA {pragma}").fetchone()[0] != value:
            raise IntegrityFailed(
                "ledger-not-durable",
                f"SQLite {sqlite3.sqlite_version} does not accept PRAGMA {pragma} = {value}",
                fix="use a Python whose sqlite3 module was built with the default options",
            )
    if empty:
        _create(connection, path)
    elif _version(connection) < SCHEMA_VERSION:
        _migrate(connection)
    with one_view(connection):
        check_head(connection)


def _is_empty(connection: Connection, path: str) -> bool:
    """Whether there is no ledger yet; raises where there is something else."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = _version(connection)
    if application == APPLICATION_ID:
        if version > SCHEMA_VERSION:
            raise IntegrityFailed(
                "ledger-newer",
                f"{path} was written by a newer lapcat (schema {version}; this one reads up to {SCHEMA_VERSION})",
                fix="pip install --upgrade lapcat",
            )
        return False
    if application or version or connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise not_a_ledger(path)
    return True


def _write_ahead(connection: Connection, wait: float) -> str:
    """Switches to WAL. SQLite does not wait for its turn here, so we do."""
    until = time.monotonic() + wait
    while True:
        try:
            return str(connection.execute("PRAGMA journal_mode = WAL").fetchone()[0])
        except sqlite3.OperationalError as error:
            if primary_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)


def _create(connection: Connection, path: str) -> None:
    with one_view(connection, "BEGIN IMMEDIATE"):
        if _is_empty(connection, path):  # another process may have been faster
            for statement in SCHEMA:
                connection.execute(statement)
            connection.execute("INSERT INTO head (id, hash) VALUES (?, ?)", GENESIS)
            connection.execute("INSERT INTO secret (value) VALUES (?)", (os.urandom(32),))
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            connection.execute("COMMIT")


def _migrate(connection: Connection) -> None:
    """Adds what later schemas added, in one transaction; entries stay as they are."""
    with one_view(connection, "BEGIN IMMEDIATE"):
        for version in range(_version(connection), SCHEMA_VERSION):  # another process may have been faster
            for statement in MIGRATIONS[version]:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")


def _version(connection: Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
