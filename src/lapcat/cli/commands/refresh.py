"""lapcat refresh: the steward declares a new version of a table and writes its snapshot."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from lapcat.cli.naming import any_table
from lapcat.cli.options import catalogue_option, deployment_of, json_option, printing
from lapcat.cli.screen import Screen, visible


@click.command(short_help="Declare a new version of the data (steward).")
@click.argument("table", required=False)
@json_option
@catalogue_option
def command(table: str | None, as_json: bool, catalogue: str) -> None:
    """Declare a new version of a table's data, or of all tables (steward).

    Questions read the version that was declared last. A question about a new version is a new question: it costs again.
    """
    from lapcat.session.files import everything, refresh

    deployment = deployment_of(catalogue)
    names = (
        [any_table(deployment.catalogue, table).name]
        if table is not None
        else list(everything(deployment.catalogue))
    )
    versions: dict[str, int] = {}
    for name in names:
        with progress_of(name) as advance:
            versions[name] = refresh(deployment, name, advance)
        if not as_json:
            with printing() as screen:
                screen.say(f"{name}: version {versions[name]}")
    if as_json:
        from lapcat.cli.streams import print_json

        with printing():
            print_json({"versions": versions})


@contextmanager
def progress_of(name: str) -> Iterator[Callable[[float], None]]:
    """A bar on a terminal; nothing elsewhere."""
    screen = Screen.of(sys.stderr)
    if not screen.colour:
        yield lambda fraction: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    name = visible(name)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=1.0)
        yield lambda fraction: bar.update(task, completed=min(1.0, max(0.0, fraction)))
