"""Public tables without declared columns: `refresh` reads types, bounds, keys and unique columns from the rows."""

from __future__ import annotations

import json
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path

import pytest

import lapcat
from lapcat.engines.backends import backend_of, parse_source
from lapcat.engines.base.public_columns import MAX_KEY_LENGTH, MAX_KEYS
from lapcat.engines.base.sources import Source
from lapcat.engines.postgres.snapshots import SCHEMA
from lapcat.errors import BadQuery, Refused
from lapcat.plan.schema import Bounds, ColumnSpec, Dates, ListedKeys, Type
from lapcat.session import Session
from lapcat.session.files import open_deployment, refresh
from lapcat.session.public_columns import from_json, lookup, to_json, values_to_json
from lapcat.session.same_version import write_missing
from lapcat.session.stored_snapshots import prune
from tests.engines.on_postgres import tell
from tests.support import deploy, write_table

TYPES = {
    "region": Type.TEXT,
    "country": Type.TEXT,
    "size": Type.FLOAT,
    "rank": Type.INTEGER,
    "opened": Type.DATE,
    "seen": Type.TIMESTAMP,
    "large": Type.BOOLEAN,
    "story": Type.TEXT,
}
ROWS: dict[str, list[object]] = {
    "region": ["north", "south", "West", "é"],
    "country": ["y", "x", "x", None],
    "size": [0.1, 2.5, -3.0, None],
    "rank": [7, 2, 7, -1],
    "opened": [date(2024, 5, 1), date(2020, 1, 31), date(2020, 1, 31), None],
    "seen": [datetime(2024, 1, 1, 23, 59), datetime(2024, 1, 3), datetime(2024, 1, 3), None],
    "large": [True, False, False, True],
    "story": ["s" * (MAX_KEY_LENGTH + 1), "short", "short", "tale"],
}
READ = {
    "region": ColumnSpec("region", Type.TEXT, keys=ListedKeys(("West", "north", "south", "é")), unique=True),
    "country": ColumnSpec("country", Type.TEXT, keys=ListedKeys(("x", "y"))),
    "size": ColumnSpec("size", Type.FLOAT, Bounds(Fraction(-3), Fraction(5, 2)), unique=True),
    "rank": ColumnSpec("rank", Type.INTEGER, Bounds(Fraction(-1), Fraction(7)), ListedKeys((-1, 2, 7))),
    "opened": ColumnSpec(
        "opened",
        Type.DATE,
        Dates(date(2020, 1, 31), date(2024, 5, 1)),
        ListedKeys((date(2020, 1, 31), date(2024, 5, 1))),
    ),
    "seen": ColumnSpec("seen", Type.TIMESTAMP, Dates(date(2024, 1, 1), date(2024, 1, 3))),
    "large": ColumnSpec("large", Type.BOOLEAN),
    "story": ColumnSpec("story", Type.TEXT),
}

VALUES = {
    "region": ("West", "north", "south", "é"),
    "country": ("x", "y", "x", None),
    "size": (-3.0, 0.1, 2.5, None),
    "rank": (7, 7, 2, -1),
    "opened": (date(2020, 1, 31), date(2024, 5, 1), date(2020, 1, 31), None),
    "large": (False, True, False, True),
}
"""By region, which is unique; without moments, and without stories."""


