"""lapcat check: validates the catalogue and, with --rows, its bounds and keys against the data."""

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


@click.command(short_help="Check the catalogue and list its open questions (steward).")
@click.option(
    "--rows", is_flag=True, help="Count the rows outside bounds and keys; exact counts, for the steward only."
)
@click.option(
    "--engine", is_flag=True, help="Test the operator semantics of each engine; takes seconds to minutes."
)
@json_option
@catalogue_option
def command(rows: bool, engine: bool, as_json: bool, catalogue: str) -> None:
    """Check the catalogue and list its open questions (steward). Reads no row, unless --rows.

    With --engine, small plans over synthetic rows run on the engine of every table and are compared with lapcat's semantics.
    Questions that use an operator that differs are refused on that engine from then on.
    """
    path = Path(catalogue)
    questions = open_questions(path.read_text(encoding="utf-8", errors="replace")) if path.is_file() else []
    findings = _Findings()
    try:
        findings.run(catalogue, rows, engine)
    except Error as problem:
        findings.problems.append(problem)
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            listed = [
                {"line": q.line, "text": q.text, "guessed": q.guessed, "optional": q.optional}
                for q in questions
            ]
            print_json({"open": listed, **findings.as_json()})
        else:
            screen.show([*question_lines(catalogue, questions), *findings.lines()])
    if findings.problems and not as_json:
        from lapcat.cli.failing import print_error

        for error in findings.problems:
            print_error(error, False)
    if findings.problems:
        raise click.exceptions.Exit(findings.problems[0].exit_code)
    if any(operator.result != "same" for operators in findings.engines.values() for operator in operators):
        raise click.exceptions.Exit(1)


def question_lines(catalogue: str, questions: Sequence[OpenQuestion]) -> list[Line]:
    """The open questions by line: required decisions, optional ones, then guesses."""
    parts = {
        f"required decisions in {catalogue}:": [q for q in questions if not (q.optional or q.guessed)],
        "optional, for SUM, AVG and GROUP BY:": [q for q in questions if q.optional],
        f"guessed from the file; if correct, delete `{GUESSED}`:": [q for q in questions if q.guessed],
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
    """The number of operators of an engine with lapcat's semantics, and a table of the others."""
    from lapcat.cli.layout import LayoutColumn, table

    unlike = [operator for operator in operators if operator.result != "same"]
    summary = f"{name}: {len(operators) - len(unlike)} of {len(operators)} operators match lapcat's semantics"
    if not unlike:
        return [[StyledText(summary, "green")]]
    words = {"differs": "gives another result", "fails": "fails"}
    columns = [
        LayoutColumn("refused on it", [operator.operator for operator in unlike]),
        LayoutColumn("because it", [words[operator.result] for operator in unlike]),
    ]
    return [[StyledText(summary, "yellow")], *table(columns, None)]


class _Findings:
    """Problems, unaccepted changes, tables to refresh, rows outside the rules, and operator results."""

    def __init__(self) -> None:
        self.problems: list[Error] = []
        self.changes: list[str] = []
        self.unrefreshed: list[str] = []
        self.outside: list[dict[str, object]] | None = None
        self.tables: list[str] = []
        self.engines: dict[str, Sequence[OperatorMeaning]] = {}

    def run(self, catalogue: str, rows: bool, engine: bool) -> None:
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
        body: dict[str, object] = {
            "problems": [problem.as_json()["error"] for problem in self.problems],
            "changes": self.changes,
            "unrefreshed": self.unrefreshed,
        }
        if self.outside is not None:
            body["rows"] = self.outside
        if self.engines:
            body["engines"] = {
                name: {operator.operator: operator.result for operator in operators}
                for name, operators in self.engines.items()
            }
        return body

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
