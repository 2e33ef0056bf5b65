"""A sentence beside an answer, with a weight that decides how it is displayed."""

from __future__ import annotations

from enum import Enum


class Weight(Enum):
    PLAIN = "plain"
    SEVERE = "severe"
    """Somebody may be harmed: shown in red, never left out."""
    COVERAGE = "coverage"
    """What the intervals cover: shown right below the table."""


class Note(str):
    """A string with a weight."""

    weight: Weight

    def __new__(cls, text: str, weight: Weight = Weight.PLAIN) -> Note:
        note = super().__new__(cls, text)
        note.weight = weight
        return note


def weight_of(note: str) -> Weight:
    return note.weight if isinstance(note, Note) else Weight.PLAIN
