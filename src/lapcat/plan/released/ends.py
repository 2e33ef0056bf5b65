"""Estimates as enclosures, and enclosures as the ends of intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lapcat.plan.aggregates import Estimates
from lapcat.plan.released.enclosures import Enclosure, between
from lapcat.plan.released.vectors import INTEGER_END, Vector
from lapcat.plan.schema import Type


def estimates_within(value: Vector, ends: Enclosure, kind: Type, cells: int) -> Estimates:
    """Values with the ends of their enclosures; an end that is not finite is open."""
    dtype: Any = np.int64 if kind is Type.INTEGER else np.float64
    limit = INTEGER_END if kind is Type.INTEGER else np.inf
    sides = []
    for end in (ends.low, ends.high):
        known = ~ends.none & (np.abs(end) < limit)
        sides.append(_column(np.where(known, end, 0.0).astype(dtype), ~known, cells))
    return Estimates(_column(value.data.astype(dtype), value.null, cells), *sides)


def enclosure_of(estimates: Estimates) -> Enclosure:
    """The enclosure of estimates by their intervals."""
    return between(_filled(estimates.low), _filled(estimates.high))


def _filled(ends: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Masked (open) ends as NaN."""
    return np.asarray(np.ma.filled(ends, np.nan)) if np.ma.isMaskedArray(ends) else ends


def _column(data: npt.NDArray[Any], null: npt.NDArray[np.bool_], cells: int) -> npt.NDArray[Any]:
    """One number per cell, constants broadcast; a masked array only if something is NULL."""
    full, mask = np.broadcast_to(data, cells), np.broadcast_to(null, cells)
    return np.ma.masked_array(full, mask) if mask.any() else full
