"""The steward's work with DuckDB: the snapshot that questions read, what does not fit the catalogue, proposed types.

A snapshot is a Parquet file of the declared columns as their declared types; where the table has a unit column, also
each row's unit, its rank within the unit and the number of the unit's rows, so that "at most R rows of each" is a
comparison, and what it adds to weighed counts and sums (sql/weights.py). Rows of low rank come first: whoever wants few
of each reads little of the file (docs/decisions/0010).
Its header says what was declared when it was written, and a snapshot of another declaration is not read.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lapcat.engines.duckdb_connection import Patience, quoted
from lapcat.engines.duckdb_sources import declared_columns, reading, real
from lapcat.engines.sources import Source
from lapcat.engines.sql import (
    DUCKDB,
    UNIT,
    Owner,
    Ready,
    Relation,
    check_statement,
    declared_ready,
    declared_type,
    guess_statement,
    parquet_file,
    repeats_statement,
    size_statement,
    straddling_statement,
    typed_statement,
)
from lapcat.errors import BadQuery, EngineFailed, Refused
from lapcat.plan.schema import PublicTable, Table, Type
from lapcat.plan.words import toml_key

if TYPE_CHECKING:
    import duckdb

FORMAT = 3
"""Of the columns and the index: a snapshot of another format is neither looked for nor read."""
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


@dataclass(frozen=True, slots=True)
class Held:
    """A table whose snapshot is there already."""

    table: Table
    path: Path


def write_snapshot(
    source: Source,
    table: Table | PublicTable,
    path: Path,
    key: bytes,
    progress: Progress = lambda fraction: None,
    *,
    people: Mapping[str, Held] | None = None,
    memory: str | None = None,
    threads: int | None = None,
) -> Size:
    """Reads the source once and writes the snapshot: wholly or not at all, for the owner's eyes alone.

    `people` are the snapshots of other tables about the same people: the one that units are reached through is among
    them, and in all of them a unit is of one type, so that rows of one can meet rows of another.
    """
    people = people or {}
    _private_folder(path.parent)
    unfinished = real(path.parent) / f".{path.name}.{os.getpid()}.part"
    spill = real(path.parent) / f".{path.name}.{os.getpid()}.spill"
    patience = Patience()
    os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    try:
        others = [real(held.path) for held in people.values()]
        with reading(source, unfinished, *others, memory=memory, threads=threads, spill=spill) as (
            connection,
            relation,
        ):
            types = declared_columns(table, relation.physical, source.name)
            owner, kind = _owner(connection, table, types, people)
            ready = None if owner is None else _ready(table)
            rows = typed_statement(relation, types, list(table.columns), owner, key, DUCKDB, ready)
            copy = (
                f"COPY ({rows}) TO {quoted(str(unfinished))} (FORMAT parquet, USE_TMP_FILE false,"
                f" KV_METADATA {{lapcat: {quoted(_header(table, kind, ready))}}})"
            )
            patience.run(
                connection,
                lambda: connection.execute(copy),
                lambda: progress(min(1.0, max(0.0, connection.query_progress() / 100))),
            )
            written = Relation(parquet_file(str(unfinished)), {}, typed=True, ranked=owner is not None)
            _require_unique(connection, patience, written, table, source)
            _require_one_block(connection, patience, written, table)
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


def _owner(
    connection: duckdb.DuckDBPyConnection,
    table: Table | PublicTable,
    types: Mapping[str, Type],
    people: Mapping[str, Held],
) -> tuple[Owner | None, Type | None]:
    """How the units of a table's rows are found, and of which type they are; refused where types do not meet."""
    if isinstance(table, PublicTable) or table.unit.column is None:
        return None, None
    column, through = table.unit.column, table.unit.through
    lone = column in table.columns and table.columns[column].unique
    owner, kind = Owner(column, lone=lone), types[column]
    if through is not None:
        way, held = people[through[0]], through[1]
        relation, known = snapshot_relation(connection, way.table, way.path)
        if kind is not known[held]:
            raise _types_differ(table, column, kind, f"{way.table.name}.{held}", known[held])
        owner, kind = Owner(column, (relation.source, held)), known[UNIT]
    for name, other in people.items():
        theirs = Type(_header_of(connection, other.table, other.path)["unit_type"])
        if theirs is not kind:
            raise _types_differ(table, column, kind, f"the unit of {name}", theirs)
    return owner, kind


def _types_differ(table: Table, column: str, kind: Type, what: str, other: Type) -> BadQuery:
    return BadQuery(
        "unit-type",
        f"{table.name}.{column} is {kind}, and {what} is {other}",
        why="the same people are compared across tables, so what names them must be of one type",
        fix=f'{toml_key(column)} = {{ type = "{other}" }}  under [tables.{table.name}.columns], then lapcat refresh {table.name}',
    )


