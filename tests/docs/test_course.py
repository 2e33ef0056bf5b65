"""The notebooks of the course run from top to bottom, without a kernel, and are kept without outputs."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from pages import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "course").glob("*.ipynb"))


def cells_of(notebook: Path) -> list[str]:
    """The code, cell by cell."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def run(cells: list[str]) -> None:
    """In one fresh shell, as a reader runs them; the first cell that fails is raised. A command must end well too."""
    shell = InteractiveShell()
    try:
        for cell in cells:
            shell.run_cell(cell, store_history=False).raise_error()
            assert shell.user_ns.pop("_exit_code", 0) == 0, cell
    finally:
        InteractiveShell.clear_instance()


def test_there_are_three() -> None:
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_runs_from_top_to_bottom(
    notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    run(cells_of(notebook))
    assert "Error" not in capfd.readouterr().err


def test_a_cell_that_fails_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    with pytest.raises(ZeroDivisionError):
        run(["one = 1", "one / 0"])
    with pytest.raises(AssertionError):
        run(["!false"])


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_kept_without_outputs(notebook: Path) -> None:
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        assert cell["cell_type"] == "markdown" or (cell["outputs"], cell["execution_count"]) == ([], None)
