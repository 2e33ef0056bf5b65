"""The backend for tables on a PostgreSQL server."""

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
from lapcat.engines.base.cache_folder import StoredSnapshot
from lapcat.engines.base.public_columns import PublicColumns
from lapcat.engines.base.relation import declared_type
from lapcat.engines.base.snapshots import declared_columns
from lapcat.engines.base.sources import Source
from lapcat.engines.conformance import check
from lapcat.engines.operators import OperatorMeaning
from lapcat.engines.postgres import snapshots as postgres_snapshot
from lapcat.engines.postgres.connection import Connection, in_session
from lapcat.engines.postgres.dialect import POSTGRES, short_name
from lapcat.engines.postgres.engine import PostgresEngine, fixture_figures
from lapcat.engines.postgres.fixtures import drop_fixture_table, write_fixture_table
from lapcat.plan.limits import DEFAULT_LIMITS
from lapcat.plan.schema import PublicTable, Table, Type


class PostgresBackend:
    """Tables and views of a database; snapshots are tables in a schema of their own."""

    def name(self) -> str:
        return postgres_snapshot.driver()

    def version(self, source: Source) -> str:
        return f"postgresql {postgres_snapshot.server_version(source)}"

    def describe(self, source: Source) -> Mapping[str, str]:
        return postgres_snapshot.describe(source)

    def declared_type(self, physical: str) -> Type:
        return declared_type(physical, POSTGRES) or Type.TEXT

    def require_columns(self, table: Table | PublicTable, physical: Mapping[str, str], where: str) -> None:
        declared_columns(table, physical, where, POSTGRES)

    def snapshot(self, folder: Path, stem: str) -> Path:
        return Path(short_name(stem))

    def stored_in(self, source: Source, folder: Path) -> tuple[str, Sequence[StoredSnapshot]]:
        return f"{source.server}#{postgres_snapshot.SCHEMA}", postgres_snapshot.stored_in(source)

    def has_snapshot(self, source: Source, path: Path) -> bool:
        return postgres_snapshot.has_snapshot(source, path)

    def remove_snapshot(self, source: Source, path: Path) -> None:
        postgres_snapshot.remove_snapshot(source, path)

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
        return postgres_snapshot.write_snapshot(
            source, table, path, key, progress, people=people, max_length=max_length
        )

    def check_rows(
        self,
        source: Source,
        table: Table | PublicTable,
        people: Mapping[str, HeldSnapshot],
        max_length: int = DEFAULT_LIMITS.max_length,
    ) -> Sequence[RuleViolation]:
        return postgres_snapshot.check_rows(source, table, people, max_length=max_length)

    def propose_types(self, source: Source) -> Mapping[str, Type]:
        return postgres_snapshot.propose_types(source)

    def read_columns(self, source: Source, max_length: int) -> PublicColumns:
        return postgres_snapshot.read_columns_of(source, max_length)

    def probe(self, source: Source, progress: Progress) -> Sequence[OperatorMeaning]:
        def probed(connection: Connection) -> Sequence[OperatorMeaning]:
            return check(lambda plan, tables: fixture_figures(connection, plan, tables), POSTGRES, progress)

        return in_session(source, Settings(), probed, seconds=None)

    def write_fixture(
        self,
        columns: Mapping[str, Sequence[object]],
        types: Mapping[str, Type],
        folder: Path,
        name: str,
        like: Source,
    ) -> str:
        fixture = write_fixture_table(columns, types, like)
        return f"{fixture.address}#{fixture.schema}.{fixture.table}"

    def drop_fixture(self, source: Source) -> None:
        drop_fixture_table(source)

    def open(self, tables: Mapping[str, OpenTable], settings: Settings) -> Engine:
        return PostgresEngine(tables, settings)


BACKEND: Backend = PostgresBackend()
