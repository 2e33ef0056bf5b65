"""The vectors that the survey's script is held to are those that the randomisers make today."""

from __future__ import annotations

import json
from pathlib import Path

from tests.local.make_vectors import vectors

FILE = Path(__file__).with_name("vectors.json")


def test_the_same_words_make_the_same_reports_as_when_the_vectors_were_written() -> None:
    """A report's meaning under one format number never changes: a difference here is a new format, not a new file."""
    assert json.loads(FILE.read_text(encoding="utf-8")) == list(vectors())
