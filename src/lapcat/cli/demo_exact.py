"""The world without lapcat, for `lapcat demo`: a file is asked about exactly, by plain DuckDB.

The only place outside its engine that knows DuckDB; nothing but the demo's made-up people passes through it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any


def ask_exactly(path: Path, table: str, sql: str) -> tuple[Any, ...]:
    """The first row of the exact answer: what every database gives to whoever may ask."""
    import duckdb

    with duckdb.connect() as connection:
        connection.from_parquet(str(path)).create_view(table)
        row = connection.execute(sql).fetchone()
    assert row is not None
    return tuple(row)
