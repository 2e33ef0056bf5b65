"""The pages of docs/reference that are made from the code: `python scripts/reference.py` writes them."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import click

ROOT = Path(__file__).parents[1]
SOURCE, TARGET = ROOT / "src" / "lapcat", ROOT / "docs" / "reference"
WIDTH = 96
MADE = "<!-- Made from the code by `python scripts/reference.py`. -->"
_PART = re.compile(r"^\s*(Theorem|Proof|Source|Slack)s?:\s*")


def options_page() -> str:
    """Every command's own help: arguments and options in its words."""
    from lapcat.cli.app import COMMANDS, cli

    lines = ["# Options of every command", "", MADE, "", "What `lapcat COMMAND --help` prints;"]
    lines += ["[commands.md](commands.md) says what each command is for."]
    for name in COMMANDS:
        context = click.Context(cli, info_name="lapcat")
        command = cli.get_command(context, name)
        assert command is not None
        own = click.Context(command, info_name=name, parent=context, terminal_width=WIDTH)
        lines += ["", f"## lapcat {name}", "", "```text", command.get_help(own), "```"]
    return "\n".join(lines) + "\n"


def mechanisms_page() -> str:
    """Every mechanism of `lapcat.mechanisms`: how it is called, and what its arguments are."""
    from lapcat import mechanisms

    lines = ["# Every mechanism", "", MADE, "", "As `from lapcat import mechanisms as m` has them;"]
    lines += [
        "[mechanisms.md](../mechanisms.md) shows them at work. Each has `loss`, `event` (for `lapcat.compose`)"
    ]
    lines += ["and, in a notebook, a picture of its two neighbouring curves."]
    for name in mechanisms.__all__:
        kind = getattr(mechanisms, name)
        text = (inspect.getdoc(kind) or "").split(">>>")[0].strip()
        call = str(inspect.signature(kind)).replace("'", "").removesuffix(" -> None")
        lines += [
            "",
            f"## {name}",
            "",
            "```text",
            f"m.{name}{call}",
            "",
            text,
            "```",
            "",
            "| | |",
            "|---|---|",
        ]
        for part, thing in vars(kind).items():
            first = (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ")
            if (
                part.startswith("_")
                or not first
                or not (callable(thing) or isinstance(thing, (property, classmethod)))
            ):
                continue
            lines.append(f"| `{part}` | {first.replace('|', chr(92) + '|')} |")
    return "\n".join(lines) + "\n"


def theorems_page() -> str:
    """Every theorem that the code rests on, where it is used, and whose it is."""
    lines = ["# Theorems and sources", "", MADE, ""]
    lines += [
        "Where a guarantee or an error bar is made, the docstring names the theorem it rests on. These are all of"
    ]
    lines += ["them, with the file that uses each; what is not marked with a source is proved there."]
    for file in sorted(SOURCE.rglob("*.py")):
        theorems = list(_theorems(file))
        if theorems:
            lines += ["", f"## `{file.relative_to(SOURCE)}`"]
        for name, parts in theorems:
            lines += ["", f"**{name}**" if name else "", *(f"\n{word}: {text}" for word, text in parts)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"


def _theorems(file: Path) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            text = ast.get_docstring(node) or ""
            if re.search(r"^\s*Theorems?:", text, re.MULTILINE):
                yield getattr(node, "name", ""), list(_parts(text))


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Each marked sentence with the indented lines that continue it."""
    word, sentence = "", ""
    for line in [*text.splitlines(), ""]:
        mark = _PART.match(line)
        if word and (mark or not line.startswith(" ")):
            yield word, _in_markdown(sentence)
            word = ""
        if mark:
            word, sentence = mark[1], line[mark.end() :]
        elif word:
            sentence += " " + line.strip()


def _in_markdown(text: str) -> str:
    """Stars and bars are themselves, but in code, which is taken as it is; and lines stay inside the page's width."""
    pieces = re.split(r"(`[^`]*`)", text.strip())
    kept = "".join(p if p.startswith("`") else re.sub(r"([*|_<])", r"\\\1", p) for p in pieces)
    return textwrap.fill(kept, 120, break_long_words=False, break_on_hyphens=False)


PAGES = {"options.md": options_page, "mechanisms.md": mechanisms_page, "theorems.md": theorems_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (TARGET / name).write_text(page(), encoding="utf-8")
