"""Sources and snapshots for Spark: each becomes a temporary view of the session.

Spark's error messages quote the file, so none of them is passed on.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from lapcat.engines.base.cache_folder import require_private
from lapcat.engines.base.relation import SourceRelation
from lapcat.engines.base.snapshots import Opened, opened, snapshot_missing
from lapcat.engines.base.sources import Source
from lapcat.engines.spark.dialect import view
from lapcat.errors import BadQuery, EngineFailed, Error
from lapcat.plan.limits import DEFAULT_LIMITS
from lapcat.plan.schema import PublicTable, Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

HEADER, ROWS = "header.json", "rows"
"""A snapshot is a folder: its rows as Parquet files and, written last, the header."""


def show_source(spark: SparkSession, source: Source, name: str) -> SourceRelation:
    """A source as a view, with the names and types of its columns; reads no row."""
    frame = _folder(spark, source.path, source) if source.table is None else _table(spark, source)
    frame.createOrReplaceTempView(name)
    return SourceRelation(view(name), dict(frame.dtypes))


def _table(spark: SparkSession, source: Source) -> DataFrame:
    from pyspark.errors import AnalysisException

    assert source.table is not None
    parts = source.table.split(".")
    quoted = ".".join("`" + part.replace("`", "``") + "`" for part in parts)
    try:
        frame = spark.table(quoted)
        frame.schema  # noqa: B018 – Spark Connect resolves the table lazily
        return frame
    except AnalysisException:
        raise BadQuery(
            "source-table",
            f"Spark knows no table {source.table}",
            fix='source = "spark:DATABASE.TABLE" with a table that SHOW TABLES lists',
        ) from None


def _folder(spark: SparkSession, path: Path, source: Source) -> DataFrame:
    try:
        with_files = path.is_dir() and any(True for _ in path.rglob("*.parquet"))
    except OSError:
        with_files = False
    if not with_files:
        raise BadQuery(
            "source-unreadable",
            f"{source.name} is not a folder with readable Parquet files",
            fix=f"make sure that {source.path} exists and is readable, or correct source = … in lapcat.toml",
        )
    return parquet(spark, path)


def parquet(spark: SparkSession, path: Path) -> DataFrame:
    # A folder called year=2020 adds no column: only columns of the files are declared.
    literal = re.sub(
        r"([\\*?\[\]{}])", r"\\\1", address(path)
    )  # not a glob pattern, which might match other folders
    return spark.read.option("recursiveFileLookup", "true").parquet(literal)


def address(path: Path) -> str:
    """A path in Spark's form; characters are not escaped as in a URI."""
    return f"file://{path}"


def show_snapshot(
    spark: SparkSession,
    table: Table | PublicTable,
    path: Path,
    name: str,
    max_length: int = DEFAULT_LIMITS.max_length,
) -> Opened:
    """A snapshot as a view, and its column types. Refuses a snapshot written for another declaration."""
    require_private(path.parent)
    try:
        header = (path / HEADER).read_text(encoding="utf-8")
    except OSError:
        raise snapshot_missing(table) from None
    snapshot = opened(table, header, view(name), max_length)
    try:
        parquet(spark, path / ROWS).createOrReplaceTempView(name)
    except Exception:
        raise snapshot_missing(table) from None
    return snapshot


def broken(source: Source) -> Error:
    """The error for a source that Spark cannot read, without its content."""
    return EngineFailed(
        "source-broken",
        f"{source.name} is not a table that Spark can read",
        why="it is damaged, its format does not match its name, or Spark lacks permission to read it",
        fix="export it again from the original system, or ask the administrator of the cluster",
    )
