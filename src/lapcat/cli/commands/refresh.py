"""lapcat refresh: declares a new version of a table and writes its snapshot."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

import click

from lapcat.cli.naming import any_table
from lapcat.cli.options import catalogue_option, deployment_of, json_option, printing
from lapcat.cli.screen import Screen, visible
from lapcat.errors import BadQuery

if TYPE_CHECKING:
    from lapcat.session.deployment import Deployment

SECONDS_BETWEEN_LINES = 3


@click.command(short_help="Declare a new version of the data (steward).")
@click.argument("table", required=False)
@click.option(
    "--same-version",
    is_flag=True,
    help="Write the missing snapshot of the current version, if the rows of TABLE have not changed.",
)
@click.option("--reason", metavar="TEXT", help="Reason for --same-version; it stays in the ledger.")
@click.option(
    "--today",
    metavar="DATE",
    type=click.DateTime(["%Y-%m-%d"]),
    help="The date that CURRENT_DATE has in questions about this version, as 2024-06-30.",
)
@json_option
@catalogue_option
def command(
    table: str | None,
    same_version: bool,
    reason: str | None,
    today: datetime | None,
    as_json: bool,
    catalogue: str,
) -> None:
    """Declare a new version of a table's data, or of all tables (steward).

    Questions read the latest declared version. A question about a new version is a new question and is charged again. Only
    one refresh runs at a time; others wait for it. CURRENT_DATE in a question is the date given with --today; without it, such
    questions are refused.

    With --same-version no new version is declared, so stored answers stay free. Use it if the snapshot is gone, or if lapcat
    0.1.0 read the version without one; only you know that the rows are unchanged.
    """
    from lapcat.session.files import everything, refresh

    deployment = deployment_of(catalogue)
    names = (
        [any_table(deployment.catalogue, table).name]
        if table is not None
        else list(everything(deployment.catalogue))
    )
    versions: dict[str, int] = {}
    if same_version or reason is not None:
        if table is None or not same_version or reason is None or today is not None:
            raise BadQuery(
                "same-version",
                "--same-version needs one table and a reason, and keeps its date",
                fix=f'lapcat refresh {table or "TABLE"} --same-version --reason "why"',
            )
        from lapcat.session.same_version import write_missing

        with progress_of(names[0]) as advance:
            versions[names[0]] = write_missing(deployment, names[0], reason, advance)
        names = []
        if not as_json:
            with printing() as screen:
                screen.say(*(f"{name}: version {version}, unchanged" for name, version in versions.items()))
    for name in names:
        _show_notice(deployment, name)
        with progress_of(name) as advance:
            versions[name] = refresh(
                deployment, name, advance, _show_waiting, None if today is None else today.date()
            )
        if not as_json:
            with printing() as screen:
                screen.say(f"{name}: version {versions[name]}{_read(deployment, name)}")
    if as_json:
        from lapcat.cli.streams import print_json

        with printing():
            print_json({"versions": versions})


def _show_notice(deployment: Deployment, name: str) -> None:
    """On a terminal: the disk space needed, and a note that repeats are charged again. Whether rows changed is not checked, because
    that would reveal something about them."""
    from lapcat.session.disk import disk_needed, free_disk, shown
    from lapcat.session.files import everything, files_of

    screen = Screen.of(sys.stderr)
    if not screen.terminal:
        return
    table, tables = everything(deployment.catalogue)[name], files_of(deployment)
    needed = disk_needed(tables.source(table))
    if needed is not None:
        screen.say(f"{name}: needs about {shown(needed)} of disk; {shown(free_disk(tables.folder))} free")
    if deployment.ledger.version(deployment.identity(table)):
        screen.say(
            f"{name}: with a new version, repeated questions are charged again, even if no row changed"
        )


def _read(deployment: Deployment, name: str) -> str:
    """The columns read from a public table that declares none."""
    catalogue = deployment.catalogue
    if name not in catalogue.read:
        return ""
    columns = catalogue.public[name].columns
    unique = [column for column, spec in columns.items() if spec.unique]
    joined = f"joinable by {', '.join(unique)}" if unique else "none of them unique, so no table can join it"
    return visible(f"; {len(columns)} columns read, {joined}")


def _show_waiting() -> None:
    Screen.of(sys.stderr).say("another refresh is running; waiting for it")


@contextmanager
def progress_of(name: str) -> Iterator[Callable[[float], None]]:
    """A progress bar on a terminal, lines in a notebook, nothing elsewhere."""
    screen, name = Screen.of(sys.stderr), visible(name)
    if screen.in_notebook:
        yield _lines_of_progress(screen, name)
        return
    if not screen.colour:
        yield lambda fraction: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=1.0)
        yield lambda fraction: bar.update(task, completed=min(1.0, max(0.0, fraction)))


def _lines_of_progress(screen: Screen, name: str) -> Callable[[float], None]:
    """`staff: 40 %` at every 10 %, but at most every few seconds; short tasks print nothing."""
    shown, last = 0, time.monotonic()

    def advance(fraction: float) -> None:
        nonlocal shown, last
        percent, now = int(10 * min(1.0, fraction)) * 10, time.monotonic()
        if shown < percent < 100 and now - last >= SECONDS_BETWEEN_LINES:
            shown, last = percent, now
            screen.say(f"{name}: {percent} %")

    return advance
