"""On a real terminal of 80 columns: colour, width, progress; and none of it where nobody looks."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Mapping

import pytest

from tests.e2e.kit import LAPCAT, Desk

fcntl = pytest.importorskip("fcntl", reason="impossible here: another operating system")
import pty  # noqa: E402
import struct  # noqa: E402
import termios  # noqa: E402

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
PAY = "SELECT region, AVG(salary) AS pay, COUNT(*) AS n FROM staff GROUP BY region"


def on_a_terminal(
    desk: Desk, *arguments: str, columns: int = 80, env: Mapping[str, str] | None = None
) -> str:
    """All that a terminal of this width receives."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = desk.environment({"TERM": "xterm-256color", **(env or {})})
    del environment["COLUMNS"]
    process = subprocess.Popen(
        [LAPCAT, *arguments],
        cwd=desk.folder,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        close_fds=True,
    )
    os.close(theirs)
    received = b""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        received += piece
    process.wait(timeout=60)
    os.close(ours)
    return received.decode()


@pytest.mark.parametrize("columns", [40, 80])
def test_an_answer_fits_the_terminal_and_has_colours(desk: Desk, columns: int) -> None:
    shown = on_a_terminal(desk, "ask", PAY, "--epsilon", "1", columns=columns)
    assert ESCAPE.search(shown)
    lines = ESCAPE.sub("", shown).replace("\r", "").splitlines()
    assert max(map(len, lines)) <= columns, lines
    assert any("●" in line for line in lines) == (columns >= 80)
    assert any("receipt" in line for line in lines)


def test_no_color_is_heard(desk: Desk) -> None:
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b" not in on_a_terminal(desk, "ask", PAY, "--epsilon", "1", env=env)
    assert "\x1b" not in on_a_terminal(desk, "ask", PAY, "--epsilon", "1", "--plain")


def test_an_error_is_coloured_and_wrapped(shared_desk: Desk) -> None:
    shown = on_a_terminal(shared_desk, "ask", "SELECT AVG(bonus) FROM staff", "--epsilon", "1")
    assert ESCAPE.search(shown) and "Refused [bounds-missing]" in ESCAPE.sub("", shown)


def test_refresh_shows_progress_on_a_terminal_only(desk: Desk) -> None:
    shown = on_a_terminal(desk, "refresh", "visits")
    assert "visits: version 2" in ESCAPE.sub("", shown) and ESCAPE.search(shown)
    assert desk.run("refresh", "visits").err == ""
