"""Noisy moments of one value or of a pair of them.

Each value x lies within h of the middle c of its bounds. The statistics are the number of rows, Σ(x − c), which AVG reads
too, and for squares, products and higher powers Σ((x − c)² − h²/2), Σ(x − c)(y − d) and Σ(x − c)³: around the middle the
sensitivity, and so the noise, is least. After the noise everything is in units of h, where values lie in −1..1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from lapcat.core.exact import exact_text
from lapcat.plan.accuracy import Floats, Noise
from lapcat.plan.aggregates.base import Argument, StatisticReading
from lapcat.plan.aggregates.count import count_reading
from lapcat.plan.aggregates.equations import Equations, IntervalArray, around, solved, spanned
from lapcat.plan.aggregates.pairs import in_order, sides
from lapcat.plan.aggregates.sum import sum_reading
from lapcat.plan.expressions import Arithmetic, Cast, Clamp, Expression, Literal, range_of
from lapcat.plan.grids import sum_statistic
from lapcat.plan.nodes import Statistic
from lapcat.plan.schema import Type

TYPICAL_PRODUCTS = Fraction(7, 24), Fraction(5, 24)
"""In units of h, for values uniform in the upper half of their bounds and pairs with a correlation of ±1/2: assumed for
previews of errors and for splitting budgets. The mean k-th power is then 1/(k + 1), the standard deviation 0.29 h."""
SUPPOSING = (
    "the values lie evenly in the upper half of their bounds; others have another margin",
    "the values lie evenly in the upper half of their bounds, with a correlation of 1/2; others have another margin",
)
"""The same in words, for one value and for two."""
SMALLEST = Fraction(2) ** -500

Product = tuple[int, ...]
"""Positions of the values that are multiplied: (0, 1) for the product of both, (0, 0) for a square, (0, 0, 0) for a cube."""
EXPONENTS = "²³⁴⁵⁶⁷⁸⁹"


# ------------------------------------------------------------------------------------------------ statistics


@dataclass(frozen=True, slots=True)
class Deviation:
    """A value minus the middle of its bounds, in units of `part`: a power of two, so that tiny squares fit a grid."""

    expression: Expression
    centre: Fraction
    part: Fraction
    half: Fraction
    """Its maximum, in the value's own unit; 1 for a constant, which never deviates."""


def deviation(value: Expression | None) -> Deviation:
    assert value is not None
    centre = Fraction(float(_centre(sum_statistic(value, None, centred=True))))
    x = value if value.type is Type.FLOAT else Cast(value, Type.FLOAT)
    if centre:
        x = Arithmetic("-", x, Literal(float(centre), Type.FLOAT), Type.FLOAT)
    half, part = _largest(x) or Fraction(1), Fraction(1)
    while part > half and part > SMALLEST:
        part /= 2
    if part != 1:
        x = Arithmetic("*", x, Literal(float(1 / part), Type.FLOAT), Type.FLOAT)
        half = _largest(x) * part or Fraction(1)
    return Deviation(x, centre, part, half)


def _largest(x: Expression) -> Fraction:
    reach = range_of(x)
    return Fraction(max(abs(reach.low), abs(reach.high)))


def readings(argument: Argument, products: Sequence[Product]) -> tuple[StatisticReading, ...]:
    """The count, the sum of each side, and the sums of these powers and products of the sides."""
    each = sides(argument)
    sums = [count_reading(argument), *(sum_reading(side, centred=True) for side in each)]
    for product in products:
        of_both = len(set(product)) > 1
        sums.append(
            _product_reading(in_order(argument))
            if of_both
            else _power_reading(each[product[0]], len(product))
        )
    return tuple(sums)


def _power_reading(side: Argument, degree: int) -> StatisticReading:
    x = deviation(side.value)
    power = x.expression
    for _ in range(degree - 1):
        power = Arithmetic("*", power, x.expression, Type.FLOAT)
    if degree % 2 == 0:
        ends = Literal(0.0, Type.FLOAT), Literal(float(range_of(power).high), Type.FLOAT)
        power = Clamp(power, *ends, Type.FLOAT)
    statistic = sum_statistic(power, side.filter, centred=True)
    around, exponent = _centre(statistic) * x.part**degree, EXPONENTS[degree - 2]
    shown = _less(side.text, x.centre) + exponent + (f" − {exact_text(around)}" if around else "")
    step = _step(statistic) * x.part**degree
    return StatisticReading(statistic, side.labelled("sum", shown), step, f"{side.text}{exponent}")


