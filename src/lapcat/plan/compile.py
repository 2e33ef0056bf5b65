"""Compiles a question to a program: its statistics, their noise, the price, and the estimates computed from them.

`prepare` derives what does not depend on the budget; `compile_program` prices it. The price is derived a second time from
the finished plan: if the two differ, it is a Bug and the program never runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from lapcat.core.answers import Integers
from lapcat.core.event import (
    Conversion,
    Event,
    NoiseRelease,
    SelectionRelease,
    ThresholdRelease,
)
from lapcat.core.exact import exact_text
from lapcat.core.loss import ZCDP, ApproxDP, Loss, PureDP
from lapcat.core.mechanisms.base import NoiseLaw, SelectionByCounts, StatisticMechanism
from lapcat.core.mechanisms.constant import Constant
from lapcat.core.mechanisms.registry import charged_mechanism, least_noise
from lapcat.core.mechanisms.threshold import Threshold
from lapcat.core.release import NoiseMechanism
from lapcat.core.sensitivity import Sensitivity
from lapcat.errors import Bug, Refused
from lapcat.plan import budget
from lapcat.plan.accuracy import Foreseen, Noise
from lapcat.plan.aggregates import AVG, SUM, Argument, Estimates, SelectionAggregate, StatisticReading
from lapcat.plan.aggregates.count import count_reading
from lapcat.plan.bounding import AS_DECLARED, Limits, bounded
from lapcat.plan.choices import PlannedChoice, Wish, choices_of
from lapcat.plan.columns import AnswerColumn, ComputedColumn, DerivedColumn, KeyColumn, ValueColumn
from lapcat.plan.contributing import is_case, part_of
from lapcat.plan.facts import GroupFacts, Reason, group_facts, rows_facts
from lapcat.plan.grids import sum_statistic
from lapcat.plan.linear import coefficients
from lapcat.plan.nodes import Group, GroupKey, Kind, Plan, Rows, Statistic
from lapcat.plan.predicates import max_amount
from lapcat.plan.released.after import AS_IT_IS, After
from lapcat.plan.released.derived import Standings
from lapcat.plan.released.table import ReleasedTable
from lapcat.plan.schema import Relation, Value
from lapcat.plan.sources import MEASURED, ProgramSource, joint
from lapcat.plan.work import DEFAULT_ROOM, Room, require_room
from lapcat.stored.digest import canonical, identity_of

__all__ = [
    "ChosenBy",
    "ComputedColumn",
    "KeyColumn",
    "Measurement",
    "Prepared",
    "Program",
    "Query",
    "ValueColumn",
    "agree",
    "compile_program",
    "prepare",
    "prepare_limited",
    "priced",
    "program_of",
    "statistics_of",
    "with_counts",
]


Weights = Sequence[float] | None
"""Relative importance of each shown column; None: equal."""
Offer = Callable[[object, object, bool], tuple[object, object]]
"""A price written into a question: maps epsilon and delta of the call, and whether the call names its price in another
way, to the epsilon and delta to use."""


Tabulation = Callable[[Mapping[str, Estimates], "tuple[tuple[Value, ...], ...] | None"], ReleasedTable]
"""A released table of the estimates and of the private groups shown."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question as parsed by the front-end."""

    rows: Rows
    keys: tuple[GroupKey, ...]
    columns: tuple[AnswerColumn, ...]
    notes: tuple[str, ...] = ()
    """Sentences for the reader: what is clamped, dropped or replaced, and by which rule."""
    after: After = AS_IT_IS
    """Post-processing of the answer's rows. It changes neither what the question measures nor its cost."""
    sets: tuple[tuple[int, ...], ...] = ()
    """The grouping sets, where there are several."""
    limits: Limits = AS_DECLARED
    """Contribution bounds that the question itself asks for."""
    offer: Offer | None = None
    """The price written into the question, if any."""
    room: Room = DEFAULT_ROOM
    """The engine resources that one unit may use."""
    objection: Refused | None = None
    """Why it must not be charged. Answers that were charged before stay free."""
    union: Tabulation | None = None
    """How the answer becomes a table, where the question is a UNION ALL of several answers."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question with its statistics and their sensitivity; the same at every price."""

    asked: Query
    plan: Plan
    labels: tuple[StatisticReading, ...]
    """The label, step and unit of measure of each statistic of the plan."""
    facts: GroupFacts
    choices: tuple[PlannedChoice, ...] = ()
    """The selections."""
    by_threshold: Statistic | None = None
    """A statistic that the plan need not measure, because the threshold does: the unit count of each private group."""
    places: Mapping[Statistic, int] = field(init=False, compare=False, repr=False)
    """The position of each statistic in the plan."""

    def __post_init__(self) -> None:
        places = {statistic: place for place, statistic in enumerate(self.plan.statistics)}
        object.__setattr__(self, "places", places)

    @property
    def executed_plans(self) -> tuple[Plan, ...]:
        """The plans that the engine executes: the sums, unless there are none, and the counts of each selection."""
        summed = self.plan.statistics or self.plan.private_keys or not self.choices
        return (*((self.plan,) if summed else ()), *dict.fromkeys(choice.plan for choice in self.choices))

    @property
    def released(self) -> tuple[Statistic, ...]:
        """The statistic of each row of the released numbers."""
        return (*self.plan.statistics, *(() if self.by_threshold is None else (self.by_threshold,)))

    @property
    def values(self) -> tuple[ValueColumn | ComputedColumn, ...]:
        """The columns of numbers that the answer shows."""
        return tuple(c for c in self.asked.columns if c.shown and isinstance(c, ValueColumn | ComputedColumn))

    @property
    def derived(self) -> tuple[DerivedColumn, ...]:
        """The columns that the answer derives from others, and shows with an interval."""
        standings = Standings(self.asked.columns, self.asked.after, self.plan)
        derived = (column for column in self.asked.columns if isinstance(column, DerivedColumn))
        return tuple(column for column in derived if column.shown and standings.has_interval(column))

    @property
    def sensitivities(self) -> tuple[Sensitivity, ...]:
        """The sensitivity of each statistic, in its unit of measure."""
        return tuple(
            fact.sensitivity.times(label.step)
            for fact, label in zip(self.facts.statistics, self.labels, strict=True)
        )

    @property
    def sensitivity(self) -> Sensitivity | None:
        """The sensitivity of the question as a whole; None where its statistics have different units of measure."""
        noisy = {label.unit for label, s in zip(self.labels, self.sensitivities, strict=True) if s.l1 > 0}
        return self.facts.together(self.sensitivities) if len(noisy) <= 1 else None

    @property
    def all_add_up(self) -> bool:
        """Whether one row may change every statistic that has noise, so that the costs of all of them add up."""
        return self.facts.max_affected >= sum(fact.sensitivity.l1 > 0 for fact in self.facts.statistics)

    @property
    def reasons(self) -> tuple[Reason, ...]:
        return (*self.facts.rows.reasons, *self.facts.reasons)

    def matters(self, weights: Weights = None, *, squared: bool = False) -> tuple[float, ...]:
        """How much the noise of each statistic matters: Σ (weight · sensitivity)² over the columns.

        squared: by l2² (Gaussian noise) in place of l1² (Laplace)."""
        squares = self.weighted(weights)
        return tuple(
            squares.get(statistic, 0.0)
            * (float(fact.sensitivity.l2_squared) if squared else float(fact.sensitivity.l1) ** 2)
            for statistic, fact in zip(self.plan.statistics, self.facts.statistics, strict=True)
        )

    def counted(self, weights: Weights = None) -> float:
        """The same for the unit count of private groups."""
        if self.by_threshold is None or self.facts.keys_per_unit is None:
            return 0.0
        moved = self.facts.keys_per_unit * (2 if self.facts.rows.relation is Relation.REPLACE_ONE else 1)
        return self.weighted(weights).get(self.by_threshold, 0.0) * moved**2

    def weighted(self, weights: Weights) -> dict[Statistic, float]:
        """The squared weight of one step of each statistic, summed over the columns that read it."""
        shown = dict(zip((column.name for column in self.values), weights or (), strict=False))
        squares: dict[Statistic, float] = {}
        seen = {(c.aggregate, c.argument) for c in self.values if isinstance(c, ValueColumn)}
        for column in self.asked.columns:
            if (
                isinstance(column, ValueColumn)
                and not column.shown
                and (column.aggregate, column.argument) in seen
            ):
                continue  # another column is derived from a shown one, which costs and matters once
            for source in _sources((column,)):
                if isinstance(source.aggregate, SelectionAggregate):
                    continue
                each = source.aggregate.weights(source.argument)
                for reading, weight in zip(source.readings, each, strict=True):
                    step_weight = min(
                        weight * float(reading.step), 2.0**400
                    )  # bounds may be adjacent doubles
                    square = shown.get(column.name, 1.0) * step_weight * step_weight
                    squares[reading.statistic] = squares.get(reading.statistic, 0.0) + square
        return squares

    def public_value(self, statistic: Statistic) -> int | None:
        """The value of a statistic that no unit can change (low = high for a public number of rows); None for others."""
        if statistic == self.by_threshold:
            return None
        fact = self.facts.statistics[self.places[statistic]]
        return None if fact.sensitivity.l1 > 0 else statistic.low * (self.facts.rows.size or 0)

    @property
    def identity(self) -> str:
        """Equal for questions that measure the same: names, spaces and the order of AND do not matter."""
        if not self.choices:
            return identity_of(self.plan)
        return identity_of((self.plan, tuple((choice.wishes, choice.plan) for choice in self.choices)))


