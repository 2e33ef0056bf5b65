"""How far an answer may be off, before it is asked for: margins from the exact laws, and the budget for a wanted margin.

Nothing here depends on data. A margin at confidence 1 − β is a t with Pr[|noise| ≤ t] ≥ 1 − β: smallest where one
discrete Laplace makes the noise, and for a sum of two of them found from their exact joint tail.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Noise:
    """The noise on one statistic: its law in steps of the grid (None: the statistic is public) and the step."""

    law: DiscreteLaplaceLaw | None
    step: Fraction

    def margin(self, confidence: Fraction) -> float:
        """The smallest margin on the lattice, in the statistic's own unit of measure."""
        return 0.0 if self.law is None else float(self.law.margin(confidence) * self.step)

    @property
    def variance(self) -> float:
        return 0.0 if self.law is None else self.law.variance * float(self.step) ** 2

    @property
    def spread(self) -> float:
        """The scale b of the law in the statistic's own unit of measure."""
        return 0.0 if self.law is None else float(self.law.scale * self.step)


def margin_of_sum(first: Noise, factor: float, second: Noise, confidence: Fraction) -> float:
    """A t with Pr[|X + factor·Y| ≤ t] ≥ confidence for independent noises X and Y.

    Where Y is coarse it is summed over exactly; where it is fine (scale of 64 steps and more) both are replaced by
    continuous Laplace variables. Under the monotone coupling a discrete Laplace stays within one step of the
    continuous one of the same scale (its tail 2q^t/(1+q) lies between e^(−t/b) and e^(−(t−1)/b)), so a step of each
    is added to the margin.
    """
    factor = abs(factor)
    if second.law is None or factor == 0.0:
        return first.margin(confidence)
    if first.law is None:
        return factor * second.margin(confidence)
    failure = float(1 - confidence)
    wide, narrow = first.spread, factor * second.spread
    if second.law.scale >= 64:
        slack = float(first.step) + factor * float(second.step)
        return _solve(lambda t: _continuous_tail(t, wide, narrow), failure, wide + narrow) + slack
    scale = float(second.law.scale)
    steps = np.arange(0, math.ceil(scale * 45) + 2)  # beyond it lies less than e^-45
    weights = math.tanh(0.5 / scale) * np.exp(-steps / scale)
    shift: Floats = steps.astype(np.float64) * (factor * float(second.step))

    def tail(t: float) -> float:
        """Pr[|X + shift| > t], each side summed over Y ≥ 0 and doubled, for Y and X are symmetric."""
        above, below = _upper_tail(t - shift, wide), _upper_tail(t + shift, wide)
        both = weights * (above + below)
        return float(both[0] + 2 * both[1:].sum())

    return _solve(tail, failure, wide + narrow) + float(first.step)


def _upper_tail(t: Floats, scale: float) -> Floats:
    """Pr[X > t] of the continuous Laplace law."""
    half = 0.5 * np.exp(-np.abs(t) / scale)
    return np.where(t >= 0, half, 1 - half)


def _continuous_tail(t: float, a: float, b: float) -> float:
    """Pr[|X + Y| > t] for independent continuous Laplace variables of scales a and b.

    Convolution of the two densities: (a² e^(−t/a) − b² e^(−t/b)) / (a² − b²), and (1 + t/2a) e^(−t/a) where a = b.
    """
    if abs(a - b) < 1e-6 * a:
        a = max(a, b)
        return (1 + t / (2 * a)) * math.exp(-t / a)
    return (a * a * math.exp(-t / a) - b * b * math.exp(-t / b)) / (a * a - b * b)


def _solve(tail: Callable[[float], float], failure: float, start: float) -> float:
    """The t at which a decreasing tail falls to `failure`, from above and to five digits."""
    low, high = 0.0, start
    while tail(high) > failure:
        low, high = high, high * 2
    while high - low > 1e-5 * high:
        middle = (low + high) / 2
        if tail(middle) > failure:
            low = middle
        else:
            high = middle
    return high


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What is known about a column's error before it is paid for.

    margin: at the asked confidence; None where it depends on a number of rows that is not public.
    assuming: then the margin for some numbers of rows.
    """

    margin: float | None
    variance: float | None
    assuming: tuple[tuple[int, float], ...] = ()
