"""Selections instead of sums: quantiles, extremes, the most frequent values; and the counts that each selection needs.

A selection reads the same rows in the same groups as the question, counted by one more public key: the grid cell of a
number, or a declared value. So its plan is one more Group, with the facts, the SQL and the tests of Groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from lapcat.core.event import SelectionRelease
from lapcat.core.exact import exact_text
from lapcat.core.mechanisms.base import SelectionByCounts
from lapcat.core.mechanisms.commonest import Commonest
from lapcat.core.mechanisms.ranks import ExtremeRank, Ranks, rows_of
from lapcat.core.mechanisms.registry import charged_selection
from lapcat.errors import Refused
from lapcat.plan.expressions import Arithmetic, Cast, Expression, Literal, Rounded, range_of
from lapcat.plan.facts import GroupFacts, Reason, group_facts
from lapcat.plan.nodes import Group, GroupKey, Kind, Statistic
from lapcat.plan.schema import Relation, Type, Value
from lapcat.stored.forms import stored

MAX_PLACES, MIN_PLACES = 2**20, 2**10
"""The number of grid cells ("places") between a column's bounds: as many as the number of groups allows."""
MIN_PLACES_PER_GROUP = 2**6
MAX_COUNTS, MAX_COUNTS_PER_GROUP = 2**24, 2**16
"""The maximum number of counts of one execution (128 MiB), and per private group, as the number of those is unknown."""
MAX_PARTS = 2**10


@dataclass(frozen=True, slots=True)
class ValueGrid:
    """A public grid: place i holds the values from (first + i) · 2^exponent up to the next place."""

    expression: Expression
    """The place of a row's value; 0 is the place of zero."""
    first: int
    count: int
    exponent: int
    whole: bool
    """Whether each place is one integer."""

    @property
    def step(self) -> float:
        return 2.0**self.exponent


def value_grid_of(value: Expression, limit: int) -> ValueGrid:
    """A grid of at most `limit` places over the value's range, and at least two: a unit must be able to change something."""
    reach = range_of(value)
    low, high = Fraction(reach.low), Fraction(reach.high)
    exponent = _floor_log2((high - low) / limit) if low != high else _floor_log2(abs(low) or Fraction(1)) - 52
    least = _floor_log2(max(abs(low), abs(high), Fraction(1))) - 60  # a place is a 63-bit integer
    exponent = max(exponent, least, 0 if value.type is Type.INTEGER else -1000)
    while _place(high, exponent) - _place(low, exponent) + 1 > limit:
        exponent += 1
    first, last = _place(low, exponent), _place(high, exponent)
    if exponent == 0 and value.type is Type.INTEGER:
        return ValueGrid(value, first, max(last - first + 1, 2), 0, True)
    number = Cast(value, Type.FLOAT) if value.type is Type.INTEGER else value
    scaled = Arithmetic("*", number, Literal(2.0**-exponent, Type.FLOAT), Type.FLOAT)
    return ValueGrid(Rounded("floor", scaled), first, max(last - first + 1, 2), exponent, False)


def _place(x: Fraction, exponent: int) -> int:
    return x // Fraction(2) ** exponent


def _floor_log2(x: Fraction) -> int:
    guess = x.numerator.bit_length() - x.denominator.bit_length()
    return guess if Fraction(2) ** guess <= x else guess - 1


# ------------------------------------------------------------------------------------------------ wishes


@stored("Quantile", "value", "filter", "q")
@dataclass(frozen=True, slots=True)
class Quantile:
    """The q-quantile of a value."""

    value: Expression
    filter: Expression | None
    q: Fraction


@stored("End", "value", "filter", "highest")
@dataclass(frozen=True, slots=True)
class End:
    """A value near the maximum or the minimum."""

    value: Expression
    filter: Expression | None
    highest: bool


@stored("Common", "value", "filter", "candidates", "picks")
@dataclass(frozen=True, slots=True)
class Common:
    """The most frequent of the declared values."""

    value: Expression
    filter: Expression | None
    candidates: tuple[Value, ...]
    picks: int


Wish = Quantile | End | Common


