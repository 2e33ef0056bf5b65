"""lapcat check: is the catalogue complete, and — with --rows — do its bounds and keys fit?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from lapcat.cli.draft import GUESSED, OpenQuestion, open_questions
from lapcat.cli.options import catalogue_option, json_option, printing
from lapcat.cli.screen import Line, Span
from lapcat.errors import Error


@click.command(short_help="Check the catalogue, list its open questions.")
@click.option(
    "--rows", is_flag=True, help="The steward's own look: how many rows fall outside bounds and keys."
)
@json_option
@catalogue_option
def command(rows: bool, as_json: bool, catalogue: str) -> None:
    """Check the catalogue and list its open questions (steward). Reads no row, unless --rows."""
    path = Path(catalogue)
    questions = open_questions(path.read_text(encoding="utf-8", errors="replace")) if path.is_file() else []
    found = _Findings()
    try:
        found.look(catalogue, rows)
    except Error as problem:
        found.problems.append(problem)
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            listed = [{"line": q.line, "text": q.text, "guessed": q.guessed} for q in questions]
            print_json({"open": listed, **found.as_json()})
        else:
            screen.show([*question_lines(catalogue, questions), *found.lines()])
    if found.problems and not as_json:
        from lapcat.cli.failing import print_error

        for each in found.problems:
            print_error(each, False)
    if found.problems:
        raise click.exceptions.Exit(found.problems[0].exit_code)


def question_lines(catalogue: str, questions: Sequence[OpenQuestion]) -> list[Line]:
    """The open questions by line; guessed types together."""
    asked = [question for question in questions if not question.guessed]
    guessed = [question for question in questions if question.guessed]
    lines: list[Line] = []
    if asked:
        lines.append([Span(f"open questions in {catalogue}:", "yellow")])
        lines += [[Span(f"  line {question.line}: ", "bold"), Span(question.text)] for question in asked]
    if guessed:
        lines.append(
            [Span(f"guessed types in {catalogue}; if they are right, delete `{GUESSED}`:", "yellow")]
        )
        lines += [[Span(f"  line {question.line}: ", "bold"), Span(question.text)] for question in guessed]
    return lines


class _Findings:
    """What is wrong, what waits to be accepted or refreshed, and what the rows say."""

    def __init__(self) -> None:
        self.problems: list[Error] = []
        self.changes: list[str] = []
        self.unrefreshed: list[str] = []
        self.outside: list[dict[str, object]] | None = None
        self.tables: list[str] = []

    def look(self, catalogue: str, rows: bool) -> None:
        from lapcat.cli.checking import rows_outside, schema_problems, unrefreshed
        from lapcat.session.files import open_deployment

        deployment = open_deployment(catalogue)
        self.tables = [*deployment.catalogue.tables, *deployment.catalogue.public]
        self.problems += schema_problems(deployment)
        self.changes = deployment.changes()
        self.unrefreshed = unrefreshed(deployment)
        if rows and not self.problems:
            self.outside = [
                {"table": name, "column": finding.column, "rule": finding.rule, "rows": finding.rows}
                for name in self.tables
                for finding in rows_outside(deployment, name)
            ]

    def as_json(self) -> dict[str, object]:
        found: dict[str, object] = {
            "problems": [problem.as_json()["error"] for problem in self.problems],
            "changes": self.changes,
            "unrefreshed": self.unrefreshed,
        }
        return found if self.outside is None else {**found, "rows": self.outside}

    def lines(self) -> list[Line]:
        lines: list[Line] = []
        if self.changes:
            lines.append([Span('not accepted yet (lapcat accept --reason "why"):', "yellow")])
            lines += [[Span(f"  {change}")] for change in self.changes]
        lines += [[Span(f"{name} has no snapshot yet: lapcat refresh {name}")] for name in self.unrefreshed]
        for finding in self.outside or []:
            lines.append(
                [Span(f"{finding['table']}.{finding['column']}: {finding['rows']} rows {finding['rule']}")]
            )
        if self.outside == []:
            lines.append([Span("every row fits its bounds and keys", "green")])
        if not self.problems and self.tables:
            lines.append([Span(f"the catalogue is valid: {', '.join(self.tables)}", "green")])
        return lines
