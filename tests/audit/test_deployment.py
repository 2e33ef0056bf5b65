"""The audit of a deployment: it finds nothing where nothing is wrong, finds planted bugs, and touches nothing."""

from __future__ import annotations

import json
import math
import struct
from pathlib import Path

import duckdb
import pytest

import lapcat
from lapcat.audit.deployment import audit_deployment
from lapcat.audit.deployment.checks import ONCE, PARTS, checks_of
from lapcat.audit.deployment.fixtures import ALONE, Family, World, families_of, neighbours_of
from lapcat.audit.deployment.questions import sums_of
from lapcat.audit.deployment.report import Report
from lapcat.engines.duckdb.fixtures import write_fixture_file
from lapcat.engines.postgres.snapshots import SCHEMA
from lapcat.frontend.catalogue import read_catalogue
from lapcat.ledger.signing import is_signed
from lapcat.plan.schema import Catalogue, Relation, Type
from lapcat.session.files import open_deployment
from tests.engines.on_postgres import tell
from tests.postgres_cluster import Cluster
from tests.spark_session import Spark

TABLES = Path(__file__).parent / "schema.toml"
CATALOGUE = read_catalogue(TABLES.read_text(encoding="utf-8"), lambda source: {})

FAMILIES = families_of(CATALOGUE)


