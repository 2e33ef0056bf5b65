"""Styled text: in colour on a terminal, plain elsewhere."""

from __future__ import annotations

import os
import shutil
import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

from lapcat.errors import harmless

WIDTH_WHEN_UNKNOWN = 80


@dataclass(frozen=True, slots=True)
class StyledText:
    """Text with a Rich style such as "bold", "green" or "dim"."""

    text: str
    style: str = ""


Line = list[StyledText]


@dataclass(frozen=True, slots=True)
class Screen:
    """An output stream: its width, and whether it shows colours and drawn characters."""

    stream: TextIO
    width: int
    terminal: bool
    colour: bool
    drawn: bool

    @classmethod
    def of(cls, stream: TextIO | None = None, *, plain: bool = False) -> Screen:
        """The screen of a stream; pipes and files have no colour, and NO_COLOR is respected."""
        stream = sys.stdout if stream is None else stream
        terminal = stream.isatty()
        colour = (
            terminal and not plain and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        )
        unicode = (stream.encoding or "").lower().replace("-", "").startswith("utf")
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")  # a console of another encoding shows question marks
        width = shutil.get_terminal_size((WIDTH_WHEN_UNKNOWN, 24)).columns
        return cls(stream, max(20, width), terminal, colour, unicode and not plain)

    @property
    def wrapping_width(self) -> int | None:
        """The width to wrap at; None for pipes and files."""
        return self.width if self.terminal else None

    @property
    def in_notebook(self) -> bool:
        """Whether it runs as `!lapcat …` in a notebook cell: a terminal that cannot redraw lines."""
        return self.terminal and "JPY_PARENT_PID" in os.environ

    def show(self, lines: Sequence[Line]) -> None:
        """Prints the lines without control characters; Rich is loaded only for colours."""
        lines = [[StyledText(harmless(span.text), span.style) for span in line] for line in lines]
        if not self.colour:
            self.stream.write("".join("".join(span.text for span in line).rstrip() + "\n" for line in lines))
            self.stream.flush()
            return
        from rich.console import Console
        from rich.text import Text

        console = Console(file=self.stream, highlight=False, markup=False, emoji=False)
        for line in lines:
            console.print(Text.assemble(*((span.text, span.style) for span in line)), soft_wrap=True)

    def say(self, *sentences: str, style: str = "") -> None:
        """Prints sentences, one per line."""
        self.show([[StyledText(sentence, style)] for sentence in sentences])


def width_of(text: str) -> int:
    """Terminal cells of a text: wide letters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


def visible(text: str) -> str:
    """The text without control characters, which could move the cursor or break a table."""
    return text if text.isprintable() else "".join(letter if letter.isprintable() else "�" for letter in text)


def padded(text: str, width: int, *, right: bool = False) -> str:
    space = " " * max(0, width - width_of(text))
    return space + text if right else text + space
