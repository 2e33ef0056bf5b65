"""Fixture rows in a PostgreSQL table, for audits.

The table is in the schema of the snapshots, the only one in which lapcat's user may create tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from secrets import token_hex

from lapcat.engines.base.engine import Settings
from lapcat.engines.base.sources import Source
from lapcat.engines.postgres.connection import Connection, in_session
from lapcat.engines.postgres.dialect import POSTGRES
from lapcat.engines.postgres.snapshots import SCHEMA, require_schema
from lapcat.plan.schema import Type
from lapcat.plan.words import sql_name


def write_fixture_table(
    columns: Mapping[str, Sequence[object]], types: Mapping[str, Type], beside: Source
) -> Source:
    """Creates a table with these columns on the server of `beside`."""
    fixture = replace(beside, schema=SCHEMA, table=f"audit_{token_hex(8)}")

    def work(connection: Connection) -> None:
        require_schema(connection)
        of_a_language = _by_language(connection)
        listed = ", ".join(
            f"{sql_name(name)} {POSTGRES.physical[types[name]]}{of_a_language if types[name] is Type.TEXT else ''}"
            for name in columns
        )
        connection.execute(f"CREATE TABLE {_place(fixture)} ({listed})".encode())
        marks = ", ".join(f"${number}" for number in range(1, len(columns) + 1))
        with connection.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO {_place(fixture)} VALUES ({marks})".encode(),
                list(zip(*columns.values(), strict=True)),
            )

    in_session(fixture, Settings(), work, writes=True, seconds=None)
    return fixture


def _by_language(connection: Connection) -> str:
    """A linguistic collation if the server has one: real columns have one, and no statement may depend on it."""
    known = connection.execute(b"SELECT 1 FROM pg_collation WHERE collname = 'und-x-icu'").fetchone()
    return ' COLLATE "und-x-icu"' if known else ""


def drop_fixture_table(source: Source) -> None:
    in_session(
        source,
        Settings(),
        lambda connection: connection.execute(f"DROP TABLE IF EXISTS {_place(source)}".encode()),
        writes=True,
        seconds=None,
    )


def _place(source: Source) -> str:
    return f"{sql_name(source.schema)}.{sql_name(source.table or '')}"
