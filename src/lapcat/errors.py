"""The exceptions of lapcat and their messages.

    Error
    ├── BadQuery          the question, the catalogue or an argument is wrong             exit 2
    │   └── BadArgument   … an argument of a Python call; also a ValueError
    ├── Refused           a privacy rule says no                                          exit 3
    ├── BudgetExceeded    the question costs more than the budget left                    exit 4
    ├── IntegrityFailed   a changed ledger, receipt or catalogue                          exit 5
    ├── EngineFailed      the environment: a file, a disk or an engine failed             exit 1
    └── Bug               a bug in lapcat: please report it                               exit 1

An error says what, where, why, and how to fix it, and has these parts as fields. It quotes the question and the
catalogue, never a cell of data: an error message is an output, too.
"""

from __future__ import annotations

import sys
import traceback
import unicodedata
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from textwrap import wrap

ROOM = 88
"""Characters per line of notebook output."""
_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Control and format characters, surrogates, line and paragraph separators."""


def harmless(text: str) -> str:
    """The text made safe for a terminal: characters that move the cursor, change colours or reverse the writing direction
    become �. Line breaks are kept.

    >>> harmless("a\\x1b[31mb\\u202ec\\n  d")
    'a�[31mb�c\\n  d'
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter == "\n" or unicodedata.category(letter) not in _UNSEEN else "�"
        for letter in text.replace("\t", " ").replace("\r\n", "\n")
    )


@dataclass(frozen=True, slots=True)
class Place:
    """A span of a text that a person wrote: 1-based line and column, and its length."""

    text: str
    line: int
    column: int
    length: int = 1

    def drawn(self, room: int = 100) -> str:
        """The line with carets under the span, in at most `room` characters."""
        lines = self.text.splitlines() or [""]
        shown = lines[min(self.line, len(lines)) - 1].replace("\t", " ")
        start = self.column - 1
        if len(shown) > room:  # show a window around the span
            left = max(0, min(start - room * 2 // 5, len(shown) - room + 2))
            right = left + room - 2
            before, after = "…" if left else "", "…" if right < len(shown) else ""
            shown, start = before + shown[left:right] + after, start - left + len(before)
        width = max(1, min(self.length, len(shown) - start))
        return f"{shown}\n{' ' * start}{'^' * width}"


class Error(Exception):
    """The base class of all errors of lapcat."""

    family = "Error"
    exit_code = 1

    def __init__(
        self, code: str, message: str, *, why: str = "", fix: str = "", place: Place | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.why, self.fix, self.place = code, message, why, fix, place

    def __str__(self) -> str:
        lines = [f"{self.family} [{self.code}]: {self.message}"]
        if self.place is not None:
            lines += ["  " + line for line in self.place.drawn().splitlines()]
        if self.why:
            lines.append(f"  why: {self.why}")
        if self.fix:
            lines.append("  fix: " + self.fix.replace("\n", "\n       "))
        return harmless("\n".join(lines))

    def _render_traceback_(self) -> list[str]:
        """The display in IPython and Jupyter: the message and the calling line.

        A bug of lapcat keeps its traceback, and so does every error under `%xmode Verbose`: Python's own traceback, since
        IPython's would show the values of variables.
        """
        shell = sys.modules["IPython"].get_ipython()
        if isinstance(self, Bug) or shell.InteractiveTB.mode == "Verbose":
            return "".join(traceback.format_exception(self)).splitlines()
        heading, lines = f"{self.family} [{self.code}]:", []
        for number, line in enumerate(str(self).splitlines()):
            # Jupyter breaks long lines within words. Text to be pasted is not wrapped.
            is_sentence = number == 0 or line.startswith("  why: ")
            lines += wrap(line, ROOM, subsequent_indent="    ") if is_sentence else [line]
        if shell.colors.lower() != "nocolor":
            lines[0] = lines[0].replace(heading, f"\x1b[1m{heading}\x1b[0m", 1)
        return [*lines, *self._asked_at()]

    def _asked_at(self) -> list[str]:
        """`at line 2: db.sql(…)`: the line that called lapcat."""
        here = str(Path(__file__).parent)
        frames = traceback.extract_tb(self.__traceback__)
        callers = list(takewhile(lambda frame: not frame.filename.startswith(here), frames))
        callers_shown = [
            harmless(f"  at line {frame.lineno}: {frame.line}") for frame in callers[-1:] if frame.line
        ]
        return [line if len(line) <= ROOM else line[: ROOM - 1] + "…" for line in callers_shown]

    def as_json(self) -> dict[str, object]:
        """The contract of `--json`: family, code, message, fix, line and column (1-based, or null)."""
        return {
            "error": {
                "family": self.family,
                "code": self.code,
                "message": self.message,
                "fix": self.fix or None,
                "line": self.place.line if self.place else None,
                "column": self.place.column if self.place else None,
            }
        }


class BadQuery(Error):
    """The question, the catalogue or an argument is wrong; nothing was spent."""

    family = "BadQuery"
    exit_code = 2


class BadArgument(BadQuery, ValueError):
    """An argument of a Python call is wrong; a BadQuery that is also a ValueError."""


class Refused(Error):
    """A privacy rule says no; nothing was spent."""

    family = "Refused"
    exit_code = 3


class BudgetExceeded(Error):
    """The question costs more than the budget left; nothing was spent and no row was read."""

    family = "BudgetExceeded"
    exit_code = 4


class IntegrityFailed(Error):
    """The ledger, a receipt or the catalogue changed since it was last accepted."""

    family = "IntegrityFailed"
    exit_code = 5


class EngineFailed(Error):
    """A file, a disk or an engine failed. The message never contains the engine's error text."""

    family = "EngineFailed"


class Bug(Error):
    """lapcat contradicts itself. Nothing was released; please report it."""

    family = "Bug"
