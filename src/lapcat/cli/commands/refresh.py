"""lapcat refresh: the steward declares a new version of a table and writes its snapshot."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
    help="Write the missing snapshot of the declared version, whose rows TABLE still has.",
)
@click.option("--reason", metavar="TEXT", help="With --same-version: why; the ledger keeps it.")
@json_option
@catalogue_option
def command(table: str | None, same_version: bool, reason: str | None, as_json: bool, catalogue: str) -> None:
    """Declare a new version of a table's data, or of all tables (steward).

    Questions read the version that was declared last. A question about a new version is a new question: it costs again.
    One refresh runs at a time; another waits for it.

    With --same-version nothing new is declared: stored answers stay free. For a version that lapcat 0.1.0 read without a
    snapshot, or whose snapshot is gone; only you know that the rows are still the same.
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
        if table is None or not same_version or reason is None:
            raise BadQuery(
                "same-version",
                "--same-version goes with one table and a reason",
                fix=f'lapcat refresh {table or "TABLE"} --same-version --reason "why"',
            )
        from lapcat.session.same_version import write_missing

        with progress_of(names[0]) as advance:
            versions[names[0]] = write_missing(deployment, names[0], reason, advance)
        names = []
        if not as_json:
            with printing() as screen:
                screen.say(*(f"{name}: version {version}, as before" for name, version in versions.items()))
    for name in names:
        _say_beforehand(deployment, name)
        with progress_of(name) as advance:
            versions[name] = refresh(deployment, name, advance, _say_that_it_waits)
        if not as_json:
            with printing() as screen:
                screen.say(f"{name}: version {versions[name]}{_read(deployment, name)}")
    if as_json:
        from lapcat.cli.streams import print_json

        with printing():
            print_json({"versions": versions})


def _say_beforehand(deployment: Deployment, name: str) -> None:
    """On a terminal: how much disk it takes, and that a new version costs. Whether rows have changed is never looked up: that
    would tell about them."""
    from lapcat.session.disk import disk_needed, free_disk, shown
    from lapcat.session.files import everything, files_of

    screen = Screen.of(sys.stderr)
    if not screen.terminal:
        return
    table, tables = everything(deployment.catalogue)[name], files_of(deployment)
    needed = disk_needed(tables.source(table))
    if needed is not None:
        screen.say(f"{name}: needs about {shown(needed)} of disk; {shown(free_disk(tables.folder))} are free")
    if deployment.ledger.version(deployment.identity(table)):
        screen.say(f"{name}: a new version makes repeated questions cost again, also if no row has changed")


def _read(deployment: Deployment, name: str) -> str:
    """What `refresh` read of a public table that declares no columns."""
    catalogue = deployment.catalogue
    if name not in catalogue.read:
        return ""
    columns = catalogue.public[name].columns
    unique = [column for column, spec in columns.items() if spec.unique]
    joined = f"joined by {', '.join(unique)}" if unique else "none of them unique, so nothing can join it"
    return visible(f"; {len(columns)} columns read, {joined}")


def _say_that_it_waits() -> None:
    Screen.of(sys.stderr).say("another refresh is running; this one begins when that one ends")


@contextmanager
def progress_of(name: str) -> Iterator[Callable[[float], None]]:
    """A bar on a terminal, lines in a notebook; nothing elsewhere."""
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
    """`staff: 40 %` at every tenth, but no more often than every few seconds: quick work prints nothing."""
    told, last = 0, time.monotonic()

    def advance(fraction: float) -> None:
        nonlocal told, last
        percent, now = int(10 * min(1.0, fraction)) * 10, time.monotonic()
        if told < percent < 100 and now - last >= SECONDS_BETWEEN_LINES:
            told, last = percent, now
            screen.say(f"{name}: {percent} %")

    return advance
