"""Gaussian noise on numbers and arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from lapcat.accounting.base import checked_delta
from lapcat.core.coins import system_coins
from lapcat.core.event import ApproxGaussianRelease, GaussianRelease
from lapcat.core.exact import exact, exact_text, sqrt_up
from lapcat.core.loss import ZCDP, ApproxDP
from lapcat.core.mechanisms import gaussian as core
from lapcat.core.zcdp import epsilon_of_zcdp
from lapcat.drawing.curves import but_for_delta, card, neighbours_svg
from lapcat.errors import BadArgument
from lapcat.mechanisms.grids import back, back_one, floored, floored_array, steps_up
from lapcat.mechanisms.integers.least_sigma import continuous_sigma, least_sigma_squared
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
from lapcat.plan.margins import Margins, checked_confidence, margins_of

DELTA_SHOWN = Fraction(1, 10**6)
MAX_SHOWN = Fraction(100)
HALVINGS = 60  # bisection steps in `largest_rho`


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Gaussian:
    """Gaussian noise on a number, or on each coordinate of an array: (epsilon, delta)-DP, or rho-zCDP.

    sensitivity: upper bound on the change of the number by one unit, or of the array in Euclidean length (l2).
    epsilon and delta, or rho. For one number the least sigma for (epsilon, delta) comes from the exact sum over the
    lattice; for an array (dimensions=d) from zCDP.
    dtype: int declares integers, which a grid that divides 1 represents exactly: their sensitivity is Δ/g steps, and that of
    d floats Δ/g + √d. As for Laplace noise, only the dtype decides, and a list counts as floats.
    grid: the public step of the lattice, a power of two; by default at least 2^24 steps per sigma.

    >>> g = Gaussian(sensitivity=1, epsilon=1, delta=1e-6)
    >>> round(g.sigma, 3), Gaussian(sensitivity=1, rho="0.5").sigma
    (4.225, 1.0)
    """

    sensitivity: Fraction
    epsilon: Fraction | None
    delta: Fraction
    rho: Fraction | None
    grid: Fraction
    dimensions: int | None
    whole: bool
    """Whether integers were declared."""
    sigma_squared: Fraction
    """In squared steps of the grid."""

    def __init__(
        self,
        sensitivity: object,
        epsilon: object = None,
        delta: object = None,
        *,
        rho: object = None,
        grid: object = None,
        dimensions: int | None = None,
        dtype: object = None,
    ) -> None:
        moved = checked_sensitivity(sensitivity)
        size = None if dimensions is None else checked_dimensions(dimensions)
        whole = read_dtype(dtype)
        share: Fraction | None
        promised: Fraction | None
        if rho is not None and epsilon is None and delta is None:
            share = in_reach("a rho", exact(rho), "rho=0.005")
            if share <= 0:
                raise BadArgument("rho-zero", f"a rho of {exact_text(share)} is not above 0", fix="rho=0.005")
            promised, allowed = None, Fraction(0)
        elif rho is None and epsilon is not None and delta is not None:
            promised, allowed = read_epsilon(epsilon), checked_delta(delta)
            if not allowed:
                raise BadArgument(
                    "delta-zero",
                    "Gaussian noise has no epsilon at delta 0",
                    why="its privacy loss is unbounded, however large sigma is",
                    fix="delta=1e-6, or Laplace noise",
                )
            share = None if size is None else largest_rho(promised, allowed)
        else:
            raise BadArgument(
                "noise-unsaid",
                "Gaussian noise needs epsilon and delta, or rho",
                fix="epsilon=1, delta=1e-6",
            )
        if share is not None:
            sigma = moved * sqrt_up(1 / (2 * share))
            step = chosen_grid(grid, sigma, moved, size, whole=whole)
            floors = sqrt_up(Fraction(size)) if size and not whole else Fraction(0)
            length = moved / step + floors if size else Fraction(steps_up(moved, step))
            squared = length * length / (2 * share)
        else:
            assert promised is not None
            guess = Fraction(continuous_sigma(promised, allowed, 1)) * moved
            step = chosen_grid(grid, guess, moved, None, whole=whole)
            squared = least_sigma_squared(promised, allowed, steps_up(moved, step))
        set_fields(
            self,
            sensitivity=moved,
            epsilon=promised,
            delta=allowed,
            rho=share,
            grid=step,
            dimensions=size,
            whole=whole,
            sigma_squared=squared,
        )
        self._core  # noqa: B018  (refuses a sigma beyond the grid now, not at the first release)

    @property
    def sigma(self) -> float:
        """The parameter sigma, in the unit of the number."""
        return math.sqrt(self.sigma_squared) * float(self.grid)

    @property
    def loss(self) -> ApproxDP | ZCDP:
        """The cost of one release: as a rho if known, since rhos compose best."""
        if self.rho is not None:
            return ZCDP(self.rho)
        assert self.epsilon is not None
        return ApproxDP(self.epsilon, self.delta)

    def event(self, label: str = "gaussian") -> GaussianRelease | ApproxGaussianRelease:
        """One release, as the ledger would store it."""
        if self.rho is not None:
            return GaussianRelease(label, 2 * self.rho * self.sigma_squared, self.sigma_squared)
        assert self.epsilon is not None
        return ApproxGaussianRelease(
            label, steps_up(self.sensitivity, self.grid), self.sigma_squared, self.epsilon
        )

    def release(self, value: object) -> int | float | Released:
        """The value with fresh noise: a number, or an array of the same shape (at most `dimensions` numbers)."""
        values = as_array(value)
        if values is not None:
            mechanism = self._for(values, declares_integers(value))
            return back(mechanism._core.draw(floored_array(values, self.grid), system_coins()), self.grid)
        return back_one(self._core.draw_one(floored(value, self.grid), system_coins()), self.grid)

    def margin(self, confidence: object = "0.95") -> float:
        """The least t with Pr[|noise| <= t] >= confidence, on the grid."""
        return float(self.law.margin(checked_confidence(confidence)) * self.grid)

    def margins(self, confidence: object = "0.95", answers: int = 1) -> Margins:
        """Margins for one or several simultaneous answers: exact, by the union bound and by Chebyshev."""
        return margins_of(self.law, self.grid, confidence, answers)

    @property
    def variance(self) -> float:
        """The expected squared error of one number."""
        return self.law.variance * float(self.grid) ** 2

    @property
    def law(self) -> core.DiscreteGaussianLaw:
        """The law of the noise, counted in steps of the grid."""
        return self._core.law()

    def law_around(self, value: object) -> core.DiscreteGaussianLaw:
        """The law of the release of this value, counted in steps of the grid."""
        return self._core.law(floored(value, self.grid))

    def __repr__(self) -> str:
        return describe("Gaussian", self._rows(), self._curves())

    def _repr_html_(self) -> str:
        epsilon, delta = self._shown
        factor, (here, there) = factor_of(epsilon), self._curves()
        caption = but_for_delta(factor, float(delta))
        picture = neighbours_svg(here, there, factor, "two neighbouring tables", caption=caption)
        return card("Gaussian", self._rows(), picture)

    @property
    def _shown(self) -> tuple[Fraction, Fraction]:
        """An (epsilon, delta) for the picture: a rho has one for every delta."""
        if self.epsilon is not None:
            return self.epsilon, self.delta
        assert self.rho is not None
        return epsilon_of_zcdp(self.rho, DELTA_SHOWN), DELTA_SHOWN

    @property
    def _core(self) -> core.Gaussian:
        return core.Gaussian(self.sigma_squared)

    def _for(self, values: NDArray[np.generic], integers: bool) -> Gaussian:
        """The mechanism for an array of this dtype."""
        if self.whole:
            require_integers(values)
        elif integers and self.grid <= 1 and self.rho is not None:  # integers are exact; rho covers vectors
            return Gaussian(
                self.sensitivity, rho=self.rho, grid=self.grid, dimensions=self.dimensions, dtype=int
            )
        if values.size <= (self.dimensions or 1) or (self.whole and self.rho is not None):
            return self
        raise BadArgument(
            "dimension-range",
            f"this mechanism is for {self.dimensions or 1} numbers, but the array has {values.size}",
            why="rounding may change each float by a step, and the (epsilon, delta) is proved for one number",
            fix=f"dimensions={values.size}",
        )

    def _rows(self) -> list[tuple[str, str]]:
        if self.epsilon is None:
            promise = f"{number(self.rho or Fraction(0))}-zCDP"
        else:
            promise = f"({number(self.epsilon)}, {float(self.delta):.3g})-differential privacy"
        rows = [
            ("guarantee", promise),
            ("sensitivity", number(self.sensitivity)),
            ("sigma", f"{self.sigma:.6g}"),
            ("95 % margin", f"±{self.margin():.6g}"),
            ("grid", number(self.grid)),
        ]
        kind = "integers" if self.whole else "floats"
        return rows if self.dimensions is None else [*rows, ("dimensions", f"{self.dimensions} {kind}")]

    def _curves(self) -> tuple[list[float], list[float]]:
        """Both laws, up to where the ratio exceeds e^ε, at a distance of εσ²/Δ - Δ/2."""
        moved = steps_up(self.sensitivity, self.grid)
        sigma = math.sqrt(self.sigma_squared)
        beyond = float(min(self._shown[0], MAX_SHOWN)) * sigma**2 / moved - moved / 2
        reach = math.ceil(max(3 * sigma, min(beyond + sigma, 12 * sigma)))
        outcomes = [round(-reach + (2 * reach + moved) * i / (POINTS - 1)) for i in range(POINTS)]
        here, there = self._core.law(0), self._core.law(moved)
        return [here.pmf(z) for z in outcomes], [there.pmf(z) for z in outcomes]


def largest_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Tight lower bound on the largest rho whose zCDP implies (epsilon, delta)-DP.

    >>> epsilon_of_zcdp(largest_rho(Fraction(1), Fraction(1, 10**6)), Fraction(1, 10**6)) <= 1
    True
    """
    # at rho = epsilon the conversion is above epsilon, unless delta is near 1
    low, high = Fraction(0), epsilon
    while epsilon_of_zcdp(high, delta) <= epsilon:
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = Fraction(f"{float((low + high) / 2):.12e}")
        if not low < middle < high:
            break
        low, high = (middle, high) if epsilon_of_zcdp(middle, delta) <= epsilon else (low, middle)
        if low and high - low < low / 10**6:
            break
    return low
