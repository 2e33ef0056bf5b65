"""The backend for tables on Spark. Snapshots are folders of Parquet files beside the catalogue.

On a cluster, all machines must see that folder under the same path (docs/howto/spark.md).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lapcat.engines.base.backend import Backend
from lapcat.engines.base.cache_folder import new_folder, private_folder, remove
from lapcat.engines.base.engine import (
    NOBODY,
    Engine,
    HeldSnapshot,
    OpenTable,
    Progress,
    Settings,
    Size,
    no_progress,
)
from lapcat.engines.base.snapshots import OpenSource, SnapshotContent, content_of
from lapcat.engines.base.sources import Source
from lapcat.engines.base.words import the_value
from lapcat.engines.conformance import check
from lapcat.engines.operators import OperatorMeaning
from lapcat.engines.spark.dialect import SPARK, view
from lapcat.engines.spark.engine import SparkEngine, fixture_figures
from lapcat.engines.spark.session import SparkStatements, close, hold, quiet, session, version
from lapcat.engines.spark.sources import HEADER, ROWS, address, broken, parquet, show_snapshot, show_source
from lapcat.engines.values import secret
from lapcat.errors import EngineFailed, Error
from lapcat.plan.limits import DEFAULT_LIMITS
from lapcat.plan.schema import PublicTable, Table, Type

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

T = TypeVar("T")


class SparkBackend(Backend):
    """Tables of Spark's catalogue, and folders of Parquet files."""

    dialect = SPARK
    suffix = ".spark"
    is_slow = True

    def name(self) -> str:
        import pyspark

        return f"spark by pyspark {pyspark.__version__}"

    def version(self, source: Source) -> str:
        return f"spark {version(source.cluster)}"

    def read(
        self, source: Source, work: Callable[[OpenSource], T], people: Mapping[str, HeldSnapshot] = NOBODY
    ) -> T:
        with _opened_source(source) as (_, stored):
            return work(stored)

    def has_snapshot(self, source: Source, path: Path) -> bool:
        return (path / HEADER).exists()

    def write_snapshot(
        self,
        source: Source,
        table: Table | PublicTable,
        path: Path,
        key: bytes,
        progress: Progress = no_progress,
        people: Mapping[str, HeldSnapshot] = NOBODY,
        max_length: int = DEFAULT_LIMITS.max_length,
    ) -> Size:
        private_folder(path.parent)
        unfinished = path.parent / f".{path.name}.{os.getpid()}.part"
        with new_folder(unfinished):
            with _opened_source(source) as (spark, stored):
                content = content_of(stored, source, table, people, SPARK)
                size = _write(spark, stored, content, unfinished, key, max_length)
            remove(path)
            os.replace(unfinished, path)
        progress(1.0)
        return size

    def probe(self, source: Source, progress: Progress) -> Sequence[OperatorMeaning]:
        spark = session(source.cluster)
        try:
            return check(lambda plan, tables: fixture_figures(spark, plan, tables), SPARK, progress)
        finally:
            close(spark)

    def write_fixture(
        self,
        columns: Mapping[str, Sequence[object]],
        types: Mapping[str, Type],
        folder: Path,
        name: str,
        like: Source,
    ) -> str:
        from lapcat.engines.duckdb.fixtures import write_fixture_file

        (folder / name).mkdir()
        write_fixture_file(columns, types, folder / name / "made.parquet")
        return f"spark:{folder / name}/"

    def open(self, tables: Mapping[str, OpenTable], settings: Settings) -> Engine:
        return SparkEngine(tables, settings.max_length)


BACKEND: Backend = SparkBackend()


@contextmanager
def _opened_source(source: Source) -> Iterator[tuple[SparkSession, OpenSource]]:
    """A session with a view of one source."""
    spark, numbers = session(source.cluster), count()
    try:
        with quiet():
            yield (
                spark,
                OpenSource(
                    show_source(spark, source, "lapcat_source"),
                    lambda sql: _rows(spark, sql),
                    lambda held: show_snapshot(
                        spark, held.table, held.path, f"lapcat_people_{next(numbers)}"
                    ),
                ),
            )
    except Error:
        raise
    except Exception:
        raise broken(source) from None
    finally:
        close(spark)


def _write(
    spark: SparkSession,
    stored: OpenSource,
    content: SnapshotContent,
    folder: Path,
    key: bytes,
    max_length: int,
) -> Size:
    hold(spark, secret(key), "lapcat_key")
    rows = content.statement(stored.short(max_length), the_value("value", view("lapcat_key")))
    try:
        _save(spark, spark.sql(rows), folder / ROWS)
    except Exception:
        if not _can_save(spark, folder / "probe"):
            raise _elsewhere(content.table) from None
        raise
    if not any((folder / ROWS).glob("*.parquet")):
        raise _elsewhere(content.table)
    parquet(spark, folder / ROWS).createOrReplaceTempView("lapcat_written")
    size = content.checked(view("lapcat_written"), stored.row)
    (folder / HEADER).write_text(content.header(max_length), encoding="utf-8")
    return size


def _save(spark: SparkSession, frame: DataFrame, folder: Path) -> None:
    SparkStatements().run(spark, lambda: frame.write.parquet(address(folder)))


def _can_save(spark: SparkSession, folder: Path) -> bool:
    """Whether Spark can write to the folder at all, tested with a fixture after writing a table failed."""
    try:
        _save(spark, spark.range(1).toDF("n"), folder)
    except Exception:
        return False
    return any(folder.glob("*.parquet"))


def _elsewhere(table: Table | PublicTable) -> EngineFailed:
    return EngineFailed(
        "snapshot-elsewhere",
        f"the cluster cannot write the snapshot of {table.name} to a folder that this machine sees",
        why="each machine of the cluster writes to its own disk unless the folder is shared; only its owner can open it, so "
        "Spark must run as that user",
        fix="move the catalogue's folder to storage that all machines of the cluster see under the same path, and run lapcat as "
        "the user who runs Spark",
    )


def _rows(spark: SparkSession, statement: str) -> Sequence[Sequence[Any]]:
    return SparkStatements().run(spark, lambda: [tuple(row) for row in spark.sql(statement).collect()])
