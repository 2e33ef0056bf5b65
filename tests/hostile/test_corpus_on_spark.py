"""SQL on Spark can run any program: the corpus is refused before Spark hears of it, and what Spark hears is lapcat's own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
import sqlglot
from sqlglot import exp
from sqlglot.dialects.spark import Spark as SparkSQL
from sqlglot.tokens import TokenType

import lapcat
from lapcat.engines.spark import engine as engine_module
from lapcat.session import Session
from lapcat.session.files import open_deployment, refresh
from tests.hostile.corpus import DEFUSED, corpus
from tests.hostile.desk import CANARY, CATALOGUE, rows
from tests.hostile.guard import FUNCTIONS, MARK
from tests.spark_session import Spark
from tests.support import write_table

SPARKS_OWN = {
    "btrim",
    "day_of_week",
    "from_json",
    "inline",
    "is_nan",
    "regexp_like",
    "rint",
    "ts_or_ds_to_date",  # a cast, as SQLGlot reads it
    "weekday",
}
"""Beside those of DuckDB. None of them reads a file, sleeps, raises, or runs a program (reflect, java_method, TRANSFORM)."""
HOSTILE = [statement for statements in corpus().values() for statement in statements.values()]
SPARKS_WORDS = [
    "SELECT reflect('java.lang.System', 'getenv', 'HOME') AS n FROM cats",
    "SELECT java_method('java.lang.Runtime', 'getRuntime') AS n FROM cats",
    "SELECT COUNT(*) AS n FROM cats WHERE reflect('java.lang.System', 'exit', 1) = 'x'",
    "SELECT TRANSFORM(name) USING 'cat' AS n FROM cats",
    "ADD JAR 'file:///tmp/x.jar'",
    "ADD FILE '/etc/passwd'",
    "CREATE FUNCTION f AS 'com.example.F' USING JAR '/tmp/x.jar'",
    "SET spark.sql.variable.substitute = true",
    "SELECT COUNT(*) AS n FROM parquet.`/tmp`",
    "SELECT COUNT(*) AS n FROM csv.`/etc/passwd`",
    "SELECT raise_error(name) AS n FROM cats",
    "SELECT assert_true(lives > 3) AS n FROM cats",
    "SELECT input_file_name() AS n FROM cats",
    "SELECT session_user() AS n FROM cats",
    "SELECT ai_query('m', name) AS n FROM cats",
    "SELECT COUNT(*) AS n FROM lapcat_table_0",
    "SELECT COUNT(*) AS n FROM cats LATERAL VIEW explode(split(name, '')) AS letter",
    "DESCRIBE EXTENDED cats",
    "CACHE TABLE cats",
    "INSERT OVERWRITE DIRECTORY '/tmp/x' SELECT * FROM cats",
    "REFRESH TABLE cats",
    "SELECT COUNT(*) AS n FROM cats TABLESAMPLE (1 ROWS)",
    "SELECT /*+ REPARTITION(1) */ http_get(name) AS n FROM cats",
]  # fmt: skip


@dataclass
class Desk:
    db: Session
    told: list[tuple[str, dict[str, str]]] = field(default_factory=list)


@pytest.fixture(scope="module")
def desk(spark: Spark, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("desk")
    for name, columns in rows().items():
        stem, ending = name.split(".")
        (folder / stem).mkdir(exist_ok=True)
        if ending == "parquet":
            write_table(folder / stem / "part.parquet", columns)

    text = re.sub(r'"(\w+)\.parquet"', r'"spark:\1/"', CATALOGUE).partition("[tables.wards]")
    catalogue = folder / "lapcat.toml"
    catalogue.write_text(text[0] + text[2][text[2].index("[populations") :])
    deployment = open_deployment(catalogue)
    deployment.require_acceptance()
    for table in ("visits", "bills", "vault"):
        refresh(deployment, table)
    heard = Desk(lapcat.open(catalogue, analyst="ana"))
    with pytest.MonkeyPatch.context() as patch:
        arguments = engine_module.arguments

        def overheard(statement: Any) -> dict[str, str]:
            given = arguments(statement)
            heard.told.append((statement.sql, given))
            return given

        patch.setattr(engine_module, "arguments", overheard)
        yield heard


def findings(sql: str) -> list[str]:
    """What is wrong with a statement that Spark was told; nothing, one hopes."""
    trees = sqlglot.parse(sql, dialect="spark")
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        return ["not one query"]
    tree = trees[0]
    own = {cte.alias for cte in tree.find_all(exp.CTE)}
    problems = []
    for node in tree.walk():
        if isinstance(node, exp.Table):
            plain = isinstance(node.this, exp.Identifier) and not node.db and not node.catalog
            if not plain or not (node.name in own or node.name.startswith("lapcat_table_")):
                problems.append(f"the table {node.sql('spark')}")
        elif isinstance(node, exp.Func):
            name = (node.name if isinstance(node, exp.Anonymous) else node.sql_name()).casefold()
            if name not in FUNCTIONS and name not in SPARKS_OWN:
                problems.append(f"the function {name}")
        elif isinstance(
            node, (exp.Command, exp.DDL, exp.DML, exp.Into, exp.Lambda, exp.QueryTransform, exp.Hint)
        ):
            problems.append(f"a {node.key}")
    for token in SparkSQL.Tokenizer(dialect=SparkSQL()).tokenize(sql):
        if token.comments:
            problems.append("a comment")
        if token.token_type is not TokenType.STRING and MARK in token.text.casefold():
            problems.append(f"the analyst's {token.text!r} outside a text")
    return problems


ON_SPARK = [number for number in range(0, len(DEFUSED), 4) if "wards" not in DEFUSED[number]]
"""Every fourth, for Spark takes its time; of those that read tables of Spark alone."""


def test_hostile_statements_are_refused_and_spark_hears_of_none(desk: Desk) -> None:
    budget = desk.db.budget().as_json()
    desk.told.clear()
    for statement in [*HOSTILE, *SPARKS_WORDS]:
        with pytest.raises(lapcat.Error) as problem:
            desk.db.sql(statement.replace("PORT", "9")).run(epsilon=1)
        assert isinstance(problem.value, (lapcat.BadQuery, lapcat.Refused)), (statement, problem.value)
        assert CANARY not in str(problem.value)
    assert desk.told == [] and desk.db.budget().as_json() == budget


@pytest.mark.parametrize("number", ON_SPARK)
def test_what_only_looks_hostile_is_answered_in_lapcats_own_words(desk: Desk, number: int) -> None:
    desk.told.clear()
    answer = desk.db.sql(DEFUSED[number]).run(epsilon=2 + number)
    assert len(answer) >= 1 and desk.told
    for sql, _ in desk.told:
        assert findings(sql) == [], sql
    assert CANARY not in str(answer.as_json())


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        ("SELECT 1; SELECT 2", "not one query"),
        ("ADD JAR '/tmp/x.jar'", "not one query"),
        (
            "WITH base AS (SELECT 1 AS x) SELECT reflect('java.lang.System', 'exit', x) FROM base",
            "the function reflect",
        ),
        ("WITH base AS (SELECT 1 AS x) SELECT java_method('a', 'b') FROM base", "the function java_method"),
        ("WITH base AS (SELECT 1 AS x) SELECT TRANSFORM(x) USING 'cat' FROM base", "transform"),
        ("SELECT * FROM parquet.`/etc`", "the table"),
        ("SELECT * FROM secrets", "the table"),
        ("WITH base AS (SELECT 1) SELECT 1 AS `zq1` FROM base", "outside a text"),
        ("WITH base AS (SELECT 1) SELECT 1 /* x */ FROM base", "a comment"),
    ],
)
def test_the_guard_finds_what_must_not_be_said(statement: str, finding: str) -> None:
    assert any(finding in problem for problem in findings(statement))