def _require_unique(
    connection: duckdb.DuckDBPyConnection,
    patience: Patience,
    written: Relation,
    table: Table | PublicTable,
    source: Source,
) -> None:
    names = [spec.name for spec in table.columns.values() if spec.unique]
    if not names:
        return
    statement = repeats_statement(written, names, DUCKDB)
    counts = patience.run(connection, lambda: connection.execute(statement).fetchall())[0]
    for name, repeated in zip(names, counts, strict=True):
        if repeated:
            raise Refused(
                "key-not-unique",
                f"{table.name}.{name} is declared unique, and {repeated} rows repeat a value of another row",
                why="a row must meet at most one row by it, or nobody's part in an answer would be bounded",
                fix=f"remove the repetitions from {source.name}, or `unique = true` from {name} in lapcat.toml",
            )


def _require_one_block(
    connection: duckdb.DuckDBPyConnection, patience: Patience, written: Relation, table: Table | PublicTable
) -> None:
    """That nobody has rows in two blocks, where the budgets of blocks rest on it."""
    if isinstance(table, PublicTable) or table.blocks is None or not table.blocks.within:
        return
    statement = straddling_statement(written, table.blocks.column, DUCKDB)
    units = patience.run(connection, lambda: connection.execute(statement).fetchall())[0][0]
    if units:
        raise Refused(
            "unit-in-two-blocks",
            f"{table.name} says that each {table.unit} has rows in one {table.blocks.column}, and {units} have rows in several",
            why="each block has a budget of its own, and somebody in two blocks would pay from both; rows without a "
            f"{table.blocks.column} are a block too",
            fix=f"a unit column that names person and {table.blocks.column} together, or leave blocks out of "
            f"[tables.{table.name}]",
        )


def _header(table: Table | PublicTable, unit_type: Type | None, ready: Ready | None) -> str:
    """What a snapshot depends on."""
    written = {} if ready is None else ready.header()
    return json.dumps({**_declared(table), "unit_type": unit_type, "ready": written}, sort_keys=True)


def _ready(table: Table | PublicTable) -> Ready | None:
    """The integers that are written already weighed: for the limit and the bounds that are declared now."""
    return (
        declared_ready([*table.columns.values()], table.rows_per_unit) if isinstance(table, Table) else None
    )


def _declared(table: Table | PublicTable) -> dict[str, object]:
    unit = table.unit if isinstance(table, Table) else None
    return {
        "format": FORMAT,
        "unit": None if unit is None else unit.column,
        "through": None if unit is None or unit.through is None else list(unit.through),
        "columns": {name: spec.type for name, spec in table.columns.items()},
    }


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
    connection: duckdb.DuckDBPyConnection, table: Table | PublicTable, path: Path
) -> tuple[Relation, dict[str, Type]]:
    """The snapshot as a relation, and the types of its columns (also of UNIT, where rows have units); refused unless
    it was written for this declaration."""
    header = _header_of(connection, table, path)
    types = {name: Type(kind) for name, kind in header["columns"].items()}
    ranked = header["unit_type"] is not None
    if ranked:
        types[UNIT] = Type(header["unit_type"])
    now = _ready(table)
    ready = None if now is None else now.as_written(header["ready"])
    return Relation(parquet_file(str(real(path))), {}, typed=True, ranked=ranked, ready=ready), types


def _header_of(
    connection: duckdb.DuckDBPyConnection, table: Table | PublicTable, path: Path
) -> dict[str, Any]:
    import duckdb

    try:
        found = connection.execute(
            f"SELECT decode(value) FROM parquet_kv_metadata({quoted(str(real(path)))}) WHERE decode(key) = 'lapcat'"
        ).fetchall()
        header: dict[str, Any] = json.loads(found[0][0])
    except (duckdb.Error, OSError, IndexError, ValueError):
        raise EngineFailed(
            "snapshot-missing",
            f"the snapshot of {table.name} cannot be read",
            fix=f"lapcat refresh {table.name}",
        ) from None
    declared = _declared(table)
    if {key: header.get(key) for key in declared} != declared:
        raise BadQuery(
            "snapshot-stale",
            f"the snapshot of {table.name} was written for another declaration of its unit or columns",
            fix=f"lapcat refresh {table.name}",
        )
    return header


def size_in_place(source: Source) -> Size:
    """How many rows a source has that is read where it lies: each is a unit of its own."""
    with reading(source) as (connection, relation):
        rows, units = connection.execute(size_statement(relation, DUCKDB)).fetchall()[0]
    return Size(rows, units)


def check_rows(
    source: Source, table: Table | PublicTable, people: Mapping[str, Held] | None = None
) -> tuple[Finding, ...]:
    """How many rows fall outside the declared types, bounds, keys and limits; what no row breaks is left out."""
    people = people or {}
    with reading(source, *(real(held.path) for held in people.values())) as (connection, relation):
        types = declared_columns(table, relation.physical, source.name)
        owner, _ = _owner(connection, table, types, people)
        most = table.rows_per_unit if isinstance(table, Table) else 1
        statement, rules = check_statement(relation, types, [*table.columns.values()], owner, most, DUCKDB)
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
