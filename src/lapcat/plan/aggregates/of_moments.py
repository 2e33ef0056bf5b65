"""Base of the aggregates that are smooth functions of noisy moments."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lapcat.plan.accuracy import Floats, Foreseen, Noise
from lapcat.plan.aggregates.avg import EXAMPLES
from lapcat.plan.aggregates.base import Argument, Estimates, StatisticReading, in_units
from lapcat.plan.aggregates.equations import IntervalArray
from lapcat.plan.aggregates.moments import (
    SUPPOSING,
    TYPICAL_PRODUCTS,
    MomentLayout,
    Moments,
    Product,
    readings,
)

BLOCK = 2**13
"""Cells per block, so that intermediate results fit into the processor's cache."""


@dataclass(frozen=True, slots=True)
class MomentEstimate:
    """A function f of moments in units of h: its noisy value (NaN where undefined), the interval of the exact value, its
    minimum and maximum, and the shown value scale · f + shift."""

    value: Floats
    span: IntervalArray
    low: Floats | float
    high: Floats | float
    scale: float
    shift: float = 0.0


@dataclass(frozen=True, slots=True)
class OfMoments:
    """A smooth function of noisy moments, made total as AVG is.

    Where the noise leaves too few rows, or no variance to divide by, it is the middle of the possible range, with that range
    as interval (0, and open ends, where it is unbounded). An impossible value is clipped to the nearest possible one.
    Intervals: plan/aggregates/equations.py.
    """

    name: str
    arguments: int
    products: tuple[Product, ...]
    """The powers and products that it reads, by position of the arguments."""
    formula: Callable[[Moments, MomentLayout], MomentEstimate]
    least: int = 1
    """The minimum number of rows."""
    rooted: bool = False
    """Whether its square root is shown; the ends are then the roots of the ends, as the root is monotone."""
    below: str = ""
    """The note where the noisy value is below the possible range."""
    needs_bounds: bool = True
    is_integer: bool = False

    def reads(self, argument: Argument) -> tuple[StatisticReading, ...]:
        return readings(argument, self.products)

    def weights(self, argument: Argument) -> tuple[float, ...]:
        """n times the gradient, root mean square over typical moments (see TYPICAL_PRODUCTS)."""
        layout = MomentLayout.of(argument, self.products)
        slopes = self._gradients(argument, layout)
        sizes = [float(size) for size in layout.sizes]
        return tuple(
            math.hypot(a, b) / math.sqrt(2) / size for a, b, size in zip(*slopes, sizes, strict=True)
        )

    def _gradients(self, argument: Argument, layout: MomentLayout) -> list[list[float]]:
        """n times the derivative by each sum, for each typical product. Vectorised finite differences: for each product and sum
        one cell with a little less of it, and one with a little more."""
        rows, public = 10**6, [Noise(None, Fraction(1))] * len(layout.places)
        places = np.array(layout.places)
        same = np.equal.outer(places, places).astype(float)
        changes = np.concatenate([-same, same], axis=1)
        typical = [layout.typical(rows, product) for product in TYPICAL_PRODUCTS]
        sums = [
            np.concatenate([total + change for total in totals])
            for totals, change in zip(zip(*typical, strict=True), changes, strict=True)
        ]
        estimate = self.formula(layout.moments(sums, public, Fraction(1, 2), self._least(argument)), layout)
        values = np.sqrt(estimate.value) if self.rooted else estimate.value
        less, more = values.reshape(len(TYPICAL_PRODUCTS), 2, -1).swapaxes(0, 1)
        slopes: list[list[float]] = (rows * (more - less) / 2).tolist()
        return slopes

    def foresee(self, argument: Argument, noise: Sequence[Noise], confidence: Fraction) -> Foreseen:
        """The margin depends on the moments too: it is computed for typical ones (see TYPICAL_PRODUCTS)."""
        layout = MomentLayout.of(argument, self.products)
        examples = EXAMPLES if argument.size is None else (argument.size,)
        each = [layout.typical(rows) for rows in examples]
        sums = [np.concatenate(parts) for parts in zip(*each, strict=True)]
        value, low, high, _ = self._solved(argument, layout, sums, noise, confidence)
        margins = np.maximum(high - value, value - low).tolist()
        assuming = [
            (rows, margin) for rows, margin in zip(examples, margins, strict=True) if math.isfinite(margin)
        ]
        return Foreseen(None, None, tuple(assuming), SUPPOSING[argument.second is not None])

    def finish(
        self,
        argument: Argument,
        cells: Sequence[npt.NDArray[np.int64]],
        noise: Sequence[Noise],
        confidence: Fraction,
    ) -> Estimates:
        layout = MomentLayout.of(argument, self.products)
        sums = [
            in_units(cell, part.step / size)
            for cell, part, size in zip(cells, noise, layout.sizes, strict=True)
        ]
        blocks = []
        for first in range(0, max(sums[0].size, 1), BLOCK):
            block = [part[first : first + BLOCK] for part in sums]
            blocks.append(self._solved(argument, layout, block, noise, confidence))
        value, low, high, below = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        return Estimates(value, _open(low), _open(high), notes=self._notes(below))

    def _solved(
        self,
        argument: Argument,
        layout: MomentLayout,
        sums: Sequence[Floats],
        noise: Sequence[Noise],
        confidence: Fraction,
    ) -> tuple[Floats, Floats, Floats, npt.NDArray[np.bool_]]:
        """Value, ends, and whether the value was below the possible range, from sums in their units of measure."""
        with np.errstate(all="ignore"):  # undefined values are NaN, and replaced
            moments = layout.moments(sums, noise, confidence, self._least(argument))
            f = self.formula(moments, layout)
            known = ~np.isnan(f.value)
            middle = np.nan_to_num(np.asarray(f.low + f.high) / 2)  # 0 between −∞ and ∞
            value = np.where(known, f.value, middle)
            low = np.where(known & ~np.isnan(f.span.low), np.minimum(f.span.low, value), -np.inf)
            high = np.where(known & ~np.isnan(f.span.high), np.maximum(f.span.high, value), np.inf)
            parts = [np.clip(part, f.low, f.high) * f.scale + f.shift for part in (value, low, high)]
            if self.rooted:
                parts = [np.sqrt(part) for part in parts]
        return parts[0], parts[1], parts[2], np.asarray(value < f.low)

    def _least(self, argument: Argument) -> float:
        """The minimum count: at least 1 if there are rows, unless rows are weighted and may have small weights."""
        return self.least if argument.unit_weight == 1 or self.least > 1 else np.finfo(np.float64).tiny

    def _notes(self, below: npt.NDArray[np.bool_]) -> tuple[str, ...]:
        if not self.below or not below.any():
            return ()
        where = f" in {int(below.sum())} of {below.size} groups" if below.size > 1 else ""
        return (f"{self.below}{where}",)


def _open(ends: Floats) -> Floats:
    """Masked where the noise leaves the end open."""
    finite = np.isfinite(ends)
    return ends if finite.all() else np.ma.masked_array(np.where(finite, ends, 0.0), ~finite)
