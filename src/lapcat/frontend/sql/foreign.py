"""GoogleSQL's aggregates with contribution bounds, recognised so that the refusal can give the rewrite.

    SUM(x, contribution_bounds_per_group => (0, 100))     ANON_SUM(x CLAMPED BETWEEN 0 AND 100)     ANON_SUM(x)

They bound one unit's contribution to a group. lapcat bounds each row's value by CLAMP, and the rows of a unit by the
catalogue or max_rows_contributed. The two differ, so the analyst must rewrite them knowingly.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import tokenize
from sqlglot.errors import TokenError
from sqlglot.tokens import Token, TokenType  # type: ignore[attr-defined]

from lapcat.errors import BadQuery
from lapcat.frontend.sql.places import place_at

_BOUNDS = ("CONTRIBUTION_BOUNDS_PER_GROUP", "CONTRIBUTION_BOUNDS_PER_ROW")
_ENDS = (TokenType.VAR, TokenType.IDENTIFIER, TokenType.R_PAREN, TokenType.STAR, TokenType.NUMBER)
"""Tokens that can end an expression; another token precedes a column named `clamped`."""


def foreign_aggregate(text: str) -> BadQuery | None:
    """The refusal of the first such aggregate in a text, with its place and lapcat's equivalent; or None.

    >>> print(foreign_aggregate("SELECT AVG(age CLAMPED BETWEEN 0 AND 99) FROM staff").fix)
    AVG(CLAMP(age, 0, 99))
    >>> print(foreign_aggregate("SELECT ANON_PERCENTILE_CONT(age, 0.5 CLAMPED BETWEEN 0 AND 99) FROM staff").fix)
    PERCENTILE_CONT(CLAMP(age, 0, 99), 0.5)
    """
    try:
        tokens = tokenize(text, dialect="duckdb")
    except TokenError:
        return None
    words = [text[token.start : token.end + 1].upper() for token in tokens]
    calls: list[int] = []
    for index, word in enumerate(words):
        after = words[index + 1] if index + 1 < len(words) else ""
        if word == "(":
            calls.append(index)
        elif word == ")":
            del calls[-1:]
        elif word.startswith("ANON_") and after == "(":
            end = _closing(words, index + 1)
            if end < len(words):
                inner = next((at for at in range(index + 2, end) if _clamps(words, tokens, at)), end)
                return _refusal(text, tokens, words, index + 1, inner)
        elif (
            calls
            and calls[-1] > 0
            and _clamps(words, tokens, index)
            and _closing(words, calls[-1]) < len(words)
        ):
            return _refusal(text, tokens, words, calls[-1], index)
    return None


def _clamps(words: Sequence[str], tokens: Sequence[Token], at: int) -> bool:
    after = words[at + 1] if at + 1 < len(words) else ""
    if words[at] in _BOUNDS:
        return after == "=>"
    return words[at] == "CLAMPED" and after == "BETWEEN" and tokens[at - 1].token_type in _ENDS


def _refusal(text: str, tokens: Sequence[Token], words: Sequence[str], bracket: int, at: int) -> BadQuery:
    """The refusal of the call that opens at `bracket`; its bounds begin at `at`, which is its end if it has none."""

    def written(first: int, last: int) -> str:
        return text[tokens[first].start : tokens[last].end + 1] if first <= last else ""

    end = _closing(words, bracket)
    name = words[bracket - 1].removeprefix("ANON_")
    last = at - 2 if words[at] in _BOUNDS else at - 1  # a comma precedes the bounds
    argument = written(bracket + 1, last)
    if words[at] == "CLAMPED":
        middle = next((i for i in range(at + 2, end) if words[i] == "AND"), end)
        ends = written(at + 2, middle - 1), written(middle + 1, end - 1)
    elif words[at] in _BOUNDS:
        middle = next((i for i in range(at + 3, end) if words[i] == ","), end)
        ends = written(at + 3, middle - 1), written(middle + 1, _closing(words, at + 2) - 1)
    else:
        ends = "", ""
    clamped = all(ends) and name != "COUNT"  # COUNT's bounds limit rows, which the catalogue bounds
    first = next((i for i in range(bracket + 1, last + 1) if _is_comma(words, bracket, i)), last + 1) - 1
    value, more = written(bracket + 1, first), text[tokens[first].end + 1 : tokens[last].end + 1]
    fix = f"{name}(CLAMP({value}, {ends[0]}, {ends[1]}){more})" if clamped else f"{name}({argument})"
    what = "contribution bounds" if at < end else words[bracket - 1]
    return BadQuery(
        "foreign-aggregate",
        f"{what}: lapcat bounds each row's value with CLAMP, and the rows of a unit in the catalogue",
        why="GoogleSQL bounds a unit's total in a group instead, so the same numbers may ask something else",
        fix=fix,
        place=place_at(text, tokens[bracket - 1].start, tokens[end].end + 1),
    )


def _is_comma(words: Sequence[str], bracket: int, at: int) -> bool:
    """Whether the token at `at` is a comma between arguments of the call."""
    inside = words[bracket + 1 : at]
    return words[at] == "," and inside.count("(") == inside.count(")")


def _closing(words: Sequence[str], bracket: int) -> int:
    """The index of the bracket that closes the one at `bracket`; the number of tokens if none does."""
    depth = 0
    for index in range(bracket, len(words)):
        depth += {"(": 1, ")": -1}.get(words[index], 0)
        if depth == 0:
            return index
    return len(words)
