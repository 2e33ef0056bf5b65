"""Identifiers and expressions in generated SQL: names are quoted, expressions are checked to be self-contained.

An expression is the analyst's text, and is embedded in a larger one. So it must be a single expression: its quotes and
brackets closed, without a comment, a comma or a clause at its top level.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lapcat.errors import BadArgument
from lapcat.plan.words import sql_name

_PIECES = re.compile(
    r"""(?P<text>'(?:[^']|'')*') | (?P<name>"(?:[^"]|"")*") | (?P<word>[^\W\d]\w*) | (?P<mark>--|/\*|[;,()\[\]{}'"])""",
    re.VERBOSE,
)
_CLAUSES = re.compile(
    r"as|except|from|group|having|intersect|join|limit|offset|order|qualify|select|union|where|window|with"
)
_RESERVED = re.compile(
    r"all|analyse|analyze|and|any|array|as|asc|asymmetric|at|begin|between|both|by|call|"
    r"case|cast|check|collate|column|constraint|copy|create|cross|cube|current|"
    r"current_date|current_time|current_timestamp|default|deferrable|delete|desc|describe|"
    r"distinct|do|drop|else|end|escape|except|execute|exists|explain|extract|false|fetch|"
    r"filter|for|foreign|from|full|generated|glob|grant|group|grouping|having|if|ilike|"
    r"in|initially|inner|insert|intersect|interval|into|is|isnull|join|lambda|lateral|"
    r"leading|left|like|limit|map|natural|not|notnull|null|offset|on|only|or|order|"
    r"outer|over|partition|pivot|placing|pragma|primary|qualify|range|references|replace|"
    r"returning|revoke|right|rollup|row|rows|select|set|sets|show|similar|some|struct|"
    r"summarize|symmetric|table|tablesample|then|to|trailing|true|truncate|try_cast|union|"
    r"unique|unpivot|update|use|using|values|variadic|when|where|window|with|within"
)
"""Words that SQL does not accept as names; quoting one too many does no harm."""
_BRACKETS = {")": "(", "]": "[", "}": "{"}


def identifier(name: str) -> str:
    """A name in SQL: plain if possible, else in double quotes, with quotes inside doubled.

    >>> identifier("region"), identifier("order"), identifier("home town"), identifier('a" FROM b --')
    ('region', '"order"', '"home town"', '"a"" FROM b --"')
    """
    if not isinstance(name, str) or not name or "\0" in name:
        raise BadArgument(
            "name-empty", f"a name is a text of at least one character, not {name!r}", fix="n=lapcat.count()"
        )
    return name if is_name(name) else sql_name(name)


def is_name(word: str) -> bool:
    """Whether SQL accepts a word as a name without quotes."""
    plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", word)
    return plain is not None and not _RESERVED.fullmatch(word.lower())


def expression(text: object, columns: Iterable[str] = ()) -> str:
    """One SQL expression; a text that equals the name of a column is that column.

    >>> expression("FLOOR(age / 10)"), expression("home town", ["home town"])
    ('FLOOR(age / 10)', '"home town"')
    """
    if not isinstance(text, str):
        raise BadArgument(
            "expression-text",
            f"an expression is a text of SQL, not {type(text).__name__}",
            fix='.where("age >= 30")',
        )
    if text in columns:
        return identifier(text)
    fault = _fault(text)
    if fault:
        raise BadArgument(
            "expression-text",
            f"{text!r} is not one SQL expression: {fault}",
            why="it becomes part of a larger query, and must not change the parts around it",
            fix='one expression for each argument: .group_by("region", decade="FLOOR(age / 10)")',
        )
    return " ".join(text.split()) if "'" not in text and '"' not in text else text.strip()


def is_disjunction(text: str) -> bool:
    """Whether it contains OR: then it needs brackets next to AND."""
    return any((piece["word"] or "").lower() == "or" for piece in _PIECES.finditer(text))


def mentioned(texts: Iterable[str]) -> frozenset[str]:
    """Every word that could be the name of a column, in lower case.

    >>> sorted(mentioned(["AVG(pay)", '''kind = 'cure' AND "home town" = x''']))
    ['and', 'avg', 'home town', 'kind', 'pay', 'x']
    """
    words = set()
    for text in texts:
        for piece in _PIECES.finditer(text):
            if piece["name"] is not None:
                words.add(piece["name"][1:-1].replace('""', '"').casefold())
            elif piece["word"] is not None:
                words.add(piece["word"].casefold())
    return frozenset(words)


def _fault(text: str) -> str:
    """Why a text is not a single expression; empty if it is."""
    if not text.strip():
        return "it is empty"
    opened: list[str] = []
    before = ""
    for piece in _PIECES.finditer(text):
        word, mark = (piece["word"] or "").lower(), piece["mark"]
        if mark in ("--", "/*"):
            return "it has a comment"
        if mark in ("'", '"'):
            return "a quote is not closed"
        if mark == ";":
            return "it has a semicolon"
        if mark in ("(", "[", "{"):
            opened.append(mark)
        elif mark in _BRACKETS and (not opened or opened.pop() != _BRACKETS[mark]):
            return "its brackets do not match"
        elif not opened and mark == ",":
            return "it has a comma"
        elif not opened and _CLAUSES.fullmatch(word) and not (word == "from" and before == "distinct"):
            return f"it has the clause {word.upper()}"
        before = word
    return "its brackets do not match" if opened else ""
