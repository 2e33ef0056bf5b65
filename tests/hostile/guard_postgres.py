"""What lapcat may tell PostgreSQL while a question is asked: snapshots, functions on a list, no words of an analyst."""

from __future__ import annotations

import re

import sqlglot
from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.tokens import TokenType

from lapcat.engines.base.engine import Settings
from lapcat.engines.postgres.connection import SECONDS, _settings
from lapcat.engines.postgres.snapshots import HEADER, SCHEMA
from tests.hostile.guard import MARK

FIXED = {
    HEADER,
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "ROLLBACK",
    _settings(Settings(), SECONDS),
}
"""What is said word for word, whatever the question is; a statement has what is left of the question's time."""
FUNCTIONS = {
    # values: each has a value, or NULL, for every value that it is given here; what could raise stands behind a test
    "abs", "ceil", "coalesce", "extract", "floor", "greatest", "least", "lower", "nullif", "split_part", "trim", "btrim",
    "timestamp_trunc", "date_trunc", "date_part", "trunc", "regexp_like", "array_any", "any", "collate",
    # aggregates that do not show a row
    "count", "sum", "min", "max", "logical_and", "logical_or", "bool_and", "bool_or",
    # the order of a unit's own rows
    "row_number", "dense_rank",
    # lists that lapcat itself passes
    "unnest", "generate_subscripts",
    # SQLGlot calls these functions
    "and", "or", "case", "cast", "if", "exists",
}  # fmt: skip


def findings(sql: str) -> list[str]:
    """What is wrong with a statement that PostgreSQL was told while a question was asked; nothing, one hopes."""
    if re.sub(r"(?<=SET statement_timeout = ')[0-9]+(?=ms')", str(1000 * SECONDS), sql) in FIXED:
        return []
    query = re.sub(r"^PREPARE question AS ", "", sql)
    trees = sqlglot.parse(query, dialect="postgres")
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        return [f"statements {[tree.key if tree else None for tree in trees]}"]
    (tree,) = trees
    assert tree is not None
    own = {cte.alias for cte in tree.find_all(exp.CTE)}
    problems = []
    for node in tree.walk():
        if isinstance(node, exp.Table):
            inside = node.db == SCHEMA and not node.catalog
            if not (inside or (not node.db and isinstance(node.this, exp.Identifier) and node.name in own)):
                problems.append(f"the table {node.sql('postgres')}")
        elif isinstance(node, exp.Func):
            name = _name(node)
            if name not in FUNCTIONS:
                problems.append(f"the function {name}")
        elif isinstance(node, (exp.Command, exp.DDL, exp.DML, exp.Into, exp.Lambda)) and not isinstance(
            node, exp.Query
        ):
            problems.append(f"a {node.key}")
    for token in Postgres.Tokenizer(dialect=Postgres()).tokenize(query):
        if token.comments:
            problems.append("a comment")
        if token.token_type is not TokenType.STRING and MARK in token.text.casefold():
            problems.append(f"the analyst's {token.text!r} outside a text")
    return problems


def _name(node: exp.Func) -> str:
    if isinstance(node, exp.Explode):
        return "unnest"
    return (node.name if isinstance(node, exp.Anonymous) else node.sql_name()).casefold()
