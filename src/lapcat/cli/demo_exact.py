"""Exact answers for `lapcat demo`, computed by plain DuckDB to show the world without lapcat.

The only module outside the engine that uses DuckDB; it reads only the synthetic people of the demo.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any


def ask_exactly(path: Path, table: str, sql: str) -> tuple[Any, ...]:
    """The first row of the exact answer, as any database would return it."""
    import duckdb

    with duckdb.connect() as connection:
        connection.from_parquet(str(path)).create_view(table)
        row = connection.execute(sql).fetchone()
    assert row is not None
    return tuple(row)
