"""Adding noise to an int64 without ever wrapping around."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FARTHEST = (1 << 62) - 1  # answers lie in -FARTHEST .. FARTHEST


def saturating_add(exact: NDArray[np.int64], noise: NDArray[np.int64]) -> NDArray[np.int64]:
    """clamp(clamp(exact) + Z), both to ±(2^62 - 1), for noise Z that is clipped to ±(2^63 - 1).

    Theorem: clamping before the noise is 1-Lipschitz in each coordinate, so no sensitivity grows; clamping after it is
             post-processing of exact + Z, and costs nothing.
    Proof that the saturated noise changes nothing: |exact| <= 2^62 - 1 after the first clamp, so noise of 2^63 - 1 or
             more takes the sum to 2^62 or more, and the second clamp gives the same end in either case.

    >>> saturating_add(np.array([5, FARTHEST, -FARTHEST]), np.array([-7, 1, -(2**63 - 1)])).tolist()
    [-2, 4611686018427387903, -4611686018427387903]
    """
    inside = np.clip(exact, -FARTHEST, FARTHEST)
    # The noise is clamped so that the sum stays within the ends and cannot overflow.
    return inside + np.clip(noise, -FARTHEST - inside, FARTHEST - inside)
