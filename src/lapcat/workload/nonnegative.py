"""Projection onto non-negative counts with the same total: free post-processing."""

from __future__ import annotations

import numpy as np

from lapcat.workload.factors import Floats


def nonnegative(cells: Floats) -> Floats:
    """The nearest non-negative counts with the same total (or 0 if the total is negative).

    Theorem: they are max(x − t, 0) for the one t that gives the total. Projections onto convex sets that hold the truth bring
             an estimate nearer to it in the mean of squares over all cells; single answers may become worse.

    >>> nonnegative(np.array([5.0, -2.0, 1.0])).tolist()
    [4.0, 0.0, 0.0]
    """
    total = float(cells.sum())
    if total <= 0:
        return np.zeros_like(cells)
    down = np.sort(cells)[::-1]
    excess = (np.cumsum(down) - total) / np.arange(1, len(cells) + 1)
    last = int(np.flatnonzero(down > excess)[-1])
    return np.asarray(np.maximum(cells - excess[last], 0.0))
