"""Which strategy answers a workload with the least error: computed from the questions alone, before a row is read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from lapcat.core.linear import IntegerMap
from lapcat.core.loss import ZCDP, PureDP
from lapcat.core.mechanisms.gaussian import Gaussian
from lapcat.core.mechanisms.knorm import KNorm
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.core.mechanisms.measured import Measured
from lapcat.core.sensitivity import Sensitivity
from lapcat.errors import Refused
from lapcat.workload.direct import direct
from lapcat.workload.factors import Floats
from lapcat.workload.haar import wavelets
from lapcat.workload.identity import identity
from lapcat.workload.intervals import deviations, margins_of_draws
from lapcat.workload.knorm import MOST as MOST_JOINTLY
from lapcat.workload.knorm import Jointly, jointly
from lapcat.workload.marginals import marginals
from lapcat.workload.nested import LARGEST
from lapcat.workload.optimised import optimised
from lapcat.workload.product import products
from lapcat.workload.strategy import NoiseKind, Strategy
from lapcat.workload.toeplitz import toeplitz
from lapcat.workload.tree import trees
from lapcat.workload.workload import AxisWorkload

Proposes = Callable[[AxisWorkload, NoiseKind], Iterator[Strategy]]

LEAST = 1e-100
"""The least variance that parts are weighed by: a float of its square, and of one divided by it, is still a number."""

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
"""What is tried: each yields the strategies of its kind that fit the questions, at their best. The K-norm mechanism, whose
noise has a shape of its own, is tried besides."""


@dataclass(frozen=True, slots=True)
class Moved:
    """What one unit can do to one table of counts."""

    cells: Sensitivity
    replaced: bool = False
    """Replace-one in several cells: half of the l1 leaves and half enters, both of counts that are never negative."""

    def by(self, linear: IntegerMap) -> Sensitivity:
        """… and to what is measured of it."""
        return linear.moved(self.cells, replaced=self.replaced)


Reach = Callable[[tuple[int, ...]], Moved]
"""What one unit can do to the table of counts by these axes."""
Budget = PureDP | ZCDP


@dataclass(frozen=True)
class PricedStrategy:
    """A strategy at a price: what is measured with which noise, and the error of every answer that comes of it."""

    strategy: Strategy
    questions: AxisWorkload
    measured: Measured
    moved: tuple[Sensitivity, ...]
    """How far a unit moves each part."""
    unit: float = 1.0
    """What one step of the counts means to people, where rows are weighted."""

    @property
    def name(self) -> str:
        return self.strategy.name

    @property
    def kind(self) -> NoiseKind:
        """K-norm noise has tails like Laplace noise."""
        return "gaussian" if isinstance(self.measured.parts[0][1], Gaussian) else "laplace"

    @cached_property
    def noise(self) -> tuple[float, ...]:
        """The variance of each part's noise, in squared steps; of noise that is all but never there, LEAST."""
        found = (
            noise.squared_error / noise.dimension if isinstance(noise, KNorm) else noise.law().variance
            for _, noise in self.measured.parts
        )
        return tuple(max(variance, LEAST) for variance in found)

    @cached_property
    def expected_rmse(self) -> float:
        """The root of the mean squared error of all answers, weighted as the questions are."""
        total = self.strategy.total_variance(self.questions, self.noise)
        weight = sum(term.weight**2 * term.rows for term in self.questions.terms)
        return self.unit * math.sqrt(total / weight)

    @cached_property
    def sds(self) -> Floats:
        """The standard deviation of each answer."""
        return np.asarray(self.unit * np.sqrt(self.strategy.variances(self.questions, self.noise)))

    def margins(self, confidence: Fraction) -> Floats:
        """How far each answer may be off: the truth is as near with this confidence, for each answer by itself."""
        continuous = [_continuous(noise) for _, noise in self.measured.parts]
        sds = np.sqrt(self.strategy.variances(self.questions, continuous, self.noise))
        if not all(isinstance(noise, Laplace) for _, noise in self.measured.parts):
            return np.asarray(deviations(self.kind, confidence) * self.unit * sds)
        steps = np.ones(len(continuous)).tolist()
        lengths = np.sqrt(self.strategy.variances(self.questions, steps, self.noise))
        found = margins_of_draws(sds, lengths, confidence)
        if len(self.strategy.maps) == 1 and self.strategy.maps[0].is_identity and self.questions.of_cells:
            found = np.minimum(found, np.ceil(deviations(self.kind, confidence) * sds))
        return self.unit * found


def _continuous(noise: Laplace | Gaussian | KNorm) -> float:
    """The variance of the continuous law, which is a little more than that of the discrete one: see intervals.py."""
    match noise:
        case Laplace(scale):
            return 2 * float(scale) ** 2
        case Gaussian(sigma_squared):
            return float(sigma_squared)
        case KNorm():
            return noise.squared_error / noise.dimension


def candidates(
    questions: AxisWorkload, budget: Budget, reach: Reach, unit: float = 1.0
) -> list[PricedStrategy]:
    """Every strategy that fits the questions, with the noise that this budget buys; the least expected error first.

    Laplace noise for epsilon, Gaussian noise for rho.
    """
    kind: NoiseKind = "laplace" if isinstance(budget, PureDP) else "gaussian"
    found = [
        priced(strategy, questions, budget, reach, unit)
        for proposes in STRATEGIES
        for strategy in proposes(questions, kind)
        if looked_at(strategy, questions) <= LARGEST
    ]
    if isinstance(budget, PureDP) and questions.rows <= MOST_JOINTLY:
        moved = reach(tuple(range(len(questions.axes))))
        joint = jointly(questions, budget.epsilon, moved.cells, replaced=moved.replaced)
        if joint is not None:
            found.append(with_joint_noise(joint, questions, moved, unit))
    if not found:
        raise Refused(
            "workload-too-large",
            f"the {len(questions.axes)} columns of this workload have {questions.cells:.3g} cells together",
            why=f"lapcat looks at tables of up to {LARGEST:,} counts",
            fix="ask about fewer columns at once: Workload.marginals(columns, ways=2)",
        )
    return sorted(found, key=lambda candidate: candidate.expected_rmse)


def priced(
    strategy: Strategy, questions: AxisWorkload, budget: Budget, reach: Reach, unit: float = 1.0
) -> PricedStrategy:
    """A strategy with the noise that a budget buys: each part gets its share of it."""
    tables = starts(strategy, questions)
    parts: list[tuple[IntegerMap, Laplace | Gaussian]] = []
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


def paid(
    strategy: Strategy,
    questions: AxisWorkload,
    noises: Sequence[Laplace | Gaussian],
    reach: Reach,
    unit: float = 1.0,
) -> PricedStrategy:
    """A strategy with the very noise that was paid for."""
    tables = starts(strategy, questions)
    moved = tuple(reach(tables[linear.start]).by(linear) for linear in strategy.maps)
    parts = tuple(zip(strategy.maps, noises, strict=True))
    return PricedStrategy(strategy, questions, Measured(parts), moved, unit)


def looked_at(strategy: Strategy, questions: AxisWorkload) -> int:
    """How many counts a strategy reads."""
    return sum(math.prod(questions.shape[i] for i in axes) for axes in strategy.sets)


def starts(strategy: Strategy, questions: AxisWorkload) -> dict[int, tuple[int, ...]]:
    """Which table begins where among the cells of a look."""
    found, start = {}, 0
    for axes in strategy.sets:
        found[start] = axes
        start += math.prod(questions.shape[i] for i in axes)
    return found
