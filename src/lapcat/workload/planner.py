"""Chooses the strategy of least expected error for a workload, from the questions alone, before any row is read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from lapcat.core.loss import ZCDP, PureDP
from lapcat.core.mechanisms.base import Mechanism
from lapcat.core.mechanisms.gaussian import Gaussian
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.core.sensitivity import Sensitivity
from lapcat.errors import Refused
from lapcat.workload.direct import direct
from lapcat.workload.factors import Floats
from lapcat.workload.haar import wavelets
from lapcat.workload.identity import identity
from lapcat.workload.intervals import deviations, margins_of_draws
from lapcat.workload.knorm import MAX_QUERIES as MAX_JOINT_QUERIES
from lapcat.workload.knorm import Jointly, jointly
from lapcat.workload.linear import IntegerMap
from lapcat.workload.marginals import marginals
from lapcat.workload.measured import Measured
from lapcat.workload.nested import LARGEST
from lapcat.workload.optimised import optimised
from lapcat.workload.product import products
from lapcat.workload.strategy import NoiseKind, Strategy
from lapcat.workload.toeplitz import toeplitz
from lapcat.workload.tree import trees
from lapcat.workload.workload import AxisWorkload

Proposes = Callable[[AxisWorkload, NoiseKind], Iterator[Strategy]]

MIN_VARIANCE = 1e-100
"""Lower bound on variances used as weights: neither its square underflows nor its reciprocal overflows."""

STRATEGIES: tuple[Proposes, ...] = (
    direct,
    identity,
    trees,
    wavelets,
    toeplitz,
    optimised,
    marginals,
    products,
)
"""The candidates: each yields the best strategies of its kind that fit the questions. The K-norm mechanism, whose noise is
joint, is tried separately."""


@dataclass(frozen=True, slots=True)
class Moved:
    """How far one unit can change one table of counts."""

    cells: Sensitivity
    replaced: bool = False
    """Replace-one over several cells: half of the l1 leaves and half enters, both as non-negative counts."""

    def by(self, linear: IntegerMap) -> Sensitivity:
        """How far one unit can change the measurements of this map."""
        return linear.moved(self.cells, replaced=self.replaced)


Reach = Callable[[tuple[int, ...]], Moved]
"""How far one unit can change the table of counts by these axes."""
Budget = PureDP | ZCDP


@dataclass(frozen=True)
class PricedStrategy:
    """A strategy at a price: the measurements with their noise, and the error of every answer."""

    strategy: Strategy
    questions: AxisWorkload
    measured: Measured
    moved: tuple[Sensitivity, ...]
    """The sensitivity of each part."""
    unit: float = 1.0
    """The value of one step of the counts, if rows are weighted."""

    @property
    def name(self) -> str:
        return self.strategy.name

    @property
    def kind(self) -> NoiseKind:
        """K-norm noise has tails like Laplace noise."""
        return "gaussian" if self.measured.parts[0][1].family == "gaussian" else "laplace"

    @cached_property
    def noise(self) -> tuple[float, ...]:
        """The variance of each part's noise, in squared steps; at least MIN_VARIANCE."""
        return tuple(max(noise.variance, MIN_VARIANCE) for _, noise in self.measured.parts)

    @cached_property
    def expected_rmse(self) -> float:
        """The root mean squared error over all answers, with the weights of the questions."""
        total = self.strategy.total_variance(self.questions, self.noise)
        weight = sum(term.weight**2 * term.rows for term in self.questions.terms)
        return self.unit * math.sqrt(total / weight)

    @cached_property
    def sds(self) -> Floats:
        """The standard deviation of each answer."""
        return np.asarray(self.unit * np.sqrt(self.strategy.variances(self.questions, self.noise)))

    def margins(self, confidence: Fraction) -> Floats:
        """The margin of each answer at this confidence, for each answer separately: by the continuous laws (intervals.py)."""
        continuous = [noise.continuous_variance for _, noise in self.measured.parts]
        sds = np.sqrt(self.strategy.variances(self.questions, continuous, self.noise))
        if not all(noise.family == "laplace" for _, noise in self.measured.parts):
            return np.asarray(deviations(self.kind, confidence) * self.unit * sds)
        steps = np.ones(len(continuous)).tolist()
        lengths = np.sqrt(self.strategy.variances(self.questions, steps, self.noise))
        margins = margins_of_draws(sds, lengths, confidence)
        if len(self.strategy.maps) == 1 and self.strategy.maps[0].is_identity and self.questions.of_cells:
            margins = np.minimum(margins, np.ceil(deviations(self.kind, confidence) * sds))
        return self.unit * margins