def _product_reading(argument: Argument) -> StatisticReading:
    """The product of the unmodified expressions: it is NULL where one of them is."""
    x, y = deviation(argument.value), deviation(argument.second)
    product = Arithmetic("*", x.expression, y.expression, Type.FLOAT)
    statistic = sum_statistic(product, argument.filter, centred=True)
    shown = f"{_less(argument.text, x.centre)} · {_less(argument.second_text, y.centre)}"
    unit = f"{argument.text} · {argument.second_text}"
    return StatisticReading(
        statistic, argument.labelled("sum", shown), _step(statistic) * x.part * y.part, unit
    )


def _less(text: str, centre: Fraction) -> str:
    return f"({text} − {exact_text(centre)})" if centre else f"({text})"


def _centre(statistic: Statistic) -> Fraction:
    assert statistic.grid is not None
    return statistic.grid.centre


def _step(statistic: Statistic) -> Fraction:
    assert statistic.grid is not None
    return statistic.grid.step


# ------------------------------------------------------------------------------------------------ layout


@dataclass(frozen=True, slots=True)
class MomentLayout:
    """How sums become moments: the maximum contribution of a row to each, and the centre of each."""

    statistics: tuple[Statistic, ...]
    """The count, a sum for each deviation, a sum for each product."""
    deviations: tuple[Deviation, ...]
    products: tuple[Product, ...]

    @classmethod
    @lru_cache(maxsize=1024)
    def of(cls, argument: Argument, products: tuple[Product, ...]) -> MomentLayout:
        """Cached: it is needed when a question is priced, previewed and answered."""
        statistics = tuple(reading.statistic for reading in readings(argument, products))
        return cls(statistics, tuple(deviation(side.value) for side in sides(argument)), products)

    @property
    def sizes(self) -> tuple[Fraction, ...]:
        """The unit of each sum: the largest deviation of one row, or a product of these."""
        halves = [x.half for x in self.deviations]
        largest = [math.prod((halves[i] for i in product), start=Fraction(1)) for product in self.products]
        return (Fraction(1), *halves, *largest)

    @property
    def around(self) -> tuple[Fraction, ...]:
        """The difference of each mean from its sum over the count, in that unit."""
        offsets = [Fraction(0)]
        sums = self.statistics[1:]
        for x, statistic in zip(self.deviations, sums, strict=False):
            offsets.append((_centre(statistic) - x.centre) / x.half)
        for product, statistic in zip(self.products, sums[len(self.deviations) :], strict=True):
            factors = [self.deviations[i] for i in product]
            offsets.append(_centre(statistic) * math.prod(x.part / x.half for x in factors))
        return tuple(offsets)

    @property
    def places(self) -> tuple[int, ...]:
        """The position of each among the distinct statistics: COVAR(x, x) reads Σ(x − c) once, with one noise."""
        different = list(dict.fromkeys(self.statistics))
        return tuple(different.index(statistic) for statistic in self.statistics)

    def typical(self, rows: int, product: Fraction = TYPICAL_PRODUCTS[0]) -> list[Floats]:
        """Sums over `rows` rows with typical moments, in their units."""
        means = [Fraction(1, 2)] * len(self.deviations)
        means += [product if len(set(of)) > 1 else Fraction(1, len(of) + 1) for of in self.products]
        sums = [mean - around for mean, around in zip(means, self.around[1:], strict=True)]
        return [np.array([float(rows * each)]) for each in (Fraction(1), *sums)]

    def moments(
        self, sums: Sequence[Floats], noises: Sequence[Noise], confidence: Fraction, least: float
    ) -> Moments:
        """The moments of noisy sums in their units; undefined for fewer than `least` rows."""
        by_place = {}
        for place, noise, size in zip(self.places, noises, self.sizes, strict=True):
            by_place[place] = Noise(noise.law, noise.step / size)
        centres = tuple(map(float, self.around))
        equations = Equations(tuple(by_place.values()), self.places, centres, 1 - confidence)
        n = np.where(sums[0] >= least, sums[0], np.nan)
        means = [total / n + centre for total, centre in zip(sums[1:], centres[1:], strict=True)]
        sides = len(self.deviations)
        return Moments(
            equations, n, tuple(means[:sides]), dict(zip(self.products, means[sides:], strict=True))
        )


