"""Every block of README and docs runs: python in one namespace per page, `$ lapcat …` in the page's own folder."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pages import PAGES, ROOT, Block, blocks_of
from terminal import masked, seeded, seeded_here
from terminal import run as on_terminal

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
def test_every_block_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """What stands below a command, or in the output block after python, is what is printed, whatever changes by itself aside."""
    monkeypatch.chdir(tmp_path)
    for name in ("LAPCAT_CATALOGUE", "LAPCAT_ANALYST"):
        monkeypatch.delenv(name, raising=False)
    blocks = blocks_of(page)
    printed = list(outputs_of(page, blocks, tmp_path))
    if request.config.getoption("--update-golden"):
        return rewrite(page, printed)
    for output in printed:
        assert masked(output.shown) == masked(output.found), (
            f"{output.place}: pytest --update-golden, then read the difference\n" + "\n".join(output.found)
        )


@dataclass(frozen=True)
class Output:
    """What a page shows, from one line of it to another, and what was printed."""

    place: str
    start: int
    shown: list[str]
    found: list[str]


def outputs_of(page: Path, blocks: list[Block], folder: Path) -> Iterator[Output]:
    """Runs the blocks of a page; what it shows of their output."""
    names: dict[str, object] = {"__name__": "page"}
    shows = any(shows_output(block) for block in blocks)
    with seeded_here(len(page.name)) if shows else contextlib.nullcontext():
        for block, after in zip(blocks, [*blocks[1:], None], strict=True):
            match block.kind:
                case "python":
                    output = run_python(block, names)
                    if after is not None and (after.kind, after.argument) == ("text", "output"):
                        yield Output(after.place, after.line, after.text.splitlines(), output)
                case "console" | "sh":
                    for command, start, shown in commands_of(block):
                        output = run_command(block, command, folder, terminal=shows)
                        if shown:
                            yield Output(f"{block.place}: {command}", start, shown, output)
                case "toml" | "csv" if block.argument:
                    (folder / block.argument).write_text(block.text + "\n", encoding="utf-8")


def shows_output(block: Block) -> bool:
    if block.kind == "console":
        return any(shown for _, _, shown in commands_of(block))
    return (block.kind, block.argument) == ("text", "output")


def rewrite(page: Path, printed: list[Output]) -> None:
    """What was printed in the place of what the page shows, unless only that differs which always does."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for output in reversed(printed):
        if masked(output.shown) != masked(output.found):
            lines[output.start - 1 : output.start - 1 + len(output.shown)] = output.found
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def run_python(block: Block, names: dict[str, object]) -> list[str]:
    code = compile(
        "\n" * (block.line - 1) + block.text, str(block.page), "exec"
    )  # tracebacks show the page's line
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, names)
    return lines_of(printed.getvalue())


def lines_of(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def commands_of(block: Block) -> list[tuple[str, int, list[str]]]:
    """Each command, where what it prints begins, and what the page shows of that. In a console a command stands after `$ `; in a
    script it is every line that is no comment, and shows nothing."""
    lines = block.text.splitlines()
    if block.kind == "sh":
        return [(words, 0, []) for line in lines if (words := line.split("#")[0].strip())]
    starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
    return [
        (lines[start][2:], block.line + start + 1, lines[start + 1 : end])
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)
    ]


def run_command(block: Block, command: str, folder: Path, *, terminal: bool) -> list[str]:
    words = shlex.split(command)
    if words[0] == "make":
        targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert words[1] in targets, f"{block.place}: the Makefile has no {words[1]}"
        return []
    if words[:2] == ["pip", "install"]:
        return []  # tests/docs/test_wheel.py does
    assert words[0] == "lapcat", f"{block.place}: only lapcat, make and pip run here"
    expected = int(block.argument.removeprefix("exit=") or 0)
    environment = {**os.environ, "HOME": str(folder), "COLUMNS": "100"}
    if terminal:
        del environment["COLUMNS"]
        code, printed = on_terminal(
            [LAPCAT, *words[1:]], folder, seeded(folder, environment), fails=bool(expected)
        )
    else:
        done = subprocess.run(
            [LAPCAT, *words[1:]],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
        )
        code, printed = done.returncode, done.stdout + done.stderr
    assert code == expected, f"{block.place}: {command}\nexit {code}\n{printed}"
    return lines_of(printed)


def test_receipts_and_days_may_differ_and_nothing_else() -> None:
    shown = ["± 55", "spent ε 0.5   receipt 4:5c11…", "1 entry on 2026-11-18"]
    assert masked(shown) == masked(["± 55 ", "spent ε 0.5   receipt 4:3483…", "1 entry on 2027-01-01", ""])
    for line in (["± 56", *shown[1:]], shown[:2], [*shown[:2], "2 entries on 2026-11-18"]):
        assert masked(line) != masked(shown)
