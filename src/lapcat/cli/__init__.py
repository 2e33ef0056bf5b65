"""The command line: `lapcat COMMAND …`.

app.py          the group: commands are loaded when they are called
commands/       one file per command
options.py      what commands have in common: the catalogue, the analyst, the question, its price, its form
failing.py      errors, Ctrl-C and broken pipes become messages and exit codes
screen.py       spans of text, printed for a person: width, colour, plain
strokes.py      error bars and gauges drawn with characters
layout.py       columns that fit the width
answers.py, previews.py, budgets.py    what is shown
streams.py      answers for programs: JSON and CSV, a million rows at a time
naming.py       tables by the name that somebody typed
draft.py        the catalogue that `init` drafts, and its open questions
intake.py       what `init` finds out about a file
interview.py    what `init` asks on a terminal
checking.py     what `check` finds
demo_tour.py   the story of `demo`; demo_data.py its made-up people, demo_exact.py the world without lapcat
"""

from __future__ import annotations

import io
import sys


def main() -> None:
    """The entry point of the installed command."""
    from lapcat.cli.app import run

    for name in ("stdin", "stdout", "stderr"):  # Python has None where the shell closed one: `lapcat … >&-`
        if getattr(sys, name) is None:
            setattr(sys, name, io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    sys.exit(run(sys.argv[1:]))
