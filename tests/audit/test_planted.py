"""The audit of a deployment finds planted bugs: all of those that it can see by nature, each by a named part of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lapcat.audit.deployment.checks import PARTS
from lapcat.testing.mutants import MUTANTS
from lapcat.testing.mutants.audited import AUDITED

SCHEMA = Path(__file__).parent / "schema.toml"
QUICK = (
    "half-scale",
    "maximum-for-groups",
    "noise-before-measuring",
    "refund",
    "stream-shared-after-fork",
    "two-blocks-unseen",
    "undeclared-blocks-read",
)
"""One or two for each part that is quick to find; `make mutants` and the slow tests look for all."""


@pytest.fixture(scope="module")
def said(request: pytest.FixtureRequest) -> dict[str, tuple[str, str]]:
    """For each chosen bug (`-k name`) the kind of check that found it, and what it said."""
    items = [item for item in request.session.items if isinstance(item, pytest.Function)]
    given = [item.callspec.params.get("planted") for item in items if hasattr(item, "callspec")]
    names = [name for name in given if isinstance(name, str)]
    command = [sys.executable, "-m", "lapcat.testing.planted", str(SCHEMA), *names]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=3000)
    lines = [line.split("\t", 2) for line in done.stdout.splitlines()]
    return {name: (kind, problem) for name, kind, problem in lines}


@pytest.mark.parametrize(
    "planted", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in AUDITED]
)
def test_the_audit_finds_a_planted_bug_and_names_it(planted: str, said: dict[str, tuple[str, str]]) -> None:
    kind, problem = said[planted]
    part = AUDITED[planted][1]
    assert kind in (part, "price", "engine"), f"{planted} was not found by {part}: {problem}"
    assert problem


def test_only_bugs_that_exist_are_looked_for_and_by_parts_that_exist() -> None:
    assert set(AUDITED) <= {mutant.name for mutant in MUTANTS}
    assert {part for _, part in AUDITED.values()} <= set(PARTS)
