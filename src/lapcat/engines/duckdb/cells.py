"""Cells of a text file as values, in the format that the catalogue declares; NULL if a cell does not match it."""

from __future__ import annotations

from sqlglot import exp

from lapcat.engines.base.dialect import within_moments
from lapcat.engines.base.words import SQL, call, case, cast, joined, string, try_cast
from lapcat.engines.duckdb.dialect import DUCKDB
from lapcat.plan.expressions import DATE_TEXT, TIMESTAMP_TEXT
from lapcat.plan.schema import SQL_TYPES, ReadOptions, Type

WITH_COMMA = r"[+-]?([0-9]+|[0-9]{1,3}(\.[0-9]{3})+)?(,[0-9]*)?([eE][+-]?[0-9]{1,3})?"
"""1.234.567,89: thousands separators are optional."""
WITH_ZONE = (
    DATE_TEXT
    + r"[ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)? ?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?"
)
"""2024-12-31T23:59Z, 2024-12-31 23:59:59.999+01:00."""


def read_cell(x: SQL, kind: Type, options: ReadOptions) -> SQL:
    """A cell as a value of the type: in the dialect's own text formats unless the options say otherwise."""
    stripped = DUCKDB.trimmed(x)
    if kind.is_number and options.decimal_separator == ",":
        plain = call("replace", call("replace", stripped, string("."), string("")), string(","), string("."))
        return case((DUCKDB.matches(stripped, WITH_COMMA), DUCKDB.from_text(plain, kind)))
    written = {Type.DATE: options.dateformat, Type.TIMESTAMP: options.timestampformat}.get(kind)
    if written is not None:
        parsed = call("try_strptime", stripped, string(written))
        return cast(within_moments(parsed), SQL_TYPES[kind])
    if kind is Type.TIMESTAMP:
        moment = exp.AtTimeZone(this=try_cast(stripped, "TIMESTAMPTZ"), zone=string("UTC"))
        return case(
            (DUCKDB.matches(stripped, TIMESTAMP_TEXT), DUCKDB.from_text(x, kind)),
            (DUCKDB.matches(stripped, WITH_ZONE), within_moments(moment)),
        )
    return DUCKDB.from_text(x, kind)


def has_decimal_comma(x: SQL) -> SQL:
    """The cell if it is a number with a decimal comma, not with commas between thousands; else NULL."""
    stripped = DUCKDB.trimmed(x)
    thousands = exp.Not(this=DUCKDB.matches(stripped, r"[+-]?[0-9]{1,3}(,[0-9]{3})+"))
    comma = DUCKDB.matches(stripped, r".*,.*")
    return case((joined(exp.And, [DUCKDB.matches(stripped, WITH_COMMA), comma, thousands]), x))
