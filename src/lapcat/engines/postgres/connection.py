"""PostgreSQL sessions: pinned settings, timeouts, and errors.

Analyst text never reaches the server. Should generated SQL ever misbehave, the session is read-only, resolves only
PostgreSQL's own functions, and has a deadline. Messages of the server or libpq may quote rows, names or a password, so none
of them is passed on.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg

from lapcat.engines.base.engine import SECONDS, Settings
from lapcat.engines.base.sources import Source
from lapcat.errors import BadQuery, EngineFailed, Error

T = TypeVar("T")
Connection = psycopg.Connection[tuple[Any, ...]]

GRACE = 10
"""Seconds after the deadline until a statement is cancelled, and again until the connection is cut."""
PINNED = {
    "timezone": "UTC",
    "datestyle": "ISO, YMD",
    "intervalstyle": "postgres",
    "standard_conforming_strings": "on",
    "extra_float_digits": "1",
    "bytea_output": "hex",
    "search_path": "pg_catalog, pg_temp",  # function, operator and type names resolve to PostgreSQL's own
    "row_security": "off",  # a policy that would hide rows makes the statement fail
    "jit": "off",  # no gain measured at four million rows, and compilation delays short queries
    "join_collapse_limit": "1",  # joins in the plan's order have bounded results (plan/produced.py)
    "from_collapse_limit": "1",
    "lock_timeout": "10s",
    "idle_in_transaction_session_timeout": "60s",
    "client_min_messages": "error",
}
TIMEOUTS: Mapping[str, Any] = {
    "application_name": "lapcat",
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""Detects a vanished server within half a minute; the address can override these."""


def in_session(
    source: Source,
    settings: Settings,
    work: Callable[[Connection], T],
    *,
    writes: bool = False,
    seconds: float | None = SECONDS,
) -> T:
    """The result of `work` on a connection inside a transaction, read-only and rolled back unless `writes`. `seconds`:
    statement timeout; None: no timeout."""
    try:
        with _connected(source) as connection, _deadline(connection, seconds):
            connection.execute(_settings(settings, seconds).encode())
            mode = "READ WRITE" if writes else "READ ONLY"
            connection.execute(f"BEGIN ISOLATION LEVEL REPEATABLE READ {mode}".encode())
            result = work(connection)
            connection.execute(b"COMMIT" if writes else b"ROLLBACK")
            return result
    except psycopg.Error as error:
        problem = failure(error, source)
    raise problem  # outside the handler, so that the server's error is not its context


@contextmanager
def _connected(source: Source) -> Iterator[Connection]:
    given = {name: value for name, value in TIMEOUTS.items() if f"{name}=" not in source.address}
    connection: Connection = psycopg.connect(
        source.address,
        autocommit=True,  # transactions are managed explicitly
        prepare_threshold=None,
        cursor_factory=psycopg.RawCursor,
        client_encoding="utf8",
        hostaddr="",  # overrides PGHOSTADDR
        **given,
    )
    try:
        yield connection
    finally:
        connection.close()


def _settings(settings: Settings, seconds: float | None) -> str:
    pinned = {**PINNED, "statement_timeout": "0" if seconds is None else f"{max(1, int(seconds * 1000))}ms"}
    if settings.threads is not None:
        pinned["max_parallel_workers_per_gather"] = str(settings.threads - 1)
    if settings.memory is not None:
        pinned["work_mem"] = settings.memory.replace(" ", "").replace("iB", "B")
    # search_path is a list of names; the others are words or numbers
    return "; ".join(
        f"SET {name} = {value if name == 'search_path' else _quoted(value)}" for name, value in pinned.items()
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def _deadline(connection: Connection, seconds: float | None) -> Iterator[None]:
    """Cancels the statement after the deadline, then cuts the connection if the server does not react, so that a hanging
    or trickling server blocks nobody."""
    if seconds is None:
        yield
        return
    over = threading.Event()

    def watch() -> None:
        if not over.wait(seconds + GRACE):
            with contextlib.suppress(psycopg.Error, OSError):
                connection.cancel_safe(timeout=GRACE)
        if not over.wait(GRACE):
            _cut(connection)

    watcher = threading.Thread(target=watch, name="lapcat-deadline", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()


def _cut(connection: Connection) -> None:
    with contextlib.suppress(psycopg.Error, OSError):
        copy = socket.socket(fileno=os.dup(connection.fileno()))
        try:
            copy.shutdown(socket.SHUT_RDWR)
        finally:
            copy.close()


def failure(problem: psycopg.Error, source: Source) -> Error:
    """lapcat's error for a server's error, without the server's text."""
    state = problem.sqlstate or ""
    if state == "42501" and problem.diag.source_function == "check_enable_rls":
        return EngineFailed(
            "server-row-security",
            f"{source.name} has row-level security, which would hide rows from lapcat's database user",
            why="a snapshot without these rows would be incomplete",
            fix="ALTER ROLE … BYPASSRLS, as a superuser, for the user of `lapcat refresh`; or connect as the table's owner "
            "(unless the table says FORCE ROW LEVEL SECURITY)",
        )
    if state == "42501":
        return EngineFailed(
            "server-denied",
            f"lapcat's database user lacks a privilege on {source.name}",
            fix=f'GRANT SELECT ON "{source.schema}"."{source.table}" TO …, as the owner of the table; '
            "docs/howto/postgresql.md has all the grants",
        )
    if state in ("42P01", "3F000"):
        return missing_table(source)
    if state in ("57014", "55P03"):
        return EngineFailed(
            "server-slow",
            f"the server of {source.name} did not finish in time",
            why="statements have a time limit",
            fix="timeout = 1800 (in seconds) under [engine], or ask when the server has less to do",
        )
    if state.startswith("53"):
        return EngineFailed(
            "server-full",
            f"the server of {source.name} is out of memory, disk space or connections",
            fix="free resources there, then try again",
        )
    return EngineFailed(
        "server-unreachable",
        f"the server of {source.name} cannot be reached, refused the login, or stopped during the query",
        why="its message is not repeated here, since it may quote rows or a password",
        fix="psql with the address of lapcat.toml says why; then try again",
    )


def missing_table(source: Source) -> BadQuery:
    return BadQuery(
        "source-table",
        f"the database has no table {source.name} visible to lapcat",
        fix='source = "postgresql://…#schema.table" with a table that is in it, its names in their exact case',
    )


Run = Callable[[str], tuple[Any, ...]]


def one_row(connection: Connection) -> Run:
    """A function that runs a statement and returns its single row."""

    def run(statement: str) -> tuple[Any, ...]:
        row = connection.execute(statement.encode()).fetchone()
        assert row is not None
        return row

    return run
