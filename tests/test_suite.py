"""The suite itself: it ends everywhere, also as a background job, where a shell ignores SIGINT for what it starts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
IN_THE_BACKGROUND = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh"]
PRESSES_CTRL_C = (
    "tests/e2e/test_interrupt.py::test_ctrl_c_keeps_the_debit_and_the_same_question_finishes_under_it[--json]"
)
SLEEPY = """
import time

def test_that_never_ends():
    time.sleep(3600)
"""


def pytest_run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*IN_THE_BACKGROUND, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)


@pytest.mark.patient
def test_a_test_that_presses_ctrl_c_passes_where_sigint_is_ignored() -> None:
    done = pytest_run(PRESSES_CTRL_C)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("processes", ["0", "1"])
def test_a_test_that_never_ends_is_ended(tmp_path: Path, processes: str) -> None:
    (tmp_path / "test_sleepy.py").write_text(SLEEPY, encoding="utf-8")
    done = pytest_run("-o", "timeout=1", "-n", processes, "--rootdir", str(tmp_path), str(tmp_path))
    assert done.returncode == 1 and "Timeout" in done.stdout, done.stdout + done.stderr


def test_every_test_has_a_timeout(request: pytest.FixtureRequest) -> None:
    assert 0 < float(request.config.getini("timeout")) <= 900
