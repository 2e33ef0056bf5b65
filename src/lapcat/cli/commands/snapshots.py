"""lapcat snapshots: what is kept of the data for questions, and how it is removed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from lapcat.cli.options import catalogue_option, deployment_of, json_option, printing

if TYPE_CHECKING:
    from lapcat.cli.screen import Line
    from lapcat.session.stored_snapshots import KeptSnapshot


@click.group(
    invoke_without_command=True, short_help="List the snapshots of the data, remove old ones (steward)."
)
@json_option
@catalogue_option
@click.pass_context
def command(context: click.Context, as_json: bool, catalogue: str) -> None:
    """List the snapshots that `refresh` wrote: table, version, place, size, and whether they are needed
    (steward).

    A snapshot holds every private row of its version. `lapcat snapshots prune` removes those that no question needs.
    """
    if context.invoked_subcommand is not None:
        return
    from lapcat.session.stored_snapshots import kept_snapshots

    found = kept_snapshots(deployment_of(catalogue))
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json({"snapshots": [kept.as_json() for kept in found]})
        elif found:
            screen.show(snapshot_lines(found, screen.wrapping_width))
        else:
            screen.say("no snapshots yet: lapcat refresh")


@command.command("prune", short_help="Remove the snapshots that no question needs.")
@click.argument("names", metavar="[SNAPSHOT]...", nargs=-1)
@json_option
@catalogue_option
def pruned(names: tuple[str, ...], as_json: bool, catalogue: str) -> None:
    """Remove old snapshots, what killed refreshes left behind, and orphans; or the snapshots that are named (steward).

    The declared version of a table stays, and so does what a refresh is writing. A snapshot on a server that this ledger does
    not know may belong to a catalogue elsewhere: it is removed only if it is named.
    """
    from lapcat.session.stored_snapshots import prune

    removed = prune(deployment_of(catalogue), names)
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json({"removed": [kept.as_json() for kept in removed]})
        elif removed:
            screen.show(snapshot_lines(removed, screen.wrapping_width))
            many = "1 snapshot" if len(removed) == 1 else f"{len(removed)} snapshots"
            screen.say(f"removed {many}, {shown_size(sum(kept.size for kept in removed))}")
        else:
            screen.say("nothing to remove")


def snapshot_lines(found: Sequence[KeptSnapshot], width: int | None) -> list[Line]:
    from lapcat.cli.layout import LayoutColumn, table
    from lapcat.cli.screen import visible

    return table(
        [
            LayoutColumn("table", [visible(kept.table) for kept in found], style="bold"),
            LayoutColumn(
                "version", ["" if kept.version is None else str(kept.version) for kept in found], right=True
            ),
            LayoutColumn("state", [str(kept.state) for kept in found]),
            LayoutColumn("size", [shown_size(kept.size) for kept in found], right=True),
            LayoutColumn("snapshot", [visible(kept.name) for kept in found]),
            LayoutColumn("place", [visible(kept.place) for kept in found]),
        ],
        width,
    )


def shown_size(size: int) -> str:
    """Bytes as people read them.

    >>> shown_size(999), shown_size(2_500_000)
    ('999 B', '2.5 MB')
    """
    power = min(max(len(str(size)) - 1, 0) // 3, 4)
    return f"{size / 1000**power:.3g} {('B', 'kB', 'MB', 'GB', 'TB')[power]}"
