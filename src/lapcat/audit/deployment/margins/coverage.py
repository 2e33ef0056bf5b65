"""The coverage of intervals, and the test of it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lapcat.mechanisms.binomial import success_bounds
from lapcat.plan.aggregates import Estimates

Floats = npt.NDArray[np.float64]
LEVEL = Fraction(95, 100)
"""The default confidence of intervals."""
DRAWS = 20_000
UNLIKELY = 1e-9
"""The probability that valid intervals fail one test; an audit makes some hundreds."""
ROUNDING = 1e-9
"""The relative rounding error of floats."""


def holds(estimates: Estimates, truth: Floats) -> npt.NDArray[np.bool_]:
    """Whether each interval contains its number; an open end is infinite."""
    low, high = (np.ma.asarray(end, np.float64) for end in (estimates.low, estimates.high))
    near = ROUNDING * (1 + np.abs(truth))
    return np.asarray(
        (np.ma.filled(low, -np.inf) <= truth + near) & (truth - near <= np.ma.filled(high, np.inf))
    )


def too_rarely(held: npt.NDArray[np.bool_]) -> str:
    """The problem if the coverage of a column is too low; rows are draws, columns are numbers."""
    draws, times = held.shape[0], int(held.sum(axis=0).min())
    if success_bounds(times, draws, UNLIKELY)[1] >= LEVEL:
        return ""
    return _problem(times / draws)


def too_unlikely(chance: float) -> str:
    """The same for a known probability."""
    return "" if chance >= float(LEVEL) - ROUNDING else _problem(chance)


def _problem(share: float) -> str:
    return f"the interval contains the true number in {100 * share:.2f} % of all cases, and claims {float(100 * LEVEL):.0f} %"
