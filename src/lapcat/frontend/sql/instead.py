"""Suggested replacements for unsupported functions and aggregates."""

from __future__ import annotations

_DATES = "YEAR(d), MONTH(d), DAY(d) and DATE_TRUNC('month', d) extract parts of a date"
_PATTERNS = "x LIKE 'A%' compares a text with a pattern"
_CASES = "CASE WHEN a THEN b ELSE c END"

_INSTEAD = {
    **dict.fromkeys(("STRFTIME", "TO_CHAR", "DATE_FORMAT", "FORMAT_DATE", "DAYNAME", "MONTHNAME"), _DATES),
    **dict.fromkeys(
        ("REGEXP_MATCHES", "REGEXP_LIKE", "RLIKE", "CONTAINS", "STARTS_WITH", "PREFIX", "INSTR", "STRPOS"),
        _PATTERNS,
    ),
    **dict.fromkeys(("SUBSTR", "SUBSTRING", "LEFT"), _PATTERNS),
    **dict.fromkeys(("IF", "IIF", "NULLIF"), _CASES),
}

SAME_AGGREGATE = {
    "APPROX_COUNT_DISTINCT": "COUNT(DISTINCT {})",
    **dict.fromkeys(("COUNT_IF", "COUNTIF"), "COUNT(*) FILTER (WHERE {})"),
}
"""Equivalent aggregates, of the same argument."""


def instead(function: str) -> str:
    """The closest supported replacement; empty if there is none.

    >>> instead("strftime")
    "YEAR(d), MONTH(d), DAY(d) and DATE_TRUNC('month', d) extract parts of a date"
    """
    return _INSTEAD.get(function.upper(), "")
