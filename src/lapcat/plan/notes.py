"""A sentence beside an answer, with what a screen has to know about it: whether it is severe is never read from its words."""

from __future__ import annotations

from enum import Enum


class Weight(Enum):
    PLAIN = "plain"
    SEVERE = "severe"
    """Somebody may be harmed: it is shown in red, and never left out."""
    COVERAGE = "coverage"
    """What the intervals cover: it stands right below the table."""


class Note(str):
    """A sentence that knows its weight; elsewhere it is the text that it is."""

    weight: Weight

    def __new__(cls, text: str, weight: Weight = Weight.PLAIN) -> Note:
        note = super().__new__(cls, text)
        note.weight = weight
        return note


def weight_of(note: str) -> Weight:
    return note.weight if isinstance(note, Note) else Weight.PLAIN
