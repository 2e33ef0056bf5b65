"""Ranks smoothed by averaging neighbouring rows, so that a choice by rank does not favour wide gaps between rows.

With x(1) ≤ x(2) ≤ … the rows' places in order, let y(k) be the average of x(k − r) … x(k + r); indices before
the first row count as the first place, and after the last row as the last one. The smoothed number of rows below place i is
#{k : y(k) < i − 1/2}: a row lies in the middle of its place.

Theorem: adding rows of weight w raises each smoothed number by 0 to w, as it does the plain number.
Proof:   x(k − w) ≤ x'(k) ≤ x(k) for the places x' with the added rows, and averages keep the order: y(k − w) ≤ y'(k) ≤ y(k).
         docs/proofs/ranks.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

WIDEST = 2**38
"""Largest reach: a sum of places (fewer than 2^22) over it fits into 64 bits."""


def smoothed(below: NDArray[Any], reach: int) -> NDArray[Any]:
    """Cumulative counts (`below[i]` steps lie below place i, `below[-1]` in total), smoothed over `reach` steps on each side.

    >>> smoothed(np.array([0, 1, 1, 1, 1, 1, 3, 3, 4]), 1).tolist()
    [0, 0, 0, 1, 2, 2, 2, 4, 4]
    """
    if not reach:
        return below
    places, total, width = len(below) - 1, below[-1], 2 * reach + 1
    # The sum of a window is a line in k between the steps at which the place of its first or of its last row changes.
    turns = below[np.flatnonzero(np.diff(below, prepend=-1))]
    knots = np.concatenate([turns[:1], turns - reach, turns + reach + 1, turns[-1:]])
    steps = np.unique(np.clip(knots, 0, total))
    sums = _sum_of_first(steps + reach, below) - _sum_of_first(steps - reach - 1, below)
    rise = np.maximum(np.diff(sums) // np.diff(steps), 1)
    # y(k) < i − 1/2 exactly if 2 · sum < width · (2i − 1): from this edge on
    first = np.clip((2 * sums + width) // (2 * width) + 1, 1, places).astype(np.int64)
    times = np.diff(first, append=places)
    passed = width * (2 * np.arange(first[0], places) - 1) - np.repeat(2 * sums + 1, times)
    more = passed // np.repeat(2 * np.append(rise, 1), times)
    more[len(more) - times[-1] :] = 0
    none = np.repeat(below[:1], first[0])
    return np.concatenate([none, np.repeat(steps, times) + more, below[-1:]])


def _sum_of_first(t: NDArray[Any], below: NDArray[Any]) -> NDArray[Any]:
    """Sum of the places of the first t steps. Sums may exceed 64 bits and wrap around; a difference that fits into 64 bits
    is correct."""
    place = np.clip(np.searchsorted(below, t) - 1, 0, len(below) - 2)
    sums = np.concatenate([below[:1], np.cumsum(np.diff(below) * np.arange(len(below) - 1))])
    total: NDArray[Any] = sums[place] + (t - below[place]) * place
    return total