@pytest.fixture(params=["csv", "parquet", "postgresql", "spark"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Source:
    """The rows above, as each kind of source holds them."""
    like = "like.csv" if request.param == "csv" else "like.parquet"
    if request.param == "postgresql":
        cluster = request.getfixturevalue("cluster")
        tell(cluster, f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        like = f"{cluster.url()}#like"
    if request.param == "spark":
        request.getfixturevalue("spark")
        like = f"spark:{tmp_path}/"
    kind = parse_source(like, tmp_path)
    return parse_source(backend_of(kind).write_fixture(ROWS, TYPES, tmp_path, "regions", kind), tmp_path)


def test_every_engine_reads_the_same_columns(source: Source) -> None:
    columns = backend_of(source).read_columns(source, 4096)
    assert list(columns.specs) == list(READ)
    assert columns.specs == READ
    assert columns.values == VALUES
    backend_of(source).drop_fixture(source)


def test_what_was_read_is_kept_as_it_was() -> None:
    """The form is in ledgers: it must be read for ever."""
    assert from_json(to_json(READ)) == READ
    assert list(from_json(to_json(READ))) == list(READ)
    assert to_json(READ)[3:5] == [
        {"name": "rank", "type": "integer", "low": "-1", "high": "7", "keys": [-1, 2, 7]},
        {
            "name": "opened",
            "type": "date",
            "low": "2020-01-31",
            "high": "2024-05-01",
            "keys": ["2020-01-31", "2024-05-01"],
        },
    ]


def test_rows_that_were_read_are_kept_as_they_were() -> None:
    """A lookup has the values of the rows, by any unique column whose keys all of them hold."""
    written = json.loads(json.dumps(values_to_json(VALUES)))
    regions = VALUES["region"]
    for name, values in VALUES.items():
        assert lookup(written, READ, "region", name) == dict(zip(regions, values, strict=True))
    assert lookup(written, READ, "rank", "region") is None, "ranks repeat"
    assert lookup(written, READ, "region", "story") is None, "stories are not read"
    short = {name: values[:-1] for name, values in written.items()}
    assert lookup(short, READ, "region", "rank") is None, "a region is missing"


CATALOGUE = """
[tables.staff]
source = "staff.parquet"
unit = "row"
budget = { epsilon = 9 }
[tables.staff.columns]
region = { type = "text" }

[tables.regions]
public = true
source = "regions.csv"
"""
REGIONS = {"region": ["north", "south", "west"], "country": ["x", "x", "y"], "size": [1.5, 2.0, 4.0]}
BY_COUNTRY = "SELECT country, COUNT(*) AS n FROM staff JOIN regions USING (region) GROUP BY country"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    staff = ["north"] * 300 + ["south"] * 200 + ["west"] * 100
    return deploy(tmp_path, CATALOGUE, {"staff.parquet": {"region": staff}, "regions.csv": REGIONS})


@pytest.fixture
def db(path: Path) -> Session:
    return lapcat.open(path)


def by_country(db: Session) -> dict[object, float]:
    return {row["country"]: float(row["n"]) for row in db.sql(BY_COUNTRY).run(epsilon=1)}  # type: ignore[arg-type]


def test_a_public_column_is_grouped_by_without_retyping_its_values(db: Session) -> None:
    counts = by_country(db)
    assert list(counts) == ["x", "y"] and abs(counts["x"] - 500) < 40 and abs(counts["y"] - 100) < 40


def test_a_public_number_is_summed_without_declared_bounds_or_a_note_on_clamping(db: Session) -> None:
    question = db.sql("SELECT SUM(size) AS s FROM staff JOIN regions USING (region)")
    assert "clamped" not in str(question.preview(epsilon=1))
    (row,) = question.run(epsilon=1)
    assert abs(float(row["s"]) - (300 * 1.5 + 200 * 2 + 100 * 4)) < 200  # type: ignore[arg-type]


def test_a_new_version_is_read_again_by_sessions_that_are_open(path: Path, db: Session) -> None:
    assert list(by_country(db)) == ["x", "y"]
    write_table(path.parent / "regions.csv", {**REGIONS, "country": ["x", "z", "w"]})
    assert list(by_country(db)) == ["x", "y"], "a file that changes changes nothing before it is refreshed"
    spent = db.budget().tables["staff"].spent
    refresh(open_deployment(path), "regions")
    assert list(by_country(db)) == ["w", "x", "z"]
    assert db.budget().tables["staff"].spent != spent, "it is another question now"
    assert list(by_country(lapcat.open(path))) == ["w", "x", "z"]


def test_no_acceptance_is_needed_for_what_was_read(path: Path) -> None:
    refresh(open_deployment(path), "regions")
    assert lapcat.open(path)._deployment.changes() == []


def test_a_join_by_a_column_with_repeated_values_is_refused(db: Session) -> None:
    with pytest.raises(Refused, match="join-not-unique") as refused:
        db.sql("SELECT COUNT(*) AS n FROM staff JOIN regions ON staff.region = regions.country")
    assert refused.value.fix == "join on a column without repeated values: region, size"


def test_too_many_values_are_no_keys_and_the_refusal_says_so(tmp_path: Path) -> None:
    names = [f"r{n}" for n in range(MAX_KEYS + 1)]
    data = {"staff.parquet": {"region": names[:9]}, "regions.csv": {"region": names}}
    db = lapcat.open(deploy(tmp_path, CATALOGUE, data))
    with pytest.raises(Refused, match="keys-missing") as refused:
        db.sql("SELECT r.region, COUNT(*) AS n FROM staff s JOIN regions r ON s.region = r.region GROUP BY 1")
    assert f"at most {MAX_KEYS}" in str(refused.value) and f"longer than {MAX_KEY_LENGTH}" in str(
        refused.value
    )


def test_a_table_that_was_never_refreshed_says_what_to_do(tmp_path: Path) -> None:
    path = deploy(
        tmp_path,
        CATALOGUE,
        {"staff.parquet": {"region": ["a"]}, "regions.csv": REGIONS},
        refreshed=["staff"],
    )
    db = lapcat.open(path)
    with pytest.raises(BadQuery, match="never-refreshed"):
        db.sql(BY_COUNTRY)
    assert db.schema("regions").columns == ()
    refresh(open_deployment(path), "regions")
    assert [column.name for column in db.schema("regions").columns] == ["region", "country", "size"]


def test_declarations_that_are_taken_away_need_a_refresh_and_then_are_read(path: Path) -> None:
    declared = CATALOGUE + '[tables.regions.columns]\nregion = { type = "text", unique = true }\n'
    path.write_text(declared, encoding="utf-8")
    deployment = open_deployment(path)
    deployment.accept("columns are declared")
    refresh(deployment, "regions")
    path.write_text(CATALOGUE, encoding="utf-8")
    open_deployment(path).accept("and taken away")
    db = lapcat.open(path)
    with pytest.raises(BadQuery, match="snapshot-stale") as stale:
        db.sql(BY_COUNTRY)
    assert stale.value.fix == "lapcat refresh regions"
    refresh(open_deployment(path), "regions")
    assert list(by_country(db)) == ["x", "y"]


def test_a_lost_snapshot_is_written_again_with_the_columns_of_its_version(path: Path, db: Session) -> None:
    before = by_country(db)
    for snapshot in (path.parent / "lapcat.cache").glob("*regions*"):
        snapshot.unlink()
    write_missing(open_deployment(path), "regions", "the disk was changed")
    assert by_country(lapcat.open(path)) == before
    assert prune(open_deployment(path)) == []
