"""The same rows in folders of Parquet files, each with a snapshot of Spark's, and the engine over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow.parquet as pq

from lapcat.engines.backends import parse_source
from lapcat.engines.base.engine import HeldSnapshot, OpenTable
from lapcat.engines.base.sources import ANY_CLUSTER, Source
from lapcat.engines.spark.backend import BACKEND
from lapcat.engines.spark.engine import SparkEngine
from lapcat.plan.schema import Cluster, PublicTable, Table, Type
from tests.engines.holding import KEY, arrow
from tests.engines.on_postgres import on_the_way

Rows = Sequence[Mapping[str, object]]


def put(
    folder: Path, name: str, rows: Rows, types: Mapping[str, Type], cluster: Cluster = ANY_CLUSTER
) -> Source:
    """A folder with these rows in two files, as lapcat sees it."""
    place = folder / name
    place.mkdir(parents=True)
    data, half = arrow(rows, types), (len(rows) + 1) // 2
    pq.write_table(data.slice(0, half), place / "a.parquet", row_group_size=64)
    pq.write_table(data.slice(half), place / "b.parquet", row_group_size=64)
    return parse_source(f"spark:{place}/", folder, cluster)


def opened(
    folder: Path,
    tables: Mapping[str, tuple[Rows, Table | PublicTable, Mapping[str, Type]]],
    cluster: Cluster = ANY_CLUSTER,
) -> SparkEngine:
    """An engine over several tables, each after the one through which its units are reached."""
    people: dict[str, HeldSnapshot] = {}
    open_tables: dict[str, OpenTable] = {}
    for name, (rows, table, types) in tables.items():
        source = put(folder, name, rows, types, cluster)
        path = BACKEND.snapshot(folder, f"{name}.1")
        BACKEND.write_snapshot(source, table, path, KEY, lambda fraction: None, on_the_way(table, people))
        if isinstance(table, Table):
            people[name] = HeldSnapshot(table, path)
        open_tables[name] = OpenTable(table, source, path)
    return SparkEngine(open_tables)


def spark(rows: Rows, table: Table, folder: Path) -> SparkEngine:
    """An engine over one table."""
    types = {name: spec.type for name, spec in table.columns.items()}
    return opened(folder, {table.name: (rows, table, types)})
