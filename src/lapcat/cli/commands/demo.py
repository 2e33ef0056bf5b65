"""lapcat demo: a short story for newcomers, told with the real product on made-up people."""

from __future__ import annotations

import shlex
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import click

from lapcat.cli.options import plain_option, printing
from lapcat.cli.screen import Screen, StyledText


@click.command(short_help="A short story: one private answer, end to end.")
@click.argument("folder", required=False)
@click.option("--no-pause", is_flag=True, help="Do not wait for Enter between the scenes.")
@plain_option
def command(folder: str | None, no_pause: bool, plain: bool) -> None:
    """Tell the story of one private answer. Needs nothing; with FOLDER its files stay there to play with.

    On a terminal it waits for Enter between the scenes.
    """
    from lapcat.cli.demo_tour import DemoTour

    if folder is not None:
        with printing(plain) as screen:
            DemoTour(Path(folder), screen, _turn(screen, no_pause)).tell()
            where = shlex.quote(str(Path(folder) / "lapcat.toml"))
            screen.say(f" The files are in {folder}. Go on:  lapcat tables -c {where}")
        return
    with tempfile.TemporaryDirectory(prefix="lapcat-demo-") as temporary, printing(plain) as screen:
        DemoTour(Path(temporary), screen, _turn(screen, no_pause)).tell()
        screen.say(" To play with these people:  lapcat demo ./lapcat-demo")


def _turn(screen: Screen, no_pause: bool) -> Callable[[], None]:
    """What happens between scenes: where somebody watches and can press a key, the story waits for them."""
    if no_pause or not screen.terminal or not sys.stdin.isatty():
        return lambda: None

    def wait() -> None:
        screen.show([[], [StyledText(" Enter goes on", "dim")]])
        sys.stdin.readline()

    return wait
