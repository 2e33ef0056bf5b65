"""Intervals of selections by ranks, on the tables with the lowest coverage (docs/proofs/ranks.md).

Quantiles  Two heaps with nothing between them; the lower one holds the quantile by less than a row. Some selections are drawn, and
           for each of them the noise of its windows many times: coverage must hold conditionally on the selection.
Extremes   One heap at the opposite end: the probability of every outcome is known.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lapcat.audit.deployment.asking import program_in_epsilon
from lapcat.audit.deployment.check import PROVED, SAMPLED, Check, noise_of
from lapcat.audit.deployment.chosen import chances_of
from lapcat.audit.deployment.copies import Copy, Repeated
from lapcat.audit.deployment.integers import WIDEST
from lapcat.audit.deployment.margins.coverage import LEVEL, too_rarely, too_unlikely
from lapcat.audit.deployment.questions import choices_of
from lapcat.core.answers import Integers
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.core.mechanisms.ranks import ExtremeRank, Ranks
from lapcat.core.ranks import window_edges
from lapcat.plan.aggregates import Estimates, SelectionAggregate
from lapcat.plan.aggregates.quantile import edges_of
from lapcat.plan.choices import PlannedChoice, Quantile
from lapcat.plan.columns import ValueColumn
from lapcat.plan.compile import ChosenBy, Program

ROWS = 10**6 + 1
CHOICES, EACH = 100, 100
"""The number of selections drawn, and of noise draws for each."""


def choices(copy: Copy) -> Iterator[Check]:
    """One column for each aggregate."""
    seen = set()
    for table in copy.family.tables:
        for asked in choices_of(table):
            if asked.aggregate in seen:
                continue
            program = program_in_epsilon(copy, asked.text, Fraction(1))
            if program is None or not all(map(_is_quick, program.chosen)):
                continue
            seen.add(asked.aggregate)
            for column in program.prepared.values:
                if isinstance(column, ValueColumn) and isinstance(column.aggregate, SelectionAggregate):
                    for how, problem in _problems(program, column, column.aggregate):
                        noise = noise_of(program)
                        yield Check("margins", asked.aggregate, noise, copy.engine, how, asked.text, problem)


def _is_quick(chosen: ChosenBy) -> bool:
    """Whether it has few places and one quantile; others have the same mechanism, and take much longer."""
    return chosen.choice.width <= WIDEST and len(chosen.choice.wishes) == 1


def _problems(
    program: Program, column: ValueColumn, aggregate: SelectionAggregate
) -> Iterator[tuple[str, str]]:
    wish = aggregate.wish(column.argument)
    chosen, _ = program.chosen_for(wish)
    choice, mechanism = chosen.choice, chosen.mechanism

    def finished(drawn: Integers) -> Estimates:
        return aggregate.finish_choice(column.argument, choice, mechanism, drawn, LEVEL)

    match mechanism, wish:
        case Ranks(), Quantile(q=q):
            counts, place = _two_heaps(choice, q)
            held = _holds(finished(_drawn(mechanism, counts)), choice, place)
            yield SAMPLED, too_rarely(held.reshape(-1, 1))
        case ExtremeRank(highest=highest), _:
            counts, place = _one_heap(choice, highest=highest)
            held = _holds(finished(np.arange(choice.width).reshape(1, -1)), choice, place)
            chances = chances_of(mechanism, tuple(counts.tolist()))
            yield PROVED, too_unlikely(sum(math.exp(chances[i,]) for i in np.flatnonzero(held).tolist()))


def _drawn(mechanism: Ranks, counts: Integers) -> Integers:
    """Draws for a quantile, as columns: the selection, and the noisy counts of the windows around it."""
    coins, noise = Repeated("margins of a choice"), Laplace(mechanism.scale * mechanism.parts)
    below = np.concatenate([[0], np.cumsum(np.repeat(counts, mechanism.parts))])
    columns = []
    for pick in mechanism.draw(np.tile(counts, (CHOICES, 1)), coins)[0].tolist():
        windows = np.diff(below[window_edges([pick], len(below) - 1)])
        around = noise.draw(np.repeat(windows, EACH), coins).reshape(-1, EACH)
        columns.append(np.vstack([np.full(EACH, pick), around]))
    return np.hstack(columns)


def _two_heaps(choice: PlannedChoice, q: Fraction) -> tuple[Integers, int]:
    """Counts by place, and the place of the quantile."""
    place = choice.width // 8
    counts = np.zeros(choice.width, np.int64)
    counts[place] = int(ROWS * q) + 1
    counts[choice.width - 1 - place] = ROWS - counts[place]
    return counts * choice.unit_weight, place


def _one_heap(choice: PlannedChoice, *, highest: bool) -> tuple[Integers, int]:
    place = 0 if highest else choice.width - 1
    counts = np.zeros(choice.width, np.int64)
    counts[place] = ROWS * choice.unit_weight
    return counts, place


def _holds(estimates: Estimates, choice: PlannedChoice, place: int) -> npt.NDArray[np.bool_]:
    """Whether each interval contains a value of this place."""
    assert choice.places is not None
    first, next_edge = edges_of(choice.places, np.array([place, place + 1])).tolist()
    last = first if choice.places.whole else next_edge
    return np.asarray((estimates.low <= last) & (first <= estimates.high))
