"""A version of an engine that nobody has checked gets no question; `check --engine`, or the next refresh, checks it."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

import lapcat
from lapcat.engines import checked
from lapcat.engines.backends import parse_source
from lapcat.engines.base.engine import Progress
from lapcat.engines.base.sources import Source
from lapcat.engines.checked import CHECKED, is_known
from lapcat.engines.duckdb import backend as duckdb_backend
from lapcat.engines.duckdb import engine as duckdb
from lapcat.engines.operators import OperatorMeaning
from lapcat.engines.router import engine_of
from lapcat.errors import Refused
from lapcat.session import engine_checks
from lapcat.session.engine_checks import check_engine, verdict_in
from lapcat.session.files import open_deployment, refresh
from tests.support import deploy

CATALOGUE = """
[tables.cats]
source = "cats.parquet"
unit = "row"
budget = { epsilon = 9 }
[tables.cats.columns]
name = { type = "text" }
"""
OWNED = CATALOGUE.replace('unit = "row"', 'unit = "name"\nrows_per_unit = 1')
ALL, LIKE = "SELECT COUNT(*) AS n FROM cats", "SELECT COUNT(*) AS n FROM cats WHERE name LIKE 'a%'"
CATS = {"cats.parquet": {"name": ["ada", "bob"]}}


@pytest.fixture
def probes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """DuckDB of a version that nobody knows, which means something else by LIKE; and how often it was probed."""
    made: list[str] = []

    def probe(backend: object, source: Source, progress: Progress) -> Sequence[OperatorMeaning]:
        made.append(engine_of(source))
        return [OperatorMeaning("COUNT(*)", "same"), OperatorMeaning("LIKE", "differs")]

    monkeypatch.setattr(duckdb_backend.DuckDBBackend, "probe", probe)
    monkeypatch.setattr(duckdb_backend, "engine_name", lambda: "duckdb 99.0.0")
    monkeypatch.setattr(duckdb, "engine_name", lambda: "duckdb 99.0.0")
    engine_checks.found_here.cache_clear()
    return made


def refused(path: Path, question: str) -> str:
    """The code of the refusal, for which nothing was paid."""
    db = lapcat.open(path)
    before = db.budget().as_json()
    with pytest.raises(Refused) as refusal:
        db.sql(question).run(epsilon=1)
    assert db.budget().as_json() == before
    return refusal.value.code


def test_releases_that_only_mend_faults_are_one_version(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checked, "CHECKED", frozenset({"duckdb 2.0", "postgresql 15", "spark 4.3"}))
    for known in (
        "duckdb 2.0.0",
        "duckdb 2.0.3",
        "postgresql 15.20 at db.example:5432/company",
        "spark 4.3.1",
    ):
        assert is_known(known)
    for other in ("duckdb 2.1.0", "duckdb 2", "duckdb 2.01", "postgresql 16.1 at db.example:5432/company"):
        assert not is_known(other)


def test_the_engine_of_these_tests_is_listed() -> None:
    assert is_known(engine_of(parse_source("t.parquet", Path())))


def test_tests_are_installed_with_the_versions_that_are_listed() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    extra = " ".join(project["project"]["optional-dependencies"]["test"])
    matches = re.findall(r"(\w+)(?:\[\w+\])?<(\d+)\.(\d+)", extra)
    bounds = {name: (int(major), int(minor)) for name, major, minor in matches}
    major, minor = bounds["duckdb"]
    assert f"duckdb {major}.{minor - 1}" in CHECKED
    major, minor = bounds["pyspark"]
    assert f"spark {major}.{minor - 1}" in CHECKED


def test_a_version_that_nobody_checked_gets_no_question_until_it_is_checked(
    probes: list[str], tmp_path: Path
) -> None:
    path = deploy(tmp_path, CATALOGUE, CATS)
    (tmp_path / "lapcat.cache" / "engines.json").unlink(missing_ok=True)
    probes.clear()
    db = lapcat.open(path)
    assert refused(path, ALL) == "engine-unchecked" and probes == []
    check_engine(tmp_path, parse_source("cats.parquet", tmp_path))
    assert len(db.sql(ALL).run(epsilon=1)) == 1, "also where it was opened before"
    assert refused(path, LIKE) == "engine-differs"


def test_what_another_suite_found_is_not_believed_even_of_a_version_that_was_tested(tmp_path: Path) -> None:
    source = parse_source("cats.parquet", tmp_path)
    name = engine_of(source)
    path = deploy(tmp_path, CATALOGUE, CATS)
    assert verdict_in(tmp_path)(name) == frozenset()
    kept = tmp_path / "lapcat.cache" / "engines.json"
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(json.dumps({name: {"suite": "another", "unlike": ["LIKE"]}}))
    assert verdict_in(tmp_path)(name) is None
    assert refused(path, ALL) == "engine-unchecked"


def test_refresh_checks_a_new_version_by_itself_once(probes: list[str], tmp_path: Path) -> None:
    path = deploy(tmp_path, OWNED, CATS, refreshed=["cats"])
    assert probes == ["duckdb 99.0.0"]
    refresh(open_deployment(path), "cats")
    assert len(probes) == 1
    assert len(lapcat.open(path).sql(ALL).run(epsilon=1)) == 1
    assert refused(path, LIKE) == "engine-differs"


def test_a_table_in_memory_is_checked_by_the_first_question_of_the_process(probes: list[str]) -> None:
    cats = pa.table({"name": ["ada", "bob"]})
    for _ in range(2):
        db = lapcat.table(cats, name="cats", unit="row", epsilon=9)
        assert len(db.sql(ALL).run(epsilon=1)) == 1
        with pytest.raises(Refused, match="engine-differs"):
            db.sql(LIKE).run(epsilon=1)
    assert len(probes) == 1
