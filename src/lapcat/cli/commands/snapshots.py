"""lapcat snapshots: lists and removes snapshots of the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from lapcat.cli.options import catalogue_option, deployment_of, json_option, printing

if TYPE_CHECKING:
    from lapcat.cli.screen import Line
    from lapcat.session.stored_snapshots import KeptSnapshot


@click.group(invoke_without_command=True, short_help="List snapshots of the data, remove old ones (steward).")
@json_option
@catalogue_option
@click.pass_context
def command(context: click.Context, as_json: bool, catalogue: str) -> None:
    """List the snapshots written by `refresh`: table, version, place, size, and whether they are needed (steward).

    A snapshot holds every private row of its version. `lapcat snapshots prune` removes those that no question needs.
    """
    if context.invoked_subcommand is not None:
        return
    from lapcat.session.stored_snapshots import kept_snapshots

    snapshots = kept_snapshots(deployment_of(catalogue))
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json({"snapshots": [kept.as_json() for kept in snapshots]})
        elif snapshots:
            screen.show(snapshot_lines(snapshots, screen.wrapping_width))
        else:
            screen.say("no snapshots yet: lapcat refresh")


@command.command("prune", short_help="Remove the snapshots that no question needs.")
@click.argument("names", metavar="[SNAPSHOT]...", nargs=-1)
@json_option
@catalogue_option
def pruned(names: tuple[str, ...], as_json: bool, catalogue: str) -> None:
    """Remove old snapshots, leftovers of killed refreshes, and orphans; or only the named snapshots (steward).

    Keeps the current version of each table, and snapshots being written. A snapshot on a server that this ledger does not know
    may belong to another catalogue: it is removed only if named.
    """
    from lapcat.session.stored_snapshots import prune

    removed = prune(deployment_of(catalogue), names)
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json({"removed": [kept.as_json() for kept in removed]})
        elif removed:
            screen.show(snapshot_lines(removed, screen.wrapping_width))
            count = "1 snapshot" if len(removed) == 1 else f"{len(removed)} snapshots"
            screen.say(f"removed {count}, {shown_size(sum(kept.size for kept in removed))}")
        else:
            screen.say("nothing to remove")


def snapshot_lines(snapshots: Sequence[KeptSnapshot], width: int | None) -> list[Line]:
    from lapcat.cli.layout import LayoutColumn, table
    from lapcat.cli.screen import visible

    return table(
        [
            LayoutColumn("table", [visible(kept.table) for kept in snapshots], style="bold"),
            LayoutColumn(
                "version",
                ["" if kept.version is None else str(kept.version) for kept in snapshots],
                right=True,
            ),
            LayoutColumn("state", [str(kept.state) for kept in snapshots]),
            LayoutColumn("size", [shown_size(kept.size) for kept in snapshots], right=True),
            LayoutColumn("snapshot", [visible(kept.name) for kept in snapshots]),
            LayoutColumn("place", [visible(kept.place) for kept in snapshots]),
        ],
        width,
    )


def shown_size(size: int) -> str:
    """A number of bytes in a readable unit.

    >>> shown_size(999), shown_size(2_500_000)
    ('999 B', '2.5 MB')
    """
    power = min(max(len(str(size)) - 1, 0) // 3, 4)
    return f"{size / 1000**power:.3g} {('B', 'kB', 'MB', 'GB', 'TB')[power]}"
