"""What `refresh` writes: typed columns and the contribution index, wholly or not at all, for the owner's eyes."""

from __future__ import annotations

import datetime
import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lapcat
from lapcat.engines.backends import parse_source
from lapcat.engines.base.engine import OpenTable, RuleViolation
from lapcat.engines.duckdb.backend import BACKEND
from lapcat.engines.duckdb.engine import DuckDBEngine, open_frame
from lapcat.engines.duckdb.snapshots import write_snapshot
from lapcat.engines.reference import rank_rows
from lapcat.engines.values import canonical_text, coerce
from lapcat.errors import BadQuery, Error
from lapcat.plan.expressions import Column
from lapcat.plan.nodes import Group, GroupKey, Kind, LimitRows, Statistic
from lapcat.plan.schema import Bounds, ColumnSpec, Dates, ListedKeys, RangeKeys, Table, Type
from tests.engines.holding import KEY, all_rows, arrow, declared, looked, reference, scan
from tests.engines.hostile import TYPES, hostile_rows
from tests.support import deploy

ROWS = hostile_rows(200)
BY_UNIT = declared(TYPES, unit="who")
ONE_TABLE = """
[tables.t]
source = "t.parquet"
unit = "who"
rows_per_unit = 1
budget = { epsilon = 1 }
[tables.t.columns]
who = { type = "integer" }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pq.write_table(arrow(ROWS, TYPES), tmp_path / "t.parquet")
    return tmp_path


def written(folder: Path, table: Table = BY_UNIT, source: str = "t.parquet", **options: Any) -> Path:
    path = folder / "cache" / "t.1.parquet"
    write_snapshot(parse_source(source, folder), table, path, KEY, **options)
    return path


def test_ranks_are_those_of_the_reference(folder: Path) -> None:
    rows = pq.read_table(written(folder)).to_pylist()
    ranks = rank_rows(ROWS, "who", TYPES, KEY)
    rows_of = {who: sum(row["who"] == who for row in ROWS) for who in {row["who"] for row in ROWS}}
    expected = [
        (canonical_text(row, TYPES), rank, rows_of[row["who"]])
        for row, rank in zip(ROWS, ranks, strict=True)
        if rank
    ]
    assert sorted((canonical_text(r, TYPES), r["_lapcat_rank"], r["_lapcat_rows"]) for r in rows) == sorted(
        expected
    )


def test_columns_hold_what_was_declared_and_no_nan(folder: Path) -> None:
    rows = {row["n"]: row for row in pq.read_table(written(folder)).to_pylist()}
    for row in ROWS:
        if row["who"] is not None:
            assert [rows[row["n"]][name] for name in TYPES] == [
                coerce(row[name], kind) for name, kind in TYPES.items()
            ]


def test_equal_rows_of_one_unit_get_different_ranks(tmp_path: Path) -> None:
    pq.write_table(pa.table({"who": [1] * 1000 + [2], "v": [7] * 1001}), tmp_path / "t.parquet")
    table = declared({"who": Type.INTEGER, "v": Type.INTEGER}, unit="who")
    path = written(tmp_path, table)
    ranks = [row["_lapcat_rank"] for row in pq.read_table(path).to_pylist() if row["who"] == 1]
    assert sorted(ranks) == list(range(1, 1001))
    engine = DuckDBEngine({"t": OpenTable(table, parse_source("t.parquet", tmp_path), path)})
    plan = Group(
        LimitRows(scan(table), 3),
        (GroupKey("who", Column("who", Type.INTEGER), (1, 2)),),
        (Statistic(Kind.ROWS),),
    )
    assert looked(engine, plan).tolist() == [[3, 1]]


@pytest.mark.parametrize(
    "values", [[1, 2**64 - 1, 1], ["a", "A", "a"], [0.0, 1.5, -0.0], [True, False, True]]
)
def test_an_undeclared_unit_column_keeps_units_apart(values: list[Any], tmp_path: Path) -> None:
    kind = pa.uint64() if 2**64 - 1 in values else None
    pq.write_table(pa.table({"id": pa.array(values, kind), "v": [1, 2, 3]}), tmp_path / "t.parquet")
    table = replace(declared({"v": Type.INTEGER}), unit=replace(declared({}, unit="id").unit))
    size = write_snapshot(parse_source("t.parquet", tmp_path), table, tmp_path / "s" / "t.parquet", KEY)
    assert (size.rows, size.units) == (3, 2)


def test_a_snapshot_is_for_the_owner_alone_and_leaves_nothing_else(folder: Path) -> None:
    path = written(folder)
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    assert [p.name for p in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o701, 0o720])
def test_a_cache_folder_that_others_can_enter_is_refused_until_it_is_closed(mode: int, folder: Path) -> None:
    path = written(folder)
    path.parent.chmod(mode)
    engine = DuckDBEngine({"t": OpenTable(BY_UNIT, parse_source("t.parquet", folder), path)})
    plan = Group(LimitRows(scan(BY_UNIT), 2), (), (Statistic(Kind.ROWS),))
    for work in (lambda: written(folder), lambda: engine.ready(plan)):
        with pytest.raises(Error, match="cache-open") as refusal:
            work()
    assert refusal.value.fix == f"chmod 700 {path.parent}"
    subprocess.run(refusal.value.fix, shell=True, check=True)
    engine = DuckDBEngine({"t": OpenTable(BY_UNIT, parse_source("t.parquet", folder), written(folder))})
    assert looked(engine, plan).tolist() == looked(reference(ROWS, BY_UNIT), plan).tolist()


def test_progress_rises_to_one_and_the_steward_learns_the_size(folder: Path) -> None:
    fractions: list[float] = []
    size = write_snapshot(
        parse_source("t.parquet", folder), BY_UNIT, folder / "s.parquet", KEY, fractions.append
    )
    assert fractions[-1] == 1.0 and all(0 <= fraction <= 1 for fraction in fractions)
    assert size.rows == sum(row["who"] is not None for row in ROWS)
    assert size.units == len({row["who"] for row in ROWS} - {None})


@pytest.mark.parametrize("unit", ["x", None])
def test_a_text_is_stored_without_marks_of_presence_unless_one_is_missing_or_too_long(
    unit: str | None, tmp_path: Path
) -> None:
    """Grouping ten million rows by a text that has such marks takes half as long again."""
    table = declared({"x": Type.INTEGER, "s": Type.TEXT, "e": Type.TEXT}, unit=unit)
    source, path = parse_source("t.parquet", tmp_path), tmp_path / "cache" / "t.1.parquet"
    for last, marked in (("b", False), (None, True), ("b" * 21, True)):
        pq.write_table(pa.table({"x": [1, 2], "s": ["a", last], "e": ["c", "c"]}), tmp_path / "t.parquet")
        write_snapshot(source, table, path, KEY, max_length=20)
        held = pq.ParquetFile(path)
        assert held.schema_arrow.field("s").nullable is marked
        kept = last if last == "b" else None
        assert sorted(held.read()["s"].to_pylist(), key=str) == sorted(["a", kept], key=str)


def test_a_failed_refresh_leaves_the_old_snapshot(folder: Path) -> None:
    path = written(folder)
    before = path.read_bytes()
    (folder / "t.parquet").write_bytes(b"PAR1 broken")
    with pytest.raises(Error, match="source-broken"):
        written(folder)
    assert path.read_bytes() == before and [p.name for p in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("unit", ["who", None], ids=["unit", "row"])
def test_questions_read_the_snapshot_and_not_the_source(unit: str | None, folder: Path) -> None:
    table = declared(TYPES, unit=unit)
    path = written(folder, table)
    source = folder / "t.parquet"
    pq.write_table(pq.read_table(source).slice(0, 3), source)
    engine = DuckDBEngine({"t": OpenTable(table, parse_source("t.parquet", folder), path)})
    plan = Group(scan(table) if unit is None else LimitRows(scan(table), 2), (), (Statistic(Kind.ROWS),))
    assert looked(engine, plan).tolist() == looked(reference(ROWS, table), plan).tolist()
    source.unlink()
    assert looked(engine, plan).tolist() == looked(reference(ROWS, table), plan).tolist()


def test_a_snapshot_of_another_declaration_is_refused(folder: Path) -> None:
    path = written(folder)
    retyped = declared({**TYPES, "i": Type.FLOAT}, unit="who")
    for table in (
        declared(TYPES, unit="s"),
        declared(TYPES),
        retyped,
        declared({**TYPES, "new": Type.TEXT}, unit="who"),
    ):
        engine = DuckDBEngine({"t": OpenTable(table, parse_source("t.parquet", folder), path)})
        with pytest.raises(BadQuery) as refusal:
            engine.ready(all_rows("t"))
        assert refusal.value.code == "snapshot-stale" and "lapcat refresh t" in refusal.value.fix
    path.write_bytes(b"PAR1 broken")
    engine = DuckDBEngine({"t": OpenTable(BY_UNIT, parse_source("t.parquet", folder), path)})
    with pytest.raises(Error, match="snapshot-missing"):
        engine.ready(all_rows("t"))


def test_refresh_removes_the_snapshots_before_the_last_but_one(tmp_path: Path) -> None:
    """Questions that were being asked when a version was declared still find theirs."""
    path = deploy(tmp_path, ONE_TABLE, {"t.parquet": {"who": [1, 2]}}, refreshed=["t"] * 4)
    kept = [file.name.split(".")[-2] for file in (tmp_path / "lapcat.cache").glob("*.parquet")]
    assert sorted(kept) == ["3", "4"]
    assert len(lapcat.open(path).sql("SELECT COUNT(*) AS n FROM t").run(epsilon=1)) == 1


def test_another_ledger_beside_has_snapshots_of_its_own(tmp_path: Path) -> None:
    """What is version 1 to one ledger may be other rows to another."""
    first = deploy(tmp_path, ONE_TABLE, {"t.parquet": {"who": [*range(1000)]}}, refreshed=["t"])
    renamed = first.rename(tmp_path / "one.toml")
    elsewhere = ONE_TABLE + '[ledger]\nstore = "sqlite:other.ledger"\n'
    other = deploy(tmp_path, elsewhere, {"t.parquet": {"who": [1]}}, refreshed=["t"])
    counts = [
        lapcat.open(path).sql("SELECT COUNT(*) AS n FROM t").run(epsilon=1)["n"][0]
        for path in (renamed, other)
    ]
    assert counts[0] > 900 and counts[1] < 100


def test_columns_that_are_missing_reserved_or_of_no_such_type_are_refused(tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT 1 AS v, [1] AS l, 2 AS _lapcat_x) TO '{tmp_path}/t.parquet'")
    for types, code in {
        ("w", Type.INTEGER): "column-missing",
        ("V", Type.INTEGER): "column-missing",
        ("l", Type.INTEGER): "column-type",
        ("v", Type.DATE): "column-type",
        ("_lapcat_x", Type.INTEGER): "column-reserved",
    }.items():
        with pytest.raises(BadQuery) as refusal:
            written(tmp_path, declared(dict([types])))
        assert refusal.value.code == code and refusal.value.fix


def test_the_steward_learns_how_many_rows_do_not_fit(tmp_path: Path) -> None:
    lines = [
        "who,region,age,day,zip",
        "1,north,30,2020-01-01,7",
        "1,south,-1,2019-12-31,0",
        "1,mars,200,2021-01-01,10",
        ",north,n/a,soon,5",
        "2,,40,2020-06-01,",
    ]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    specs = [
        ColumnSpec("region", Type.TEXT, keys=ListedKeys(("north", "south"))),
        ColumnSpec("age", Type.INTEGER, bounds=Bounds(Fraction(0), Fraction(110))),
        ColumnSpec("day", Type.DATE, bounds=Dates(datetime.date(2020, 1, 1), datetime.date(2020, 12, 31))),
        ColumnSpec("zip", Type.INTEGER, keys=RangeKeys(1, 9)),
    ]
    table = replace(declared({}, unit="who"), columns={spec.name: spec for spec in specs}, rows_per_unit=2)
    assert set(BACKEND.check_rows(parse_source("t.csv", tmp_path), table)) == {
        RuleViolation("who", "have no unit and are dropped", 1),
        RuleViolation("who", "are more than rows_per_unit = 2 of their unit and are not counted", 1),
        RuleViolation("region", "are NULL, or longer than 4096 characters", 1),
        RuleViolation("region", "are not among the keys", 1),
        RuleViolation("age", "are NULL, or not integer", 1),
        RuleViolation("age", "are below 0", 1),
        RuleViolation("age", "are above 110", 1),
        RuleViolation("day", "are NULL, or not date", 1),
        RuleViolation("day", "are before 2020-01-01", 1),
        RuleViolation("day", "are after 2020-12-31", 1),
        RuleViolation("zip", "are NULL, or not integer", 1),
        RuleViolation("zip", "are not among the keys 1 to 9", 2),
    }


# ------------------------------------------------------------------------------------------------ threads, Ctrl-C

LONG_LOOK = """
import time

