"""Suggested replacements for unsupported functions and aggregates."""

from __future__ import annotations

_DATE_TEXTS = "STRFTIME(d, '%Y-%m') shows a date as text"
_DIFFERENCES = "DATE_DIFF('month', a, b) counts the boundaries between two dates"
_PATTERNS = "x LIKE 'A%' compares a text with a pattern"
_TEXTS = "CONCAT(a, b), REPLACE(x, 'a', 'b'), SUBSTRING(x, 1, 3) and SPLIT_PART(x, '-', 2) make texts"
_CASES = "CASE WHEN a THEN b ELSE c END"

_INSTEAD = {
    **dict.fromkeys(("STRFTIME", "TO_CHAR", "DATE_FORMAT", "FORMAT_DATE", "FORMAT"), _DATE_TEXTS),
    **dict.fromkeys(("MONTHS_BETWEEN", "AGE"), _DIFFERENCES),
    **dict.fromkeys(
        ("CONTAINS", "STARTS_WITH", "ENDS_WITH", "PREFIX", "SUFFIX", "GLOB"),
        _PATTERNS,
    ),
    **dict.fromkeys(("INITCAP", "CASEFOLD"), "UPPER(x) or LOWER(x)"),
    **dict.fromkeys(("LPAD", "RPAD", "REPEAT", "REVERSE"), _TEXTS),
    **dict.fromkeys(("STRING_SPLIT", "STR_SPLIT", "SPLIT"), "SPLIT_PART(x, '-', 2)"),
    **dict.fromkeys(("IF", "IIF", "NULLIF"), _CASES),
}

BITS = frozenset(
    {"bitwiseand", "bitwiseor", "bitwisexor", "bitwisenot", "bitwiseleftshift", "bitwiserightshift"}
)
"""The parser's names of operators on bits."""
OF_SINGLE_ROWS = frozenset(
    {"groupconcat", "arrayagg", "arrayuniqueagg", "first", "last", "firstvalue", "lastvalue", "nthvalue", "argmax", "argmin"}
)  # fmt: skip
"""The parser's names of aggregates whose result is the value of single rows."""

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
