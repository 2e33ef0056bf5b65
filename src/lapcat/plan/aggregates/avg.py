"""AVG(x): the middle of the bounds plus the ratio of a centred sum to a count, with an exact interval for the ratio."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lapcat.plan.accuracy import Floats, Foreseen, Noise, margin_of_sum
from lapcat.plan.aggregates.base import Argument, Estimates, StatisticReading, in_units, outwards
from lapcat.plan.aggregates.count import count_reading
from lapcat.plan.aggregates.sum import sum_reading
from lapcat.plan.expressions import Range, range_of

EXAMPLES = (100, 1_000, 10_000)
"""The row counts for which an average's margin is shown where the count is not public."""
KNOTS = 9
"""Points at which the margin of a ratio is computed exactly; between them it is interpolated."""
BLOCK = 2**15
"""Cells per block, so that intermediate results fit into the processor's cache."""


@dataclass(frozen=True, slots=True)
class Avg:
    """c + Σ(x − c) / n, where c is the middle of the bounds, or 0 (`Argument.sparse`). Where n is public (replace-one, no
    filter, never NULL) only the sum is noisy."""

    name: str = "avg"
    needs_bounds: bool = True
    is_integer: bool = False
    arguments: int = 1

    def reads(self, argument: Argument) -> tuple[StatisticReading, ...]:
        count, total = count_reading(argument), _total(argument)
        if argument.size is not None:
            total = replace(
                total, label=argument.labelled("avg", argument.text), step=total.step / argument.size
            )
        return (count, total)

    def weights(self, argument: Argument) -> tuple[float, ...]:
        """n·d(S/N) = dS − θ·dN; θ, the distance from the centre, is taken at its maximum: the averages of skewed values
        lie near a bound, and have the larger error.

        Where n is public, the reading is S/n already.
        """
        farthest = _farthest(argument) or 1.0
        return (1.0, (argument.size or 1) / farthest)

    def foresee(self, argument: Argument, noise: Sequence[Noise], confidence: Fraction) -> Foreseen:
        count, total = noise
        if count.law is None:
            return Foreseen(total.margin(confidence), total.variance)
        worst = _farthest(argument)
        margin = margin_of_sum(total, worst, count, confidence)
        return Foreseen(None, None, tuple((n, margin / n) for n in EXAMPLES))

    def margin_for(
        self, argument: Argument, noise: Sequence[Noise], confidence: Fraction, fewer: Fraction, rows: float
    ) -> float:
        """The margin of an average over at least `rows` rows, with failure probability 1 − confidence + fewer.

        Theorem: |S̃/Ñ − θ| = |Z_S − θ·Z_N| / Ñ, and Ñ is at least rows − m wherever the count's noise is within m. Values
                 that are clipped into their bounds are no further off.
        """
        count, total = noise
        least = rows - count.margin(1 - fewer)
        if least <= 0:
            return math.inf
        return margin_of_sum(total, _farthest(argument), count, confidence) / least

    def finish(
        self,
        argument: Argument,
        cells: Sequence[npt.NDArray[np.int64]],
        noise: Sequence[Noise],
        confidence: Fraction,
    ) -> Estimates:
        count, total = noise
        grid = _total(argument).statistic.grid
        assert grid is not None and argument.value is not None
        reach, centre = range_of(argument.value), float(grid.centre)
        if count.law is None:
            margin = total.margin(confidence)
            value = np.clip(in_units(cells[1], total.step) + centre, reach.low, reach.high)
            if total.law is None:
                return Estimates(value, value, value)
            return _within(reach, value, *outwards(value, value - margin, value + margin))
        ends = Range(reach.low - centre, reach.high - centre, False)
        middle = (ends.low + ends.high) / 2 if argument.sparse else 0.0
        knots = np.linspace(0.0, max(abs(ends.low), abs(ends.high)), KNOTS)
        margins = np.array([margin_of_sum(total, knot, count, confidence) for knot in knots])
        estimates = np.empty((3, len(cells[0])))
        for first in range(0, len(cells[0]), BLOCK):
            here = slice(first, first + BLOCK)
            rows, offset = in_units(cells[0][here], count.step), in_units(cells[1][here], total.step)
            ratio = _ratio(offset, rows, ends, middle, knots, margins)
            value, low, high = (np.clip(part + centre, reach.low, reach.high) for part in ratio)
            within = _within(reach, value, *outwards(value, low, high))
            estimates[:, here] = within.value, within.low, within.high
        return Estimates(*estimates)


def _within(reach: Range, value: Floats, low: Floats, high: Floats) -> Estimates:
    return Estimates(value, np.clip(low, reach.low, None), np.clip(high, None, reach.high))


def _total(argument: Argument) -> StatisticReading:
    return sum_reading(argument, centred=not argument.sparse)


def _farthest(argument: Argument) -> float:
    """The largest distance of a value from the centre of its sum."""
    assert argument.value is not None
    reach = range_of(argument.value)
    if argument.sparse:
        return float(max(abs(reach.low), abs(reach.high)))
    return (reach.high - reach.low) / 2


def _ratio(
    offset: Floats, count: Floats, ends: Range, unknown: float, knots: Floats, margins: Floats
) -> tuple[Floats, Floats, Floats]:
    """S/N with the set of all θ that the noise does not exclude.

    Theorem: {θ : |S̃ − θ·Ñ| ≤ margin(θ)} contains the true ratio with the stated confidence.
    Proof:   at the true θ = S/N the statistic S̃ − θ·Ñ is the pure noise Z_S − θ·Z_N, whatever S and N are. θ itself
             lies within the ends, for each value does. Where the noisy count is not positive, nothing is known: the
             whole range, and its middle.
    """
    positive = count > 0
    safe = np.where(positive, count, 1.0)
    value = np.where(positive, np.clip(offset / safe, ends.low, ends.high), unknown)
    least = (
        np.interp(np.abs(value), knots, margins) / safe
    )  # never narrower than the noise of the sum at θ itself
    bounds = np.array([[ends.low], [ends.high]])
    sides = np.repeat(bounds, len(value), axis=1)
    excluded = np.abs(offset - bounds * count) > np.interp(np.abs(bounds), knots, margins)
    side, cell = np.nonzero(positive & excluded)
    sides[side, cell] = _outermost(value[cell], sides[side, cell], offset[cell], count[cell], knots, margins)
    return value, np.minimum(sides[0], value - least), np.maximum(sides[1], value + least)


def _outermost(
    inside: Floats, outside: Floats, offset: Floats, count: Floats, knots: Floats, margins: Floats
) -> Floats:
    """Where the interval of each ratio stops, between its value inside and an end that the noise excludes: by bisection,
    rounded outwards. Both arrays are overwritten."""
    for _ in range(32):
        middle = (inside + outside) / 2
        out = np.abs(offset - middle * count) > np.interp(np.abs(middle), knots, margins)
        np.copyto(outside, middle, where=out)
        np.copyto(inside, middle, where=~out)
    return outside
