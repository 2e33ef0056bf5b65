"""Integer linear maps of exact counts: what a strategy measures in place of the counts, with how far one row moves it.

A map is a Kronecker product of small maps, one for each axis of a table of counts: sums of blocks, contrasts of a block
with its siblings, a convolution, weighted blocks, or rows that are written out. Its entries are integers, so what it gives is exact, and its
norms follow from those of its axes.

Theorem: let A be the map, v what one unit adds to the counts. Then ‖Av‖₁ ≤ l1 · ‖v‖₁ and ‖Av‖₂ ≤ l2 · ‖v‖₁, where l1 and l2
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
"""Below it sums of products are 64-bit integers; beyond it Python's own, which are slow and have no end."""
PROBED = 256
LIMB = 24


@dataclass(frozen=True, slots=True)
class BlockSums:
    """The sums of consecutive blocks; blocks beyond the last place are empty.

    >>> Sums(5, 2, 3).applied(np.arange(1, 6)).tolist()
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
    """Each block `branch` times, less all its siblings and itself: 0 where siblings are alike.

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
    """The first half of each block less its second half: what contrasts of two come to, said once.

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
        found = [self._convolved(column) for column in columns]
        return np.stack(found, axis=1).reshape(x.shape)

    def _convolved(self, x: Table) -> Table:
        """One column. Python's integers are taken apart into pieces of LIMB bits, each convolved in 64 bits: n² products of
        Python's own would take a thousand times as long, and only where counts are large."""
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
    """Rows that are written out.

    >>> Written(((1, 1, 0), (0, 1, 1))).applied(np.array([1, 2, 3])).tolist()
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
    """Sums of consecutive blocks, each block with a weight, and every place by itself with what its weights leave of `column`.

    So the entries of every column add up to `column`, and none is negative: l1 is the same for all, by construction.

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
            raise Bug("map-shape", "a block has no weight, or a negative one")
        if min(self._left) < 1:
            raise Bug("map-shape", "nothing is left for a place by itself")

    @property
    def _left(self) -> tuple[int, ...]:
        """What is left for each place of a block."""
        used = map(sum, zip(*self.sums, strict=True)) if self.sums else [0] * -(-self.size // self.block)
        return tuple(self.column - weight for weight in used)

    @property
    def own(self) -> Integers:
        """The weight of each place by itself."""
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
    """A Kronecker product of maps on the axes of one table, which begins at `start` among the cells of a look.

    >>> pairs = IntegerMap(0, (Sums(4, 2, 2), Sums(2, 2, 1)))
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
        """Whether it gives the cells themselves."""
        return all(isinstance(axis, BlockSums) and axis.block == 1 for axis in self.axes)

    @property
    def rows(self) -> int:
        return prod(self.shape)

    @property
    def l1(self) -> int:
        """The largest sum of absolute entries of a column."""
        return prod(int(axis.columns[0].max()) for axis in self.axes)

    @property
    def l2_squared(self) -> int:
        """The largest sum of squared entries of a column."""
        return prod(int(axis.columns[1].max()) for axis in self.axes)

    def applied(self, cells: Integers) -> Integers:
        """What is measured, exactly, kept within ±(2^62 − 1): that moves no two results apart."""
        shape = tuple(axis.size for axis in self.axes)
        table: Table = cells[self.start : self.start + prod(shape)].reshape(shape)
        largest = prod((float(axis.largest) for axis in self.axes), start=1.0)
        if float(np.abs(table.astype(np.float64)).sum()) * 2 * largest >= EXACT:
            table = table.astype(object)
        for position, axis in enumerate(self.axes):
            table = np.moveaxis(axis.applied(np.moveaxis(table, position, 0)), 0, position)
        return np.clip(table.reshape(-1), -FARTHEST, FARTHEST).astype(np.int64)

    def moved(self, cells: Sensitivity, *, replaced: bool) -> Sensitivity:
        """How far a unit that moves the cells so far moves what is measured.

        replaced: half of the cells' l1 is what leaves and half what enters (replace-one).

        Theorem: see above. And let no two columns of an axis have a product below −o times the largest square of a column (o:
                 `opposed`). Then ‖A(u − w)‖² ≤ l2² · (1 + o) · l1² / 2 for what leaves and enters, u, w ≥ 0 of l1 / 2
                 each, o being the largest of the axes'.
        Proof:   ‖A(u − w)‖² = ‖Au‖² + ‖Aw‖² − 2⟨Au, Aw⟩, each square at most l2² · (l1 / 2)². A product of two columns of A
                 is a product over the axes; for it to be negative one factor at least is, which is at least −o times its
                 axis's largest square, and no factor is beyond its axis's largest square.
        """
        l1, l2_squared = self.l1, self.l2_squared
        moved = cells.l1 * cells.l1
        if replaced:
            moved *= (1 + max((axis.opposed for axis in self.axes), default=Fraction(0))) / 2
        if self.is_identity:
            return cells  # the cells themselves
        largest = prod(axis.largest for axis in self.axes)
        most = cells.l1 * l1
        return Sensitivity(
            self.rows, min(largest * cells.l1, most), most, min(l2_squared * moved, most * most)
        )


def _blocks(x: Table, block: int, rows: int) -> Table:
    """The first axis in so many rows of so many places, the last ones empty."""
    missing = block * rows - x.shape[0]
    if missing:
        x = np.concatenate([x, np.zeros((missing, *x.shape[1:]), x.dtype)])
    return x.reshape(rows, block, *x.shape[1:])


def probed(linear: IntegerMap) -> tuple[int, int]:
    """The norms of the largest column a second time, from what each axis makes of single rows.

    Of an axis of up to PROBED places all of them are tried; of a longer one the first, the middle and the last.
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
