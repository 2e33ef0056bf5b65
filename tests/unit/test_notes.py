"""Whether a note is severe is a field of it, not a phrase in its text."""

from __future__ import annotations

import io
from dataclasses import replace

import lapcat
from lapcat.cli.answers import closing_lines
from lapcat.cli.screen import Screen
from lapcat.plan.notes import Note, Weight, weight_of


def test_a_severe_note_is_red_whatever_it_says() -> None:
    db = lapcat.table({"x": [1, 2, 3]}, unit="row", epsilon=9, bounds={"x": (0, 5)})
    answer = db.sql("SELECT COUNT(*) AS n FROM data").run(epsilon=1)
    assert [weight_of(note) for note in answer.notes].count(Weight.COVERAGE) == 1
    notes = (Note("look out", Weight.SEVERE), "which protects nobody")
    screen = Screen(io.StringIO(), 80, terminal=True, colour=False, drawn=True)
    red = [
        span.text
        for line in closing_lines(replace(answer, notes=notes), screen)
        for span in line
        if span.style == "bold red"
    ]
    assert red == [" look out"]
    assert Note("a", Weight.SEVERE) == "a", "it is the text that it is"
