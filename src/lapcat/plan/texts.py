"""What the text expressions of plan/expressions.py mean, for one text. Characters are code points."""

from __future__ import annotations

import string
from collections.abc import Sequence

from lapcat.plan.expressions import Casing, Sides

LETTERS: dict[Casing, tuple[str, str]] = {
    "upper": (string.ascii_lowercase, string.ascii_uppercase),
    "lower": (string.ascii_uppercase, string.ascii_lowercase),
}
"""The letters that change, and what they become."""
_TABLES = {how: str.maketrans(*letters) for how, letters in LETTERS.items()}


def cased(how: Casing, text: str) -> str:
    """
    >>> cased("upper", "straße")
    'STRAßE'
    """
    return text.translate(_TABLES[how])


def trimmed(sides: Sides, text: str, characters: str) -> str:
    """
    >>> trimmed("leading", "xyxa x", "yx")
    'a x'
    """
    if not characters:
        return text
    strip = {"both": str.strip, "leading": str.lstrip, "trailing": str.rstrip}[sides]
    return strip(text, characters)


def substring(text: str, start: int, count: int | None) -> str:
    """
    >>> substring("abcdef", 2, 3), substring("abcdef", -2, None), substring("ab", -3, None)
    ('bcd', 'ef', 'ab')
    """
    if start < 0:
        return text[start:]
    return text[start - 1 :] if count is None else text[start - 1 : start - 1 + count]


def split_part(text: str, separator: str, number: int) -> str:
    """
    >>> split_part("a@b", "@", 2), split_part("a@b", "@", 3)
    ('b', '')
    """
    parts = text.split(separator, number)
    return parts[number - 1] if number <= len(parts) else ""


def position_of(text: str, search: str) -> int:
    """
    >>> position_of("abc", "c"), position_of("abc", "d")
    (3, 0)
    """
    return text.find(search) + 1


def concatenated(texts: Sequence[str], max_length: int) -> str | None:
    """
    >>> concatenated(["a", "bc"], 3), concatenated(["a", "bc"], 2)
    ('abc', None)
    """
    return "".join(texts) if sum(map(len, texts)) <= max_length else None


def replaced(text: str, search: str, replacement: str, max_length: int) -> str | None:
    """
    >>> replaced("aaa", "aa", "b", 3), replaced("aaa", "a", "bb", 5)
    ('ba', None)
    """
    length = len(text) + text.count(search) * (len(replacement) - len(search))
    return text.replace(search, replacement) if length <= max_length else None
