"""Unbiased estimates of the share of each value, from its support, with an interval that holds for every n.

Theorem: if a holder of a value supports it with probability p and everybody else with q, independently of each other, then
         of n reports c = Bin(a, p) + Bin(n - a, q) support a value that a people hold. So (c/n - q) / (p - q) is unbiased
         for a/n; the variance given the data is (a p(1-p) + (n-a) q(1-q)) / (n (p-q))^2, and for a value that nobody holds
         q(1-q) / (n (p-q)^2). Randomised response, unary encoding and linear hashing are all of this kind.
Source:  Wang, Blocki, Li & Jha 2017 ("pure" protocols).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lapcat.core.mechanisms.checked import checked_whole
from lapcat.local.base import Counts, Finite, Integers
from lapcat.mechanisms.binomial import LARGEST_NUMBER, true_count_bounds
from lapcat.mechanisms.integers.finite import checked_confidence
from lapcat.mechanisms.integers.response import ShareEstimate

PER_SPREAD = 20  # with many values, intervals are computed at this many counts per standard deviation
FEW = 64  # up to this many values, each count gets an interval of its own


class Supports(Finite, Protocol):
    """A randomiser whose reports support values."""

    @property
    def values(self) -> int: ...

    @property
    def holds(self) -> Fraction: ...

    @property
    def others(self) -> Fraction: ...

    @property
    def report_bits(self) -> int: ...

    def support(self, counts: list[Counts], n: int) -> Integers: ...


@dataclass(frozen=True, slots=True)
class Shares:
    """The estimated share of each value, in the order of the domain."""

    n: int
    estimates: tuple[ShareEstimate, ...]

    @property
    def projected(self) -> tuple[float, ...]:
        """The nearest shares that are not negative and add up to 1: post-processing, which costs nothing.

        It raises small shares and lowers large ones, so these are not unbiased, and the intervals, which belong to the
        estimates, do not cover them.
        """
        return project([estimate.value for estimate in self.estimates])


def rare_variance(holds: Fraction, others: Fraction) -> Fraction:
    """The variance per report of the share of a value that nobody holds.

    >>> float(rare_variance(Fraction(3, 4), Fraction(1, 4)))
    0.75
    """
    return others * (1 - others) / (holds - others) ** 2


def estimate_shares(
    randomiser: Supports, counts: Sequence[Counts], n: int, confidence: Fraction = Fraction(95, 100)
) -> Shares:
    """Estimates and intervals from the counts of n reports.

    The intervals invert the law of the sum itself (mechanisms/binomial.py). They are about those who reported, not about
    a population they were sampled from, and hold for one value at a time.
    """
    checked_confidence(confidence)
    checked_whole("reports-number", "the number of reports", n, 1, LARGEST_NUMBER, "at least one report")
    p, q = randomiser.holds, randomiser.others
    support = randomiser.support(list(counts), n)
    bounds = _Bounds(p, q, n, float((1 - confidence) / 2), len(support))
    return Shares(n, tuple(_share(int(c), n, p, q, bounds, confidence) for c in support))


def _share(c: int, n: int, p: Fraction, q: Fraction, bounds: _Bounds, confidence: Fraction) -> ShareEstimate:
    value = (Fraction(c, n) - q) / (p - q)
    variance = (value * p * (1 - p) + (1 - value) * q * (1 - q)) / (n * (p - q) ** 2)
    low, high = bounds.of(c)
    return ShareEstimate(float(value), low / n, high / n, float(max(variance, Fraction(0))), confidence)


class _Bounds:
    """Intervals by count. Both ends are nondecreasing in the count. So with many values, a count between two grid points takes
    the lower end of the point below and the upper end of the point above: wider, never too narrow."""

    def __init__(self, p: Fraction, q: Fraction, n: int, level: float, values: int) -> None:
        self._odds, self._lie_odds = float(p / (1 - p)), float(q / (1 - q))
        self._n, self._level = n, level
        spread = math.sqrt(n * float(q * (1 - q)))
        self._step = 1 if values <= FEW else max(1, int(spread / PER_SPREAD))
        self._known: dict[int, tuple[int, int]] = {}

    def of(self, c: int) -> tuple[int, int]:
        below = c - c % self._step
        above = min(self._n, below if below == c else below + self._step)
        return self._at(below)[0], self._at(above)[1]

    def _at(self, c: int) -> tuple[int, int]:
        if c not in self._known:
            self._known[c] = true_count_bounds(c, self._n, self._odds, self._lie_odds, self._level)
        return self._known[c]


def project(shares: Sequence[float]) -> tuple[float, ...]:
    """The point of the simplex nearest to these numbers.

    Theorem: it is max(0, share - t) for the unique t that makes the sum 1 (the conditions of Karush, Kuhn and Tucker).

    >>> project([0.8, 0.4, -0.1])
    (0.7, 0.3, 0.0)
    """
    given: NDArray[np.float64] = np.asarray(shares, np.float64)
    falling = np.sort(given)[::-1]
    excess = (np.cumsum(falling) - 1) / np.arange(1, len(falling) + 1)
    kept = int(np.flatnonzero(falling > excess)[-1])
    return tuple(np.maximum(given - excess[kept], 0).round(15).tolist())
