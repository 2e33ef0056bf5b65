"""Integer linear maps of exact counts: the queries of a strategy, with their sensitivity.

A map is a Kronecker product of small maps, one for each axis of a table of counts: sums of blocks, contrasts of a block
with its siblings, a convolution, weighted blocks, or explicit rows. Its entries are integers, so its results are exact,
and its norms follow from those of its axes.

Theorem: let A be the map, v the change of the counts by one unit. Then ‖Av‖₁ ≤ l1 · ‖v‖₁ and ‖Av‖₂ ≤ l2 · ‖v‖₁, where l1 and l2
         are the largest norms of a column of A; both are products over the axes.
Proof:   Av is the sum of the columns, column i taken v_i times: the triangle inequality. A column of a Kronecker product is
         the Kronecker product of one column of each axis, and both norms of that are products.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapcat.core.answers import Integers
from lapcat.core.sampling.saturating import FARTHEST
from lapcat.core.sensitivity import Sensitivity
from lapcat.errors import Bug

Table = NDArray[Any]
"""Integers, of 64 bits or Python's own."""
EXACT = float(2**61)
"""Below it sums of products are 64-bit integers; beyond it Python's own, which are slow and unbounded."""
PROBED = 256
LIMB = 24


@dataclass(frozen=True, slots=True)
class BlockSums:
    """The sums of consecutive blocks; blocks beyond the last place are empty.

    >>> BlockSums(5, 2, 3).applied(np.arange(1, 6)).tolist()
    [3, 7, 5]
    """

    size: int
    block: int
    rows: int
    largest = 1
    opposed = Fraction(0)

    def __post_init__(self) -> None:
        if self.block * self.rows < self.size:
            raise Bug("map-shape", f"{self} leaves places out")

    @property
    def columns(self) -> tuple[Integers, Integers]:
        ones = np.ones(self.size, np.int64)
        return ones, ones

    def applied(self, x: Table) -> Table:
        return np.asarray(_blocks(x, self.block, self.rows).sum(axis=1))


