"""Notebooks in a real kernel of Jupyter: that of the running Python, without ipywidgets and without anything of the user's."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import nbformat
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from jupyter_core.utils import run_sync
from nbclient import NotebookClient

SECONDS = 180
"""For one cell; far more than any of ours takes."""
LAUNCH = "import sys; sys.modules['ipywidgets'] = None; from ipykernel.kernelapp import launch_new_instance; launch_new_instance()"
"""`None` makes `import ipywidgets` fail, also where another package has brought it."""


class OwnKernel(AsyncKernelManager):
    """Needs no installed kernel specification: these may be missing, or name another Python."""

    @property
    def kernel_spec(self) -> KernelSpec:
        argv = [sys.executable, "-c", LAUNCH, "-f", "{connection_file}"]
        return KernelSpec(argv=argv, display_name="lapcat", language="python")


def notebook_of(cells: Sequence[str]) -> nbformat.NotebookNode:
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])


def executed(
    notebook: nbformat.NotebookNode, folder: Path, *, allow_errors: bool = False
) -> nbformat.NotebookNode:
    """The notebook with its outputs, run from top to bottom in `folder`; raises nbclient's CellExecutionError for the first cell
    that fails, unless errors are allowed."""
    with tempfile.TemporaryDirectory(prefix="lapcat-kernel-") as home:
        # Sockets in a folder of its own rather than ports, which another process could take first.
        kernel = OwnKernel(
            transport="ipc", ip=f"{home}/socket", connection_file=f"{home}/kernel.json", cache_ports=False
        )
        client = NotebookClient(
            notebook,
            km=kernel,
            timeout=SECONDS,
            startup_timeout=SECONDS,
            allow_errors=allow_errors,
            resources={"metadata": {"path": str(folder)}},
        )
        try:
            client.execute(env=_environment(home))
        finally:  # nbclient leaves a kernel that it was given
            run_sync(kernel.shutdown_kernel)(now=True)
        return notebook


def outputs_of(notebook: nbformat.NotebookNode) -> list[list[nbformat.NotebookNode]]:
    """The outputs of each cell of code."""
    return [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]


def text_of(outputs: Sequence[nbformat.NotebookNode]) -> str:
    """What was printed."""
    return "".join(output.text for output in outputs if output.output_type == "stream")


def _environment(home: str) -> dict[str, str]:
    """Ours, without a home and with nothing that Jupyter or IPython keep there."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("JUPYTER", "JPY_", "IPYTHON"))
    }
    folders = {
        name: f"{home}/{name}"
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**kept, **folders, "HOME": f"{home}/nobody", "JUPYTER_PLATFORM_DIRS": "1", "PATH": path}
