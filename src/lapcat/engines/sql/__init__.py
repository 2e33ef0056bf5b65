"""Plans as SQL. SQLGlot's nodes are built and printed; no text of an analyst is ever pasted into a statement.

relation.py     where rows are, and how their physical types become the declared ones
expressions.py  a plan's expressions as SQL
weights.py      what a row adds where rows are weighed, and where a snapshot holds that already
statement.py    a plan as one statement: bounded integer sums per cell
steward.py      the steward's statements: typed rows with their contribution index, and what fits the catalogue
"""

from lapcat.engines.sql.dialect import DUCKDB
from lapcat.engines.sql.relation import (
    COLLATED,
    UNIT,
    Relation,
    attached_table,
    can_hold,
    csv_file,
    declared_type,
    memory_table,
    parquet_file,
    unit_type,
)
from lapcat.engines.sql.statement import Statement, group_statement
from lapcat.engines.sql.steward import (
    Owner,
    check_statement,
    describe_statement,
    guess_statement,
    repeats_statement,
    size_statement,
    straddling_statement,
    typed_statement,
)
from lapcat.engines.sql.weights import Ready, declared_ready
from lapcat.engines.sql.words import SQL

__all__ = [
    "COLLATED",
    "DUCKDB",
    "SQL",
    "UNIT",
    "Owner",
    "Ready",
    "Relation",
    "Statement",
    "attached_table",
    "can_hold",
    "check_statement",
    "csv_file",
    "declared_ready",
    "declared_type",
    "describe_statement",
    "group_statement",
    "guess_statement",
    "memory_table",
    "parquet_file",
    "repeats_statement",
    "size_statement",
    "straddling_statement",
    "typed_statement",
    "unit_type",
]
