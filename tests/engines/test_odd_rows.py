"""A row that a reader stumbles over happens to the steward, at `refresh`, and never decides whether a question fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lapcat
from lapcat.engines.backends import parse_source
from lapcat.engines.base.engine import OpenTable
from lapcat.engines.duckdb.engine import DuckDBEngine
from lapcat.engines.duckdb.snapshots import write_snapshot
from lapcat.plan.expressions import Column
from lapcat.plan.nodes import Group, Kind, Scan, Statistic
from lapcat.plan.schema import Relation, Type, Unit
from lapcat.session.files import open_deployment, refresh
from tests.engines.holding import KEY, all_rows, declared, from_file, looked, scan
from tests.support import write_table

CATALOGUE = """
[tables.t]
source = "t.parquet"
unit = "row"
budget = {{ epsilon = 1 }}
[tables.t.columns]
v = {{ type = "{kind}", {more} }}
"""
DAYS = "low = 1970-01-01, high = 2024-12-31"


@dataclass(frozen=True)
class Odd:
    """A column of ordinary values, one that is not, and what `refresh` makes of it."""

    value: object
    usual: object
    column: Callable[[Sequence[Any]], pa.Array]
    kind: str
    more: str
    refused: bool = False


def of_type(kind: pa.DataType) -> Callable[[Sequence[Any]], pa.Array]:
    return lambda values: pa.array(values, type=kind)


def not_utf8(values: Sequence[Any]) -> pa.Array:
    binary = pa.array(values, type=pa.binary())
    return pa.Array.from_buffers(pa.string(), len(binary), binary.buffers())


WIDE, ALL_DIGITS = of_type(pa.decimal128(38, 10)), of_type(pa.decimal128(38, 38))
MILLIS, MICROS = of_type(pa.timestamp("ms")), of_type(pa.timestamp("us"))
ZONED = of_type(pa.timestamp("us", tz="UTC"))
WHOLE = ("integer", "low = 0, high = 5")
ODD = {
    "decimal beyond its floor": Odd(Decimal("-9999999999999999999999999999.5"), Decimal(1), WIDE, *WHOLE),
    "decimal without a place for its floor": Odd(Decimal("-0.5"), Decimal("0.5"), ALL_DIGITS, *WHOLE),
    "millisecond that has no microsecond": Odd(2**62, 0, MILLIS, "timestamp", DAYS, refused=True),
    "first millisecond that has none": Odd(2**63 // 1000 + 1, 0, MILLIS, "timestamp", DAYS, refused=True),
    "first moment of UTC": Odd(-(2**63), 0, ZONED, "timestamp", DAYS),
    "third moment of UTC": Odd(-(2**63) + 2, 0, ZONED, "timestamp", DAYS),
    "last moment of UTC": Odd(2**63 - 1, 0, ZONED, "timestamp", DAYS),
    "last but one moment of UTC": Odd(2**63 - 2, 0, ZONED, "timestamp", DAYS),
    "first moment": Odd(-(2**63), 0, MICROS, "timestamp", DAYS),
    "bytes that are no text": Odd(
        b"\xff", b"p", not_utf8, "text", 'keys = ["p"], other = true', refused=True
    ),
}


def outcome(folder: Path, values: Sequence[object], odd: Odd) -> tuple[str, str]:
    """What `refresh` does, and what a question gets."""
    folder.mkdir()
    pq.write_table(pa.table({"v": odd.column(values)}), folder / "t.parquet")
    path = folder / "lapcat.toml"
    path.write_text(CATALOGUE.format(kind=odd.kind, more=odd.more), encoding="utf-8")
    deployment = open_deployment(path)
    deployment.require_acceptance()
    done = "refreshed"
    try:
        refresh(deployment, "t")
    except lapcat.EngineFailed as failure:
        done = failure.code
        assert str(odd.value) not in str(failure) and "xFF" not in str(failure)
    try:
        answer = lapcat.open(path).sql("SELECT COUNT(v) AS n FROM t").run(epsilon="0.01")
    except lapcat.Error as refusal:
        return done, refusal.code
    return done, f"{len(answer)} answer"


@pytest.mark.parametrize("name", ODD)
def test_an_odd_row_is_null_or_stops_refresh_and_decides_nothing_about_questions(
    name: str, tmp_path: Path
) -> None:
    odd = ODD[name]
    assert outcome(tmp_path / "without", [odd.usual] * 5, odd) == ("refreshed", "1 answer")
    result = outcome(tmp_path / "with", [*[odd.usual] * 5, odd.value], odd)
    assert result == (("source-broken", "never-refreshed") if odd.refused else ("refreshed", "1 answer"))


def test_a_version_that_cannot_be_read_leaves_the_one_before(tmp_path: Path) -> None:
    odd = ODD["bytes that are no text"]
    outcome(tmp_path / "t", [b"p"] * 5, odd)
    pq.write_table(pa.table({"v": not_utf8([b"p", b"\xff"])}), tmp_path / "t" / "t.parquet")
    deployment = open_deployment(tmp_path / "t" / "lapcat.toml")
    with pytest.raises(lapcat.EngineFailed, match="not UTF-8"):
        refresh(deployment, "t")
    answer = lapcat.open(tmp_path / "t" / "lapcat.toml").sql("SELECT COUNT(*) AS n FROM t").run(epsilon="0.5")
    assert len(answer) == 1


def test_every_whole_decimal_of_64_bits_is_that_integer(tmp_path: Path) -> None:
    values = [
        Decimal(2**63 - 1),
        Decimal(-(2**63)),
        Decimal(2**63),
        Decimal("0.0"),
        Decimal("-7.0"),
        Decimal("1.5"),
    ]
    pq.write_table(pa.table({"v": WIDE(values)}), tmp_path / "t.parquet")
    table = declared({"v": Type.INTEGER})
    engine = from_file("t.parquet", table, tmp_path)
    held = pq.read_table(tmp_path / "cache" / "t.1.parquet")["v"].to_pylist()
    assert held == [2**63 - 1, -(2**63), None, 0, -7, None]
    assert looked(engine, all_rows("t")).tolist() == [[6]]
    pq.write_table(pa.table({"v": ALL_DIGITS([Decimal(0), Decimal("0.1")])}), tmp_path / "t.parquet")
    from_file("t.parquet", table, tmp_path)
    assert pq.read_table(tmp_path / "cache" / "t.1.parquet")["v"].to_pylist() == [0, None]


# ------------------------------------------------------------------------------------------------ long texts

LONG = """
[tables.t]
source = "t.parquet"
unit = "who"
rows_per_unit = 2
budget = { epsilon = 1 }
[tables.t.columns]
who = { type = "text" }
note = { type = "text" }
[tables.p]
public = true
source = "p.parquet"
[tables.p.columns]
name = { type = "text" }
[limits]
max_length = 20
"""


def test_a_text_that_is_too_long_is_null_and_a_unit_that_is_has_no_rows(tmp_path: Path) -> None:
    write_table(
        tmp_path / "t.parquet",
        {"who": ["ann", "ann", "ü" * 20, "x" * 21], "note": ["1" * 20, "1" * 21, "🐈" * 20, "x"]},
    )
    write_table(tmp_path / "p.parquet", {"name": ["x" * 20, "x" * 21]})
    (tmp_path / "lapcat.toml").write_text(LONG, encoding="utf-8")
    deployment = open_deployment(tmp_path / "lapcat.toml")
    deployment.require_acceptance()
    for name in ("t", "p"):
        refresh(deployment, name)
    held = {path.name[0]: pq.read_table(path) for path in (tmp_path / "lapcat.cache").glob("*.parquet")}
    assert sorted(held["t"]["note"].to_pylist(), key=str) == ["1" * 20, None, "🐈" * 20]
    assert sorted(held["t"]["who"].to_pylist()) == ["ann", "ann", "ü" * 20]
    assert held["p"]["name"].to_pylist() == ["x" * 20, None]


def test_a_snapshot_that_was_written_with_a_wider_limit_is_read_with_the_one_of_now(tmp_path: Path) -> None:
    """So is one of 0.1.0, which knew none: its header does not say any."""
    write_table(
        tmp_path / "t.parquet", {"who": ["ann", "ann", "x" * 21], "note": ["1" * 20, "1" * 21, "1" * 20]}
    )
    table = declared({"who": Type.TEXT, "note": Type.TEXT}, unit="who")
    source, path = parse_source("t.parquet", tmp_path), tmp_path / "cache" / "t.1.parquet"
    note = Column("note", Type.TEXT)
    plan = Group(
        scan(table), (), (Statistic(Kind.ROWS), Statistic(Kind.PRESENT, note), Statistic(Kind.UNITS))
    )
    for written, asked, expected in ((40, 40, [3, 3, 2]), (40, 20, [2, 1, 1]), (20, 40, [2, 1, 1])):
        write_snapshot(source, table, path, KEY, max_length=written)
        engine = DuckDBEngine({"t": OpenTable(table, source, path)}, max_length=asked)
        assert [row[0] for row in looked(engine, plan).tolist()] == expected


def test_texts_of_a_frame_are_no_longer_than_those_of_a_file() -> None:
    long = "x" * 4097
    db = lapcat.table(pa.table({"note": ["x", long]}), name="t", unit="row", epsilon=1)
    engine = db._deployment.engine([])
    plan = Group(
        Scan("t", "frame:t", 1, Unit(), Relation.ADD_REMOVE, None),
        (),
        (Statistic(Kind.ROWS), Statistic(Kind.PRESENT, Column("note", Type.TEXT))),
    )
    assert looked(engine, plan).tolist() == [[2], [1]]