import numpy as np
import pyarrow as pa
from lapcat.engines.duckdb.engine import open_frame
from lapcat.plan.expressions import Bucket, Column, Compare, Literal
from lapcat.plan.nodes import Group, Kind, Statistic
from lapcat.plan.schema import Type
from tests.engines.holding import KEY, declared, scan

table = declared({"v": Type.INTEGER})
engine, _ = open_frame(pa.table({"v": np.arange(16_000_000)}), table, KEY)
v = Column("v", Type.INTEGER)
bands = [Compare("=", Bucket(v, 0.0, 1e6 + n, 1000), Literal(n, Type.INTEGER)) for n in range(150)]
began = time.process_time()
try:
    print("looking", flush=True)
    engine.execute(Group(scan(table), (), tuple(Statistic(Kind.ROWS, filter=band) for band in bands)))
except KeyboardInterrupt:
    print("interrupted" if time.process_time() - began < 20 else "finished", flush=True)
    engine.execute(Group(scan(table), (), (Statistic(Kind.ROWS),)))
    print("usable", flush=True)
"""


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_stops_a_running_question() -> None:
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", LONG_LOOK]
    paths = {**os.environ, "PYTHONPATH": str(root)}
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True, env=paths) as running:
        assert running.stdout is not None and running.stdout.readline() == "looking\n"
        threading.Timer(0.5, running.send_signal, [signal.SIGINT]).start()
        try:
            output, _ = running.communicate(timeout=300)
        finally:
            running.kill()
    assert output == "interrupted\nusable\n"


def test_threads_may_share_an_engine() -> None:
    engine, _ = open_frame(arrow(ROWS, TYPES), BY_UNIT, KEY)
    plans = [Group(LimitRows(scan(BY_UNIT), limit), (), (Statistic(Kind.ROWS),)) for limit in range(1, 9)]
    integers: dict[int, Any] = {}

    def ask(position: int) -> None:
        for _ in range(5):
            integers[position] = looked(engine, plans[position]).tolist()

    threads = [threading.Thread(target=ask, args=(position,)) for position in range(len(plans))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    specified = reference(ROWS, BY_UNIT)
    assert [integers[n] for n in range(len(plans))] == [looked(specified, plan).tolist() for plan in plans]
