"""Looking at exact figures, for tests that compare engines."""

from __future__ import annotations

from lapcat.core.door import Integers, Private, _opened


def reveal(private: Private) -> Integers:
    """The exact integers inside."""
    return _opened(private)
