"""The audit of a deployment finds planted bugs: all of those that it can see by nature, each by a named part of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lapcat.audit.deployment.checks import PARTS
from lapcat.engines.postgres.snapshots import SCHEMA as SNAPSHOTS
from lapcat.testing.mutants import MUTANTS
from lapcat.testing.mutants.audited import AUDITED, ON_A_SERVER
from tests.engines.on_postgres import tell
from tests.postgres_cluster import Cluster
from tests.spark_session import Spark

SCHEMA = Path(__file__).parent / "schema.toml"
QUICK = (
    "checkpoint-not-checked",
    "conditions-lost-together",
    "continuous-sigma",
    "differing-operators-pass",
    "half-scale",
    "maximum-for-groups",
    "noise-before-measuring",
    "noise-of-one-group",
    "opposed-columns-ignored",
    "queued-debits-unseen",
    "refund",
    "scans-below-a-join-not-bounded",
    "stream-shared-after-fork",
    "sums-taken-for-counts",
    "two-blocks-unseen",
    "undeclared-blocks-read",
    "unknown-taken-as-proof",
)
"""One or two for each part that is quick to find; `make mutants` and the slow tests look for all."""


@pytest.fixture(scope="module")
def said(request: pytest.FixtureRequest) -> dict[str, tuple[str, str]]:
    """For each chosen bug (`-k name`) the kind of check that found it, and what it said."""
    items = [item for item in request.session.items if isinstance(item, pytest.Function)]
    given = [item.callspec.params.get("planted") for item in items if hasattr(item, "callspec")]
    names = [name for name in given if isinstance(name, str)]
    return found_by_the_audit(SCHEMA, *(name for name in names if name in AUDITED))


def found_by_the_audit(catalogue: Path, *names: str) -> dict[str, tuple[str, str]]:
    command = [sys.executable, "-m", "lapcat.testing.planted", str(catalogue), *names]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=3000)
    lines = [line.split("\t", 2) for line in done.stdout.splitlines()]
    return {name: (kind, problem) for name, kind, problem in lines}


@pytest.mark.parametrize(
    "planted", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in AUDITED]
)
def test_the_audit_finds_a_planted_bug_and_names_it(planted: str, said: dict[str, tuple[str, str]]) -> None:
    require_found(planted, AUDITED[planted][1], *said[planted])


def require_found(planted: str, part: str, kind: str, problem: str) -> None:
    assert kind in (part, "price", "engine"), f"{planted} was not found by {part}: {problem}"
    assert problem


OF_POSTGRESQL = [name for name, (engine, _) in ON_A_SERVER.items() if engine == "postgresql"]
OF_SPARK = [name for name, (engine, _) in ON_A_SERVER.items() if engine == "spark"]
COLUMNS = 'kind = { type = "text", keys = ["é", "B", "a"] }'


def on_a_server(source: str, tmp_path: Path) -> Path:
    path = tmp_path / "lapcat.toml"
    table = f'[tables.claims]\nsource = "{source}"\nunit = "person"\nrows_per_unit = 2\nbudget = {{ epsilon = 1 }}'
    path.write_text(f"{table}\n\n[tables.claims.columns]\n{COLUMNS}\n", encoding="utf-8")
    return path


def test_the_audit_finds_bugs_that_postgresql_alone_has(cluster: Cluster, tmp_path: Path) -> None:
    tell(cluster, f"CREATE SCHEMA IF NOT EXISTS {SNAPSHOTS}")
    verdicts = found_by_the_audit(on_a_server(f"{cluster.url()}#public.claims", tmp_path), *OF_POSTGRESQL)
    for name in OF_POSTGRESQL:
        require_found(name, ON_A_SERVER[name][1], *verdicts[name])


@pytest.mark.slow
def test_the_audit_finds_bugs_that_spark_alone_has(spark: Spark, tmp_path: Path) -> None:
    """Each with a Spark of its own: the fixture says whether there is any."""
    verdicts = found_by_the_audit(on_a_server("spark:claims/", tmp_path), *OF_SPARK)
    for name in OF_SPARK:
        require_found(name, ON_A_SERVER[name][1], *verdicts[name])


def test_only_bugs_that_exist_are_looked_for_and_by_parts_that_exist() -> None:
    assert {*AUDITED, *ON_A_SERVER} <= {
        mutant.name for mutant in MUTANTS
    } and not AUDITED.keys() & ON_A_SERVER
    assert {part for _, part in (*AUDITED.values(), *ON_A_SERVER.values())} <= set(PARTS)
