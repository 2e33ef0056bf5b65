"""lapcat preview: what a question would cost. Free, and no row is read."""

from __future__ import annotations

import click

from lapcat.cli.options import (
    analyst_option,
    asked_of,
    catalogue_option,
    json_option,
    one_form,
    plain_option,
    price_options,
    priced,
    printing,
    question_options,
    session_of,
    the_price,
    the_question,
)


@click.command(short_help="Price and error of a question; free.")
@question_options
@price_options
@json_option
@plain_option
@catalogue_option
@analyst_option
def command(
    sql: str | None,
    file: str | None,
    as_json: bool,
    plain: bool,
    catalogue: str,
    analyst: str | None,
    simultaneous: bool,
    **price: str | None,
) -> None:
    """Show what a question would cost and how far off its answer may be. Free; no row is read."""
    one_form(json=as_json, plain=plain)
    given = the_price(price)
    text = the_question(sql, file)
    session = session_of(catalogue, analyst)
    with priced():
        preview = asked_of(session, text).preview(simultaneous=simultaneous, **given)
    with printing(plain) as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json(preview.as_json())
        else:
            from lapcat.cli.previews import preview_lines

            screen.show(preview_lines(preview, session.gauges(), screen))