def candidates(
    questions: AxisWorkload, budget: Budget, reach: Reach, unit: float = 1.0
) -> list[PricedStrategy]:
    """Every strategy that fits the questions, with noise for this budget, by expected error.

    Laplace noise for epsilon, Gaussian noise for rho.
    """
    kind: NoiseKind = "laplace" if isinstance(budget, PureDP) else "gaussian"
    strategies = [
        priced(strategy, questions, budget, reach, unit)
        for proposes in STRATEGIES
        for strategy in proposes(questions, kind)
        if counts_read(strategy, questions) <= LARGEST
    ]
    if isinstance(budget, PureDP) and questions.rows <= MAX_JOINT_QUERIES:
        moved = reach(tuple(range(len(questions.axes))))
        joint = jointly(questions, budget.epsilon, moved.cells, replaced=moved.replaced)
        if joint is not None:
            strategies.append(with_joint_noise(joint, questions, moved, unit))
    if not strategies:
        raise Refused(
            "workload-too-large",
            f"the {len(questions.axes)} columns of this workload have {questions.cells:.3g} cells together",
            why=f"a strategy reads at most {LARGEST:,} counts",
            fix="ask about fewer columns at once: Workload.marginals(columns, ways=2)",
        )
    return sorted(strategies, key=lambda candidate: candidate.expected_rmse)


def priced(
    strategy: Strategy, questions: AxisWorkload, budget: Budget, reach: Reach, unit: float = 1.0
) -> PricedStrategy:
    """A strategy with noise for a budget; each part gets its share."""
    tables = starts(strategy, questions)
    parts: list[tuple[IntegerMap, Mechanism[Any]]] = []
    moved = []
    for linear, share in zip(strategy.maps, strategy.shares, strict=True):
        sensitivity = reach(tables[linear.start]).by(linear)
        moved.append(sensitivity)
        match budget:
            case PureDP(epsilon):
                parts.append((linear, Laplace.calibrate(sensitivity, PureDP(epsilon * share))))
            case ZCDP(rho):
                parts.append((linear, Gaussian.calibrate(sensitivity, ZCDP(rho * share))))
    return PricedStrategy(strategy, questions, Measured(tuple(parts)), tuple(moved), unit)


def with_joint_noise(joint: Jointly, questions: AxisWorkload, moved: Moved, unit: float) -> PricedStrategy:
    (linear,) = joint.maps
    return PricedStrategy(joint, questions, Measured(((linear, joint.noise),)), (moved.by(linear),), unit)


def with_noise(
    strategy: Strategy,
    questions: AxisWorkload,
    noises: Sequence[Mechanism[Any]],
    reach: Reach,
    unit: float = 1.0,
) -> PricedStrategy:
    """A strategy with given noise, as in a stored debit."""
    tables = starts(strategy, questions)
    moved = tuple(reach(tables[linear.start]).by(linear) for linear in strategy.maps)
    parts = tuple(zip(strategy.maps, noises, strict=True))
    return PricedStrategy(strategy, questions, Measured(parts), moved, unit)


def counts_read(strategy: Strategy, questions: AxisWorkload) -> int:
    """The number of counts that a strategy reads."""
    return sum(math.prod(questions.shape[i] for i in axes) for axes in strategy.sets)


def starts(strategy: Strategy, questions: AxisWorkload) -> dict[int, tuple[int, ...]]:
    """The table that begins at each offset among the cells that are read."""
    tables, start = {}, 0
    for axes in strategy.sets:
        tables[start] = axes
        start += math.prod(questions.shape[i] for i in axes)
    return tables
