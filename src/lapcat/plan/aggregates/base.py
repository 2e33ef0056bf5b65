"""The interface of an aggregate: the statistics it reads, its expected error, and its estimates from noisy sums."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from lapcat.core.mechanisms.base import SelectionByCounts
from lapcat.plan.accuracy import Floats, Foreseen, Noise
from lapcat.plan.choices import PlannedChoice, Wish
from lapcat.plan.expressions import Expression
from lapcat.plan.nodes import Statistic
from lapcat.plan.schema import Type, Value

Numbers = npt.NDArray[np.float64] | npt.NDArray[np.int64] | npt.NDArray[Any]

COARSE = 8
"""Margins of at most this many ulps are as coarse as rounding."""


@dataclass(frozen=True, slots=True)
class Argument:
    """The argument of an aggregate. `value` is already clamped if the aggregate needs bounds."""

    text: str
    """The argument in SQL, e.g. `salary` or `*`."""
    value: Expression | None
    filter: Expression | None
    size: int | None
    """The number of rows it is taken over, if public (replace-one, no filter, never NULL)."""
    condition: str = ""
    """The filter in SQL."""
    counted: bool = False
    """Whether the count of these rows is measured anyway, for another column of the answer."""
    sparse: bool = False
    """Whether its sum is centred at zero: a row then moves few of several CASEs."""
    unit_weight: int = 1
    """Steps per unweighted row."""
    second: Expression | None = None
    """The other expression of COVAR, CORR and the like; clamped as `value` is."""
    second_text: str = ""
    parameter: Fraction | None = None
    """The constant of QUANTILE_CONT(x, 0.9)."""
    candidates: tuple[Value, ...] = ()
    """The declared values of MODE(x)."""

    def labelled(self, name: str, shown: str) -> str:
        """The label of a statistic of this argument."""
        return f"{name}({shown})" + (f" filter (where {self.condition})" if self.condition else "")


@dataclass(frozen=True, slots=True)
class StatisticReading:
    """One statistic that an aggregate reads, with its label, step and unit of measure."""

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
    """Sentences for the reader of these numbers."""


class Aggregate(Protocol):
    """One file each; `register` of the package makes it known by its name."""

    @property
    def name(self) -> str:
        """Its SQL name."""

    @property
    def needs_bounds(self) -> bool:
        """Whether the argument must be a number in a known range."""

    @property
    def is_integer(self) -> bool:
        """Whether estimates are integers."""

    @property
    def arguments(self) -> int:
        """The number of its arguments: 1 or 2."""

    def reads(self, argument: Argument) -> tuple[StatisticReading, ...]: ...

    def weights(self, argument: Argument) -> tuple[float, ...]:
        """For each reading, the column's relative error per unit of measure of its noise.

        A question's budget is split by it. It may assume typical data, never depend on the data: the guarantee and the
        interval do not depend on it. Relative to the largest possible value of a column with that many rows, so that
        columns of different kinds have equal weight, and the number of rows cancels.
        """

    def foresee(self, argument: Argument, noise: Sequence[Noise], confidence: Fraction) -> Foreseen: ...

    def finish(
        self,
        argument: Argument,
        cells: Sequence[npt.NDArray[np.int64]],
        noise: Sequence[Noise],
        confidence: Fraction,
    ) -> Estimates: ...


class SelectionAggregate(ABC):
    """An aggregate that is selected from candidates instead of computed from noisy sums; registered too."""

    __slots__ = ()

    @property
    @abstractmethod
    def name(self) -> str: ...
    @property
    @abstractmethod
    def needs_bounds(self) -> bool: ...
    @property
    @abstractmethod
    def arguments(self) -> int: ...

    @property
    @abstractmethod
    def has_interval(self) -> bool:
        """Whether it is a number with an interval."""

    @abstractmethod
    def type_of(self, argument: Argument) -> Type: ...

    @abstractmethod
    def wish(self, argument: Argument) -> Wish: ...

    @abstractmethod
    def foresee_choice(
        self, argument: Argument, choice: PlannedChoice, mechanism: SelectionByCounts, confidence: Fraction
    ) -> Foreseen: ...

    @abstractmethod
    def finish_choice(
        self,
        argument: Argument,
        choice: PlannedChoice,
        mechanism: SelectionByCounts,
        drawn: npt.NDArray[np.int64],
        confidence: Fraction,
    ) -> Estimates:
        """`drawn`: the output of the mechanism, one column per cell."""


def in_units(cells: npt.NDArray[np.int64], step: Fraction) -> Floats:
    """Noisy steps in the unit of measure; from here on everything is floating point."""
    return cells.astype(np.float64) * float(step)


def outwards(value: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The ends of an interval. Where the margin is only a few ulps, rounding could exclude the exact number: such an end is
    moved outwards by two ulps."""
    near = np.spacing(np.abs(value))
    return (
        np.where(value - low <= COARSE * near, low - 2 * near, low),
        np.where(high - value <= COARSE * near, high + 2 * near, high),
    )
