"""The lowest set bit of a float: sums of floats keep the grid of the larger term (Mironov 2012).

A float is m * 2^v with m odd; v is the fineness of the grid the number lies on. It is read alone, and restricted to small
numbers, since the grid of floats is coarser away from zero (Haney et al. 2022).
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from lapcat.audit.outputs import Outputs
from lapcat.audit.partitions import CELLS, Reading

NONE = 2000.0
"""Stands for zero and infinity, which have no lowest bit: above that of every other float."""
PARTS = 8


def readings(here: Outputs, there: Outputs) -> list[Reading]:
    features = []
    width = max(here.width, there.width)
    for j in range(min(width, PARTS)):
        seen = np.concatenate([here.column(j), there.column(j)])
        seen = seen[np.isfinite(seen)]
        if len(np.unique(seen)) <= CELLS:
            continue  # each number has a cell of its own, which is as informative
        noun = "the answer" if width == 1 else f"number {j + 1} of the answer"
        features.append(Reading(f"the lowest set bit of {noun}", partial(_last_bit_of, j=j)))
        for size in np.quantile(np.abs(seen), (0.25, 0.5)):
            features.append(
                Reading(
                    f"the lowest set bit of {noun}, if that is within ±{size:.3g},",
                    partial(_small_of, j=j, size=float(size)),
                )
            )
    return features


def last_bit(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """v of m * 2^v, m odd.

    >>> last_bit(np.array([1.0, 0.75, 96.0, 0.0])).tolist()
    [0.0, -2.0, 5.0, 2000.0]
    """
    finite = np.isfinite(x) & (x != 0)
    fraction, exponent = np.frexp(np.where(finite, x, 1.0))
    whole = np.abs(fraction * 2.0**53).astype(np.int64)
    lowest = (whole & -whole).astype(np.float64)
    places = exponent - 53 + np.log2(lowest)
    return np.where(finite, places, np.where(np.isnan(x), np.nan, NONE))


def _small(x: NDArray[np.float64], size: float) -> NDArray[np.float64]:
    return np.where(np.abs(x) <= size, last_bit(x), np.nan)


def _last_bit_of(outputs: Outputs, j: int) -> NDArray[np.float64]:
    return last_bit(outputs.column(j))


def _small_of(outputs: Outputs, j: int, size: float) -> NDArray[np.float64]:
    return _small(outputs.column(j), size)
