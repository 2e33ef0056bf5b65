"""COUNT(*) and COUNT(x): one statistic, whole numbers, not clipped at zero."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lapcat.plan.accuracy import Foreseen, Noise
from lapcat.plan.aggregates.base import Argument, Estimates, Reading, in_units
from lapcat.plan.grids import count_statistic


@dataclass(frozen=True, slots=True)
class Count:
    """How many rows, or how many with a value: a NULL does not count."""

    name: str = "count"
    needs_bounds: bool = False
    is_integer: bool = True

    def reads(self, argument: Argument) -> tuple[Reading, ...]:
        return (count_reading(argument),)

    def foresee(self, argument: Argument, noise: Sequence[Noise], confidence: Fraction) -> Foreseen:
        return Foreseen(noise[0].margin(confidence), noise[0].variance)

    def finish(
        self,
        argument: Argument,
        cells: Sequence[npt.NDArray[np.int64]],
        noise: Sequence[Noise],
        confidence: Fraction,
    ) -> Estimates:
        return whole_counts(cells[0], noise[0], confidence)


def whole_counts(cells: npt.NDArray[np.int64], noise: Noise, confidence: Fraction) -> Estimates:
    """Noisy counts as whole numbers; where rows were weighed they are counted in fine steps, and rounded here."""
    margin = 0 if noise.law is None else noise.law.margin(confidence)
    if noise.step == 1:
        return Estimates(cells, cells - margin, cells + margin)
    value = np.rint(in_units(cells, noise.step)).astype(np.int64)
    whole_margin = math.ceil(margin * noise.step + Fraction(1, 2))
    return Estimates(value, value - whole_margin, value + whole_margin)


def count_reading(argument: Argument) -> Reading:
    """The number of rows that an aggregate of this argument is taken over."""
    statistic = count_statistic(argument.value, argument.filter, argument.one)
    shown = "*" if statistic.value is None else argument.text
    return Reading(statistic, argument.labelled("count", shown), Fraction(1, argument.one), "rows")
