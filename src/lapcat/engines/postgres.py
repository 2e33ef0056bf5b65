"""PostgreSQL as an engine: one read-only statement a look, and only sums come back.

Every table is read from the snapshot that the steward's `refresh` wrote into a schema of its own (postgres_snapshot.py),
and from nothing else: rows of a live table would change between the looks of one question (docs/decisions/0019).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeVar

import numpy as np
import psycopg

from lapcat.core.release import ExactResult
from lapcat.engines.backends import FIRST, Attempt, OpenTable, Settings
from lapcat.engines.cells import Figures, figures, private_cells
from lapcat.engines.postgres_connection import Connection, in_session
from lapcat.engines.postgres_snapshot import snapshot_relation
from lapcat.engines.snapshots import Opened
from lapcat.engines.sql import POSTGRES, SQLStatement, group_statement
from lapcat.errors import Bug, Refused
from lapcat.plan.nodes import Group, scans_of

T = TypeVar("T")
BEYOND_A_LIMIT = "54"
"""The class of SQLSTATE for statements with too many columns, too deep or too long for the server."""


class PostgresEngine:
    """Looks at tables of one database, in a session of its own for each question; safe to share among threads."""

    def __init__(self, tables: Mapping[str, OpenTable], settings: Settings) -> None:
        self._tables, self._settings = dict(tables), settings
        self._printed: tuple[Group, SQLStatement] | None = None

    def ready(self, plan: Group) -> None:
        """Raises what is wrong with the server, the tables or the statement, if anything. The server prepares the statement,
        and reads no row."""

        def trouble(connection: Connection) -> Literal["", "size", "plan"]:
            statement = self._statement(connection, plan)
            self._printed = plan, statement
            try:
                connection.execute(f"PREPARE question AS {statement.sql}".encode())
            except (psycopg.ProgrammingError, psycopg.OperationalError) as problem:
                if (problem.sqlstate or "").startswith(BEYOND_A_LIMIT):
                    return "size"
                if isinstance(problem, (psycopg.errors.InsufficientPrivilege, psycopg.OperationalError)):
                    raise
                return "plan"
            return ""

        found = self._in_session(plan, trouble)
        if found == "size":
            raise Refused(
                "statement-too-large",
                "PostgreSQL takes no statement as large as this question needs",
                why="it computes at most about 1600 different values of a row at once; nothing was spent",
                fix="ask for less at once: fewer aggregates, conditions or products of computed numbers",
            )
        if found == "plan":
            raise Bug(
                "statement-unplanned",
                "the engine cannot plan this question; nothing was spent",
                fix="please report the question; meanwhile, write it in another way",
            )

    def execute(self, plan: Group, attempt: Attempt = FIRST) -> ExactResult:
        """One row of cells per statistic. Whatever goes wrong is raised: the door seals it."""

        def found(connection: Connection) -> dict[str, Any]:
            printed = self._printed  # read once: another thread may print another plan meanwhile
            if printed is None or printed[0] != plan:
                printed = plan, self._statement(connection, plan)
            return _fetched(connection, printed[1])

        return private_cells(plan, self._in_session(plan, found, attempt))

    def close(self) -> None:
        """Nothing is held between questions."""

    def _in_session(self, plan: Group, work: Callable[[Connection], T], attempt: Attempt = FIRST) -> T:
        first = self._tables.get(next(iter(scans_of(plan))).table)
        if first is None:
            raise Bug("table-not-open", "a table was asked about and never opened")
        settings = replace(self._settings, threads=1) if attempt.sparing else self._settings
        return in_session(first.source, settings, work, seconds=attempt.seconds)

    def _statement(self, connection: Connection, plan: Group) -> SQLStatement:
        tables = {scan.table: self._open(connection, scan.table) for scan in scans_of(plan)}
        return group_statement(plan, tables, POSTGRES)

    def _open(self, connection: Connection, name: str) -> Opened:
        """Where the rows of a table are, and their types, as its snapshot says."""
        if name not in self._tables:
            raise Bug("table-not-open", f"{name} was asked about and never opened")
        opening = self._tables[name]
        return snapshot_relation(connection, opening.table, opening.snapshot, self._settings.max_length)


def look_at(connection: Connection, plan: Group, tables: Mapping[str, Opened]) -> Figures:
    """What is found in relations that are given with the plan: for made-up rows."""
    with connection.transaction():  # a statement that fails leaves the next one a session that works
        return figures(plan, _fetched(connection, group_statement(plan, tables, POSTGRES)))


def _fetched(connection: Connection, statement: SQLStatement) -> dict[str, Any]:
    lists = [statement.parameters[name] for name in sorted(statement.parameters)]
    cursor = connection.execute(statement.sql.encode(), lists, binary=True)
    return _columns([column.name for column in cursor.description or ()], cursor.fetchall())


def _columns(names: list[str], rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    """The rows of a statement by its columns: integers as such (0 where there is no cell), values of keys as objects."""
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    found: dict[str, Any] = {}
    for name, column in zip(names, columns, strict=True):
        if name.startswith("p"):
            found[name] = np.empty(len(column), dtype=object)
            found[name][:] = column
        else:
            found[name] = np.array([value or 0 for value in column], dtype=np.int64)
    return found
