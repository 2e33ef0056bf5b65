"""SUM(x): one statistic; or two shared ones with less noise, where the count of the same rows is measured anyway."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lapcat.core.exact import exact_text
from lapcat.plan.accuracy import Foreseen, Noise, margin_of_sum
from lapcat.plan.aggregates.base import Argument, Estimates, StatisticReading, in_units, outwards
from lapcat.plan.aggregates.count import count_reading
from lapcat.plan.contributing import is_indicator
from lapcat.plan.expressions import range_of
from lapcat.plan.grids import sum_statistic
from lapcat.plan.nodes import Grid, Statistic


@dataclass(frozen=True, slots=True)
class Sum:
    """The total of the clamped values; a NULL adds nothing.

    Alone, Σx on a grid around zero. Together with COUNT or AVG of the same rows, Σ(x − c) + c·n from their two statistics:
    (U − L)/2 and 1 instead of max(|L|, |U|), so the sum costs nothing more and is less noisy.
    """

    name: str = "sum"
    needs_bounds: bool = True
    is_integer: bool = False
    arguments: int = 1

    def reads(self, argument: Argument) -> tuple[StatisticReading, ...]:
        assert argument.value is not None
        if argument.size is None and (argument.sparse or not argument.counted):
            return (sum_reading(argument, centred=False),)
        return (count_reading(argument), sum_reading(argument, centred=True))

    def weights(self, argument: Argument) -> tuple[float, ...]:
        assert argument.value is not None
        reach = range_of(argument.value)
        largest = float(max(abs(reach.low), abs(reach.high))) or 1.0
        readings = self.reads(argument)
        if len(readings) == 1:
            return (1 / largest,)
        return (abs(float(_grid(readings[1].statistic).centre)) / largest, 1 / largest)

    def foresee(self, argument: Argument, noise: Sequence[Noise], confidence: Fraction) -> Foreseen:
        if len(noise) == 1:
            return Foreseen(noise[0].margin(confidence), noise[0].variance)
        count, total = noise
        centre = float(_grid(self.reads(argument)[1].statistic).centre)
        return Foreseen(
            margin_of_sum(total, centre, count, confidence), total.variance + centre**2 * count.variance
        )

    def finish(
        self,
        argument: Argument,
        cells: Sequence[npt.NDArray[np.int64]],
        noise: Sequence[Noise],
        confidence: Fraction,
    ) -> Estimates:
        margin = self.foresee(argument, noise, confidence).margin
        assert margin is not None
        value = in_units(cells[-1], noise[-1].step)
        if len(noise) == 2:
            value = value + float(_grid(self.reads(argument)[1].statistic).centre) * in_units(
                cells[0], noise[0].step
            )
            if any(part.law is not None for part in noise):
                return Estimates(value, *outwards(value, value - margin, value + margin))
        return Estimates(value, value - margin, value + margin)


def sum_reading(argument: Argument, *, centred: bool) -> StatisticReading:
    """Σx, or Σ(x − c); where the number of rows is public the two are equivalent and have the same label."""
    assert argument.value is not None
    statistic = sum_statistic(
        argument.value, argument.filter, centred=centred, weighted=argument.unit_weight != 1
    )
    centre = _grid(statistic).centre
    shown = (
        argument.text
        if centre == 0 or argument.size is not None
        else f"{argument.text} − {exact_text(centre)}"
    )
    unit = "rows" if is_indicator(argument.value) else argument.text
    return StatisticReading(statistic, argument.labelled("sum", shown), _grid(statistic).step, unit)


def _grid(statistic: Statistic) -> Grid:
    assert statistic.grid is not None
    return statistic.grid
