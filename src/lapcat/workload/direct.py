"""The strategy that measures the questions themselves, for small workloads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lapcat.workload.factors import Floats
from lapcat.workload.linear import ExplicitRows, IntegerMap
from lapcat.workload.strategy import NoiseKind
from lapcat.workload.workload import AxisWorkload

MAX_QUERIES = 256
MAX_ENTRIES = 2**20
"""Maximum size of the matrix of questions over all cells."""


@dataclass(frozen=True)
class Direct:
    """W itself, with noise for its own sensitivity: the number of questions that one row is in.

    If questions are linearly dependent, least squares makes the answers consistent: they are projected onto the range of W.
    """

    rows: tuple[tuple[int, ...], ...]
    axes: tuple[int, ...]

    @property
    def name(self) -> str:
        return "direct"

    @property
    def sets(self) -> tuple[tuple[int, ...], ...]:
        return (self.axes,)

    @property
    def shares(self) -> tuple[Fraction, ...]:
        return (Fraction(1),)

    @property
    def labels(self) -> tuple[str, ...]:
        return (f"direct: questions {len(self.rows)}",)

    def words(self, columns: Sequence[str]) -> tuple[str, ...]:
        return (f"the {len(self.rows)} numbers themselves",)

    @cached_property
    def maps(self) -> tuple[IntegerMap, ...]:
        return (IntegerMap(0, (ExplicitRows(self.rows),)),)

    @cached_property
    def _projection(self) -> Floats:
        """The projection onto the column space of W."""
        matrix = np.array(self.rows, np.float64)
        values, vectors = np.linalg.eigh(matrix @ matrix.T)
        kept = vectors[:, values > 1e-9 * values[-1]]
        return np.asarray(kept @ kept.T)

    def total_variance(self, questions: AxisWorkload, noise: Sequence[float]) -> float:
        return float(questions.weights**2 @ self.variances(questions, noise))

    def variances(
        self, questions: AxisWorkload, noise: Sequence[float], weighted: Sequence[float] | None = None
    ) -> Floats:
        return np.asarray(np.diag(self._projection) * noise[0])

    def cells(
        self, questions: AxisWorkload, noisy: Sequence[npt.NDArray[np.float64]], noise: Sequence[float]
    ) -> Floats:
        """The minimum-norm counts with these answers."""
        return np.asarray(np.linalg.pinv(np.array(self.rows, np.float64)) @ noisy[0])

    def answers(
        self, questions: AxisWorkload, noisy: Sequence[npt.NDArray[np.float64]], noise: Sequence[float]
    ) -> Floats:
        return np.asarray(self._projection @ noisy[0])


def direct(questions: AxisWorkload, kind: NoiseKind) -> Iterator[Direct]:
    """The questions themselves, if they are few."""
    if is_small(questions):
        yield direct_of(questions)


def is_small(questions: AxisWorkload) -> bool:
    return questions.rows <= MAX_QUERIES and questions.rows * questions.cells <= MAX_ENTRIES


def direct_of(questions: AxisWorkload) -> Direct:
    rows = questions.matrix().astype(np.int64)
    return Direct(tuple(map(tuple, rows.tolist())), tuple(range(len(questions.axes))))
