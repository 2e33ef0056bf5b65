"""The steward's work with DuckDB: the snapshot that questions read, what does not fit the catalogue, proposed types.

A snapshot is a Parquet file of the declared columns as their declared types; where the table has a unit column, also
each row's rank within its unit and the number of the unit's rows, so that "at most R rows of each" is a comparison.
Its header says what was declared when it was written, and a snapshot of another declaration is not read.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lapcat.engines.duckdb_connection import Patience, quoted
from lapcat.engines.duckdb_sources import declared_columns, reading, real
from lapcat.engines.sources import Source
from lapcat.engines.sql import (
    DUCKDB,
    Relation,
    check_statement,
    declared_type,
    guess_statement,
    parquet_file,
    size_statement,
    typed_statement,
)
from lapcat.errors import BadQuery, EngineFailed
from lapcat.plan.schema import Table, Type

if TYPE_CHECKING:
    import duckdb

FORMAT = 1
Progress = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Size:
    """How many rows and units a version has. For the steward alone."""

    rows: int
    units: int


@dataclass(frozen=True, slots=True)
class Finding:
    """How many rows break a rule of the catalogue. For the steward alone."""

    column: str
    rule: str
    rows: int


def write_snapshot(
    source: Source,
    table: Table,
    path: Path,
    key: bytes,
    progress: Progress = lambda fraction: None,
    *,
    memory: str | None = None,
    threads: int | None = None,
) -> Size:
    """Reads the source once and writes the snapshot: wholly or not at all, for the owner's eyes alone."""
    _private_folder(path.parent)
    unfinished = real(path.parent) / f".{path.name}.{os.getpid()}.part"
    spill = real(path.parent) / f".{path.name}.{os.getpid()}.spill"
    patience = Patience()
    os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    try:
        with reading(source, unfinished, memory=memory, threads=threads, spill=spill) as (
            connection,
            relation,
        ):
            types = declared_columns(table, relation.physical, source.name)
            rows = typed_statement(relation, types, table.unit.column, key, DUCKDB)
            copy = (
                f"COPY ({rows}) TO {quoted(str(unfinished))} (FORMAT parquet, USE_TMP_FILE false,"
                f" KV_METADATA {{lapcat: {quoted(_declaration(table, types))}}})"
            )
            patience.run(
                connection,
                lambda: connection.execute(copy),
                lambda: progress(min(1.0, max(0.0, connection.query_progress() / 100))),
            )
            written = Relation(parquet_file(str(unfinished)), {}, typed=True, ranked=not table.unit.is_row)
            count, units = connection.execute(size_statement(written, DUCKDB)).fetchall()[0]
        _make_durable(unfinished)
        os.replace(unfinished, path)
        _make_durable(path.parent)
    finally:
        patience.close()
        unfinished.unlink(missing_ok=True)
        shutil.rmtree(spill, ignore_errors=True)
    progress(1.0)
    return Size(count, units)


def _declaration(table: Table, types: Mapping[str, Type]) -> str:
    """What a snapshot depends on."""
    return json.dumps({"format": FORMAT, "unit": table.unit.column, "columns": types}, sort_keys=True)


def _private_folder(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_mode & 0o077:
        folder.chmod(0o700)


def _make_durable(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def snapshot_relation(
    connection: duckdb.DuckDBPyConnection, table: Table, path: Path
) -> tuple[Relation, dict[str, Type]]:
    """The snapshot as a relation, and its columns' types; refused unless it was written for this declaration."""
    import duckdb

    try:
        found = connection.execute(
            f"SELECT decode(value) FROM parquet_kv_metadata({quoted(str(path))}) WHERE decode(key) = 'lapcat'"
        ).fetchall()
        header = json.loads(found[0][0])
        held = {name: Type(kind) for name, kind in header["columns"].items()}
    except (duckdb.Error, OSError, IndexError, ValueError, KeyError):
        raise EngineFailed(
            "snapshot-missing",
            f"the snapshot of {table.name} cannot be read",
            fix=f"lapcat refresh {table.name}",
        ) from None
    declared = {name: spec.type for name, spec in table.columns.items()}
    same_columns = all(held.get(name) is kind for name, kind in declared.items())
    if header["format"] != FORMAT or header["unit"] != table.unit.column or not same_columns:
        raise BadQuery(
            "snapshot-stale",
            f"the snapshot of {table.name} was written for another declaration of its unit or columns",
            fix=f"lapcat refresh {table.name}",
        )
    return Relation(parquet_file(str(path)), {}, typed=True, ranked=not table.unit.is_row), held


def size_in_place(source: Source) -> Size:
    """How many rows a source has that is read where it lies: each is a unit of its own."""
    with reading(source) as (connection, relation):
        rows, units = connection.execute(size_statement(relation, DUCKDB)).fetchall()[0]
    return Size(rows, units)


def check_rows(source: Source, table: Table) -> tuple[Finding, ...]:
    """How many rows fall outside the declared types, bounds, keys and limits; what no row breaks is left out."""
    with reading(source) as (connection, relation):
        types = declared_columns(table, relation.physical, source.name)
        unit = table.unit.column
        statement, rules = check_statement(
            relation,
            table.columns,
            None if unit is None else (unit, types[unit]),
            table.rows_per_unit,
            DUCKDB,
        )
        counts = Patience().run(connection, lambda: connection.execute(statement).fetchall())[0]
    return tuple(Finding(*rule, rows) for rule, rows in zip(rules, counts, strict=False) if rows)


GUESSES = (Type.INTEGER, Type.FLOAT, Type.BOOLEAN, Type.DATE, Type.TIMESTAMP)


def propose_types(source: Source) -> dict[str, Type]:
    """A type for each column that can have one: by the schema, or, of a CSV, the first that fits all its values."""
    with reading(source) as (connection, relation):
        if source.kind != "csv":
            found = {name: declared_type(physical) for name, physical in relation.physical.items()}
            return {name: kind for name, kind in found.items() if kind is not None}
        guess = guess_statement(relation, GUESSES, DUCKDB)
        counts = iter(Patience().run(connection, lambda: connection.execute(guess).fetchall())[0])
        types = {}
        for name in relation.physical:
            filled, *fitting = (next(counts) for _ in range(1 + len(GUESSES)))
            fits = [kind for kind, n in zip(GUESSES, fitting, strict=True) if n == filled > 0]
            types[name] = fits[0] if fits else Type.TEXT
        return types
