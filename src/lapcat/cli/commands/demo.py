"""lapcat demo: a short tour for newcomers, on made-up people."""

from __future__ import annotations

import shlex
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import click

from lapcat.cli.options import plain_option, printing
from lapcat.cli.screen import Screen, StyledText


@click.command(short_help="Take a short tour: one private answer, end to end.")
@click.argument("folder", required=False)
@click.option("--no-pause", is_flag=True, help="Do not wait for Enter between the scenes.")
@plain_option
def command(folder: str | None, no_pause: bool, plain: bool) -> None:
    """Take a tour of one private answer. Needs no data; with FOLDER its files are kept there for you to try.

    On a terminal it waits for Enter between the scenes.
    """
    from lapcat.cli.demo_tour import DemoTour

    if folder is not None:
        with printing(plain) as screen:
            DemoTour(Path(folder), screen, _turn(screen, no_pause)).play()
            where = shlex.quote(str(Path(folder) / "lapcat.toml"))
            screen.say(f" The files are in {folder}. Next:  lapcat tables -c {where}")
        return
    with tempfile.TemporaryDirectory(prefix="lapcat-demo-") as temporary, printing(plain) as screen:
        DemoTour(Path(temporary), screen, _turn(screen, no_pause)).play()
        screen.say(" To keep the files and try it yourself:  lapcat demo ./lapcat-demo")


def _turn(screen: Screen, no_pause: bool) -> Callable[[], None]:
    """Called between scenes: waits for Enter if stdin and stdout are a terminal."""
    if no_pause or not screen.terminal or not sys.stdin.isatty():
        return lambda: None

    def wait() -> None:
        screen.show([[], [StyledText(" Press Enter to continue", "dim")]])
        sys.stdin.readline()

    return wait
