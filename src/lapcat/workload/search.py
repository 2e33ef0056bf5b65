"""Optimises weights of overlapping blocks for questions about one ordered column with Laplace noise, by descent.

The strategy measures each cell once and some sums with weights Φ ≥ 0, divided column by column by d = 1 + Σ_r Φ_r so that
all columns have l1 norm 1. The squared error of all questions is then

    tr (I + Φ'Φ)⁻¹ d G d,    G = W'W,

a smooth function of Φ with local minima. The weights are constant within blocks of a few cells, which makes the search and
the stored result short. It starts from trees of blocks, and refines from large blocks to small ones.

Source: McKenna, Miklau, Hay & Machanavajjhala 2018 (HDMM) for this form of a strategy and its error. Here the sums start as
        a tree instead of random numbers, and blocks are refined.

The result is a function of the questions alone: no rounding depends on the machine or on a library (`times`). Nothing else
is claimed: the weights become whole numbers, from which norms and errors are computed (`optimised.py`). A worse minimum
costs accuracy, never privacy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from lapcat.workload.factors import Floats

FINEST = 512
"""Maximum number of blocks with separate weights."""
COARSE = 100
"""The search starts with blocks up to four times larger if at least this many remain."""
STEPS = ((300,), (150, 100), (150, 80, 60))
"""Steps at each block size, the largest first; indexed by the number of sizes."""
SMALL = 256
"""Up to this many cells the search has many starts, since each is short."""
STARTS_SMALL = ((6, 4), (8, 4), (12, 4), (16, 4), (16, 8), (20, 5), (24, 6))
STARTS = ((20, 4), (20, 6))
LARGE = 1024
"""Above this many cells there is one start: a preview may take seconds, not a minute."""
STARTS_LARGE = ((40, 4),)
"""Starting trees: the length of the smallest blocks, and the branching factor."""
FIRST = 0.7
"""The initial weight of every block; a cell has 1."""
KEPT = 12
"""Memory of the quasi-Newton method, in steps."""
HALVINGS = 20
PATIENCE = 20
ENOUGH = 2e-6
"""The search stops if PATIENCE steps together lower the error by no more than this fraction."""
NOTHING = 1e-6
STRIPE = 2**18
DEPTH = 64
"""Limits on products per call of the linear algebra library, and per sum."""
BITS = 23
"""Bits per slice of a number: DEPTH products of at most 2^(2 BITS) each are at most 2^53, so their sums are exact."""
ENTRY_BY_ENTRY = 24


@dataclass(frozen=True, slots=True)
class SearchTarget:
    """The objective of the search: the questions, with cells in blocks."""

    lengths: Floats
    own: Floats
    """Σ G_jj over the cells of each block."""
    gram: Sliced
    """Σ G_jk over the cells of each two blocks."""

    def error(self, weights: Floats) -> tuple[float, Floats]:
        """The squared error with these weights, and its gradient.

        With M = (I + Φ S Φ')⁻¹, S the lengths of the blocks, (I + Φ'Φ)⁻¹ is I − Φ'MΦ over cells, so the inverted matrix has
        one row per sum.
        """
        scaled = 1 + weights.sum(axis=0)
        both = _sliced(weights)
        inverse = _sliced(inverted(np.eye(len(weights)) + times(weights * self.lengths, both.turned)))
        solved = times(inverse, both)
        crossed = times(weights * scaled, self.gram)
        error = float((scaled * scaled * self.own).sum() - (solved * crossed * scaled).sum())
        moved = times(inverse, crossed * scaled)
        slope = 2 * (times(times(moved, both.turned), solved * self.lengths) - moved)
        return error, slope + 2 * (scaled * self.own - (solved * crossed).sum(axis=0))


def times(left: Floats | Sliced, right: Floats | Sliced) -> Floats:
    """left @ right, the same on every machine, in pieces too small for a linear algebra library to spread over threads.

    Theorem: the result is a function of the operands alone, whatever order, width or fused operations the library uses.
    Proof:   each operand is the sum of two slices, whose entries are whole multiples of one power of two, at most 2^BITS of
             it. Products of two slices are then multiples of one power of two, at most 2^(2 BITS) of it, and DEPTH of them
             add up to at most 2^53: every partial sum is a double, so nothing is rounded in the library. The rest is done
             entry by entry, in a written order.
    Source:  Ozaki, Ogita, Oishi & Rump 2012 (error-free transformation of matrix products). The product of the two
             smaller slices is left out: what is lost is about 2^-44 of the largest entries.

    Threads that synchronise at every step take twenty times as long on a busy machine, and gain little on an idle one.
    """
    a, b = _sliced(left), _sliced(right)
    product = _pieces(a.large, b.large)
    if b.small is not None:
        product += _pieces(a.large, b.small)
    if a.small is not None:
        product += _pieces(a.small, b.large)
    return product


@dataclass(frozen=True, slots=True)
class Sliced:
    """A matrix as the sum of two with few bits each; the second is None if it is zero."""

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
    """Each entry rounded to a multiple of the unit, if below 2^51 of them: a double near 1.5 · 2^52 is an integer."""
    whole = math.ldexp(1.5 * unit, 52)
    return np.asarray((x + whole) - whole)


def _pieces(left: Floats, right: Floats) -> Floats:
    """left @ right, with DEPTH products per sum in the library."""
    rows, inner = left.shape
    product = np.zeros((rows, right.shape[1]))
    wide = max(1, STRIPE // (rows * DEPTH))
    whole = right.shape[1] // wide * wide
    for start in range(0, inner, DEPTH):
        some, below = left[:, start : start + DEPTH], right[start : start + DEPTH]
        stripes = below[:, :whole].reshape(len(below), -1, wide).transpose(1, 0, 2)
        product[:, :whole] += np.matmul(some, stripes).transpose(1, 0, 2).reshape(rows, whole)
        product[:, whole:] += some @ below[:, whole:]
    return product


def inverted(matrix: Floats) -> Floats:
    """The inverse of a symmetric matrix whose eigenvalues are at least 1, the same on every machine.

    By halves, with the Schur complement, whose eigenvalues are at least 1 too; small ones entry by entry.
    """
    size = len(matrix)
    if size <= ENTRY_BY_ENTRY:
        augmented = np.concatenate([matrix, np.eye(size)], axis=1)
        for k in range(size):
            augmented[k] /= augmented[k, k]
            others = augmented[:, k].copy()
            others[k] = 0.0
            augmented -= np.multiply.outer(others, augmented[k])
        return augmented[:, size:]
    half = size // 2
    beside = matrix[:half, half:]
    first = inverted(matrix[:half, :half])
    across = times(first, beside)
    second = inverted(matrix[half:, half:] - times(across.T, beside))
    corner = -times(across, second)
    return np.block([[first - times(corner, across.T), corner], [corner.T, second]])


def search_target_of(gram: Floats, block: int) -> SearchTarget:
    """The objective for this W'W, with cells in blocks of this length."""
    starts = np.arange(0, len(gram), block)
    lengths = np.diff(np.append(starts, len(gram))).astype(np.float64)
    sums = np.add.reduceat(np.add.reduceat(gram, starts, axis=0), starts, axis=1)
    return SearchTarget(lengths, np.add.reduceat(np.diag(gram), starts), _sliced(sums))


