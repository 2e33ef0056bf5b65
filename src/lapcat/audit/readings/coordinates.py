"""Each number of an answer."""

from __future__ import annotations

from functools import partial

import numpy as np

from lapcat.audit.outputs import Outputs
from lapcat.audit.partitions import Reading


def readings(here: Outputs, there: Outputs) -> list[Reading]:
    """One reading for each part that is a number in some answer."""
    width = max(here.width, there.width)
    return [
        Reading("the answer" if width == 1 else f"number {j + 1} of the answer", partial(Outputs.column, j=j))
        for j in range(width)
        if not (np.isnan(here.column(j)).all() and np.isnan(there.column(j)).all())
    ]
