"""COUNT(DISTINCT x): the number of distinct values, or of units; each counts once, however many rows have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lapcat.plan.accuracy import Foreseen, Noise
from lapcat.plan.aggregates.base import Argument, Estimates, StatisticReading
from lapcat.plan.aggregates.count import whole_counts
from lapcat.plan.nodes import Kind, Statistic


@dataclass(frozen=True, slots=True)
class CountDistinct:
    """The number of distinct values; for the unit column (no value), the number of units."""

    name: str = "count_distinct"
    needs_bounds: bool = False
    is_integer: bool = True
    arguments: int = 1

    def reads(self, argument: Argument) -> tuple[StatisticReading, ...]:
        kind = Kind.UNITS if argument.value is None else Kind.DISTINCT
        statistic = Statistic(kind, argument.value, argument.filter)
        label = argument.labelled("count", f"distinct {argument.text}")
        return (StatisticReading(statistic, label, Fraction(1), f"different {argument.text}"),)

    def weights(self, argument: Argument) -> tuple[float, ...]:
        return (1.0,)

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
