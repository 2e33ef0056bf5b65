"""A question becomes a program: which statistics, with which noise, at which price, and how outputs come of them.

`prepare` is what a question is before anybody names a budget; `compile_program` prices it. The price is derived a
second time from the finished plan and compared: a program that lapcat cannot agree with itself about is a Bug, and
never runs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction

from lapcat.core.event import ExactRelease, JointRelease, KeyedRelease, LaplaceRelease, ThresholdRelease
from lapcat.core.exact import exact_text
from lapcat.core.loss import ApproxDP, PureDP
from lapcat.core.mechanisms.constant import Constant
from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw, Laplace
from lapcat.core.mechanisms.threshold import Threshold
from lapcat.core.sensitivity import Sensitivity
from lapcat.errors import Bug
from lapcat.plan import budget
from lapcat.plan.accuracy import Foreseen, Noise
from lapcat.plan.aggregates import Argument, Reading
from lapcat.plan.bounding import AS_DECLARED, Limits, bounded
from lapcat.plan.columns import AnswerColumn, ComputedColumn, KeyColumn, ValueColumn
from lapcat.plan.expressions import Expression, canonical
from lapcat.plan.facts import GroupFacts, Reason, group_facts, rows_facts
from lapcat.plan.grids import count_statistic
from lapcat.plan.linear import coefficients
from lapcat.plan.nodes import Group, Key, Kind, Plan, Rows, Statistic
from lapcat.plan.released.after import AS_IT_IS, After

__all__ = [
    "Asked",
    "ComputedColumn",
    "KeyColumn",
    "Measurement",
    "Prepared",
    "Program",
    "ValueColumn",
    "compile_program",
    "prepare",
]


Offer = Callable[[object, object, bool], tuple[object, object]]
"""A price that is written into a question: epsilon and delta to ask with, given those of the call and whether the call
names its price in another way."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as the front-end understood it."""

    rows: Rows
    keys: tuple[Key, ...]
    columns: tuple[AnswerColumn, ...]
    notes: tuple[str, ...] = ()
    """What a reader should know: what is clamped, dropped or replaced, and by whose rule."""
    after: After = AS_IT_IS
    """What is done with the rows of the answer. It is no part of what the question measures, or costs."""
    sets: tuple[tuple[int, ...], ...] = ()
    """The grouping sets, where there are several."""
    limits: Limits = AS_DECLARED
    """How many rows and groups of a unit the question itself asks to count at most."""
    offer: Offer | None = None
    """What the question itself offers to pay."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question with its statistics and what one unit can do to them; the same at every price."""

    asked: Asked
    plan: Plan
    labels: tuple[Reading, ...]
    """For each statistic of the plan, how it is called and measured."""
    facts: GroupFacts
    by_threshold: Statistic | None = None
    """A statistic that the plan need not measure: the number of units that decides which private groups are shown."""

    @property
    def values(self) -> tuple[ValueColumn | ComputedColumn, ...]:
        """The numbers that the answer shows."""
        return tuple(c for c in self.asked.columns if c.shown and not isinstance(c, KeyColumn))

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
    threshold: Threshold | None = None
    """What a private group must reach to be shown."""

    @property
    def plan(self) -> Plan:
        return self.prepared.plan

    @property
    def event(self) -> JointRelease | KeyedRelease:
        facts = self.prepared.facts
        rest = JointRelease(tuple(m.event for m in self.measurements), facts.most)
        if self.threshold is None:
            return rest
        assert facts.keys_per_unit is not None
        label = ", ".join(key.name for key in self.plan.private_keys)
        shown = self.threshold.event(label, facts.keys_per_unit, str(facts.rows.relation))  # type: ignore[arg-type]
        return KeyedRelease(shown, rest if self.measurements else None)

    @property
    def loss(self) -> PureDP | ApproxDP:
        return self.event.loss

    def row_of(self, statistic: Statistic) -> int:
        """Which row of the released numbers a statistic is; what the threshold counted comes last."""
        if statistic == self.prepared.by_threshold:
            return len(self.measurements)
        return self.plan.statistics.index(statistic)

    def law_of(self, statistic: Statistic) -> DiscreteLaplaceLaw | None:
        """The noise on a statistic; None where it is public."""
        if statistic == self.prepared.by_threshold:
            assert self.threshold is not None
            return Laplace(self.threshold.scale).law()
        mechanism = self.measurements[self.row_of(statistic)].mechanism
        return mechanism.law() if isinstance(mechanism, Laplace) else None

    def noise(self, column: ValueColumn) -> tuple[Noise, ...]:
        """The noise on what a value column reads."""
        found = []
        for reading in column.aggregate.reads(column.argument):
            found.append(Noise(self.law_of(reading.statistic), reading.step))
        return tuple(found)

    def foresee(self, confidence: Fraction) -> tuple[Foreseen, ...]:
        """For each number that the answer shows, the error to expect; no row is read."""
        return tuple(
            self._foresee_computed(column, confidence)
            if isinstance(column, ComputedColumn)
            else self._foresee_value(column, confidence)
            for column in self.prepared.values
        )

    def _foresee_value(self, column: ValueColumn, confidence: Fraction) -> Foreseen:
        return column.aggregate.foresee(column.argument, self.noise(column), confidence)

    def _foresee_computed(self, column: ComputedColumn, confidence: Fraction) -> Foreseen:
        """|c₁|·m₁ + |c₂|·m₂ + … where the column is c₁·x₁ + c₂·x₂ + … + c₀; elsewhere it depends on the answer."""
        factors, each = coefficients(column.expression), self.each(column, confidence)
        if factors is None:
            return Foreseen(None, None)
        margin = 0.0
        for source in column.inputs:
            foreseen = self._foresee_value(source, each)
            if foreseen.margin is None:
                return Foreseen(None, None)
            margin += abs(factors.get(source.name, 0.0)) * foreseen.margin
        return Foreseen(margin, None)

    def each(self, column: ComputedColumn, confidence: Fraction) -> Fraction:
        """How sure each of k noisy inputs must be for all of them to hold together with the asked confidence.

        Theorem: the chance that one of k statements fails is at most the sum of their chances (union bound), so k
                 intervals at 1 − (1 − c)/k hold together with probability c, however their noises depend.
        """
        noisy = {
            (source.aggregate.name, source.argument)
            for source in column.inputs
            if any(noise.law is not None for noise in self.noise(source))
        }
        return 1 - (1 - confidence) / max(len(noisy), 1)


