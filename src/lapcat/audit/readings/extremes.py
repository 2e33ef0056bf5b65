"""The largest and the smallest number of an answer, and their positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lapcat.audit.outputs import Outputs
from lapcat.audit.partitions import Reading


def readings(here: Outputs, there: Outputs) -> list[Reading]:
    if max(here.width, there.width) == 1:
        return []
    return [
        Reading("the largest number of the answer", lambda o: _filled(o, -np.inf).max(axis=1)),
        Reading("the smallest number of the answer", lambda o: _filled(o, np.inf).min(axis=1)),
        Reading("the position of the largest number", lambda o: _filled(o, -np.inf).argmax(axis=1) + 1.0),
        Reading("the position of the smallest number", lambda o: _filled(o, np.inf).argmin(axis=1) + 1.0),
    ]


def _filled(outputs: Outputs, missing: float) -> NDArray[np.float64]:
    return np.where(np.isnan(outputs.numbers), missing, outputs.numbers)
