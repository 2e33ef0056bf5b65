"""Randomised response: each person adds noise to their own answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lapcat.core.coins import system_coins
from lapcat.core.event import ResponseRelease
from lapcat.core.exact import exact
from lapcat.core.loss import PureDP
from lapcat.core.mechanisms.checked import checked_whole
from lapcat.drawing.curves import card, neighbours_svg
from lapcat.errors import BadArgument
from lapcat.mechanisms.integers.finite import FiniteLaw
from lapcat.mechanisms.integers.response import MAX_VALUES, Response, ShareEstimate
from lapcat.mechanisms.shown import describe, factor_of, number, plain_array, read_epsilon, set_fields

MAX_DRAWN = 40  # values in a picture


@dataclass(frozen=True, slots=True, init=False, repr=False)
class RandomizedResponse:
    """Each report is the truth with probability e^ε / (e^ε + k - 1), else a uniform one of the other k - 1 values.

    >>> RandomizedResponse(epsilon=1).release([True, False]).dtype
    dtype('bool')
    """

    core: Response

    def __init__(self, epsilon: object, values: int = 2) -> None:
        whole = checked_whole("values-range", "values", values, 2, MAX_VALUES, "values = 2 for yes and no")
        set_fields(self, core=Response(read_epsilon(epsilon), whole))

    @property
    def epsilon(self) -> Fraction:
        return self.core.epsilon

    @property
    def values(self) -> int:
        return self.core.values

    @property
    def truth(self) -> Fraction:
        """The probability of the true value, rounded down (towards privacy)."""
        return self.core.truth

    @property
    def loss(self) -> PureDP:
        """The cost of one report to its author."""
        return PureDP(self.epsilon)

    def event(self, label: str = "response") -> ResponseRelease:
        return self.core.event(label)

    def release(self, values: ArrayLike) -> NDArray[np.int64] | NDArray[np.bool_]:
        """One report for each true value: booleans, or integers in 0 .. values - 1."""
        array = plain_array(values)
        if array.dtype == np.bool_:
            return self.core.draw(array, system_coins())
        if array.dtype.kind not in "iu":
            raise BadArgument(
                "array-type",
                f"responses are booleans or integers, not {array.dtype}",
                fix="[True, False, True]",
            )
        return self.core.draw(array.astype(np.int64), system_coins())

    def estimate(self, reports: ArrayLike, confidence: object = "0.95") -> tuple[ShareEstimate, ...]:
        """Unbiased estimates of the share of each value among those who reported, with confidence intervals."""
        array = plain_array(reports)
        counts: Sequence[int] = np.bincount(array.astype(np.int64).ravel(), minlength=self.values).tolist()
        return self.core.estimate(counts, exact(confidence))

    @property
    def variance(self) -> float:
        """Variance of the estimate from one yes-or-no report, p(1 - p) / (2p - 1)²; divide it by n for n reports."""
        p, r = self.core.truth, self.core.lie
        return float(p * (1 - p) / (p - r) ** 2)

    def law(self, value: int = 0) -> FiniteLaw:
        """The law of the report of this true value."""
        return self.core.law(value)

    def __repr__(self) -> str:
        return describe("RandomizedResponse", self._rows(), self._curves())

    def _repr_html_(self) -> str:
        here, there = self._curves()
        picture = neighbours_svg(here, there, factor_of(self.epsilon), "reports of two different values")
        return card("RandomizedResponse", self._rows(), picture)

    def _rows(self) -> list[tuple[str, str]]:
        return [
            ("guarantee", f"{number(self.epsilon)}-differential privacy, local"),
            ("values", str(self.values)),
            ("truth", f"{float(self.truth):.6g}"),
        ]

    def _curves(self) -> tuple[list[float], list[float]]:
        """Each value as a step of fixed width."""
        many = min(self.values, MAX_DRAWN)
        truth, lie = float(self.core.truth), float(self.core.lie)
        wide = max(2, MAX_DRAWN // many)
        here = [truth if i == 0 else lie for i in range(many) for _ in range(wide)]
        return here, [truth if i == 1 else lie for i in range(many) for _ in range(wide)]
