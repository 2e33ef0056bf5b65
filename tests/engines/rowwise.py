"""An expression's value on every row, as DuckDB computes it: a sharper eye than sums, for tests alone."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from lapcat.engines.duckdb import DuckDBEngine
from lapcat.engines.sql import DUCKDB
from lapcat.engines.sql.expressions import Writer, in_base
from lapcat.engines.sql.rows import typed_column
from lapcat.engines.sql.words import column, named, select, steps, table
from lapcat.plan.expressions import Expression


def values(engine: DuckDBEngine, name: str, expressions: Sequence[Expression]) -> list[list[object]]:
    """For each expression its values, in the order of the column n."""
    relation, types = engine._open(name)
    writer = Writer(DUCKDB, types)
    codes = [writer.clean(expression) for expression in expressions]
    outputs = [named(typed_column(relation, n, kind, DUCKDB), in_base(n)) for n, kind in types.items()]
    before = [("base", select(*outputs, source=relation.source.copy()))]
    for position, names in enumerate(writer.steps):
        new = [named(sql, alias) for alias, sql in names.items()]
        before.append((f"step{position}", select(exp.Star(), *new, source=table(before[-1][0]))))
    shown = [named(code.sql, f"v{position}") for position, code in enumerate(codes)]
    statement = select(*shown, source=table(before[-1][0])).order_by(column(in_base("n")))
    rows = engine._cursor().execute(steps(statement, before).sql("duckdb")).fetchall()
    return [list(found) for found in zip(*rows, strict=True)] if rows else [[] for _ in expressions]
