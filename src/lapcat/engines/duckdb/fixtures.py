"""Fixture rows in files, for the demo and for audits."""

from __future__ import annotations

import csv
import math
import struct
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb

from lapcat.plan.schema import SQL_TYPES, Type
from lapcat.plan.words import sql_name


def write_fixture_file(
    columns: Mapping[str, Sequence[object]], types: Mapping[str, Type], path: Path
) -> None:
    """Writes a Parquet file with these columns in their declared types, whose column statistics leave NaN out.

    DuckDB writes no statistics for a column with NaN; most other writers do, over the numbers alone. To imitate them, NaN is
    replaced by a number between two others, whose bytes are exchanged for NaN afterwards.
    """
    stand_ins = {
        name: _between(values, columns) for name, values in columns.items() if any(map(_is_nan, values))
    }
    known = {name: value for name, value in stand_ins.items() if value is not None}
    held = {
        name: [known[name] if name in known and _is_nan(x) else x for x in values]
        for name, values in columns.items()
    }
    with duckdb.connect() as connection:
        _create(connection, "made", held, types)
        connection.table("made").write_parquet(str(path), compression="uncompressed")
    written = path.read_bytes()
    for value in known.values():
        written = written.replace(struct.pack("<d", value), struct.pack("<d", math.nan))
    path.write_bytes(written)


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _between(values: Sequence[object], columns: Mapping[str, Sequence[object]]) -> float | None:
    """A number between two of `values` whose bytes no number of a column has, or None."""
    numbers = [x for column in columns.values() for x in column if isinstance(x, int | float)]
    whole = (x for x in numbers if isinstance(x, int) and x.bit_length() < 64)
    held = {struct.pack("<d", x) for x in numbers} | {struct.pack("<q", x) for x in whole}
    finite = sorted(x for x in values if isinstance(x, float) and math.isfinite(x))
    inner = (low + (high - low) * part for low, high in pairwise(finite) for part in (0.5, 0.3, 0.7))
    return next((x for x in inner if finite[0] < x < finite[-1] and struct.pack("<d", x) not in held), None)


def _create(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    columns: Mapping[str, Sequence[object]],
    types: Mapping[str, Type],
) -> None:
    listed = ", ".join(
        f"unnest(${index}::{SQL_TYPES[types[name]]}[]) AS {sql_name(name)}"
        for index, name in enumerate(columns, 1)
    )
    connection.execute(
        f"CREATE TABLE {sql_name(table)} AS SELECT {listed}", [list(values) for values in columns.values()]
    )


def plain_rows(
    text: str, tables: Mapping[str, Sequence[Mapping[str, object]]], types: Mapping[str, Mapping[str, Type]]
) -> list[dict[str, Any]]:
    """The result of plain SQL over fixture rows: no privacy unit, no bounds, no noise."""
    with duckdb.connect() as connection:
        for name, rows in tables.items():
            columns = {column: [row[column] for row in rows] for column in types[name]}
            _create(connection, name, columns, types[name])
        result = connection.execute(text)
        names = [column[0] for column in result.description or ()]
        return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def write_texts(columns: Mapping[str, Sequence[object]], path: Path) -> None:
    """Writes the columns as a CSV file; NULL is an empty cell."""
    with path.open("w", newline="", encoding="utf-8") as file:
        written = csv.writer(file)
        written.writerow(columns)
        written.writerows(
            ["" if x is None else x for x in row] for row in zip(*columns.values(), strict=True)
        )
