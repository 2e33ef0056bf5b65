"""A person at a real terminal of 80 columns, who answers each question as it appears."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Sequence

from tests.e2e.kit import LAPCAT, Desk

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def at_a_terminal(desk: Desk, arguments: Sequence[str], answers: Sequence[str], seconds: float = 120) -> str:
    """All that the terminal shows. An answer is typed when the last line ends with a colon; Ctrl-C is typed as it is."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = desk.environment({"TERM": "xterm-256color"})
    del environment["COLUMNS"]
    process = subprocess.Popen(
        [LAPCAT, *arguments],
        cwd=desk.folder,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    received, waiting, typed = b"", list(answers), 0
    deadline = time.monotonic() + seconds
    try:
        while time.monotonic() < deadline:
            if select.select([ours], [], [], 0.1)[0]:
                try:
                    piece = os.read(ours, 65536)
                except OSError:
                    break
                if not piece:
                    break
                received += piece
            elif waiting and len(received) > typed and received.rstrip(b" ").endswith(b":"):
                answer = waiting.pop(0)
                os.write(ours, answer.encode() + (b"" if answer == "\x03" else b"\n"))
                typed = len(received)
        process.wait(timeout=60)
    finally:
        process.kill()
        os.close(ours)
    return ESCAPE.sub("", received.decode()).replace("\r", "")
