"""Plans for answers from cache: a question whose statistics are all stored reads no row.

AVG after SUM and COUNT of the same rows, COUNT after COUNT and SUM, VAR after STDDEV, a coarser grouping after a finer one.
It is post-processing of released numbers, so it costs the table nothing; but an analyst who receives a number charged to
another is debited for it once, exactly as for a repeated question.

Numbers are reused only if rows and statistic are identical (plan/cached_statistics.py). Cells are summed to a coarser grouping
if every row is in one of them: each dropped key lists all possible values, or has a group for the rest; and only for additive
statistics (distinct values and units are counted once in each cell). Private groups are never summed, because those below
the threshold are missing; their numbers come from a single answer, because another shows other groups. Selections (a median,
a mode) are not combined: the selection of a whole does not follow from those of its parts, nor one quantile from another.
They are reused for the same groups only; each of several quantiles selected together can be reused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np

from lapcat.core.answers import Group, NoisyResult, is_cryptographic, unpacked
from lapcat.core.event import Event
from lapcat.core.mechanisms.base import NoiseLaw
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.core.mechanisms.registry import charged_mechanism
from lapcat.errors import Bug
from lapcat.ledger.base import CachedAnswer
from lapcat.plan.accuracy import Foreseen
from lapcat.plan.aggregates import Estimates, SelectionAggregate
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
from lapcat.plan.nodes import Kind, Statistic
from lapcat.plan.noise_families import family_of
from lapcat.plan.released.computed import estimates_of, joined
from lapcat.plan.sources import MeasuredSource
from lapcat.session.cached_cells import CellSource
from lapcat.session.cached_choices import ChoiceSource, chosen_no_worse, stored_choices

KNOW_SUMS = ("count", "sum", "avg")
"""Besides functions of moments, the aggregates whose intervals are also valid for a sum of several noise draws."""
ADDITIVE = (Kind.ROWS, Kind.PRESENT, Kind.SUM)
"""Additive statistics: the cells of a partition add up to the whole."""


@dataclass(frozen=True, slots=True)
class CachedSource(MeasuredSource):
    """Numbers that were released before: their noise distributions are known, and nothing is measured."""

    laws: tuple[NoiseLaw | None, ...] = ()

    def rows(self, program: Program) -> int:
        return len(program.prepared.released)

    def row_of(self, program: Program, statistic: Statistic) -> int:
        return program.prepared.released.index(statistic)

    def law_of(self, program: Program, statistic: Statistic) -> NoiseLaw | None:
        return self.laws[self.row_of(program, statistic)]


@dataclass(frozen=True, slots=True)
class CachePlan:
    """A question with a stored source for each statistic in each grouping set (None: the number is public)."""

    prepared: Prepared
    sources: tuple[tuple[CellSource | None, ...], ...]
    choices: tuple[ChoiceSource, ...] = ()
    """A plan with selections has one grouping set."""

    @property
    def cached_answers(self) -> tuple[CachedAnswer, ...]:
        """The stored answers used, oldest first."""
        answers = {
            s.cached_answer.id: s.cached_answer for sources in self.sources for s in sources if s is not None
        }
        answers |= {s.cached_answer.id: s.cached_answer for choice in self.choices for s in choice.rows}
        return tuple(answers[id] for id in sorted(answers))

    @property
    def entries(self) -> tuple[int, ...]:
        return tuple(cached_answer.id for cached_answer in self.cached_answers)

    @property
    def programs(self) -> tuple[Program, ...]:
        """One program per grouping set, since each may have its own noise."""
        return tuple(
            Program(
                self.prepared,
                (),
                tuple(choice.chosen for choice in self.choices),
                source=CachedSource(tuple(None if s is None else s.law for s in sources)),
            )
            for sources in self.sources
        )

    @property
    def independent(self) -> bool:
        """Whether the noise of different cells is independent; with several grouping sets, one may be computed from another's cells."""
        return len(self.sources) == 1

    def foresee(self, confidence: Fraction) -> tuple[Foreseen, ...]:
        """For each column of numbers, the error in the grouping set where it is largest."""
        each = [program.foresee(confidence) for program in self.programs]
        return tuple(max(column, key=_size) for column in zip(*each, strict=True))

    def estimates(
        self, answers: Mapping[int, NoisyResult], confidence: Fraction
    ) -> tuple[dict[str, Estimates], tuple[Group, ...] | None]:
        """The columns of numbers, and the private groups shown."""
        keys = next(iter(answers.values())).keys
        columns: dict[str, list[Estimates]] = {}
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
                columns.setdefault(name, []).append(estimates)
        return {name: joined(parts) for name, parts in columns.items()}, keys

    def as_good_as(self, paid: Program, confidence: Fraction) -> bool:
        """Whether a new debit would give no smaller margin in any column and show no more private groups."""
        if paid.threshold is not None and not all(
            (shown := cached_answer.event.composition.threshold) is not None
            and shown.tau <= paid.threshold.tau
            for cached_answer in self.cached_answers
        ):
            return False
        return all(_no_worse(program, paid, confidence) for program in self.programs)


