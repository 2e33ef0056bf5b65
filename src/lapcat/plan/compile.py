"""A question becomes a program: which statistics, with which noise, at which price, and how outputs come of them.

`prepare` is what a question is before anybody names a budget; `compile_program` prices it. The price is derived a
second time from the finished plan and compared: a program that lapcat cannot agree with itself about is a Bug, and
never runs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction

from lapcat.core.event import ExactRelease, JointRelease, LaplaceRelease
from lapcat.core.exact import exact_text
from lapcat.core.loss import PureDP
from lapcat.core.mechanisms.constant import Constant
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.core.sensitivity import Sensitivity
from lapcat.errors import Bug
from lapcat.plan import budget
from lapcat.plan.accuracy import Foreseen, Noise
from lapcat.plan.aggregates import Aggregate, Argument, Reading
from lapcat.plan.expressions import Expression, canonical
from lapcat.plan.facts import GroupFacts, Reason, group_facts, rows_facts
from lapcat.plan.grids import count_statistic
from lapcat.plan.nodes import Group, Key, Plan, Rows, Statistic


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """A column of the answer that shows the groups."""

    name: str
    key: int
    """Which key of the question."""


@dataclass(frozen=True, slots=True)
class ValueColumn:
    """A column of the answer that shows an estimate."""

    name: str
    aggregate: Aggregate
    argument: Argument


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as the front-end understood it."""

    rows: Rows
    keys: tuple[Key, ...]
    columns: tuple[KeyColumn | ValueColumn, ...]
    notes: tuple[str, ...] = ()
    """What a reader should know: what is clamped, dropped or replaced, and by whose rule."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question with its statistics and what one unit can do to them; the same at every price."""

    asked: Asked
    plan: Plan
    labels: tuple[Reading, ...]
    """For each statistic of the plan, how it is called and measured."""
    readings: tuple[tuple[Reading, ...], ...]
    """For each value column, what it reads."""
    facts: GroupFacts

    @property
    def values(self) -> tuple[ValueColumn, ...]:
        return tuple(column for column in self.asked.columns if isinstance(column, ValueColumn))

    @property
    def sensitivities(self) -> tuple[Sensitivity, ...]:
        """For each statistic, in the unit that people read."""
        return tuple(
            fact.sensitivity.times(label.step)
            for fact, label in zip(self.facts.statistics, self.labels, strict=True)
        )

    @property
    def sensitivity(self) -> Sensitivity | None:
        """Of the question as a whole; None where its statistics are in different units of measure."""
        noisy = {label.unit for label, s in zip(self.labels, self.sensitivities, strict=True) if s.l1 > 0}
        return self.facts.together(self.sensitivities) if len(noisy) <= 1 else None

    @property
    def reasons(self) -> tuple[Reason, ...]:
        return (*self.facts.rows.reasons, *self.facts.reasons)

    @property
    def identity(self) -> str:
        """The same for questions that measure the same: names, spaces and the order of AND do not matter."""
        text = json.dumps(_canonical(self.plan), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Measurement:
    """A statistic with its noise. What it costs is computed from these, never stated."""

    label: str
    sensitivity: Sensitivity
    mechanism: Laplace | Constant

    @property
    def event(self) -> LaplaceRelease | ExactRelease:
        return self.mechanism.event(self.label, self.sensitivity)


@dataclass(frozen=True, slots=True)
class Program:
    """A question at a price."""

    prepared: Prepared
    measurements: tuple[Measurement, ...]

    @property
    def plan(self) -> Plan:
        return self.prepared.plan

    @property
    def event(self) -> JointRelease:
        return JointRelease(tuple(m.event for m in self.measurements), self.prepared.facts.most)

    @property
    def loss(self) -> PureDP:
        return self.event.loss

    def noise(self, readings: Sequence[Reading]) -> tuple[Noise, ...]:
        """The noise on what a value column reads."""
        found = []
        for reading in readings:
            mechanism = self.measurements[self.plan.statistics.index(reading.statistic)].mechanism
            found.append(Noise(mechanism.law() if isinstance(mechanism, Laplace) else None, reading.step))
        return tuple(found)

    def foresee(self, confidence: Fraction) -> tuple[Foreseen, ...]:
        """For each value column, the error to expect; no row is read."""
        return tuple(
            column.aggregate.foresee(column.argument, self.noise(readings), confidence)
            for column, readings in zip(self.prepared.values, self.prepared.readings, strict=True)
        )


def prepare(asked: Asked) -> Prepared:
    """Collects the statistics of all columns, each once, and derives what one unit can do to them."""
    columns = _with_shared_counts(asked)
    asked = replace(asked, columns=columns)
    values = [column for column in columns if isinstance(column, ValueColumn)]
    readings = tuple(column.aggregate.reads(column.argument) for column in values)
    labels: dict[Statistic, Reading] = {}
    for reading in (reading for group in readings for reading in group):
        labels.setdefault(reading.statistic, reading)
    ordered = sorted(labels, key=lambda statistic: json.dumps(_canonical(statistic), sort_keys=True))
    plan = Group(asked.rows, asked.keys, tuple(ordered))
    return Prepared(asked, plan, tuple(labels[s] for s in ordered), readings, group_facts(plan))


def _with_shared_counts(asked: Asked) -> tuple[KeyColumn | ValueColumn, ...]:
    """Tells each argument whether the number of its rows is public, or measured anyway for another column."""
    size = rows_facts(asked.rows).size if not asked.keys else None
    columns: list[KeyColumn | ValueColumn] = []
    for column in asked.columns:
        if isinstance(column, ValueColumn):
            whole = column.argument.filter is None and _never_null(column.argument)
            column = replace(column, argument=replace(column.argument, size=size if whole else None))
        columns.append(column)
    measured = {
        reading.statistic
        for column in columns
        if isinstance(column, ValueColumn)
        for reading in column.aggregate.reads(column.argument)
    }
    for index, column in enumerate(columns):
        if isinstance(column, ValueColumn):
            counted = _count_of(column.argument) in measured
            columns[index] = replace(column, argument=replace(column.argument, counted=counted))
    return tuple(columns)


def _never_null(argument: Argument) -> bool:
    return _count_of(argument).value is None


def _count_of(argument: Argument) -> Statistic:
    return count_statistic(argument.value, argument.filter)


def compile_program(prepared: Prepared, epsilon: Fraction) -> Program:
    """The question at this price: the least noise that costs at most epsilon in all."""
    shares = budget.split(PureDP(epsilon), prepared.facts)
    measurements = []
    for label, statistic, fact, share in zip(
        prepared.labels, prepared.plan.statistics, prepared.facts.statistics, shares, strict=True
    ):
        mechanism: Laplace | Constant
        if fact.sensitivity.l1 > 0:
            mechanism = Laplace.calibrate(fact.sensitivity, share)
        else:  # no unit can change it: it is low = high for each of a public number of rows
            mechanism = Constant(statistic.low * (prepared.facts.rows.size or 0))
        measurements.append(Measurement(label.label, fact.sensitivity, mechanism))
    program = Program(prepared, tuple(measurements))
    _agree(program, epsilon)
    return program


def _agree(program: Program, epsilon: Fraction) -> None:
    """Derives the cost a second time, from the finished plan and the scales alone."""
    again = group_facts(program.plan)
    parts: list[LaplaceRelease | ExactRelease] = []
    for measurement, fact in zip(program.measurements, again.statistics, strict=True):
        if isinstance(measurement.mechanism, Laplace):
            parts.append(LaplaceRelease(measurement.label, fact.sensitivity.l1, measurement.mechanism.scale))
        elif fact.sensitivity.l1 > 0:
            raise Bug("cost-differs", f"{measurement.label} would leave without noise")
        else:
            parts.append(ExactRelease(measurement.label))
    cost = JointRelease(tuple(parts), again.most).loss
    if cost != program.loss or cost.epsilon > epsilon:
        raise Bug(
            "cost-differs",
            f"the plan costs epsilon {exact_text(cost.epsilon)}, the program says {exact_text(program.loss.epsilon)}",
        )


def _canonical(value: object) -> object:
    """A JSON value of a plan in which the names of tables and columns of the answer play no part."""
    if isinstance(value, Expression):
        return canonical(value)
    if isinstance(value, Group):
        return [
            "Group",
            _canonical(value.source),
            [_canonical(k) for k in value.keys],
            _canonical(value.statistics),
        ]
    if isinstance(value, Key):
        keys: object = (
            ["range", value.values.start, value.values.stop]
            if isinstance(value.values, range)
            else value.values
        )
        return ["Key", canonical(value.expression), _canonical(keys), value.other]
    if is_dataclass(value):
        return [
            type(value).__name__,
            *(_canonical(getattr(value, field.name)) for field in fields(value) if field.name != "table"),
        ]
    if isinstance(value, Fraction):
        return ["exact", exact_text(value)]
    if isinstance(value, (list, tuple)):
        return [_canonical(item) for item in value]
    return canonical(value)
