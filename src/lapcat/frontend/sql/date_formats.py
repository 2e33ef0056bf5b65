"""Formats of dates in the languages of several tools, as patterns of `DateText`.

strftime         '%Y-%m'       DuckDB, SQLite, BigQuery, Python
TO_CHAR          'YYYY-MM'     PostgreSQL, Snowflake, Oracle
DATE_FORMAT      '%Y-%m'       MySQL, where %M is the month's name and %i the minute
DATE_FORMAT      'yyyy-MM'     Spark; FORMAT of SQL Server
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lapcat.plan.calendar import CODES, pieces

MAX_CODES = 20
"""Parts that one text may have: each is computed for every row."""

_STRFTIME = {
    **{code: code for code in CODES},
    "%F": "%Y-%m-%d",
    "%T": "%H:%M:%S",
    "%R": "%H:%M",
    "%h": "%b",
    "%%": "%%",
}
LOCAL = {"%c": "%Y-%m-%d %H:%M:%S", "%x": "%Y-%m-%d", "%X": "%H:%M:%S"}
"""Codes whose meaning depends on the tool, as DuckDB writes them."""
_MYSQL = {
    **{code: code for code in ("%Y", "%m", "%d", "%b", "%a", "%j", "%H", "%S", "%w", "%T", "%%")},
    "%M": "%B",
    "%W": "%A",
    "%i": "%M",
    "%s": "%S",
    "%v": "%V",
    "%x": "%G",
    "%T": "%H:%M:%S",
}
_TO_CHAR = {
    "YYYY": "%Y",
    "IYYY": "%G",
    "Q": "%q",
    "MM": "%m",
    "MON": "%b",
    "FMMONTH": "%B",
    "IW": "%V",
    "DD": "%d",
    "DDD": "%j",
    "ID": "%u",
    "FMDAY": "%A",
    "DY": "%a",
    "HH24": "%H",
    "MI": "%M",
    "SS": "%S",
}
_JAVA = {
    "yyyy": "%Y",
    "Q": "%q",
    "MM": "%m",
    "MMM": "%b",
    "MMMM": "%B",
    "dd": "%d",
    "HH": "%H",
    "mm": "%M",
    "ss": "%S",
    **dict.fromkeys(("EEE", "E", "ddd"), "%a"),
    **dict.fromkeys(("EEEE", "dddd"), "%A"),
}


def pattern_of(function: str, written: str) -> str | None:
    """The pattern that a format means in a function; None where a part of it has no code.

    >>> pattern_of("TO_CHAR", "YYYY-MM"), pattern_of("DATE_FORMAT", "%M %Y"), pattern_of("STRFTIME", "%c")
    ('%Y-%m', '%B %Y', None)
    """
    if function == "TO_CHAR":
        return _by_words(
            written,
            rf'{"|".join(sorted(_TO_CHAR, key=len, reverse=True))}|"[^"]*"|.',
            _to_char,
            re.IGNORECASE,
        )
    if function == "FORMAT" or (function == "DATE_FORMAT" and "%" not in written):
        return _by_words(written, r"y+|Y+|M+|m+|d+|D+|E+|H+|s+|Q+|'[^']*'|.", _java)
    codes = _MYSQL if function == "DATE_FORMAT" else _STRFTIME
    parts = [codes.get(piece) if piece.startswith("%") else piece for piece in pieces(written)]
    return _pattern(parts)


def _by_words(
    written: str, words: str, code: Callable[[str], str | None], flags: re.RegexFlag = re.NOFLAG
) -> str | None:
    return _pattern([code(match[0]) for match in re.finditer(words, written, re.DOTALL | flags)])


def _to_char(word: str) -> str | None:
    code = _TO_CHAR.get(word.upper())
    if code in ("%b", "%B", "%a", "%A") and not word.removeprefix("FM").istitle():
        return None  # TO_CHAR writes names as its pattern is written: MON is MAR, Mon is Mar
    return code if word[0].isalpha() else word.strip('"').replace("%", "%%")


def _java(word: str) -> str | None:
    if word.startswith("'"):
        return word.strip("'").replace("%", "%%")
    return _JAVA.get(word) if word[0].isalpha() else word.replace("%", "%%")


def _pattern(parts: list[str | None]) -> str | None:
    pattern = "".join(part for part in parts if part is not None)
    codes = [piece for piece in pieces(pattern) if piece in CODES]
    return pattern if None not in parts and 0 < len(codes) <= MAX_CODES else None
