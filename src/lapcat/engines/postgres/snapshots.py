"""Sources and snapshots on PostgreSQL.

A snapshot is a table in the schema `lapcat_snapshots`, the only place where lapcat writes, and only for `refresh`. It has the
same content as a snapshot of a file (duckdb/snapshots.py): the declared columns in their declared types and, if rows have
units, the contribution index and the weighted integers. Rows of low rank come first, and a BRIN index finds where they end.
The table comment is the header. The table is written in one transaction, hence atomically; it is logged, since an unlogged
table is empty after a crash, and an empty table would still give answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lapcat.engines.base.engine import NOBODY, HeldSnapshot, Progress, Settings, Size, no_progress
from lapcat.engines.base.relation import RANK, SourceRelation
from lapcat.engines.base.snapshots import Opened, OpenSource, content_of, opened, snapshot_missing
from lapcat.engines.base.sources import Source
from lapcat.engines.base.words import the_value
from lapcat.engines.postgres.connection import Connection, in_session, missing_table, one_row
from lapcat.engines.postgres.dialect import POSTGRES, server_table, short_name
from lapcat.engines.values import secret
from lapcat.errors import EngineFailed
from lapcat.plan.limits import DEFAULT_LIMITS
from lapcat.plan.schema import PublicTable, Table

SCHEMA = "lapcat_snapshots"
COLUMNS = """
    WITH RECURSIVE base AS (
        SELECT attnum, attname, atttypid AS type FROM pg_catalog.pg_attribute
        JOIN pg_catalog.pg_class ON pg_class.oid = attrelid JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = $1 AND relname = $2 AND relkind IN ('r', 'p', 'v', 'm', 'f') AND attnum > 0 AND NOT attisdropped
        UNION ALL
        SELECT attnum, attname, typbasetype FROM base JOIN pg_catalog.pg_type ON pg_type.oid = type WHERE typtype = 'd'
    )
    SELECT attname, CASE typtype WHEN 'e' THEN 'enum' ELSE pg_catalog.format_type(type, NULL) END
    FROM base JOIN pg_catalog.pg_type ON pg_type.oid = type WHERE typtype <> 'd' ORDER BY attnum
"""
"""Names and types of a table's columns; a domain is resolved to its base type, the values of an enum are not read."""
HEADER = """
    SELECT pg_catalog.obj_description(pg_class.oid, 'pg_class') FROM pg_catalog.pg_class
    JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1 AND relname = $2 AND relkind = 'r'
"""
STORED = """
    SELECT relname, pg_catalog.pg_total_relation_size(pg_class.oid) FROM pg_catalog.pg_class
    JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1 AND relkind = 'r'
    AND pg_catalog.obj_description(pg_class.oid, 'pg_class') LIKE '{%"format"%' ORDER BY relname
"""
SHARED = "SET LOCAL parallel_tuple_cost = 0.001; SET LOCAL parallel_setup_cost = 0"
"""Digests cost far more than PostgreSQL's default estimate of a function: these settings favour parallel plans."""
NO_LIMITS = Settings(memory="256MB")
"""For the steward's operations: memory per sort."""


def physical_types(connection: Connection, source: Source) -> dict[str, str]:
    """Names and physical types of a source's columns."""
    rows = connection.execute(COLUMNS.encode(), [source.schema, source.table]).fetchall()
    if not rows:
        raise missing_table(source)
    return {
        str(name): "character" if kind == "bpchar" else str(kind).removeprefix("public.")
        for name, kind in rows
    }


def source_relation(connection: Connection, source: Source) -> SourceRelation:
    assert source.table is not None
    return SourceRelation(server_table(source.schema, source.table), physical_types(connection, source))


def opened_source(connection: Connection, source: Source) -> OpenSource:
    return OpenSource(
        source_relation(connection, source),
        lambda sql: connection.execute(sql.encode()).fetchall(),
        lambda held: snapshot_relation(connection, held.table, held.path),
    )


def write_snapshot(
    source: Source,
    table: Table | PublicTable,
    path: Path,
    key: bytes,
    progress: Progress = no_progress,
    people: Mapping[str, HeldSnapshot] = NOBODY,
    max_length: int = DEFAULT_LIMITS.max_length,
) -> Size:
    """Reads the source once and writes the snapshot in one transaction."""

    def write(connection: Connection) -> Size:
        require_schema(connection)
        stored = opened_source(connection, source)
        content = content_of(stored, source, table, people, POSTGRES)
        holds = _hold(connection, key, path)
        held = the_value("key", server_table(SCHEMA, holds.name))
        rows, name = content.statement(stored.short(max_length), held), snapshot_name(path)
        connection.execute(SHARED.encode())
        connection.execute(f"DROP TABLE IF EXISTS {name}".encode())
        connection.execute(f"CREATE TABLE {name} AS {rows}".encode())
        connection.execute(f"DROP TABLE {snapshot_name(holds)}".encode())
        progress(0.8)
        connection.execute(f"REVOKE ALL ON {name} FROM PUBLIC".encode())
        header = content.header(max_length).replace("'", "''")
        connection.execute(f"COMMENT ON TABLE {name} IS '{header}'".encode())
        if content.owner is not None:
            connection.execute(f'CREATE INDEX ON {name} USING brin ("{RANK}")'.encode())
        connection.execute(f"ANALYZE {name}".encode())
        return content.checked(server_table(SCHEMA, path.name), stored.row)

    size = in_session(source, NO_LIMITS, write, writes=True, seconds=None)
    progress(1.0)
    return size


def _hold(connection: Connection, key: bytes, path: Path) -> Path:
    """A temporary table for the key that orders the rows. The key is sent by COPY, so it appears in no log of statements or
    parameters. The table is dropped before the transaction ends, so no other session sees it."""
    holds = Path(short_name(f"{path.name}.key"))
    connection.execute(f"CREATE UNLOGGED TABLE {snapshot_name(holds)} (key text)".encode())
    with connection.cursor().copy(f"COPY {snapshot_name(holds)} FROM STDIN".encode()) as copy:
        copy.write(f"{secret(key)}\n")
    return holds


def snapshot_name(path: Path) -> str:
    return f'"{SCHEMA}"."{path.name}"'


def require_schema(connection: Connection) -> None:
    """Refuses if the schema is missing or not writable."""
    usable = one_row(connection)(
        f"SELECT pg_catalog.has_schema_privilege(oid, 'CREATE') FROM pg_catalog.pg_namespace WHERE nspname = '{SCHEMA}' "
        "UNION ALL SELECT false"
    )[0]
    if not usable:
        raise EngineFailed(
            "snapshot-schema",
            f"the database has no schema {SCHEMA} in which the user may create tables",
            why="`refresh` writes snapshots there, and lapcat writes nowhere else",
            fix=f"CREATE SCHEMA {SCHEMA} AUTHORIZATION the user of `lapcat refresh`, as an administrator",
        )


def snapshot_relation(
    connection: Connection,
    table: Table | PublicTable,
    path: Path,
    max_length: int = DEFAULT_LIMITS.max_length,
) -> Opened:
    """The snapshot as a relation, and its column types. Refuses a snapshot written for another declaration."""
    row = connection.execute(HEADER.encode(), [SCHEMA, path.name]).fetchone()
    if row is None:
        raise snapshot_missing(table)
    return opened(table, row[0], server_table(SCHEMA, path.name), max_length)
