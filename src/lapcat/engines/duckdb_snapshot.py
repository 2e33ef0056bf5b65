"""The steward's work with DuckDB: the snapshot that questions read, what does not fit the catalogue, proposed types.

A snapshot is a Parquet file of the declared columns as their declared types; where the table has a unit column, also
each row's unit, its rank within the unit and the number of the unit's rows, so that "at most R rows of each" is a
comparison, and what it adds to weighted counts and sums (sql/weights.py). Rows of low rank come first: whoever wants few
of each reads little of the file (docs/decisions/0010).
Its header says what was declared when it was written, and a snapshot of another declaration is not read.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lapcat.engines.backends import HeldSnapshot, Progress, RuleViolation, Size
from lapcat.engines.cache_folder import new_file, private_folder, require_private
from lapcat.engines.duckdb_connection import DuckDBStatements, quoted
from lapcat.engines.duckdb_guesses import propose
from lapcat.engines.duckdb_sources import reading, real
from lapcat.engines.public_columns import read_columns
from lapcat.engines.snapshots import (
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
from lapcat.engines.sources import Source
from lapcat.engines.sql import DUCKDB, Owner, SourceRelation, parquet_file, short_texts, typed_statement
from lapcat.plan.limits import DEFAULT_LIMITS
from lapcat.plan.schema import ColumnSpec, PublicTable, Table, Type

if TYPE_CHECKING:
    import duckdb

PAGE_BYTES = 2**20
"""The largest page of a column. A reader holds a page whole and cannot spill it, so a page of long texts must be small; a page of
numbers is smaller than this already."""


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
    """Reads the source and writes the snapshot: wholly or not at all, for the owner's eyes alone. A source with a text that
    is too long is read a second time.

    `people` are the snapshots of other tables about the same people: the one that units are reached through is among
    them, and in all of them a unit is of one type, so that rows of one can meet rows of another.
    """
    import duckdb

    people = people or {}
    private_folder(path.parent)
    unfinished = real(path.parent) / f".{path.name}.{os.getpid()}.part"
    spill = real(path.parent) / f".{path.name}.{os.getpid()}.spill"
    patience = DuckDBStatements()
    with new_file(unfinished), contextlib.ExitStack() as afterwards:
        afterwards.callback(shutil.rmtree, spill, ignore_errors=True)
        afterwards.callback(patience.close)
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
                patience.run(
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
                row: Sequence[int] = patience.run(
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
    """The snapshot as a relation, and the types of its columns; refused unless it was written for this declaration."""
    import duckdb

    require_private(path.parent)
    try:
        found = connection.execute(
            f"SELECT decode(value) FROM parquet_kv_metadata({quoted(str(real(path)))}) WHERE decode(key) = 'lapcat'"
        ).fetchall()
        header = str(found[0][0])
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
    """How many rows fall outside the declared types, bounds, keys and limits, and how many units lie in several blocks; what
    nothing breaks is left out."""
    people = people or {}
    with reading(source, *(real(held.path) for held in people.values())) as (connection, relation):
        types = declared_columns(table, relation.physical, source.name, DUCKDB)
        owner, _ = _owner(connection, table, types, people)
        patience = DuckDBStatements()
        return findings(
            replace(relation, max_length=max_length),
            types,
            table,
            owner,
            DUCKDB,
            lambda sql: patience.run(connection, lambda: connection.execute(sql).fetchall())[0],
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


def read_columns_of(source: Source, max_length: int) -> dict[str, ColumnSpec]:
    """What the rows of a public source say of its columns."""
    types = propose(source, guess_forms=False).types
    with reading(source) as (connection, relation):
        patience = DuckDBStatements()
        return read_columns(
            replace(relation, max_length=max_length),
            types,
            DUCKDB,
            lambda sql: patience.run(connection, lambda: connection.execute(sql).fetchall()),
        )
