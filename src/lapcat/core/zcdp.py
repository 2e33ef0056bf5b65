"""Zero-concentrated DP: the conversion of a rho to (epsilon, delta), and back."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from lapcat.core.exact import ln_down, ln_up
from lapcat.errors import BadArgument

DIGITS = 12  # significant digits of a quoted epsilon, rounded up
COARSE = 160  # orders tried first, evenly in their logarithms
SMALLEST, LARGEST = 1e-9, 1e15  # of the order less 1
FINER = 60  # steps of a golden section between the best order's neighbours

Curve = Callable[[Fraction], Fraction]
"""Upper bound on the Rényi divergence of order a > 1."""


def epsilon_of_zcdp(rho: Fraction, delta: Fraction) -> Fraction:
    """Upper bound on the least epsilon for which rho-zCDP implies (epsilon, delta)-DP.

    Theorem: epsilon = rho a + (ln(1/delta) + (a - 1) ln(1 - 1/a) - ln a) / (a - 1) for every a > 1.
    Source:  Canonne, Kamath & Steinke 2020.
    Slack:   every order is valid, so the best one is only approximated; the figure is rounded up.

    >>> float(epsilon_of_zcdp(Fraction(1, 2), Fraction(1, 10**6)))  # doctest: +ELLIPSIS
    5.2...
    """
    _above_zero(delta)
    if not rho:
        return Fraction(0)
    return least_epsilon(lambda a: rho * a, lambda a: float(rho) * a, delta)


def best_order(rho: Fraction, delta: Fraction) -> Fraction:
    """An order at which rho-zCDP gives nearly the least epsilon: a short fraction computed in floats (every order is valid)."""
    _above_zero(delta)
    return 1 + _best_excess(lambda a: float(rho) * a, delta)


def epsilon_at_order(divergence: Fraction, order: Fraction, delta: Fraction) -> Fraction:
    """The epsilon of a Rényi divergence at its order. Deterministic in its arguments, so a ledger can store the order.

    >>> rho, delta = Fraction(1, 2), Fraction(1, 10**6)
    >>> order = best_order(rho, delta)
    >>> epsilon_at_order(rho * order, order, delta) == epsilon_of_zcdp(rho, delta)
    True
    """
    _above_zero(delta)
    return _epsilon_of(lambda _: divergence, order - 1, delta) if divergence else Fraction(0)


def rho_of(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Nearly the largest rho that is (epsilon, delta)-DP by `epsilon_of_zcdp`, never too large.

    >>> rho = rho_of(Fraction(1), Fraction(1, 10**6))
    >>> epsilon_of_zcdp(rho, Fraction(1, 10**6)) <= 1 < epsilon_of_zcdp(rho * Fraction(1001, 1000), Fraction(1, 10**6))
    True
    """
    # rho is one term of the epsilon, so the largest rho lies below it
    low, high = Fraction(0), epsilon
    while high - low > high / 4096:
        middle = Fraction(f"{float((low + high) / 2):.6e}")
        if not low < middle < high:
            break
        if epsilon_of_zcdp(middle, delta) <= epsilon:
            low = middle
        else:
            high = middle
    return low


def least_epsilon(curve: Curve, guess: Callable[[float], float], delta: Fraction) -> Fraction:
    """The least epsilon over the orders of a Rényi curve: the order is found in floats, the figure is exact and rounded up."""
    return _epsilon_of(curve, _best_excess(guess, delta), delta)


def rounded_up(x: Fraction) -> Fraction:
    """The least decimal of DIGITS significant digits that is not below x.

    >>> rounded_up(Fraction(1, 3)) * 10**12
    Fraction(333333333334, 1)
    """
    if x <= 0:
        return Fraction(0)
    size = math.floor(math.log10(x.numerator) - math.log10(x.denominator))
    unit = Fraction(10) ** (size + 1 - DIGITS)
    return -(-x // unit) * unit


def _best_excess(guess: Callable[[float], float], delta: Fraction) -> Fraction:
    """The best order less 1."""
    log_delta = -float(ln_up(1 / delta))

    def about(log_excess: float) -> float:
        excess = math.exp(log_excess)
        rest = -log_delta - math.log1p(excess)
        return guess(1 + excess) + rest / excess + math.log(excess) - math.log1p(excess)

    low, high = math.log(SMALLEST), math.log(LARGEST)
    grid = [low + (high - low) * i / COARSE for i in range(COARSE + 1)]
    best = min(range(len(grid)), key=lambda i: about(grid[i]))
    left, right = grid[max(0, best - 1)], grid[min(COARSE, best + 1)]
    for _ in range(FINER):
        third = (right - left) / 3
        if about(left + third) <= about(right - third):
            right -= third
        else:
            left += third
    return Fraction(f"{math.exp((left + right) / 2):.8e}")  # a short fraction near the best order


def _epsilon_of(curve: Curve, excess: Fraction, delta: Fraction) -> Fraction:
    order = 1 + excess
    # ln(1 - 1/a) = ln((a - 1) / a)
    rest = ln_up(1 / delta) + excess * ln_up(excess / order) - ln_down(order)
    return max(Fraction(0), rounded_up(curve(order) + rest / excess))


def _above_zero(delta: Fraction) -> None:
    if not 0 < delta < 1:
        raise BadArgument(
            "delta-range",
            f"rho cannot be converted into an epsilon at delta {delta}",
            why="rho-zCDP allows unbounded privacy losses with small probability",
            fix="delta=1e-6",
        )