class Gram:
    """W'W, hashable and compared by value."""

    def __init__(self, matrix: Floats) -> None:
        self.matrix = matrix / np.trace(matrix)  # the optimum does not depend on the scale
        self._bytes = self.matrix.tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Gram) and self._bytes == other._bytes

    def __hash__(self) -> int:
        return hash(self._bytes)


@lru_cache(maxsize=16)
def searched(gram: Gram) -> tuple[int, Floats]:
    """The length of the blocks and the best weights found: one row per sum, one column per block."""
    finest = -(-len(gram.matrix) // FINEST)
    best, min_error = np.zeros((0, 0)), np.inf
    for weights, error in _descents(gram.matrix, finest):
        if error < min_error:
            best, min_error = weights, error
    best.setflags(write=False)
    return finest, best


def _descents(gram: Floats, finest: int) -> Iterator[tuple[Floats, float]]:
    """The weights and error that each start leads to."""
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
    """Weights of a smaller error, and that error, by limited-memory quasi-Newton steps over non-negative weights.

    A weight at 0 that would become negative is fixed for the step.
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
    """The Euclidean norm; NumPy's own uses threads, see `times`."""
    return float(np.sqrt((x * x).sum()))


class _Memory:
    """The last steps and changes of the gradient, which approximate the curvature (L-BFGS)."""

    def __init__(self) -> None:
        self.moves: list[tuple[Floats, Floats, float]] = []

    def add(self, step: Floats, change: Floats) -> None:
        curved = float((step * change).sum())
        if curved > 1e-12 * _length(step) * _length(change):
            self.moves = [*self.moves[1 - KEPT :], (step, change, 1 / curved)]

    def applied(self, slope: Floats) -> Floats:
        """The gradient times an estimate of the inverse Hessian."""
        direction, shares = slope.copy(), []
        for step, change, scale in reversed(self.moves):
            shares.append(scale * float((step * direction).sum()))
            direction -= shares[-1] * change
        if self.moves:
            _, change, scale = self.moves[-1]
            direction /= scale * float((change * change).sum())
        for (step, change, scale), share in zip(self.moves, reversed(shares), strict=True):
            direction += (share - scale * float((change * direction).sum())) * step
        return direction
