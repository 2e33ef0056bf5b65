"""What is chosen instead of added up: quantiles, extremes, the commonest values; and the counts that each is chosen by.

A choice reads the same rows in the same groups as the question, counted once more by a public key: the place of a number
on a grid, or a declared value. So it is one more Group, with the facts, the SQL and the tests that Groups have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from lapcat.core.event import ChoiceRelease, Chosen, ExtremeRelease, RankRelease
from lapcat.core.exact import exact_text
from lapcat.core.mechanisms.commonest import Commonest
from lapcat.core.mechanisms.ranks import ExtremeRank, Ranks, rows_of
from lapcat.errors import Refused
from lapcat.plan.expressions import Arithmetic, Cast, Expression, Literal, Rounded, range_of
from lapcat.plan.facts import GroupFacts, Reason, group_facts
from lapcat.plan.nodes import Group, GroupKey, Kind, Statistic
from lapcat.plan.schema import Relation, Type, Value
from lapcat.stored.forms import stored

MOST_PLACES, FEWEST_PLACES = 2**20, 2**10
"""In how many places a column's bounds are divided: as finely as all groups together allow."""
FEWEST_OF_A_GROUP = 2**6
MOST_COUNTS, MOST_OF_A_GROUP = 2**24, 2**16
"""How many counts one look may bring (128 MiB), and how many of them for each private group, of which nobody knows how
many there are."""
MOST_PARTS = 2**10


@dataclass(frozen=True, slots=True)
class ValueGrid:
    """The public places of a number: place i holds the values from (first + i) · 2^exponent to the next."""

    expression: Expression
    """A row's place, counted from 0 at zero."""
    first: int
    count: int
    exponent: int
    whole: bool
    """Whether each place is one whole number."""

    @property
    def step(self) -> float:
        return 2.0**self.exponent


def value_grid_of(value: Expression, limit: int) -> ValueGrid:
    """At most so many places for the value's range, two at least: a unit must be able to change something."""
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
    """The value with the share `q` of the rows below it."""

    value: Expression
    filter: Expression | None
    q: Fraction


@stored("End", "value", "filter", "highest")
@dataclass(frozen=True, slots=True)
class End:
    """A value near the highest, or the lowest."""

    value: Expression
    filter: Expression | None
    highest: bool


@stored("Common", "value", "filter", "candidates", "picks")
@dataclass(frozen=True, slots=True)
class Common:
    """The commonest of declared values."""

    value: Expression
    filter: Expression | None
    candidates: tuple[Value, ...]
    picks: int


Wish = Quantile | End | Common
Mechanism = Ranks | ExtremeRank | Commonest


