"""Implicit query matrices over one column: ranges, prefixes, each cell, the total.

A strategy needs two things: their answers, and the squared norm ‖Πq‖² of each row's projection onto the functions that
are constant on blocks of a given length (Π takes the mean over each block). Every expected error follows from these norms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from lapcat.errors import BadArgument
from lapcat.workload.axes import Axis

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


class Factor(Protocol):
    """Questions about one column of `size` cells."""

    @property
    def size(self) -> int: ...
    @property
    def rows(self) -> int: ...
    def norms(self, block: int) -> Floats:
        """For each question q, ‖Πq‖² for blocks of this length; padding beyond the last cell is 0."""

    def total_norm(self, block: int) -> float:
        """The sum of `norms`."""

    def answers(self, table: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The answers, given counts of the cells along the first axis."""

    def matrix(self) -> Floats:
        """The explicit matrix, for small workloads and tests."""

    def label(self, axis: Axis, row: int) -> str:
        """The question in words."""


@dataclass(frozen=True)
class Ranges:
    """Counts of the half-open ranges of cells from `lows` to `highs`.

    >>> Ranges(4, np.array([0, 1]), np.array([2, 4])).answers(np.array([1, 2, 3, 4])).tolist()
    [3, 9]
    """

    size: int
    lows: Places
    highs: Places

    @property
    def rows(self) -> int:
        return len(self.lows)

    def norms(self, block: int) -> Floats:
        """Σ over blocks of (cells of the block in the range)² / block."""
        first, last = self.lows // block, self.highs // block
        head, tail = (first + 1) * block - self.lows, self.highs - last * block
        apart = last - first - 1
        inside = head * head + tail * tail + apart * (block * block)
        # within one block, head + tail − block cells are in the range
        return np.asarray(np.where(apart < 0, (head + tail - block) ** 2, inside) / block)

    @cached_property
    def _totals(self) -> dict[int, float]:
        return {}

    def total_norm(self, block: int) -> float:
        if block not in self._totals:  # many trees have blocks of the same length
            self._totals[block] = float(self.norms(block).sum())
        return self._totals[block]

    def answers(self, table: npt.NDArray[Any]) -> npt.NDArray[Any]:
        sums = _running(table)
        return np.asarray(sums[self.highs] - sums[self.lows])

    def matrix(self) -> Floats:
        cells = np.arange(self.size)
        return ((self.lows[:, None] <= cells) & (cells < self.highs[:, None])).astype(np.float64)

    def label(self, axis: Axis, row: int) -> str:
        return _range_label(axis, int(self.lows[row]), int(self.highs[row]))


