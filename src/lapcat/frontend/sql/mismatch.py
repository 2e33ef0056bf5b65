"""Fixes for type mismatches: a rewrite that has the expected type."""

from __future__ import annotations

from lapcat.plan.expressions import CASTS, Expression, Literal
from lapcat.plan.schema import SQL_TYPES, Type
from lapcat.plan.words import sql_text

EXAMPLES = {
    Type.INTEGER: "30",
    Type.FLOAT: "30",
    Type.TEXT: "'…'",
    Type.BOOLEAN: "TRUE",
    Type.DATE: "'2024-12-31'",
    Type.TIMESTAMP: "'2024-12-31 00:00:00'",
}


def a(kind: Type) -> str:
    return f"an {kind}" if kind is Type.INTEGER else f"a {kind}"


def as_number(written: str, kind: Type) -> str:
    """A rewrite of a value of type `kind` as a number."""
    if kind in (Type.DATE, Type.TIMESTAMP):
        return f"YEAR({written}), or another part of the date"
    to = Type.FLOAT if (kind, Type.FLOAT) in CASTS else Type.INTEGER
    return f"CAST({written} AS {SQL_TYPES[to]}), which is NULL where it is not a number"


def as_condition(written: str, kind: Type) -> str:
    """A rewrite of a value of type `kind` as a condition."""
    return f"{written} <> 0" if kind.is_number else f"{written} = {EXAMPLES[kind]}"


def as_type(value: Expression, written: str, kind: Type) -> str:
    """A rewrite of a value for a comparison with a value of type `kind`."""
    if isinstance(value, Literal) and isinstance(value.value, str) and kind.is_number:
        try:
            float(value.value)
        except ValueError:
            return f"compare it with a number, such as {EXAMPLES[kind]}"
        return f"{value.value.strip()}, without quotes"
    if isinstance(value, Literal) and kind is Type.TEXT:
        return sql_text(str(value.value))
    if isinstance(value, Literal):
        return f"compare it with {a(kind)}, such as {EXAMPLES[kind]}"
    if (value.type, kind) in CASTS:
        return f"CAST({written} AS {SQL_TYPES[kind]})"
    return "compare values of one type"


def as_text(written: str, kind: Type) -> str:
    """A rewrite of a value of type `kind` as a text; engines print floats and timestamps differently."""
    match kind:
        case Type.FLOAT:
            return (
                f"CAST(ROUND({written}) AS VARCHAR), which has no decimals; or compare it with = or BETWEEN"
            )
        case Type.TIMESTAMP:
            return f"CAST(CAST({written} AS DATE) AS VARCHAR), its day; or compare it with = or BETWEEN"
    return f"CAST({written} AS VARCHAR)"
