"""Suggested replacements for unsupported functions and aggregates."""

from __future__ import annotations

_TEXTS = "STRFTIME(d, '%Y-%m') shows a date as text"
_DIFFERENCES = "DATE_DIFF('month', a, b) counts the boundaries between two dates"
_PATTERNS = "x LIKE 'A%' compares a text with a pattern"
_CASES = "CASE WHEN a THEN b ELSE c END"

_INSTEAD = {
    **dict.fromkeys(("STRFTIME", "TO_CHAR", "DATE_FORMAT", "FORMAT_DATE", "FORMAT"), _TEXTS),
    **dict.fromkeys(("MONTHS_BETWEEN", "AGE"), _DIFFERENCES),
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
    "STRFTIME(d, '%Y-%m') shows a date as text"
    """
    return _INSTEAD.get(function.upper(), "")
