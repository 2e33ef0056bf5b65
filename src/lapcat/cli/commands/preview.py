"""lapcat preview: the price and error of a question. Free; reads no row."""

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


@click.command(short_help="Show the price and error of a question; free.")
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
    """Show the price of a question and the error of its answer. Free; reads no row."""
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
