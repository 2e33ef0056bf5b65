"""The command-line interface: `lapcat COMMAND …`.

app.py          the command group; each command is imported when it is called
commands/       one file per command
options.py      shared options: catalogue, analyst, question, price, output format
failing.py      maps exceptions, Ctrl-C and broken pipes to messages and exit codes
screen.py       styled text for terminals: width, colour, plain
strokes.py      error bars and gauges drawn with characters
layout.py       tables that fit the width
answers.py, previews.py, budgets.py, audits.py, ledger_view.py    formatting of results
streams.py      JSON and CSV output, streamed
naming.py       lookup of tables by name
draft.py        the catalogue that `init` drafts, and its open questions
intake.py       inspection of a source by `init`
interview.py    the prompts of `init` on a terminal
smartnoise.py, small_yaml.py    import of SmartNoise metadata
checking.py     the checks of `check`
demo_tour.py    the scenes of `demo`; demo_data.py its synthetic people, demo_exact.py exact answers for comparison
"""

from __future__ import annotations

import io
import sys


def main() -> None:
    """Entry point of the installed command."""
    from lapcat.cli.app import run

    for name in ("stdin", "stdout", "stderr"):  # None if the shell closed it: `lapcat … >&-`
        if getattr(sys, name) is None:
            setattr(sys, name, io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    sys.exit(run(sys.argv[1:]))
