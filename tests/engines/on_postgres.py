"""The same rows in tables of PostgreSQL, each with a snapshot, and the engine over them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import psycopg
import psycopg.sql

from lapcat.engines.backends import parse_source
from lapcat.engines.base.engine import HeldSnapshot, OpenTable, Settings
from lapcat.engines.base.sources import Source
from lapcat.engines.postgres.engine import PostgresEngine
from lapcat.engines.postgres.snapshots import SCHEMA, write_snapshot
from lapcat.plan.schema import PublicTable, Table, Type
from tests.engines.holding import KEY
from tests.postgres_cluster import Cluster

PHYSICAL = {
    Type.INTEGER: "bigint",
    Type.FLOAT: "double precision",
    Type.TEXT: "text",
    Type.BOOLEAN: "boolean",
    Type.DATE: "date",
    Type.TIMESTAMP: "timestamp",
}
_NUMBERS = itertools.count(1)
Rows = Sequence[Mapping[str, object]]


def without_nul(value: object) -> object:
    """What PostgreSQL can hold: a text without the character NUL."""
    return value.replace("\0", "\x01") if isinstance(value, str) else value


def held_rows(rows: Rows) -> list[dict[str, object]]:
    return [{name: without_nul(value) for name, value in row.items()} for row in rows]


def address(cluster: Cluster, table: str) -> str:
    """The source of a table, as a catalogue writes it."""
    return f"{cluster.url()}#{table}"


def tell(cluster: Cluster, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
    """What an administrator does."""
    with psycopg.connect(cluster.url(), autocommit=True) as connection:
        cursor = connection.execute(sql.encode(), parameters or None)
        return cursor.fetchall() if cursor.description else []


def put(cluster: Cluster, rows: Rows, physical: Mapping[str, str], table: str | None = None) -> Source:
    """A table with these rows, as lapcat sees it."""
    table = table or f"t{next(_NUMBERS)}"
    names = [psycopg.sql.Identifier(name) for name in physical]
    columns = psycopg.sql.SQL(", ").join(
        psycopg.sql.SQL("{} {}").format(name, psycopg.sql.SQL(kind))
        for name, kind in zip(names, physical.values(), strict=True)
    )
    with psycopg.connect(cluster.url(), autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}".encode())
        quoted = psycopg.sql.Identifier(table)
        connection.execute(psycopg.sql.SQL("DROP TABLE IF EXISTS {} CASCADE").format(quoted))
        connection.execute(psycopg.sql.SQL("CREATE TABLE {} ({})").format(quoted, columns))
        listed = psycopg.sql.SQL(", ").join(names)
        with (
            connection.cursor() as cursor,
            cursor.copy(psycopg.sql.SQL("COPY {} ({}) FROM STDIN").format(quoted, listed)) as copy,
        ):
            for row in rows:
                copy.write_row([row[name] for name in physical])
    return parse_source(address(cluster, f"public.{table}"), Path())


def on_the_way(table: Table | PublicTable, held: Mapping[str, HeldSnapshot]) -> dict[str, HeldSnapshot]:
    """The table through which units are reached, if there is one."""
    through = table.unit.through if isinstance(table, Table) else None
    return {} if through is None else {through[0]: held[through[0]]}


def opened(
    cluster: Cluster, tables: Mapping[str, tuple[Rows, Table | PublicTable, Mapping[str, Type]]]
) -> PostgresEngine:
    """An engine over several tables, each after the one through which its units are reached."""
    people: dict[str, HeldSnapshot] = {}
    open_tables: dict[str, OpenTable] = {}
    for name, (rows, table, types) in tables.items():
        source = put(cluster, rows, {column: PHYSICAL[kind] for column, kind in types.items()})
        path = Path(f"{source.table}.1")
        write_snapshot(source, table, path, KEY, people=on_the_way(table, people))
        open_tables[name] = OpenTable(table, source, path)
        if isinstance(table, Table):
            people[name] = HeldSnapshot(table, path)
    return PostgresEngine(open_tables, Settings())


def postgresql(cluster: Cluster, rows: Rows, table: Table) -> PostgresEngine:
    """An engine over one table."""
    types = {name: spec.type for name, spec in table.columns.items()}
    return opened(cluster, {table.name: (rows, table, types)})