@dataclass(frozen=True, slots=True)
class Measurement:
    """A statistic with its noise. Its cost is computed from these, never stated."""

    label: str
    sensitivity: Sensitivity
    mechanism: StatisticMechanism

    @property
    def event(self) -> NoiseRelease:
        return self.mechanism.event(self.label, self.sensitivity)


@dataclass(frozen=True, slots=True)
class ChosenBy:
    """A selection with its mechanism; its cost is computed from both."""

    choice: PlannedChoice
    mechanism: SelectionByCounts

    @property
    def event(self) -> SelectionRelease:
        return self.choice.event(self.mechanism)

    @property
    def rows(self) -> int:
        """The number of values that it releases per cell."""
        return self.mechanism.rows(self.choice.width)


@dataclass(frozen=True, slots=True)
class Program:
    """A question at a price."""

    prepared: Prepared
    measurements: tuple[Measurement, ...]
    chosen: tuple[ChosenBy, ...] = ()
    threshold: Threshold | None = None
    """The threshold that a private group must reach to be shown."""
    quoted: Conversion | None = None
    """The conversion of the rho of Gaussian noise to (epsilon, delta), if it is quoted so."""
    source: ProgramSource = MEASURED
    """Where its numbers come from."""

    @property
    def plan(self) -> Plan:
        return self.prepared.plan

    @property
    def event(self) -> Event:
        """What is charged."""
        return self.source.event(self)

    @property
    def loss(self) -> PureDP | ZCDP | ApproxDP:
        return self.event.loss

    @property
    def public_values(self) -> tuple[int, ...] | None:
        """The value of each statistic, equal in every cell, if no unit can change any of them (from the plan alone); None if
        anything else is released."""
        constants = tuple(value for value in self.publics if value is not None)
        if self.threshold is not None or self.chosen or len(constants) != len(self.publics):
            return None
        return constants

    @property
    def publics(self) -> tuple[int | None, ...]:
        """The value of each measured number that no unit can change; None for the others."""
        return self.source.publics(self)

    @property
    def executed_plan(self) -> Plan:
        """The plan of the sums."""
        return self.source.executed_plan(self)

    @property
    def executed_plans(self) -> tuple[Plan, ...]:
        """All plans that the engine executes."""
        return self.source.executed_plans(self)

    @property
    def mechanisms(self) -> tuple[NoiseMechanism, ...]:
        """The mechanism of each row of the sums."""
        return self.source.mechanisms(self)

    @property
    def cells(self) -> int:
        """The number of cells; where keys are private, per combination of their values."""
        return self.source.cells(self.plan.cells)

    @property
    def independent(self) -> bool:
        """Whether the noise of different cells is independent."""
        return self.source.independent

    def finished(self, column: ValueColumn, cells: Integers, confidence: Fraction) -> Estimates:
        """The estimates of a column from the released numbers (one row per statistic)."""
        return self.source.finished(self, column, cells, confidence)

    def least_margin(self, column: ValueColumn, confidence: Fraction) -> float | None:
        """The smallest margin of a column's numbers; None where it depends on the answer."""
        return self.source.least_margin(self, column, confidence)

    def row_of(self, statistic: Statistic) -> int:
        """The row of a statistic in the released numbers; the threshold's unit count is the last."""
        return self.source.row_of(self, statistic)

    def chosen_for(self, wish: Wish) -> tuple[ChosenBy, slice]:
        """The selection that fulfils a wish, and its rows of the released numbers, after those of the sums."""
        first = self.source.rows(self)
        for chosen in self.chosen:
            if wish in chosen.choice.wishes:
                return chosen, slice(first, first + chosen.rows)
            first += chosen.rows
        raise Bug("choice-missing", f"no selection for {type(wish).__name__}")

    def law_of(self, statistic: Statistic) -> NoiseLaw | None:
        """The noise law of a statistic; None where it is public."""
        return self.source.law_of(self, statistic)

    def noise(self, column: ValueColumn) -> tuple[Noise, ...]:
        """The noise of each statistic that a column reads."""
        return self.source.noise(self, column)

    def foresee(self, confidence: Fraction) -> tuple[Foreseen, ...]:
        """The expected error of each shown column; no row is read."""
        return tuple(self.foresee_column(column, confidence) for column in self.prepared.values)

    def foresee_column(self, column: ValueColumn | ComputedColumn, confidence: Fraction) -> Foreseen:
        if isinstance(column, ComputedColumn):
            return self._foresee_computed(column, confidence)
        return self.source.foresee(self, column, confidence)

    def _foresee_computed(self, column: ComputedColumn, confidence: Fraction) -> Foreseen:
        """|c₁|·m₁ + |c₂|·m₂ + … where the column is c₁·x₁ + c₂·x₂ + … + c₀; otherwise it depends on the answer."""
        factors, each = coefficients(column.expression), self.each(column, confidence)
        if factors is None:
            return Foreseen(None, None)
        margin = 0.0
        for source in column.inputs:
            foreseen = self.source.foresee(self, source, each)
            if foreseen.margin is None:
                return Foreseen(None, None)
            margin += abs(factors.get(source.name, 0.0)) * foreseen.margin
        return Foreseen(margin, None)

    def each(self, column: ComputedColumn, confidence: Fraction) -> Fraction:
        """The confidence that each of k noisy inputs needs for all to hold jointly with the requested confidence.

        Theorem: the chance that one of k statements fails is at most the sum of their chances (union bound), so k
                 intervals at 1 − (1 − c)/k hold together with probability c, however their noises depend.
        """
        noisy = {
            (source.aggregate, source.argument)
            for source in column.inputs
            if isinstance(source.aggregate, SelectionAggregate)
            or any(noise.law is not None for noise in self.noise(source))
        }
        return 1 - (1 - confidence) / max(len(noisy), 1)


