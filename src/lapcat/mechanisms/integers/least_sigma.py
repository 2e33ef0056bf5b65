"""The least discrete Gaussian noise for one integer at a given epsilon and delta.

The formula for the continuous Gaussian serves only as a first guess: on the integers it is too optimistic.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from lapcat.core.gaussian_delta import check_one_integer, delta_of
from lapcat.errors import BadArgument

SIGNIFICANT = 30  # bits: least_sigma_squared exceeds the least sigma² by a factor of at most 1 + 2^-30


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
    check_one_integer(epsilon, sensitivity)
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
