"""Laplace noise on numbers and arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import system_coins
from lapcat.core.event import LaplaceRelease
from lapcat.core.exact import exact, exact_text
from lapcat.core.loss import PureDP
from lapcat.core.mechanisms import laplace as core
from lapcat.drawing.curves import card, neighbours_svg
from lapcat.errors import BadArgument
from lapcat.mechanisms.grids import back, back_one, checked_grid, fine_grid, floored, floored_array, steps_up
from lapcat.mechanisms.shown import (
    POINTS,
    Released,
    as_array,
    checked_dimensions,
    checked_sensitivity,
    chosen_grid,
    declares_integers,
    describe,
    factor_of,
    in_reach,
    number,
    read_dtype,
    read_epsilon,
    require_integers,
    set_fields,
)
from lapcat.plan.margins import Margins, checked_confidence, least_epsilon, margins_of


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Laplace:
    """Laplace noise on a number, or on each coordinate of an array, at this epsilon.

    sensitivity: upper bound on the change of the number by one unit, or of all coordinates together (l1).
    epsilon or scale: one gives the other.
    grid: the public step of the lattice, a power of two; by default at least 2^24 steps per noise scale.
    dimensions: the length of the array. Rounding may change each float by a step, which the noise then covers.
    dtype: int declares integers, which a grid that divides 1 represents exactly: the scale is Δ/ε for any `dimensions`.

    Theorem: for integer vectors x and y and 1/g whole, ⌊x_i/g⌋ = x_i/g, so the steps differ by Σ |x_i - y_i| / g <= Δ/g in
             total: noise of scale ⌈Δ/g⌉ / ε steps is ε-DP. For floats it is ⌈Δ/g⌉ + d (mechanisms/grids.py). Which of the two holds
             depends only on the dtype, declared here or of the array. It must not depend on the values: a list, whose
             inferred dtype would, counts as floats, and so does a column that a missing value has turned into floats.

    >>> Laplace(sensitivity=5, epsilon="0.1").scale, Laplace(sensitivity=82, scale=3).epsilon
    (Fraction(50, 1), Fraction(82, 3))
    >>> Laplace(1, 1, grid=1, dimensions=10, dtype=int).scale, Laplace(1, 1, grid=1, dimensions=10).scale
    (Fraction(1, 1), Fraction(11, 1))
    """

    sensitivity: Fraction
    epsilon: Fraction
    grid: Fraction
    dimensions: int | None
    whole: bool
    """Whether integers were declared."""

    def __init__(
        self,
        sensitivity: object,
        epsilon: object = None,
        *,
        scale: object = None,
        grid: object = None,
        dimensions: int | None = None,
        dtype: object = None,
    ) -> None:
        moved = checked_sensitivity(sensitivity)
        if (epsilon is None) == (scale is None):
            raise BadArgument(
                "noise-unsaid",
                "Laplace noise needs epsilon or scale, not both",
                fix="epsilon=0.1",
            )
        size = None if dimensions is None else checked_dimensions(dimensions)
        whole = read_dtype(dtype)
        floors = 0 if whole else size or 0
        if scale is not None:
            width = in_reach("a scale", exact(scale))
            if width <= 0:
                raise BadArgument(
                    "scale-not-positive", f"a scale of {exact_text(width)} is not above 0", fix="scale=3"
                )
            step = chosen_grid(grid, width, moved, size, whole=whole)
            price = (steps_up(moved, step) + floors) * step / width
        else:
            price = read_epsilon(epsilon)
            step = chosen_grid(grid, moved / price, moved, size, whole=whole)
        set_fields(self, sensitivity=moved, epsilon=price, grid=step, dimensions=size, whole=whole)
        self._core  # noqa: B018  (refuses a scale beyond the grid now, not at the first release)

    @property
    def scale(self) -> Fraction:
        """b of Lap(b), in the unit of the number."""
        return self._core.scale * self.grid

    @property
    def loss(self) -> PureDP:
        """The cost of one release."""
        return PureDP(self.epsilon)

    def event(self, label: str = "laplace") -> LaplaceRelease:
        """One release, as the ledger would store it."""
        return LaplaceRelease(label, Fraction(self._steps), self._core.scale)

    def release(self, value: object) -> int | float | Released:
        """The value with fresh noise: a number, or an array of the same shape.

        Without `dimensions`, an array of floats gets the noise of `for_array`: one more step of sensitivity per coordinate. An
        array with an integer dtype gets the noise of integers, if the grid divides 1.
        """
        values = as_array(value)
        if values is not None:
            mechanism = self._for(values, declares_integers(value))
            return back(mechanism._core.draw(floored_array(values, self.grid), system_coins()), self.grid)
        return back_one(self._core.draw_one(floored(value, self.grid), system_coins()), self.grid)

    def for_array(self, dimensions: int) -> Laplace:
        """The mechanism for an array of d = `dimensions` floats: ⌈Δ/g⌉ + d steps of sensitivity."""
        return Laplace(self.sensitivity, self.epsilon, grid=self.grid, dimensions=dimensions)

    def margin(self, confidence: object = "0.95") -> float:
        """The least t with Pr[|noise| <= t] >= confidence, on the grid. It covers the noise; rounding adds less than
        a step."""
        return float(self.law.margin(checked_confidence(confidence)) * self.grid)

    def margins(self, confidence: object = "0.95", answers: int = 1) -> Margins:
        """Margins for one or several simultaneous answers: exact, by the union bound and by Chebyshev."""
        return margins_of(self.law, self.grid, confidence, answers)

    @property
    def variance(self) -> float:
        """The expected squared error of one number."""
        return self.law.variance * float(self.grid) ** 2

    @property
    def law(self) -> core.DiscreteLaplaceLaw:
        """The law of the noise, counted in steps of the grid."""
        return self._core.law()

    def law_around(self, value: object) -> core.DiscreteLaplaceLaw:
        """The law of the release of this value, counted in steps of the grid."""
        return self._core.law(floored(value, self.grid))

    @classmethod
    def for_error(
        cls, sensitivity: object, error: object, confidence: object = "0.95", *, grid: object = None
    ) -> Self:
        """The mechanism with the least epsilon whose margin at this confidence is at most `error`."""
        sure = checked_confidence(confidence)
        step = (
            fine_grid(checked_sensitivity(error), checked_sensitivity(sensitivity))
            if grid is None
            else checked_grid(grid)
        )
        if step > 1 and step > exact(error):
            raise BadArgument(
                "grid-power",
                f"a grid of {exact_text(step)} is coarser than an error of {exact_text(exact(error))}",
                fix="a finer grid, or none",
            )
        epsilon = least_epsilon(lambda e: cls(sensitivity, e, grid=step).margin(sure), error)
        return cls(sensitivity, epsilon, grid=step)

    def __repr__(self) -> str:
        return describe("Laplace", self._rows(), self._curves())

    def _repr_html_(self) -> str:
        here, there = self._curves()
        picture = neighbours_svg(here, there, factor_of(self.epsilon), "two neighbouring tables")
        return card("Laplace", self._rows(), picture)

    @property
    def _steps(self) -> int:
        return steps_up(self.sensitivity, self.grid) + (0 if self.whole else self.dimensions or 0)

    @property
    def _core(self) -> core.Laplace:
        return core.Laplace(self._steps / self.epsilon)

    def _for(self, values: NDArray[np.generic], integers: bool) -> Laplace:
        """The mechanism for an array of this dtype."""
        if self.whole:
            require_integers(values)
            return self
        if integers and self.grid <= 1:  # integers are exact on this grid
            return Laplace(self.sensitivity, self.epsilon, grid=self.grid, dtype=int)
        if self.dimensions is None:
            return self if values.size <= 1 else self.for_array(values.size)
        if values.size > self.dimensions:
            raise BadArgument(
                "dimension-range",
                f"this mechanism is for {self.dimensions} floats, but the array has {values.size}",
                fix=f"dimensions={values.size}",
            )
        return self

    def _rows(self) -> list[tuple[str, str]]:
        rows = [
            ("guarantee", f"{number(self.epsilon)}-differential privacy"),
            ("sensitivity", number(self.sensitivity)),
            ("scale", number(self.scale)),
            ("sd", f"{math.sqrt(self.variance):.6g}"),
            ("95 % margin", f"±{self.margin():.6g}"),
            ("grid", number(self.grid)),
        ]
        kind = "integers" if self.whole else "floats"
        return rows if self.dimensions is None else [*rows, ("dimensions", f"{self.dimensions} {kind}")]

    def _curves(self) -> tuple[list[float], list[float]]:
        """The probabilities of outcomes around two neighbouring values, Δ apart."""
        moved = self._steps
        reach = math.ceil(3 * self._core.scale) + moved
        outcomes = [round(-reach + (2 * reach + moved) * i / (POINTS - 1)) for i in range(POINTS)]
        here, there = self._core.law(0), self._core.law(moved)
        return [here.pmf(z) for z in outcomes], [there.pmf(z) for z in outcomes]
