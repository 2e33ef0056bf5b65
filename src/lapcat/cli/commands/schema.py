"""lapcat schema TABLE: its columns, bounds, keys and limits. All of it is public."""

from __future__ import annotations

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
    from lapcat.cli.screen import Line, Screen
    from lapcat.session.schemas import TableInfo


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
    from lapcat.cli.layout import Column, table
    from lapcat.cli.screen import Span, visible

    columns = [
        Column("column", [visible(column.name) for column in info.columns], style="bold"),
        Column("type", [column.type for column in info.columns]),
        Column("bounds", [column.bounds for column in info.columns]),
        Column("keys", [visible(column.keys.removeprefix("keys ")) for column in info.columns]),
        Column("NULL counts as", [column.null for column in info.columns]),
        Column("unique", [column.unique for column in info.columns]),
        Column("may be used in", [column.allows for column in info.columns], style="dim"),
    ]
    shown = [column for column in columns if any(column.cells)]
    return [
        [
            Span(f" {info.name}", "bold"),
            Span(f" protects {info.protects_how}"),
        ],
        *table(shown, screen.wrapping_width, keys=1),
    ]
