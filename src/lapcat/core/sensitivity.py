"""Sensitivity: upper bounds on the change of a vector by one unit, in four norms, each with its own proof."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


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

    def times(self, step: Fraction) -> Sensitivity:
        """The same change in a unit `1 / step` times as large.

        >>> Sensitivity(1, Fraction(3), Fraction(3), Fraction(9)).times(Fraction(1, 2)).l2_squared
        Fraction(9, 4)
        """
        return Sensitivity(self.l0, self.linf * step, self.l1 * step, self.l2_squared * step * step)