BEDS = """
[tables.beds]
source = "beds.parquet"
unit = "row"
relation = "replace-one"
units = 6
budget = { epsilon = 3 }

[tables.beds.columns]
price = { type = "float", low = 1, high = 9.5, null = 2 }
floor = { type = "integer", keys = { from = 0, to = 4 } }
'ward "x"' = { type = "text", keys = ["a", "it's b"], other = true }
"""


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A deployment that was accepted. There is no beds.parquet: whatever opened it would fail."""
    path = tmp_path_factory.mktemp("beds") / "lapcat.toml"
    path.write_text(BEDS, encoding="utf-8")
    open_deployment(path).require_acceptance()
    return path


@pytest.fixture(scope="module")
def report(deployed: Path) -> Report:
    return audit_deployment(open_deployment(deployed).catalogue, at_random=3)


def test_nothing_is_wrong_where_nothing_is_planted(report: Report) -> None:
    assert report.passed, report.problems[:3]


def test_a_report_says_what_was_checked_how_and_that_it_is_no_proof(report: Report) -> None:
    document = report.as_json()
    kinds = {line.kind for line in report.lines}
    assert kinds == {*PARTS, "price", "engine"} - {"threshold"}  # there are no private groups
    assert {line.aggregate for line in report.lines} >= {"COUNT", "SUM", "AVG", "COUNT FILTER", "at random"}
    assert document["passed"] is True and "never a proof" in str(document["mind"])
    json.dumps(document)


def test_a_report_is_signed_where_the_ledger_is(report: Report, tmp_path: Path) -> None:
    from lapcat.ledger.signing import open_signer

    (tmp_path / "books").mkdir()
    signer = open_signer(tmp_path / "keys" / "key", tmp_path / "books" / "lapcat.pub", tmp_path / "books")
    written = json.loads(json.dumps(report.signed(signer)))
    assert is_signed(written["report"], written["signature"], signer.public)
    written["report"]["passed"] = False
    assert not is_signed(written["report"], written["signature"], signer.public)
    assert set(report.signed(None)) == {"report"}


def whose(family: Family, world: World) -> dict[str, list[object]]:
    """For each table, the unit of each of its rows."""
    units: dict[str, list[object]] = {}
    for table in family.tables:
        column, through = table.unit.column, table.unit.through
        assert column is not None
        known: dict[object, object] = {}
        if through is not None:
            keys = (row[through[1]] for row in world[through[0]])
            known = dict(zip(keys, units[through[0]], strict=True))
        units[table.name] = [known.get(row[column], row[column]) for row in world[table.name]]
    return units


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_neighbours_differ_in_one_unit_in_all_tables_together(family: Family) -> None:
    pairs = neighbours_of(family)
    assert len(pairs) >= 8
    for pair in pairs:
        if family.tables[0].unit.is_row:
            (table,) = family.tables
            longer, shorter = pair.here[table.name], pair.there[table.name]
            differ = sum(repr(a) != repr(b) for a, b in zip(longer, shorter, strict=False))
            assert differ + len(longer) - len(shorter) <= 1
            continue
        here, there = whose(family, pair.here), whose(family, pair.there)
        for table in family.tables:
            kept = [
                [
                    repr(row)
                    for row, unit in zip(world[table.name], units[table.name], strict=True)
                    if unit != 0
                ]
                for world, units in ((pair.here, here), (pair.there, there))
            ]
            assert kept[0] == kept[1]
            if pair.what != ALONE:
                assert 0 in here[table.name]
            assert (0 in there[table.name]) == (
                family.relation is Relation.REPLACE_ONE and 0 in here[table.name]
            )


def test_tables_of_one_population_are_audited_together() -> None:
    named = {tuple(table.name for table in family.tables) for family in FAMILIES}
    assert {("customers", "orders", "items"), ("pupils", "marks"), ("visits",), ("beds",)} <= named
    assert all(table.name == "products" for family in FAMILIES for table in family.public)


def test_questions_are_asked_of_every_kind() -> None:
    shop = next(family for family in FAMILIES if family.tables[0].name == "customers")
    kinds = {asked.aggregate for family in FAMILIES for asked in sums_of(family, 1)}
    assert {asked.aggregate for asked in sums_of(shop, 0)} >= {
        "join along keys",
        "join on the unit",
        "join with a public table",
        "self-join",
        "union",
        "who has a row elsewhere",
    }
    assert kinds >= {"blocks", "GROUPING SETS", "CUBE", "running totals", "rows of each unit", "at random"}


def test_what_was_made_up_on_a_server_is_gone_afterwards_and_nothing_is_wrong_there(cluster: Cluster) -> None:
    schema = f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"
    tell(cluster, schema)
    listed = f"SELECT tablename FROM pg_tables WHERE schemaname = '{SCHEMA}'"
    before = set(tell(cluster, listed))
    report = audit_deployment(few(f"{cluster.url()}#public.claims"), at_random=0)
    assert report.passed, report.problems[:3]
    assert any("psycopg" in line.engine for line in report.lines if line.kind == "engine"), report.lines
    assert set(tell(cluster, listed)) == before


def test_statistics_of_made_up_files_leave_nan_out_as_those_of_most_programs_do(tmp_path: Path) -> None:
    path = tmp_path / "made.parquet"
    x = [1.0, math.nan, 9.0, None, math.nan]
    write_fixture_file({"x": x, "y": [5.0, 3.0, 7.0, 3.0, 3.0]}, {"x": Type.FLOAT, "y": Type.FLOAT}, path)
    with duckdb.connect() as connection:
        statistics = connection.execute(
            f"SELECT stats_min_value, stats_max_value FROM parquet_metadata('{path}')"
        )
        assert statistics.fetchall() == [("1.0", "9.0"), ("3.0", "7.0")]
        read = connection.execute(f"SELECT x, y FROM '{path}'").fetchall()
    assert repr(read) == repr(list(zip(x, [5.0, 3.0, 7.0, 3.0, 3.0], strict=True)))


def few(source: str) -> Catalogue:
    """One column, so that there are few questions; the table itself is not there."""
    text = (
        f'[tables.claims]\nsource = "{source}"\nunit = "person"\nrows_per_unit = 2\nbudget = {{ epsilon = 1 }}\n\n'
        '[tables.claims.columns]\nkind = { type = "text", keys = ["a", "b"] }\n'
    )
    return read_catalogue(text, lambda source: {})


def test_no_integer_of_a_fixture_becomes_nan(tmp_path: Path) -> None:
    """NaN is written by way of another number, whose bytes may be those of an integer."""
    (integer,) = struct.unpack("<q", struct.pack("<d", 1.5))
    columns = {"x": [1.0, math.nan, 2.0], "n": [1, integer, 2]}
    write_fixture_file(columns, {"x": Type.FLOAT, "n": Type.INTEGER}, tmp_path / "made.parquet")
    rows = duckdb.sql(f"SELECT n FROM '{tmp_path}/made.parquet'").fetchall()
    assert rows == [(1,), (integer,), (2,)]


def test_nothing_is_wrong_on_spark(spark: Spark, tmp_path: Path) -> None:
    """What it means by operators, tests/engines/test_conformance.py asks it."""
    [family] = families_of(few("spark:claims/"))
    parts = tuple(part for part in PARTS if part not in (*ONCE, "operators"))
    checks = list(checks_of(family, tmp_path, 0, parts))
    assert not [check for check in checks if check.problem]
    assert any("spark" in check.engine for check in checks if check.kind == "engine")


def test_an_audit_reads_no_row_and_spends_nothing(report: Report, deployed: Path) -> None:
    assert report.passed, report.problems[:3]
    assert [entry.kind for entry in open_deployment(deployed).ledger.entries()] == ["accept"]
    assert lapcat.open(deployed).budget().tables["beds"].spent.epsilon == 0
    assert not deployed.with_name("beds.parquet").exists()
