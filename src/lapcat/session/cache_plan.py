"""Answers from what was released before: a question all of whose statistics are stored reads no row.

AVG after SUM and COUNT of the same rows, COUNT after COUNT and SUM, VAR after STDDEV, a coarser grouping after a finer one.
It is post-processing of released numbers, so it costs the table nothing; but an analyst who receives a number that somebody
else paid for is debited for it once, exactly as for a repeated question.

Numbers are used only where rows and statistic are identical (plan/cached_statistics.py). Cells add up to a coarser grouping where
every row is in one of them: each key that is left out lists all that there can be, or has a group for the rest; and only
of statistics that add up (different values and units are counted once in each cell). Private groups are never added up,
for those below the threshold are missing; their numbers come from one answer, for another shows other groups.
What was chosen (a median, a mode) is not added up: the choice of a whole does not follow from those of its parts, nor one
quantile from another. It is used for the same groups alone; of several quantiles that were chosen together each can be had.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np

from lapcat.core.answers import Group, NoisyResult, is_cryptographic, unpacked
from lapcat.core.event import Event, ExactRelease, JointRelease, KeyedRelease, LaplaceRelease, SumsAndChoices
from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw, Laplace
from lapcat.errors import Bug
from lapcat.ledger.base import CachedAnswer
from lapcat.plan.accuracy import Foreseen
from lapcat.plan.aggregates import AGGREGATES, Estimates, SelectionAggregate
from lapcat.plan.aggregates.of_moments import OfMoments
from lapcat.plan.cached_statistics import Content, content_of, identities_of
from lapcat.plan.compile import (
    ComputedColumn,
    Prepared,
    Program,
    ValueColumn,
    prepare_limited,
    statistics_of,
    with_counts,
)
from lapcat.plan.laplace_sums import LaplaceSum
from lapcat.plan.nodes import Kind, Statistic
from lapcat.plan.released.computed import estimates_of, joined
from lapcat.session.cached_cells import CellSource, Law, beside_units
from lapcat.session.cached_choices import ChoiceSource, chosen_no_worse, spread, stored_choices

ADDITIVE = (Kind.ROWS, Kind.PRESENT, Kind.SUM)
"""Of these the cells of a partition add up to the whole."""
KNOW_SUMS = frozenset({"count", "sum", "avg"}) | {of.name for of in AGGREGATES if isinstance(of, OfMoments)}
"""The aggregates whose intervals are right for a sum of several draws too."""


@dataclass(frozen=True, slots=True)
class ProgramFromCache(Program):
    """A question whose numbers were released before: their laws are known, and there is nothing to measure."""

    laws: tuple[Law | None, ...] = ()

    @property
    def summed(self) -> int:
        return len(self.prepared.released)

    def row_of(self, statistic: Statistic) -> int:
        return self.prepared.released.index(statistic)

    def law_of(self, statistic: Statistic) -> Law | None:
        return self.laws[self.row_of(statistic)]


@dataclass(frozen=True, slots=True)
class CachePlan:
    """A question with a source for each of its statistics in each of its grouping sets (None: it is public)."""

    prepared: Prepared
    sources: tuple[tuple[CellSource | None, ...], ...]
    choices: tuple[ChoiceSource, ...] = ()
    """Where something is chosen there is one grouping set."""

    @property
    def cached_answers(self) -> tuple[CachedAnswer, ...]:
        """The stored answers that are read, oldest first."""
        found = {
            s.cached_answer.id: s.cached_answer for sources in self.sources for s in sources if s is not None
        }
        found |= {s.cached_answer.id: s.cached_answer for choice in self.choices for s in choice.rows}
        return tuple(found[id] for id in sorted(found))

    @property
    def entries(self) -> tuple[int, ...]:
        return tuple(holding.id for holding in self.cached_answers)

    @property
    def programs(self) -> tuple[ProgramFromCache, ...]:
        """One for each grouping set, for each may have its own noise."""
        return tuple(
            ProgramFromCache(
                self.prepared,
                (),
                tuple(choice.chosen for choice in self.choices),
                laws=tuple(None if s is None else s.law for s in sources),
            )
            for sources in self.sources
        )

    @property
    def independent(self) -> bool:
        """Whether the noises of different cells are independent; of several sets one may hold the other's cells."""
        return len(self.sources) == 1

    def foresee(self, confidence: Fraction) -> tuple[Foreseen, ...]:
        """For each number that the answer shows, the error in the set where it is largest."""
        each = [program.foresee(confidence) for program in self.programs]
        return tuple(max(column, key=_size) for column in zip(*each, strict=True))

    def estimates(
        self, answers: Mapping[int, NoisyResult], confidence: Fraction
    ) -> tuple[dict[str, Estimates], tuple[Group, ...] | None]:
        """The columns of numbers, and the private groups that are shown."""
        keys = next(iter(answers.values())).keys
        found: dict[str, list[Estimates]] = {}
        for sources, program, grouping in zip(
            self.sources, self.programs, self.prepared.plan.grouping_sets, strict=True
        ):
            width = self.prepared.plan.cells_of(grouping) * (1 if keys is None else len(keys))
            rows = [
                np.full(width, self.prepared.public_value(statistic), dtype=np.int64)
                if source is None
                else source.cells(answers[source.cached_answer.id])
                for statistic, source in zip(self.prepared.released, sources, strict=True)
            ]
            rows += [
                source.cells(answers[source.cached_answer.id])
                for choice in self.choices
                for source in choice.rows
            ]
            for name, estimates in estimates_of(program, np.vstack(rows), confidence).items():
                found.setdefault(name, []).append(estimates)
        return {name: joined(parts) for name, parts in found.items()}, keys

    def as_good_as(self, paid: Program, confidence: Fraction) -> bool:
        """Whether no column's margin would be smaller, and no more private groups shown, if the question were paid for."""
        if paid.threshold is not None and not all(
            isinstance(one.event, KeyedRelease) and one.event.threshold.tau <= paid.threshold.tau
            for one in self.cached_answers
        ):
            return False
        return all(_no_worse(program, paid, confidence) for program in self.programs)


