"""LIKE patterns: the number of wildcards, and an equivalent regular expression that does not backtrack.

If each `%` became `.*`, matching would try every way to divide the text among them: with 8 of them and 4 096 characters it
would not finish, and a single row would decide whether that happens.
"""

from __future__ import annotations

import re


def wildcards(pattern: str) -> int:
    """The number of runs of `%` in a pattern: `%%` means the same as `%`.

    >>> wildcards("a%%b_%")
    2
    """
    return len(re.findall("%+", pattern))


def regular(pattern: str) -> str:
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
    first, *others = [
        "".join("." if c == "_" else re.escape(c) for c in part) for part in re.split("%+", pattern)
    ]
    if not others:
        return f"(?s:{first})"
    between = "".join(f"(?>.*?{part})" for part in others[:-1])
    return f"(?s:{first}{between}.*{others[-1]})"
