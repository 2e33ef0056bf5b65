"""Question → plan → SQL → explanation → preview, written down and read like code.

Each folder holds a query.sql and what lapcat makes of it at epsilon 1, or the error that refuses it. `pytest
--update-golden` rewrites the files; the difference is reviewed line by line, because a wrong plan is seen here first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from difflib import unified_diff
from pathlib import Path
from typing import get_args

import pytest

from lapcat.engines.sql import DUCKDB, Relation, group_statement, memory_table
from lapcat.errors import Error
from lapcat.frontend.catalogue import read_catalogue
from lapcat.frontend.sql import understand
from lapcat.ledger.sqlite import SQLiteLedger
from lapcat.plan.compile import prepare
from lapcat.plan.expressions import Expression, children
from lapcat.plan.nodes import Group, filters_of, scan_of
from lapcat.plan.schema import Catalogue, Table, Type
from lapcat.plan.show import show_plan
from lapcat.session import Session
from lapcat.session.deployment import Deployment, Engine

FOLDER = Path(__file__).parent
CASES = sorted(path.parent for path in FOLDER.glob("*/query.sql"))
CATALOGUE = read_catalogue((FOLDER / "catalogue.toml").read_text(encoding="utf-8"), lambda source: {})
STORED = {
    Type.INTEGER: "BIGINT",
    Type.FLOAT: "DOUBLE",
    Type.TEXT: "VARCHAR",
    Type.BOOLEAN: "BOOLEAN",
    Type.DATE: "DATE",
    Type.TIMESTAMP: "TIMESTAMP",
}


class Unread:
    """Tables of which nothing is ever read."""

    name = "no engine"

    def place(self, table: Table) -> str:
        return table.source

    def needs_refresh(self, table: Table) -> bool:
        return False

    def version(self, declared: int) -> int:
        return 1

    def open(self, catalogue: Catalogue, versions: Mapping[str, int], booked: Mapping[str, str]) -> Engine:
        raise AssertionError("golden files are made without data")


def session() -> Session:
    return Session(Deployment(CATALOGUE, Unread(), SQLiteLedger(":memory:")))


def plan_of(text: str) -> Group:
    return prepare(understand(text, CATALOGUE, session()._deployment.scan)).plan


def made_of(text: str) -> dict[str, str]:
    """File name → content, for everything that lapcat says about a question."""
    try:
        question = session().sql(text)
        plan = plan_of(text)
    except Error as error:
        where = f"line {error.place.line}, column {error.place.column}" if error.place else "no place"
        return {"error.txt": f"{error}\n({type(error).__name__}, exit {error.exit_code}, {where})\n"}
    preview = question.preview(epsilon=1).as_json()
    return {
        "plan.txt": show_plan(plan) + "\n",
        "duckdb.sql": sql_of(plan) + "\n",
        "explain.txt": question.explain(epsilon=1) + "\n",
        "preview.json": json.dumps(rounded(preview), indent=1, ensure_ascii=False) + "\n",
    }


def sql_of(plan: Group) -> str:
    """The statement that DuckDB would run, a step a line; key lists are shown below it."""
    table = CATALOGUE.tables[scan_of(plan).table]
    snapshot = not table.unit.is_row
    stored = {name: STORED[spec.type] for name, spec in table.columns.items()}
    relation = Relation(memory_table(table.name), stored, typed=snapshot, ranked=snapshot)
    types = {name: spec.type for name, spec in table.columns.items()}
    statement = group_statement(plan, relation, types, DUCKDB)
    words = r' (?=FROM |WHERE |GROUP BY |LEFT JOIN |INNER JOIN )|(?<=\) )(?=SELECT )|(?<=\),) (?="\w+" AS )'
    lines = "\n".join(part.rstrip() for part in re.split(words, statement.sql))
    lists = [f"-- ${name} = {values[:20]} of {len(values)}" for name, values in statement.parameters.items()]
    return "\n".join([lines, *lists])


def rounded(value: object) -> object:
    """Six digits of a float: the rest depends on the machine's exp."""
    match value:
        case float():
            return float(f"{value:.6g}")
        case dict():
            return {key: rounded(item) for key, item in value.items()}
        case list():
            return [rounded(item) for item in value]
    return value


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_question_becomes_what_is_written_down(case: Path, request: pytest.FixtureRequest) -> None:
    found = made_of((case / "query.sql").read_text(encoding="utf-8").strip())
    if request.config.getoption("--update-golden"):
        for path in case.iterdir():
            if path.name != "query.sql":
                path.unlink()
        for name, text in found.items():
            (case / name).write_text(text, encoding="utf-8")
    kept = {path.name for path in case.iterdir()} - {"query.sql"}
    assert kept == set(found), "pytest --update-golden writes what is missing"
    for name, text in found.items():
        written = (case / name).read_text(encoding="utf-8")
        changes = list(
            unified_diff(written.splitlines(), text.splitlines(), "written down", "found", lineterm="")
        )
        assert changes == [], (
            f"{case.name}/{name} (pytest --update-golden, then read the difference)\n" + "\n".join(changes)
        )


def test_every_expression_is_in_some_golden_plan() -> None:
    """A new expression gets a golden case, or this names it."""

    def nodes(expression: Expression) -> set[type]:
        return {type(expression)}.union(*(nodes(child) for child in children(expression)))

    seen: set[type] = set()
    for case in CASES:
        if (case / "plan.txt").exists():
            plan = plan_of((case / "query.sql").read_text(encoding="utf-8").strip())
            found = [*filters_of(plan), *(key.expression for key in plan.keys)]
            for statistic in plan.statistics:
                found += [part for part in (statistic.value, statistic.filter) if part is not None]
            seen |= set().union(*map(nodes, found))
    assert {node.__name__ for node in set(get_args(Expression)) - seen} == set()


def test_every_refusal_of_the_front_end_has_a_golden_error() -> None:
    """Codes that frontend/sql raises; a new one gets a golden case, or this names it."""
    source = FOLDER.parents[1] / "src" / "lapcat" / "frontend" / "sql"
    raised = set()
    for path in source.glob("*.py"):
        raised |= set(re.findall(r"(?:BadQuery|Refused)\(\s*\"([a-z-]+)\"", path.read_text(encoding="utf-8")))
    shown = set()
    for case in CASES:
        if (case / "error.txt").exists():
            shown.add(re.search(r"\[([a-z-]+)\]", (case / "error.txt").read_text(encoding="utf-8"))[1])
    assert raised - shown == {"too-long"}  # a file of 64 kB would say no more than its unit test does