def derivations(
    prepared: Prepared, holding: Callable[[Sequence[str]], list[CachedAnswer]], cryptographic: bool
) -> Iterator[CachePlan]:
    """The ways to answer a question from stored answers: first from those that whoever asks has paid for.

    Answers with noise from seeded coins are for tests; they are never used where real noise is expected, nor the other
    way round.
    """
    readable = []
    for form, content in _forms(prepared, holding):
        found = [one for one in holding(content.held) if is_cryptographic(one.head) == cryptographic]
        if found:
            readable.append((form, content, found))
    for only_own in (True, False):
        for form, content, found in readable:
            usable = [one for one in found if one.charged or not only_own]
            if not only_own and all(one.charged for one in usable):
                continue  # nothing that was not tried
            derived = _derived(form, content, usable)
            if derived is not None and (only_own or any(not one.charged for one in derived.cached_answers)):
                yield derived


def _forms(
    prepared: Prepared, holding: Callable[[Sequence[str]], list[CachedAnswer]]
) -> Iterator[tuple[Prepared, Content]]:
    """The question as it would be measured; and read from sums beside counts, where all of those are stored."""
    yield prepared, content_of(prepared)
    asked = with_counts(prepared.asked)
    statistics = statistics_of(asked)
    if set(statistics) != set(prepared.released):
        identities = identities_of(asked.rows, statistics)
        if set(identities) <= {one for found in holding(identities) for one in found.content.statistics}:
            form = prepare_limited(asked)  # what one unit can do is derived only where it is needed
            yield form, content_of(form)


def _derived(
    prepared: Prepared, content: Content, cached_answers: Sequence[CachedAnswer]
) -> CachePlan | None:
    """The question from these stored answers, each statistic from the least noisy; None where one is missing."""
    columns = [source for column in prepared.asked.columns for source in _inputs(column)]
    adds_up = all(
        column.aggregate.name in KNOW_SUMS
        for column in columns
        if not isinstance(column.aggregate, SelectionAggregate)
    )
    together = [[one] for one in cached_answers] if content.private else [list(cached_answers)]
    best: tuple[float, CachePlan] | None = None
    for usable in together:
        choices = stored_choices(prepared, content, usable)
        if choices is None:
            continue
        sets = []
        for grouping in content.sets:
            asked = tuple(content.keys[key].identity for key in grouping)
            sources: list[CellSource | None] = []
            for statistic, identity in zip(prepared.released, content.statistics, strict=True):
                if prepared.public_value(statistic) is not None:
                    sources.append(None)
                    continue
                ways = _sources(
                    identity, asked, content.private, usable, adds_up and statistic.kind in ADDITIVE
                )
                least = min(ways, key=lambda way: (_variance(way.law), way.cached_answer.id), default=None)
                if least is None:
                    break
                sources.append(least)
            else:
                sets.append(tuple(sources))
                continue
            break
        else:
            noise = sum(_variance(s.law) for sources in sets for s in sources if s is not None)
            noise += sum(float(spread(choice.chosen.mechanism)) for choice in choices)
            derived = CachePlan(prepared, tuple(sets), choices)
            if derived.entries and (best is None or noise < best[0]):
                best = noise, derived
    return None if best is None else best[1]


