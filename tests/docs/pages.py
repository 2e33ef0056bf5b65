"""The pages of the documentation, taken apart into blocks that run and blocks that are read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    if not any(part.startswith(".") for part in page.relative_to(ROOT).parts)
)


@dataclass(frozen=True)
class Block:
    """One fenced block: ```kind argument."""

    page: Path
    line: int
    """Where its first line stands in the page."""
    kind: str
    argument: str
    """The file that it is written to, or how a command ends: exit=4."""
    text: str

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks_of(page: Path) -> list[Block]:
    blocks = []
    lines = page.read_text(encoding="utf-8").splitlines()
    start: int | None = None
    info = ""
    for number, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if start is None:
            start, info = number + 1, line[3:].strip()
        else:
            kind, _, argument = info.partition(" ")
            blocks.append(Block(page, start + 1, kind, argument.strip(), "\n".join(lines[start:number])))
            start = None
    assert start is None, f"{page}: a block is not closed"
    return blocks


def named_tests(text: str) -> list[tuple[str, str]]:
    """References of the form `tests/ledger/test_x.py::test_name`."""
    return re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
