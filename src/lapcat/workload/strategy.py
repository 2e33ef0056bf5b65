"""The interface of a strategy: the integer combinations of counts that are measured, and the reconstruction of answers.

The matrix mechanism (Li, Hay, Rastogi, Miklau & McGregor 2010): to answer the questions W, measure A with noise, estimate
the counts by least squares, and answer from the estimate. The errors depend only on A, W and the noise, so they are known
before any row is read; answers from one estimate are consistent.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from lapcat.core.answers import Integers
from lapcat.workload.factors import Floats
from lapcat.workload.linear import IntegerMap
from lapcat.workload.workload import AxisWorkload

NoiseKind = Literal["laplace", "gaussian"]


class Strategy(Protocol):
    """The combinations of counts to measure. A frozen dataclass; a new one is one file and one name in STRATEGIES."""

    @property
    def name(self) -> str:
        """The name, with parameters that distinguish it from others of its kind: `tree 8-16-8`."""

    @property
    def sets(self) -> tuple[tuple[int, ...], ...]:
        """The tables of counts that it reads, each by the positions of its axes; the cells are these tables one after another,
        in row-major order."""

    @property
    def maps(self) -> tuple[IntegerMap, ...]:
        """The measured parts, each with its own noise."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The label of each part in events, for people; the stored form is in `specification.py`."""

    def words(self, columns: Sequence[str]) -> tuple[str, ...]:
        """A description of each part, for people, with these names of the axes."""

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """The parts' shares of the budget; they add up to 1."""

    def total_variance(self, questions: AxisWorkload, noise: Sequence[float]) -> float:
        """The sum of weight² · variance over all questions, for these variances of the parts' noise."""

    def variances(
        self, questions: AxisWorkload, noise: Sequence[float], weighted: Sequence[float] | None = None
    ) -> Floats:
        """The variance of each answer; weighted: the variances that least squares assumed, if different."""

    def cells(
        self, questions: AxisWorkload, noisy: Sequence[npt.NDArray[np.float64]], noise: Sequence[float]
    ) -> Floats:
        """The estimated counts x̂ of all cells, flattened; the answers are W x̂."""

    def answers(
        self, questions: AxisWorkload, noisy: Sequence[npt.NDArray[np.float64]], noise: Sequence[float]
    ) -> Floats:
        """The answers by weighted least squares, given each part's noisy numbers and variances."""


def measure(strategy: Strategy, cells: Integers) -> tuple[Integers, ...]:
    """The exact measurements of a strategy, part by part."""
    return tuple(linear.applied(cells) for linear in strategy.maps)


def split(strategy: Strategy, noisy: npt.NDArray[np.int64]) -> tuple[Floats, ...]:
    """The released numbers, split into parts."""
    ends = np.cumsum([linear.rows for linear in strategy.maps])
    return tuple(part.astype(np.float64) for part in np.split(noisy, ends[:-1]))
