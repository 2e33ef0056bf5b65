"""DuckDB reads the files it was given and nothing else, even if hostile SQL reached it. (None does.)"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from lapcat.engines.backends import parse_source
from lapcat.engines.base.engine import OpenTable
from lapcat.engines.base.statement import SQLStatement
from lapcat.engines.duckdb.engine import DuckDBEngine
from lapcat.engines.duckdb.snapshots import write_snapshot
from lapcat.errors import Bug, EngineFailed
from lapcat.plan.nodes import Group, Kind, Statistic
from lapcat.plan.schema import Type
from tests.engines.holding import KEY, all_rows, declared, from_file, scan

CANARY = "canary,4711\n"
TYPES = {"v": Type.INTEGER}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tmp_path = tmp_path_factory.mktemp("locked")
    (tmp_path / "canary.csv").write_text(CANARY)
    (tmp_path / "canary.parquet").write_bytes(b"PAR1")
    with duckdb.connect(str(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE t AS SELECT 1 AS v")
    with duckdb.connect(str(tmp_path / "source.db")) as source:
        source.execute("CREATE TABLE t AS SELECT 1 AS v")
    with duckdb.connect() as writer:
        writer.execute(f"COPY (SELECT 1 AS v) TO '{tmp_path}/source.parquet'")
    return tmp_path


@pytest.fixture(params=["source.parquet", "duckdb:source.db#t"], scope="module")
def engine(request: pytest.FixtureRequest, folder: Path) -> DuckDBEngine:
    engine = from_file(request.param, declared(TYPES), folder)
    engine.ready(all_rows("t"))
    return engine


HOSTILE = [
    "SELECT * FROM '{f}/canary.csv'",
    "SELECT * FROM read_csv('{f}/canary.csv')",
    "SELECT * FROM read_text('{f}/canary.csv')",
    "SELECT * FROM read_blob('{f}/canary.csv')",
    "SELECT * FROM read_json('{f}/canary.csv')",
    "SELECT * FROM read_parquet('{f}/canary.parquet')",
    "SELECT * FROM read_parquet('{f}/*.parquet')",
    "SELECT * FROM parquet_metadata('{f}/canary.parquet')",
    "SELECT * FROM sniff_csv('{f}/canary.csv')",
    "SELECT * FROM glob('{f}/*')",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_text('{f}/../{g}/canary.csv')",
    "SELECT * FROM 'https://example.org/x.csv'",
    "COPY (SELECT 1) TO '{f}/stolen.csv'",
    "COPY (SELECT 1) TO '{f}/canary.csv'",
    "COPY t FROM '{f}/canary.csv'",
    "EXPORT DATABASE '{f}/stolen'",
    "IMPORT DATABASE '{f}'",
    "ATTACH '{f}/other.db'",
    "ATTACH '{f}/new.db'",
    "ATTACH '{f}/source.db' AS again",
    "INSTALL httpfs",
    "LOAD httpfs",
    "LOAD '{f}/evil.duckdb_extension'",
    "CREATE PERSISTENT SECRET s (TYPE http)",
    "SET enable_external_access = true",
    "SET GLOBAL enable_external_access = true",
    "SET lock_configuration = false",
    "RESET lock_configuration",
    "SET allowed_paths = ['{f}/canary.csv']",
    "SET allowed_directories = ['{f}']",
    "SET python_enable_replacements = true",
    "SET autoload_known_extensions = true",
    "SET temp_directory = '{f}/spill'",
    "SET threads = 1",
    "SET memory_limit = '1GB'",
    "SET TimeZone = 'Asia/Tokyo'",
    "SET profiling_output = '{f}/profile'",
    "PRAGMA enable_profiling",
    "PRAGMA log_query_path = '{f}/log'",
    "SET extension_directory = '{f}'",
    "SELECT * FROM canary_in_python",
    "CREATE TABLE db0.stolen AS SELECT 1",
    "UPDATE db0.t SET v = 2",
]


@pytest.mark.parametrize("statement", HOSTILE)
def test_hostile_statements_are_refused_by_duckdb_itself(
    engine: DuckDBEngine, folder: Path, statement: str
) -> None:
    canary_in_python = [1]  # what a replacement scan would find
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for connection in (engine._database and engine._database.connection, engine._cursor()):
        assert connection is not None
        with pytest.raises(duckdb.Error):
            connection.execute(statement.format(f=folder, g=folder.name)).fetchall()
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert canary_in_python == [1]


def test_the_settings_hold_for_every_cursor(engine: DuckDBEngine) -> None:
    wanted: dict[str, Any] = {
        "enable_external_access": False,
        "lock_configuration": True,
        "python_enable_replacements": False,
        "autoload_known_extensions": False,
        "autoinstall_known_extensions": False,
        "TimeZone": "UTC",
        "disabled_optimizers": "join_order,top_n_window_elimination",
        "temp_directory": str(engine._database and engine._database.spill.path),
    }
    for name, value in wanted.items():
        assert engine._cursor().execute(f"SELECT current_setting('{name}')").fetchall() == [(value,)]


def test_the_one_place_that_can_be_written_to_is_the_private_folder_for_rows(engine: DuckDBEngine) -> None:
    assert engine._database is not None
    spill = engine._database.spill.path
    for folder in (spill, spill.parent):
        assert folder.stat().st_mode & 0o777 == 0o700
    (other,) = {path for path in spill.parent.iterdir() if path.is_file()}
    with pytest.raises(duckdb.Error):
        engine._cursor().execute(f"COPY (SELECT 1) TO '{other}'")


def test_a_path_that_looks_like_a_pattern_is_one_file(folder: Path) -> None:
    pattern = folder / "sour[c]e.parquet"
    pattern.write_bytes(b"not Parquet")
    with pytest.raises(EngineFailed, match="source-broken"):
        from_file(pattern.name, declared(TYPES), folder)


def test_a_database_that_is_being_written_is_named_as_such(folder: Path) -> None:
    busy = declared(TYPES, name="busy")
    with duckdb.connect(str(folder / "busy.db")) as writer:
        writer.execute("CREATE TABLE t AS SELECT 1 AS v")
        with pytest.raises(EngineFailed, match="source-busy"):
            from_file("duckdb:busy.db#t", busy, folder)
    from_file("duckdb:busy.db#t", busy, folder).ready(all_rows("busy"))


def test_a_broken_table_does_not_close_the_others_and_is_tried_again(folder: Path) -> None:
    source = parse_source("source.parquet", folder)
    places = {name: folder / "cache" / f"{name}.9.parquet" for name in ("gone", "bad", "t")}
    tables = {name: OpenTable(declared(TYPES, name=name), source, path) for name, path in places.items()}
    write_snapshot(source, tables["t"].table, places["t"], KEY)
    places["bad"].write_bytes(b"PAR1 broken")
    engine = DuckDBEngine(tables)
    engine.ready(all_rows("t"))
    for name in ("gone", "bad"):
        with pytest.raises(EngineFailed, match="snapshot-missing"):
            engine.ready(all_rows(name))
        write_snapshot(source, tables[name].table, places[name], KEY)
        engine.ready(all_rows(name))


def test_a_statement_that_cannot_be_planned_is_refused_before_it_is_paid(
    engine: DuckDBEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "lapcat.engines.duckdb.engine.group_statement", lambda *_: SQLStatement("SELECT no_such_column", {})
    )
    other = Group(scan(declared(TYPES)), (), (Statistic(Kind.ROWS), Statistic(Kind.ROWS)))
    with pytest.raises(Bug, match="nothing was spent") as problem:
        engine.ready(other)
    assert problem.value.code == "statement-unplanned" and "no_such_column" not in str(problem.value)
