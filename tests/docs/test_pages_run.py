"""Every block of README and docs runs: python in one namespace per page, `$ lapcat …` in the page's own folder."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from pages import PAGES, ROOT, Block, blocks_of

KINDS = {"python", "console", "sh", "toml", "csv", "text"}
LAPCAT = Path(sys.executable).parent / "lapcat"


def ids(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_every_block_says_what_it_is(page: Path) -> None:
    for block in blocks_of(page):
        assert block.kind in KINDS, f"{block.place}: ```{block.kind}; an illustration is marked text"


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if {"python", "console", "sh"} & {b.kind for b in blocks_of(page)}],
    ids=ids,
)
def test_every_block_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("LAPCAT_CATALOGUE", "LAPCAT_ANALYST"):
        monkeypatch.delenv(name, raising=False)
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks_of(page):
        match block.kind:
            case "python":
                run_python(block, names)
            case "console" | "sh":
                for command in commands_of(block):
                    run_command(block, command, tmp_path)
            case "toml" | "csv" if block.argument:
                (tmp_path / block.argument).write_text(block.text + "\n", encoding="utf-8")


def run_python(block: Block, names: dict[str, object]) -> None:
    code = compile(
        "\n" * (block.line - 1) + block.text, str(block.page), "exec"
    )  # tracebacks show the page's line
    with contextlib.redirect_stdout(io.StringIO()):
        exec(code, names)


def commands_of(block: Block) -> list[str]:
    """In a console the lines after `$ `; in a script every line that is no comment."""
    if block.kind == "console":
        return [line[2:] for line in block.text.splitlines() if line.startswith("$ ")]
    return [line.split("#")[0].strip() for line in block.text.splitlines() if line.split("#")[0].strip()]


def run_command(block: Block, command: str, folder: Path) -> None:
    words = shlex.split(command)
    if words[0] == "make":
        targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert words[1] in targets, f"{block.place}: the Makefile has no {words[1]}"
        return
    assert words[0] == "lapcat", f"{block.place}: only lapcat and make run here"
    expected = int(block.argument.removeprefix("exit=") or 0)
    environment = {**os.environ, "HOME": str(folder), "COLUMNS": "100"}
    done = subprocess.run(
        [LAPCAT, *words[1:]],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == expected, (
        f"{block.place}: {command}\nexit {done.returncode}\n{done.stdout}{done.stderr}"
    )
