"""lapcat check: is the catalogue complete, and — with --rows — do its bounds and keys fit?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lapcat.cli.draft import GUESSED, OpenQuestion, open_questions
from lapcat.cli.options import catalogue_option, json_option, printing
from lapcat.cli.screen import Line, StyledText
from lapcat.errors import Error

if TYPE_CHECKING:
    from lapcat.engines.operators import OperatorMeaning


@click.command(short_help="Check the catalogue, list its open questions.")
@click.option(
    "--rows", is_flag=True, help="The steward's own look: how many rows fall outside bounds and keys."
)
@click.option(
    "--engine", is_flag=True, help="Probe what each engine means by every operator; takes seconds to minutes."
)
@json_option
@catalogue_option
def command(rows: bool, engine: bool, as_json: bool, catalogue: str) -> None:
    """Check the catalogue and list its open questions (steward). Reads no row, unless --rows.

    With --engine, small plans over made-up rows are run on the engine of every table, and compared with what lapcat
    means by them. Questions that use an operator by which an engine means something else are refused on it from then on.
    """
    path = Path(catalogue)
    questions = open_questions(path.read_text(encoding="utf-8", errors="replace")) if path.is_file() else []
    found = _Findings()
    try:
        found.look(catalogue, rows, engine)
    except Error as problem:
        found.problems.append(problem)
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            listed = [
                {"line": q.line, "text": q.text, "guessed": q.guessed, "optional": q.optional}
                for q in questions
            ]
            print_json({"open": listed, **found.as_json()})
        else:
            screen.show([*question_lines(catalogue, questions), *found.lines()])
    if found.problems and not as_json:
        from lapcat.cli.failing import print_error

        for each in found.problems:
            print_error(each, False)
    if found.problems:
        raise click.exceptions.Exit(found.problems[0].exit_code)
    if any(each.result != "same" for operators in found.engines.values() for each in operators):
        raise click.exceptions.Exit(1)


def question_lines(catalogue: str, questions: Sequence[OpenQuestion]) -> list[Line]:
    """The open questions by line: first what must be decided, then what may be, then what was guessed."""
    parts = {
        f"must be decided in {catalogue}:": [q for q in questions if not (q.optional or q.guessed)],
        "may be decided, for SUM, AVG and GROUP BY:": [q for q in questions if q.optional],
        f"guessed from the file; if it is right, delete `{GUESSED}`:": [q for q in questions if q.guessed],
    }
    lines: list[Line] = []
    for title, asked in parts.items():
        if asked:
            lines.append([StyledText(title, "yellow")])
            lines += [
                [StyledText(f"  line {question.line}: ", "bold"), StyledText(question.text)]
                for question in asked
            ]
    return lines


def engine_lines(name: str, operators: Sequence[OperatorMeaning]) -> list[Line]:
    """How many operators of an engine mean what lapcat means, and a table of those that do not."""
    from lapcat.cli.layout import LayoutColumn, table

    unlike = [each for each in operators if each.result != "same"]
    said = (
        f"{name}: {len(operators) - len(unlike)} of {len(operators)} operators mean what lapcat means by them"
    )
    if not unlike:
        return [[StyledText(said, "green")]]
    words = {"differs": "means something else", "fails": "fails"}
    columns = [
        LayoutColumn("refused on it", [each.operator for each in unlike]),
        LayoutColumn("because it", [words[each.result] for each in unlike]),
    ]
    return [[StyledText(said, "yellow")], *table(columns, None)]


class _Findings:
    """What is wrong, what waits to be accepted or refreshed, and what the rows say."""

    def __init__(self) -> None:
        self.problems: list[Error] = []
        self.changes: list[str] = []
        self.unrefreshed: list[str] = []
        self.outside: list[dict[str, object]] | None = None
        self.tables: list[str] = []
        self.engines: dict[str, Sequence[OperatorMeaning]] = {}

    def look(self, catalogue: str, rows: bool, engine: bool) -> None:
        from lapcat.cli.checking import rows_outside, schema_problems, unrefreshed
        from lapcat.session.files import open_deployment

        deployment = open_deployment(catalogue)
        self.tables = [*deployment.catalogue.tables, *deployment.catalogue.public]
        self.problems += schema_problems(deployment)
        self.changes = deployment.changes()
        self.unrefreshed = unrefreshed(deployment)
        if rows and not self.problems:
            self.outside = [
                {"table": name, "column": finding.column, "rule": finding.rule, finding.of: finding.many}
                for name in self.tables
                for finding in rows_outside(deployment, name)
            ]

        if engine:
            from lapcat.cli.checking import probed

            self.engines = probed(deployment)

    def as_json(self) -> dict[str, object]:
        found: dict[str, object] = {
            "problems": [problem.as_json()["error"] for problem in self.problems],
            "changes": self.changes,
            "unrefreshed": self.unrefreshed,
        }
        if self.outside is not None:
            found["rows"] = self.outside
        if self.engines:
            found["engines"] = {
                name: {each.operator: each.result for each in operators}
                for name, operators in self.engines.items()
            }
        return found

    def lines(self) -> list[Line]:
        lines: list[Line] = []
        if self.changes:
            lines.append([StyledText('not accepted yet (lapcat accept --reason "why"):', "yellow")])
            lines += [[StyledText(f"  {change}")] for change in self.changes]
        lines += [
            [StyledText(f"{name} has no snapshot yet: lapcat refresh {name}")] for name in self.unrefreshed
        ]
        for finding in self.outside or []:
            of = "rows" if "rows" in finding else "units"
            lines.append(
                [StyledText(f"{finding['table']}.{finding['column']}: {finding[of]} {of} {finding['rule']}")]
            )
        if self.outside == []:
            lines.append([StyledText("every row fits its bounds and keys", "green")])
        for name, operators in self.engines.items():
            lines += engine_lines(name, operators)
        if not self.problems and self.tables:
            lines.append([StyledText(f"the catalogue is valid: {', '.join(self.tables)}", "green")])
        return lines
