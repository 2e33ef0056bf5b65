"""Sensitivity: upper bounds on the change of a vector by one unit, in four norms, each with its own proof."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Upper bounds on f(D) − f(D′) over all neighbouring tables; none is derived from another here.

    l0: number of changed coordinates; linf: largest change of a coordinate; l1: sum of the absolute changes;
    l2_squared: sum of their squares (squared, so that it stays rational).
    """

    l0: int
    linf: Fraction
    l1: Fraction
    l2_squared: Fraction

    def __post_init__(self) -> None:
        if self.l0 < 0 or min(self.linf, self.l1, self.l2_squared) < 0:
            raise ValueError(f"{self}: a sensitivity is never negative")
        if self.linf > self.l1 or self.l2_squared > self.l1 * self.l1:
            raise ValueError(f"{self}: linf and l2 are never above l1")

    @classmethod
    def of(cls, changes: Sequence[Fraction]) -> Self:
        """The norms of one vector of changes.

        >>> Sensitivity.of([Fraction(3), Fraction(0), Fraction(-4)])
        Sensitivity(l0=2, linf=Fraction(4, 1), l1=Fraction(7, 1), l2_squared=Fraction(25, 1))
        """
        sizes = [abs(change) for change in changes if change]
        return cls(
            len(sizes),
            max(sizes, default=Fraction(0)),
            sum(sizes, Fraction(0)),
            sum((size * size for size in sizes), Fraction(0)),
        )

    def times(self, step: Fraction) -> Sensitivity:
        """The same change in a unit `1 / step` times as large.

        >>> Sensitivity(1, Fraction(3), Fraction(3), Fraction(9)).times(Fraction(1, 2)).l2_squared
        Fraction(9, 4)
        """
        return Sensitivity(self.l0, self.linf * step, self.l1 * step, self.l2_squared * step * step)
