"""Programs that tests install for themselves: who may, and what those are told who may not."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests import debian, postgres_cluster
from tests.debian import Missing
from tests.postgres_cluster import binaries


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """A machine without PostgreSQL whose apt-get fails once, then installs it; what was run on it."""
    run: list[list[str]] = []
    programs: list[Path | None] = [None]

    def runs(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        run.append(command)
        if len(run) == 2:
            programs[0] = Path("/usr/lib/postgresql/15/bin")
        return subprocess.CompletedProcess(command, 0 if programs[0] else 100, "", "the mirror is away")

    monkeypatch.setattr(postgres_cluster, "_find", lambda: programs[0])
    monkeypatch.setattr(debian.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(debian.subprocess, "run", runs)
    monkeypatch.setattr(debian.time, "sleep", lambda seconds: None)
    return run


@pytest.mark.parametrize(("user", "ci", "by"), [(0, "", "env"), (1000, "true", "sudo")])
def test_root_and_ci_install_it_and_try_again_where_that_fails(
    machine: list[list[str]], monkeypatch: pytest.MonkeyPatch, user: int, ci: str, by: str
) -> None:
    monkeypatch.setattr(debian.os, "geteuid", lambda: user)
    monkeypatch.setenv("CI", ci)
    assert binaries() == Path("/usr/lib/postgresql/15/bin")
    assert len(machine) == 2 and {command[0] for command in machine} == {by}
    assert "install -y --no-install-recommends postgresql" in machine[0][-1]


def test_anybody_else_is_told_the_one_command(
    machine: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(debian.os, "geteuid", lambda: 1000)
    monkeypatch.setenv("CI", "")
    with pytest.raises(Missing) as caught:
        binaries()
    command = "as root: apt-get update && apt-get install -y --no-install-recommends postgresql"
    assert str(caught.value).endswith(command) and machine == []


def test_whoever_waited_while_another_process_installed_it_installs_nothing(
    machine: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(debian.os, "geteuid", lambda: 0)
    answers = iter([None, Path("/usr/lib/postgresql/15/bin")])
    monkeypatch.setattr(postgres_cluster, "_find", lambda: next(answers))
    assert binaries() == Path("/usr/lib/postgresql/15/bin") and machine == []