# ------------------------------------------------------------------------------------------------ intervals of moments


@dataclass(frozen=True, slots=True)
class Moments:
    """Noisy moments of deviations u, in units of the largest ones, and intervals of the exact ones.

    Intervals are by the theorem of plan/aggregates/equations.py. A noisy moment is x̃, and δ = ũ − ū is the error of a mean.
    """

    equations: Equations
    n: Floats
    """The noisy number of rows; NaN where there are too few."""
    means: tuple[Floats, ...]
    products: Mapping[Product, Floats]
    """The means of powers and products."""

    def central(self, i: int, j: int) -> Floats:
        """The noisy variance of a side (i = j), or the covariance of two."""
        return self.products[i, j] - self.means[i] * self.means[j]

    def noise(
        self, coefficients: Mapping[int | Product | None, IntervalArray | Floats | float], failure: Fraction
    ) -> Floats:
        """q(c); coefficients of sides, of products, and of the count (None)."""
        products = list(self.products)
        by_function: dict[int, IntervalArray | Floats | float] = {}
        for what, c in coefficients.items():
            if isinstance(what, tuple):
                function = 1 + len(self.means) + products.index(what)
            else:
                function = 0 if what is None else 1 + what
            by_function[function] = c
        return self.equations.noise_of(by_function, self.n.size, failure)

    def mean(self, i: int) -> IntervalArray:
        """The interval of a mean. Equation: Σ(u − ū) = 0."""

        def once(mean: IntervalArray) -> IntervalArray:
            noise = self.noise({i: 1.0, None: -mean}, self.equations.aside)
            return spanned(self.means[i]) + around(noise / self.n)

        return solved(spanned(0.0) + around(np.ones(self.n.size)), once).within(-1.0, 1.0)

    def variance(
        self, i: int, mean: IntervalArray, failure: Fraction, *, sample: bool = False
    ) -> IntervalArray:
        """The interval of a variance v. Equation: Σ((u − ū)² − v) = 0; with noisy sums it is ṽ + δ² − v = noise/n.

        For a sample, (n − 1)·v replaces n·v.
        """
        rows = self.n - 1 if sample else self.n
        off = (spanned(self.means[i]) - mean).squared()
        shown = IntervalArray(self.central(i, i), self.central(i, i) + off.high) * (self.n / rows)

        def once(v: IntervalArray) -> IntervalArray:
            noise = self.noise({(i, i): 1.0, i: mean * -2.0, None: mean.squared() - v}, failure)
            return shown + around(noise / rows)

        largest = 2.0 if sample else 1.0  # n/(n − 1) of two rows or more
        return solved(IntervalArray(np.zeros(self.n.size), np.full(self.n.size, largest)), once)

    def covariance(
        self,
        i: int,
        j: int,
        means: tuple[IntervalArray, IntervalArray],
        failure: Fraction,
        *,
        sample: bool = False,
    ) -> IntervalArray:
        """The interval of a covariance c. Equation: Σ((u − ū)(w − w̄) − c) = 0; with noisy sums c̃ + δδ′ − c = noise/n."""
        rows = self.n - 1 if sample else self.n
        shown = self.shown_covariance(i, j, means) * (self.n / rows)

        def once(c: IntervalArray) -> IntervalArray:
            noise = self.noise(
                {(i, j): 1.0, i: -means[1], j: -means[0], None: means[0] * means[1] - c}, failure
            )
            return shown + around(noise / rows)

        return solved(around(np.full(self.n.size, 2.0 if sample else 1.0)), once)

    def shown_covariance(self, i: int, j: int, means: tuple[IntervalArray, IntervalArray]) -> IntervalArray:
        """c̃ + δδ′."""
        off = (spanned(self.means[i]) - means[0]) * (spanned(self.means[j]) - means[1])
        return off + self.central(i, j)
