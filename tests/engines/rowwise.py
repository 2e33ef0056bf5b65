"""An expression's value on every row, as DuckDB computes it: a sharper eye than sums, for tests alone."""

from __future__ import annotations

from collections.abc import Sequence

from lapcat.engines.duckdb.dialect import DUCKDB
from lapcat.engines.duckdb.engine import DuckDBEngine
from lapcat.plan.expressions import Expression
from tests.engines.benches import by_column, rowwise


def values(engine: DuckDBEngine, name: str, expressions: Sequence[Expression]) -> list[list[object]]:
    """For each expression its values, in the order of the column n."""
    sql = rowwise(engine._open(name), expressions, DUCKDB)
    return by_column(engine._cursor().execute(sql).fetchall(), len(expressions))
