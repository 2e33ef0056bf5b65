"""REGR_SLOPE(y, x) and REGR_INTERCEPT(y, x): the straight line of least squares through the pairs.

Both are unbounded where x hardly varies. Where its noisy variance is not positive, SQL's NULL becomes a slope of 0 and the
middle of y's bounds, with open ends.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from lapcat.plan.accuracy import Floats
from lapcat.plan.aggregates.equations import IntervalArray, around, solved, spanned
from lapcat.plan.aggregates.moments import MomentLayout, Moments
from lapcat.plan.aggregates.of_moments import MomentEstimate, OfMoments

_Y, _X = 0, 1


def _slope(moments: Moments, layout: MomentLayout) -> MomentEstimate:
    line = _Line.of(moments)
    span = line.slope(moments.equations.main(4))
    y, x = (float(side.half) for side in layout.deviations)
    return MomentEstimate(line.noisy_slope, span, -math.inf, math.inf, y / x)


def _intercept(moments: Moments, layout: MomentLayout) -> MomentEstimate:
    line = _Line.of(moments)
    y, x = layout.deviations
    zero = float(-x.centre / x.half)  # where x is 0
    value = moments.means[_Y] + line.noisy_slope * (zero - moments.means[_X])
    span = line.height(zero, value, line.slope(moments.equations.aside), moments.equations.main(5))
    return MomentEstimate(value, span, -math.inf, math.inf, float(y.half), float(y.centre))


@dataclass(frozen=True, slots=True)
class _Line:
    """The line through pairs (x, y), with intervals of their means, their covariance and x's variance."""

    moments: Moments
    y: IntervalArray
    x: IntervalArray
    covariance: IntervalArray
    variance: IntervalArray

    @classmethod
    def of(cls, moments: Moments) -> _Line:
        y, x, aside = moments.mean(_Y), moments.mean(_X), moments.equations.aside
        covariance = moments.covariance(_Y, _X, (y, x), aside).within(-1.0, 1.0)
        variance = moments.variance(_X, x, aside).within(0.0, 1.0)
        return cls(moments, y, x, covariance, variance)

    @property
    def noisy_slope(self) -> Floats:
        variance = self.moments.central(_X, _X)
        return np.asarray(self.moments.central(_Y, _X) / np.where(variance > 0, variance, np.nan))

    @property
    def off(self) -> tuple[IntervalArray, IntervalArray]:
        """The errors of the noisy means of y and x."""
        return spanned(self.moments.means[_Y]) - self.y, spanned(self.moments.means[_X]) - self.x

    def slope(self, failure: Fraction) -> IntervalArray:
        """Equation: Σ(x − x̄)(y − ȳ − b(x − x̄)) = 0; with noisy sums c̃ + δδ′ − b(ṽ + δ²) = noise/n."""
        moments, y, x = self.moments, self.y, self.x
        shown = moments.shown_covariance(_Y, _X, (y, x))
        scale = self.off[1].squared() + moments.central(_X, _X)

        def once(b: IntervalArray) -> IntervalArray:
            noise = moments.noise(
                {
                    (_Y, _X): 1.0,
                    (_X, _X): -b,
                    _Y: -x,
                    _X: b * x * 2.0 - y,
                    None: x * y - b * x.squared(),
                },
                failure,
            )
            return (shown + around(noise / moments.n)) * scale.inverse()

        return solved(self.covariance * self.variance.inverse(), once)

    def height(self, at: float, noisy: Floats, b: IntervalArray, failure: Fraction) -> IntervalArray:
        """The interval of the line's height a at x = `at`, given the interval of its slope b; e = at − x̄.

        Equation, with x's variance v: vΣ(y − a − b(x − at)) + eΣ(x − x̄)(y − ȳ − b(x − x̄)) = 0. With noisy sums it is
        v(ã − a) + (b̃ − b)(vδ + e(ṽ − v)) + eδ(δ′ − bδ) = noise/n.
        """
        moments, y, x, v = self.moments, self.y, self.x, self.variance
        e, (off_y, off_x) = spanned(at) - x, self.off
        rest = (spanned(self.noisy_slope) - b) * (v * off_x + e * (spanned(moments.central(_X, _X)) - v))
        rest = rest + e * off_x * (off_y - b * off_x)

        def once(a: IntervalArray) -> IntervalArray:
            noise = moments.noise(
                {
                    (_Y, _X): e,
                    (_X, _X): -(e * b),
                    _Y: v - e * x,
                    _X: e * (b * x * 2.0 - y) - b * v,
                    None: v * (b * at - a) + e * x * (y - b * x),
                },
                failure,
            )
            return (rest + around(noise / moments.n)) * v.inverse() + noisy

        return solved(y + b * e, once)


REGR_SLOPE = OfMoments("regr_slope", 2, ((_Y, _X), (_X, _X)), _slope)
REGR_INTERCEPT = OfMoments("regr_intercept", 2, ((_Y, _X), (_X, _X)), _intercept)
