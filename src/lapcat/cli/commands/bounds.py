"""lapcat bounds: finds bounds for a column, or rows_per_unit, privately; pays, and offers to write them down."""

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
    short_help="Pay to find bounds for a column.",
    epilog="TABLE.rows_per_unit finds how many rows nearly every unit has at most.",
)
@click.argument("place", metavar="TABLE.COLUMN")
@click.option("--epsilon", metavar="NUMBER", help="Pay this much privacy, such as 0.1.")
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
    """Find bounds for a column of numbers or dates, privately: pays, and offers to write them into the catalogue."""
    from lapcat.session.bounds import find_bounds

    one_form(json=as_json, plain=plain)
    price = the_price({"epsilon": epsilon})
    found = find_bounds(session_of(catalogue, analyst), place, price.get("epsilon"))
    with printing(plain) as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json(found.as_json())
        else:
            tell(found, screen)
    if found.line is not None and (write or (not as_json and _wanted(catalogue))):
        write_down(found, Path(catalogue))


def tell(found: ProposedBounds, screen: Screen) -> None:
    from lapcat.cli.answers import spent_lines

    if found.beyond:
        screen.say(
            f"{found.column} lies beyond ±5 000 000 000 000 000, where this search ends: declare low and high yourself"
        )
    elif found.line is None:
        screen.say(
            f"no bucket of {found.column} surely holds anybody: the noise at this epsilon is too large"
        )
    else:
        screen.say(f"[{found.heading}]", found.line)
    screen.show(spent_lines(found.answer, screen))


def _wanted(catalogue: str) -> bool:
    """Asks somebody at a terminal; a program that wants it says --write."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    return click.confirm(f"Write this into {visible(catalogue)}?", default=False)


def write_down(found: ProposedBounds, path: Path) -> None:
    from lapcat.session.bounds import written_into

    text = written_into(path.read_text(encoding="utf-8"), found)
    if text is None:
        raise BadQuery(
            "catalogue-line",
            f"{found.column} has no line in {path} that can be changed safely",
            why="nothing was written; the bounds are paid for, and asking again is free",
            fix=f"write it yourself, under [{found.heading}]: {found.line}",
        )
    path.write_text(text, encoding="utf-8")
    click.echo(
        f'{visible(str(path))} is changed; it takes effect after: lapcat accept --reason "bounds were found"',
        err=True,
    )
