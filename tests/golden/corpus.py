"""The golden questions: SCHEMA/catalogue.toml, SCHEMA/CASE/query.sql, and all that lapcat says about a question."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path

from lapcat.engines.base.dialect import Dialect
from lapcat.engines.base.relation import SourceRelation
from lapcat.engines.base.snapshots import ready_for
from lapcat.engines.base.statement import group_statement
from lapcat.engines.duckdb.dialect import DUCKDB, memory_table
from lapcat.engines.postgres.dialect import POSTGRES
from lapcat.engines.spark.dialect import SPARK
from lapcat.errors import Error
from lapcat.frontend.catalogue import read_catalogue
from lapcat.frontend.sql import understand
from lapcat.ledger.sqlite import SQLiteLedger
from lapcat.plan.compile import Prepared, prepare
from lapcat.plan.nodes import Group, Scan, scans_of
from lapcat.plan.schema import Catalogue, Table, Type
from lapcat.plan.show import show_plan
from lapcat.session import Session
from lapcat.session.deployment import Deployment, Engine

FOLDER = Path(__file__).parent
KNOWN = {"salry": Type.FLOAT}
"""What a source's own schema says, where the catalogue gives no type."""


class Unread:
    """Tables of which nothing is ever read."""

    name = "no engine"

    def place(self, table: Table) -> str:
        return table.source

    def version(self, declared: int) -> int:
        return 1

    def open(self, catalogue: Catalogue, versions: Mapping[str, int], booked: Mapping[str, str]) -> Engine:
        raise AssertionError("golden files are made without data")


@dataclass(frozen=True)
class Schema:
    """A catalogue, and what it makes of questions."""

    text: str

    @cached_property
    def catalogue(self) -> Catalogue:
        return read_catalogue(self.text, lambda source: KNOWN)

    def session(self) -> Session:
        return Session(Deployment(self.catalogue, Unread(), SQLiteLedger(":memory:")))

    def prepared(self, question: str) -> Prepared:
        deployment = self.session()._deployment
        return prepare(understand(question, self.catalogue, deployment.scan, deployment.public))

    def made_of(self, question: str) -> dict[str, str]:
        """File name → content, for everything that lapcat says about a question."""
        try:
            asked = self.session().sql(question)
            plan = self.prepared(question).plan
        except Error as error:
            where = f"line {error.place.line}, column {error.place.column}" if error.place else "no place"
            return {"error.txt": f"{error}\n({type(error).__name__}, exit {error.exit_code}, {where})\n"}
        price: dict[str, object] = {"epsilon": 1}
        if plan.private_keys:
            price["delta"] = "1e-7"
        preview = asked.preview(**price).as_json()  # type: ignore[arg-type]
        looks = asked._program(1, price.get("delta"), None, None, Fraction(95, 100)).executed_plans
        return {
            "plan.txt": "\n".join(map(show_plan, looks)) + "\n",
            "duckdb.sql": "\n".join(self.sql_of(look, DUCKDB) for look in looks) + "\n",
            "postgres.sql": "\n".join(self.sql_of(look, POSTGRES) for look in looks) + "\n",
            "spark.sql": "\n".join(self.sql_of(look, SPARK) for look in looks) + "\n",
            "explain.txt": asked.explain(**price) + "\n",  # type: ignore[arg-type]
            "preview.json": json.dumps(rounded(preview), indent=1, ensure_ascii=False) + "\n",
        }

    def sql_of(self, plan: Group, dialect: Dialect) -> str:
        """The statement that an engine would run, a step a line; key lists are shown below it."""
        tables = {}
        for scan in scans_of(plan):
            table = {**self.catalogue.tables, **self.catalogue.public}[scan.table]
            ranked = isinstance(scan, Scan) and not scan.unit.is_row
            ready = ready_for(table)
            relation = SourceRelation(memory_table(table.name), ranked=ranked, ready=ready)
            tables[table.name] = relation, {name: spec.type for name, spec in table.columns.items()}
        statement = group_statement(plan, tables, dialect)
        words = r' (?=FROM |WHERE |GROUP BY |LEFT JOIN |INNER JOIN )|(?<=\) )(?=SELECT )|(?<=\),) (?=["`]\w+["`] AS )'
        lines = "\n".join(part.rstrip() for part in re.split(words, statement.sql))
        lists = [
            f"-- ${name} = {values[:20]} of {len(values)}" for name, values in statement.parameters.items()
        ]
        return "\n".join([lines, *lists])


@dataclass(frozen=True)
class Case:
    """One question of the corpus."""

    folder: Path

    @property
    def name(self) -> str:
        return f"{self.folder.parent.name}/{self.folder.name}"

    @property
    def is_refusal(self) -> bool:
        return self.folder.name.startswith("error_")

    @property
    def schema(self) -> Schema:
        return schema_of(self.folder.parent.name)

    def read(self, file: str) -> str:
        return (self.folder / file).read_text(encoding="utf-8").strip()

    @property
    def question(self) -> str:
        return self.read("query.sql")

    @property
    def prepared(self) -> Prepared:
        return _prepared(self)


@cache
def schema_of(name: str) -> Schema:
    return Schema((FOLDER / name / "catalogue.toml").read_text(encoding="utf-8"))


@cache
def _prepared(case: Case) -> Prepared:
    return case.schema.prepared(case.question)


CASES = [Case(path.parent) for path in sorted(FOLDER.glob("*/*/query.sql"))]
UNDERSTOOD = [case for case in CASES if not case.is_refusal]
REFUSED = [case for case in CASES if case.is_refusal]


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


def shape(value: object) -> object:
    """A plan without its names, operators, numbers and constants: the classes of its nodes, and how they hang together.

    Stricter than what is printed: `a + 1` has the shape of `b * 2`, and a list of three values that of one of two.
    """
    if isinstance(value, (bool, Enum)) or value is None:
        return value
    if is_dataclass(value):
        return type(value).__name__, *(shape(getattr(value, field.name)) for field in fields(value))
    if isinstance(value, tuple):
        return tuple(dict.fromkeys(shape(item) for item in value))
    assert isinstance(value, (str, int, float, Fraction, range)) or hasattr(value, "isoformat")
    return "range" if isinstance(value, range) else "_"


def inside(value: object) -> Iterator[object]:
    """Everything that a plan is made of."""
    yield value
    if isinstance(value, tuple):
        for item in value:
            yield from inside(item)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from inside(getattr(value, field.name))
