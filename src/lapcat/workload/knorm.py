"""The K-norm mechanism for a few questions: joint noise in the shape of their sensitivity polytope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lapcat.core.sensitivity import Sensitivity
from lapcat.errors import BadArgument
from lapcat.mechanisms.integers.knorm import KNorm
from lapcat.mechanisms.integers.norms import Polytope
from lapcat.mechanisms.integers.polytopes import moments_of
from lapcat.workload.direct import direct_of
from lapcat.workload.factors import Floats
from lapcat.workload.linear import ExplicitRows, IntegerMap
from lapcat.workload.workload import AxisWorkload

MAX_QUERIES = 5
"""The fraction of the bounding cube that K fills falls quickly with the number of questions, and with it the speed."""
MAX_ROW_KINDS = 32
"""Maximum number of distinct columns of W."""


@dataclass(frozen=True)
class Jointly:
    """W itself with joint noise. The noise lies in the lattice spanned by the columns of W, so the answers are consistent."""

    rows: tuple[tuple[int, ...], ...]
    axes: tuple[int, ...]
    noise: KNorm

    @property
    def name(self) -> str:
        return "k-norm"

    @property
    def sets(self) -> tuple[tuple[int, ...], ...]:
        return (self.axes,)

    @property
    def shares(self) -> tuple[Fraction, ...]:
        return (Fraction(1),)

    @property
    def labels(self) -> tuple[str, ...]:
        return (f"k-norm: questions {len(self.rows)}",)

    def words(self, columns: Sequence[str]) -> tuple[str, ...]:
        return (f"the {len(self.rows)} numbers themselves",)

    @cached_property
    def maps(self) -> tuple[IntegerMap, ...]:
        return (IntegerMap(0, (ExplicitRows(self.rows),)),)

    @cached_property
    def _moments(self) -> Floats:
        """The variance of each answer under the continuous law: a uniform point of K times a Gamma-distributed radius."""
        norm, lattice, epsilon = self.noise.norm, self.noise.lattice, float(self.noise.epsilon)
        assert isinstance(norm, Polytope)
        d = norm.dimension
        basis = np.eye(d) if lattice is None else np.array(lattice.basis, np.float64)
        variances = []
        for column in basis.T:
            metric = tuple(tuple(map(float, row)) for row in np.outer(column, column))
            within = moments_of(norm.vertices, norm.normals, norm.unit, metric)[1]
            variances.append((d + 1) * (d + 2) / epsilon**2 * within)
        return np.array(variances)

    def total_variance(self, questions: AxisWorkload, noise: Sequence[float]) -> float:
        return float(questions.weights**2 @ self._moments)

    def variances(
        self, questions: AxisWorkload, noise: Sequence[float], weighted: Sequence[float] | None = None
    ) -> Floats:
        return self._moments

    def cells(
        self, questions: AxisWorkload, noisy: Sequence[npt.NDArray[np.float64]], noise: Sequence[float]
    ) -> Floats:
        """The minimum-norm counts with these answers."""
        return np.asarray(np.linalg.pinv(np.array(self.rows, np.float64)) @ noisy[0])

    def answers(
        self, questions: AxisWorkload, noisy: Sequence[npt.NDArray[np.float64]], noise: Sequence[float]
    ) -> Floats:
        return np.asarray(noisy[0])


def jointly(
    questions: AxisWorkload, epsilon: Fraction, cells: Sensitivity, *, replaced: bool
) -> Jointly | None:
    """The questions with K-norm noise at this epsilon, or None if they are too many.

    Theorem: what a unit adds to the counts is v with ‖v‖₁ ≤ l1, so W v lies in l1 times the hull of ± the columns of W. Where
             l1 / 2 leaves and l1 / 2 enters, W v is l1 / 2 times the difference of two points of the hull of 0 and the columns.
    """
    if questions.rows > MAX_QUERIES or questions.cells > 2**16:
        return None
    asked = direct_of(questions)
    kinds = sorted(set(zip(*asked.rows, strict=True)) - {(0,) * len(asked.rows)})
    if not kinds or len(kinds) > MAX_ROW_KINDS:
        return None
    reach, moves = cells.l1, kinds
    if replaced:
        reach, ends = cells.l1 / 2, [(0,) * len(asked.rows), *kinds]
        moves = [tuple(x - y for x, y in zip(a, b, strict=True)) for a in ends for b in ends if a < b]
    try:
        noise = KNorm.of_differences([[reach * x for x in move] for move in moves], epsilon)
    except BadArgument:  # too slow to draw, or too wide
        return None
    return Jointly(asked.rows, asked.axes, noise)
