"""Each planted bug turns its named test red, and the same tests are green without it."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lapcat.testing.mutant_table import table
from lapcat.testing.mutants import MUTANTS, Mutant

pytestmark = pytest.mark.timeout(3600)  # the first of them waits for all

ROOT = Path(__file__).parents[2]
EXPECTED = ("assert ", "DID NOT RAISE")
"""How pytest words that an expectation of the test was not met; a test that breaks down has caught nothing."""
RED, GREEN = 1, 0
"""pytest's exit codes for failed and for passed tests; anything else is trouble of another kind."""


def run(tests: list[str], mutant: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--tb=line", *tests]
    environment = {**os.environ, "LAPCAT_MUTANT": mutant, "CI": ""}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=1500)


@pytest.fixture(scope="module")
def outcomes(request: pytest.FixtureRequest) -> dict[str, subprocess.CompletedProcess[str]]:
    """All that were chosen (`-k name`), two at a time; the empty name is the run without a bug."""
    items = [item for item in request.session.items if isinstance(item, pytest.Function)]
    given = [item.callspec.params.get("mutant") for item in items if hasattr(item, "callspec")]
    chosen = [mutant for mutant in given if isinstance(mutant, Mutant)]
    tasks = {"": sorted({mutant.caught_by for mutant in chosen or MUTANTS})}
    tasks |= {mutant.name: [mutant.caught_by] for mutant in chosen}
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(tasks, pool.map(run, tasks.values(), tasks), strict=True))


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_planted_bug_is_caught(
    mutant: Mutant, outcomes: dict[str, subprocess.CompletedProcess[str]]
) -> None:
    done = outcomes[mutant.name]
    assert done.returncode == RED, (
        f"{mutant.what}: not caught by {mutant.caught_by}\n{done.stdout}{done.stderr}"
    )
    assert "1 failed" in done.stdout and any(words in done.stdout for words in EXPECTED), (
        f"it fails, but on nothing that the test expects:\n{done.stdout}"
    )


def test_without_a_bug_the_same_tests_pass(outcomes: dict[str, subprocess.CompletedProcess[str]]) -> None:
    done = outcomes[""]
    assert done.returncode == GREEN, done.stdout + done.stderr


def test_names_are_told_apart() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)


def test_the_table_names_every_planted_bug_and_its_test() -> None:
    lines = table().splitlines()[1:]
    assert [line.split()[0] for line in lines] == [mutant.name for mutant in MUTANTS]
    assert all(line.endswith(mutant.caught_by) for line, mutant in zip(lines, MUTANTS, strict=True))
