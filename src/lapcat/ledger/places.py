"""Which ledger a place names: a file, or a database on a server."""

from __future__ import annotations

import os
from importlib.util import find_spec

from lapcat.errors import BadArgument
from lapcat.ledger.guards import Guards
from lapcat.ledger.ledger import SQLLedger
from lapcat.ledger.sqlite import SQLiteLedger

ON_A_SERVER = "postgresql://"


def ledger_at(place: str | os.PathLike[str], guards: Guards | None = None) -> SQLLedger:
    """The ledger there, made if there is none: `postgresql://…`, or the path of a file (`:memory:` for none)."""
    if not os.fspath(place).startswith(ON_A_SERVER):
        return SQLiteLedger(place, guards=guards)
    if find_spec("psycopg") is None:
        raise BadArgument("extra-missing", "psycopg is not installed", fix="pip install 'lapcat[postgres]'")
    from lapcat.ledger.postgres import PostgresLedger

    return PostgresLedger(os.fspath(place), guards=guards)
