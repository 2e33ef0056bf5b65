"""Do these integers follow that law? Pearson's test over bins that are made from the law alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from lapcat.core.mechanisms.base import Law

BINS = 48  # by quantiles, so that a law of any scale is cut into parts of like weight
NEAR = 8  # integers around the middle that also get bins of their own, where the law is coarse
FEWEST = 100  # expected in a bin: enough for the chi-square law to hold far into its tail


@dataclass(frozen=True)
class Verdict:
    """How well a sample fits: small p is a bad fit."""

    statistic: float
    freedom: int
    p: float


def fit(drawn: NDArray[np.int64], law: Law) -> Verdict:
    """Pearson's test of the draws against the law."""
    edges, weights = binned(law, len(drawn))
    counts = np.bincount(np.searchsorted(edges, drawn, side="left"), minlength=len(weights))
    return pearson(counts, weights * len(drawn))


def pearson(counts: NDArray[np.int64], expected: NDArray[np.float64]) -> Verdict:
    """Pearson's test of counts against what was expected; the expected numbers are fixed beforehand."""
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return Verdict(statistic, len(counts) - 1, float(chdtrc(len(counts) - 1, statistic)))


def pairs(drawn: NDArray[np.int64], law: Law) -> Verdict:
    """Pearson's test of whether each draw and the next are independent, cut at the quartiles of the law."""
    edges = sorted({law.quantile(Fraction(1, 4)), law.quantile(Fraction(3, 4))})
    weights = np.diff([0.0, *(law.cdf(edge) for edge in edges), 1.0])
    first, second = (np.searchsorted(edges, part, side="left") for part in (drawn[0::2], drawn[1::2]))
    counts = np.bincount(first * len(weights) + second, minlength=len(weights) ** 2)
    return pearson(counts, np.outer(weights, weights).ravel() * len(first))


def alike(here: NDArray[np.int64], there: NDArray[np.int64]) -> Verdict:
    """Pearson's test of whether two rows of counts, over the same bins, come from one law."""
    enough = here + there >= 2 * FEWEST
    table = np.array([[*row[enough], row[~enough].sum()] for row in (here, there)], np.float64)
    table = table[:, table.sum(axis=0) >= FEWEST]
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
    statistic = float(((table - expected) ** 2 / expected).sum())
    return Verdict(statistic, table.shape[1] - 1, float(chdtrc(table.shape[1] - 1, statistic)))


def binned(law: Law, n: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """(edges, weights): bin i holds edges[i - 1] < z <= edges[i], each expecting at least FEWEST of n draws."""
    middle = law.quantile(Fraction(1, 2))
    wanted = {law.quantile(Fraction(i, BINS)) for i in range(1, BINS)}
    wanted |= set(range(middle - NEAR, middle + NEAR))
    edges: list[int] = []
    reached = 0.0
    for edge in sorted(wanted):
        if (law.cdf(edge) - reached) * n >= FEWEST and (1 - law.cdf(edge)) * n >= FEWEST:
            edges.append(edge)
            reached = law.cdf(edge)
    below = np.array([0.0, *(law.cdf(edge) for edge in edges), 1.0])
    return np.array(edges, np.int64), np.diff(below)
