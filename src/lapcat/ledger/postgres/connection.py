"""A connection of psycopg with the manners of the ledger: its SQL, and transactions begun and ended by hand."""

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
"""The parameters of a connection by libpq's names. A password may be among them, so an address is never shown."""
SHOWN = ("user", "host", "port", "dbname", "service")
"""What of an address messages may say."""
PATIENCE: Address = {
    "application_name": "lapcat",
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""A server that has vanished is noticed within half a minute, unless the address says otherwise."""


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
        """Runs a statement; without parameters also several at once, in one round trip."""
        if parameters:
            for text in parameters:
                if isinstance(text, str):
                    check_storable(text)
            return self._inner.execute(_translated(sql), parameters)
        done = self._inner.execute(_bytes_of(sql))
        if sql == "COMMIT" and done.statusmessage != "COMMIT":  # so the server says that it rolled back
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
    raise psycopg.OperationalError  # out here, where nothing hangs on it of what libpq said, which may quote the address


def address_of(store: str) -> Address:
    """What `postgresql://…` says, in which a password may be."""
    try:
        return conninfo_to_dict(store)
    except psycopg.Error:
        pass
    raise BadArgument(
        "ledger-address",
        "the store of the ledger is no address that PostgreSQL can read",
        why="it is not shown here, because a password may be in it",
        fix='store = "postgresql://user@host:5432/database"',
    )


def place_of(address: Address) -> str:
    """An address as people may see it, and as psql takes it: without the password.

    >>> place_of(address_of("postgresql://ana:secret@db.example/books?sslmode=require"))
    'user=ana dbname=books host=db.example'
    """
    return make_conninfo(**{key: value for key, value in address.items() if key in SHOWN and value})


def check_storable(text: str) -> None:
    """Raises where PostgreSQL cannot keep a text."""
    try:
        bytes_of_it = text.encode()
    except UnicodeEncodeError:
        bytes_of_it = b"\0"
    if b"\0" in bytes_of_it:
        raise BadArgument(
            "ledger-text",
            "a name holds a character that PostgreSQL cannot store",
            why="a NUL, or a piece of a file's name that is not UTF-8; nothing was spent",
            fix='rename the file, analyst or key; or keep the ledger in a file: store = "sqlite:lapcat.ledger"',
        )


@lru_cache
def _translated(sql: str) -> str:
    """With psycopg's placeholders; no statement of the ledger has a question mark or a percent sign in a text."""
    return _bytes_of(sql).replace("%", "%%").replace("?", "%s")


@lru_cache
def _bytes_of(sql: str) -> str:
    """The bytes of a text; an answer is bytes already."""
    return re.sub(r"CAST\((?!answer )(\w+) AS BLOB\)", r"convert_to(\1, 'UTF8')", sql).replace(
        "CAST(answer AS BLOB)", "answer"
    )
