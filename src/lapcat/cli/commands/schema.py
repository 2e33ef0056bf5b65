"""lapcat schema TABLE: its columns, bounds, keys and limits. All of it is public."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from textwrap import wrap
from typing import TYPE_CHECKING

import click

from lapcat.cli.naming import any_table
from lapcat.cli.options import (
    analyst_option,
    catalogue_option,
    json_option,
    one_form,
    plain_option,
    printing,
    session_for_looking,
)

if TYPE_CHECKING:
    from lapcat.cli.layout import LayoutColumn
    from lapcat.cli.screen import Line, Screen
    from lapcat.session.schemas import TableInfo


WIDTH = 80
NARROWEST = len("2020-01-01..2029-12-31")


@click.command(short_help="Columns, bounds, keys and limits of a table.")
@click.argument("table")
@json_option
@plain_option
@catalogue_option
@analyst_option
def command(table: str, as_json: bool, plain: bool, catalogue: str, analyst: str | None) -> None:
    """Show what may be asked about a table: columns, bounds, keys, limits."""
    one_form(json=as_json, plain=plain)
    session = session_for_looking(catalogue, analyst)
    info = session.schema(any_table(session.catalogue, table).name)
    with printing(plain) as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json(info.as_json())
        else:
            screen.show(schema_lines(info, screen))


def schema_lines(info: TableInfo, screen: Screen) -> list[Line]:
    """In 80 columns, or what a wider terminal has: long lists of keys go on below."""
    from lapcat.cli.layout import LayoutColumn, sentence_lines, table, total_width
    from lapcat.cli.screen import StyledText, visible
    from lapcat.session.schemas import PUBLIC

    width = screen.wrapping_width or WIDTH
    said = sentence_lines(f"{visible(info.name)} protects {info.protects_how}", width)
    if not info.columns and info.relation == PUBLIC:
        return [
            *said,
            *sentence_lines(f"its columns are read by `lapcat refresh {visible(info.name)}`", width),
        ]
    name = LayoutColumn("column", [visible(column.name) for column in info.columns], style="bold")
    kind = LayoutColumn("type", [column.type for column in info.columns])
    uses = LayoutColumn("may be used in", [column.allows for column in info.columns], style="dim")
    room = width - total_width([name, kind, LayoutColumn("", []), uses])
    if room >= NARROWEST:
        return [*said, *_band([name, kind], uses, info, room)]
    below = [[StyledText("")], *table([name, uses], width)]
    return [
        *said,
        *_band([name, kind], None, info, max(NARROWEST, width - total_width([name, kind]) - 2)),
        *below,
    ]


def _band(
    before: Sequence[LayoutColumn], after: LayoutColumn | None, info: TableInfo, room: int
) -> list[Line]:
    """The columns with what is known of their values, which goes on below where it is long."""
    from lapcat.cli.layout import LayoutColumn, table
    from lapcat.cli.screen import visible

    values = [wrap(visible(column.values), room, break_on_hyphens=False) or [""] for column in info.columns]
    beside = [
        replace(
            column, cells=[part for n, cell in enumerate(column.cells) for part in _below(cell, values[n])]
        )
        for column in (*before, *([] if after is None else [after]))
    ]
    shown = LayoutColumn("values", [line for lines in values for line in lines])
    columns = [*beside[: len(before)], shown, *beside[len(before) :]]
    return table([column for column in columns if any(column.cells)], None)


def _below(cell: str, lines: Sequence[str]) -> list[str]:
    """A cell beside several lines: it stands at the first."""
    return [cell, *([""] * (len(lines) - 1))]
