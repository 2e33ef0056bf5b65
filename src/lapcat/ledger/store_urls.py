"""Opens the ledger at a place: a file, or a PostgreSQL database."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from lapcat.errors import BadArgument, BadQuery, Error
from lapcat.ledger.guards import Guards
from lapcat.ledger.ledger import SQLLedger, now
from lapcat.ledger.sqlite import SQLiteLedger
from lapcat.ledger.sqlite.read_only import ReadOnlyStore
from lapcat.ledger.state_witness import StateWitness

ON_A_SERVER = "postgresql://"
StoreURL = str | os.PathLike[str]


def ledger_at(place: StoreURL, guards: Guards | None = None) -> SQLLedger:
    """The ledger at a place, created if missing: `postgresql://…`, a file path, or `:memory:`."""
    if not on_a_server(place):
        return SQLiteLedger(place, guards=guards)
    _require_psycopg()
    from lapcat.ledger.postgres import PostgresLedger

    return PostgresLedger(os.fspath(place), guards=guards)


def open_read_only(place: StoreURL, guards: Guards) -> SQLLedger:
    """The ledger at a place, opened read-only: nothing is created or written."""

    def absent(shown: str) -> Error:
        return guards.absent(shown) or none_yet(shown)

    if on_a_server(place):
        _require_psycopg()
        from lapcat.ledger import postgres

        return postgres.open_read_only(os.fspath(place), guards, absent)
    if not os.path.exists(place):
        raise absent(os.path.abspath(place))
    return SQLLedger(ReadOnlyStore(place, absent), now, guards)


def back_up(place: StoreURL, guards: Guards, to: Path) -> SQLLedger:
    """Writes a full copy of the ledger to a new file; returns the copy, opened read-only."""
    if on_a_server(place):
        _require_psycopg()
        from lapcat.ledger.postgres.connection import address_of, place_of

        raise BadQuery(
            "backup-server",
            "a ledger on a server is backed up with the server's own tool",
            why="pg_dump takes a consistent snapshot, also during writes",
            fix=f'pg_dump --format=custom --schema=lapcat --file={to} "{place_of(address_of(os.fspath(place)))}"',
        )
    if not os.path.exists(place):
        raise guards.absent(os.path.abspath(place)) or none_yet(os.path.abspath(place))
    store = ReadOnlyStore(place, guards.absent)
    SQLLedger(store, now, guards)  # refuses to copy a damaged ledger
    store.backup(to)
    store.close()
    return open_read_only(to, guards)


def state_witness(place: StoreURL, store: str | None = None) -> StateWitness:
    """The witness of a ledger in the user's state folder. Its name contains no user and no password."""
    if not on_a_server(place):
        return StateWitness(os.path.realpath(place), store)
    _require_psycopg()
    from lapcat.ledger.postgres.connection import address_of

    address = address_of(os.fspath(place))
    where = " ".join(
        f"{key}={address[key]}"
        for key in ("service", "host", "hostaddr", "port", "dbname")
        if address.get(key)
    )
    return StateWitness(f"{ON_A_SERVER} {where}", store)


def none_yet(place: str) -> BadQuery:
    return BadQuery(
        "ledger-none",
        f"there is no ledger at {place} yet",
        why="it is created when the catalogue is first used",
        fix="lapcat tables",
    )


def on_a_server(place: StoreURL) -> bool:
    return os.fspath(place).startswith(ON_A_SERVER)


def _require_psycopg() -> None:
    if find_spec("psycopg") is None:
        raise BadArgument("extra-missing", "psycopg is not installed", fix="pip install 'lapcat[postgres]'")