def prepare(asked: Query) -> Prepared:
    """Collects the statistics of all columns, each once, and derives their sensitivity."""
    asked = replace(asked, columns=_with_shared_counts(asked))
    labels = _labels(asked)
    counts = [Statistic(Kind.ROWS, filter=wish.filter) for _, wish in _wishes(asked.columns)]
    limited = bounded(asked.rows, asked.keys, [*labels, *counts], asked.limits)
    notes = (*limited.notes, *asked.notes)
    asked = replace(asked, rows=limited.rows, notes=notes)
    if limited.unit_weight != 1:
        asked = replace(
            asked,
            columns=_with_arguments(asked.columns, lambda a: replace(a, unit_weight=limited.unit_weight)),
        )
    return prepare_limited(asked)


def prepare_limited(asked: Query) -> Prepared:
    """Prepares a question whose contributions are already bounded. Every plan that an engine executes is prepared here, so
    the work caused by one unit is checked here."""
    labels = _labels(asked)
    by_threshold = _counted_by_threshold(asked, list(labels))
    measured = [statistic for statistic in labels if statistic != by_threshold]
    ordered = sorted(measured, key=lambda statistic: json.dumps(canonical(statistic), sort_keys=True))
    plan = Group(asked.rows, asked.keys, tuple(ordered), asked.sets)
    require_room(plan, asked.room)
    unit_weight = max((source.argument.unit_weight for source in _sources(asked.columns)), default=1)
    choices = choices_of(list(_wishes(asked.columns)), plan, unit_weight)
    for choice in choices:
        require_room(choice.plan, asked.room)
    facts = group_facts(plan)
    return Prepared(asked, plan, tuple(labels[s] for s in ordered), facts, choices, by_threshold)


