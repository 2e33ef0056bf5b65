"""Made-up rows in files: for the demo, and for audits, whose rows are about nobody."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from lapcat.plan.schema import Type

PHYSICAL = {
    Type.INTEGER: "BIGINT",
    Type.FLOAT: "DOUBLE",
    Type.TEXT: "VARCHAR",
    Type.BOOLEAN: "BOOLEAN",
    Type.DATE: "DATE",
    Type.TIMESTAMP: "TIMESTAMP",
}


def write_made_up(columns: Mapping[str, Sequence[object]], types: Mapping[str, Type], path: Path) -> None:
    """A Parquet file with these columns, each of its declared type."""
    with duckdb.connect() as connection:
        _create(connection, "made", columns, types)
        connection.table("made").write_parquet(str(path))


def _create(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    columns: Mapping[str, Sequence[object]],
    types: Mapping[str, Type],
) -> None:
    listed = ", ".join(
        f'unnest(${index}::{PHYSICAL[types[name]]}[]) AS "{name}"' for index, name in enumerate(columns, 1)
    )
    connection.execute(
        f'CREATE TABLE "{table}" AS SELECT {listed}', [list(values) for values in columns.values()]
    )


def plain_rows(
    text: str, tables: Mapping[str, Sequence[Mapping[str, object]]], types: Mapping[str, Mapping[str, Type]]
) -> list[dict[str, Any]]:
    """What plain SQL says of made-up rows: without a unit, a bound or noise."""
    with duckdb.connect() as connection:
        for name, rows in tables.items():
            columns = {column: [row[column] for row in rows] for column in types[name]}
            _create(connection, name, columns, types[name])
        found = connection.execute(text)
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def write_texts(columns: Mapping[str, Sequence[object]], path: Path) -> None:
    """The same as a CSV file; NULL is nothing between two commas."""
    with path.open("w", newline="", encoding="utf-8") as file:
        written = csv.writer(file)
        written.writerow(columns)
        written.writerows(
            ["" if x is None else x for x in row] for row in zip(*columns.values(), strict=True)
        )