def _sources(
    identity: str,
    asked: tuple[str, ...],
    private: tuple[str, ...],
    cached_answers: Sequence[CachedAnswer],
    adds_up: bool,
) -> Iterator[CellSource]:
    """Every stored row of cells that says a statistic by these keys, or adds up to it."""
    for holding in cached_answers:
        content = holding.content
        if identity not in content.statistics or content.private != private:
            continue
        laws = _laws(holding.event)
        if laws is None:
            continue
        position = content.statistics.index(identity)
        units = isinstance(holding.event, KeyedRelease) and position == len(laws) - 1
        row, one = None if units else position, laws[position]
        for grouping in content.sets:
            places = {content.keys[key].identity: key for key in grouping}
            if len(places) < len(grouping) or len(set(asked)) < len(asked):
                continue
            without_rest = {
                listed: key for key in grouping if (listed := content.keys[key].listed) is not None
            }
            trimmed = tuple(without_rest[name] for name in asked if name in without_rest)
            places = {**without_rest, **places}
            if not set(asked) <= set(places) or len({places[name] for name in asked}) < len(asked):
                continue
            kept_keys = {places[name] for name in asked}
            out = [content.keys[key] for key in grouping if key not in kept_keys]
            cells = prod(key.size or 0 for key in out)
            if not all(key.total for key in out) or (cells > 1 and not adds_up):
                continue
            law = one if one is None or cells == 1 else LaplaceSum(one.scale, cells)
            kept = tuple(places[name] for name in asked if content.keys[places[name]].size is not None)
            yield CellSource(holding, row, grouping, kept, law, trimmed)


def _laws(event: Event) -> list[DiscreteLaplaceLaw | None] | None:
    """The noise on each row of an answer, from what was paid for; None where it is not known here."""
    rest = beside_units(event)
    if isinstance(rest, SumsAndChoices):
        rest = rest.sums
    if not isinstance(rest, JointRelease | None):
        return None
    laws: list[DiscreteLaplaceLaw | None] = []
    for part in () if rest is None else rest.parts:
        match part:
            case LaplaceRelease(scale=scale):
                laws.append(Laplace(scale).law())
            case ExactRelease():
                laws.append(None)
            case _:
                return None
    if isinstance(event, KeyedRelease):
        laws.append(Laplace(event.threshold.scale).law())
    return laws


def _variance(law: Law | None) -> float:
    return 0.0 if law is None else law.variance


def _inputs(column: object) -> tuple[ValueColumn, ...]:
    """The estimates of a column: itself, or what it is computed of."""
    if isinstance(column, ComputedColumn):
        return column.inputs
    return (column,) if isinstance(column, ValueColumn) else ()


def _size(foreseen: Foreseen) -> float:
    if foreseen.margin is not None:
        return foreseen.margin
    return max((margin for _, margin in foreseen.assuming), default=0.0)


def _no_worse(derived: Program, paid: Program, confidence: Fraction) -> bool:
    """Column by column: noise by noise where both read the same statistics, else by the margins that are foreseen."""
    ours, theirs = ([i for c in p.prepared.asked.columns for i in _inputs(c)] for p in (derived, paid))
    for one, other in zip(ours, theirs, strict=True):
        if isinstance(one.aggregate, SelectionAggregate):
            wish = one.aggregate.wish(one.argument)
            if not chosen_no_worse(derived.chosen_for(wish)[0], paid.chosen_for(wish)[0], confidence):
                return False
            continue
        same = [r.statistic for r in one.readings] == [r.statistic for r in other.readings]
        if same and paid.independent:
            pairs = zip(derived.noise(one), paid.noise(other), strict=True)
            if any(a.margin(confidence) > b.margin(confidence) or a.variance > b.variance for a, b in pairs):
                return False
            continue
        mine = derived.foresee_column(one, confidence).margin
        new = paid.least_margin(other, confidence)
        if mine is None or new is None or mine > new:
            return False
    return True


def stored_answers(
    cached_answers: Sequence[CachedAnswer], answer: Callable[[int], bytes | None]
) -> dict[int, NoisyResult]:
    """The stored answers, read."""
    found = {}
    for holding in cached_answers:
        packed = answer(holding.id)
        if packed is None:
            raise Bug("answer-format", f"debit {holding.id} has an answer that is gone")
        found[holding.id] = unpacked(packed)
    return found
