"""An answer as a whole, where answers repeat: which sequence of outcomes it is."""

from __future__ import annotations

from lapcat.audit.outputs import Outputs
from lapcat.audit.partitions import MOST_LABELS, Reading

LOOKED_AT = 2000


def readings(here: Outputs, there: Outputs) -> list[Reading]:
    """None for one part, which is read as it is, and none where hardly an answer comes twice."""
    if max(here.width, there.width) == 1:
        return []
    first = [*here.patterns()[:LOOKED_AT], *there.patterns()[:LOOKED_AT]]
    if len(set(first)) > max(MOST_LABELS, len(first) // 4):
        return []
    return [Reading("the answer", lambda o: o.patterns())]
