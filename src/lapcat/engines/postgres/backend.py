"""The backend for tables on a PostgreSQL server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import psycopg

from lapcat.engines.base.backend import Backend
from lapcat.engines.base.cache_folder import StoredSnapshot
from lapcat.engines.base.engine import NOBODY, Engine, HeldSnapshot, OpenTable, Progress, Settings
from lapcat.engines.base.snapshots import OpenSource
from lapcat.engines.base.sources import Source
from lapcat.engines.conformance import check
from lapcat.engines.operators import OperatorMeaning
from lapcat.engines.postgres.connection import Connection, in_session
from lapcat.engines.postgres.dialect import POSTGRES, short_name
from lapcat.engines.postgres.engine import PostgresEngine, fixture_figures
from lapcat.engines.postgres.fixtures import drop_fixture_table, write_fixture_table
from lapcat.engines.postgres.snapshots import (
    HEADER,
    NO_LIMITS,
    SCHEMA,
    STORED,
    opened_source,
    physical_types,
    snapshot_name,
    write_snapshot,
)
from lapcat.plan.schema import Type

T = TypeVar("T")


class PostgresBackend(Backend):
    """Tables and views of a database; snapshots are tables in a schema of their own."""

    dialect = POSTGRES
    write_snapshot = staticmethod(write_snapshot)
    drop_fixture = staticmethod(drop_fixture_table)

    def name(self) -> str:
        return f"postgresql by psycopg {psycopg.__version__}"

    def version(self, source: Source) -> str:
        """The version that the server reports at connection; sends no statement."""

        def reported(connection: Connection) -> str:
            return (connection.info.parameter_status("server_version") or "unknown").split()[0]

        return f"postgresql {in_session(source, Settings(), reported)}"

    def read(
        self, source: Source, work: Callable[[OpenSource], T], people: Mapping[str, HeldSnapshot] = NOBODY
    ) -> T:
        return in_session(
            source, NO_LIMITS, lambda connection: work(opened_source(connection, source)), seconds=None
        )

    def describe(self, source: Source) -> Mapping[str, str]:
        return in_session(source, Settings(), lambda connection: physical_types(connection, source))

    def snapshot(self, folder: Path, stem: str) -> Path:
        return Path(short_name(stem))

    def has_snapshot(self, source: Source, path: Path) -> bool:
        def find(connection: Connection) -> bool:
            return connection.execute(HEADER.encode(), [SCHEMA, path.name]).fetchone() is not None

        return in_session(source, Settings(), find)

    def stored_in(self, source: Source, folder: Path) -> tuple[str, Sequence[StoredSnapshot]]:
        """All tables of the schema with a lapcat header. There are no unfinished ones."""

        def find(connection: Connection) -> list[StoredSnapshot]:
            rows = connection.execute(STORED.encode(), [SCHEMA]).fetchall()
            return [StoredSnapshot(Path(str(name)), int(size)) for name, size in rows]

        return f"{source.server}#{SCHEMA}", in_session(source, Settings(), find)

    def remove_snapshot(self, source: Source, path: Path) -> None:
        drop = f"DROP TABLE IF EXISTS {snapshot_name(path)}".encode()
        in_session(source, Settings(), lambda connection: connection.execute(drop), writes=True)

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

    def open(self, tables: Mapping[str, OpenTable], settings: Settings) -> Engine:
        return PostgresEngine(tables, settings)


BACKEND: Backend = PostgresBackend()
