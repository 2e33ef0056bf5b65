"""Features of an answer that an audit tests. To add one: a module with `readings(here, there)`, and its name in READINGS."""

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
"""Each is given earlier answers of both sides, on which it may fit its features."""


def all_readings(here: Outputs, there: Outputs) -> list[Reading]:
    """All readings of these answers."""
    return [reading for readings in READINGS for reading in readings(here, there)]
