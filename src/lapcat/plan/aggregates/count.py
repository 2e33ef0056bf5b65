"""COUNT(*) and COUNT(x): one statistic, integers, not clipped at zero."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lapcat.plan.accuracy import Foreseen, Noise
from lapcat.plan.aggregates.base import Argument, Estimates, StatisticReading, in_units
from lapcat.plan.aggregates.pairs import counted
from lapcat.plan.grids import count_statistic


@dataclass(frozen=True, slots=True)
class Count:
    """The number of rows, or of rows where the value is not NULL."""

    name: str = "count"
    needs_bounds: bool = False
    is_integer: bool = True
    arguments: int = 1

    def reads(self, argument: Argument) -> tuple[StatisticReading, ...]:
        return (count_reading(argument),)

    def weights(self, argument: Argument) -> tuple[float, ...]:
        return (1.0,)

    def foresee(self, argument: Argument, noise: Sequence[Noise], confidence: Fraction) -> Foreseen:
        return Foreseen(float(whole_margin(noise[0], confidence)), noise[0].variance)

    def finish(
        self,
        argument: Argument,
        cells: Sequence[npt.NDArray[np.int64]],
        noise: Sequence[Noise],
        confidence: Fraction,
    ) -> Estimates:
        return whole_counts(cells[0], noise[0], confidence)


def whole_counts(cells: npt.NDArray[np.int64], noise: Noise, confidence: Fraction) -> Estimates:
    """Noisy counts as integers; those of weighted rows are in fine steps and are rounded here."""
    value = cells if noise.step == 1 else np.rint(in_units(cells, noise.step)).astype(np.int64)
    margin = whole_margin(noise, confidence)
    return Estimates(value, value - margin, value + margin)


def whole_margin(noise: Noise, confidence: Fraction) -> int:
    """The margin of an integer, including the rounding of fine steps."""
    if noise.law is None:
        return 0
    margin = noise.law.margin(confidence)
    return margin if noise.step == 1 else math.ceil(margin * noise.step + Fraction(1, 2))


def count_reading(argument: Argument) -> StatisticReading:
    """The count of the rows that an aggregate of this argument is taken over."""
    argument = counted(argument)
    statistic = count_statistic(argument.value, argument.filter, argument.unit_weight)
    shown = "*" if statistic.value is None else argument.text
    return StatisticReading(
        statistic, argument.labelled("count", shown), Fraction(1, argument.unit_weight), "rows"
    )
