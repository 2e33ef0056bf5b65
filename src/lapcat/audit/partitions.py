"""Partitions of one feature of an answer into cells; an event is a set of cells.

Cells are chosen on samples that are not bet on, so every event is fixed before its fresh samples are drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapcat.audit.outputs import Outputs

CELLS = 64
"""The number of cells of about equal weight; the tails are cut more finely."""
MAX_LABELS = 256
ATOM = 0.02
"""A number with at least this share of the answers gets a cell of its own."""

Counts = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Reading:
    """A feature of an answer: a number (NaN if absent) or a text."""

    noun: str
    """Its description, as the subject of a sentence."""
    read: Callable[[Outputs], NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Partition:
    """The cells of a reading: up to each edge, above the last edge, and not a number; or each known text, and any other."""

    reading: Reading
    edges: NDArray[np.float64] | None
    labels: tuple[str, ...]
    whole: bool
    """Whether each cell but the last two holds a single number, its edge."""

    @property
    def cells(self) -> int:
        return len(self.labels) + 1 if self.edges is None else len(self.edges) + 2

    def place(self, outputs: Outputs) -> NDArray[np.int64]:
        """The cell of each answer."""
        read = self.reading.read(outputs)
        if self.edges is None:
            known = {label: i for i, label in enumerate(self.labels)}
            return np.array([known.get(label, len(known)) for label in read.tolist()], np.int64)
        cells = np.searchsorted(self.edges, read, side="left")
        return np.where(np.isnan(read), len(self.edges) + 1, cells)

    def counts(self, outputs: Outputs) -> Counts:
        """The number of answers in each cell."""
        return np.bincount(self.place(outputs), minlength=self.cells).astype(np.float64)

    def words(self, chosen: NDArray[np.bool_]) -> str:
        """The event that an answer lies in one of these cells, as a sentence."""
        noun = self.reading.noun
        if self.edges is None:
            named = [repr(label) for label, taken in zip(self.labels, chosen[:-1], strict=True) if taken]
            if chosen[-1]:
                named.append("a rare one")
            return f"{noun} is {_listed(named)}"
        pieces = [self._range(first, last) for first, last in _runs(chosen[:-1])]
        if chosen[-1]:
            pieces.append("is not a number")
        return f"{noun} {_listed(pieces)}"

    def _range(self, first: int, last: int) -> str:
        """The cells from first to last, in words."""
        edges = self.edges
        assert edges is not None
        if last >= len(edges):
            return "is a number" if first == 0 else f"is {self._from(first)}"
        alone = edges[last] if self.whole else np.nextafter(edges[first - 1], np.inf) if first else np.nan
        if first == last and alone == edges[last]:
            return f"is {edges[last]:.6g}"
        return f"is {self._to(last)}" if first == 0 else f"is {self._from(first)} and {self._to(last)}"

    def _from(self, first: int) -> str:
        edge = float(self.edges[first - 1])  # type: ignore[index]
        return (
            f"at least {self._next(first - 1):.6g}"
            if self._next(first - 1) is not None
            else f"above {edge:.6g}"
        )

    def _to(self, last: int) -> str:
        edge = float(self.edges[last])  # type: ignore[index]
        return f"below {self._next(last):.6g}" if self._next(last) is not None else f"at most {edge:.6g}"

    def _next(self, i: int) -> float | None:
        """The number just above the i-th edge, if it has a cell of its own."""
        edges = self.edges
        assert edges is not None
        own = i + 1 < len(edges) and np.nextafter(edges[i], np.inf) == edges[i + 1]
        return float(edges[i + 1]) if own else None


def partition_of(reading: Reading, here: Outputs, there: Outputs) -> Partition | None:
    """Cells chosen on the answers of both sides; None if no answer has this number."""
    read = np.concatenate([reading.read(here), reading.read(there)])
    if read.dtype == object:
        common = [label for label, _ in Counter(read.tolist()).most_common(MAX_LABELS)]
        return Partition(reading, None, tuple(common), False)
    seen = np.sort(read[~np.isnan(read)])
    if not len(seen):
        return None
    distinct, times = np.unique(seen, return_counts=True)
    if len(distinct) <= CELLS:
        return Partition(reading, distinct, (), True)
    tails = len(seen) // 2 ** np.arange(7, 40)
    tails = tails[tails >= 4]
    ranks = np.unique(
        np.concatenate([np.arange(1, CELLS) * len(seen) // CELLS, tails, len(seen) - 1 - tails])
    )
    atoms = distinct[times >= ATOM * len(seen)]
    edges = np.unique(np.concatenate([seen[ranks], atoms, np.nextafter(atoms, -np.inf)]))
    return Partition(reading, edges, (), False)


def _runs(chosen: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The first and the last index of each run of chosen cells."""
    padded = np.concatenate([[False], chosen, [False]]).astype(np.int8)
    steps = np.diff(padded)
    return list(
        zip(np.flatnonzero(steps == 1).tolist(), (np.flatnonzero(steps == -1) - 1).tolist(), strict=True)
    )


def _listed(pieces: list[str], limit: int = 4) -> str:
    shown = pieces[:limit] + ([f"one of {len(pieces) - limit} more"] if len(pieces) > limit else [])
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " or " + shown[-1]
