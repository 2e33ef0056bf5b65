"""lapcat schema TABLE: columns, bounds, keys and limits, all of them public."""

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
    read_only_session,
)

if TYPE_CHECKING:
    from lapcat.cli.layout import LayoutColumn
    from lapcat.cli.screen import Line, Screen
    from lapcat.session.schemas import TableInfo


WIDTH = 80
MIN_VALUES_WIDTH = len("2020-01-01..2029-12-31")


@click.command(short_help="Show columns, bounds, keys and limits of a table.")
@click.argument("table")
@json_option
@plain_option
@catalogue_option
@analyst_option
def command(table: str, as_json: bool, plain: bool, catalogue: str, analyst: str | None) -> None:
    """Show the columns, bounds, keys and limits of a table."""
    one_form(json=as_json, plain=plain)
    session = read_only_session(catalogue, analyst)
    info = session.schema(any_table(session.catalogue, table).name)
    with printing(plain) as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json(info.as_json())
        else:
            screen.show(schema_lines(info, screen))


def schema_lines(info: TableInfo, screen: Screen) -> list[Line]:
    """The schema in 80 columns, or the width of the terminal; long lists of keys are wrapped."""
    from lapcat.cli.layout import LayoutColumn, sentence_lines, table, total_width
    from lapcat.cli.screen import StyledText, visible
    from lapcat.session.schemas import PUBLIC

    width = screen.wrapping_width or WIDTH
    header = sentence_lines(f"{visible(info.name)} protects {info.protects_how}", width)
    if not info.columns and info.relation == PUBLIC:
        return [
            *header,
            *sentence_lines(f"its columns are read by `lapcat refresh {visible(info.name)}`", width),
        ]
    name = LayoutColumn("column", [visible(column.name) for column in info.columns], style="bold")
    kind = LayoutColumn("type", [column.type for column in info.columns])
    uses = LayoutColumn("may be used in", [column.allows for column in info.columns], style="dim")
    room = width - total_width([name, kind, LayoutColumn("", []), uses])
    if room >= MIN_VALUES_WIDTH:
        return [*header, *_band([name, kind], uses, info, room)]
    below = [[StyledText("")], *table([name, uses], width)]
    return [
        *header,
        *_band([name, kind], None, info, max(MIN_VALUES_WIDTH, width - total_width([name, kind]) - 2)),
        *below,
    ]


def _band(
    before: Sequence[LayoutColumn], after: LayoutColumn | None, info: TableInfo, room: int
) -> list[Line]:
    """The columns with their bounds or keys, wrapped where they are long."""
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
    """A cell beside several lines, aligned with the first."""
    return [cell, *([""] * (len(lines) - 1))]
