"""The backend for tables in files: embedded DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from lapcat.engines.base.backend import Backend
from lapcat.engines.base.cells import Figures, figures
from lapcat.engines.base.engine import NOBODY, Engine, HeldSnapshot, OpenTable, Progress, Settings
from lapcat.engines.base.public_columns import PublicColumns, read_columns
from lapcat.engines.base.snapshots import Opened, OpenSource
from lapcat.engines.base.sources import Source
from lapcat.engines.base.statement import group_statement
from lapcat.engines.conformance import check
from lapcat.engines.duckdb.connection import connect
from lapcat.engines.duckdb.dialect import DUCKDB
from lapcat.engines.duckdb.engine import DuckDBEngine, engine_name
from lapcat.engines.duckdb.fixtures import write_fixture_file, write_texts
from lapcat.engines.duckdb.guesses import propose
from lapcat.engines.duckdb.snapshots import opened_source, write_snapshot
from lapcat.engines.duckdb.sources import require_file
from lapcat.engines.duckdb.text_files import csv_header
from lapcat.engines.operators import OperatorMeaning
from lapcat.plan.nodes import Group
from lapcat.plan.schema import Type

T = TypeVar("T")


class DuckDBBackend(Backend):
    """Tables in files; snapshots are Parquet files beside the catalogue."""

    dialect = DUCKDB
    suffix = ".parquet"
    write_snapshot = staticmethod(write_snapshot)

    def name(self) -> str:
        return engine_name()

    def version(self, source: Source) -> str:
        return self.name()

    def read(
        self, source: Source, work: Callable[[OpenSource], T], people: Mapping[str, HeldSnapshot] = NOBODY
    ) -> T:
        with opened_source(source, people) as (_, stored):
            return work(stored)

    def describe(self, source: Source) -> Mapping[str, str]:
        if source.kind != "csv":
            return super().describe(source)
        require_file(source)
        return dict.fromkeys(csv_header(source)[0], "VARCHAR")

    def propose_types(self, source: Source) -> Mapping[str, Type]:
        return propose(source).types

    def read_columns(self, source: Source, max_length: int) -> PublicColumns:
        types = propose(source, guess_forms=False).types
        return self.read(
            source, lambda stored: read_columns(stored.short(max_length), types, DUCKDB, stored.rows)
        )

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

    def open(
        self, tables: Mapping[str, OpenTable], settings: Settings, beside: DuckDBEngine | None = None
    ) -> DuckDBEngine:
        limits = settings.memory, settings.threads, settings.spill
        return DuckDBEngine(tables, *limits, max_length=settings.max_length, beside=beside)

    def open_workers(
        self, tables: Mapping[str, OpenTable], settings: Settings, count: int
    ) -> Sequence[Engine]:
        """In one database: the limits hold for all of them together."""
        first = self.open(tables, settings)
        return [first, *(self.open(tables, settings, first) for _ in range(count - 1))]


BACKEND: Backend = DuckDBBackend()
