"""The world without lapcat, for `lapcat demo`: a file is written and asked about exactly, by plain DuckDB.

The only place outside its engine that knows DuckDB; nothing but the demo's made-up people passes through it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def write_parquet(columns: Mapping[str, Sequence[object]], path: Path) -> None:
    """A Parquet file with these columns."""
    import duckdb

    with duckdb.connect() as connection:
        listed = ", ".join(f'unnest(${index}) AS "{name}"' for index, name in enumerate(columns, 1))
        connection.execute(
            f"CREATE TABLE made AS SELECT {listed}", [list(values) for values in columns.values()]
        )
        connection.table("made").write_parquet(str(path))


def ask_exactly(path: Path, table: str, sql: str) -> tuple[Any, ...]:
    """The first row of the exact answer: what every database gives to whoever may ask."""
    import duckdb

    with duckdb.connect() as connection:
        connection.from_parquet(str(path)).create_view(table)
        row = connection.execute(sql).fetchone()
    assert row is not None
    return tuple(row)