def derivations(
    prepared: Prepared, find_answers: Callable[[Sequence[str]], list[CachedAnswer]], cryptographic: bool
) -> Iterator[CachePlan]:
    """The plans that answer a question from cache: first those from answers already charged to the analyst.

    Answers with noise from seeded coins are for tests; they are never mixed with answers with real noise.
    """
    readable = []
    for form, content in _forms(prepared, find_answers):
        answers = [
            answer for answer in find_answers(content.held) if is_cryptographic(answer.head) == cryptographic
        ]
        if answers:
            readable.append((form, content, answers))
    for only_own in (True, False):
        for form, content, answers in readable:
            usable = [answer for answer in answers if answer.charged or not only_own]
            if not only_own and all(answer.charged for answer in usable):
                continue  # nothing new to try
            derived = _derived(form, content, usable)
            if derived is not None and (
                only_own or any(not answer.charged for answer in derived.cached_answers)
            ):
                yield derived


def _forms(
    prepared: Prepared, find_answers: Callable[[Sequence[str]], list[CachedAnswer]]
) -> Iterator[tuple[Prepared, Content]]:
    """The question as it would be measured; and in terms of sums with counts, if all of those are stored."""
    yield prepared, content_of(prepared)
    asked = with_counts(prepared.asked)
    statistics = statistics_of(asked)
    if set(statistics) != set(prepared.released):
        identities = identities_of(asked.rows, statistics)
        if set(identities) <= {
            statistic for answer in find_answers(identities) for statistic in answer.content.statistics
        }:
            form = prepare_limited(asked)  # sensitivities are derived only if needed
            yield form, content_of(form)


def _derived(
    prepared: Prepared, content: Content, cached_answers: Sequence[CachedAnswer]
) -> CachePlan | None:
    """The plan from these stored answers, each statistic from the least noisy; None if one is missing."""
    columns = [source for column in prepared.asked.columns for source in _inputs(column)]
    adds_up = all(
        column.aggregate.name in KNOW_SUMS or isinstance(column.aggregate, OfMoments)
        for column in columns
        if not isinstance(column.aggregate, SelectionAggregate)
    )
    together = [[answer] for answer in cached_answers] if content.private else [list(cached_answers)]
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
            noise += sum(float(1 / choice.chosen.mechanism.slowest) for choice in choices)
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
    """Every stored row of cells that holds a statistic by these keys, or adds up to it."""
    for cached_answer in cached_answers:
        content = cached_answer.content
        if identity not in content.statistics or content.private != private:
            continue
        laws = _laws(cached_answer.event)
        position = content.statistics.index(identity)
        if position >= len(laws):
            continue
        private_units = cached_answer.event.composition.threshold is not None
        units = private_units and position == len(laws) - 1
        row, single_law = None if units else position, laws[position]
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
            law = single_law
            if single_law is not None and cells != 1:
                family = family_of(single_law)
                law = None if family is None else family.sum_of(single_law, cells)
                if law is None:
                    continue
            kept = tuple(places[name] for name in asked if content.keys[places[name]].size is not None)
            yield CellSource(cached_answer, row, grouping, kept, law, trimmed)


def _laws(event: Event) -> list[NoiseLaw | None]:
    """The noise distribution of each row of an answer, from its event; none if its loss is a rho."""
    if event.concentrated:
        return []
    released = event.composition
    laws: list[NoiseLaw | None] = [
        None if part.is_public else charged_mechanism(part).law() for part in released.sums
    ]
    if released.threshold is not None:
        laws.append(Laplace(released.threshold.scale).law())
    return laws


def _variance(law: NoiseLaw | None) -> float:
    return 0.0 if law is None else law.variance


def _inputs(column: object) -> tuple[ValueColumn, ...]:
    """The inputs of a column: itself, or the columns it is computed from."""
    if isinstance(column, ComputedColumn):
        return column.inputs
    return (column,) if isinstance(column, ValueColumn) else ()


def _size(foreseen: Foreseen) -> float:
    if foreseen.margin is not None:
        return foreseen.margin
    return max((margin for _, margin in foreseen.assuming), default=0.0)


def _no_worse(derived: Program, paid: Program, confidence: Fraction) -> bool:
    """Compares column by column: by noise if both read the same statistics, else by foreseen margins."""
    cached_columns, priced_columns = (
        [i for c in p.prepared.asked.columns for i in _inputs(c)] for p in (derived, paid)
    )
    for cached, priced in zip(cached_columns, priced_columns, strict=True):
        if isinstance(cached.aggregate, SelectionAggregate):
            wish = cached.aggregate.wish(cached.argument)
            if not chosen_no_worse(derived.chosen_for(wish)[0], paid.chosen_for(wish)[0], confidence):
                return False
            continue
        same = [r.statistic for r in cached.readings] == [r.statistic for r in priced.readings]
        if same and paid.independent:
            pairs = zip(derived.noise(cached), paid.noise(priced), strict=True)
            if any(a.margin(confidence) > b.margin(confidence) or a.variance > b.variance for a, b in pairs):
                return False
            continue
        cached_margin = derived.foresee_column(cached, confidence).margin
        new_margin = paid.least_margin(priced, confidence)
        if cached_margin is None or new_margin is None or cached_margin > new_margin:
            return False
    return True


def stored_answers(
    cached_answers: Sequence[CachedAnswer], answer: Callable[[int], bytes | None]
) -> dict[int, NoisyResult]:
    """Reads the stored answers."""
    answers = {}
    for cached_answer in cached_answers:
        packed = answer(cached_answer.id)
        if packed is None:
            raise Bug("answer-format", f"debit {cached_answer.id} has lost its answer")
        answers[cached_answer.id] = unpacked(packed)
    return answers
