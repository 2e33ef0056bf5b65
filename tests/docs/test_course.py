"""The notebooks of the docs run from top to bottom in a kernel without ipywidgets, and are kept without outputs."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from pages import ROOT, blocks_of
from tests import kernel
from tests.kernel import executed, notebook_of, outputs_of, text_of

NOTEBOOKS = sorted((ROOT / "docs").rglob("*.ipynb"))
PAGE = ROOT / "docs" / "howto" / "notebook.md"
FAILED = "assert not globals().get('_exit_code'), 'a command failed'"
"""A command must end well too: IPython keeps how the last one ended, and goes on."""


def checked(cells: list[str]) -> list[str]:
    """The cells, each followed by a look at how its commands ended."""
    return [line for cell in cells for line in (cell, FAILED)]


def run(cells: list[str], folder: Path) -> str:
    """Everything that was printed; the first cell that fails is raised."""
    shown = executed(notebook_of(checked(cells)), folder)
    return "".join(map(text_of, outputs_of(shown)))


def test_the_course_has_three() -> None:
    assert [path.parent.name for path in NOTEBOOKS] == ["course"] * 3


@pytest.mark.patient
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_runs_from_top_to_bottom_without_ipywidgets(notebook: Path, tmp_path: Path) -> None:
    cells = [cell.source for cell in nbformat.read(notebook, 4).cells if cell.cell_type == "code"]
    printed = run(
        ["import importlib.util; assert importlib.util.find_spec('ipywidgets') is None", *cells], tmp_path
    )
    assert "Error" not in printed and "Refused" not in printed


@pytest.mark.patient
def test_the_page_on_notebooks_runs_in_a_notebook(tmp_path: Path) -> None:
    cells = [
        cell
        for block in blocks_of(PAGE)
        for cell in block.text.split("\n\n%%")
        if block.kind in ("python", "text")
    ]
    cells = ["%%" + cell if cell.startswith("lapcat") else cell for cell in cells]
    assert any(cell.startswith("%%lapcat") for cell in cells)
    printed = run(cells, tmp_path)
    assert "Error" not in printed and "fix:" not in printed


@pytest.mark.patient
def test_a_cell_that_fails_or_never_ends_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        run(["one = 1", "one / 0"], tmp_path)
    with pytest.raises(CellExecutionError, match="a command failed"):
        run(["!false"], tmp_path)
    monkeypatch.setattr(kernel, "SECONDS", 5)
    with pytest.raises(CellTimeoutError):
        run(["import time; time.sleep(60)"], tmp_path)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_kept_without_outputs(notebook: Path) -> None:
    for cell in nbformat.read(notebook, 4).cells:
        assert cell.cell_type == "markdown" or (cell.outputs, cell.execution_count) == ([], None)
