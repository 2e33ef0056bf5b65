"""The PostgreSQL engine: one read-only statement per execution, which returns only sums.

Tables are read only from the snapshot that the steward's `refresh` wrote into a separate schema (snapshots.py): rows
of a live table could change between the executions of one question (docs/decisions/0019).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeVar

import numpy as np
import psycopg

from lapcat.core.release import ExactResult
from lapcat.engines.base.cells import Figures, figures, private_cells
from lapcat.engines.base.engine import FIRST, Attempt, OpenTable, Settings, table_of, unplanned
from lapcat.engines.base.snapshots import Opened
from lapcat.engines.base.statement import SQLStatement, group_statement
from lapcat.engines.postgres.connection import Connection, in_session
from lapcat.engines.postgres.dialect import POSTGRES
from lapcat.engines.postgres.snapshots import snapshot_relation
from lapcat.errors import Refused
from lapcat.plan.nodes import Group, scans_of

T = TypeVar("T")
BEYOND_A_LIMIT = "54"
"""SQLSTATE class 54, program limit exceeded: too many columns, too deep or too long."""


class PostgresEngine:
    """Executes plans over tables of one database, each in a new session; safe to share among threads."""

    def __init__(self, tables: Mapping[str, OpenTable], settings: Settings) -> None:
        self._tables, self._settings = dict(tables), settings
        self._printed: tuple[Group, SQLStatement] | None = None

    def ready(self, plan: Group) -> None:
        """Raises if the server, a table or the statement is broken. The server prepares the statement but reads no row."""

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

        failure = self._in_session(plan, trouble)
        if failure == "size":
            raise Refused(
                "statement-too-large",
                "the SQL of this question is too large for PostgreSQL; nothing was spent",
                why="PostgreSQL computes at most about 1600 different values per row",
                fix="ask for less at once: fewer aggregates, conditions or products of computed numbers",
            )
        if failure == "plan":
            raise unplanned()

    def execute(self, plan: Group, attempt: Attempt = FIRST) -> ExactResult:
        """One row of cells per statistic. Errors are raised; the release gate hides their text."""

        def fetch(connection: Connection) -> dict[str, Any]:
            printed = self._printed  # read once: another thread may replace it
            if printed is None or printed[0] != plan:
                printed = plan, self._statement(connection, plan)
            return _fetched(connection, printed[1])

        return private_cells(plan, self._in_session(plan, fetch, attempt))

    def close(self) -> None:
        """Does nothing: no connection is kept between questions."""

    def _in_session(self, plan: Group, work: Callable[[Connection], T], attempt: Attempt = FIRST) -> T:
        first = table_of(self._tables, next(iter(scans_of(plan))).table)
        settings = replace(self._settings, threads=1) if attempt.sparing else self._settings
        return in_session(first.source, settings, work, seconds=attempt.seconds)

    def _statement(self, connection: Connection, plan: Group) -> SQLStatement:
        tables = {scan.table: self._open(connection, scan.table) for scan in scans_of(plan)}
        return group_statement(plan, tables, POSTGRES)

    def _open(self, connection: Connection, name: str) -> Opened:
        """A table's snapshot as a relation, and its column types."""
        opening = table_of(self._tables, name)
        return snapshot_relation(connection, opening.table, opening.snapshot, self._settings.max_length)


def fixture_figures(connection: Connection, plan: Group, tables: Mapping[str, Opened]) -> Figures:
    """Figures of a plan over given relations. For fixture rows only."""
    with connection.transaction():  # so that the session survives a failing statement
        return figures(plan, _fetched(connection, group_statement(plan, tables, POSTGRES)))


def _fetched(connection: Connection, statement: SQLStatement) -> dict[str, Any]:
    lists = [statement.parameters[name] for name in sorted(statement.parameters)]
    cursor = connection.execute(statement.sql.encode(), lists, binary=True)
    return _columns([column.name for column in cursor.description or ()], cursor.fetchall())


def _columns(names: list[str], rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    """Rows as columns: integers as int64 (0 where there is no cell), key values as objects."""
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    arrays: dict[str, Any] = {}
    for name, column in zip(names, columns, strict=True):
        if name.startswith("p"):
            arrays[name] = np.empty(len(column), dtype=object)
            arrays[name][:] = column
        else:
            arrays[name] = np.array([value or 0 for value in column], dtype=np.int64)
    return arrays
