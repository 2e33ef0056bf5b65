"""Engines on a bench: the same rows held by each, and what it may be asked about them.

A later engine is one more class here and one more name in `BENCHES`; whatever takes the fixture `bench` then runs on it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

import pyarrow.parquet as pq
import pytest
from sqlglot import exp

from lapcat.engines.backends import parse_source
from lapcat.engines.base.dialect import Dialect
from lapcat.engines.base.engine import HeldSnapshot, OpenTable, Settings
from lapcat.engines.base.expressions import Writer, in_base
from lapcat.engines.base.snapshots import Opened
from lapcat.engines.base.words import column, named, select, steps, table
from lapcat.engines.duckdb.dialect import DUCKDB
from lapcat.engines.duckdb.engine import DuckDBEngine
from lapcat.engines.duckdb.snapshots import write_snapshot
from lapcat.engines.postgres.connection import in_session
from lapcat.engines.postgres.dialect import POSTGRES
from lapcat.engines.postgres.engine import PostgresEngine
from lapcat.engines.spark.dialect import SPARK
from lapcat.engines.spark.engine import SparkEngine
from lapcat.plan.expressions import Expression
from lapcat.plan.schema import PublicTable, Table, Type
from tests.engines.holding import KEY, arrow
from tests.engines.on_postgres import on_the_way, without_nul
from tests.engines.on_postgres import opened as postgres_over
from tests.engines.on_spark import opened as spark_over
from tests.postgres_cluster import Cluster

Rows = Sequence[Mapping[str, object]]
Tables = Mapping[str, tuple[Rows, Table | PublicTable, Mapping[str, Type]]]
"""By their names: rows, what is declared of them, and the types of their columns; each after the one on its way."""
T = TypeVar("T")


class Bench(ABC):
    """How an engine holds rows, and what it may be asked about them."""

    dialect: Dialect

    def fitted(self, value: T) -> T:
        """A row, a table or a plan that the engine can hold."""
        return value

    def enough(self, test: str, examples: int) -> bool:
        """Whether a test of random examples has asked often enough."""
        return False

    @abstractmethod
    def over(self, tables: Tables) -> Any:
        """The engine over these tables."""

    @abstractmethod
    def values(self, engine: Any, name: str, expressions: Sequence[Expression]) -> list[list[object]]:
        """For each expression its value on every row of a table."""


class DuckDBBench(Bench):
    """Parquet files and their snapshots."""

    dialect = DUCKDB

    def __init__(self, folder: Path) -> None:
        self._folder, self._made = folder, 0

    def over(self, tables: Tables) -> DuckDBEngine:
        self._made += 1
        folder = self._folder / str(self._made)
        folder.mkdir(mode=0o700)  # it holds snapshots
        open_tables: dict[str, OpenTable] = {}
        people: dict[str, HeldSnapshot] = {}
        for name, (rows, declared, types) in tables.items():
            pq.write_table(arrow(rows, types), folder / f"{name}.parquet")
            source, path = parse_source(f"{name}.parquet", folder), folder / f"{name}.1.parquet"
            write_snapshot(source, declared, path, KEY, people=on_the_way(declared, people))
            open_tables[name] = OpenTable(declared, source, path)
            if isinstance(declared, Table):
                people[name] = HeldSnapshot(declared, path)
        return DuckDBEngine(open_tables, threads=2)

    def values(
        self, engine: DuckDBEngine, name: str, expressions: Sequence[Expression]
    ) -> list[list[object]]:
        sql = rowwise(engine._open(name), expressions, self.dialect)
        return by_column(engine._cursor().execute(sql).fetchall(), len(expressions))


class PostgresBench(Bench):
    """Tables of a server and their snapshots."""

    dialect = POSTGRES

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def fitted(self, value: T) -> T:
        return without_nuls(value)

    def over(self, tables: Tables) -> PostgresEngine:
        return postgres_over(self._cluster, tables)

    def values(
        self, engine: PostgresEngine, name: str, expressions: Sequence[Expression]
    ) -> list[list[object]]:
        def work(connection: Any) -> list[list[object]]:
            sql = rowwise(engine._open(connection, name), expressions, self.dialect)
            return by_column(connection.execute(sql.encode()).fetchall(), len(expressions))

        return in_session(engine._tables[name].source, Settings(), work)


class SparkBench(Bench):
    """Folders of Parquet files and their snapshots."""

    dialect = SPARK

    def __init__(self, folder: Path) -> None:
        self._folder, self._made = folder, 0
        self._asked: Counter[str] = Counter()

    def enough(self, test: str, examples: int) -> bool:
        """A statement takes Spark most of a second, whatever it reads: a few examples in CI, and all of them in `slow`."""
        self._asked[test] += 1
        return self._asked[test] > examples

    def over(self, tables: Tables) -> SparkEngine:
        self._made += 1
        return spark_over(self._folder / str(self._made), tables)

    def values(self, engine: SparkEngine, name: str, expressions: Sequence[Expression]) -> list[list[object]]:
        sql = rowwise(engine._open(name), expressions, self.dialect)
        return by_column(engine._connected().sql(sql).collect(), len(expressions))


BENCHES = ("duckdb", "postgresql", "spark")


def bench_of(name: str, request: pytest.FixtureRequest, folder: Path) -> Bench:
    match name:
        case "postgresql":
            return PostgresBench(request.getfixturevalue("cluster"))
        case "spark":
            request.getfixturevalue("spark")
            return SparkBench(folder)
        case _:
            return DuckDBBench(folder)


def without_nuls(value: Any) -> Any:
    """A row, a table or a plan without the character NUL, which a text of PostgreSQL cannot hold."""
    if isinstance(value, str) and not isinstance(value, Enum):
        return without_nul(value)
    if isinstance(value, (list, tuple)):
        return type(value)(without_nuls(item) for item in value)
    if isinstance(value, dict):
        return {name: without_nuls(item) for name, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value, **{f.name: without_nuls(getattr(value, f.name)) for f in fields(value) if f.init}
        )
    return value


def rowwise(opened: Opened, expressions: Sequence[Expression], dialect: Dialect) -> str:
    """SQL for the value of each expression on every row, in the order of the column n: a sharper eye than sums."""
    relation, types = opened
    writer = Writer(dialect, types)
    codes = [writer.clean(expression) for expression in expressions]
    outputs = [named(column(n), in_base(n)) for n in types]
    before = [("base", select(*outputs, source=relation.source.copy()))]
    for position, names in enumerate(writer.steps):
        new = [named(sql, alias) for alias, sql in names.items()]
        step = dialect.named_step(select(exp.Star(), *new, source=table(before[-1][0])))
        before.append((f"step{position}", step))
    shown = [named(code.sql, f"v{position}") for position, code in enumerate(codes)]
    statement = select(*shown, source=table(before[-1][0])).order_by(column(in_base("n")))
    return dialect.printed(steps(statement, before, dialect.materialized))


def by_column(rows: Sequence[Sequence[object]], width: int) -> list[list[object]]:
    return [list(cells) for cells in zip(*rows, strict=True)] if rows else [[] for _ in range(width)]
