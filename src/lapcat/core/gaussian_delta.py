"""The least delta of one integer with discrete Gaussian noise at a given epsilon."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from lapcat.core.exact import LARGEST_EXP, exp_bounds
from lapcat.core.theta import survival_bounds
from lapcat.errors import BadArgument

RELATIVE = 40  # delta_of is above the true delta by a factor of at most 1 + 2^-40
MAX_BITS = 1 << 11  # a delta below 2^-2048 is only bounded, not computed to relative precision


def delta_of(sigma_squared: Fraction, epsilon: Fraction, sensitivity: int) -> Fraction:
    """Upper bound on the least delta for which one integer of this sensitivity with this noise is (epsilon, delta)-DP.

    Theorem: for a shift of j the least delta is the sum of max(0, p(x) - e^epsilon p(x + j)) over all x. The terms are
             positive from x0 = ceil(sigma² epsilon / j - j / 2) on, so it is Pr[Z >= x0] - e^epsilon Pr[Z >= x0 + j].
             It grows with j (docs/proofs/gaussian.md, "The largest shift is the worst"), so j = sensitivity.
    Source:  Canonne, Kamath & Steinke 2020.
    Slack:   a factor of 1 + 2^-40, from rounding up.

    >>> f"{float(delta_of(Fraction(18), Fraction(1), 1)):.2e}"
    '9.57e-07'
    """
    check_one_integer(epsilon, sensitivity)  # before the cache, which equates 1.0 and True with 1
    return _delta(sigma_squared, epsilon, sensitivity)


@lru_cache(1024)
def _delta(sigma_squared: Fraction, epsilon: Fraction, sensitivity: int) -> Fraction:
    start = math.ceil(sigma_squared * epsilon / sensitivity - Fraction(sensitivity, 2))
    # delta is about e^(-start²/(2 sigma²))
    bits = 128 + min(MAX_BITS, math.ceil(start * start * 3 / (4 * sigma_squared)))
    while True:
        # e^epsilon < 2^(3/2 epsilon) multiplies the second probability's error
        b = bits + math.ceil(epsilon * 3 / 2)
        near_low, near_high = survival_bounds(sigma_squared, start - 1, b)
        far_low, far_high = survival_bounds(sigma_squared, start + sensitivity - 1, b)
        e_low, e_high = exp_bounds(epsilon, b)
        high = near_high - (far_low << b) // e_high
        low = near_low + (-(far_high << b) // e_low)
        if (high - low) << RELATIVE <= high or bits >= MAX_BITS:
            return min(Fraction(high, 1 << b), Fraction(1))
        bits *= 2


def check_one_integer(epsilon: Fraction, sensitivity: int) -> None:
    """Refuses what is no epsilon, or no sensitivity of one integer."""
    if not isinstance(epsilon, Fraction):
        raise TypeError(f"an epsilon is a Fraction, not {type(epsilon).__name__}: exact() makes one")
    if epsilon <= 0:
        raise BadArgument("epsilon-zero", f"an epsilon of {epsilon} is not above 0", fix="epsilon=0.1")
    if epsilon > LARGEST_EXP:
        raise BadArgument(
            "number-too-large",
            f"an epsilon of {float(epsilon):g} is outside the range of lapcat's exact numbers",
            fix="choose an epsilon of at most 10; above that there is no meaningful protection",
        )
    if isinstance(sensitivity, bool) or not isinstance(sensitivity, int):
        raise TypeError(f"the sensitivity of an integer is an integer, not {sensitivity!r}")
    if sensitivity <= 0:
        raise BadArgument(
            "sensitivity-zero",
            f"a sensitivity of {sensitivity} is not above 0",
            why="no unit can change this number, so it is public",
            fix="release it without noise: an ExactRelease, which costs nothing",
        )
