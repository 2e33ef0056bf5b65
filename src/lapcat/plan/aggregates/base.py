"""What an aggregate is: the statistics it reads, the error it foresees, and how it turns noisy sums into estimates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from lapcat.plan.accuracy import Floats, Foreseen, Noise
from lapcat.plan.choices import Mechanism, PlannedChoice, Wish
from lapcat.plan.expressions import Expression
from lapcat.plan.nodes import Statistic
from lapcat.plan.schema import Type, Value

Numbers = npt.NDArray[np.float64] | npt.NDArray[np.int64] | npt.NDArray[Any]

COARSE = 8
"""Margins of at most so many doubles are as coarse as rounding."""


@dataclass(frozen=True, slots=True)
class Argument:
    """What an aggregate is applied to. `value` is clamped already wherever the aggregate needs bounds."""

    text: str
    """How the argument is written, e.g. `salary` or `*`."""
    value: Expression | None
    filter: Expression | None
    size: int | None
    """The public number of rows that it is taken over, if there is one (replace-one, no filter, never NULL)."""
    condition: str = ""
    """How the filter is written."""
    counted: bool = False
    """Whether the number of these rows is measured anyway, for another column of the answer."""
    sparse: bool = False
    """Whether its sum is taken around zero all the same: of several CASEs a row moves few, if 0 adds nothing."""
    unit_weight: int = 1
    """How many steps a whole row counts for."""
    second: Expression | None = None
    """The other expression of COVAR, CORR and the like; clamped as `value` is."""
    second_text: str = ""
    parameter: Fraction | None = None
    """The constant of QUANTILE_CONT(x, 0.9)."""
    candidates: tuple[Value, ...] = ()
    """The declared values of MODE(x)."""

    def labelled(self, name: str, shown: str) -> str:
        """How a statistic of this argument is called in reports."""
        return f"{name}({shown})" + (f" filter (where {self.condition})" if self.condition else "")


@dataclass(frozen=True, slots=True)
class StatisticReading:
    """One statistic that an aggregate reads, and what one step of it means to people."""

    statistic: Statistic
    label: str
    step: Fraction
    unit: str
    """What the statistic counts, e.g. `rows` or `salary`: sensitivities add up only within one unit."""


@dataclass(frozen=True, slots=True)
class Estimates:
    """One number per cell with its interval; the interval covers the noise and nothing else.

    An array is masked where a number could not be computed, or where the noise leaves an end open.
    """

    value: Numbers
    low: Numbers
    high: Numbers
    notes: tuple[str, ...] = field(default=(), kw_only=True)
    """What a reader of these numbers should know."""


class Aggregate(Protocol):
    """One file each; AGGREGATES in the package lists them all."""

    @property
    def name(self) -> str:
        """As it is called in SQL."""

    @property
    def needs_bounds(self) -> bool:
        """Whether the argument must be a number in a known range."""

    @property
    def is_integer(self) -> bool:
        """Whether estimates are whole numbers."""

    @property
    def arguments(self) -> int:
        """Of how many expressions it is taken: 1 or 2."""

    def reads(self, argument: Argument) -> tuple[StatisticReading, ...]: ...

    def weights(self, argument: Argument) -> tuple[float, ...]:
        """For each reading, how much of the column's relative error one unit of measure of its noise makes.

        By it a question's budget is divided. It may suppose what is typical, never what the data say: the guarantee
        and the interval do not depend on it. Relative is meant to what a column of so many rows could be at most, so that
        columns of different kinds weigh alike, and the number of rows falls out.
        """

    def foresee(self, argument: Argument, noise: Sequence[Noise], confidence: Fraction) -> Foreseen: ...

    def finish(
        self,
        argument: Argument,
        cells: Sequence[npt.NDArray[np.int64]],
        noise: Sequence[Noise],
        confidence: Fraction,
    ) -> Estimates: ...


@runtime_checkable
class SelectionAggregate(Protocol):
    """An aggregate that is chosen among candidates, where no sum of noisy numbers says enough; listed in AGGREGATES too."""

    @property
    def name(self) -> str: ...
    @property
    def needs_bounds(self) -> bool: ...
    @property
    def arguments(self) -> int: ...

    @property
    def has_interval(self) -> bool:
        """Whether it is a number with an interval."""

    def type_of(self, argument: Argument) -> Type: ...

    def wish(self, argument: Argument) -> Wish: ...

    def foresee_choice(
        self, argument: Argument, choice: PlannedChoice, mechanism: Mechanism, confidence: Fraction
    ) -> Foreseen: ...

    def finish_choice(
        self,
        argument: Argument,
        choice: PlannedChoice,
        mechanism: Mechanism,
        drawn: npt.NDArray[np.int64],
        confidence: Fraction,
    ) -> Estimates:
        """`drawn`: what the mechanism drew, one column per cell."""


def in_units(cells: npt.NDArray[np.int64], step: Fraction) -> Floats:
    """Noisy steps as numbers people read; from here on all is floating point."""
    return cells.astype(np.float64) * float(step)


def outwards(value: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The ends of an interval. Where doubles are hardly finer than the margin, rounding could leave the exact number out:
    such an end is moved by two doubles."""
    near = np.spacing(np.abs(value))
    return (
        np.where(value - low <= COARSE * near, low - 2 * near, low),
        np.where(high - value <= COARSE * near, high + 2 * near, high),
    )
