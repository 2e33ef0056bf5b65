"""Made-up rows in a Parquet file: for the demo, and for audits, whose rows are about nobody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

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
        listed = ", ".join(
            f'unnest(${index}::{PHYSICAL[types[name]]}[]) AS "{name}"'
            for index, name in enumerate(columns, 1)
        )
        connection.execute(
            f"CREATE TABLE made AS SELECT {listed}", [list(values) for values in columns.values()]
        )
        connection.table("made").write_parquet(str(path))
