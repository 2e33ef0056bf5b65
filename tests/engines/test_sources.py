"""Sources: how the catalogue names them, what they are booked under, and what is said when one cannot be read."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest

from lapcat.engines.backends import parse_source
from lapcat.engines.duckdb.backend import BACKEND
from lapcat.engines.duckdb.guesses import propose
from lapcat.engines.duckdb.snapshots import write_snapshot
from lapcat.errors import BadQuery, EngineFailed, Error
from lapcat.plan.expressions import Column
from lapcat.plan.nodes import Group, GroupKey, Kind, Statistic
from lapcat.plan.schema import Type
from tests.engines.holding import KEY, declared, from_file, looked, scan

CANARY = "canary4711"


def test_a_source_is_the_same_however_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "staff.parquet").write_bytes(b"")
    (tmp_path / "link.parquet").symlink_to(tmp_path / "data" / "staff.parquet")
    spellings = [
        "data/staff.parquet",
        "./data/../data/staff.parquet",
        str(tmp_path / "data/staff.parquet"),
        "link.parquet",
    ]
    assert {parse_source(text, tmp_path).identity(tmp_path) for text in spellings} == {"data/staff.parquet"}
    tables = ["duckdb:c.db#staff", "duckdb:c.db#Staff", "duckdb:./c.db#main.STAFF"]
    assert {parse_source(text, tmp_path).identity(tmp_path) for text in tables} == {"c.db#staff"}
    assert parse_source("duckdb:c.db#hr.staff", tmp_path).identity(tmp_path) == "c.db#hr.staff"
    assert parse_source("x.csv", tmp_path).identity(tmp_path / "data") == "../x.csv"


def test_moving_the_folder_does_not_change_what_a_source_is_booked_under(tmp_path: Path) -> None:
    for place in ("here", "there"):
        folder = tmp_path / place
        assert parse_source("staff.csv", folder).identity(folder) == "staff.csv"


@pytest.mark.parametrize(
    "text",
    [
        "staff.xlsx",
        "postgresql://host/db",
        "postgresql:db#t",
        "spark:",
        "duckdb:c.db",
        "duckdb:#t",
        "",
        "https://x/y.csv",
    ],
)
def test_a_source_of_no_known_kind_is_refused_with_a_fix(text: str, tmp_path: Path) -> None:
    with pytest.raises(BadQuery) as refusal:
        parse_source(text, tmp_path)
    assert refusal.value.code == "source-unknown" and refusal.value.fix


def test_a_description_has_names_and_types_and_no_values(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "c.db")) as connection:
        connection.execute(f"CREATE TYPE mood AS ENUM ('{CANARY}', 'fine')")
        connection.execute("CREATE TABLE t (a BIGINT, b mood, c DECIMAL(9, 2), d TIMESTAMPTZ, e BLOB)")
        connection.execute(f"COPY (SELECT 1::DOUBLE AS x, 'a' AS y) TO '{tmp_path}/t.parquet'")
    columns = BACKEND.describe(parse_source("duckdb:c.db#t", tmp_path))
    assert columns == {
        "a": "BIGINT",
        "b": "ENUM",
        "c": "DECIMAL(9,2)",
        "d": "TIMESTAMP WITH TIME ZONE",
        "e": "BLOB",
    }
    assert [BACKEND.declared_type(kind) for kind in columns.values()] == [
        Type.INTEGER,
        Type.TEXT,
        Type.FLOAT,
        Type.TIMESTAMP,
        Type.TEXT,
    ]
    assert BACKEND.describe(parse_source("t.parquet", tmp_path)) == {"x": "DOUBLE", "y": "VARCHAR"}
    (tmp_path / "t.csv").write_text('\ufeff"a ""q""",b;c\n1,2\n', encoding="utf-8")
    assert BACKEND.describe(parse_source("t.csv", tmp_path)) == {'a "q"': "VARCHAR", "b;c": "VARCHAR"}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "source-empty"),
        (f"a,b\n1,{CANARY}\n2\n".encode(), "source-broken"),
        (f'a,b\n1,"{CANARY}\n2,3\n'.encode(), "source-broken"),
        (f"a,b\n1,{CANARY}\xe9\n".encode("latin-1"), "source-broken"),
        (f"a,b\n1,{CANARY},3\n".encode(), "source-broken"),
        (b"\xff\xfe\x00a", "source-broken"),
    ],
)
def test_a_broken_csv_is_named_and_not_quoted(content: bytes, code: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    table = declared({"a": Type.INTEGER, "b": Type.TEXT})
    with pytest.raises(Error) as failure:
        write_snapshot(parse_source("t.csv", tmp_path), table, tmp_path / "cache" / "t.parquet", KEY)
    assert isinstance(failure.value, EngineFailed) and failure.value.code == code
    shown = (
        str(failure.value)
        + repr(failure.value.__cause__)
        + repr(failure.value.__suppress_context__ or failure.value.__context__)
    )
    assert CANARY not in shown and "t.csv" in shown
    assert list((tmp_path / "cache").iterdir()) == []


def test_other_broken_sources_are_named(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_bytes(b"PAR1" + CANARY.encode())
    (tmp_path / "t.db").write_text(CANARY)
    with duckdb.connect(str(tmp_path / "c.db")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS v")
    for text, code in {
        "t.parquet": "source-broken",
        "duckdb:t.db#t": "source-broken",
        "gone.parquet": "source-unreadable",
        "duckdb:gone.db#t": "source-unreadable",
        "duckdb:c.db#other": "source-table",
    }.items():
        with pytest.raises(Error) as failure:
            BACKEND.describe(parse_source(text, tmp_path))
        assert failure.value.code == code and CANARY not in str(failure.value)


def test_a_csv_is_read_as_it_is_written(tmp_path: Path) -> None:
    body = 'who;s;v\r\n1;"x; ""y""";12\r\n2;"";n/a\r\n3;;\r\n"4";"two\r\nlines"; 7 \r\n'
    (tmp_path / "t.csv").write_bytes(body.encode())
    table = declared({"s": Type.TEXT, "v": Type.INTEGER})
    texts = ('x; "y"', "", "two\r\nlines")
    plan = Group(
        scan(table),
        (GroupKey("s", Column("s", Type.TEXT), texts, other=True),),
        (Statistic(Kind.ROWS), Statistic(Kind.PRESENT, Column("v", Type.INTEGER))),
    )
    assert looked(from_file("t.csv", table, tmp_path), plan).tolist() == [[1, 1, 1, 1], [1, 0, 1, 0]]


def test_types_are_proposed_from_a_schema_or_from_all_values_of_a_csv(tmp_path: Path) -> None:
    rows = {
        "whole": ["1", " -7 ", ""],
        "real": ["1", "2.5", "inf"],
        "flag": ["true", "no", "T"],
        "bits": ["1", "0", ""],
        "day": ["2020-02-29", "1999-01-01", ""],
        "moment": ["2020-02-29", "1999-01-01T12:00:00", ""],
        "word": ["12", "n/a", ""],
        "empty": ["", "", ""],
    }
    lines = [",".join(rows), *(",".join(cells) for cells in zip(*rows.values(), strict=True))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    assert propose(parse_source("t.csv", tmp_path)).types == {
        "whole": Type.INTEGER,
        "real": Type.FLOAT,
        "flag": Type.BOOLEAN,
        "bits": Type.INTEGER,
        "day": Type.DATE,
        "moment": Type.TIMESTAMP,
        "word": Type.TEXT,
        "empty": Type.TEXT,
    }
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT 1::TINYINT AS a, [1] AS b, true AS c) TO '{tmp_path}/t.parquet'")
    assert propose(parse_source("t.parquet", tmp_path)).types == {"a": Type.INTEGER, "c": Type.BOOLEAN}


def test_a_source_in_a_folder_with_odd_characters_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "it's [odd] *é"
    folder.mkdir()
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT 7 AS v")
        connection.execute(f"COPY t TO '{tmp_path}/t.parquet'")
    shutil.move(tmp_path / "t.parquet", folder / "t.parquet")
    (folder / "t.csv").write_text("v\n7\n")
    table = declared({"v": Type.INTEGER})
    plan = Group(scan(table), (GroupKey("v", Column("v", Type.INTEGER), (7,)),), (Statistic(Kind.ROWS),))
    assert looked(from_file("t.parquet", table, folder), plan).tolist() == [[1]]
    assert looked(from_file("t.csv", table, folder), plan).tolist() == [[1]]
