"""Prefix sums by the square-root factorisation of their matrix: decaying weights, rounded to a grid of integers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from lapcat.workload.factors import Factor, Floats, PrefixSums
from lapcat.workload.linear import Convolution, IntegerMap
from lapcat.workload.running import total_variance_by, variances_by
from lapcat.workload.strategy import NoiseKind
from lapcat.workload.workload import AxisWorkload

GRID = 2**20
"""A weight of 1 in steps; the smallest of 2^13 weights then still has three digits."""
MAX_CELLS = 2**13
MAX_DENSE = 2**11
"""Up to this many cells the errors of other questions are computed too, from the covariance of all prefix sums."""


@dataclass(frozen=True)
class Toeplitz:
    """Measures A x, A the lower triangular Toeplitz matrix of binom(2k, k) / 4^k, rounded to multiples of 1 / grid.

    Without rounding, A·A is the matrix of prefix sums (the series is that of (1 − z)^(−1/2)). The strategy measures the
    rounded A, which is an integer matrix in steps of the grid, and l1, l2² and A⁻¹ are those of the rounded A: rounding
    changes the measurement, never the claims about it. A is invertible, with grid on its diagonal.

    Source: the square-root factorisation of prefix sums; Li, Hay, Rastogi, Miklau & McGregor 2010 for the use of any A.
    """

    size: int
    grid: int = GRID

    @property
    def name(self) -> str:
        return "square root"

    @property
    def sets(self) -> tuple[tuple[int, ...], ...]:
        return ((0,),)

    @property
    def shares(self) -> tuple[Fraction, ...]:
        return (Fraction(1),)

    @property
    def labels(self) -> tuple[str, ...]:
        return (f"{self.name}: convolution {self.size}*{self.grid}",)

    def words(self, columns: Sequence[str]) -> tuple[str, ...]:
        return (f"running counts along {columns[0]}, with weights that decay with distance",)

    @cached_property
    def maps(self) -> tuple[IntegerMap, ...]:
        return (IntegerMap(0, (Convolution(root_weights(self.size, self.grid)),)),)

    @cached_property
    def _inverse(self) -> Floats:
        """The first column of A⁻¹, which is also lower triangular and Toeplitz."""
        return _inverted(root_weights(self.size, self.grid))

    @cached_property
    def _running(self) -> Floats:
        """The first column of (prefix sums)·A⁻¹."""
        return np.cumsum(self._inverse)

    @cached_property
    def _covariance(self) -> Floats:
        """The covariance of the prefix sums of the first 0, 1, … cells, for noise of variance 1."""
        square = np.zeros((self.size + 1, self.size))
        for row in range(self.size):
            square[row + 1, : row + 1] = self._running[row::-1]
        return np.asarray(square @ square.T)

    def total_variance(self, questions: AxisWorkload, noise: Sequence[float]) -> float:
        total = 0.0
        for term in questions.terms:
            factor = term.factor(0, self.size)
            if isinstance(factor, PrefixSums):
                variance = float(self._variances(factor).sum())
            else:
                variance = total_variance_by(factor, self._covariance)
            total += term.weight**2 * variance
        return total * noise[0]

    def variances(
        self, questions: AxisWorkload, noise: Sequence[float], weighted: Sequence[float] | None = None
    ) -> Floats:
        variances = [self._variances(term.factor(0, self.size)) for term in questions.terms]
        return np.concatenate(variances) * noise[0]

    def _variances(self, factor: Factor) -> Floats:
        if isinstance(factor, PrefixSums):
            return np.cumsum(self._running**2)[: factor.size]
        return variances_by(factor, self._covariance)

    def cells(
        self, questions: AxisWorkload, noisy: Sequence[npt.NDArray[np.float64]], noise: Sequence[float]
    ) -> Floats:
        return np.convolve(self._inverse, noisy[0])[: self.size]

    def answers(
        self, questions: AxisWorkload, noisy: Sequence[npt.NDArray[np.float64]], noise: Sequence[float]
    ) -> Floats:
        return questions.answers(self.cells(questions, noisy, noise))


def toeplitz(questions: AxisWorkload, kind: NoiseKind) -> Iterator[Toeplitz]:
    """The square root, for prefix sums of one ordered column with Gaussian noise; its l1 norm is too large for Laplace."""
    if kind != "gaussian" or len(questions.axes) != 1 or not 4 <= questions.shape[0] <= MAX_CELLS:
        return
    running = all(isinstance(term.factor(0, questions.shape[0]), PrefixSums) for term in questions.terms)
    if running or questions.shape[0] <= MAX_DENSE:
        yield Toeplitz(questions.shape[0])


@lru_cache(maxsize=8)
def root_weights(size: int, grid: int) -> tuple[int, ...]:
    """binom(2k, k) / 4^k in steps of the grid, each rounded to the nearest integer by exact arithmetic.

    >>> root_weights(4, 16)
    (16, 8, 6, 5)
    """
    weights, bits = [], 64
    exact = grid << bits  # rounded down to 2^-64 of a step: far below half a step
    for k in range(size):
        weights.append((exact + (1 << (bits - 1))) >> bits)
        exact = exact * (2 * k + 1) // (2 * k + 2)
    return tuple(weights)


def _inverted(weights: tuple[int, ...]) -> Floats:
    """The power series 1 / weights, term by term."""
    series = np.array(weights, np.float64) / weights[0]
    inverse = np.zeros(len(series))
    inverse[0] = 1.0
    for k in range(1, len(series)):
        inverse[k] = -float(series[1 : k + 1] @ inverse[k - 1 :: -1])
    return inverse / weights[0]
