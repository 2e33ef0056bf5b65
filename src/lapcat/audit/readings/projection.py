"""The direction that best separates the two sides, fitted on earlier answers (Fisher's linear discriminant)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lapcat.audit.outputs import Outputs
from lapcat.audit.partitions import Reading

MAX_WIDTH = 64


def readings(here: Outputs, there: Outputs) -> list[Reading]:
    width = max(here.width, there.width)
    if not 1 < width <= MAX_WIDTH:
        return []
    first, second = _numbers(here, width), _numbers(there, width)
    with np.errstate(all="ignore"):
        apart = first.mean(axis=0) - second.mean(axis=0)
        spread = (np.cov(first, rowvar=False) + np.cov(second, rowvar=False)) / 2
        spread += np.eye(width) * (1e-9 + 1e-3 * np.trace(spread) / width)
        line = np.linalg.lstsq(spread, apart, rcond=None)[0] if np.isfinite(spread).all() else apart * 0
    size = np.abs(line).max()
    if not np.isfinite(line).all() or size == 0:
        return []
    weights = line / size
    shown = " + ".join(f"{w:.2g}·number {j + 1}" for j, w in enumerate(weights[:4].tolist()))
    noun = shown.replace("+ -", "− ") + (" + …" if width > 4 else "")
    return [Reading(noun, lambda o: _numbers(o, width) @ weights)]


def _numbers(outputs: Outputs, width: int) -> NDArray[np.float64]:
    """The numbers without NaN and infinities, and clipped, so that matrix products are finite."""
    wide = np.full((len(outputs), width), 0.0)
    held = outputs.numbers[:, :width]
    wide[:, : held.shape[1]] = held
    return np.asarray(np.clip(np.nan_to_num(wide, posinf=1e100, neginf=-1e100), -1e100, 1e100))
