"""What a statement that lapcat tells DuckDB may hold: tables of its own, functions on a list, no words of an analyst."""

from __future__ import annotations

import re
from dataclasses import dataclass

import duckdb
import sqlglot
from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.tokens import TokenType

MARK = "zq"
"""Stands in every name and text that a made-up analyst invents, and in nothing else."""

FILES = {"read_parquet", "read_csv"}
FUNCTIONS = {
    # values: each has a value, or NULL, for every value of a row
    "abs", "ceil", "coalesce", "date_part", "date_trunc",
    "timestamp_trunc", "array_contains", "isfinite", "is_inf", "floor", "greatest", "isnan", "least", "length", "lower",
    "make_timestamp", "nullif", "regexp_full_match", "round", "split_part", "substring", "trim", "trunc", "concat", "like_escape",
    "datediff", "pad", "replace", "right", "str_position", "strlen", "translate", "upper",
    # intervals of a constant length
    "to_days", "to_months", "to_seconds",
    # aggregates that do not show a row
    "count", "sum", "min", "max",
    # the order of a unit's own rows
    "row_number", "dense_rank",
    # lists that lapcat itself passes
    "unnest", "generate_subscripts",
    # SQLGlot calls these functions
    "and", "or", "case", "cast", "try_cast", "if", "exists",
}  # fmt: skip
"""A function that is not listed is a finding: whoever adds one says here that it fails on no row and reads no file."""


@dataclass(frozen=True)
class Sources:
    """What the engine was allowed to open when it connected."""

    files: frozenset[str]
    databases: frozenset[str]

    @staticmethod
    def heard(statements: list[str]) -> Sources:
        """From what DuckDB was told: allowed_paths and ATTACH."""
        files: set[str] = set()
        databases: set[str] = set()
        for statement in statements:
            if "allowed_paths" in statement:
                files |= set(re.findall(r"'([^']*)'", statement))
            elif attached := re.match(r"ATTACH '([^']*)' AS (\w+)", statement):
                databases.add(attached[2])
        return Sources(frozenset(files), frozenset(databases))


def findings(sql: str, sources: Sources) -> list[str]:
    """What is wrong with a statement that DuckDB was told while a question was asked; nothing, one hopes."""
    statements = duckdb.extract_statements(sql)
    kinds = [statement.type.name for statement in statements]
    if kinds not in (["SELECT"], ["PREPARE"]):
        return [f"statements {kinds}"]
    query = re.sub(r"^PREPARE \w+ AS ", "", sql)
    tree = sqlglot.parse_one(query, dialect="duckdb")
    if not isinstance(tree, exp.Query):
        return [f"a {tree.key}"]
    own = {cte.alias for cte in tree.find_all(exp.CTE)}
    problems = []
    for node in tree.walk():
        if isinstance(node, exp.Table):
            problems += _table(node, own, sources)
        elif isinstance(node, exp.Func) and not isinstance(node.parent, exp.Table):
            name = _name(node)
            if name not in FUNCTIONS:
                problems.append(f"the function {name}")
        elif isinstance(node, (exp.Command, exp.DDL, exp.DML, exp.Into, exp.Lambda)):
            problems.append(f"a {node.key}")
    for token in DuckDB.Tokenizer(dialect=DuckDB()).tokenize(query):
        if token.comments:
            problems.append("a comment")
        if token.token_type is not TokenType.STRING and MARK in token.text.casefold():
            problems.append(f"the analyst's {token.text!r} outside a text")
    return problems


def _table(node: exp.Table, own: set[str], sources: Sources) -> list[str]:
    this = node.this
    if isinstance(this, exp.Identifier):
        if node.catalog:
            return [] if node.catalog in sources.databases else [f"the database {node.catalog}"]
        return [] if not node.db and this.name in own else [f"the table {node.sql('duckdb')}"]
    name = _name(this) if isinstance(this, exp.Func) else this.key
    if name not in FILES:
        return [f"the table function {name}"]
    path = next((text.name for text in this.find_all(exp.Literal) if text.is_string), None)
    return [] if path in sources.files else [f"the file {path}"]


def _name(node: exp.Func) -> str:
    if isinstance(node, exp.Explode):
        return "unnest"
    return (node.name if isinstance(node, exp.Anonymous) else node.sql_name()).casefold()