@dataclass(frozen=True, slots=True)
class PlannedChoice:
    """One selection that is charged as a whole: the wishes that it fulfils, the counts it needs and their sensitivity."""

    label: str
    wishes: tuple[Wish, ...]
    """Several quantiles of one column, ascending; or one wish."""
    plan: Group
    """The plan of the counts; its last key is the place or the value."""
    places: ValueGrid | None
    facts: GroupFacts
    single_cell: bool
    """One selection in one cell under replace-one: see core.event.RankRelease."""

    @property
    def width(self) -> int:
        """The number of candidates per cell."""
        return self.plan.keys[-1].size

    @property
    def moved(self) -> Fraction:
        """The l1 sensitivity of the counts, in steps."""
        return self.facts.statistics[0].sensitivity.l1

    @property
    def score_moved(self) -> Fraction:
        """The sensitivity of a candidate's score, in rows.

        Theorem: #{below} − q·n moves by max(q, 1 − q) for each row that is added or removed, and by 1 for one that is
                 replaced; a count of the rows beyond, or of a value's rows, by 1 in either case.
        """
        if self.facts.rows.relation is Relation.REPLACE_ONE:
            return self.moved / (2 * self.unit_weight)
        reach = max(max(w.q, 1 - w.q) if isinstance(w, Quantile) else Fraction(1) for w in self.wishes)
        return reach * self.moved / self.unit_weight

    @property
    def reasons(self) -> tuple[Reason, ...]:
        moved = f"which moves by at most {exact_text(self.score_moved)}"
        if isinstance(self.wishes[0], Common):
            why = f"selected from {self.width} public values by a score, the number of their rows, {moved}"
        else:
            reach = range_of(self.wishes[0].value)
            whole = exact_text(Fraction(reach.high) - Fraction(reach.low))
            why = (
                f"selected from {self.width} public grid cells by a score, the distance in rows from the requested rank, {moved}; "
                f"the sensitivity of the exact value is the whole range, {whole}, so adding noise to it would be useless"
            )
        theorem = "the exponential mechanism costs its rate times the sensitivity of score differences"
        return (*self.facts.rows.reasons, *self.facts.statistics[0].reasons, Reason("choice", why, theorem))

    @property
    def unit_weight(self) -> int:
        """Steps per unweighted row."""
        return self.plan.statistics[0].unit_weight

    def at(self, epsilon: Fraction) -> SelectionByCounts:
        """The mechanism at this price."""
        match self.wishes:
            case [End(highest=highest)]:
                return ExtremeRank.calibrate(
                    highest, self.width, self.moved, epsilon, single_cell=self.single_cell
                )
            case [Common(picks=picks)]:
                return Commonest.calibrate(picks, self.moved, epsilon)
        quantiles = tuple(wish.q for wish in self.wishes if isinstance(wish, Quantile))
        return Ranks.calibrate(quantiles, self.parts, self.moved, epsilon, single_cell=self.single_cell)

    def charged(self, event: SelectionRelease) -> SelectionByCounts:
        """The mechanism that was charged, with its own rates."""
        return charged_selection(event, self.moved)

    @property
    def parts(self) -> int:
        """Subdivisions of a place where several quantiles are selected: ties would mislead the later ones."""
        if len(self.wishes) == 1:
            return 1
        if self.plan.private_keys:
            return max(1, MAX_COUNTS_PER_GROUP // (4 * self.plan.cells))
        return min(MAX_PARTS, max(1, MAX_PLACES // self.plan.cells))

    @property
    def rows(self) -> int:
        """The number of values that it releases per cell, at every price."""
        match self.wishes:
            case [End()]:
                return 1
            case [Common(picks=picks)]:
                return picks
        return rows_of(len(self.wishes), self.width * self.parts)

    def event(self, mechanism: SelectionByCounts) -> SelectionRelease:
        return mechanism.event(self.label, self.moved, single_cell=self.single_cell)


def choices_of(
    wishes: Sequence[tuple[str, Wish]], question: Group, unit_weight: int
) -> tuple[PlannedChoice, ...]:
    """The selections that fulfil the wishes (each with its column's label), the quantiles of one column together."""
    together: dict[object, list[tuple[str, Wish]]] = {}
    for called, wish in wishes:
        of = (wish.value, wish.filter) if isinstance(wish, Quantile) else wish
        if wish not in (known for _, known in together.setdefault(of, [])):
            together[of].append((called, wish))
    return tuple(_choice(group, question, unit_weight) for group in together.values())


def _choice(wanted: list[tuple[str, Wish]], question: Group, unit_weight: int) -> PlannedChoice:
    wishes = tuple(wish for _, wish in wanted)
    if isinstance(wishes[0], Quantile):
        wishes = tuple(sorted(wishes, key=lambda wish: wish.q if isinstance(wish, Quantile) else 0))
    first = wishes[0]
    places = None
    if isinstance(first, Common):
        key = GroupKey("value", first.value, first.candidates)
    else:
        cells = max(question.cells, 1)
        limit = max(MIN_PLACES, MAX_PLACES // cells)
        if question.private_keys:
            limit = max(MIN_PLACES_PER_GROUP, min(MIN_PLACES, MAX_COUNTS_PER_GROUP // cells))
        places = value_grid_of(first.value, limit)
        key = GroupKey("place", places.expression, range(places.first, places.first + places.count))
    if question.cells * key.size > (MAX_COUNTS_PER_GROUP if question.private_keys else MAX_COUNTS):
        raise Refused(
            "choice-too-wide",
            f"{wanted[0][0]} in {question.cells} groups needs {question.cells * key.size} counts",
            why=f"each group has {key.size} candidates, and the candidates of all groups are counted at once",
            fix="group by fewer columns, or ask for AVG instead",
        )
    added = len(question.keys)
    sets = tuple((*grouping, added) for grouping in question.grouping_sets)
    statistic = Statistic(Kind.ROWS, filter=first.filter, unit_weight=unit_weight)
    plan = Group(question.source, (*question.keys, key), (statistic,), sets if question.sets else ())
    facts = group_facts(plan)
    alone = len(wishes) == 1 and not question.private_keys and question.cells == 1
    single_cell = alone and facts.rows.relation is Relation.REPLACE_ONE
    label = ", ".join(called for called, _ in wanted)
    return PlannedChoice(label, wishes, plan, places, facts, single_cell)
