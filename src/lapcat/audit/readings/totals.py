"""The sum of an answer's numbers."""

from __future__ import annotations

import numpy as np

from lapcat.audit.outputs import Outputs
from lapcat.audit.partitions import Reading


def readings(here: Outputs, there: Outputs) -> list[Reading]:
    if max(here.width, there.width) == 1:
        return []
    return [Reading("the sum of the answer's numbers", lambda o: np.nansum(o.numbers, axis=1))]
