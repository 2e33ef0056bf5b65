"""Opens a ledger file: sets the durability pragmas, creates or migrates the tables and checks the head."""

from __future__ import annotations

import os
import sqlite3

from lapcat.errors import IntegrityFailed
from lapcat.ledger.chain import GENESIS
from lapcat.ledger.entries import check_head
from lapcat.ledger.sqlite.connection import in_turn, one_view, set_patience
from lapcat.ledger.sqlite.failures import not_a_ledger
from lapcat.ledger.sqlite.schema import APPLICATION_ID, MIGRATIONS, SCHEMA, SCHEMA_VERSION
from lapcat.ledger.store import Absent, Connection, may_be_made

MEMORY = ":memory:"


def prepare(connection: Connection, wait: float, path: str, absent: Absent = may_be_made) -> None:
    """Sets durability and lock timeout, creates the tables in an empty file, and checks the head."""
    left_over = path != MEMORY and _has_log(path)
    set_patience(connection, wait)
    with one_view(connection):
        empty = is_empty(connection, path)
    if empty and (problem := absent(path)) is not None:
        with one_view(connection):
            if is_empty(connection, path):  # another process may have filled it meanwhile
                raise problem
    mode = in_turn(connection, "PRAGMA journal_mode = WAL", wait).fetchone()[0]
    if mode != ("memory" if path == MEMORY else "wal"):
        raise IntegrityFailed(
            "ledger-not-durable",
            f"{path} is on a file system without write-ahead logging (journal mode {mode!r})",
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
    if left_over:
        write_log_anew(connection, wait, at_once=True)
    with one_view(connection):
        check_head(connection)


def is_empty(connection: Connection, path: str) -> bool:
    """Whether the file is empty; raises if it is something other than a ledger."""
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


def _has_log(path: str) -> bool:
    try:
        return os.path.getsize(path + "-wal") > 0
    except OSError:
        return False


def write_log_anew(connection: Connection, wait: float, *, at_once: bool = False) -> bool:
    """Makes a leftover log durable before anything in it is trusted; returns whether it did.

    The process that left it may have failed to sync its end: then the kernel shows pages that the disk does not have, and
    reports success for every later sync. An answer released under such an entry would be lost in a power cut. So the log is
    copied into the main file, which is synced, and then restarted, which is synced too: if the old log reappeared, it would
    hide the pages of the main file.

    If another process is using the file, the log is not a leftover: that process has done this, or need not. With `at_once`
    such a process is not waited for. A writer that comes between the two steps is: it may give up before restarting the log.
    """
    set_patience(connection, 0 if at_once else wait)
    busy = connection.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()[0] != 0
    set_patience(connection, wait)
    if busy:
        return False
    with one_view(connection, "BEGIN IMMEDIATE", wait):
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")  # changes nothing, but writes a page
        connection.execute("COMMIT")
    return True


def _create(connection: Connection, path: str) -> None:
    with one_view(connection, "BEGIN IMMEDIATE"):
        if is_empty(connection, path):  # another process may have been faster
            for statement in SCHEMA:
                connection.execute(statement)
            connection.execute("INSERT INTO head (id, hash) VALUES (?, ?)", GENESIS)
            connection.execute("INSERT INTO secret (value) VALUES (?)", (os.urandom(32),))
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            connection.execute("COMMIT")


def _migrate(connection: Connection) -> None:
    """Applies the migrations in one transaction; entries do not change."""
    with one_view(connection, "BEGIN IMMEDIATE"):
        for version in range(_version(connection), SCHEMA_VERSION):  # another process may have been faster
            for statement in MIGRATIONS[version]:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")


def _version(connection: Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
