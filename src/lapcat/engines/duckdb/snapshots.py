"""Snapshots that DuckDB writes and reads.

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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lapcat.engines.base.cache_folder import new_file, private_folder, require_private
from lapcat.engines.base.engine import NOBODY, HeldSnapshot, Progress, Size, no_progress
from lapcat.engines.base.relation import SourceRelation
from lapcat.engines.base.snapshots import Opened, OpenSource, content_of, opened, snapshot_missing
from lapcat.engines.base.sources import Source
from lapcat.engines.duckdb.connection import DuckDBStatements, quoted
from lapcat.engines.duckdb.dialect import DUCKDB, parquet_file, short_texts
from lapcat.engines.duckdb.sources import reading, real
from lapcat.plan.limits import DEFAULT_LIMITS
from lapcat.plan.schema import PublicTable, Table

if TYPE_CHECKING:
    import duckdb

PAGE_BYTES = 2**20
"""Maximum size of a column page. A reader holds a page in memory and cannot spill it, so pages of long texts must be small; pages of
numbers are smaller anyway."""


@contextmanager
def opened_source(
    source: Source,
    people: Mapping[str, HeldSnapshot] = NOBODY,
    *others: Path,
    spill: Path | None = None,
) -> Iterator[tuple[duckdb.DuckDBPyConnection, OpenSource]]:
    """A connection that can read one source and open the snapshots of `people` and the files `others`."""
    statements = DuckDBStatements()
    files = [*others, *(real(held.path) for held in people.values())]
    with contextlib.closing(statements), reading(source, *files, spill=spill) as (connection, relation):
        yield (
            connection,
            OpenSource(
                relation,
                lambda sql: statements.run(connection, lambda: connection.execute(sql).fetchall()),
                lambda held: snapshot_relation(connection, held.table, held.path),
            ),
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
    """Reads the source and writes the snapshot. A source with a text that is too long is read a second time."""
    import duckdb

    private_folder(path.parent)
    unfinished = real(path.parent) / f".{path.name}.{os.getpid()}.part"
    spill = real(path.parent) / f".{path.name}.{os.getpid()}.spill"
    statements = DuckDBStatements()
    with new_file(unfinished), contextlib.ExitStack() as afterwards:
        afterwards.callback(shutil.rmtree, spill, ignore_errors=True)
        afterwards.callback(statements.close)
        with opened_source(source, people, unfinished, spill=spill) as (connection, stored):
            content = content_of(stored, source, table, people, DUCKDB)
            header = quoted(content.header(max_length))

            def write(relation: SourceRelation) -> None:
                copy = (
                    f"COPY ({content.statement(relation, key)}) TO {quoted(str(unfinished))} (FORMAT parquet, USE_TMP_FILE false,"
                    f" DATA_PAGE_SIZE_LIMIT {PAGE_BYTES}, KV_METADATA {{lapcat: {header}}})"
                )
                statements.run(
                    connection,
                    lambda: connection.execute(copy),
                    lambda: progress(min(1.0, max(0.0, connection.query_progress() / 100))),
                )

            try:
                write(short_texts(stored.relation, content.types, max_length))
            except duckdb.InvalidInputException:
                write(stored.short(max_length))
            size = content.checked(parquet_file(str(unfinished)), stored.row)
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
