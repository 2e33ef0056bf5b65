"""Question → plan → SQL → explanation → preview, written down and read like code.

Each folder holds a query.sql and what lapcat makes of it at epsilon 1, or the error that refuses it. `pytest
--update-golden` rewrites the files; the difference is reviewed line by line, because a wrong plan is seen here first.
"""

from __future__ import annotations

import os
import subprocess
import sys
from difflib import unified_diff

import pytest

from tests.golden.corpus import CASES, UNDERSTOOD, Case
from tests.support import KERNELS

BY_HAND = {"query.sql", "fixed.sql", "fixed.toml"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_question_becomes_what_is_written_down(case: Case, request: pytest.FixtureRequest) -> None:
    files = case.schema.made_of(case.question)
    assert case.is_refusal == ("error.txt" in files), files.get("error.txt") or "it is understood"
    if request.config.getoption("--update-golden"):
        for path in case.folder.iterdir():
            if path.name not in BY_HAND:
                path.unlink()
        for name, text in files.items():
            (case.folder / name).write_text(text, encoding="utf-8")
    kept = {path.name for path in case.folder.iterdir()} - BY_HAND
    assert kept == set(files), "pytest --update-golden writes what is missing"
    for name, text in files.items():
        written = (case.folder / name).read_text(encoding="utf-8")
        changes = list(
            unified_diff(written.splitlines(), text.splitlines(), "written down", "found", lineterm="")
        )
        assert changes == [], (
            f"{case.name}/{name} (pytest --update-golden, then read the difference)\n" + "\n".join(changes)
        )


@pytest.mark.patient
@pytest.mark.parametrize("kernel", KERNELS)
def test_questions_that_a_strategy_answers_are_the_same_on_every_processor(kernel: str) -> None:
    """Expected errors decide between strategies, and linear algebra adds up in the processor's own order."""
    test = f"{__file__}::{test_a_question_becomes_what_is_written_down.__name__}"
    chosen = [f"{test}[{case.name}]" for case in UNDERSTOOD if "of strategy" in case.read("explain.txt")]
    assert len(chosen) >= 15
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen],
        env={**os.environ, "OPENBLAS_CORETYPE": kernel},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
