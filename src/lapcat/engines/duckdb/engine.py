"""The embedded engine: DuckDB over snapshots and data frames.

Tables are read only from the snapshot that the steward's `refresh` wrote (snapshots.py), so errors in source files
surface at `refresh` and never in a question (docs/decisions/0030).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lapcat.core.release import ExactResult
from lapcat.engines.base.cells import private_cells
from lapcat.engines.base.engine import FIRST, Attempt, OpenTable, Size, table_of, unplanned
from lapcat.engines.base.relation import UNIT, SourceRelation
from lapcat.engines.base.snapshots import Opened, declared_columns, size_of, snapshot_missing
from lapcat.engines.base.statement import SQLStatement, group_statement
from lapcat.engines.base.steward import Owner, typed_statement
from lapcat.engines.duckdb.connection import DuckDBStatements
from lapcat.engines.duckdb.database import Database, DatabaseLimits, SharedDatabase
from lapcat.engines.duckdb.dialect import DUCKDB, memory_table
from lapcat.engines.duckdb.frames import register
from lapcat.engines.duckdb.snapshots import snapshot_relation
from lapcat.engines.duckdb.sources import physical_types
from lapcat.errors import BadArgument
from lapcat.plan.limits import DEFAULT_LIMITS
from lapcat.plan.nodes import Group, scans_of
from lapcat.plan.schema import Table, Type

if TYPE_CHECKING:
    import duckdb


def engine_name() -> str:
    """The engine and its version, for receipts."""
    import duckdb

    return f"duckdb {duckdb.__version__}"


class DuckDBEngine:
    """Executes plans in a locked database, opened on first use; safe to share among threads."""

    def __init__(
        self,
        tables: Mapping[str, OpenTable],
        memory: str | None = None,
        threads: int | None = None,
        spill: Path | None = None,
        sparing: bool = False,
        max_length: int = DEFAULT_LIMITS.max_length,
        beside: DuckDBEngine | None = None,
    ) -> None:
        """`beside`: an engine with the same tables and limits, whose database this one shares."""
        self._tables, self._max_length = dict(tables), max_length
        snapshots = [table.snapshot for table in self._tables.values()]
        limits = DatabaseLimits(memory, threads, spill, sparing)
        self._shared: SharedDatabase = beside._shared if beside else SharedDatabase(snapshots, limits)
        self._database: Database | None = None
        self._opened: dict[str, Opened] = {}
        self._lock = threading.Lock()
        self._statements = DuckDBStatements()
        self._printed: tuple[Group, SQLStatement] | None = None

    def ready(self, plan: Group) -> None:
        """Raises if the table or the statement is broken. Called before the debit.

        DuckDB opens the files and prepares the statement but reads no row. Its error texts are not passed on.
        """
        import duckdb

        statement = self._statement(plan)
        for name in {scan.table for scan in scans_of(plan)}:
            if name in self._tables:  # the snapshot may have been removed since
                require_there(self._tables[name])
        cursor, planned = self._cursor(), True
        try:
            cursor.execute(f"PREPARE question AS {statement.sql}")
        except (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException):
            planned = False
        except duckdb.Error:
            pass  # an execution error shows only after the debit, once
        finally:
            cursor.close()
        if not planned:
            raise unplanned()

    def execute(self, plan: Group, attempt: Attempt = FIRST) -> ExactResult:
        """One row of cells per statistic. DuckDB's errors are raised; the release gate hides their text."""
        if attempt.sparing and self._tables:  # a frame's copy exists only on its own connection
            return self._execute_sparingly(plan, attempt.seconds)
        statement = self._statement(plan)
        cursor = self._cursor()
        try:
            columns = self._statements.run(
                cursor,
                lambda: cursor.execute(statement.sql, statement.parameters).fetchnumpy(),
                seconds=attempt.seconds,
            )
        finally:
            cursor.close()
        return private_cells(plan, columns)

    def _execute_sparingly(self, plan: Group, seconds: float) -> ExactResult:
        """Executes with one thread and low-memory settings, in a new database since the first one's settings are locked."""
        end = time.monotonic() + seconds
        if not self._shared.sparing_lock.acquire(timeout=seconds):
            raise TimeoutError
        limits = self._shared.limits
        spare = DuckDBEngine(self._tables, limits.memory, 1, limits.spill, True, self._max_length)
        try:
            return spare.execute(plan, Attempt(max(0.0, end - time.monotonic())))
        finally:
            spare.close()
            self._shared.sparing_lock.release()

    def close(self) -> None:
        """Closes the files, which the next execution reopens, and drops a frame's copy for good."""
        with self._lock:
            self._statements.close()
            self._database, self._opened = None, {}

    def _statement(self, plan: Group) -> SQLStatement:
        """The plan as SQL. The last statement is cached, since it is needed before the debit and after."""
        tables = {scan.table: self._open(scan.table) for scan in scans_of(plan)}
        printed = self._printed  # read once: another thread may replace it
        if printed is None or printed[0] != plan:
            printed = self._printed = plan, group_statement(plan, tables, DUCKDB)
        return printed[1]

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        with self._lock:
            assert self._database is not None
            return self._database.cursor()

    def _open(self, name: str) -> Opened:
        """A table's relation and column types. Failures are not cached: the next question tries again."""
        with self._lock:
            if self._database is None:
                self._database = self._shared.open()
            if name not in self._opened:
                opening = table_of(self._tables, name)
                self._opened[name] = snapshot_relation(
                    self._database.cursor(), opening.table, opening.snapshot, self._max_length
                )
            return self._opened[name]


def require_there(table: OpenTable) -> None:
    """Raises if the snapshot of a table is missing or unreadable."""
    if not os.access(table.snapshot, os.R_OK):
        raise snapshot_missing(table.table)


def open_frame(frame: Any, table: Table, key: bytes) -> tuple[DuckDBEngine, Size]:
    """An engine over a copy of a data frame with its contribution index, and the copy's size."""
    import duckdb

    engine = DuckDBEngine({})
    engine._database = engine._shared.open()
    connection = engine._database.connection
    unit = table.unit.column
    wanted = {name: spec.type for name, spec in table.columns.items()}
    if unit is not None:
        wanted.setdefault(unit, Type.TEXT)
    try:
        shown = memory_table(register(connection, frame, wanted))
        relation = SourceRelation(
            shown, physical_types(connection, shown), max_length=DEFAULT_LIMITS.max_length
        )
        types = declared_columns(table, relation.physical, "the data frame", DUCKDB)
        owner = None if unit is None else Owner(unit)
        typed = typed_statement(relation, types, list(table.columns), owner, key, DUCKDB)
        engine._statements.run(connection, lambda: connection.execute(f"CREATE TABLE held AS {typed}"))
        connection.execute("DROP VIEW IF EXISTS lapcat_frame")
    except duckdb.Error:
        raise BadArgument(
            "frame-unreadable", "the data frame cannot be read", fix="check its columns' dtypes and types="
        ) from None
    held = SourceRelation(memory_table("held"), ranked=unit is not None)
    engine._opened[table.name] = held, types if unit is None else {**types, UNIT: types[unit]}
    return engine, size_of(held, DUCKDB, lambda statement: connection.execute(statement).fetchall()[0])
