"""The numbers of every golden question are those that were written down."""

from __future__ import annotations

import json

import pytest

from tests.golden.corpus import UNDERSTOOD, Case
from tests.oracle.oracle import FOLDER, SCHEMAS, numbers_of, plain

WRITTEN = {name: json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")) for name in SCHEMAS}


@pytest.mark.parametrize("case", UNDERSTOOD, ids=lambda case: case.name)
def test_the_numbers_of_a_question_are_those_that_were_written_down(case: Case) -> None:
    numbers = json.loads(json.dumps(plain(numbers_of(case)), default=str))
    assert numbers == WRITTEN[case.folder.parent.name][case.folder.name]


def test_every_golden_question_has_its_numbers() -> None:
    """A new question is written down by `python -m tests.oracle.oracle`; what was written before stays as it is."""
    for name in SCHEMAS:
        assert set(WRITTEN[name]) == {c.folder.name for c in UNDERSTOOD if c.folder.parent.name == name}
