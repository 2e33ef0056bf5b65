"""The least delta of one integer with discrete Gaussian noise at a given epsilon, and the least noise for a given pair.

The formula for the continuous Gaussian serves only as a first guess: on the integers it is too optimistic.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from lapcat.core.exact import LARGEST_EXP, exp_bounds
from lapcat.core.theta import survival_bounds
from lapcat.errors import BadArgument

RELATIVE = 40  # delta_of is above the true delta by a factor of at most 1 + 2^-40
SIGNIFICANT = 30  # bits: least_sigma_squared exceeds the least sigma² by a factor of at most 1 + 2^-30
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
    _check(epsilon, sensitivity)  # before the cache, which equates 1.0 and True with 1
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


def least_sigma_squared(epsilon: Fraction, delta: Fraction, sensitivity: int) -> Fraction:
    """The least sigma² for which one integer of this sensitivity is (epsilon, delta)-DP, rounded up.

    Delta is not monotone in sigma: on the integers it may rise for a while before it falls further, by factors of a
    million if epsilon is large and sigma small. Its turning points are at sigma² = (x + sensitivity / 2) *
    sensitivity / epsilon for integers x >= 0, where the sum of `delta_of` begins one term later.
    Theorem: up to the first of these points delta falls; between two of them it rises and then falls (or does one of
             the two). So if delta is small enough at a point and not at the point before, it crosses exactly once.
             docs/proofs/gaussian.md, "The least sigma".
    Slack:   a factor of 1 + 2^-30. That delta falls from each point to the next is tested, not proved: if it did
             not, the sigma² returned would still be sufficient, but a smaller one might be, too.

    >>> round(math.sqrt(least_sigma_squared(Fraction(1), Fraction(1, 10**6), 1)), 4)
    4.2308
    """
    _check(epsilon, sensitivity)
    if not 0 < delta < 1:
        raise BadArgument(
            "delta-range",
            f"a delta of {delta} is not strictly between 0 and 1",
            why="Gaussian noise has no pure epsilon, and a delta of 1 guarantees nothing",
            fix="delta=1e-6, or Laplace noise, which needs no delta",
        )

    def enough(sigma_squared: Fraction) -> bool:
        return delta_of(sigma_squared, epsilon, sensitivity) <= delta

    def point(x: int) -> Fraction:
        return (x + Fraction(sensitivity, 2)) * sensitivity / epsilon

    if enough(point(0)):
        low = high = point(0)
        while enough(low):
            low, high = low / 2, low
    else:
        guess = Fraction(continuous_sigma(epsilon, delta, sensitivity)) ** 2
        x = _first(lambda x: enough(point(x)), max(1, round(guess * epsilon / sensitivity)))
        low, high = point(x - 1), point(x)
    return _crossing(low, high, enough)


def continuous_sigma(epsilon: Fraction, delta: Fraction, sensitivity: int) -> float:
    """The least sigma of *continuous* Gaussian noise, in floats: a first guess, and too small for integers.

    Theorem: with s = sigma / sensitivity, delta = Phi(1/(2s) - epsilon s) - e^epsilon Phi(-1/(2s) - epsilon s), which
             falls with s.
    Source:  Balle & Wang 2018.
    """
    e, wanted = float(epsilon), float(delta)

    def excess(s: float) -> float:
        far = _phi(-1 / (2 * s) - e * s)
        return _phi(1 / (2 * s) - e * s) - (math.exp(e + math.log(far)) if far else 0.0) - wanted

    low, high = 1e-6, 1.0  # of s; a guess need not be closer
    while excess(high) > 0 and high < 1e100:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return high * sensitivity


def _phi(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def _first(holds: Callable[[int], bool], guess: int) -> int:
    """The least x >= 1 from which on `holds` is true, by galloping from the guess; it is false at 0."""
    low, high, step = 0, guess, 1
    if holds(guess):
        while high - step > 0 and holds(high - step):
            high, step = high - step, 2 * step
        low = max(0, high - step)
    else:
        low, high = guess, guess + step
        while not holds(high):
            step *= 2
            low, high = high, high + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _crossing(low: Fraction, high: Fraction, enough: Callable[[Fraction], bool]) -> Fraction:
    """The least 31-bit number between `low` (not enough) and `high` (enough) that is enough; or `high` itself."""
    size = low.numerator.bit_length() - low.denominator.bit_length() - 1  # 2^size <= low
    step = Fraction(2) ** (size - SIGNIFICANT)
    below, above = math.floor(low / step), math.floor(high / step)
    if above <= below or not enough(above * step):
        return high
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if enough(middle * step) else (middle, above)
    return above * step


def _check(epsilon: Fraction, sensitivity: int) -> None:
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
