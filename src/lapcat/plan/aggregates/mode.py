"""MODE(x) and APPROX_TOP_K(x, k): the most frequent of the declared values."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lapcat.core.mechanisms.base import SelectionByCounts
from lapcat.plan.accuracy import Foreseen, Guarantee
from lapcat.plan.aggregates.base import Argument, Estimates, SelectionAggregate
from lapcat.plan.aggregates.quantile import in_rows
from lapcat.plan.choices import Common, PlannedChoice
from lapcat.plan.schema import Type


@dataclass(frozen=True, slots=True)
class Mode(SelectionAggregate):
    """A declared value such that no other is much more frequent."""

    name: str = "mode"
    needs_bounds: bool = False
    arguments: int = 1
    has_interval: bool = False

    def type_of(self, argument: Argument) -> Type:
        assert argument.value is not None
        return argument.value.type

    def picks(self, argument: Argument) -> int:
        return 1

    def wish(self, argument: Argument) -> Common:
        assert argument.value is not None
        return Common(argument.value, argument.filter, argument.candidates, self.picks(argument))

    def foresee_choice(
        self, argument: Argument, choice: PlannedChoice, mechanism: SelectionByCounts, confidence: Fraction
    ) -> Foreseen:
        """The margin of its count, equal for every table."""
        rows = float(mechanism.margin(choice.width, confidence)) / choice.unit_weight
        words = f"no other value has {in_rows(rows)} more"
        return Foreseen(None, None, guarantee=Guarantee(rows, words))

    def finish_choice(
        self,
        argument: Argument,
        choice: PlannedChoice,
        mechanism: SelectionByCounts,
        drawn: npt.NDArray[np.int64],
        confidence: Fraction,
    ) -> Estimates:
        value = self.shown(np.array(argument.candidates, dtype=object), drawn)
        return Estimates(value, value, value)

    def shown(
        self, candidates: npt.NDArray[np.object_], drawn: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.object_]:
        values: npt.NDArray[np.object_] = candidates[drawn[0]]
        return values


@dataclass(frozen=True, slots=True)
class ApproxTopK(Mode):
    """The k most frequent values in one text, the most frequent first."""

    name: str = "approx_top_k"

    def type_of(self, argument: Argument) -> Type:
        return Type.TEXT

    def picks(self, argument: Argument) -> int:
        assert argument.parameter is not None
        return int(argument.parameter)

    def shown(
        self, candidates: npt.NDArray[np.object_], drawn: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.object_]:
        texts = np.empty(drawn.shape[1], dtype=object)
        for cell, picks in enumerate(drawn.T):
            texts[cell] = ", ".join(str(candidates[pick]) for pick in picks)
        return texts
