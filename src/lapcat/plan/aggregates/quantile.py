"""MEDIAN(x), QUANTILE_CONT(x, q) and the like: a value selected by its rank, with an interval from windows of counts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from lapcat.core.mechanisms.base import SelectionByCounts
from lapcat.core.mechanisms.ranks import Ranks
from lapcat.core.ranks import window_edges
from lapcat.plan.accuracy import Foreseen, Guarantee
from lapcat.plan.aggregates.base import Argument, Estimates, SelectionAggregate
from lapcat.plan.choices import PlannedChoice, Quantile, ValueGrid
from lapcat.plan.expressions import range_of
from lapcat.plan.laplace_sums import LaplaceSum, margin_of_two
from lapcat.plan.schema import Type

EXAMPLES = (100, 1_000, 10_000)
"""The row counts for which an error is shown, assuming values uniform within their bounds."""


@dataclass(frozen=True, slots=True)
class QuantileOf(SelectionAggregate):
    """The q-quantile, to the width of a grid cell."""

    name: str = "quantile"
    needs_bounds: bool = True
    arguments: int = 1
    has_interval: bool = True

    def type_of(self, argument: Argument) -> Type:
        return Type.FLOAT

    def share(self, argument: Argument) -> Fraction:
        """The q of the quantile."""
        assert argument.parameter is not None
        return argument.parameter

    def wish(self, argument: Argument) -> Quantile:
        assert argument.value is not None
        return Quantile(argument.value, argument.filter, self.share(argument))

    def foresee_choice(
        self, argument: Argument, choice: PlannedChoice, mechanism: SelectionByCounts, confidence: Fraction
    ) -> Foreseen:
        """Upper bound on the error of the rank, in rows."""
        ranks = _by_rank(mechanism)
        candidates = choice.width * ranks.parts
        rows = float(ranks.margin(candidates, confidence)) / choice.unit_weight
        words = f"rank within ± {in_rows(rows)} of the requested one"
        if len(choice.wishes) > 1:
            share = "" if ranks.parts == 1 else f"1/{ranks.parts} of "
            words += f", besides {share}the rows that share a value"
        if not ranks.is_sure(candidates, confidence):
            words = "any value within the bounds, at this confidence"
            rows = math.inf
        return by_rank(argument, rows, words)

    def finish_choice(
        self,
        argument: Argument,
        choice: PlannedChoice,
        mechanism: SelectionByCounts,
        drawn: npt.NDArray[np.int64],
        confidence: Fraction,
    ) -> Estimates:
        assert choice.places is not None and argument.value is not None
        ranks = _by_rank(mechanism)
        position, picks = choice.wishes.index(self.wish(argument)), len(choice.wishes)
        places = choice.width * ranks.parts
        scale, q = ranks.law().scale, self.share(argument)
        intervals = []
        for column in drawn.T:
            edges = window_edges(column[:picks].tolist(), places)
            ends = _ends(edges, column[picks:].tolist(), q, scale, confidence, places)
            pick = int(column[position])
            intervals.append((pick, min(ends[0], pick), max(ends[1], pick + 1)))
        chosen, low, high = np.array(intervals, np.int64).reshape(len(intervals), 3).T
        whole = ranks.parts
        return _values(choice.places, chosen // whole, low // whole, -(-high // whole), argument)


def _by_rank(mechanism: SelectionByCounts) -> Ranks:
    """A quantile is selected by rank."""
    assert isinstance(mechanism, Ranks)
    return mechanism


def by_rank(argument: Argument, rows: float, words: str) -> Foreseen:
    """The guaranteed rank, and its margin for uniform values."""
    assert argument.value is not None
    reach = range_of(argument.value)
    wide = float(reach.high) - float(reach.low)
    assuming = tuple((n, min(wide, rows / n * wide)) for n in EXAMPLES)
    evenly = f"the values lie evenly within their bounds; if they do not, up to the whole range, {wide:.6g}"
    return Foreseen(None, None, assuming, evenly, Guarantee(rows, words))


def in_rows(rows: float) -> str:
    """A number of rows, rounded up; weighted rows may be fractions."""
    whole = math.ceil(rows)
    return f"{whole} {'row' if whole == 1 else 'rows'}"


@dataclass(frozen=True, slots=True)
class Median(QuantileOf):
    """The quantile of one half."""

    name: str = "median"

    def share(self, argument: Argument) -> Fraction:
        return Fraction(1, 2)


def _values(
    places: ValueGrid,
    chosen: npt.NDArray[np.int64],
    low: npt.NDArray[np.int64],
    high: npt.NDArray[np.int64],
    argument: Argument,
) -> Estimates:
    """Grid places as values: the middle of the selected one, and the outer edges of the others, within the bounds."""
    assert argument.value is not None
    reach = range_of(argument.value)
    ends = float(reach.low), float(reach.high)
    middle = chosen if places.whole else chosen + 0.5
    last = high - 1 if places.whole else high
    return Estimates(*(np.clip(edges_of(places, part), *ends) for part in (middle, low, last)))


def edges_of(places: ValueGrid, numbers: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """The lower ends of these places."""
    edges: npt.NDArray[np.float64] = (numbers + float(places.first)) * places.step
    return edges


def _ends(
    edges: Sequence[int],
    counts: Sequence[int],
    q: Fraction,
    scale: Fraction,
    confidence: Fraction,
    places: int,
) -> tuple[int, int]:
    """Two edges between which the quantile lies.

    Theorem: at an edge e let D(e) = #{below e} − q·n. Going up from the first edge as long as the noisy D lies below
             −margin(e), one passes the first edge above the quantile with a probability of at most the failure, for
             one passes it only if its own D, which is not negative, seems to lie that far below zero. From above alike. Each
             end may take the whole failure: the interval is widened to the choice, so it can only fail on the side of the
             choice on which the quantile lies, and the windows' noise knows nothing of the choice. docs/proofs/ranks.md.
    """
    held = [1 if stop > start else 0 for start, stop in itertools.pairwise(edges)]
    total = sum(count for count, some in zip(counts, held, strict=True) if some)
    windows = sum(held)
    seen, below, distance = 0, 0, []
    for count, some in zip([*counts, 0], [*held, 0], strict=True):
        distance.append((float(below - q * total), seen))
        if some:
            seen, below = seen + 1, below + count
    low, high = 0, places
    for edge, (gap, before) in zip(edges, distance, strict=True):
        if edge and not _rules_out(-gap, before, windows - before, q, scale, confidence):
            break
        low = edge
    for edge, (gap, before) in zip(reversed(edges), reversed(distance), strict=True):
        if edge < places and not _rules_out(gap, before, windows - before, q, scale, confidence):
            break
        high = edge
    return low, high


def _rules_out(
    distance: float, below: int, above: int, q: Fraction, scale: Fraction, confidence: Fraction
) -> bool:
    """Whether the noisy D is so far from zero that noise alone would cause it with at most the failure probability.

    The exact law takes a hundredth of a second, a bound almost no time: the law is used only for the few edges within it.
    """
    bound = _bound(below, above, float(q), float(1 - confidence)) * float(scale)
    if distance <= 0 or distance > bound:
        return distance > bound
    return distance > _margin(below, above, q, scale, confidence)


@lru_cache(maxsize=2**14)
def _bound(below: int, above: int, q: float, failure: float) -> float:
    """A t that Σ (1 − q)·Z_i − Σ q·Z_j exceeds with at most this probability, in scales of the noises Z.

    Theorem (Chernoff): Pr[X > t] ≤ e^(−ht) · E e^(hX), and a discrete Laplace has E e^(hZ) ≤ 1 / (1 − h²b²), as the
             continuous one of the same scale b has, for |h|·b < 1. The least t over some h will do.
    """
    weights = [(weight, number) for weight, number in ((1 - q, below), (q, above)) if number]
    largest = max(weight for weight, _ in weights)
    best = math.inf
    for step in range(1, 64):
        h = step / 64 / largest
        log_moment = -sum(number * math.log1p(-((h * weight) ** 2)) for weight, number in weights)
        best = min(best, (log_moment - math.log(failure)) / h)
    return best


@lru_cache(maxsize=2**14)
def _margin(below: int, above: int, q: Fraction, scale: Fraction, confidence: Fraction) -> float:
    """A t with Pr[Σ (1 − q)·Z_i − Σ q·Z_j > t] ≤ 1 − confidence, for `below` and `above` discrete Laplace Z of this
    scale: their sum is symmetric, so it may lie beyond t on either side with twice that."""
    both_sides = max(2 * confidence - 1, Fraction(0))
    sums = [(1 - q, below), (q, above)]
    if q == 1 - q:
        sums = [(q, below + above)]
    noisy = [(weight, number) for weight, number in sums if number]
    if len(noisy) == 1:
        ((weight, number),) = noisy
        return float(weight * LaplaceSum(scale, number).margin(both_sides))
    first, second = ((float(weight * scale), number) for weight, number in noisy)
    return margin_of_two(first, second, 1.0, both_sides)  # steps of 1 − q and of q: 1 in total
