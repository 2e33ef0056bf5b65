"""Where the numbers of a program come from: measurements of its own, those of a strategy (workload/strategic.py), or earlier
answers (session/cache_plan.py). A source holds what the others do not need, and answers for the program."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from lapcat.core.answers import Integers
from lapcat.core.event import (
    ConcentratedNoise,
    Conversion,
    Event,
    ExactRelease,
    JointGaussianRelease,
    JointRelease,
    KeyedRelease,
    NoiseRelease,
    PureNoise,
    SumsAndChoices,
)
from lapcat.core.mechanisms.base import NoiseLaw
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.core.release import NoiseMechanism
from lapcat.errors import Bug
from lapcat.plan.accuracy import Foreseen, Noise
from lapcat.plan.aggregates import Estimates, SelectionAggregate
from lapcat.plan.columns import ValueColumn
from lapcat.plan.nodes import Plan, Statistic

if TYPE_CHECKING:
    from lapcat.plan.compile import Program


class ProgramSource(ABC):
    """The source of a program's numbers."""

    __slots__ = ()
    independent = True
    """Whether the noise of different cells is independent."""

    @abstractmethod
    def event(self, program: Program) -> Event:
        """What is charged."""

    @abstractmethod
    def publics(self, program: Program) -> tuple[int | None, ...]:
        """The value of each measured number that no unit can change; None for the others."""

    @abstractmethod
    def mechanisms(self, program: Program) -> tuple[NoiseMechanism, ...]:
        """The mechanism of each row of the sums."""

    @abstractmethod
    def law_of(self, program: Program, statistic: Statistic) -> NoiseLaw | None:
        """The noise law of a statistic; None where it is public."""

    def executed_plan(self, program: Program) -> Plan:
        """The plan of the sums."""
        return program.plan

    def executed_plans(self, program: Program) -> tuple[Plan, ...]:
        """All plans that the engine executes."""
        return program.prepared.executed_plans

    def cells(self, released: int) -> int:
        """The number of cells of the answer, given that of the released numbers."""
        return released

    def rows(self, program: Program) -> int:
        """The number of rows of sums, which come before the selections in the released numbers."""
        return len(program.measurements)

    def row_of(self, program: Program, statistic: Statistic) -> int:
        """The row of a statistic in the released numbers; the threshold's unit count is the last."""
        if statistic == program.prepared.by_threshold:
            return -1
        return program.prepared.places[statistic]

    def noise(self, program: Program, column: ValueColumn) -> tuple[Noise, ...]:
        """The noise of each statistic that a column reads."""
        return tuple(
            Noise(self.law_of(program, reading.statistic), reading.step) for reading in column.readings
        )

    def finished(
        self, program: Program, column: ValueColumn, cells: Integers, confidence: Fraction
    ) -> Estimates:
        """The estimates of a column from the released numbers (one row per statistic)."""
        aggregate, argument = column.aggregate, column.argument
        if isinstance(aggregate, SelectionAggregate):
            chosen, rows = program.chosen_for(aggregate.wish(argument))
            return aggregate.finish_choice(argument, chosen.choice, chosen.mechanism, cells[rows], confidence)
        read = [cells[self.row_of(program, reading.statistic)] for reading in column.readings]
        return aggregate.finish(argument, read, self.noise(program, column), confidence)

    def foresee(self, program: Program, column: ValueColumn, confidence: Fraction) -> Foreseen:
        """The expected error of a column."""
        aggregate, argument = column.aggregate, column.argument
        if isinstance(aggregate, SelectionAggregate):
            chosen, _ = program.chosen_for(aggregate.wish(argument))
            return aggregate.foresee_choice(argument, chosen.choice, chosen.mechanism, confidence)
        return aggregate.foresee(argument, self.noise(program, column), confidence)

    def least_margin(self, program: Program, column: ValueColumn, confidence: Fraction) -> float | None:
        """The smallest margin of a column's numbers; None where it depends on the answer."""
        return self.foresee(program, column, confidence).margin


@dataclass(frozen=True, slots=True)
class MeasuredSource(ProgramSource):
    """Measurements of the statistics that the question reads, and its own selections."""

    def event(self, program: Program) -> Event:
        facts, chosen = program.prepared.facts, program.chosen
        sums = joint([m.event for m in program.measurements], facts.max_affected, program.quoted)
        if not chosen and program.threshold is None:
            return sums
        if not isinstance(sums, JointRelease):
            raise Bug("cost-differs", "sums next to selections or a threshold must have Laplace noise")
        rest: JointRelease | SumsAndChoices = sums
        if chosen:
            rest = SumsAndChoices(sums if program.measurements else None, tuple(c.event for c in chosen))
        if program.threshold is None:
            return rest
        assert facts.keys_per_unit is not None
        label = ", ".join(key.name for key in program.plan.private_keys)
        shown = program.threshold.event(label, facts.keys_per_unit, str(facts.rows.relation))  # type: ignore[arg-type]
        return KeyedRelease(shown, rest if program.measurements or chosen else None)

    def publics(self, program: Program) -> tuple[int | None, ...]:
        return tuple(measurement.mechanism.public for measurement in program.measurements)

    def mechanisms(self, program: Program) -> tuple[NoiseMechanism, ...]:
        return tuple(measurement.mechanism for measurement in program.measurements)

    def law_of(self, program: Program, statistic: Statistic) -> NoiseLaw | None:
        if statistic == program.prepared.by_threshold:
            assert program.threshold is not None
            return Laplace(program.threshold.scale).law()
        return program.measurements[self.row_of(program, statistic)].mechanism.law()


MEASURED = MeasuredSource()


def joint(
    parts: Sequence[NoiseRelease],
    max_affected: int,
    quoted: Conversion | None = None,
    strategy: str | None = None,
) -> JointRelease | JointGaussianRelease:
    """Noise on several statistics as one event, in epsilon or in rho; both kinds in one question cannot be priced."""
    pure = tuple(part for part in parts if isinstance(part, PureNoise))
    if len(pure) == len(parts):
        return JointRelease(pure, max_affected, strategy)
    concentrated = tuple(part for part in parts if isinstance(part, (ConcentratedNoise, ExactRelease)))
    if len(concentrated) != len(parts):
        raise Bug("cost-differs", "a question has both Laplace and Gaussian noise")
    return JointGaussianRelease(concentrated, max_affected, quoted, strategy)
