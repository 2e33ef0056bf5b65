"""The texts of an answer, and the first number written in each."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
from numpy.typing import NDArray

from lapcat.audit.outputs import Outputs
from lapcat.audit.partitions import Reading

NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def readings(here: Outputs, there: Outputs) -> list[Reading]:
    """Two readings for each part."""
    if here.words is None and there.words is None:
        return []
    width = max(here.width, there.width)
    features = []
    for j in range(width):
        noun = "the answer" if width == 1 else f"part {j + 1} of the answer"
        features.append(Reading(noun, partial(Outputs.spelled, j=j)))
        features.append(Reading(f"the first number written in {noun}", partial(_written, j=j)))
    return features


def _written(outputs: Outputs, j: int) -> NDArray[np.float64]:
    matches = (NUMBER.search(text) for text in outputs.spelled(j))
    return np.array([float(match[0]) if match else np.nan for match in matches])
