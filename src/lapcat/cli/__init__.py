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
draft.py        the catalogue that `init` drafts, and its open questions
demo_data.py    the made-up people of `demo`
"""

from __future__ import annotations

import sys


def main() -> None:
    """The entry point of the installed command."""
    from lapcat.cli.app import run

    sys.exit(run(sys.argv[1:]))
