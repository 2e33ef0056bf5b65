"""lapcat error CODE: explains an error code."""

from __future__ import annotations

import difflib
import textwrap

import click

from lapcat.cli.options import json_option, printing
from lapcat.cli.screen import Line, StyledText
from lapcat.errors import BadQuery


@click.command(short_help="Explain an error code.")
@click.argument("code", required=False)
@json_option
def command(code: str | None, as_json: bool) -> None:
    """Explain an error code; without one, list them all."""
    from lapcat.render.error_codes import ALL_CODES, ERROR_CODES

    if code is not None and code not in ERROR_CODES:
        close = difflib.get_close_matches(code, ERROR_CODES, 1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise BadQuery(
            "error-unknown",
            f"no error has the code {code!r}{hint}",
            fix=f"lapcat error {close[0] if close else ''}".strip(),
        )
    entries = list(ALL_CODES) if code is None else [ERROR_CODES[code]]
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json([entry.as_json() for entry in entries] if code is None else entries[0].as_json())
            return
        if code is None:
            from lapcat.cli.layout import LayoutColumn, table

            screen.show(
                table(
                    [
                        LayoutColumn("code", [e.code for e in entries], style="bold"),
                        LayoutColumn("family", [e.family for e in entries]),
                    ],
                    None,
                )
            )
            return
        (entry,) = entries
        lines: list[Line] = [
            [
                StyledText(f"{entry.family} [{entry.code}]", "bold"),
                StyledText(f"   exit code {entry.exit_code}", "dim"),
            ]
        ]
        for label, text in (("", entry.means), ("what to do: ", entry.fix), ("example: ", entry.example)):
            if text:
                wrapped = textwrap.wrap(
                    label + text, screen.width - 2, break_long_words=False, break_on_hyphens=False
                )
                lines += [[StyledText("  " + line)] for line in wrapped]
        screen.show(lines)
