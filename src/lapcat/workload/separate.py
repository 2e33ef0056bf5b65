"""What it would cost to ask each question by itself: the comparison that every strategy is held against."""

from __future__ import annotations

import math

import numpy as np

from lapcat.core.loss import ZCDP, PureDP
from lapcat.workload.factors import AllRanges, Each, Factor, Floats, PrefixSums, Ranges, Total
from lapcat.workload.workload import AxisWorkload


def separate_rmse(
    questions: AxisWorkload, budget: PureDP | ZCDP, moved: float = 1.0, unit: float = 1.0
) -> float:
    """The error of each answer where every question gets its own noise and the budget is split so that all are paid.

    One row is in at most l1 of the questions, and each is blurred for a row that is in all of these. moved: how many rows
    of the counts one unit moves.
    """
    l1 = most_questions(questions) * moved
    match budget:
        case PureDP(epsilon):
            return unit * math.sqrt(2) * l1 / float(epsilon)
        case ZCDP(rho):
            return unit * math.sqrt(most_questions(questions) / (2 * float(rho))) * moved


def most_questions(questions: AxisWorkload) -> float:
    """How many questions one row is in at most (for several columns: at most so many)."""
    if len(questions.axes) == 1:
        found = np.zeros(questions.shape[0])
        for term in questions.terms:
            counts = _counts(term.factor(0, questions.shape[0]))
            found[: len(counts)] += counts
        return float(found.max())
    return sum(
        math.prod(float(_counts(term.factor(i, n)).max()) for i, n in enumerate(questions.shape))
        for term in questions.terms
    )


def _counts(factor: Factor) -> Floats:
    """For each cell, in how many of the questions it is (of written ones, the sum of their absolute numbers)."""
    place = np.arange(factor.size, dtype=np.float64)
    match factor:
        case AllRanges():
            return np.asarray((place + 1) * (factor.size - place))
        case PrefixSums():
            return factor.size - place
        case Each() | Total():
            return np.ones(factor.size)
        case Ranges():
            starts = np.bincount(factor.lows, minlength=factor.size + 1)
            ends = np.bincount(factor.highs, minlength=factor.size + 1)
            return np.cumsum(starts - ends)[: factor.size].astype(np.float64)
        case _:
            return np.asarray(np.abs(factor.matrix()).sum(axis=0))
