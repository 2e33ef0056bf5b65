"""Terminal output of an audit."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lapcat.cli.layout import LayoutColumn, table
from lapcat.cli.screen import Line, Screen, StyledText, visible

if TYPE_CHECKING:
    from lapcat.audit.deployment.check import Check
    from lapcat.audit.deployment.report import Report


@contextmanager
def progress_of_checks() -> Iterator[Callable[[str, Check], None]]:
    """Progress of the checks on a terminal; nothing elsewhere."""
    screen = Screen.of(sys.stderr)
    if not screen.colour or screen.in_notebook:
        yield lambda table, check: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task, wrong = shown.add_task("generating rows"), 0

        def report(table: str, check: Check) -> None:
            nonlocal wrong
            wrong += bool(check.problem)
            checks = int(shown.tasks[0].completed) + 1
            description = f"{table}: {check.kind} of {check.aggregate}; {checks} checks, {wrong} wrong"
            shown.update(task, completed=checks, description=visible(description))

        yield report


def report_lines(report: Report, screen: Screen) -> list[Line]:
    """A table by aggregate, mechanism and engine, and the violations."""
    from lapcat.audit.deployment.report import NO_PROOF, SHOWN

    columns = [
        LayoutColumn("table", [line.table for line in report.lines]),
        LayoutColumn("check", [line.kind for line in report.lines]),
        LayoutColumn("aggregate", [line.aggregate for line in report.lines]),
        LayoutColumn("mechanism", [_ascii(line.mechanism, screen) for line in report.lines]),
        LayoutColumn("engine", [line.engine for line in report.lines]),
        LayoutColumn("how", [line.how for line in report.lines]),
        LayoutColumn("checks", [str(line.checks) for line in report.lines], right=True),
        LayoutColumn("wrong", [str(line.problems) for line in report.lines], right=True, style="bold"),
    ]
    lines: list[Line] = list(table(columns, None))
    for problem in report.problems[:SHOWN]:
        lines += [
            [
                StyledText(f" {problem.table}, {problem.kind} of {problem.aggregate}: ", "bold red"),
                StyledText(_ascii(problem.problem, screen)),
            ],
            [StyledText(f"   {problem.question}", "dim")],
        ]
    if len(report.problems) > SHOWN:
        lines.append([StyledText(f" and {len(report.problems) - SHOWN} more", "red")])
    checks = sum(line.checks for line in report.lines)
    summary = f" {checks} checks in {report.seconds:.0f} s: " + (
        f"nothing is wrong; {NO_PROOF}" if report.passed else f"{len(report.problems)} are wrong"
    )
    return [*lines, [StyledText(summary, "bold green" if report.passed else "bold red")]]


def _ascii(text: str, screen: Screen) -> str:
    return text if screen.drawn else text.replace("ε", "epsilon").replace("′", "'").replace("–", "-")
