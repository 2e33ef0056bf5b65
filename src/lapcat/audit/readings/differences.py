"""The number of distinct numbers in an answer, and the differences of pairs: reused noise cancels."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from lapcat.audit.outputs import Outputs
from lapcat.audit.partitions import Reading

MAX_WIDTH = 8
"""Up to this many numbers all pairs are read, beyond it only adjacent ones."""


def readings(here: Outputs, there: Outputs) -> list[Reading]:
    width = max(here.width, there.width)
    if width == 1:
        return []
    pairs = (
        combinations(range(width), 2)
        if width <= MAX_WIDTH
        else zip(range(width - 1), range(1, width), strict=True)
    )
    return [
        Reading("the number of distinct numbers in the answer", _distinct),
        *(Reading(f"number {i + 1} − number {j + 1}", partial(_less, i=i, j=j)) for i, j in pairs),
    ]


def _distinct(outputs: Outputs) -> NDArray[np.float64]:
    ordered = np.sort(outputs.numbers, axis=1)
    return np.asarray((np.diff(ordered, axis=1) > 0).sum(axis=1) + 1.0)


def _less(outputs: Outputs, i: int, j: int) -> NDArray[np.float64]:
    return outputs.column(i) - outputs.column(j)
