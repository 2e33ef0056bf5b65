"""Gram matrices and variances of questions about one column, expressed by its prefix sums."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lapcat.workload.factors import AllRanges, Each, Factor, Floats, PrefixSums, Ranges, Total

Places = npt.NDArray[np.int64]


def gram_of(factor: Factor) -> Floats:
    """W'W: for each pair of cells, the number of questions that contain both (for explicit ones, the sum of products).

    >>> gram_of(PrefixSums(3)).astype(int).tolist()
    [[3, 2, 1], [2, 2, 1], [1, 1, 1]]
    """
    n = factor.size
    place = np.arange(n, dtype=np.float64)
    match factor:
        case AllRanges():
            return np.asarray((np.minimum.outer(place, place) + 1) * (n - np.maximum.outer(place, place)))
        case PrefixSums():
            return np.asarray(n - np.maximum.outer(place, place))
        case Each():
            return np.eye(n)
        case Total():
            return np.ones((n, n))
        case Ranges():
            held = np.bincount(factor.lows * (n + 1) + factor.highs, minlength=n * (n + 1)).astype(np.float64)
            # begun by cell i, and not ended by cell j
            begun = np.cumsum(held.reshape(n, n + 1), axis=0)
            upper = np.triu(np.cumsum(begun[:, :0:-1], axis=1)[:, ::-1])
            return np.asarray(upper + np.triu(upper, 1).T)
        case _:
            rows = factor.matrix()
            return np.asarray(rows.T @ rows)


def variances_by(factor: Factor, totals: Floats) -> Floats:
    """The variance of each answer, given the covariance of the prefix sums of the first 0, 1, 2, … cells."""
    ends = _ends(factor)
    if ends is None:
        rows = factor.matrix()
        cells = np.diff(np.diff(totals, axis=0), axis=1)[: factor.size, : factor.size]
        return np.asarray(((rows @ cells) * rows).sum(axis=1))
    lows, highs = ends
    own = np.diag(totals)
    return np.asarray(own[highs] + own[lows] - 2 * totals[lows, highs])


def total_variance_by(factor: Factor, totals: Floats) -> float:
    """The sum of `variances_by`; every range is the difference of two of n + 1 prefix sums."""
    if isinstance(factor, AllRanges):
        some = totals[: factor.size + 1, : factor.size + 1]
        return float((factor.size + 1) * np.trace(some) - some.sum())
    return float(variances_by(factor, totals).sum())


def _ends(factor: Factor) -> tuple[Places, Places] | None:
    """The start and end of each question; None if they are not ranges."""
    match factor:
        case AllRanges():
            lows, lasts = np.triu_indices(factor.size)
            return lows.astype(np.int64), lasts.astype(np.int64) + 1
        case PrefixSums():
            return np.zeros(factor.size, np.int64), np.arange(1, factor.size + 1)
        case Each():
            return np.arange(factor.size), np.arange(1, factor.size + 1)
        case Total():
            return np.array([0]), np.array([factor.size])
        case Ranges():
            return factor.lows, factor.highs
        case _:
            return None
