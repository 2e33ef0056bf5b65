"""Weighted, overlapping blocks of ordered columns, found by search: for ranges and prefix sums with Laplace noise."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lapcat.workload.factors import Each, Factor, Floats
from lapcat.workload.linear import IntegerMap, Weighted
from lapcat.workload.running import gram_of, total_variance_by, variances_by
from lapcat.workload.search import Gram, searched
from lapcat.workload.strategy import NoiseKind
from lapcat.workload.workload import AxisWorkload

MIN_CELLS = 8
MAX_CELLS = 2048
"""A search over more cells takes too long, or needs blocks that are too large."""
GRID = 1000
"""The sum of the weights of a cell, in steps."""


@dataclass(frozen=True)
class Optimised:
    """One map per axis; their product is measured once.

    Theorem: with A = A_1 ⊗ … and questions W = W_1 ⊗ …, the variance of the answer to q = q_1 ⊗ … is the product of the
             q_i'(A_i'A_i)⁻¹q_i times that of the noise; the total is the product of the traces.
    Proof:   (A'A)⁻¹ is the Kronecker product of the (A_i'A_i)⁻¹.
    Source:  McKenna, Miklau, Hay & Machanavajjhala 2018.

    The weights are whole numbers (`core.linear.Weighted`); norms, errors and answers are those of the whole numbers.
    """

    axes: tuple[Weighted, ...]

    @property
    def name(self) -> str:
        return "optimised"

    @property
    def sets(self) -> tuple[tuple[int, ...], ...]:
        return (tuple(range(len(self.axes))),)

    @property
    def shares(self) -> tuple[Fraction, ...]:
        return (Fraction(1),)

    @property
    def labels(self) -> tuple[str, ...]:
        return (f"{self.name}: weighted sums of overlapping ranges",)

    def words(self, columns: Sequence[str]) -> tuple[str, ...]:
        each = []
        for column, axis in zip(columns, self.axes, strict=True):
            weighted = f", and {len(axis.sums)} weighted sums of overlapping ranges" if axis.sums else ""
            each.append(f"each {column}{weighted}")
        listed = "; for each of these ".join(each)
        return (f"counts of {listed}, in steps of 1/{math.prod(axis.column for axis in self.axes)}",)

    @cached_property
    def maps(self) -> tuple[IntegerMap, ...]:
        return (IntegerMap(0, self.axes),)

    @cached_property
    def _fits(self) -> tuple[_Fit, ...]:
        return tuple(_Fit(axis) for axis in self.axes)

    def _factors(self, questions: AxisWorkload) -> Iterator[tuple[float, list[Factor]]]:
        for term in questions.terms:
            yield term.weight, [term.factor(i, axis.size) for i, axis in enumerate(self.axes)]

    def total_variance(self, questions: AxisWorkload, noise: Sequence[float]) -> float:
        total = 0.0
        for weight, factors in self._factors(questions):
            each = (total_variance_by(f, fit.totals) for f, fit in zip(factors, self._fits, strict=True))
            total += weight**2 * math.prod(each)
        return total * noise[0]

    def variances(
        self, questions: AxisWorkload, noise: Sequence[float], weighted: Sequence[float] | None = None
    ) -> Floats:
        variances = []
        for _, factors in self._factors(questions):
            products: Floats = np.ones(1)
            for factor, fit in zip(factors, self._fits, strict=True):
                products = np.multiply.outer(products, variances_by(factor, fit.totals)).reshape(-1)
            variances.append(products)
        return np.concatenate(variances) * noise[0]

    def cells(
        self, questions: AxisWorkload, noisy: Sequence[npt.NDArray[np.float64]], noise: Sequence[float]
    ) -> Floats:
        table = noisy[0].reshape([axis.rows for axis in self.axes])
        for position, fit in enumerate(self._fits):
            table = np.moveaxis(fit.solved(np.moveaxis(table, position, 0)), 0, position)
        return table.reshape(-1)

    def answers(
        self, questions: AxisWorkload, noisy: Sequence[npt.NDArray[np.float64]], noise: Sequence[float]
    ) -> Floats:
        return questions.answers(self.cells(questions, noisy, noise))


class _Fit:
    """Least squares of one axis. With o the cells' own weights and R the weighted sums, A'A = o² + R'R, and

    (A'A)⁻¹ = o⁻² − U'U,   U = L⁻¹ R o⁻²,   LL' = I + R o⁻² R'.
    """

    def __init__(self, axis: Weighted) -> None:
        self.own = axis.own.astype(np.float64)
        self.sums: Floats = np.zeros((0, axis.size))
        self.rest: Floats = self.sums
        if axis.sums:
            self.sums = np.repeat(np.array(axis.sums, np.float64), axis.block, axis=1)[:, : axis.size]
            lower = np.linalg.cholesky(np.eye(len(self.sums)) + (self.sums / self.own**2) @ self.sums.T)
            self.rest = np.linalg.solve(lower, self.sums / self.own**2)

    @cached_property
    def totals(self) -> Floats:
        """The covariance of the prefix sums of the first 0, 1, … cells, for noise of variance 1."""
        alone = np.concatenate([[0.0], np.cumsum(1 / self.own**2)])
        together = np.concatenate([np.zeros((len(self.rest), 1)), np.cumsum(self.rest, axis=1)], axis=1)
        return np.asarray(np.minimum.outer(alone, alone) - together.T @ together)

    def solved(self, measured: Floats) -> Floats:
        """The cells, given noisy sums and noisy cells along the first axis."""
        many = len(self.sums)
        projected = np.tensordot(self.sums.T, measured[:many], axes=1) + (measured[many:].T * self.own).T
        return np.asarray(
            (projected.T / self.own**2).T
            - np.tensordot(self.rest.T, self.rest @ _flat(projected), axes=1).reshape(projected.shape)
        )


def _flat(table: Floats) -> Floats:
    return table.reshape(table.shape[0], -1)


def optimised(questions: AxisWorkload, kind: NoiseKind) -> Iterator[Optimised]:
    """The searched weights for one ordered column, or for each of several in a product of questions."""
    if (
        kind != "laplace"
        or max(questions.shape) > MAX_CELLS
        or (len(questions.axes) > 1 < len(questions.terms))
    ):
        return
    axes = []
    for i, size in enumerate(questions.shape):
        asked = [(term.weight, term.factor(i, size)) for term in questions.terms]
        if size < MIN_CELLS or all(isinstance(factor, Each) for _, factor in asked):
            axes.append(Weighted(size, 1, 1, ()))
            continue
        gram = np.zeros((size, size))
        for weight, factor in asked:
            gram[: factor.size, : factor.size] += weight**2 * gram_of(factor)
        axes.append(_whole(size, *searched(Gram(gram))))
    if any(axis.sums for axis in axes):
        yield Optimised(tuple(axes))


def _whole(size: int, block: int, weights: Floats) -> Weighted:
    """Weights in whole steps; the cell's own weight is the remainder, at least one step."""
    if not weights.size:
        return Weighted(size, block, 1, ())
    shares = np.floor(weights / (1 + weights.sum(axis=0)) * (GRID - 1) + 0.5).astype(np.int64)
    over = np.maximum(shares.sum(axis=0) - (GRID - 1), 0)
    shares[shares.argmax(axis=0), np.arange(shares.shape[1])] -= over
    return Weighted(size, block, GRID, tuple(tuple(row) for row in shares.tolist() if any(row)))