def prepare(asked: Asked) -> Prepared:
    """Collects the statistics of all columns, each once, and derives what one unit can do to them."""
    asked = replace(asked, columns=_with_shared_counts(asked))
    labels = _labels(asked)
    limited = bounded(asked.rows, asked.keys, list(labels), asked.limits)
    notes = (*limited.notes, *asked.notes)
    asked = replace(asked, rows=limited.rows, notes=notes)
    if limited.one != 1:
        asked = replace(asked, columns=_with_arguments(asked.columns, lambda a: replace(a, one=limited.one)))
        labels = _labels(asked)
    by_threshold = _counted_by_threshold(asked, list(labels))
    measured = [statistic for statistic in labels if statistic != by_threshold]
    ordered = sorted(measured, key=lambda statistic: json.dumps(_canonical(statistic), sort_keys=True))
    plan = Group(asked.rows, asked.keys, tuple(ordered), asked.sets)
    return Prepared(asked, plan, tuple(labels[s] for s in ordered), group_facts(plan), by_threshold)


def _labels(asked: Asked) -> dict[Statistic, Reading]:
    labels: dict[Statistic, Reading] = {}
    for reading in _readings(asked.columns):
        labels.setdefault(reading.statistic, reading)
    return labels


def _counted_by_threshold(asked: Asked, statistics: list[Statistic]) -> Statistic | None:
    """Which of the statistics is the number of units of each private group, which is measured anyway."""
    if not asked.keys or not all(key.is_private for key in asked.keys):
        return None
    once = rows_facts(asked.rows).rows == 1
    for statistic in statistics:
        if statistic.filter is None and (
            statistic.kind is Kind.UNITS or (once and statistic.kind is Kind.ROWS)
        ):
            return statistic
    return None


def _with_shared_counts(asked: Asked) -> tuple[AnswerColumn, ...]:
    """Tells each argument whether the number of its rows is public, or measured anyway for another column."""
    facts = rows_facts(asked.rows)
    size = facts.size if facts.fixed and not asked.keys else None

    def sized(argument: Argument) -> Argument:
        whole = argument.filter is None and _never_null(argument)
        return replace(argument, size=size if whole else None)

    columns = _with_arguments(asked.columns, sized)
    measured = {reading.statistic for reading in _readings(columns)}
    return _with_arguments(columns, lambda a: replace(a, counted=_count_of(a) in measured))


def _with_arguments(
    columns: tuple[AnswerColumn, ...], change: Callable[[Argument], Argument]
) -> tuple[AnswerColumn, ...]:
    found: list[AnswerColumn] = []
    for column in columns:
        if isinstance(column, ValueColumn):
            column = replace(column, argument=change(column.argument))
        elif isinstance(column, ComputedColumn):
            inputs = (replace(source, argument=change(source.argument)) for source in column.inputs)
            column = replace(column, inputs=tuple(inputs))
        found.append(column)
    return tuple(found)


def _readings(columns: tuple[AnswerColumn, ...]) -> Iterator[Reading]:
    """What all columns read, the inputs of computed ones too."""
    for column in columns:
        if not isinstance(column, KeyColumn):
            for source in (column,) if isinstance(column, ValueColumn) else column.inputs:
                yield from source.aggregate.reads(source.argument)


def _never_null(argument: Argument) -> bool:
    return _count_of(argument).value is None


def _count_of(argument: Argument) -> Statistic:
    return count_statistic(argument.value, argument.filter, argument.one)


def compile_program(prepared: Prepared, epsilon: Fraction, delta: Fraction | None = None) -> Program:
    """The question at this price: the least noise that costs at most epsilon in all, and delta for private groups."""
    total, threshold = PureDP(epsilon), None
    if prepared.facts.keys_per_unit is not None:
        if delta is None:
            raise Bug("cost-differs", "private groups were compiled without a delta")
        shown, total = budget.split_keyed(epsilon, delta, prepared.facts)
        relation = str(prepared.facts.rows.relation)
        threshold = Threshold.calibrate(prepared.facts.keys_per_unit, shown, relation)  # type: ignore[arg-type]
    shares = budget.split(total, prepared.facts)
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
    program = Program(prepared, tuple(measurements), threshold)
    _agree(program, ApproxDP(epsilon, delta or Fraction(0)))
    return program


def _agree(program: Program, price: ApproxDP) -> None:
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
    cost: PureDP | ApproxDP = JointRelease(tuple(parts), again.most).loss
    if program.plan.private_keys:
        if program.threshold is None or again.keys_per_unit is None:
            raise Bug("cost-differs", "private groups would be shown without a threshold")
        scale, tau = program.threshold.scale, program.threshold.tau
        shown = ThresholdRelease("", scale, tau, again.keys_per_unit, str(again.rows.relation)).loss
        cost = ApproxDP(cost.epsilon + shown.epsilon, shown.delta)
    beyond = cost.epsilon > price.epsilon or (isinstance(cost, ApproxDP) and cost.delta > price.delta)
    if cost != program.loss or beyond:
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
            _canonical(value.sets),
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
