"""What a strategy is: which integer combinations of counts are measured, and how answers come of the noisy results.

The matrix mechanism (Li, Hay, Rastogi, Miklau & McGregor 2010): to answer the questions W, measure A with noise, estimate
the counts by least squares, and answer from the estimate. The answers' errors depend on A, W and the noise alone, so they
are known before a row is read; answers of one estimate are consistent with each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from lapcat.core.answers import Integers
from lapcat.core.linear import IntegerMap
from lapcat.workload.factors import Floats
from lapcat.workload.workload import AxisWorkload

NoiseKind = Literal["laplace", "gaussian"]


class Strategy(Protocol):
    """Which combinations of counts are measured. A frozen dataclass; adding one is one file and one name in STRATEGIES."""

    @property
    def name(self) -> str:
        """What it is called, with what tells it from others of its kind: `tree 8-16-8`."""

    @property
    def sets(self) -> tuple[tuple[int, ...], ...]:
        """The tables of counts that it reads, each by the positions of its axes; cells are these tables one after another,
        the last axis of each running fastest."""

    @property
    def maps(self) -> tuple[IntegerMap, ...]:
        """What is measured, in parts: each has a noise of its own."""

    @property
    def labels(self) -> tuple[str, ...]:
        """What each part is called in events, for people; `specification.py` has what the ledger keeps."""

    def words(self, columns: Sequence[str]) -> tuple[str, ...]:
        """What each part measures, for people; the columns are those of the axes."""

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """How the parts share what is paid; they add up to 1."""

    def total_variance(self, questions: AxisWorkload, noise: Sequence[float]) -> float:
        """The sum of weight² · variance over all questions, for these variances of the parts' noise."""

    def variances(
        self, questions: AxisWorkload, noise: Sequence[float], weighted: Sequence[float] | None = None
    ) -> Floats:
        """The variance of each answer; weighted: where least squares took the parts' variances to be these."""

    def cells(
        self, questions: AxisWorkload, noisy: Sequence[npt.NDArray[np.float64]], noise: Sequence[float]
    ) -> Floats:
        """The estimated counts of all cells in a row, of which the answers are those that W gives."""

    def answers(
        self, questions: AxisWorkload, noisy: Sequence[npt.NDArray[np.float64]], noise: Sequence[float]
    ) -> Floats:
        """The answers by weighted least squares, given each part's noisy numbers and their variances."""


def measure(strategy: Strategy, cells: Integers) -> tuple[Integers, ...]:
    """What a strategy measures of exact cells, part by part: exact integers."""
    return tuple(linear.applied(cells) for linear in strategy.maps)


def split(strategy: Strategy, noisy: npt.NDArray[np.int64]) -> tuple[Floats, ...]:
    """The released numbers, which are in one row, part by part."""
    ends = np.cumsum([linear.rows for linear in strategy.maps])
    return tuple(part.astype(np.float64) for part in np.split(noisy, ends[:-1]))
