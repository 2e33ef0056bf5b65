"""Question → plan → SQL → explanation → preview, written down and read like code.

Each folder holds a query.sql and what lapcat makes of it at epsilon 1, or the error that refuses it. `pytest
--update-golden` rewrites the files; the difference is reviewed line by line, because a wrong plan is seen here first.
"""

from __future__ import annotations

from difflib import unified_diff

import pytest

from tests.golden.corpus import CASES, Case

BY_HAND = {"query.sql", "fixed.sql", "fixed.toml"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_question_becomes_what_is_written_down(case: Case, request: pytest.FixtureRequest) -> None:
    found = case.schema.made_of(case.question)
    assert case.is_refusal == ("error.txt" in found), found.get("error.txt") or "it is understood"
    if request.config.getoption("--update-golden"):
        for path in case.folder.iterdir():
            if path.name not in BY_HAND:
                path.unlink()
        for name, text in found.items():
            (case.folder / name).write_text(text, encoding="utf-8")
    kept = {path.name for path in case.folder.iterdir()} - BY_HAND
    assert kept == set(found), "pytest --update-golden writes what is missing"
    for name, text in found.items():
        written = (case.folder / name).read_text(encoding="utf-8")
        changes = list(
            unified_diff(written.splitlines(), text.splitlines(), "written down", "found", lineterm="")
        )
        assert changes == [], (
            f"{case.name}/{name} (pytest --update-golden, then read the difference)\n" + "\n".join(changes)
        )
