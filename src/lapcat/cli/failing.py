"""Maps exceptions, Ctrl-C and broken pipes to messages and exit codes."""

from __future__ import annotations

import os
import re
import signal
import sys
import textwrap
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType, TracebackType

import click

from lapcat.cli.screen import Line, Screen, StyledText
from lapcat.errors import BadQuery, Bug, EngineFailed, Error

_PYTHON_ARGUMENT = re.compile(r"\b(epsilon|delta|rho|error|confidence)=(?:(?=[0-9.…])|\"([^\"]+)\")")
_COMMANDS_THAT_CHARGE = ("ask", "demo")


class Guard:
    """A context manager around a command: catches every exception, prints it, and sets the exit code."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.arguments = arguments
        self.as_json = "--json" in arguments
        self.exit_code = 0
        self.interrupted = False
        self._before: object = None

    def __enter__(self) -> Guard:
        # An engine may convert KeyboardInterrupt into its own exception; the flag remembers it.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._on_interrupt)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> bool:
        try:
            if problem is None:
                sys.stdout.flush()
            else:
                self.exit_code = self.handle(problem)
        except (Exception, KeyboardInterrupt) as later:  # while flushing, or while printing the error
            self.exit_code = self.handle(later)
        finally:
            if self._before is not None:
                signal.signal(signal.SIGINT, signal.default_int_handler)
        return True

    def _on_interrupt(self, number: int, frame: FrameType | None) -> None:
        self.interrupted = True
        raise KeyboardInterrupt

    def handle(self, problem: BaseException) -> int:
        if isinstance(problem, (click.exceptions.Exit, SystemExit)):
            return int(getattr(problem, "exit_code", getattr(problem, "code", 0)) or 0)
        if isinstance(problem, BrokenPipeError):
            _close_quietly()
            return 0
        if isinstance(problem, click.exceptions.NoArgsIsHelpError):
            print(problem.format_message())
            return 2
        error, code = self.as_error(problem)
        if os.environ.get("LAPCAT_DEBUG") == "1":
            traceback.print_exception(problem)
        with suppress(BrokenPipeError):
            print_error(error, self.as_json)
        _close_quietly()
        return code

    def as_error(self, problem: BaseException) -> tuple[Error, int]:
        """The error to print for an exception, and the exit code."""
        if self.interrupted or isinstance(problem, (KeyboardInterrupt, EOFError, click.Abort)):
            return interrupted(any(word in self.arguments for word in _COMMANDS_THAT_CHARGE)), 130
        if isinstance(problem, Error):
            return problem, problem.exit_code
        if isinstance(problem, click.ClickException):
            error = usage_error(problem)
            return error, error.exit_code
        if isinstance(problem, MemoryError):
            return EngineFailed(
                "out-of-memory",
                "memory ran out",
                why="if the question was already charged, the charge stands, and the same question finishes under it",
                fix='close other programs, group by fewer columns, or write [engine] memory = "2GB" into lapcat.toml',
            ), 1
        return unexpected(problem), 1


def interrupted(may_have_charged: bool) -> Error:
    return EngineFailed(
        "interrupted",
        "stopped by Ctrl-C",
        why="if the question was already charged, the charge stands" if may_have_charged else "",
        fix="ask the same question again: it finishes under the same charge, for free"
        if may_have_charged
        else "",
    )


def usage_error(problem: click.ClickException) -> BadQuery:
    context = getattr(problem, "ctx", None)
    command = context.command_path if context is not None else "lapcat"
    message = problem.format_message().strip().rstrip(".")
    fix = f"{command} --help"
    if isinstance(problem, click.MissingParameter) and problem.param and problem.param.name == "reason":
        fix = f'{command} --reason "why"'
    return BadQuery("usage", message[:1].lower() + message[1:], fix=fix)


def unexpected(problem: BaseException) -> Bug:
    """The type and location of an exception, without its text, which may contain data."""
    frames = traceback.extract_tb(problem.__traceback__)
    ours = [frame for frame in frames if f"{os.sep}lapcat{os.sep}" in frame.filename] or frames
    where = f" in {Path(ours[-1].filename).name}, line {ours[-1].lineno}" if ours else ""
    return Bug(
        "unexpected",
        f"{type(problem).__name__}{where}: unexpected error",
        why="the text of the exception is not shown, because it may contain data",
        fix="please report this line; LAPCAT_DEBUG=1 prints the traceback, which may contain data: keep it private",
    )


def print_error(error: Error, as_json: bool) -> None:
    """Prints an error on standard error: as JSON, or as text with place, reason and fix."""
    if as_json:
        body = error.as_json()
        inner = body["error"]
        assert isinstance(inner, dict)
        inner["fix"] = as_typed_here(error.fix) or None
        from lapcat.cli.streams import json_text

        print(json_text(body), file=sys.stderr, flush=True)
        return
    screen = Screen.of(sys.stderr)
    screen.show(error_lines(error, screen.wrapping_width))


def error_lines(error: Error, width: int | None) -> list[Line]:
    """The error as text. The fix is never wrapped, so that it can be pasted."""
    lines = paragraph(StyledText(f"{error.family} [{error.code}]: ", "bold red"), error.message, width)
    if error.place is not None:
        drawn = error.place.drawn() if width is None else error.place.drawn(max(30, width - 4))
        lines += [
            [StyledText("  " + line, "red" if index else "")] for index, line in enumerate(drawn.splitlines())
        ]
    if error.why:
        lines += paragraph(StyledText("  why: ", "dim"), error.why, width)
    if error.fix:
        lines += paragraph(StyledText("  fix: ", "bold green"), as_typed_here(error.fix), None)
    return lines


def as_typed_here(fix: str) -> str:
    """A fix in Python syntax (epsilon=0.1, error="5%") as command-line options (--epsilon 0.1, --error 5%)."""
    return _PYTHON_ARGUMENT.sub(lambda match: f"--{match[1]} {match[2] or ''}", fix)


def paragraph(lead: StyledText, text: str, width: int | None) -> list[Line]:
    """`lead` followed by the text, wrapped with a hanging indent."""
    lines: list[Line] = []
    for part in text.split("\n"):
        start = "" if lines else lead.text
        own = " " * (len(part) - len(part.lstrip()))
        indent = own or " " * 7
        if lines and not own:
            part = indent + part
        written = [start + part]
        if width is not None:
            written = textwrap.wrap(
                start + part, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
            ) or [start]
        if not lines:
            lines.append([lead, StyledText(written.pop(0)[len(start) :])])
        lines += [[StyledText(line)] for line in written]
    return lines


def _close_quietly() -> None:
    """Discards unwritten output, so that Python does not try to flush it again at exit (closed pipe, full disk)."""
    sink = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(sink, stream.fileno())
