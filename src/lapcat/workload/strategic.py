"""A priced question that a strategy answers: the counterpart of plan/compile.py's programs for workloads."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from lapcat.core.answers import Integers, NoisyResult
from lapcat.core.event import Conversion, Event, KNormRelease
from lapcat.core.loss import ZCDP, ApproxDP, PureDP
from lapcat.core.mechanisms.base import NoiseLaw
from lapcat.core.release import NoiseMechanism
from lapcat.core.zcdp import best_order
from lapcat.errors import Bug
from lapcat.plan.accuracy import Foreseen, Noise
from lapcat.plan.aggregates import Estimates
from lapcat.plan.aggregates.running import RunningCount
from lapcat.plan.columns import ValueColumn
from lapcat.plan.compile import Prepared, Program
from lapcat.plan.nodes import Plan, Statistic
from lapcat.plan.sources import ProgramSource
from lapcat.workload import release
from lapcat.workload.factors import Each, Floats
from lapcat.workload.knorm import Jointly, jointly
from lapcat.workload.planner import Budget, PricedStrategy, priced, with_joint_noise
from lapcat.workload.release import agree, range_of
from lapcat.workload.specification import specification_in
from lapcat.workload.strategy import NoiseKind, split
from lapcat.workload.whole import along_a_line, nested
from lapcat.workload.workload_query import WorkloadColumn, WorkloadQuery


@dataclass(frozen=True, slots=True)
class StrategySource(ProgramSource):
    """Measurements of a strategy, from which the numbers are reconstructed; they are consistent, each with an interval."""

    independent = False
    workload_query: WorkloadQuery
    inner: release.PricedWorkload

    @property
    def name(self) -> str:
        """The name of the strategy."""
        return self.inner.candidate.name

    def event(self, program: Program) -> Event:
        return self.inner.event

    def publics(self, program: Program) -> tuple[int | None, ...]:
        """A strategy measures only numbers that a unit can change."""
        return (None,)

    def executed_plan(self, program: Program) -> Plan:
        return self.inner.plan

    def executed_plans(self, program: Program) -> tuple[Plan, ...]:
        return (self.inner.plan,)

    def mechanisms(self, program: Program) -> tuple[NoiseMechanism, ...]:
        return (self.inner.candidate.measured,)

    def law_of(self, program: Program, statistic: Statistic) -> NoiseLaw | None:
        raise Bug("cost-differs", "a number of a strategy has no law of its own")

    def noise(self, program: Program, column: ValueColumn) -> tuple[Noise, ...]:
        """The noise of the first part stands for that of every number, whose law has no name."""
        if self.public(program, column) is not None:
            return tuple(Noise(None, reading.step) for reading in column.readings)
        law = self.inner.candidate.measured.parts[0][1].law()
        return tuple(Noise(law, reading.step) for reading in column.readings)  # type: ignore[arg-type]

    def cells(self, released: int) -> int:
        return max(len(places) for places in self.workload_query.places.values())

    def public(self, program: Program, column: ValueColumn) -> int | None:
        """The value of a column that no unit can change; None for other columns."""
        if self._key(column) in self.workload_query.places:
            return None
        value = program.prepared.public_value(column.readings[0].statistic)
        assert value is not None, "a column that is not public has a place"
        return round(value * column.readings[0].step)

    def _key(self, column: ValueColumn) -> WorkloadColumn:
        return column.aggregate, column.argument

    def margins(self, program: Program, column: ValueColumn, confidence: Fraction) -> Floats:
        """The margin of each number of a column."""
        if self.public(program, column) is not None:
            return np.zeros(1)
        return self.inner.candidate.margins(confidence)[self.places(column)]

    def places(self, column: ValueColumn) -> Integers:
        return self.workload_query.places[self._key(column)]

    def least_margin(self, program: Program, column: ValueColumn, confidence: Fraction) -> float | None:
        return float(self.margins(program, column, confidence).min())

    def foresee(self, program: Program, column: ValueColumn, confidence: Fraction) -> Foreseen:
        """For the number with the largest error."""
        if self.public(program, column) is not None:
            return Foreseen(0.0, 0.0)
        sd = self.inner.candidate.sds[self.places(column)].max()
        margin = math.ceil(float(self.margins(program, column, confidence).max()))
        return Foreseen(float(margin), float(sd) ** 2)

    @property
    def expected_rmse(self) -> float:
        """The root mean squared error over all shown numbers."""
        return rmse_of(self.workload_query, self.inner.candidate.sds)

    def finished(
        self, program: Program, column: ValueColumn, cells: Integers, confidence: Fraction
    ) -> Estimates:
        public = self.public(program, column)
        if public is not None:
            same = np.full(program.cells, public, np.int64)
            return Estimates(same, same, same)
        answers = self.inner.finish(NoisyResult(cells, True), confidence)
        places = self.places(column)
        value = self._whole(cells, answers.value)[places]
        low, high = np.floor(answers.low[places]), np.ceil(answers.high[places])
        return Estimates(
            value,
            np.minimum(low.astype(np.int64), value),
            np.maximum(high.astype(np.int64), value),
            notes=() if self._adds_up else (ROUNDED,),
        )

    @property
    def _adds_up(self) -> bool:
        """Whether the rounded numbers can add up: along one axis, or in a chain of nested tables."""
        sets = sorted((term.axes for term in self.workload_query.questions.terms), key=len)
        return len(self.workload_query.questions.axes) == 1 or all(set(a) < set(b) for a, b in pairwise(sets))

    def _whole(self, cells: Integers, value: Floats) -> Integers:
        """All answers as whole numbers."""
        questions, inner = self.workload_query.questions, self.inner
        if len(questions.axes) == 1:
            candidate = inner.candidate
            noisy = split(candidate.strategy, cells[0])
            single = candidate.unit * candidate.strategy.cells(questions, noisy, candidate.noise)
            return np.asarray(questions.answers(along_a_line(single)), np.int64)
        if self._adds_up and all(isinstance(f, Each) for term in questions.terms for _, f in term.factors):
            shapes = [tuple(factor.rows for _, factor in term.factors) for term in questions.terms]
            pieces = np.split(value, questions.starts[1:-1])
            tables = [
                (term.axes, piece.reshape(shape))
                for term, piece, shape in zip(questions.terms, pieces, shapes, strict=True)
            ]
            whole = nested(tables)
            if whole is not None:
                return np.concatenate([table.reshape(-1) for table in whole])
        return np.rint(value).astype(np.int64)


def strategy_in(program: Program | None) -> StrategySource | None:
    """The strategy that answers a program, if one does."""
    source = None if program is None else program.source
    return source if isinstance(source, StrategySource) else None


ROUNDED = "each number is rounded separately, so sub-totals add up only up to rounding"


def rmse_of(query: WorkloadQuery, sds: Floats) -> float:
    """The root mean squared error of a question's numbers, given the standard deviations of the workload's answers."""
    squares = sum(float((sds[places] ** 2).sum()) for places in query.places.values())
    return math.sqrt(squares / query.numbers)


def rmse_by(query: WorkloadQuery, variance: Callable[[ValueColumn], float]) -> float:
    """The same if each number has its own noise, with this variance for each column."""
    squares = 0.0
    for (aggregate, argument), places in query.places.items():
        added = 1.0
        if isinstance(aggregate, RunningCount):
            window = aggregate.window
            added = float(window.counted(np.zeros(math.prod(window.sizes), np.int64)).mean())
        squares += len(places) * added * variance(ValueColumn("", aggregate, argument))
    return math.sqrt(squares / query.numbers)


def plain_rmse(program: Program, query: WorkloadQuery) -> float:
    """The same for a program that measures every number separately."""
    return rmse_by(query, lambda column: program.noise(column)[0].variance)


def at_price(
    query: WorkloadQuery, prepared: Prepared, budget: Budget, delta: Fraction | None = None
) -> Program:
    """The question at a price, by the strategy of least expected error; delta: quoted as (epsilon, delta)."""
    kind: NoiseKind = "laplace" if isinstance(budget, PureDP) else "gaussian"
    first, *others = query.tried(kind)
    quoted = None
    if delta is not None:
        assert isinstance(budget, ZCDP)
        quoted = Conversion(best_order(budget.rho, delta), delta)
    best = repriced(first, query, budget)
    inner = release.PricedWorkload(query.workload, query.cells, best, tuple(others), quoted)
    return Program(prepared, (), quoted=quoted, source=StrategySource(query, inner))


def repriced(candidate: PricedStrategy, query: WorkloadQuery, budget: Budget) -> PricedStrategy:
    """The same strategy at another price."""
    reach = range_of(query.cells.plan)
    if isinstance(candidate.strategy, Jointly):
        assert isinstance(budget, PureDP)
        moved = reach(tuple(range(len(query.questions.axes))))
        joint = jointly(query.questions, budget.epsilon, moved.cells, replaced=moved.replaced)
        assert joint is not None, "it exists at any price"
        return with_joint_noise(joint, query.questions, moved, candidate.unit)
    return priced(candidate.strategy, query.questions, budget, reach, candidate.unit)


def checked(program: Program, budget: Budget | ApproxDP) -> Program:
    """The same, with its price derived a second time."""
    strategy = strategy_in(program)
    assert strategy is not None
    agree(strategy.inner, budget)
    return program


def from_debit(query: WorkloadQuery, prepared: Prepared, event: Event) -> Program:
    """The question with the strategy and the noise of a stored debit."""
    inner = release.program_of(query.cells, query.workload, event)
    return Program(prepared, (), quoted=inner.quoted, source=StrategySource(query, inner))


def is_of_a_strategy(event: Event) -> bool:
    """Whether an event's parts belong to a strategy rather than being statistics of a question."""
    return isinstance(event, KNormRelease) or specification_in(event) is not None
