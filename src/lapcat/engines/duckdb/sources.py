"""Sources for DuckDB: their columns and physical types, and errors in them.

DuckDB's error messages quote the file, so none of them is passed on.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lapcat.engines.base.relation import SourceRelation
from lapcat.engines.base.sources import Source
from lapcat.engines.base.words import SQL
from lapcat.engines.duckdb.cells import read_cell
from lapcat.engines.duckdb.connection import connect
from lapcat.engines.duckdb.dialect import COLLATED, attached_table, csv_file, describe_statement, parquet_file
from lapcat.engines.duckdb.text_files import PlainCSV, broken_csv, plain_csv
from lapcat.errors import BadQuery, EngineFailed, Error

if TYPE_CHECKING:
    import duckdb


@contextmanager
def reading(
    source: Source, *others: Path, spill: Path | None = None
) -> Iterator[tuple[duckdb.DuckDBPyConnection, SourceRelation]]:
    """A connection that can read one source and open the files `others`, and the source's relation."""
    import duckdb

    require_file(source)
    with ExitStack() as held:
        folder = None if spill is None else spill.parent
        plain = held.enter_context(plain_csv(source, folder)) if source.is_text else None
        attach = {"source": real(source.path)} if source.kind == "duckdb" else {}
        file = [] if attach else [real(source.path) if plain is None else plain.path]
        try:
            connection = connect([*file, *others], attach=attach, spill=spill)
            held.callback(connection.close)
            yield connection, _csv(plain, source) if plain else source_relation(connection, source, "source")
        except duckdb.Error as problem:
            raise broken(source, problem) from None


def _csv(plain: PlainCSV, source: Source) -> SourceRelation:
    file = csv_file(str(plain.path), plain.names, plain.delimiter, plain.header)
    return SourceRelation(
        file, dict.fromkeys(plain.names, "VARCHAR"), read_cell=partial(read_cell, options=source.read)
    )


def real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def require_file(source: Source) -> None:
    """Refuses a file that is missing, unreadable or empty."""
    try:
        with source.path.open("rb") as file:
            if file.read(1):
                return
    except OSError as problem:
        raise BadQuery(
            "source-unreadable",
            f"{source.name} cannot be read: {problem.strerror}",
            fix=f"make sure that {source.path} exists and is readable, or correct source = … in lapcat.toml",
        ) from None
    raise EngineFailed(
        "source-empty", f"{source.name} is empty", fix="a header line at least, or a Parquet file"
    )


def source_relation(connection: duckdb.DuckDBPyConnection, source: Source, alias: str) -> SourceRelation:
    """The source as a FROM clause with its columns. `alias`: the name under which its database is attached."""
    import duckdb

    path = str(real(source.path))
    if source.kind == "parquet":
        file = parquet_file(path)
        return SourceRelation(file, physical_types(connection, file))
    assert source.table is not None
    table = attached_table(alias, source.schema, source.table)
    try:
        physical = physical_types(connection, table)
        if _may_collate(connection, alias, source):
            physical = {name: COLLATED if kind == "VARCHAR" else kind for name, kind in physical.items()}
        return SourceRelation(table, physical)
    except duckdb.CatalogException:
        raise BadQuery(
            "source-table",
            f"{source.path.name} has no table {source.table}",
            fix=f'source = "duckdb:{source.path.name}#TABLE" with a table that is in it',
        ) from None


def _may_collate(connection: duckdb.DuckDBPyConnection, alias: str, source: Source) -> bool:
    """Whether a column may have a collation. DESCRIBE does not show it; the table's definition does; a view's may not."""
    rows = connection.execute(
        "SELECT sql FROM duckdb_tables() WHERE database_name = ? AND schema_name = ? AND table_name = ?",
        [alias, source.schema, source.table],
    ).fetchall()
    return not rows or "collate" in str(rows[0][0]).casefold()


def physical_types(connection: duckdb.DuckDBPyConnection, source: SQL) -> dict[str, str]:
    """Column names and types, without the values of an ENUM, which are data."""
    rows = connection.execute(describe_statement(source)).fetchall()
    return {row[0]: re.sub(r"ENUM\(.*\)", "ENUM", row[1], flags=re.DOTALL) for row in rows}


def broken(source: Source, problem: Exception) -> Error:
    """The error for a source that DuckDB cannot read: at most the line and column, never the content."""
    import duckdb

    text = str(problem)
    if "Could not set lock" in text or "Unique file handle conflict" in text:
        return EngineFailed(
            "source-busy",
            f"{source.name} is open for writing in another process",
            fix="close it there, then try again",
        )
    if source.kind == "csv":
        return broken_csv(source)
    why = "it is damaged, or its format does not match its name"
    if isinstance(problem, (duckdb.ConversionException, duckdb.InvalidInputException)):
        why = "it is damaged, or a row holds an unreadable value: a timestamp out of range, or text that is not UTF-8"
    return EngineFailed(
        "source-broken",
        f"{source.name} cannot be read as {source.kind}",
        why=why,
        fix="export it again from the original system",
    )
