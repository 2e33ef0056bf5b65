"""The backend for tables in files: embedded DuckDB."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lapcat.engines.base.backend import (
    Backend,
    Engine,
    HeldSnapshot,
    OpenTable,
    Progress,
    RuleViolation,
    Settings,
    Size,
)
from lapcat.engines.base.cache_folder import CACHE, StoredSnapshot, remove, stored_in
from lapcat.engines.base.cells import Figures, figures
from lapcat.engines.base.public_columns import PublicColumns
from lapcat.engines.base.snapshots import Opened, declared_columns
from lapcat.engines.base.sources import Source
from lapcat.engines.base.statement import group_statement
from lapcat.engines.conformance import check
from lapcat.engines.duckdb import snapshots as duckdb_snapshot
from lapcat.engines.duckdb.connection import connect
from lapcat.engines.duckdb.dialect import DUCKDB
from lapcat.engines.duckdb.engine import DuckDBEngine, declared_type, describe, engine_name
from lapcat.engines.duckdb.fixtures import write_fixture_file, write_texts
from lapcat.engines.duckdb.guesses import propose
from lapcat.engines.operators import OperatorMeaning
from lapcat.plan.limits import DEFAULT_LIMITS
from lapcat.plan.nodes import Group
from lapcat.plan.schema import PublicTable, Table, Type


class DuckDBBackend:
    """Tables in files; snapshots are Parquet files beside the catalogue."""

    def name(self) -> str:
        return engine_name()

    def version(self, source: Source) -> str:
        return self.name()

    def describe(self, source: Source) -> Mapping[str, str]:
        return describe(source)

    def declared_type(self, physical: str) -> Type:
        return declared_type(physical)

    def require_columns(self, table: Table | PublicTable, physical: Mapping[str, str], where: str) -> None:
        declared_columns(table, physical, where, DUCKDB)

    def snapshot(self, folder: Path, stem: str) -> Path:
        return folder / CACHE / f"{stem}.parquet"

    def stored_in(self, source: Source, folder: Path) -> tuple[str, Sequence[StoredSnapshot]]:
        return CACHE, stored_in(folder / CACHE)

    def has_snapshot(self, source: Source, path: Path) -> bool:
        return path.exists()

    def remove_snapshot(self, source: Source, path: Path) -> None:
        remove(path)

    def write_snapshot(
        self,
        source: Source,
        table: Table | PublicTable,
        path: Path,
        key: bytes,
        progress: Progress,
        people: Mapping[str, HeldSnapshot],
        max_length: int = DEFAULT_LIMITS.max_length,
    ) -> Size:
        return duckdb_snapshot.write_snapshot(
            source, table, path, key, progress, people=people, max_length=max_length
        )

    def check_rows(
        self,
        source: Source,
        table: Table | PublicTable,
        people: Mapping[str, HeldSnapshot],
        max_length: int = DEFAULT_LIMITS.max_length,
    ) -> Sequence[RuleViolation]:
        return duckdb_snapshot.check_rows(source, table, people, max_length=max_length)

    def propose_types(self, source: Source) -> Mapping[str, Type]:
        return propose(source).types

    def read_columns(self, source: Source, max_length: int) -> PublicColumns:
        return duckdb_snapshot.read_columns_of(source, max_length)

    def probe(self, source: Source, progress: Progress) -> Sequence[OperatorMeaning]:
        connection = connect([])

        def run(plan: Group, tables: Mapping[str, Opened]) -> Figures:
            statement = group_statement(plan, tables, DUCKDB)
            return figures(plan, connection.execute(statement.sql, statement.parameters).fetchnumpy())

        try:
            return check(run, DUCKDB, progress)
        finally:
            connection.close()

    def write_fixture(
        self,
        columns: Mapping[str, Sequence[object]],
        types: Mapping[str, Type],
        folder: Path,
        name: str,
        like: Source,
    ) -> str:
        if like.is_text:
            write_texts(columns, folder / f"{name}.csv")
            return f"{name}.csv"
        write_fixture_file(columns, types, folder / f"{name}.parquet")
        return f"{name}.parquet"

    def drop_fixture(self, source: Source) -> None: ...

    def open(self, tables: Mapping[str, OpenTable], settings: Settings) -> Engine:
        return DuckDBEngine(
            tables, settings.memory, settings.threads, settings.spill, max_length=settings.max_length
        )


BACKEND: Backend = DuckDBBackend()
