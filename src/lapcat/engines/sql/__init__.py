"""SQL generator: translates plans to SQL for DuckDB, PostgreSQL and Spark. It builds SQLGlot trees; no analyst text is ever pasted
into a statement.

dialect.py      the differences between engines; duckdb.py, postgres.py and spark.py implement them
relation.py     relations, and the conversion of physical types to declared ones
expressions.py  a plan's expressions as SQL
weights.py      contributions of weighted rows, computed or precomputed in a snapshot
statement.py    a plan as one statement: bounded integer sums per cell
steward.py      the steward's statements: snapshots with the contribution index, and checks against the catalogue
"""

from lapcat.engines.sql.dialect import Dialect
from lapcat.engines.sql.duckdb import (
    COLLATED,
    DUCKDB,
    attached_table,
    csv_file,
    describe_statement,
    memory_table,
    parquet_file,
    short_texts,
)
from lapcat.engines.sql.postgres import POSTGRES, server_table, short_name
from lapcat.engines.sql.relation import (
    UNIT,
    SourceRelation,
    can_hold,
    declared_type,
    unit_type,
)
from lapcat.engines.sql.spark import SPARK
from lapcat.engines.sql.statement import SQLStatement, group_statement
from lapcat.engines.sql.steward import (
    Owner,
    check_statement,
    extents_statement,
    guess_statement,
    repeated_key_statement,
    repeats_statement,
    rows_statement,
    size_statement,
    straddling_statement,
    typed_statement,
    values_statement,
)
from lapcat.engines.sql.weights import Ready, declared_ready
from lapcat.engines.sql.words import SQL

__all__ = [
    "COLLATED",
    "DUCKDB",
    "POSTGRES",
    "SPARK",
    "SQL",
    "UNIT",
    "Dialect",
    "Owner",
    "Ready",
    "SQLStatement",
    "SourceRelation",
    "attached_table",
    "can_hold",
    "check_statement",
    "csv_file",
    "declared_ready",
    "declared_type",
    "describe_statement",
    "extents_statement",
    "group_statement",
    "guess_statement",
    "memory_table",
    "parquet_file",
    "repeated_key_statement",
    "repeats_statement",
    "rows_statement",
    "server_table",
    "short_name",
    "short_texts",
    "size_statement",
    "straddling_statement",
    "typed_statement",
    "unit_type",
    "values_statement",
]
