"""lapcat sensitivity: how much one unit can change the exact answer, and why. Free."""

from __future__ import annotations

import click

from lapcat.cli.options import (
    analyst_option,
    asked_of,
    catalogue_option,
    json_option,
    one_form,
    plain_option,
    printing,
    question_options,
    session_of,
    the_question,
)


@click.command(short_help="Show how much one unit can change the answer; free.")
@question_options
@json_option
@plain_option
@catalogue_option
@analyst_option
def command(
    sql: str | None, file: str | None, as_json: bool, plain: bool, catalogue: str, analyst: str | None
) -> None:
    """Show how much one unit can change the exact answer, and why. Free; reads no row."""
    one_form(json=as_json, plain=plain)
    text = the_question(sql, file)
    report = asked_of(session_of(catalogue, analyst), text).sensitivity()
    with printing(plain) as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json(report.as_json())
        else:
            from lapcat.cli.previews import sensitivity_lines

            screen.show(sensitivity_lines(report, screen))
