"""Weights of overlapping blocks that serve questions about one ordered column best with Laplace noise, found by descent.

Measured are each cell, once, and some sums with weights Φ ≥ 0, divided column by column by d = 1 + Σ_r Φ_r so that all
columns have l1 norm 1. The squared error of all questions is then

    tr (I + Φ'Φ)⁻¹ d G d,    G = W'W,

a smooth function of Φ, which has local minima. The weights are the same within blocks of a few cells: that makes the search
short and what is found short to write down. It begins with trees of blocks, whose weights it moves, at first over large blocks.

Source: McKenna, Miklau, Hay & Machanavajjhala 2018 (HDMM) for this form of a strategy and its error. Here the sums begin as a
        tree in place of random numbers, and blocks are refined.

What is found is a function of the questions alone: no rounding depends on the machine or on a library (`times`).
Nothing else is claimed of it: whatever the weights are, they become whole numbers, whose norms and errors are computed
from these (`optimised.py`). A worse minimum costs accuracy, never privacy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from lapcat.workload.factors import Floats

FINEST = 512
"""So many blocks have weights of their own."""
COARSE = 100
"""The search begins with blocks that are larger by up to four times, where so many are left."""
STEPS = ((300,), (150, 100), (150, 80, 60))
"""How many steps at each size of blocks, the largest first; by how many sizes there are."""
SMALL = 256
"""Up to so many cells the search has many starts, since each is short."""
STARTS_SMALL = ((6, 4), (8, 4), (12, 4), (16, 4), (16, 8), (20, 5), (24, 6))
STARTS = ((20, 4), (20, 6))
LARGE = 1024
"""Above so many cells one start must do: a preview may take seconds, not a minute."""
STARTS_LARGE = ((40, 4),)
"""Trees to begin with: the length of the smallest blocks, and how many of them the next ones have."""
FIRST = 0.7
"""The weight of every block at the start, where a cell has 1."""
KEPT = 12
"""So many steps the search remembers for the shape of the error."""
HALVINGS = 20
PATIENCE = 20
ENOUGH = 2e-6
"""It ends where PATIENCE steps together lower the error by no more than this part."""
NOTHING = 1e-6
STRIPE = 2**18
DEPTH = 64
"""At most STRIPE products are in one call of the linear algebra library, and DEPTH in each sum."""
BITS = 23
"""Of a slice of a number: DEPTH products of at most 2^(2 BITS) each are at most 2^53, so their sums are exact."""
ENTRY_BY_ENTRY = 24


@dataclass(frozen=True, slots=True)
class SearchTarget:
    """Questions as the search sees them, with cells in blocks."""

    lengths: Floats
    own: Floats
    """Σ G_jj over the cells of each block."""
    gram: Sliced
    """Σ G_jk over the cells of each two blocks."""

    def error(self, weights: Floats) -> tuple[float, Floats]:
        """The squared error with these weights, and its slope.

        With M = (I + Φ S Φ')⁻¹, S the lengths of the blocks, (I + Φ'Φ)⁻¹ is I − Φ'MΦ over cells, so that only matrices as
        large as there are sums are inverted.
        """
        scaled = 1 + weights.sum(axis=0)
        both = _sliced(weights)
        inverse = _sliced(inverted(np.eye(len(weights)) + times(weights * self.lengths, both.turned)))
        told = times(inverse, both)
        met = times(weights * scaled, self.gram)
        error = float((scaled * scaled * self.own).sum() - (told * met * scaled).sum())
        moved = times(inverse, met * scaled)
        slope = 2 * (times(times(moved, both.turned), told * self.lengths) - moved)
        return error, slope + 2 * (scaled * self.own - (told * met).sum(axis=0))


def times(left: Floats | Sliced, right: Floats | Sliced) -> Floats:
    """left @ right, the same on every machine, in pieces that a linear algebra library does not share among threads.

    Theorem: the result is a function of the operands alone, whatever order, width or fused operations the library uses.
    Proof:   each operand is the sum of two slices, whose entries are whole multiples of one power of two, at most 2^BITS of
             it. Products of two slices are then multiples of one power of two, at most 2^(2 BITS) of it, and DEPTH of them
             add up to at most 2^53: every partial sum is a double, so nothing is rounded in the library. The rest is done
             entry by entry, in a written order.
    Source:  Ozaki, Ogita, Oishi & Rump 2012 (error-free transformation of matrix products). The product of the two
             smaller slices is left out: what is lost is about 2^-44 of the largest entries.

    Threads that wait for each other at every step take twenty times as long on a busy machine, and gain little on an idle one.
    """
    one, other = _sliced(left), _sliced(right)
    found = _pieces(one.large, other.large)
    if other.small is not None:
        found += _pieces(one.large, other.small)
    if one.small is not None:
        found += _pieces(one.small, other.large)
    return found


@dataclass(frozen=True, slots=True)
class Sliced:
    """A matrix as the sum of two of few bits each; None: the second is nothing."""

    large: Floats
    small: Floats | None

    @property
    def turned(self) -> Sliced:
        return Sliced(self.large.T, None if self.small is None else self.small.T)


def _sliced(x: Floats | Sliced) -> Sliced:
    if isinstance(x, Sliced):
        return x
    largest = max(float(x.max()), -float(x.min()))
    unit = math.ldexp(1.0, math.frexp(largest)[1] - BITS)
    large = _multiples(x, unit)
    small = _multiples(x - large, math.ldexp(unit, -BITS))
    return Sliced(large, small if small.any() else None)


def _multiples(x: Floats, unit: float) -> Floats:
    """Each entry rounded to a multiple of the unit, where it is below 2^51 of them: a double near 1.5 · 2^52 is whole."""
    whole = math.ldexp(1.5 * unit, 52)
    return np.asarray((x + whole) - whole)


def _pieces(left: Floats, right: Floats) -> Floats:
    """left @ right, DEPTH products in each sum of the library."""
    rows, inner = left.shape
    found = np.zeros((rows, right.shape[1]))
    wide = max(1, STRIPE // (rows * DEPTH))
    whole = right.shape[1] // wide * wide
    for start in range(0, inner, DEPTH):
        some, below = left[:, start : start + DEPTH], right[start : start + DEPTH]
        stripes = below[:, :whole].reshape(len(below), -1, wide).transpose(1, 0, 2)
        found[:, :whole] += np.matmul(some, stripes).transpose(1, 0, 2).reshape(rows, whole)
        found[:, whole:] += some @ below[:, whole:]
    return found


def inverted(matrix: Floats) -> Floats:
    """The inverse of a symmetric matrix whose eigenvalues are at least 1, the same on every machine.

    By halves, with the Schur complement, whose eigenvalues are at least 1 too; small ones entry by entry.
    """
    size = len(matrix)
    if size <= ENTRY_BY_ENTRY:
        found = np.concatenate([matrix, np.eye(size)], axis=1)
        for k in range(size):
            found[k] /= found[k, k]
            others = found[:, k].copy()
            others[k] = 0.0
            found -= np.multiply.outer(others, found[k])
        return found[:, size:]
    half = size // 2
    beside = matrix[:half, half:]
    first = inverted(matrix[:half, :half])
    across = times(first, beside)
    second = inverted(matrix[half:, half:] - times(across.T, beside))
    corner = -times(across, second)
    return np.block([[first - times(corner, across.T), corner], [corner.T, second]])


def search_target_of(gram: Floats, block: int) -> SearchTarget:
    """The questions of this W'W, with cells in blocks of this length."""
    starts = np.arange(0, len(gram), block)
    lengths = np.diff(np.append(starts, len(gram))).astype(np.float64)
    sums = np.add.reduceat(np.add.reduceat(gram, starts, axis=0), starts, axis=1)
    return SearchTarget(lengths, np.add.reduceat(np.diag(gram), starts), _sliced(sums))


