"""Checks the file itself: its pages, and the triggers that make entries immutable."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from lapcat.ledger.chain import unsound
from lapcat.ledger.schema_guards import compare_guards
from lapcat.ledger.sqlite.schema import SCHEMA
from lapcat.ledger.store import SelectReader

_TRIGGERS = "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'"


def check_file(connection: SelectReader) -> None:
    """Raises unless the file is sound and has lapcat's triggers."""
    if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
        raise unsound("the entries of the ledger are intact, but the file is damaged elsewhere")
    with closing(sqlite3.connect(":memory:")) as made:
        for statement in SCHEMA:
            made.execute(statement)
        compare_guards(_triggers(connection), _triggers(made))


def _triggers(connection: SelectReader | sqlite3.Connection) -> dict[str, str]:
    return {str(name): f"{table}: {sql}" for name, table, sql in connection.execute(_TRIGGERS)}