def with_counts(asked: Query) -> Query:
    """The same question with each sum read from a centred sum and its row count."""
    return replace(asked, columns=_with_arguments(asked.columns, lambda a: replace(a, counted=True)))


def statistics_of(asked: Query) -> tuple[Statistic, ...]:
    """The statistics that a question reads."""
    return tuple(_labels(asked))


def _labels(asked: Query) -> dict[Statistic, StatisticReading]:
    labels: dict[Statistic, StatisticReading] = {}
    for reading in _readings(asked.columns):
        labels.setdefault(reading.statistic, reading)
    return labels


def _counted_by_threshold(asked: Query, statistics: list[Statistic]) -> Statistic | None:
    """The statistic that equals the unit count of each private group, which the threshold measures anyway."""
    if not asked.keys or not all(key.is_private for key in asked.keys):
        return None
    once = rows_facts(asked.rows).rows == 1
    for statistic in statistics:
        if statistic.filter is None and (
            statistic.kind is Kind.UNITS or (once and statistic.kind is Kind.ROWS)
        ):
            return statistic
    return None


def _with_shared_counts(asked: Query) -> tuple[AnswerColumn, ...]:
    """Sets on each argument whether its row count is public, or measured anyway for another column."""
    facts = rows_facts(asked.rows)
    size = facts.size if facts.fixed and not asked.keys else None

    def sized(argument: Argument) -> Argument:
        whole = argument.filter is None and _never_null(argument)
        return replace(argument, size=size if whole else None)

    columns = _with_arguments(asked.columns, sized)
    measured = {reading.statistic for reading in _readings(columns)}
    columns = _with_arguments(columns, lambda a: replace(a, counted=_count_of(a) in measured))
    if not _cases_are_sparse(columns):
        return columns
    return _with_arguments(columns, lambda a: replace(a, sparse=a.size is None and is_case(a.value)))


