"""From counts of random subsets back to the bits of each person, by least absolute deviations within 0..1.

Dinur & Nissim 2003 decode with a linear program. Least absolute deviations are what theirs minimises; here by least squares
that are weighted anew a few times, which needs no solver (decision 0023).
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
    found = np.full(subsets.shape[1], 0.5)
    weights = np.ones(len(counts))
    for _ in range(ROUNDS):
        weighted = subsets * weights[:, None]
        slope, aim = subsets.T @ weighted, weighted.T @ counts
        step = 1 / np.abs(slope).sum(axis=1).max()  # no eigenvalue is larger, so that every step goes down
        for _ in range(STEPS * (10 if weights.max() == 1 else 1)):  # the first round is the one that goes far
            found = np.clip(found - step * (slope @ found - aim), 0, 1)
        off = np.abs(subsets @ found - counts)
        weights = 1 / np.maximum(off, 0.01 * (1 + np.median(off)))
    return found