@dataclass(frozen=True, slots=True)
class Contrasts:
    """`branch` times each block minus the sum of its family (siblings and itself): 0 if all siblings are equal.

    >>> Contrasts(6, 1, 6, 3).applied(np.array([1, 2, 3, 5, 5, 5])).tolist()
    [-3, 0, 3, 0, 0, 0]
    """

    size: int
    block: int
    rows: int
    branch: int

    def __post_init__(self) -> None:
        if self.block * self.rows < self.size or self.rows % self.branch:
            raise Bug("map-shape", f"{self} leaves places out")

    @property
    def largest(self) -> int:
        return self.branch

    @property
    def opposed(self) -> Fraction:
        """Two siblings' columns have the product −branch, each with itself branch · (branch − 1)."""
        return Fraction(1, self.branch - 1)

    @property
    def columns(self) -> tuple[Integers, Integers]:
        """branch − 1 in the block's own row, −1 in the rows of its branch − 1 siblings."""
        b, ones = self.branch, np.ones(self.size, np.int64)
        return ones * (2 * (b - 1)), ones * ((b - 1) ** 2 + (b - 1))

    def applied(self, x: Table) -> Table:
        own = _blocks(x, self.block, self.rows).sum(axis=1)
        families = own.reshape(self.rows // self.branch, self.branch, *own.shape[1:])
        apart = self.branch * families - families.sum(axis=1, keepdims=True)
        return np.asarray(apart.reshape(own.shape))


@dataclass(frozen=True, slots=True)
class Differences:
    """The first half of each block minus its second half: contrasts of two, without the redundant row.

    >>> Differences(4, 2, 2).applied(np.array([1, 2, 5, 3])).tolist()
    [-1, 2]
    """

    size: int
    block: int
    rows: int
    largest = 1
    opposed = Fraction(1)

    def __post_init__(self) -> None:
        if self.block * self.rows < self.size or self.block % 2:
            raise Bug("map-shape", f"{self} leaves places out")

    @property
    def columns(self) -> tuple[Integers, Integers]:
        ones = np.ones(self.size, np.int64)
        return ones, ones

    def applied(self, x: Table) -> Table:
        halves = _blocks(x, self.block // 2, 2 * self.rows).sum(axis=1)
        pairs = halves.reshape(self.rows, 2, *halves.shape[1:])
        return np.asarray(pairs[:, 0] - pairs[:, 1])


@dataclass(frozen=True, slots=True)
class Convolution:
    """Running sums with weights: row i is Σ_{j ≤ i} weights[i − j] · x[j].

    >>> Convolution((4, 2, 1)).applied(np.array([1, 0, 3])).tolist()
    [4, 2, 13]
    """

    weights: tuple[int, ...]

    @property
    def size(self) -> int:
        return len(self.weights)

    @property
    def rows(self) -> int:
        return len(self.weights)

    @property
    def opposed(self) -> Fraction:
        return Fraction(int(min(self.weights) < 0))

    @property
    def largest(self) -> int:
        return max(map(abs, self.weights))

    @property
    def columns(self) -> tuple[Table, Table]:
        """Column j holds the first size − j weights."""
        weights = np.array(self.weights, object)
        return np.cumsum(abs(weights))[::-1], np.cumsum(weights * weights)[::-1]

    def applied(self, x: Table) -> Table:
        columns = x.reshape(self.size, -1).T
        convolved = [self._convolved(column) for column in columns]
        return np.stack(convolved, axis=1).reshape(x.shape)

    def _convolved(self, x: Table) -> Table:
        """One column. Python integers are split into pieces of LIMB bits, each convolved in 64 bits: n² products of Python
        integers would take a thousand times as long."""
        if x.dtype != object:
            return np.convolve(x, np.array(self.weights, np.int64))[: self.size]
        if self.largest * self.size << LIMB >= EXACT:
            return np.convolve(x, np.array(self.weights, object))[: self.size]
        weights, total = np.array(self.weights, np.int64), np.zeros(self.size, object)
        shift = 0
        while ((x != 0) & (x != -1)).any():
            piece = (x & ((1 << LIMB) - 1)).astype(np.int64)
            total += np.convolve(piece, weights)[: self.size].astype(object) << shift
            x, shift = x >> LIMB, shift + LIMB
        total += np.convolve(x.astype(np.int64), weights)[: self.size].astype(object) << shift
        return total


@dataclass(frozen=True, slots=True)
class ExplicitRows:
    """An explicit integer matrix.

    >>> ExplicitRows(((1, 1, 0), (0, 1, 1))).applied(np.array([1, 2, 3])).tolist()
    [3, 5]
    """

    matrix: tuple[tuple[int, ...], ...]

    @property
    def size(self) -> int:
        return len(self.matrix[0])

    @property
    def rows(self) -> int:
        return len(self.matrix)

    @property
    def opposed(self) -> Fraction:
        return Fraction(int(min(map(min, self.matrix)) < 0))

    @property
    def largest(self) -> int:
        return max(abs(entry) for row in self.matrix for entry in row)

    @property
    def columns(self) -> tuple[Table, Table]:
        matrix = np.array(self.matrix, object)
        return abs(matrix).sum(axis=0), (matrix * matrix).sum(axis=0)

    def applied(self, x: Table) -> Table:
        return np.tensordot(np.array(self.matrix, x.dtype), x, axes=1)


@dataclass(frozen=True, slots=True)
class Weighted:
    """Weighted sums of consecutive blocks, and every single place with the rest of `column` as its weight.

    So the entries of every column are nonnegative and add up to `column`: all columns have the same l1 norm.

    >>> Weighted(3, 2, 10, ((4, 0), (1, 2))).applied(np.array([1, 1, 1])).tolist()
    [8, 4, 5, 5, 8]
    """

    size: int
    block: int
    column: int
    sums: tuple[tuple[int, ...], ...]
    """For each sum the weight of every block; without any, this is `column` times each place."""
    opposed = Fraction(0)

    def __post_init__(self) -> None:
        blocks = -(-self.size // self.block)
        if any(len(row) != blocks for row in self.sums) or min(map(min, self.sums), default=0) < 0:
            raise Bug("map-shape", "a block has no weight or a negative weight")
        if min(self._left) < 1:
            raise Bug("map-shape", "the weights of a block leave nothing for its single places")

    @property
    def _left(self) -> tuple[int, ...]:
        """The remaining weight of each single place of a block."""
        used = map(sum, zip(*self.sums, strict=True)) if self.sums else [0] * -(-self.size // self.block)
        return tuple(self.column - weight for weight in used)

    @property
    def own(self) -> Integers:
        """The weight of each single place."""
        return np.repeat(np.array(self._left, np.int64), self.block)[: self.size]

    @property
    def rows(self) -> int:
        return len(self.sums) + self.size

    @property
    def largest(self) -> int:
        return self.column

    @property
    def columns(self) -> tuple[Table, Table]:
        weights = np.array([*self.sums, self._left], object)
        l1, l2_squared = weights.sum(axis=0), (weights * weights).sum(axis=0)
        return np.repeat(l1, self.block)[: self.size], np.repeat(l2_squared, self.block)[: self.size]

    def applied(self, x: Table) -> Table:
        alone = (x.T * self.own.astype(x.dtype)).T
        if not self.sums:
            return np.asarray(alone)
        blocks = _blocks(x, self.block, len(self.sums[0])).sum(axis=1)
        return np.concatenate([np.tensordot(np.array(self.sums, x.dtype), blocks, axes=1), alone])


Axis = BlockSums | Contrasts | Differences | Convolution | ExplicitRows | Weighted


@dataclass(frozen=True, slots=True)
class IntegerMap:
    """A Kronecker product of maps on the axes of one table, which begins at cell `start` of a query result.

    >>> pairs = IntegerMap(0, (BlockSums(4, 2, 2), BlockSums(2, 2, 1)))
    >>> pairs.applied(np.arange(8)).tolist(), pairs.l1
    ([6, 22], 1)
    """

    start: int
    axes: tuple[Axis, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(axis.rows for axis in self.axes)

    @property
    def is_identity(self) -> bool:
        """Whether it is the identity on the cells."""
        return all(isinstance(axis, BlockSums) and axis.block == 1 for axis in self.axes)

    @property
    def rows(self) -> int:
        return prod(self.shape)

    @property
    def l1(self) -> int:
        """The largest l1 norm of a column."""
        return prod(int(axis.columns[0].max()) for axis in self.axes)

    @property
    def l2_squared(self) -> int:
        """The largest squared l2 norm of a column."""
        return prod(int(axis.columns[1].max()) for axis in self.axes)

    def applied(self, cells: Integers) -> Integers:
        """The exact image of the cells, clipped to ±(2^62 − 1), which does not increase any distance."""
        shape = tuple(axis.size for axis in self.axes)
        table: Table = cells[self.start : self.start + prod(shape)].reshape(shape)
        largest = prod((float(axis.largest) for axis in self.axes), start=1.0)
        if float(np.abs(table.astype(np.float64)).sum()) * 2 * largest >= EXACT:
            table = table.astype(object)
        for position, axis in enumerate(self.axes):
            table = np.moveaxis(axis.applied(np.moveaxis(table, position, 0)), 0, position)
        return np.clip(table.reshape(-1), -FARTHEST, FARTHEST).astype(np.int64)

    def moved(self, cells: Sensitivity, *, replaced: bool) -> Sensitivity:
        """The sensitivity of the image, given the sensitivity of the cells.

        replaced: half of the cells' l1 is removed and half is added (replace-one).

        Theorem: see above. And let no two columns of an axis have a product below −o times the largest square of a column (o:
                 `opposed`). Then ‖A(u − w)‖² ≤ l2² · (1 + o) · l1² / 2 for the removed and added parts u, w ≥ 0 of l1 norm
                 l1 / 2 each, o being the largest of the axes.
        Proof:   ‖A(u − w)‖² = ‖Au‖² + ‖Aw‖² − 2⟨Au, Aw⟩, each square at most l2² · (l1 / 2)². A product of two columns of A
                 is a product over the axes; if it is negative, so is at least one factor, which is at least −o times its
                 axis's largest square, and no factor exceeds its axis's largest square.
        """
        l1, l2_squared = self.l1, self.l2_squared
        moved = cells.l1 * cells.l1
        if replaced:
            moved *= (1 + max((axis.opposed for axis in self.axes), default=Fraction(0))) / 2
        if self.is_identity:
            return cells  # the cells themselves
        largest = prod(axis.largest for axis in self.axes)
        bound = cells.l1 * l1
        return Sensitivity(
            self.rows, min(largest * cells.l1, bound), bound, min(l2_squared * moved, bound * bound)
        )


def _blocks(x: Table, block: int, rows: int) -> Table:
    """The first axis reshaped to `rows` blocks of `block` places, padded with zeros."""
    missing = block * rows - x.shape[0]
    if missing:
        x = np.concatenate([x, np.zeros((missing, *x.shape[1:]), x.dtype)])
    return x.reshape(rows, block, *x.shape[1:])


def probed(linear: IntegerMap) -> tuple[int, int]:
    """The largest column norms, computed independently by applying each axis to unit vectors.

    On an axis of up to PROBED places all unit vectors are tried; on a longer one the first, the middle and the last.
    """
    l1 = l2_squared = 1
    for axis in linear.axes:
        places = range(axis.size) if axis.size <= PROBED else (0, axis.size // 2, axis.size - 1)
        single = np.zeros((axis.size, len(places)), np.int64)
        single[list(places), np.arange(len(places))] = 1
        columns = abs(axis.applied(single).astype(object))
        l1 *= int(columns.sum(axis=0).max())
        l2_squared *= int((columns * columns).sum(axis=0).max())
    return l1, l2_squared
