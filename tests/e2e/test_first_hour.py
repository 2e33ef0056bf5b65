"""From eight files as people have them to a grouped private answer, in at most five commands; docs/first-hour.md shows each."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.e2e.kit import Desk
from tests.e2e.newcomers import NEWCOMERS, Newcomer, Typed

terminal = pytest.importorskip(
    "tests.e2e.typing_at_a_terminal", reason="impossible here: another operating system"
)
PAGE = Path(__file__).parents[2] / "docs" / "first-hour.md"
INTRO = """\
# The first hour, file by file

Eight files modelled on public ones, and everything you type to get from each to a private grouped answer: at most five commands,
and the file is not changed. On a terminal `lapcat init` asks for the three decisions that a catalogue requires; the text after
the colon was typed. `sed` stands in for an editor: the values of a group key are public, so a steward writes them into
`lapcat.toml`. The tests type all of this; your numbers will differ, because noise does.
"""


def run(desk: Desk, typed: Typed) -> str:
    """What a terminal of 80 columns shows."""
    words = shlex.split(typed.command)
    if words[0] != "lapcat":
        subprocess.run(typed.command, shell=True, cwd=desk.folder, check=True, timeout=30)
        return ""
    if typed.answers or words[1] == "ask":
        return str(terminal.at_a_terminal(desk, words[1:], typed.answers))
    done = desk.here(*words[1:])
    assert done.code == typed.code, done
    return done.out + done.err


def transcript(desk: Desk, newcomer: Newcomer) -> str:
    shown = []
    for typed in newcomer.typed:
        shown.append(f"$ {typed.command}\n{run(desk, typed)}".rstrip() + "\n")
    return "\n".join(line.rstrip() for line in "".join(shown).splitlines())


def aside_from_noise(text: str) -> str:
    """The text without numbers, drawn bars and the width of columns."""
    text = re.sub(r"receipt \S+", "receipt", text)
    text = re.sub(r"[├─●┤█░╞╡◆│]+", " ", text)
    text = re.sub(r"[-−]?\d+(?:[ ,]\d{3}\b)*(?:\.\d+)?", "#", text)
    return "\n".join(" ".join(line.split()) for line in text.splitlines())


def section(newcomer: Newcomer, shown: str) -> str:
    return f"## {newcomer.title}\n\n{newcomer.about}\n\n```text\n{shown}\n```\n"


@pytest.mark.patient
@pytest.mark.parametrize("name", NEWCOMERS)
def test_a_newcomer_gets_from_the_file_to_an_answer(
    name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    newcomer, desk = NEWCOMERS[name], Desk(tmp_path)
    newcomer.write(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(newcomer.typed) <= 5
    shown = transcript(desk, newcomer)
    assert max(map(len, shown.splitlines())) <= 80, max(shown.splitlines(), key=len)
    assert {name: (tmp_path / name).read_bytes() for name in before} == before, "the file stays as it is"
    answer = shown.rpartition("\n$ ")[2]
    assert [str(group) for group in newcomer.groups if not re.search(rf"(?im)^ {group} ", answer)] == []
    assert " left " in answer, "it was paid for"

    page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    written = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    made = section(newcomer, shown)
    if request.config.getoption("--update-golden"):
        written[newcomer.title] = made.partition("\n")[2]
        ordered = [each.title for each in NEWCOMERS.values() if each.title in written]
        parts = [f"## {title}\n{written[title].rstrip()}\n" for title in ordered]
        PAGE.write_text("\n".join([INTRO, *parts]), encoding="utf-8")
        return
    kept = f"## {newcomer.title}\n{written.get(newcomer.title, '')}"
    assert aside_from_noise(kept.rstrip()) == aside_from_noise(made.rstrip()), (
        "pytest --update-golden writes it"
    )


def test_a_page_that_shows_something_else_is_noticed() -> None:
    shown = "rows [10]:\n Female  488  [470, 506]  ├──●──┤\n receipt 4:8165…"
    again = "rows [10]:\n Female  1,490 [1,471, 1,509]   ├─●─┤\n receipt 12:77ab…"
    assert aside_from_noise(shown) == aside_from_noise(again)
    assert aside_from_noise(shown) != aside_from_noise(again.replace("Female", "Male"))


def test_the_page_says_what_it_is() -> None:
    assert PAGE.read_text(encoding="utf-8").startswith(INTRO)
