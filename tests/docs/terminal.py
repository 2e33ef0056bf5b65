"""What somebody sees who types a page's commands: a terminal of 80 columns, without colours, and noise that repeats itself."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

COLUMNS = 80
CHANGES = {
    r"\b\d+:[0-9a-f]{4,}…?": "RECEIPT",
    r"\b\d{4}-\d\d-\d\d(?: to \d{4}-\d\d-\d\d)?": "DATE",
    r"(?<=lapcat[ \n])\d+\.\d+\.\d+": "VERSION",
}
"""What is another at every run, or day, though the coins repeat themselves."""
SEEDED = """
import sys
import zlib

import lapcat.core.coins
from lapcat.testing.coins import SeededCoins

class Repeating(SeededCoins):
    cryptographic = True  # or every answer would warn

lapcat.core.coins.system_coins = lambda: Repeating(zlib.crc32(" ".join(sys.argv[1:]).encode()))
"""


def masked(lines: Sequence[str]) -> list[str]:
    """The lines without what changes from run to run, and without the dates of a run."""
    text = "\n".join(line.rstrip() for line in lines).strip("\n")
    for pattern, name in CHANGES.items():
        text = re.sub(pattern, name, text)
    return text.splitlines()


def seeded(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of a process whose coins depend on its arguments alone."""
    place = folder / ".seeded"
    place.mkdir(exist_ok=True)
    (place / "sitecustomize.py").write_text(SEEDED, encoding="utf-8")
    known = [str(place), *filter(None, [environment.get("PYTHONPATH")])]
    return {**environment, "PYTHONPATH": os.pathsep.join(known), "TERM": "xterm", "NO_COLOR": "1"}


@contextlib.contextmanager
def seeded_here(seed: int) -> Iterator[None]:
    """The same for questions that this process asks."""
    from lapcat.testing.coins import SeededCoins

    class Repeating(SeededCoins):
        cryptographic = True

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lapcat.session.deployment.system_coins", lambda: Repeating(seed))
        yield


def run(
    words: Sequence[str | Path], folder: Path, environment: Mapping[str, str], *, fails: bool = False
) -> tuple[int, str]:
    """How a command ends and what it prints on a terminal; what it says beside that, such as progress, only where it `fails`."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    process = subprocess.Popen(
        words,
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs if fails else subprocess.DEVNULL,
    )
    os.close(theirs)
    shown = b""
    try:
        while piece := _read(ours):
            shown += piece
        code = process.wait(timeout=300)
    finally:
        process.kill()
        os.close(ours)
    return code, shown.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # everybody who wrote to it is gone
        return b""
