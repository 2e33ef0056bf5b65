"""Its dialect, its engine and its backend. A snapshot is a database file with the tables `rows` and `header`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import duckdb

from lapcat.core.release import ExactResult
from lapcat.engines.base.backend import Backend
from lapcat.engines.base.cache_folder import new_folder, private_folder
from lapcat.engines.base.cells import figures, private_cells
from lapcat.engines.base.dialect import in_63_bits
from lapcat.engines.base.engine import (
    FIRST,
    NOBODY,
    Attempt,
    Engine,
    HeldSnapshot,
    OpenTable,
    Progress,
    Settings,
    Size,
    no_progress,
)
from lapcat.engines.base.relation import SourceRelation
from lapcat.engines.base.snapshots import Opened, OpenSource, content_of, opened
from lapcat.engines.base.sources import Source
from lapcat.engines.base.statement import group_statement
from lapcat.engines.base.words import SQL, call, case, cast, number, translated
from lapcat.engines.conformance import check
from lapcat.engines.duckdb.dialect import DuckDBDialect, attached_table, parquet_file
from lapcat.engines.duckdb.fixtures import write_fixture_file
from lapcat.engines.duckdb.sources import physical_types
from lapcat.engines.operators import OperatorMeaning
from lapcat.plan.expressions import Casing
from lapcat.plan.limits import DEFAULT_LIMITS
from lapcat.plan.nodes import Group, scans_of
from lapcat.plan.schema import PublicTable, Table, Type

T = TypeVar("T")
Connection = duckdb.DuckDBPyConnection


class QuackDialect(DuckDBDialect):
    """SQL that DuckDB understands too, but DuckDB's dialect does not write."""

    materialized = None
    repeats = True

    def cased(self, x: SQL, how: Casing) -> SQL:
        return translated(x, how)

    def position(self, x: SQL, search: SQL) -> SQL:
        return call("instr", x, search)

    def nearest(self, x: SQL) -> SQL:
        return case((in_63_bits(x), cast(call("round_even", x, number(0)), "BIGINT")))


QUACK = QuackDialect()


class QuackEngine:
    def __init__(self, tables: Mapping[str, OpenTable], settings: Settings) -> None:
        self._tables, self._settings = tables, settings

    def run(self, work: Callable[[Connection, Mapping[str, Opened]], T], names: Sequence[str]) -> T:
        """The result of `work` on a connection, and on the tables of these names."""
        with duckdb.connect() as connection:
            relations = {
                name: attached(connection, self._tables[name].table, self._tables[name].snapshot)
                for name in dict.fromkeys(names)
            }
            return work(connection, relations)

    def _run(self, plan: Group, what: str) -> Any:
        def work(connection: Connection, tables: Mapping[str, Opened]) -> Any:
            statement = group_statement(plan, tables, QUACK)
            return connection.execute(what + statement.sql, statement.parameters).fetchnumpy()

        return self.run(work, [scan.table for scan in scans_of(plan)])

    def ready(self, plan: Group) -> None:
        self._run(plan, "EXPLAIN ")

    def execute(self, plan: Group, attempt: Attempt = FIRST) -> ExactResult:
        return private_cells(plan, self._run(plan, ""))

    def close(self) -> None: ...


class QuackBackend(Backend):
    dialect = QUACK
    suffix = ".quack"

    def name(self) -> str:
        return "quack 1"

    def version(self, source: Source) -> str:
        return self.name()

    def open(self, tables: Mapping[str, OpenTable], settings: Settings) -> Engine:
        return QuackEngine(tables, settings)

    def probe(self, source: Source, progress: Progress) -> Sequence[OperatorMeaning]:
        with duckdb.connect() as connection:

            def run(plan: Group, tables: Mapping[str, Opened]) -> Any:
                statement = group_statement(plan, tables, QUACK)
                return figures(plan, connection.execute(statement.sql, statement.parameters).fetchnumpy())

            return check(run, QUACK, progress)

    def read(
        self, source: Source, work: Callable[[OpenSource], T], people: Mapping[str, HeldSnapshot] = NOBODY
    ) -> T:
        with duckdb.connect() as connection:
            return work(open_source(connection, source))

    def write_snapshot(
        self,
        source: Source,
        table: Table | PublicTable,
        path: Path,
        key: bytes,
        progress: Progress = no_progress,
        people: Mapping[str, HeldSnapshot] = NOBODY,
        max_length: int = DEFAULT_LIMITS.max_length,
    ) -> Size:
        private_folder(path.parent)
        unfinished = path.parent / f".{path.name}.{os.getpid()}.part"
        with new_folder(unfinished):
            with duckdb.connect(str(unfinished / "rows")) as connection:
                stored = open_source(connection, source)
                content = content_of(stored, source, table, people, QUACK)
                connection.execute(f"CREATE TABLE rows AS {content.statement(stored.short(max_length), key)}")
                connection.execute("CREATE TABLE header AS SELECT ? AS text", [content.header(max_length)])
                size = content.checked(attached_table("rows", "main", "rows"), stored.row)
            os.replace(unfinished / "rows", path)
        return size

    def write_fixture(
        self,
        columns: Mapping[str, Sequence[object]],
        types: Mapping[str, Type],
        folder: Path,
        name: str,
        like: Source,
    ) -> str:
        write_fixture_file(columns, types, folder / f"{name}.parquet")
        return f"quack:{name}.parquet"


def open_source(connection: Connection, source: Source) -> OpenSource:
    file = parquet_file(str(source.path))
    return OpenSource(
        SourceRelation(file, physical_types(connection, file)),
        lambda statement: connection.execute(statement).fetchall(),
        lambda held: attached(connection, held.table, held.path),
    )


def attached(connection: Connection, table: Table | PublicTable, path: Path) -> Opened:
    """A snapshot as a relation of the connection."""
    connection.execute(f"ATTACH IF NOT EXISTS '{path}' AS \"{path.name}\" (READ_ONLY)")
    ((header,),) = connection.execute(f'SELECT text FROM "{path.name}".header').fetchall()
    return opened(table, header, attached_table(path.name, "main", "rows"))


BACKEND: Backend = QuackBackend()
