"""Confidence intervals for randomised response: inversion of the law of a sum of two binomials.

Floats are used here: a report is public, so this is post-processing. Tails are compared with a level lowered by more than
the rounding error, so that intervals err by being too wide.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

LARGEST_NUMBER = 1 << 40  # reports: an interval then takes seconds
ROUNDING = 1e-6  # relative; see `_binomial`
SMALLEST_LEVEL = 1e-250  # below it nothing is ruled out ...
SMALLEST_DIFFERENCE = 1e-9  # ... nor if the truth is hardly more likely than a lie


def true_count_bounds(named: int, n: int, odds: float, lie_odds: float, level: float) -> tuple[int, int]:
    """Confidence limits for a in 0 .. n, given that Bin(a, p) + Bin(n - a, r) is `named`: both tails exceed the level.
    p and r are given by their odds p / (1 - p).

    Theorem: for p > r the sum grows stochastically with a (a coin of bias r becomes one of bias p), so both tails are
             monotone in a, and bisection finds the ends. Each end excludes the true a with probability at most `level`.

    >>> true_count_bounds(500, 1000, 3.0, 1 / 3, 0.025)  # p = 3/4, r = 1/4
    (446, 554)
    """
    p, r = odds / (1 + odds), lie_odds / (1 + lie_odds)
    if level < SMALLEST_LEVEL or p - r < SMALLEST_DIFFERENCE:
        return 0, n
    level *= 1 - ROUNDING

    def reached(a: int, upwards: bool) -> bool:
        reach = math.log(1 / level) + 40
        law = _binomial(a, odds, reach), _binomial(n - a, lie_odds, reach)
        return _tail(named, *law, upwards) > level

    guess = max(0, min(n, round((named - n * r) / (p - r))))
    step = 1 + round(3 * math.sqrt(n * max(p * (1 - p), r * (1 - r))) / (p - r))
    low = _first(lambda a: reached(a, upwards=True), n, guess - step, step)
    high = _first(lambda a: not reached(a + 1, upwards=False), n, guess + step, step)
    return min(low, high), max(low, high)


def success_bounds(heads: int, n: int, level: float) -> tuple[float, float]:
    """Confidence limits for the bias of n coins that show `heads` heads: both tails exceed the level.

    Theorem: Pr[Bin(n, x) >= heads] grows with x, so bisection finds the ends (Clopper & Pearson's interval). Each end
             excludes the true bias with probability at most `level`.
    Coins of different biases whose mean is x: at least c heads are no likelier than from n coins of bias x if c >= n*x + 1,
             and at most c no likelier if c <= n*x - 1 (Hoeffding's theorem on the number of successes). Their interval is
             therefore that of one head less below, and of one more above: the caller shifts the number.

    >>> low, high = success_bounds(600, 1000, 0.025)
    >>> round(low, 3), round(high, 3), success_bounds(0, 10, 0.025)[0]
    (0.569, 0.631, 0.0)
    """
    if level < SMALLEST_LEVEL:
        return 0.0, 1.0
    level *= 1 - ROUNDING
    reach = math.log(1 / level) + 40

    def tail(x: float, upwards: bool) -> float:
        weights, start = _binomial(n, x / (1 - x), reach)
        cut = heads - start if upwards else heads + 1 - start
        cut = max(0, min(len(weights), cut))
        return float(weights[cut:].sum() if upwards else weights[:cut].sum())

    def end(upwards: bool) -> float:
        """Bisection keeps `outside` on the excluded side, so the end errs by being too wide."""
        outside, inside = (0.0, heads / n) if upwards else (1.0, heads / n)
        for _ in range(60):
            middle = (outside + inside) / 2
            if not 0 < middle < 1 or abs(outside - inside) < 1e-12:
                break
            if tail(middle, upwards) <= level:
                outside = middle
            else:
                inside = middle
        return outside

    return (end(True) if heads > 0 else 0.0), (end(False) if heads < n else 1.0)


def _first(holds: Callable[[int], bool], n: int, guess: int, step: int) -> int:
    """The least a in 0 .. n - 1 from which on `holds` is true, else n: by steps away from a guess, then bisection."""
    low, high = 0, n
    at = max(0, min(n - 1, guess))
    while low < high:
        if holds(at):
            high = at
            at = max(low, at - step) if high - low > 2 * step else (low + high) // 2
        else:
            low = at + 1
            at = min(high - 1, at + step) if high - low > 2 * step else (low + high) // 2
        step = step if high - low <= 2 * step else 2 * step
    return low


Binomial = tuple[NDArray[np.float64], int]
"""Probabilities of consecutive integers, and the first of them."""


def _tail(c: int, first: Binomial, second: Binomial, upwards: bool) -> float:
    """Pr[the sum of two independent numbers is at least c], or at most c."""
    (weights, start), (others, other_start) = first, second
    # what the second must reach, relative to its start
    rest = c - start - other_start - np.arange(len(weights))
    if upwards:
        reached = np.append(np.cumsum(others[::-1])[::-1], 0.0)  # Pr[at least i]
        return float((weights * reached[np.clip(rest, 0, len(others))]).sum())
    reached = np.append(0.0, np.cumsum(others))  # Pr[less than i]
    return float((weights * reached[np.clip(rest + 1, 0, len(others))]).sum())


def _binomial(n: int, odds: float, reach: float) -> Binomial:
    """The law of Bin(n, p) around its mode, by the ratio of each probability to the one before.

    By Bernstein's inequality less than 2e^-reach lies outside sqrt(2 * variance * reach) + reach + 1. The ratios are
    right to 2^-51; the window holds fewer than 2^24 of them for n <= 2^40 and reach < 620 (level >= 1e-250), so each
    probability is right to 2^-27 < 1e-8.
    """
    p = odds / (1 + odds)
    mode = min(n, int((n + 1) * p))
    wide = math.ceil(math.sqrt(2 * n * p / (1 + odds) * reach) + reach + 1)
    start, stop = max(0, mode - wide), min(n, mode + wide)
    up = np.arange(mode, stop, dtype=np.float64)
    down = np.arange(mode, start, -1, dtype=np.float64)
    above = np.cumprod((n - up) / (up + 1) * odds)  # Pr[k + 1] / Pr[k]
    below = np.cumprod(down / (n - down + 1) / odds)  # Pr[k - 1] / Pr[k]
    weights = np.concatenate([below[::-1], [1.0], above])
    return weights / weights.sum(), start
