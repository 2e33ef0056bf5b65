"""GoogleSQL's contribution bounds inside an aggregate, and the prefix ANON_.

    SUM(x, contribution_bounds_per_group => (0, 100))     ANON_SUM(x CLAMPED BETWEEN 0 AND 100)     ANON_COUNT(*)

They are blanked out before parsing, so that all other positions in the text stay the same; per_group.py says what they mean.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from sqlglot import tokenize
from sqlglot.errors import TokenError
from sqlglot.tokens import Token, TokenType  # type: ignore[attr-defined]

from lapcat.errors import BadQuery, Place
from lapcat.frontend.sql.places import place_at

_PREFIX = "ANON_"
_PER_GROUP, _PER_ROW = "CONTRIBUTION_BOUNDS_PER_GROUP", "CONTRIBUTION_BOUNDS_PER_ROW"
_OF_GROUPS = ("SUM", "COUNT", "AVG")
"""Aggregates that GoogleSQL computes for each unit first: CLAMPED BETWEEN bounds one unit's result in a group."""
_OF_ROWS = ("VAR_POP", "STDDEV_POP", "PERCENTILE_CONT", "QUANTILES")
"""Aggregates that GoogleSQL computes from rows: CLAMPED BETWEEN bounds each row's value."""
_ENDS = (TokenType.VAR, TokenType.IDENTIFIER, TokenType.R_PAREN, TokenType.STAR, TokenType.NUMBER)
"""Tokens that can end an expression; another token precedes a column named `clamped`."""
_NUMBER = re.compile(r"[+-]?\s*(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
MAX_QUANTILES = 20


@dataclass(frozen=True, slots=True)
class Contribution:
    """The bounds of one aggregate call."""

    start: int
    """The position of the aggregate's name."""
    function: str
    per_group: bool
    """Whether one unit's result in a group is bounded, and not each row's value."""
    ends: tuple[str, str] | None
    """None for ANON_AVG(x), which is an average of units but gives no bounds."""
    place: Place
    of_rows: str
    """The call with each row's value clamped, for error messages."""


def split_contributions(text: str) -> tuple[str, tuple[Contribution, ...]]:
    """The text with bounds and prefixes blanked out, and the bounds.

    >>> split_contributions("SELECT ANON_SUM(x CLAMPED BETWEEN 0 AND 9) FROM t")[0]
    'SELECT      SUM(x                        ) FROM t'
    """
    words = text.upper()
    if not any(word in words for word in (_PREFIX, "CLAMPED", _PER_GROUP, _PER_ROW)):
        return text, ()  # the usual case, without tokenising
    try:
        tokens = tokenize(text, dialect="duckdb")
    except TokenError:  # an open quote or comment: the parser has the better error
        return text, ()
    return _Calls(text, tokens).split()


def columns_of_quantiles(value: str, number: str) -> str:
    """QUANTILES(x, 4) as a column for each boundary.

    >>> columns_of_quantiles("x", "2")
    'MIN(x), QUANTILE_CONT(x, 0.5), MAX(x)'
    """
    parts = int(number) if number.isdigit() and 1 <= int(number) <= MAX_QUANTILES else 4
    inner = [f"QUANTILE_CONT({value}, {n / parts:.6g})" for n in range(1, parts)]
    return ", ".join([f"MIN({value})", *inner, f"MAX({value})"])


class _Calls:
    """Walks the calls in a text: comments are dropped, and a quoted text is one token."""

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self.text, self.tokens = text, tokens
        self.words = [text[token.start : token.end + 1].upper() for token in tokens]
        self.depths = [0, *accumulate({"(": 1, ")": -1}.get(word, 0) for word in self.words)]
        """The number of open parentheses before each token."""

    def split(self) -> tuple[str, tuple[Contribution, ...]]:
        text, contributions = self.text, []
        for bracket in range(1, len(self.words)):
            name = self.words[bracket - 1]
            closing = self.closing(bracket)
            if self.words[bracket] != "(" or closing == len(self.words) or not re.fullmatch(r"\w+", name):
                continue
            function = name.removeprefix(_PREFIX)
            prefixed = name.startswith(_PREFIX) and function in (*_OF_GROUPS, *_OF_ROWS)
            at = next((i for i in range(bracket + 2, closing) if self.bounds_begin(bracket, i)), closing)
            if at == closing and not prefixed:
                continue
            start = self.tokens[bracket - 1].start
            if prefixed:
                text = _blanked(text, start, start + len(_PREFIX))
                start += len(_PREFIX)
            if at < closing:
                first = at if self.words[at] == "CLAMPED" else at - 1  # a comma precedes the bounds
                text = _blanked(text, self.tokens[first].start, self.tokens[closing].start)
            if at < closing or function == "AVG":
                contributions.append(self.contribution(bracket, at, closing, function, start))
            elif function == "QUANTILES":
                raise self.quantiles(bracket, closing, closing, None)
        return text, tuple(contributions)

    def bounds_begin(self, bracket: int, at: int) -> bool:
        """Whether bounds of the call that opens at `bracket` begin at `at`."""
        if self.depths[at] != self.depths[bracket] + 1:
            return False
        if self.words[at] in (_PER_GROUP, _PER_ROW):
            return self.word(at + 1) == "=>" and self.word(at - 1) == ","
        if self.words[at] != "CLAMPED" or self.word(at + 1) != "BETWEEN":
            return False
        return self.tokens[at - 1].token_type in _ENDS

    def contribution(self, bracket: int, at: int, closing: int, function: str, start: int) -> Contribution:
        place = place_at(self.text, self.tokens[bracket - 1].start, self.tokens[closing].end + 1)
        ends = self.ends(at, closing, place) if at < closing else None
        last = at - 1 if self.words[at] == "CLAMPED" or at == closing else at - 2
        if function == "QUANTILES":
            raise self.quantiles(bracket, last + 1, closing, ends)
        comma = next((i for i in range(bracket + 1, last + 1) if self.is_comma(bracket, i)), last + 1)
        value, more = self.slice(bracket + 1, comma - 1), self.slice(comma, last)
        of_rows = f"{function}({value}{more})"
        if ends is not None and function != "COUNT":
            of_rows = f"{function}(CLAMP({value}, {', '.join(ends)}){more})"
        per_group = self.words[at] == _PER_GROUP or (self.words[at] != _PER_ROW and function not in _OF_ROWS)
        return Contribution(start, function, per_group, ends, place, of_rows)

    def ends(self, at: int, closing: int, place: Place) -> tuple[str, str]:
        """The two numbers of `=> (0, 5)` or `BETWEEN 0 AND 5`."""
        clamped = self.words[at] == "CLAMPED"
        first, last, between = (
            (at + 2, closing - 1, "AND") if clamped else (at + 3, self.closing(at + 2) - 1, ",")
        )
        middle = next((i for i in range(first, last) if self.words[i] == between), last)
        ends = self.slice(first, middle - 1), self.slice(middle + 1, last)
        opened = clamped or (self.word(at + 2) == "(" and self.closing(at + 2) == closing - 1)
        if not opened or not all(_NUMBER.fullmatch(end) for end in ends):
            raise BadQuery(
                "foreign-aggregate",
                "contribution bounds are two numbers",
                fix=f"{self.words[at].lower()} => (0, 100), with bounds of your own"
                if not clamped
                else "CLAMPED BETWEEN 0 AND 100, with bounds of your own",
                place=place,
            )
        return ends

    def quantiles(self, bracket: int, end: int, closing: int, ends: tuple[str, str] | None) -> BadQuery:
        """QUANTILES(x, 4): one column for each boundary."""
        comma = next((i for i in range(bracket + 1, end) if self.is_comma(bracket, i)), end)
        value, number = self.slice(bracket + 1, comma - 1), self.slice(comma + 1, end - 1)
        clamped = value if ends is None else f"CLAMP({value}, {', '.join(ends)})"
        return BadQuery(
            "foreign-aggregate",
            "QUANTILES would be one column with several numbers",
            why="a column of an answer is one number with its interval; several quantiles of a column are charged once",
            fix=columns_of_quantiles(clamped, number),
            place=place_at(self.text, self.tokens[bracket - 1].start, self.tokens[closing].end + 1),
        )

    def is_comma(self, bracket: int, at: int) -> bool:
        """Whether the token at `at` is a comma between arguments of the call."""
        return self.words[at] == "," and self.depths[at] == self.depths[bracket] + 1

    def closing(self, bracket: int) -> int:
        """The index of the bracket that closes the one at `bracket`; the number of tokens if none does."""
        depth = self.depths[bracket]
        after = range(bracket, len(self.words))
        return next((index for index in after if self.depths[index + 1] <= depth), len(self.words))

    def slice(self, first: int, last: int) -> str:
        return self.text[self.tokens[first].start : self.tokens[last].end + 1] if first <= last else ""

    def word(self, index: int) -> str:
        return self.words[index] if index < len(self.words) else ""


def _blanked(text: str, start: int, end: int) -> str:
    return text[:start] + re.sub(r"[^\r\n]", " ", text[start:end]) + text[end:]