def _cases_are_sparse(columns: tuple[AnswerColumn, ...]) -> bool:
    """Whether centred sums of CASEs would move less around zero: there a row adds nothing to most of them.

    It decides which statistics are measured; the cost is derived from those (`facts.group_facts`).
    """
    arguments: dict[Statistic, Argument] = {}
    for source in _sources(columns):
        argument, aggregate = source.argument, source.aggregate
        if (aggregate is AVG or (aggregate is SUM and argument.counted)) and argument.size is None:
            assert argument.value is not None
            if is_case(argument.value):
                arguments[sum_statistic(argument.value, argument.filter, centred=True)] = argument

    def moved(*, centred: bool) -> Fraction:
        sums = [sum_statistic(a.value, a.filter, centred=centred) for a in arguments.values() if a.value]
        parts = [part_of(statistic, weighted=False, only_values_change=False) for statistic in sums]
        steps = [s.grid.step * max(abs(s.low), abs(s.high)) for s in sums if s.grid is not None]
        if not all(steps):
            return Fraction(0)
        return max_amount(parts, steps, Relation.ADD_REMOVE, may_be_absent=True)

    return len(arguments) > 2 and moved(centred=False) < moved(centred=True)


def _with_arguments(
    columns: tuple[AnswerColumn, ...], change: Callable[[Argument], Argument]
) -> tuple[AnswerColumn, ...]:
    changed: list[AnswerColumn] = []
    for column in columns:
        if isinstance(column, ValueColumn):
            column = _with_argument(column, change(column.argument))
        elif isinstance(column, ComputedColumn):
            inputs = (_with_argument(source, change(source.argument)) for source in column.inputs)
            column = replace(column, inputs=tuple(inputs))
        changed.append(column)
    return tuple(changed)


