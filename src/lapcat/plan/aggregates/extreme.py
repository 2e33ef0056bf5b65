"""MIN(x) and MAX(x): a value with a few rows beyond it, since no private answer can be the true extreme."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lapcat.core.mechanisms.base import SelectionByCounts
from lapcat.core.mechanisms.ranks import BEYOND
from lapcat.plan.accuracy import Foreseen
from lapcat.plan.aggregates.base import Argument, Estimates, SelectionAggregate
from lapcat.plan.aggregates.quantile import by_rank, edges_of, in_rows
from lapcat.plan.choices import End, PlannedChoice
from lapcat.plan.expressions import range_of
from lapcat.plan.schema import Type


@dataclass(frozen=True, slots=True)
class ExtremeOf(SelectionAggregate):
    """The value with just enough rows beyond it to hide one unit; the true extreme lies between it and the bound."""

    name: str = "min"
    highest: bool = False
    needs_bounds: bool = True
    arguments: int = 1
    has_interval: bool = True

    def type_of(self, argument: Argument) -> Type:
        return Type.FLOAT

    def wish(self, argument: Argument) -> End:
        assert argument.value is not None
        return End(argument.value, argument.filter, self.highest)

    def foresee_choice(
        self, argument: Argument, choice: PlannedChoice, mechanism: SelectionByCounts, confidence: Fraction
    ) -> Foreseen:
        """Upper bound on the number of rows beyond it."""
        rows = float(mechanism.margin(choice.width, confidence)) / choice.unit_weight
        return by_rank(argument, rows, f"at most {in_rows(rows)} {'above' if self.highest else 'below'} it")

    def finish_choice(
        self,
        argument: Argument,
        choice: PlannedChoice,
        mechanism: SelectionByCounts,
        drawn: npt.NDArray[np.int64],
        confidence: Fraction,
    ) -> Estimates:
        """The selected value lies past all values with probability at most BEYOND; at a higher confidence the interval is that
        of the bounds."""
        places = choice.places
        assert places is not None and argument.value is not None
        reach = range_of(argument.value)
        low, high = float(reach.low), float(reach.high)
        here = drawn[0]
        value = np.clip(edges_of(places, here if places.whole else here + 0.5), low, high)
        sure = confidence <= 1 - BEYOND
        if self.highest:
            near = np.clip(edges_of(places, here), low, high) if sure else np.full_like(value, low)
            return Estimates(value, near, np.full_like(value, high))
        near = edges_of(places, here if places.whole else here + 1)
        return Estimates(
            value, np.full_like(value, low), np.clip(near, low, high) if sure else np.full_like(value, high)
        )


MINIMUM, MAXIMUM = ExtremeOf(), ExtremeOf("max", True)
