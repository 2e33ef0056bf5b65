"""Ways to hold the same rows in files and frames, and DuckDB over each; other engines are in benches.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from lapcat.core.release import Integers
from lapcat.engines.backends import parse_source
from lapcat.engines.base.engine import OpenTable
from lapcat.engines.duckdb.engine import DuckDBEngine, open_frame
from lapcat.engines.duckdb.snapshots import write_snapshot
from lapcat.engines.reference import ReferenceEngine, index_by_column
from lapcat.engines.values import coerce
from lapcat.plan.nodes import Group, Kind, Scan, Statistic
from lapcat.plan.schema import ColumnSpec, Relation, SpendingLimit, Table, Type, Unit
from lapcat.testing.reveal import reveal

KEY = bytes(range(32))
Rows = Sequence[Mapping[str, object]]

ARROW = {
    Type.INTEGER: pa.int64(),
    Type.FLOAT: pa.float64(),
    Type.TEXT: pa.string(),
    Type.BOOLEAN: pa.bool_(),
    Type.DATE: pa.date32(),
    Type.TIMESTAMP: pa.timestamp("us"),
}


def declared(types: Mapping[str, Type], unit: str | None = None, name: str = "t") -> Table:
    columns = {column: ColumnSpec(column, kind) for column, kind in types.items()}
    return Table(
        name, name, Unit(unit), Relation.ADD_REMOVE, SpendingLimit(Fraction(1)), columns, rows_per_unit=3
    )


def scan(table: Table) -> Scan:
    return Scan(table.name, table.source, 1, table.unit, table.relation, table.units)


def arrow(rows: Rows, types: Mapping[str, Type]) -> pa.Table:
    """The rows with the declared types as physical ones; NaN stays NaN."""
    arrays = {
        name: pa.array([row[name] for row in rows], type=ARROW[kind], from_pandas=False)
        for name, kind in types.items()
    }
    return pa.table(arrays)


def reference(rows: Rows, table: Table) -> ReferenceEngine:
    unit = table.unit.column
    types = {name: spec.type for name, spec in table.columns.items()}
    ranks = {} if unit is None else {table.name: index_by_column(rows, unit, types, KEY)}
    return ReferenceEngine({table.name: rows}, ranks)


def parquet(rows: Rows, table: Table, folder: Path) -> DuckDBEngine:
    types = {name: spec.type for name, spec in table.columns.items()}
    pq.write_table(arrow(rows, types), folder / "t.parquet", row_group_size=64)
    return from_file("t.parquet", table, folder)


def database(rows: Rows, table: Table, folder: Path) -> DuckDBEngine:
    data = arrow(rows, {name: spec.type for name, spec in table.columns.items()})
    connection = duckdb.connect(str(folder / "t.db"))
    connection.register("data", data)
    connection.execute('CREATE TABLE "held" AS SELECT * FROM data')
    connection.close()
    return from_file("duckdb:t.db#held", table, folder)


def csv(rows: Rows, table: Table, folder: Path) -> DuckDBEngine:
    def cell(value: object) -> str:
        if value is None:
            return ""
        if isinstance(value, bool):
            return "true" if value else "false"
        return '"' + value.replace('"', '""') + '"' if isinstance(value, str) else str(value)

    lines = [",".join(cell(name) for name in table.columns)]
    lines += [",".join(cell(row[name]) for name in table.columns) for row in rows]
    (folder / "t.csv").write_bytes(("\n".join(lines) + "\n").encode())
    return from_file("t.csv", table, folder)


def from_file(source_text: str, table: Table, folder: Path) -> DuckDBEngine:
    """By a snapshot, which is all that is ever read."""
    source, snapshot = parse_source(source_text, folder), folder / "cache" / f"{table.name}.1.parquet"
    write_snapshot(source, table, snapshot, KEY)
    return DuckDBEngine({table.name: OpenTable(table, source, snapshot)}, threads=2)


def frame(build: Callable[[pa.Table], Any]) -> Callable[[Rows, Table, Path], DuckDBEngine]:
    def hold(rows: Rows, table: Table, folder: Path) -> DuckDBEngine:
        data = arrow(rows, {name: spec.type for name, spec in table.columns.items()})
        return open_frame(build(data), table, KEY)[0]

    return hold


def as_objects(data: pa.Table) -> pd.DataFrame:
    """A frame of Python objects, as one gets from a list of dicts."""
    return pd.DataFrame({name: pd.Series(data[name].to_pylist(), dtype=object) for name in data.column_names})


WAYS: dict[str, Callable[[Rows, Table, Path], Any]] = {
    "parquet": parquet,
    "duckdb file": database,
    "csv": csv,
    "pandas": frame(lambda data: data.to_pandas(integer_object_nulls=True)),
    "pandas objects": frame(as_objects),
    "polars": frame(pl.from_arrow),
    "arrow": frame(lambda data: data),
}


def looked(engine: Any, plan: Group) -> Integers:
    return reveal(engine.execute(plan))


def fits_text(row: Mapping[str, object]) -> bool:
    """Whether a CSV can say the row: texts have at most 18 digits for an integer."""
    return all(
        coerce(str(value), Type.INTEGER) == value
        for value in row.values()
        if isinstance(value, int) and not isinstance(value, bool)
    )


def all_rows(name: str) -> Group:
    """How many rows a table has: the plainest question about it."""
    scan = Scan(name, name, 1, Unit(), Relation.ADD_REMOVE, None)
    return Group(scan, (), (Statistic(Kind.ROWS),))
