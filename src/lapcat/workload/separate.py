"""The baseline for strategies: each question asked separately."""

from __future__ import annotations

import math

import numpy as np

from lapcat.core.loss import ZCDP, PureDP
from lapcat.workload.factors import AllRanges, Each, Factor, Floats, PrefixSums, Ranges, Total
from lapcat.workload.workload import AxisWorkload


def separate_rmse(
    questions: AxisWorkload, budget: PureDP | ZCDP, moved: float = 1.0, unit: float = 1.0
) -> float:
    """The error of each answer if every question gets its own noise and the budget is split among them.

    One row is in at most l1 questions, and the noise is for a row that is in all of these. moved: the number of rows that
    one unit changes.
    """
    l1 = max_questions_per_row(questions) * moved
    match budget:
        case PureDP(epsilon):
            return unit * math.sqrt(2) * l1 / float(epsilon)
        case ZCDP(rho):
            return unit * math.sqrt(max_questions_per_row(questions) / (2 * float(rho))) * moved


def max_questions_per_row(questions: AxisWorkload) -> float:
    """Maximum number of questions that one row is in (an upper bound for several columns)."""
    if len(questions.axes) == 1:
        totals = np.zeros(questions.shape[0])
        for term in questions.terms:
            counts = _counts(term.factor(0, questions.shape[0]))
            totals[: len(counts)] += counts
        return float(totals.max())
    return sum(
        math.prod(float(_counts(term.factor(i, n)).max()) for i, n in enumerate(questions.shape))
        for term in questions.terms
    )


def _counts(factor: Factor) -> Floats:
    """For each cell, the number of questions that contain it (for explicit ones, the sum of absolute coefficients)."""
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
