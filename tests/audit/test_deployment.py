"""The audit of a deployment: it finds nothing where nothing is wrong, finds planted bugs, and touches nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import lapcat
from lapcat.audit.deployment import audit_deployment
from lapcat.audit.deployment.made import neighbours_of
from lapcat.audit.deployment.report import Report
from lapcat.frontend.catalogue import read_catalogue
from lapcat.ledger.signing import is_signed
from lapcat.plan.schema import Catalogue

SCHEMA = Path(__file__).parent / "schema.toml"
CATALOGUE = read_catalogue(SCHEMA.read_text(encoding="utf-8"), lambda source: {})

AUDIT = """
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from lapcat.testing.mutants import plant
from lapcat.frontend.catalogue import read_catalogue
from lapcat.audit.deployment.checks import checks_of
name, table, schema = sys.argv[1:]
if name:
    plant(name)
catalogue = read_catalogue(Path(schema).read_text(), lambda source: {})
with TemporaryDirectory() as folder:
    for check in checks_of(catalogue.tables[table], Path(folder), 4):
        if check.problem:
            print(check.kind)
            break
"""
"""Stops at the first problem: what it is a problem of is printed."""


def first_problem(mutant: str, table: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", AUDIT, mutant, table, str(SCHEMA)],
        capture_output=True,
        text=True,
        check=True,
        timeout=1200,
        env=os.environ,
    )
    return done.stdout.strip()


def only(table: str) -> Catalogue:
    return Catalogue({table: CATALOGUE.tables[table]})


@pytest.fixture(scope="module")
def report() -> Report:
    return audit_deployment(only("beds"), at_random=3)


def test_nothing_is_wrong_where_nothing_is_planted(report: Report) -> None:
    assert report.passed, report.problems[:3]


def test_a_report_says_what_was_checked_how_and_that_it_is_no_proof(report: Report) -> None:
    said = report.as_json()
    assert {line.kind for line in report.lines} >= {"integers", "engine", "law", "books"}
    assert {line.aggregate for line in report.lines} >= {"COUNT", "SUM", "AVG", "COUNT FILTER", "at random"}
    assert said["passed"] is True and "never a proof" in str(said["mind"])
    json.dumps(said)


def test_a_report_is_signed_where_the_ledger_is(report: Report, tmp_path: Path) -> None:
    from lapcat.ledger.signing import open_signer

    (tmp_path / "books").mkdir()
    signer = open_signer(tmp_path / "keys" / "key", tmp_path / "books" / "lapcat.pub", tmp_path / "books")
    written = json.loads(json.dumps(report.signed(signer)))
    assert is_signed(written["report"], written["signature"], signer.public)
    written["report"]["passed"] = False
    assert not is_signed(written["report"], written["signature"], signer.public)
    assert set(report.signed(None)) == {"report"}


@pytest.mark.parametrize("table", CATALOGUE.tables)
def test_neighbours_differ_in_one_unit(table: str) -> None:
    declared = CATALOGUE.tables[table]
    pairs = neighbours_of(declared)
    assert len(pairs) >= 8
    unit = declared.unit.column
    for pair in pairs:
        if unit is None:  # a unit is a row: one is replaced
            assert len(pair.here) == len(pair.there)
            assert sum(repr(a) != repr(b) for a, b in zip(pair.here, pair.there, strict=True)) <= 1
        else:
            there = {row[unit] for row in pair.there}
            assert {row[unit] for row in pair.here} - there == {0} and 0 not in there


def test_an_audit_reads_no_row_and_spends_nothing(tmp_path: Path) -> None:
    (tmp_path / "lapcat.toml").write_text(
        '[tables.cats]\nsource = "cats.parquet"\nunit = "row"\nbudget = { epsilon = 1 }\n\n'
        '[tables.cats.columns]\nage = { type = "integer", low = 0, high = 20 }\n',
        encoding="utf-8",
    )  # there is no cats.parquet: whatever opened it would fail
    from lapcat.session.files import open_deployment

    deployment = open_deployment(tmp_path / "lapcat.toml")
    deployment.require_acceptance()
    before = list(deployment.ledger.entries())
    assert audit_deployment(deployment.catalogue, at_random=0).passed
    assert list(deployment.ledger.entries()) == before
    assert lapcat.open(tmp_path / "lapcat.toml").budget().tables["cats"].spent.epsilon == 0


QUICK = [
    ("half-scale", "beds", "law"),
    ("refund", "beds", "books"),
    ("maximum-for-groups", "beds", "integers"),
]


@pytest.mark.parametrize(("mutant", "table", "kind"), QUICK)
def test_a_planted_bug_is_found_and_named(mutant: str, table: str, kind: str) -> None:
    assert first_problem(mutant, table) == kind
