"""lapcat bounds: finds bounds of a column, or rows_per_unit, privately, and offers to write them into the catalogue."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lapcat.cli.options import (
    analyst_option,
    catalogue_option,
    json_option,
    one_form,
    plain_option,
    printing,
    session_of,
    the_price,
)
from lapcat.cli.screen import Screen, visible
from lapcat.errors import BadQuery

if TYPE_CHECKING:
    from lapcat.session.bounds import ProposedBounds


@click.command(
    short_help="Find bounds of a column; charges the budget.",
    epilog="TABLE.rows_per_unit finds the maximum row count of nearly every unit.",
)
@click.argument("place", metavar="TABLE.COLUMN")
@click.option("--epsilon", metavar="NUMBER", help="Price in epsilon, such as 0.1.")
@click.option("--write", is_flag=True, help="Write the bounds into the catalogue without asking.")
@json_option
@plain_option
@catalogue_option
@analyst_option
def command(
    place: str,
    epsilon: str | None,
    write: bool,
    as_json: bool,
    plain: bool,
    catalogue: str,
    analyst: str | None,
) -> None:
    """Find bounds of a column of numbers or dates, privately. Charges the budget, and offers to write them into the catalogue."""
    from lapcat.session.bounds import find_bounds

    one_form(json=as_json, plain=plain)
    price = the_price({"epsilon": epsilon})
    bounds = find_bounds(session_of(catalogue, analyst), place, price.get("epsilon"))
    with printing(plain) as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json(bounds.as_json())
        else:
            show(bounds, screen)
    if bounds.line is not None and (write or (not as_json and _wanted(catalogue))):
        write_down(bounds, Path(catalogue))


def show(bounds: ProposedBounds, screen: Screen) -> None:
    from lapcat.cli.answers import spent_lines

    if bounds.beyond:
        screen.say(
            f"{bounds.column} lies beyond ±5 000 000 000 000 000, the limit of the search: declare low and high yourself"
        )
    elif bounds.line is None:
        screen.say(f"no bounds found for {bounds.column}: the noise at this epsilon hides every bucket")
    else:
        screen.say(f"[{bounds.heading}]", bounds.line)
    screen.show(spent_lines(bounds.answer, screen))


def _wanted(catalogue: str) -> bool:
    """Asks the user at a terminal; programs use --write."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    return click.confirm(f"Write this into {visible(catalogue)}?", default=False)


def write_down(bounds: ProposedBounds, path: Path) -> None:
    from lapcat.session.bounds import written_into

    text = written_into(path.read_text(encoding="utf-8"), bounds)
    if text is None:
        raise BadQuery(
            "catalogue-line",
            f"{bounds.column} has no line in {path} that can be edited safely",
            why="nothing was written; the bounds are already charged, and asking again is free",
            fix=f"write it yourself, under [{bounds.heading}]: {bounds.line}",
        )
    path.write_text(text, encoding="utf-8")
    click.echo(
        f'{visible(str(path))} was changed; the change takes effect after: lapcat accept --reason "bounds were found"',
        err=True,
    )
