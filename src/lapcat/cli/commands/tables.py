"""lapcat tables: lists the tables."""

from __future__ import annotations

import click

from lapcat.cli.options import (
    analyst_option,
    catalogue_option,
    json_option,
    one_form,
    plain_option,
    printing,
    read_only_session,
)


@click.command(short_help="List the tables that can be queried.")
@json_option
@plain_option
@catalogue_option
@analyst_option
def command(as_json: bool, plain: bool, catalogue: str, analyst: str | None) -> None:
    """List the tables that can be queried."""
    one_form(json=as_json, plain=plain)
    session = read_only_session(catalogue, analyst)
    infos = [session.schema(name) for name in session.tables()]
    public = sorted(session.catalogue.public)
    with printing(plain) as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json({"tables": [info.as_json() for info in infos], "public": public})
            return
        from lapcat.cli.layout import LayoutColumn, table, total_width

        shown = [*infos, *map(session.schema, public)]
        names = [[column.name for column in info.columns] for info in shown]
        first = [
            LayoutColumn("table", [info.name for info in shown], style="bold"),
            LayoutColumn("protects", [info.protects for info in shown]),
        ]
        listed = [*first, LayoutColumn("columns", [*map(", ".join, names)])]
        counted = [*first, LayoutColumn("columns", [str(len(own)) for own in names])]
        screen.show(
            table(listed if total_width(listed) <= screen.width else counted, screen.wrapping_width, keys=1)
        )
        if screen.terminal and infos:
            screen.say("", f" lapcat schema {infos[0].name}   shows its columns and limits", style="dim")