def _with_argument(column: ValueColumn, argument: Argument) -> ValueColumn:
    """The same object where the argument is equal, so that its readings are not derived again."""
    return column if argument == column.argument else replace(column, argument=argument)


def _readings(columns: tuple[AnswerColumn, ...]) -> Iterator[StatisticReading]:
    """The readings of all columns, including the inputs of computed ones."""
    for source in _sources(columns):
        yield from source.readings


def _wishes(columns: tuple[AnswerColumn, ...]) -> Iterator[tuple[str, Wish]]:
    """The labels and wishes of all columns that are selections."""
    for source in _sources(columns):
        if isinstance(source.aggregate, SelectionAggregate):
            argument = source.argument
            shown = argument.text
            if argument.parameter is not None:
                shown += f", {exact_text(argument.parameter)}"
            yield argument.labelled(source.aggregate.name, shown), source.aggregate.wish(argument)


def _sources(columns: tuple[AnswerColumn, ...]) -> Iterator[ValueColumn]:
    """All columns of estimates, including the inputs of computed columns."""
    for column in columns:
        if isinstance(column, ValueColumn):
            yield column
        elif isinstance(column, ComputedColumn):
            yield from column.inputs


def _never_null(argument: Argument) -> bool:
    return _count_of(argument).value is None


def _count_of(argument: Argument) -> Statistic:
    return count_reading(argument).statistic


def compile_program(
    prepared: Prepared, epsilon: Fraction, delta: Fraction | None = None, weights: Weights = None
) -> Program:
    """The question at this price: the least noise that costs at most epsilon in total, and delta for private groups."""
    program = priced(prepared, epsilon, delta, weights)
    agree(program, ApproxDP(epsilon, delta or Fraction(0)))
    return program


def priced(
    prepared: Prepared, epsilon: Fraction, delta: Fraction | None = None, weights: Weights = None
) -> Program:
    """The same without the second derivation of the price: for previews, not to run."""
    total, threshold = PureDP(epsilon), None
    choices = len(prepared.choices)
    if prepared.facts.keys_per_unit is not None:
        if delta is None:
            raise Bug("cost-differs", "private groups were compiled without a delta")
        shown, total = budget.split_keyed(
            epsilon, delta, prepared.facts, prepared.matters(weights), prepared.counted(weights), choices
        )
        relation = str(prepared.facts.rows.relation)
        threshold = Threshold.calibrate(prepared.facts.keys_per_unit, shown, relation)  # type: ignore[arg-type]
    each, total = budget.split_chosen(total, prepared.facts, choices)
    chosen = tuple(ChosenBy(choice, choice.at(each.epsilon)) for choice in prepared.choices)
    shares = budget.split(total, prepared.facts, prepared.matters(weights))
    measurements = []
    for label, statistic, fact, share in zip(
        prepared.labels, prepared.plan.statistics, prepared.facts.statistics, shares, strict=True
    ):
        public = prepared.public_value(statistic)
        mechanism: StatisticMechanism = (
            least_noise(fact.sensitivity, share, all_add_up=prepared.all_add_up)
            if public is None
            else Constant(public)
        )
        measurements.append(Measurement(label.label, fact.sensitivity, mechanism))
    return Program(prepared, tuple(measurements), chosen, threshold)


