"""Access to exact results, for tests that compare engines."""

from __future__ import annotations

from lapcat.core.answers import Group, Integers
from lapcat.core.release import ExactResult, _opened


def reveal(private: ExactResult) -> Integers:
    """The exact integers of a result."""
    return _opened(private)[0]


def reveal_groups(private: ExactResult) -> dict[Group, tuple[int, list[list[int]]]]:
    """The private groups of a result: unit count, and cells, a list for each statistic."""
    cells, keys, units = _opened(private)
    assert keys is not None and units is not None
    by_group = cells.reshape(len(cells), len(keys), cells.shape[1] // max(1, len(keys)))
    return {key: (int(units[at]), by_group[:, at].tolist()) for at, key in enumerate(keys)}
