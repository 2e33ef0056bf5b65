"""What can be read off an answer. To add a reading: one file with `readings(here, there)`, and its name in READINGS."""

from __future__ import annotations

from collections.abc import Callable

from lapcat.audit.outputs import Outputs
from lapcat.audit.partitions import Reading
from lapcat.audit.readings import (
    bits,
    coordinates,
    differences,
    extremes,
    lengths,
    likelihood,
    patterns,
    projection,
    texts,
    totals,
)

READINGS: tuple[Callable[[Outputs, Outputs], list[Reading]], ...] = (
    coordinates.readings,
    lengths.readings,
    texts.readings,
    patterns.readings,
    totals.readings,
    extremes.readings,
    differences.readings,
    bits.readings,
    projection.readings,
    likelihood.readings,
)
"""Each is given warm-up answers of both sides, from which it may fit what it reads."""


def all_readings(here: Outputs, there: Outputs) -> list[Reading]:
    """Every reading that these answers have."""
    return [reading for readings in READINGS for reading in readings(here, there)]
