"""Which numbers of an answer are equal, and how far apart two of them are: noise that is used twice cancels."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from lapcat.audit.outputs import Outputs
from lapcat.audit.partitions import Reading

MOST = 8
"""Numbers of which all pairs are read; of more, each and the next."""


def readings(here: Outputs, there: Outputs) -> list[Reading]:
    width = max(here.width, there.width)
    if width == 1:
        return []
    pairs = (
        combinations(range(width), 2)
        if width <= MOST
        else zip(range(width - 1), range(1, width), strict=True)
    )
    return [
        Reading("how many numbers of the answer differ", _distinct),
        *(Reading(f"number {i + 1} less number {j + 1}", partial(_less, i=i, j=j)) for i, j in pairs),
    ]


def _distinct(outputs: Outputs) -> NDArray[np.float64]:
    ordered = np.sort(outputs.numbers, axis=1)
    return np.asarray((np.diff(ordered, axis=1) > 0).sum(axis=1) + 1.0)


def _less(outputs: Outputs, i: int, j: int) -> NDArray[np.float64]:
    return outputs.column(i) - outputs.column(j)