class Gram:
    """W'W, which is the same as another by its numbers."""

    def __init__(self, matrix: Floats) -> None:
        self.matrix = matrix / np.trace(matrix)  # questions that weigh twice as much want the same
        self._bytes = self.matrix.tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Gram) and self._bytes == other._bytes

    def __hash__(self) -> int:
        return hash(self._bytes)


@lru_cache(maxsize=16)
def searched(gram: Gram) -> tuple[int, Floats]:
    """The best weights that were found, and the length of their blocks: for each sum (a row) one for each block."""
    finest = -(-len(gram.matrix) // FINEST)
    best, least = np.zeros((0, 0)), np.inf
    for weights, error in _descents(gram.matrix, finest):
        if error < least:
            best, least = weights, error
    best.setflags(write=False)
    return finest, best


def _descents(gram: Floats, finest: int) -> Iterator[tuple[Floats, float]]:
    """From each start, what it leads to."""
    size = len(gram)
    blocks = [finest << power for power in (2, 1) if (finest << power) * COARSE <= size] + [finest]
    levels = [(search_target_of(gram, b), b, n) for b, n in zip(blocks, STEPS[len(blocks) - 1], strict=True)]
    starts = STARTS_SMALL if size <= SMALL else STARTS if size <= LARGE else STARTS_LARGE
    for smallest, branch in starts:
        if 2 * smallest > size:
            continue
        weights, error, before = tree_start(size, blocks[0], smallest, branch), np.inf, blocks[0]
        for wanted, block, steps in levels:
            finer = np.repeat(weights, before // block, axis=1)[:, : len(wanted.lengths)]
            weights, error = descended(wanted, finer, steps)
            weights = weights[weights.max(axis=1) > NOTHING]
            before = block
        yield weights, error


def tree_start(size: int, block: int, smallest: int, branch: int) -> Floats:
    """Blocks of `smallest` cells, of `branch` of these, and so on, all with the same weight."""
    places = np.arange(0, size, block)
    rows = []
    length = smallest
    while length < size:
        rows += [np.where(places // length == n, FIRST, 0.0) for n in range(-(-size // length))]
        length *= branch
    return np.array(rows)


def descended(wanted: SearchTarget, weights: Floats, steps: int) -> tuple[Floats, float]:
    """Weights of a smaller error, and that error: quasi-Newton steps of limited memory among weights that are not negative.

    A weight that is 0 and would become negative stays as it is for the step.
    """
    error, slope = wanted.error(weights)
    errors, kept = [error], _Memory()
    for _ in range(steps):
        free = (weights > 0) | (slope < 0)
        down = np.where(free, slope, 0.0)
        if not down.any():
            break
        step = np.where(free, -kept.applied(down), 0.0)
        if not kept.moves or (step * down).sum() >= 0:
            kept = _Memory()
            step = -down * (0.1 * max(_length(weights), 1.0) / _length(down))
        for _ in range(HALVINGS):
            after = np.maximum(weights + step, 0.0)
            lower, turned = wanted.error(after)
            if lower <= error + 1e-4 * float((down * (after - weights)).sum()):
                break
            step = step / 2
        else:
            if not kept.moves:
                break
            kept = _Memory()
            continue
        kept.add(after - weights, turned - slope)
        weights, error, slope = after, lower, turned
        errors.append(error)
        if len(errors) > PATIENCE and errors[-1 - PATIENCE] - error < ENOUGH * error:
            break
    return weights, error


def _length(x: Floats) -> float:
    """NumPy's own norm shares its work among threads; see `times`."""
    return float(np.sqrt((x * x).sum()))


class _Memory:
    """The last steps and how the slope changed over them: what is known of the error's curvature."""

    def __init__(self) -> None:
        self.moves: list[tuple[Floats, Floats, float]] = []

    def add(self, step: Floats, change: Floats) -> None:
        curved = float((step * change).sum())
        if curved > 1e-12 * _length(step) * _length(change):
            self.moves = [*self.moves[1 - KEPT :], (step, change, 1 / curved)]

    def applied(self, slope: Floats) -> Floats:
        """The slope times an estimate of the inverse of the second derivatives."""
        found, shares = slope.copy(), []
        for step, change, scale in reversed(self.moves):
            shares.append(scale * float((step * found).sum()))
            found -= shares[-1] * change
        if self.moves:
            _, change, scale = self.moves[-1]
            found /= scale * float((change * change).sum())
        for (step, change, scale), share in zip(self.moves, reversed(shares), strict=True):
            found += (share - scale * float((change * found).sum())) * step
        return found
