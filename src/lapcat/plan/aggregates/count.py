"""COUNT(*) and COUNT(x): one statistic, whole numbers, not clipped at zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lapcat.plan.accuracy import Foreseen, Noise
from lapcat.plan.aggregates.base import Argument, Estimates, Reading
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
        law = noise[0].law
        margin = 0 if law is None else law.margin(confidence)
        return Estimates(cells[0], cells[0] - margin, cells[0] + margin)


def count_reading(argument: Argument) -> Reading:
    """The number of rows that an aggregate of this argument is taken over."""
    statistic = count_statistic(argument.value, argument.filter)
    shown = "*" if statistic.value is None else argument.text
    return Reading(statistic, argument.labelled("count", shown), Fraction(1), "rows")
