"""How often intervals hold the truth, and how often is often enough."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lapcat.core.mechanisms.binomial import success_bounds
from lapcat.plan.aggregates import Estimates

Floats = npt.NDArray[np.float64]
LEVEL = Fraction(95, 100)
"""What intervals say unless something else is asked for."""
DRAWS = 20_000
UNLIKELY = 1e-9
"""With which chance intervals that hold as often as they say would be found to hold so rarely; there are some hundreds in an audit."""
ROUNDING = 1e-9
"""Of what is computed with floats, beside the number itself."""


def holds(found: Estimates, truth: Floats) -> npt.NDArray[np.bool_]:
    """Whether each interval holds its number; an end that is open holds all."""
    low, high = (np.ma.asarray(end, np.float64) for end in (found.low, found.high))
    near = ROUNDING * (1 + np.abs(truth))
    return np.asarray(
        (np.ma.filled(low, -np.inf) <= truth + near) & (truth - near <= np.ma.filled(high, np.inf))
    )


def too_rarely(held: npt.NDArray[np.bool_]) -> str:
    """Why intervals hold too rarely, a row for each draw and a column for each number; empty where none of them does."""
    draws, times = held.shape[0], int(held.sum(axis=0).min())
    if success_bounds(times, draws, UNLIKELY)[1] >= LEVEL:
        return ""
    return _said(times / draws)


def too_unlikely(chance: float) -> str:
    """The same where the chance is known."""
    return "" if chance >= float(LEVEL) - ROUNDING else _said(chance)


def _said(share: float) -> str:
    return f"the interval holds the true number in {100 * share:.2f} % of all cases, and says {float(100 * LEVEL):.0f} %"
