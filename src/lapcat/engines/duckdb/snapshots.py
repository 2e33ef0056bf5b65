"""The steward's operations on DuckDB: writing snapshots, checking rows against the catalogue, proposing types.

A snapshot is a Parquet file of the declared columns in their declared types. If the table has a unit column, it also holds
each row's unit, its rank within the unit and the unit's row count, so that "at most R rows per unit" is a comparison, and
each row's contribution to weighted counts and sums (base/weights.py). Rows of low rank come first, so that a query with a
small limit reads little of the file (docs/decisions/0010).
The header records the declaration; a snapshot written for another declaration is refused.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lapcat.engines.base.backend import HeldSnapshot, Progress, RuleViolation, Size
from lapcat.engines.base.cache_folder import new_file, private_folder, require_private
from lapcat.engines.base.public_columns import PublicColumns, read_columns
from lapcat.engines.base.relation import SourceRelation
from lapcat.engines.base.snapshots import (
    Opened,
    declared_columns,
    findings,
    header_of,
    opened,
    owner_of,
    ready_for,
    require_fit,
    size_of,
    snapshot_missing,
)
from lapcat.engines.base.sources import Source
from lapcat.engines.base.steward import Owner, typed_statement
from lapcat.engines.duckdb.connection import DuckDBStatements, quoted
from lapcat.engines.duckdb.dialect import DUCKDB, parquet_file, short_texts
from lapcat.engines.duckdb.guesses import propose
from lapcat.engines.duckdb.sources import reading, real
from lapcat.plan.limits import DEFAULT_LIMITS
from lapcat.plan.schema import PublicTable, Table, Type

if TYPE_CHECKING:
    import duckdb

PAGE_BYTES = 2**20
"""Maximum size of a column page. A reader holds a page in memory and cannot spill it, so pages of long texts must be small; pages of
numbers are smaller anyway."""


def write_snapshot(
    source: Source,
    table: Table | PublicTable,
    path: Path,
    key: bytes,
    progress: Progress = lambda fraction: None,
    *,
    people: Mapping[str, HeldSnapshot] | None = None,
    max_length: int = DEFAULT_LIMITS.max_length,
    memory: str | None = None,
    threads: int | None = None,
) -> Size:
    """Reads the source and writes the snapshot atomically, readable by the owner only. A source with a text that is too long
    is read a second time.

    `people`: snapshots of other tables about the same people, including the table through which units are found. The unit
    has the same type in all of them, so that they can be joined.
    """
    import duckdb

    people = people or {}
    private_folder(path.parent)
    unfinished = real(path.parent) / f".{path.name}.{os.getpid()}.part"
    spill = real(path.parent) / f".{path.name}.{os.getpid()}.spill"
    statements = DuckDBStatements()
    with new_file(unfinished), contextlib.ExitStack() as afterwards:
        afterwards.callback(shutil.rmtree, spill, ignore_errors=True)
        afterwards.callback(statements.close)
        others = [real(held.path) for held in people.values()]
        with reading(source, unfinished, *others, memory=memory, threads=threads, spill=spill) as (
            connection,
            stored,
        ):
            types = declared_columns(table, stored.physical, source.name, DUCKDB)
            owner, kind = _owner(connection, table, types, people)
            ready = ready_for(table)
            header = quoted(header_of(table, kind, ready, max_length))

            def write(relation: SourceRelation) -> None:
                rows = typed_statement(relation, types, list(table.columns), owner, key, DUCKDB, ready)
                copy = (
                    f"COPY ({rows}) TO {quoted(str(unfinished))} (FORMAT parquet, USE_TMP_FILE false,"
                    f" DATA_PAGE_SIZE_LIMIT {PAGE_BYTES}, KV_METADATA {{lapcat: {header}}})"
                )
                statements.run(
                    connection,
                    lambda: connection.execute(copy),
                    lambda: progress(min(1.0, max(0.0, connection.query_progress() / 100))),
                )

            try:
                write(short_texts(stored, types, max_length))
            except duckdb.InvalidInputException:
                write(replace(stored, max_length=max_length))
            written = SourceRelation(parquet_file(str(unfinished)), ranked=owner is not None)

            def run(statement: str) -> Sequence[int]:
                row: Sequence[int] = statements.run(
                    connection, lambda: connection.execute(statement).fetchall()
                )[0]
                return row

            require_fit(written, table, source.name, DUCKDB, run)
            size = size_of(written, DUCKDB, run)
        _make_durable(unfinished)
        os.replace(unfinished, path)
        _make_durable(path.parent)
    progress(1.0)
    return size


def _make_durable(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def snapshot_relation(
    connection: duckdb.DuckDBPyConnection,
    table: Table | PublicTable,
    path: Path,
    max_length: int = DEFAULT_LIMITS.max_length,
) -> Opened:
    """The snapshot as a relation, and its column types. Refuses a snapshot written for another declaration."""
    import duckdb

    require_private(path.parent)
    try:
        rows = connection.execute(
            f"SELECT decode(value) FROM parquet_kv_metadata({quoted(str(real(path)))}) WHERE decode(key) = 'lapcat'"
        ).fetchall()
        header = str(rows[0][0])
    except (duckdb.Error, OSError, IndexError):
        raise snapshot_missing(table) from None
    return opened(table, header, parquet_file(str(real(path))), max_length)


def check_rows(
    source: Source,
    table: Table | PublicTable,
    people: Mapping[str, HeldSnapshot] | None = None,
    *,
    max_length: int = DEFAULT_LIMITS.max_length,
) -> tuple[RuleViolation, ...]:
    """Number of rows outside the declared types, bounds, keys and limits, and of units in several blocks; zero counts are
    omitted."""
    people = people or {}
    with reading(source, *(real(held.path) for held in people.values())) as (connection, relation):
        types = declared_columns(table, relation.physical, source.name, DUCKDB)
        owner, _ = _owner(connection, table, types, people)
        statements = DuckDBStatements()
        return findings(
            replace(relation, max_length=max_length),
            types,
            table,
            owner,
            DUCKDB,
            lambda sql: statements.run(connection, lambda: connection.execute(sql).fetchall())[0],
        )


def _owner(
    connection: duckdb.DuckDBPyConnection,
    table: Table | PublicTable,
    types: Mapping[str, Type],
    people: Mapping[str, HeldSnapshot],
) -> tuple[Owner | None, Type | None]:
    tables = {name: held.table for name, held in people.items()}
    return owner_of(
        table, types, tables, lambda name: snapshot_relation(connection, tables[name], people[name].path)
    )


def read_columns_of(source: Source, max_length: int) -> PublicColumns:
    """Column specifications read from the rows of a public source."""
    types = propose(source, guess_forms=False).types
    with reading(source) as (connection, relation):
        statements = DuckDBStatements()
        return read_columns(
            replace(relation, max_length=max_length),
            types,
            DUCKDB,
            lambda sql: statements.run(connection, lambda: connection.execute(sql).fetchall()),
        )