def program_of(prepared: Prepared, event: Event) -> Program:
    """The question with exactly the noise that was charged: rebuilt from the stored event, whatever the split is now."""
    charged = event.composition
    threshold = (
        None if charged.threshold is None else Threshold(charged.threshold.scale, charged.threshold.tau)
    )
    if len(charged.sums) != len(prepared.plan.statistics) or len(charged.choices) != len(prepared.choices):
        raise Bug("cost-differs", "a stored debit has another number of statistics than the question")
    measurements = []
    for label, statistic, fact, part in zip(
        prepared.labels, prepared.plan.statistics, prepared.facts.statistics, charged.sums, strict=True
    ):
        mechanism = _public(prepared, statistic) if part.is_public else charged_mechanism(part)
        measurements.append(Measurement(label.label, fact.sensitivity, mechanism))
    chosen = tuple(
        ChosenBy(choice, choice.charged(part))
        for choice, part in zip(prepared.choices, charged.choices, strict=True)
    )
    program = Program(prepared, tuple(measurements), chosen, threshold, charged.quoted)
    agree(program, event.loss)
    return program


def _public(prepared: Prepared, statistic: Statistic) -> Constant:
    """The public value of a statistic that no unit can change: low = high for a public number of rows."""
    return Constant(statistic.low * (prepared.facts.rows.size or 0))


def agree(program: Program, price: Loss) -> None:
    """Derives the cost a second time, from the finished plan and the scales alone; above the price it is a Bug."""
    again = group_facts(program.plan)
    for measurement, fact in zip(program.measurements, again.statistics, strict=True):
        if measurement.mechanism.public is not None and fact.sensitivity.l1 > 0:
            raise Bug("cost-differs", f"{measurement.label} would be released without noise")
    parts = [
        measurement.mechanism.event(measurement.label, fact.sensitivity)
        for measurement, fact in zip(program.measurements, again.statistics, strict=True)
    ]
    cost: Loss = joint(parts, again.max_affected, program.quoted).loss
    for chosen in program.chosen:
        if not isinstance(cost, PureDP):
            raise Bug("cost-differs", "sums next to selections must have Laplace noise")
        moved = group_facts(chosen.choice.plan).statistics[0].sensitivity.l1
        drawn = chosen.mechanism.event("", moved, single_cell=chosen.choice.single_cell)
        cost = PureDP(cost.epsilon + drawn.loss.epsilon)
    if program.plan.private_keys:
        if program.threshold is None or again.keys_per_unit is None or not isinstance(cost, PureDP):
            raise Bug("cost-differs", "private groups would be shown without a threshold")
        scale, tau = program.threshold.scale, program.threshold.tau
        shown = ThresholdRelease("", scale, tau, again.keys_per_unit, str(again.rows.relation)).loss
        cost = ApproxDP(cost.epsilon + shown.epsilon, shown.delta)
    if cost != program.loss or not _within(cost, price):
        raise Bug("cost-differs", f"the plan costs {cost}, the program says {program.loss}, for {price}")


def _within(cost: Loss, price: Loss) -> bool:
    """Whether a cost is at most a price of its kind; a cost of zero is within any price."""
    if cost == PureDP(Fraction(0)):
        return True
    if isinstance(cost, ZCDP) or isinstance(price, ZCDP):
        return isinstance(cost, ZCDP) and isinstance(price, ZCDP) and cost.rho <= price.rho
    delta, allowed = (loss.delta if isinstance(loss, ApproxDP) else Fraction(0) for loss in (cost, price))
    return cost.epsilon <= price.epsilon and delta <= allowed
