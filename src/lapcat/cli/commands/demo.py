"""lapcat demo: a short story for newcomers, told with the real product on made-up people."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path

import click

from lapcat.cli.options import plain_option, printing


@click.command(short_help="A short story: one private answer, end to end.")
@click.argument("folder", required=False)
@plain_option
def command(folder: str | None, plain: bool) -> None:
    """Tell the story of one private answer. Needs nothing; with FOLDER its files stay there to play with."""
    from lapcat.cli.demo_story import Story

    if folder is not None:
        with printing(plain) as screen:
            Story(Path(folder), screen).tell()
            where = shlex.quote(str(Path(folder) / "lapcat.toml"))
            screen.say(f" The files are in {folder}. Go on:  lapcat tables -c {where}")
        return
    with tempfile.TemporaryDirectory(prefix="lapcat-demo-") as temporary, printing(plain) as screen:
        Story(Path(temporary), screen).tell()
        screen.say(" To play with these people:  lapcat demo ./lapcat-demo")
