"""On PostgreSQL too, a text is refused, or becomes a statement in lapcat's own words that no row can break."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lapcat
from lapcat.session import Session
from lapcat.session.files import open_deployment, refresh
from tests.engines.on_postgres import PHYSICAL, address, put, tell
from tests.hostile.corpus import corpus
from tests.hostile.desk import CANARY, unburdened
from tests.hostile.grammar import mutations, sentences
from tests.hostile.guard_postgres import findings
from tests.hostile.test_fuzz import CATALOGUE, GOLDEN, MANY_CELLS, QUESTIONS, endless, strange_rows
from tests.postgres_cluster import Cluster

HOSTILE = [statement for statements in corpus().values() for statement in statements.values()]


@dataclass
class Heard:
    """What PostgreSQL was told, and what it raised."""

    statements: list[str] = field(default_factory=list)
    raised: list[str] = field(default_factory=list)

    def forget(self) -> None:
        self.statements.clear()
        self.raised.clear()


@dataclass
class Target:
    db: Session
    heard: Heard
    seen: Counter[str]

    def ask(self, text: str) -> None:
        """Everything that a text may lead to; whatever else happens is raised."""
        self.heard.forget()
        epsilon = Fraction(1000 + self.seen["accepted"], 1000)  # more each time: no answer is a stored one
        try:
            question = self.db.sql(text)
            question.preview(epsilon=epsilon)
        except (lapcat.BadQuery, lapcat.Refused) as refusal:
            shown = f"{refusal}{refusal.as_json()}"
            assert refusal.fix and (CANARY not in shown or CANARY in text), shown
            assert self.heard.statements == [], "the server was asked before the question was paid"
            self.seen["refused"] += 1
            return
        self.seen["accepted"] += 1
        if question._prepared().plan.cells > MANY_CELLS:
            return
        try:
            answer = question.run(epsilon=epsilon)
        except lapcat.BadQuery as refusal:
            assert refusal.code == "text-nul" and "\0" in text
            return
        assert self.heard.raised == []
        for statement in self.heard.statements:
            problems = findings(statement)
            assert problems == [], f"{problems}: {statement}"
        assert CANARY not in str(answer.rows[:50])
        self.seen["looked"] += bool(self.heard.statements)


@pytest.fixture(scope="module")
def target(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """The golden catalogue with budgets that never end, over rows of strange values on a server."""
    text = endless((GOLDEN / "catalogue.toml").read_text(encoding="utf-8"))
    tell(cluster, "DROP SCHEMA IF EXISTS lapcat_snapshots CASCADE")
    for name, table in CATALOGUE.tables.items():
        columns = strange_rows(table)
        kinds = {
            column: PHYSICAL[table.columns[column].type] if column in table.columns else "bigint"
            for column in columns
        }
        rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
        put(cluster, rows, kinds, f"golden_{name}")
        text = text.replace(f'"{table.source}"', f'"{address(cluster, f"golden_{name}")}"')
    for name, public in CATALOGUE.public.items():
        regions: list[dict[str, object]] = [
            {"id": 1, "region": "north", "country": "x"},
            {"id": 2, "region": "south", "country": "y"},
        ]
        put(cluster, regions, {"id": "bigint", "region": "text", "country": "text"}, f"golden_{name}")
        text = text.replace(f'"{public.source}"', f'"{address(cluster, f"golden_{name}")}"')
    path = tmp_path_factory.mktemp("golden") / "lapcat.toml"
    Path(path).write_text(text, encoding="utf-8")
    deployment = open_deployment(path)
    deployment.require_acceptance()
    for name in [*CATALOGUE.tables, *CATALOGUE.public]:
        refresh(deployment, name)
    heard, execute = Heard(), psycopg.Connection.execute

    def witnessed(connection: Any, query: Any, *arguments: Any, **named: Any) -> Any:
        query_text = query.decode() if isinstance(query, bytes) else str(query)
        heard.statements.append(query_text)
        try:
            return execute(connection, query, *arguments, **named)
        except psycopg.Error as problem:
            heard.raised.append(f"{problem}\n{query_text}")
            raise

    with unburdened(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.Connection, "execute", witnessed)
        yield Target(lapcat.open(path), heard, Counter())


def fuzz(target: Target, examples: int) -> Counter[str]:
    def run(texts: st.SearchStrategy[str]) -> None:
        @settings(max_examples=examples // 2, suppress_health_check=list(HealthCheck))
        @given(texts)
        def ask(text: str) -> None:
            target.ask(text)

        ask()

    target.seen.clear()
    run(sentences(CATALOGUE))
    run(mutations(QUESTIONS))
    return target.seen


def test_no_text_does_anything_but_be_refused_or_answered_on_a_server(target: Target) -> None:
    seen = fuzz(target, 160)
    assert seen["looked"] >= 15, seen


@pytest.mark.slow
def test_very_many_texts_do_nothing_else_on_a_server(target: Target) -> None:
    assert fuzz(target, 6_000)["looked"] >= 600


def test_no_hostile_statement_reaches_the_server(target: Target) -> None:
    target.heard.forget()
    for statement in HOSTILE:
        with pytest.raises((lapcat.BadQuery, lapcat.Refused)):
            target.db.sql(statement.replace("PORT", "1")).run(epsilon=1)
    assert target.heard.statements == []


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        ("SELECT 1; SELECT 2", "statements"),
        ("COPY (SELECT 1) TO '/tmp/x'", "statements"),
        ("SELECT * FROM public.staff", "the table"),
        ("SELECT * FROM pg_catalog.pg_authid", "the table"),
        ("WITH base AS (SELECT 1) SELECT pg_read_file('x') FROM base", "the function pg_read_file"),
        ("WITH base AS (SELECT 1) SELECT pg_sleep(1) FROM base", "the function pg_sleep"),
        ("WITH base AS (SELECT 1) SELECT query_to_xml('x', true, true, '') FROM base", "the function"),
        ("WITH base AS (DELETE FROM lapcat_snapshots.t RETURNING 1) SELECT 1 FROM base", "a delete"),
        ('WITH base AS (SELECT 1) SELECT 1 AS "zq1" FROM base', "outside a text"),
        ("WITH base AS (SELECT 1) SELECT 1 /* x */ FROM base", "a comment"),
    ],
)
def test_the_guard_of_the_server_finds_what_must_not_be_said(statement: str, finding: str) -> None:
    assert any(finding in problem for problem in findings(statement)), findings(statement)
