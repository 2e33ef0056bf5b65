"""The length of an answer: the parts of a list, the characters of a text."""

from __future__ import annotations

from lapcat.audit.outputs import Outputs
from lapcat.audit.partitions import Reading


def readings(here: Outputs, there: Outputs) -> list[Reading]:
    return [Reading("the length of the answer", lambda o: o.lengths)]
