"""A psycopg connection that translates the ledger's SQL, with explicit transactions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus

from lapcat.errors import BadArgument

Address = Mapping[str, Any]
"""Connection parameters by libpq's names. They may include a password, so an address is never shown."""
SHOWN = ("user", "host", "port", "dbname", "service")
"""The parts of an address that messages may show."""
PATIENCE: Address = {
    "application_name": "lapcat",
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""Timeouts: a vanished server is detected within half a minute, unless the address sets others."""


class PostgresConnection:
    """One session with the server."""

    def __init__(self, inner: psycopg.Connection[Any]) -> None:
        self._inner = inner

    @property
    def in_transaction(self) -> bool:
        return self._inner.info.transaction_status is not TransactionStatus.IDLE

    @property
    def broken(self) -> bool:
        return self._inner.closed

    def execute(self, sql: str, parameters: Sequence[object] = (), /) -> psycopg.Cursor[Any]:
        """Executes a statement; without parameters also several, in one round trip."""
        if parameters:
            for text in parameters:
                if isinstance(text, str):
                    check_storable(text)
            return self._inner.execute(_translated(sql), parameters)
        done = self._inner.execute(_bytes_of(sql))
        if sql == "COMMIT" and done.statusmessage != "COMMIT":  # the server rolled back
            raise psycopg.errors.InFailedSqlTransaction
        return done

    def close(self) -> None:
        self._inner.close()


def connect(address: Address) -> PostgresConnection:
    """The default factory."""
    try:
        return PostgresConnection(
            psycopg.connect(**{**PATIENCE, **address}, autocommit=True, client_encoding="utf8")
        )
    except psycopg.Error:
        pass
    raise psycopg.OperationalError  # outside the except block, so that libpq's message, which may quote the address, is not attached


def address_of(store: str) -> Address:
    """The address in a `postgresql://…` URL, which may contain a password."""
    try:
        return conninfo_to_dict(store)
    except psycopg.Error:
        pass
    raise BadArgument(
        "ledger-address",
        "the store of the ledger is not a valid PostgreSQL address",
        why="it is not shown here, because it may contain a password",
        fix='store = "postgresql://user@host:5432/database"',
    )


def place_of(address: Address) -> str:
    """An address for display, in psql's notation and without the password.

    >>> place_of(address_of("postgresql://ana:secret@db.example/books?sslmode=require"))
    'user=ana dbname=books host=db.example'
    """
    return make_conninfo(**{key: value for key, value in address.items() if key in SHOWN and value})


def check_storable(text: str) -> None:
    """Raises if PostgreSQL cannot store a text."""
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        encoded = b"\0"
    if b"\0" in encoded:
        raise BadArgument(
            "ledger-text",
            "a name contains a character that PostgreSQL cannot store",
            why="a NUL, or a part of a file name that is not UTF-8; nothing was spent",
            fix='rename the file, analyst or key; or keep the ledger in a file: store = "sqlite:lapcat.ledger"',
        )


@lru_cache
def _translated(sql: str) -> str:
    """The statement with psycopg's placeholders; no statement of the ledger has ? or % in a literal."""
    return _bytes_of(sql).replace("%", "%%").replace("?", "%s")


@lru_cache
def _bytes_of(sql: str) -> str:
    """Translates `CAST(… AS BLOB)`; an answer is bytes already."""
    return re.sub(r"CAST\((?!answer )(\w+) AS BLOB\)", r"convert_to(\1, 'UTF8')", sql).replace(
        "CAST(answer AS BLOB)", "answer"
    )
