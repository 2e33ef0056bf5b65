"""On a real terminal of 80 columns: colour, width, progress; and none of it where nobody looks."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.e2e.kit import LAPCAT, Desk

fcntl = pytest.importorskip("fcntl", reason="impossible here: another operating system")
import pty  # noqa: E402
import struct  # noqa: E402
import termios  # noqa: E402

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
PAY = "SELECT region, AVG(salary) AS pay, COUNT(*) AS n FROM staff GROUP BY region"


def on_a_terminal(
    desk: Desk,
    *arguments: str,
    columns: int = 80,
    env: Mapping[str, str] | None = None,
    typed: bytes = b"",
    interrupted: str = "",
) -> str:
    """All that a terminal of this width receives; `typed` waits in its keyboard, and somebody presses Ctrl-C when the words `interrupted` appear."""
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
    if typed and not interrupted:
        os.write(ours, typed)
    received, pressing = b"", False
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        if not select.select([ours], [], [], 1)[0]:
            if pressing:  # a signal just before a read begins is only noticed after it: press again
                process.send_signal(signal.SIGINT)
            continue
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        received += piece
        if interrupted and not pressing and interrupted.encode() in received:
            process.send_signal(signal.SIGINT)
            pressing = True
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


@pytest.mark.parametrize(
    "typed",
    [
        ("preview", PAY, "--epsilon", "1"),
        ("sensitivity", PAY),
        ("epsilon", "4", "--household", "3"),
        ("epsilon", "--table", "visits"),
        ("budget",),
        ("statement",),
        ("schema", "visits"),
        ("size", "--questions", "10", "--error", "0.02", "--epsilon", "1"),
    ],
    ids=lambda typed: " ".join(typed[:1]),
)
def test_no_line_is_broken_by_the_terminal(shared_desk: Desk, typed: tuple[str, ...]) -> None:
    """At 80 columns every line fits, so that words are broken between and not within."""
    lines = ESCAPE.sub("", on_a_terminal(shared_desk, *typed)).replace("\r", "").splitlines()
    assert len(lines) > 1 and max(map(len, lines)) <= 80, max(lines, key=len)


@pytest.mark.usefixtures("ctrl_c")
def test_the_demo_waits_for_enter_where_somebody_watches(tmp_path: Path) -> None:
    """Without a key it stands at its first scene; with one a scene it comes to its end; --no-pause waits for nothing."""
    desk = Desk(tmp_path)
    screen = ESCAPE.sub("", on_a_terminal(desk, "demo", typed=b"\n" * 7))
    assert screen.count("Press Enter to continue") == 7 and "8. The budget ends" in screen
    assert max(map(len, screen.replace("\r", "").splitlines())) <= 80
    assert "Press Enter to continue" not in ESCAPE.sub("", on_a_terminal(desk, "demo", "--no-pause"))
    first = ESCAPE.sub("", on_a_terminal(desk, "demo", interrupted="Press Enter to continue"))
    assert first.count("Press Enter to continue") == 1 and "2. What does" not in first


def test_a_terminal_is_told_what_a_new_version_takes_and_costs(desk: Desk) -> None:
    screen = " ".join(ESCAPE.sub("", on_a_terminal(desk, "refresh", "staff")).split())
    assert "staff: needs about" in screen and " free " in screen
    assert "with a new version, repeated questions are charged again, even if no row changed" in screen
