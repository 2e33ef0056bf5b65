"""The backend for tables on Spark. Snapshots are folders of Parquet files beside the catalogue.

On a cluster, all machines must see that folder under the same path (docs/howto/spark.md).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lapcat.engines.base.backend import (
    Backend,
    Engine,
    HeldSnapshot,
    OpenTable,
    Progress,
    RuleViolation,
    Settings,
    Size,
)
from lapcat.engines.base.cache_folder import (
    CACHE,
    StoredSnapshot,
    new_folder,
    private_folder,
    remove,
    stored_in,
)
from lapcat.engines.base.public_columns import PublicColumns, read_columns
from lapcat.engines.base.relation import SourceRelation, declared_type
from lapcat.engines.base.snapshots import (
    declared_columns,
    findings,
    header_of,
    owner_of,
    proposed_types,
    ready_for,
    require_fit,
    size_of,
)
from lapcat.engines.base.sources import Source
from lapcat.engines.base.steward import typed_statement
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


class SparkBackend:
    """Tables of Spark's catalogue, and folders of Parquet files."""

    def name(self) -> str:
        import pyspark

        return f"spark by pyspark {pyspark.__version__}"

    def version(self, source: Source) -> str:
        return f"spark {version(source.cluster)}"

    def describe(self, source: Source) -> Mapping[str, str]:
        with _reading(source) as (_, relation):
            return relation.physical

    def declared_type(self, physical: str) -> Type:
        return declared_type(physical, SPARK) or Type.TEXT

    def require_columns(self, table: Table | PublicTable, physical: Mapping[str, str], where: str) -> None:
        declared_columns(table, physical, where, SPARK)

    def snapshot(self, folder: Path, stem: str) -> Path:
        return folder / CACHE / f"{stem}.spark"

    def stored_in(self, source: Source, folder: Path) -> tuple[str, Sequence[StoredSnapshot]]:
        return CACHE, stored_in(folder / CACHE)

    def has_snapshot(self, source: Source, path: Path) -> bool:
        return (path / HEADER).exists()

    def remove_snapshot(self, source: Source, path: Path) -> None:
        remove(path)

    def write_snapshot(
        self,
        source: Source,
        table: Table | PublicTable,
        path: Path,
        key: bytes,
        progress: Progress,
        people: Mapping[str, HeldSnapshot],
        max_length: int = DEFAULT_LIMITS.max_length,
    ) -> Size:
        private_folder(path.parent)
        unfinished = path.parent / f".{path.name}.{os.getpid()}.part"
        with new_folder(unfinished):
            with _reading(source) as (spark, stored):
                relation = replace(stored, max_length=max_length)
                size = _write(spark, relation, source, table, unfinished, key, people)
            remove(path)
            os.replace(unfinished, path)
        progress(1.0)
        return size

    def check_rows(
        self,
        source: Source,
        table: Table | PublicTable,
        people: Mapping[str, HeldSnapshot],
        max_length: int = DEFAULT_LIMITS.max_length,
    ) -> Sequence[RuleViolation]:
        with _reading(source) as (spark, stored):
            relation = replace(stored, max_length=max_length)
            types = declared_columns(table, relation.physical, source.name, SPARK)
            owner, _ = owner_of(table, types, _tables(people), _snapshots(spark, people))
            return findings(relation, types, table, owner, SPARK, lambda sql: _one_row(spark, sql))

    def propose_types(self, source: Source) -> Mapping[str, Type]:
        return proposed_types(self.describe(source), SPARK)

    def read_columns(self, source: Source, max_length: int) -> PublicColumns:
        with _reading(source) as (spark, stored):
            relation = replace(stored, max_length=max_length)
            types = proposed_types(relation.physical, SPARK)
            return read_columns(relation, types, SPARK, lambda sql: _rows(spark, sql))

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

    def drop_fixture(self, source: Source) -> None: ...

    def open(self, tables: Mapping[str, OpenTable], settings: Settings) -> Engine:
        return SparkEngine(tables, settings.max_length)


BACKEND: Backend = SparkBackend()


@contextmanager
def _reading(source: Source) -> Iterator[tuple[SparkSession, SourceRelation]]:
    """A session with a view of one source, and its relation."""
    spark = session(source.cluster)
    try:
        with quiet():
            yield spark, show_source(spark, source, "lapcat_source")
    except Error:
        raise
    except Exception:
        raise broken(source) from None
    finally:
        close(spark)


def _tables(people: Mapping[str, HeldSnapshot]) -> dict[str, Table]:
    return {name: held.table for name, held in people.items()}


def _snapshots(spark: SparkSession, people: Mapping[str, HeldSnapshot]) -> Any:
    places = {name: position for position, name in enumerate(people)}
    return lambda name: show_snapshot(
        spark, people[name].table, people[name].path, f"lapcat_people_{places[name]}"
    )


def _write(
    spark: SparkSession,
    relation: SourceRelation,
    source: Source,
    table: Table | PublicTable,
    folder: Path,
    key: bytes,
    people: Mapping[str, HeldSnapshot],
) -> Size:
    types = declared_columns(table, relation.physical, source.name, SPARK)
    owner, kind = owner_of(table, types, _tables(people), _snapshots(spark, people))
    ready = ready_for(table)
    hold(spark, secret(key), "lapcat_key")
    held = the_value("value", view("lapcat_key"))
    rows = typed_statement(relation, types, list(table.columns), owner, held, SPARK, ready)
    try:
        _save(spark, spark.sql(rows), folder / ROWS)
    except Exception:
        if not _can_save(spark, folder / "probe"):
            raise _elsewhere(table) from None
        raise
    if not any((folder / ROWS).glob("*.parquet")):
        raise _elsewhere(table)
    parquet(spark, folder / ROWS).createOrReplaceTempView("lapcat_written")
    written = SourceRelation(view("lapcat_written"), ranked=owner is not None)
    require_fit(written, table, source.name, SPARK, lambda sql: _one_row(spark, sql))
    size = size_of(written, SPARK, lambda sql: _one_row(spark, sql))
    assert relation.max_length is not None
    (folder / HEADER).write_text(header_of(table, kind, ready, relation.max_length), encoding="utf-8")
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


def _one_row(spark: SparkSession, statement: str) -> Sequence[Any]:
    return _rows(spark, statement)[0]


def _rows(spark: SparkSession, statement: str) -> Sequence[Sequence[Any]]:
    return SparkStatements().run(spark, lambda: [tuple(row) for row in spark.sql(statement).collect()])
