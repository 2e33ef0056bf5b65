"""LIKE patterns: the number of wildcards, and an equivalent regular expression that does not backtrack.

If each `%` became `.*`, matching would try every way to divide the text among them: with 8 of them and 4 096 characters it
would not finish, and a single row would decide whether that happens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

ESCAPE: Literal["\\"] = "\\"
"""The escape character of patterns that have one."""
Escape = Literal["", "\\"]


@dataclass(frozen=True, slots=True)
class Wildcard:
    """A `%` or `_` that is not escaped."""

    sign: str


def signs(pattern: str, escape: str = "") -> Iterator[str | Wildcard]:
    """The characters and wildcards of a pattern; an escape character at its end stands for itself.

    >>> list(signs("a!%%", "!"))
    ['a', '%', Wildcard(sign='%')]
    """
    characters = iter(pattern)
    for character in characters:
        if escape and character == escape:
            yield next(characters, character)
        else:
            yield Wildcard(character) if character in "%_" else character


def plain(parts: Iterable[str | Wildcard]) -> tuple[str, Escape]:
    """A pattern of these signs, and its escape character: none, unless a `%` or `_` stands for itself.

    >>> plain(signs("a!%%", "!"))
    ('a\\\\%%', '\\\\')
    >>> plain(signs("a!b%", "!"))
    ('ab%', '')
    """
    listed = list(parts)
    if not any(part in ("%", "_") for part in listed):
        return "".join(part.sign if isinstance(part, Wildcard) else part for part in listed), ""
    written = (
        part.sign if isinstance(part, Wildcard) else ESCAPE + part if part in ("%", "_", ESCAPE) else part
        for part in listed
    )
    return "".join(written), ESCAPE


def wildcards(pattern: str, escape: str = "") -> int:
    """The number of runs of `%` in a pattern: `%%` means the same as `%`.

    >>> wildcards("a%%b_%")
    2
    """
    return len(_pieces(pattern, escape)) - 1


def _pieces(pattern: str, escape: str) -> list[str]:
    """Regular expressions of what the runs of `%` divide the pattern into."""
    pieces, after_run = [""], False
    for sign in signs(pattern, escape):
        if sign == Wildcard("%"):
            pieces += [] if after_run else [""]
            after_run = True
        else:
            pieces[-1] += re.escape(sign) if isinstance(sign, str) else "."
            after_run = False
    return pieces


def regular(pattern: str, escape: str = "") -> str:
    """A regular expression that matches the same texts as a whole, in Python and in Java.

    Theorem: let the runs of `%` divide the pattern into p₀, p₁, …, pₖ, k > 0. A text matches exactly where it begins with
             p₀, then each of p₁ … pₖ₋₁ follows where it first fits after the one before, and it ends with pₖ after that.
             Matching takes at most the length of the text times that of the pattern, for each part.
    Proof:   each part has a fixed number of characters. Where the text can be divided at all, let p₁ stand where it first
             fits: it ends no later than in that division, so what is left of the text still holds the other parts; so on
             for p₂ … pₖ₋₁. pₖ has one place, at the end. `(?>…)` keeps the first fit and tries no other; `.*?` moves by one
             character at a time, and `.*` back from the end by one.

    >>> regular("a_%b%c")
    '(?s:a.(?>.*?b).*c)'
    """
    first, *others = _pieces(pattern, escape)
    if not others:
        return f"(?s:{first})"
    between = "".join(f"(?>.*?{part})" for part in others[:-1])
    return f"(?s:{first}{between}.*{others[-1]})"