@dataclass(frozen=True)
class AllRanges:
    """All n (n + 1) / 2 ranges of cells, ordered by start, then by end."""

    size: int

    @property
    def rows(self) -> int:
        return self.size * (self.size + 1) // 2

    @cached_property
    def _written(self) -> Ranges:
        lows, lasts = np.triu_indices(self.size)
        return Ranges(self.size, lows.astype(np.int64), lasts.astype(np.int64) + 1)

    def norms(self, block: int) -> Floats:
        return self._written.norms(block)

    def total_norm(self, block: int) -> float:
        """A range is the difference of two of the n + 1 prefixes p, so that Σ ‖Π(p − p′)‖² over all pairs is
        (n + 1) Σ ‖Πp‖² − ‖ΠΣp‖²."""
        n = self.size
        each = Ranges(n, np.zeros(n + 1, np.int64), np.arange(n + 1)).total_norm(block)
        blocks = -(-n // block)
        together = np.zeros(blocks * block)
        together[:n] = n - np.arange(n)
        sums = together.reshape(blocks, block).sum(axis=1)
        return (n + 1) * each - float(sums @ sums) / block

    def answers(self, table: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return self._written.answers(table)

    def matrix(self) -> Floats:
        return self._written.matrix()

    def label(self, axis: Axis, row: int) -> str:
        n = self.size
        low = int(n - 0.5 - np.sqrt((n + 0.5) ** 2 - 2 * row) + 1)
        while low and low * n - low * (low - 1) // 2 > row:
            low -= 1
        while (low + 1) * n - (low + 1) * low // 2 <= row:
            low += 1
        first = low * n - low * (low - 1) // 2
        return _range_label(axis, low, low + row - first + 1)


@dataclass(frozen=True)
class PrefixSums:
    """Prefix sums: counts up to and including each cell.

    >>> PrefixSums(3).answers(np.array([1, 2, 3])).tolist()
    [1, 3, 6]
    """

    size: int

    @property
    def rows(self) -> int:
        return self.size

    def norms(self, block: int) -> Floats:
        """As for `Ranges` from the first cell: whole blocks and a remainder."""
        cells = np.arange(1, self.size + 1)
        whole = cells // block
        rest = cells - whole * block
        return np.asarray((whole * (block * block) + rest * rest) / block)

    def total_norm(self, block: int) -> float:
        return _total_of_prefixes(self.size, block)

    def answers(self, table: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.asarray(np.cumsum(table, axis=0))

    def matrix(self) -> Floats:
        return np.tril(np.ones((self.size, self.size)))

    def label(self, axis: Axis, row: int) -> str:
        return f"{axis.name} up to {axis.value(row)!r}"


@lru_cache(maxsize=1024)
def _total_of_prefixes(size: int, block: int) -> float:
    """Cached: many trees have blocks of the same length."""
    return float(PrefixSums(size).norms(block).sum())


@dataclass(frozen=True)
class Each:
    """Each cell by itself (the identity matrix)."""

    size: int

    @property
    def rows(self) -> int:
        return self.size

    def norms(self, block: int) -> Floats:
        return np.full(self.size, 1 / block)

    def total_norm(self, block: int) -> float:
        return self.size / block

    def answers(self, table: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return table

    def matrix(self) -> Floats:
        return np.eye(self.size)

    def label(self, axis: Axis, row: int) -> str:
        return (
            f"{axis.name} = {axis.value(row)!r}" if axis.value(row) is not None else f"{axis.name} is other"
        )


@dataclass(frozen=True)
class Total:
    """All cells together: the factor of a column that a question does not mention."""

    size: int

    @property
    def rows(self) -> int:
        return 1

    def norms(self, block: int) -> Floats:
        return np.array([self.total_norm(block)])

    def total_norm(self, block: int) -> float:
        full, rest = divmod(self.size, block)
        return full * block + rest * rest / block

    def answers(self, table: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.asarray(table.sum(axis=0, keepdims=True))

    def matrix(self) -> Floats:
        return np.ones((1, self.size))

    def label(self, axis: Axis, row: int) -> str:
        return f"all {axis.name}"


@dataclass(frozen=True)
class ExplicitQueries:
    """Explicit questions: a matrix of integers, one row per question and one column per cell."""

    written: Places

    @property
    def size(self) -> int:
        return int(self.written.shape[1])

    @property
    def rows(self) -> int:
        return int(self.written.shape[0])

    def norms(self, block: int) -> Floats:
        blocks = -(-self.size // block)
        padded = np.zeros((self.rows, blocks * block))
        padded[:, : self.size] = self.written
        sums = padded.reshape(self.rows, blocks, block).sum(axis=2)
        return np.asarray((sums * sums).sum(axis=1) / block)

    def total_norm(self, block: int) -> float:
        return float(self.norms(block).sum())

    def answers(self, table: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.asarray(np.tensordot(self.written, table, axes=1))

    def matrix(self) -> Floats:
        return self.written.astype(np.float64)

    def label(self, axis: Axis, row: int) -> str:
        return f"question {row + 1} of {axis.name}"


def written_rows(rows: Sequence[Sequence[int]] | npt.NDArray[Any], size: int, column: str) -> ExplicitQueries:
    """Validated explicit questions; a matrix of the wrong shape or with fractions is refused."""
    matrix = np.asarray(rows)
    if matrix.ndim != 2 or matrix.shape[1] != size or not matrix.size:
        raise BadArgument(
            "workload-shape",
            f"a question about {column} is a row of {size} numbers, one for each declared value",
            fix=f"numpy.eye({size}, dtype=int) asks for each value",
        )
    whole = matrix.astype(np.int64)
    if not np.array_equal(whole, matrix):
        raise BadArgument(
            "workload-shape",
            f"a question about {column} is a row of whole numbers",
            why="measured counts must be integers, or rounding could reveal rows",
            fix="multiply each row until it is whole, and divide the answers",
        )
    return ExplicitQueries(whole)


def _running(table: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Prefix sums, starting at 0."""
    return np.concatenate([np.zeros((1, *table.shape[1:]), table.dtype), np.cumsum(table, axis=0)])


def _range_label(axis: Axis, low: int, high: int) -> str:
    return f"{axis.name} from {axis.value(low)!r} to {axis.value(high - 1)!r}"
