"""Decodes each person's bit from counts of random subsets, by least absolute deviations within 0..1.

Dinur & Nissim 2003 minimise the absolute deviations with a linear program; here by iteratively reweighted least squares, which
needs no solver (decision 0023).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ROUNDS, STEPS = 15, 60
Matrix = NDArray[np.float64]


def decode(subsets: Matrix, counts: Matrix) -> Matrix:
    """A number in 0..1 for each person; above ½ means 1.

    >>> subsets = np.random.default_rng(1).integers(0, 2, (40, 10)).astype(float)
    >>> secret = np.array([0, 1, 1, 0, 1, 0, 0, 1, 1, 1.0])
    >>> np.round(decode(subsets, subsets @ secret)).tolist() == secret.tolist()
    True
    """
    bits = np.full(subsets.shape[1], 0.5)
    weights = np.ones(len(counts))
    for _ in range(ROUNDS):
        weighted = subsets * weights[:, None]
        slope, aim = subsets.T @ weighted, weighted.T @ counts
        step = (
            1 / np.abs(slope).sum(axis=1).max()
        )  # 1 / an upper bound on the eigenvalues, so every step descends
        for _ in range(STEPS * (10 if weights.max() == 1 else 1)):  # the first round needs more steps
            bits = np.clip(bits - step * (slope @ bits - aim), 0, 1)
        off = np.abs(subsets @ bits - counts)
        weights = 1 / np.maximum(off, 0.01 * (1 + np.median(off)))
    return bits
