"""`SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(…)`: a price and contribution bounds, written into the question.

The clause is GoogleSQL's. It is blanked out before parsing, so that all other positions in the text stay the same.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction

from sqlglot import tokenize
from sqlglot.errors import TokenError
from sqlglot.tokens import Token  # type: ignore[attr-defined]

from lapcat.core.exact import exact, exact_text
from lapcat.errors import BadArgument, BadQuery, Place
from lapcat.frontend.sql.places import place_at

_WORDS = ("DIFFERENTIAL_PRIVACY", "ANONYMIZATION")
_NUMBER = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_EXAMPLES = {
    "epsilon": "epsilon=0.5",
    "delta": "delta=1e-7",
    "privacy_unit_column": "privacy_unit_column=person_id",
    "max_groups_contributed": "max_groups_contributed=2",
    "max_rows_contributed": "max_rows_contributed=3",
    "group_selection_strategy": "group_selection_strategy=PUBLIC_GROUPS",
}
_OLD_NAMES = {"kappa": "max_groups_contributed"}
PUBLIC, PRIVATE = "PUBLIC_GROUPS", "LAPLACE_THRESHOLD"
"""Values of group_selection_strategy: all declared groups, and those whose noisy number of units reaches a threshold."""


@dataclass(frozen=True, slots=True)
class Options:
    """The price and contribution bounds in a question; None if not given."""

    epsilon: Fraction | None = None
    delta: Fraction | None = None
    privacy_unit_column: str | None = None
    """The unit column as the analyst names it; it must be the declared one."""
    max_groups_contributed: int | None = None
    max_rows_contributed: int | None = None
    group_selection_strategy: str | None = None
    """How groups are chosen, as the analyst says; it must agree with the declared keys."""
    places: tuple[tuple[str, Place], ...] = ()
    """The place of each option, for error messages."""

    def place(self, name: str) -> Place | None:
        return dict(self.places).get(name)

    def price(self, epsilon: object, delta: object, *, otherwise: bool) -> tuple[object, object]:
        """Epsilon and delta of the call, else of the question; if both are given they must be equal.

        `otherwise`: whether the call gives its price in another way (rho, error).
        """
        given = {"epsilon": epsilon, "delta": delta}
        for name, own in (("epsilon", self.epsilon), ("delta", self.delta)):
            if own is None:
                continue
            differs = otherwise if given[name] is None else exact(given[name]) != own
            if differs and (name == "epsilon" or given[name] is not None):
                raise BadArgument(
                    "price-twice",
                    f"the question says {name}={exact_text(own)}, but the call says something else",
                    why="lapcat does not guess which of two prices is meant",
                    fix=f"leave {name} out of OPTIONS, or ask with {name}={exact_text(own)}",
                    place=self.place(name),
                )
            if given[name] is None and not otherwise:
                given[name] = own
        return given["epsilon"], given["delta"]


NAMES = tuple(field.name for field in fields(Options) if field.name != "places")


def split(text: str) -> tuple[str, Options]:
    """The text with the clause blanked out, and its options; the text itself if it has no such clause."""
    if not any(word in text.upper() for word in _WORDS):
        return text, Options()  # the usual case, without tokenising
    try:
        tokens = tokenize(text, dialect="duckdb")
    except TokenError:  # an open quote or comment: the parser has the better error
        return text, Options()
    reader = _Reader(text, tokens)
    clause = reader.clause()
    if clause is None:
        return text, Options()
    first, last, options = clause
    start, end = tokens[first].start, tokens[last].end + 1
    return text[:start] + re.sub(r"[^\r\n]", " ", text[start:end]) + text[end:], options


class _Reader:
    """Walks the tokens: comments are dropped, and a quoted text is one token."""

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self.text, self.tokens = text, tokens
        self.words = [self.slice(index, index).upper() for index in range(len(tokens))]

    def clause(self) -> tuple[int, int, Options] | None:
        """The first and last token of the clause after the outermost SELECT, and its options."""
        outermost = self.outermost_select()
        clause = None
        for index in range(1, len(self.words) - 1):
            if self.words[index - 1] != "WITH" or self.words[index] not in _WORDS:
                continue
            if index == outermost + 2:
                last, options = self.options(index)
                clause = index - 1, last, options
            elif (index >= 2 and self.words[index - 2] == "SELECT") or self.words[index + 1] == "OPTIONS":
                raise BadQuery(
                    "options-place",
                    f"WITH {self.words[index]} belongs right after the outermost SELECT",
                    fix=f"SELECT WITH {self.words[index]} OPTIONS(epsilon=0.5) …",
                    place=self.place(index - 1, index),
                )
        return clause

    def outermost_select(self) -> int:
        depth = 0
        for index, word in enumerate(self.words):
            depth += {"(": 1, ")": -1}.get(word, 0)
            if depth == 0 and word == "SELECT":
                return index
        return len(self.words)

    def options(self, head: int) -> tuple[int, Options]:
        """OPTIONS (…) after the word at `head`, if present, and its last token."""
        if self.words[head + 1] != "OPTIONS":
            return head, Options()
        if self.word(head + 2) != "(":
            raise self.malformed(head + 1)
        values: dict[str, object] = {}
        places: list[tuple[str, Place]] = []
        at = head + 3
        while self.word(at) != ")":
            name, last = self.name(at, values), self.value_end(at + 2)
            if last < at + 2:
                raise self.malformed(at)
            values[name] = self.value(name, at + 2, last)
            places.append((name, self.place(at, last)))
            at = last + 1
            if self.word(at) == ",":
                at += 1
            elif self.word(at) != ")":
                raise self.malformed(at)
        return at, Options(**values, places=tuple(places))  # type: ignore[arg-type]

    def name(self, at: int, before: dict[str, object]) -> str:
        if self.word(at + 1) != "=":
            raise self.malformed(at)
        name = self.slice(at, at).lower()
        name = _OLD_NAMES.get(name, name)
        if name not in NAMES:
            close = difflib.get_close_matches(name, NAMES, 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise BadQuery(
                "option-unknown",
                f"no option {name!r}{hint}",
                fix=f"one of: {', '.join(NAMES)}",
                place=self.place(at, at),
            )
        if name in before:
            raise BadQuery(
                "option-twice",
                f"{name} is given twice",
                fix="leave one of them out",
                place=self.place(at, at),
            )
        return name

    def value_end(self, at: int) -> int:
        """The last token of a value: the one before the comma or bracket that ends it."""
        depth = 0
        for index in range(at, len(self.words)):
            if depth == 0 and self.words[index] in (",", ")"):
                return index - 1
            depth += {"(": 1, ")": -1}.get(self.words[index], 0)
        return -1

    def value(self, name: str, first: int, last: int) -> object:
        written = self.slice(first, last)
        if name == "privacy_unit_column":
            parts = re.fullmatch(r'(?:(?:\w+|"(?:[^"]|"")+")\.)*(?:(\w+)|"((?:[^"]|"")+)")', written)
            if parts is None:
                raise self.bad_value(name, "the name of a column", first, last)
            return parts[1] or parts[2].replace('""', '"')
        if name == "group_selection_strategy":
            if written.upper() not in (PUBLIC, PRIVATE):
                raise self.bad_value(name, f"{PUBLIC} or {PRIVATE}", first, last)
            return written.upper()
        number = exact(written.rstrip(".")) if _NUMBER.fullmatch(written) else None
        if name in ("epsilon", "delta"):
            if number is None or number <= 0 or (name == "delta" and number >= 1):
                wanted = "a number above 0" + (" and below 1" if name == "delta" else "")
                raise self.bad_value(name, wanted, first, last)
            return number
        if number is None or number < 1 or number.denominator != 1:
            raise self.bad_value(name, "a whole number from 1", first, last)
        return int(number)

    def bad_value(self, name: str, wanted: str, first: int, last: int) -> BadQuery:
        return BadQuery(
            "option-value",
            f"{name} is {wanted}, not {self.slice(first, last)}",
            fix=_EXAMPLES[name],
            place=self.place(first, last),
        )

    def malformed(self, at: int) -> BadQuery:
        at = min(at, len(self.tokens) - 1)
        return BadQuery(
            "options-syntax",
            "options are name=value pairs, separated by commas",
            fix="OPTIONS(epsilon=0.5, max_groups_contributed=2)",
            place=self.place(at, at),
        )

    def place(self, first: int, last: int) -> Place:
        return place_at(self.text, self.tokens[first].start, self.tokens[last].end + 1)

    def word(self, index: int) -> str:
        return self.words[index] if index < len(self.words) else ""

    def slice(self, first: int, last: int) -> str:
        return self.text[self.tokens[first].start : self.tokens[last].end + 1]
