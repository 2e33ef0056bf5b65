"""Each engine means by every operator what engines/reference.py says; one that does not is found out, and refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from lapcat.cli.commands.check import engine_lines
from lapcat.engines import conformance
from lapcat.engines.backends import backend_of, parse_source
from lapcat.engines.base.cells import Figures, figures
from lapcat.engines.base.snapshots import Opened
from lapcat.engines.base.sources import Source
from lapcat.engines.base.statement import group_statement
from lapcat.engines.base.words import SQL, binary, call, string
from lapcat.engines.conformance import Suite, check
from lapcat.engines.duckdb.connection import connect
from lapcat.engines.duckdb.dialect import DuckDBDialect
from lapcat.engines.operators import OperatorMeaning, operators, refuse_unlike
from lapcat.errors import Refused
from lapcat.plan.expressions import Column, Like
from lapcat.plan.nodes import Filter, Group, Kind, Statistic
from lapcat.plan.schema import Type
from lapcat.session.engine_checks import check_engine, verdict_in
from tests.engines.family import family_plans
from tests.engines.holding import declared, scan
from tests.engines.hostile import TYPES, plans

ENGINES = ("duckdb", "postgresql", "spark")
LIKE = Group(
    Filter(scan(declared({"s": Type.TEXT})), Like(Column("s", Type.TEXT), "a%")), (), (Statistic(Kind.ROWS),)
)


PROBED = {part.operator for probe in Suite().probes() for part in (probe.parts or (probe,))}


@pytest.fixture(params=ENGINES)
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Source:
    """A source of each engine; it need not be there."""
    match request.param:
        case "postgresql":
            return parse_source(request.getfixturevalue("postgres") + "#public.t", tmp_path)
        case "spark":
            request.getfixturevalue("spark")
            return parse_source("spark:t", tmp_path)
    return parse_source("t.parquet", tmp_path)


def test_every_operator_means_what_the_reference_says(source: Source) -> None:
    meanings = backend_of(source).probe(source, lambda fraction: None)
    assert [each for each in meanings if each.result != "same"] == []
    assert len(meanings) > 100


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_every_operator_that_a_plan_can_use_is_probed(data: st.DataObject) -> None:
    plan = data.draw(st.one_of(plans(declared(TYPES)), plans(declared(TYPES, unit="who")), family_plans()))
    assert set(operators(plan)) <= PROBED


class Careless(DuckDBDialect):
    """An engine that means something else, in ways that engines do."""

    def like(self, x: SQL, pattern: str, escape: str) -> SQL:
        return binary(exp.ILike, x, string(pattern))

    def rounded(self, how: Any, x: SQL) -> SQL:
        return super().rounded(how, call("round_even", x, exp.Literal.number(0)) if how == "round" else x)

    def part(self, x: SQL, part: str) -> SQL:
        return super().part(x, "isodow" if part == "dow" else part)

    def counted_text(self, x: SQL) -> SQL:
        return call("concat", call("strlen", x), string(":"), x)

    def nearest(self, x: SQL) -> SQL:
        return call("no_such_function", x)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """The probes of what a careless engine does otherwise, and of three things beside: the rest is the same for all."""
    named = ("LIKE", "ROUND", "FLOOR", "parts of a date", "whose row it is", "CAST float AS integer", "NOT")
    whole = Suite.probes
    monkeypatch.setattr(Suite, "probes", lambda self: tuple(p for p in whole(self) if p.operator in named))


def careless() -> list[OperatorMeaning]:
    connection, dialect = connect([]), Careless()

    def looks(plan: Group, tables: Mapping[str, Opened]) -> Figures:
        statement = group_statement(plan, tables, dialect)
        return figures(plan, connection.execute(statement.sql, statement.parameters).fetchnumpy())

    return check(looks, dialect)


@pytest.mark.usefixtures("few")
def test_an_engine_that_means_something_else_is_found_out() -> None:
    results = {each.operator: each.result for each in careless()}
    assert {name for name, result in results.items() if result == "differs"} == {
        *("LIKE", "ROUND", "DOW of a date", "whose row it is"),
    }
    assert {name for name, result in results.items() if result == "fails"} == {"CAST float AS integer"}
    assert results["ISODOW of a date"] == results["FLOOR"] == results["NOT"] == "same"


def test_a_question_is_refused_on_an_engine_that_differs() -> None:
    refuse_unlike(LIKE, frozenset({"ROUND"}), "an engine 1.0")
    message = ""
    try:
        refuse_unlike(LIKE, frozenset({"LIKE"}), "an engine 1.0")
    except Refused as refused:
        message = str(refused)
    assert "engine-differs" in message and "an engine 1.0" in message and "LIKE" in message


@pytest.mark.usefixtures("few")
def test_what_was_found_is_kept_by_engine_and_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = parse_source("t.parquet", tmp_path)
    backend, verdict = backend_of(source), verdict_in(tmp_path)
    name = backend.name()
    monkeypatch.setattr(type(backend), "probe", lambda self, source, progress: careless())
    assert verdict(name) == frozenset(), "this lapcat was tested with it"
    check_engine(tmp_path, source)
    assert "LIKE" in (verdict(name) or ())
    assert verdict("duckdb 99") is None, "another version is another engine"
    kept = tmp_path / "lapcat.cache" / "engines.json"
    assert kept.parent.stat().st_mode & 0o077 == 0
    monkeypatch.setattr(conformance, "suite_mark", lambda: "another suite")
    assert verdict(name) is None
    kept.write_text(json.dumps(["nonsense"]))
    assert verdict(name) is None, "what was found may have been anything"


def test_a_table_of_findings_says_what_is_refused() -> None:
    meanings = [
        OperatorMeaning("NOT", "same"),
        OperatorMeaning("LIKE", "differs"),
        OperatorMeaning("ROUND", "fails"),
    ]
    lines = ["".join(span.text for span in line).strip() for line in engine_lines("an engine 1.0", meanings)]
    assert lines[0] == "an engine 1.0: 1 of 3 operators match lapcat's semantics"
    assert any("LIKE" in line and "gives another result" in line for line in lines)
    assert any("ROUND" in line and "fails" in line for line in lines)
