"""Text ranges as the places that errors point at."""

from __future__ import annotations

from lapcat.errors import Place


def place_at(text: str, start: int, end: int) -> Place:
    """The place of `text[start:end]`, cut at the end of its first line.

    >>> place_at("SELECT\\n  x", 9, 10)
    Place(text='SELECT\\n  x', line=2, column=3, length=1)
    """
    before = text[:start]
    stop = text.find("\n", start)
    last = end if stop < 0 else min(end, stop)
    return Place(text, before.count("\n") + 1, start - before.rfind("\n"), max(1, last - start))