@dataclass(frozen=True, slots=True)
class PlannedChoice:
    """One payment's choice: the wishes that it fulfils, by which counts, and how far a unit moves those."""

    label: str
    wishes: tuple[Wish, ...]
    """Several quantiles of one column, ascending; or one wish."""
    plan: Group
    """The counts: its last key is the place, or the value."""
    places: ValueGrid | None
    facts: GroupFacts
    single_cell: bool
    """One choice in one cell under replace-one: see core.event.RankRelease."""

    @property
    def width(self) -> int:
        """How many candidates each cell has."""
        return self.plan.keys[-1].size

    @property
    def moved(self) -> Fraction:
        """How far one unit moves the counts, all together, in steps."""
        return self.facts.statistics[0].sensitivity.l1

    @property
    def score_moved(self) -> Fraction:
        """How far one unit moves a candidate's score, in rows.

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
            why = f"chosen among {self.width} public values by a score, the number of their rows, {moved}"
        else:
            reach = range_of(self.wishes[0].value)
            whole = exact_text(Fraction(reach.high) - Fraction(reach.low))
            why = (
                f"chosen among {self.width} public places by a score, the distance in rows from the rank asked for, {moved}; "
                f"the exact value can move by the whole range, {whole}, so noise on it would say nothing"
            )
        theorem = "the exponential mechanism costs its rate times what scores move against each other"
        return (*self.facts.rows.reasons, *self.facts.statistics[0].reasons, Reason("choice", why, theorem))

    @property
    def unit_weight(self) -> int:
        """How many steps a whole row counts for."""
        return self.plan.statistics[0].unit_weight

    def at(self, epsilon: Fraction) -> Mechanism:
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

    def paid(self, event: Chosen) -> Mechanism:
        """The mechanism that was paid for, by its own rates."""
        match event:
            case RankRelease():
                return Ranks(event.quantiles, event.parts, event.rates, event.scale)
            case ExtremeRelease():
                return ExtremeRank(event.highest, event.rate, event.depth)
            case ChoiceRelease():
                return Commonest(event.epsilon / self.moved, event.picks)

    @property
    def parts(self) -> int:
        """How finely a place is divided where several quantiles are chosen: ties would mislead those that come after."""
        if len(self.wishes) == 1:
            return 1
        if self.plan.private_keys:
            return max(1, MOST_OF_A_GROUP // (4 * self.plan.cells))
        return min(MOST_PARTS, max(1, MOST_PLACES // self.plan.cells))

    @property
    def rows(self) -> int:
        """How many numbers it brings to each cell, at every price."""
        match self.wishes:
            case [End()]:
                return 1
            case [Common(picks=picks)]:
                return picks
        return rows_of(len(self.wishes), self.width * self.parts)

    def event(self, mechanism: Mechanism) -> Chosen:
        return mechanism.event(self.label, self.moved, single_cell=self.single_cell)


def choices_of(wishes: Sequence[tuple[str, Wish]], question: Group, one: int) -> tuple[PlannedChoice, ...]:
    """The choices that fulfil the wishes (each with what its column is called), the quantiles of one column together."""
    together: dict[object, list[tuple[str, Wish]]] = {}
    for called, wish in wishes:
        of = (wish.value, wish.filter) if isinstance(wish, Quantile) else wish
        if wish not in (known for _, known in together.setdefault(of, [])):
            together[of].append((called, wish))
    return tuple(_choice(group, question, one) for group in together.values())


def _choice(wanted: list[tuple[str, Wish]], question: Group, one: int) -> PlannedChoice:
    wishes = tuple(wish for _, wish in wanted)
    if isinstance(wishes[0], Quantile):
        wishes = tuple(sorted(wishes, key=lambda wish: wish.q if isinstance(wish, Quantile) else 0))
    first = wishes[0]
    places = None
    if isinstance(first, Common):
        key = GroupKey("value", first.value, first.candidates)
    else:
        cells = max(question.cells, 1)
        limit = max(FEWEST_PLACES, MOST_PLACES // cells)
        if question.private_keys:
            limit = max(FEWEST_OF_A_GROUP, min(FEWEST_PLACES, MOST_OF_A_GROUP // cells))
        places = value_grid_of(first.value, limit)
        key = GroupKey("place", places.expression, range(places.first, places.first + places.count))
    if question.cells * key.size > (MOST_OF_A_GROUP if question.private_keys else MOST_COUNTS):
        raise Refused(
            "choice-too-wide",
            f"{wanted[0][0]} in {question.cells} groups would be chosen by {question.cells * key.size} counts",
            why=f"each group has {key.size} candidates, and those of all groups are counted at once",
            fix="group by fewer columns, or ask for AVG instead",
        )
    added = len(question.keys)
    sets = tuple((*grouping, added) for grouping in question.grouping_sets)
    statistic = Statistic(Kind.ROWS, filter=first.filter, unit_weight=one)
    plan = Group(question.source, (*question.keys, key), (statistic,), sets if question.sets else ())
    facts = group_facts(plan)
    alone = len(wishes) == 1 and not question.private_keys and question.cells == 1
    single_cell = alone and facts.rows.relation is Relation.REPLACE_ONE
    label = ", ".join(called for called, _ in wanted)
    return PlannedChoice(label, wishes, plan, places, facts, single_cell)
