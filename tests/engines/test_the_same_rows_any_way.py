"""The same rows give the same integers however they are stored, ordered, cut into pieces or typed."""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lapcat.engines.duckdb.engine import open_frame
from lapcat.errors import BadQuery
from lapcat.plan.expressions import Clamp, Coalesce, Column, Compare, DatePart, Literal
from lapcat.plan.nodes import Filter, Grid, Group, GroupKey, Kind, LimitRows, Statistic
from lapcat.plan.schema import Table, Type
from tests.engines.holding import (
    KEY,
    WAYS,
    arrow,
    declared,
    fits_text,
    from_file,
    looked,
    reference,
    scan,
)
from tests.engines.hostile import TYPES, hostile_rows

INT, FLOAT, TEXT, BOOL, DATE, MOMENT = Type
ROWS = [row for row in hostile_rows(300) if fits_text(row)]
BY_ROW, BY_UNIT = declared(TYPES), declared(TYPES, unit="who")


def question(table: Table) -> Group:
    x, i = Column("x", FLOAT), Column("i", INT)
    pay = Clamp(Coalesce(x, Literal(1.0, FLOAT), FLOAT), Literal(0.0, FLOAT), Literal(200.0, FLOAT), FLOAT)
    age = Clamp(i, Literal(-100, INT), Literal(110, INT), INT)
    rows = Filter(LimitRows(scan(table), 2), Compare("<>", Column("s", TEXT), Literal("north", TEXT)))
    return Group(
        rows,
        (
            GroupKey("t", Column("t", TEXT), ("é", "e\u0301", "a\x00b", "it's", "12", ""), other=True),
            GroupKey("year", DatePart("year", Column("d", DATE)), range(1969, 2001)),
        ),
        (
            Statistic(Kind.ROWS),
            Statistic(Kind.PRESENT, x),
            Statistic(Kind.PRESENT, Column("m", MOMENT), Column("b", BOOL)),
            Statistic(Kind.SUM, pay, None, Grid(0.0, 200.0, -20, Fraction(100))),
            Statistic(Kind.SUM, age, None, Grid(-100, 110, 0, Fraction(5))),
        ),
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("table", [BY_ROW, BY_UNIT], ids=["row", "who"])
def test_every_way_to_hold_rows_gives_the_specified_integers(way: str, table: Table, tmp_path: Path) -> None:
    plan = question(table)
    integers = looked(WAYS[way](ROWS, table, tmp_path), plan)
    assert integers.tolist() == looked(reference(ROWS, table), plan).tolist()
    assert integers.any()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("table", [BY_ROW, BY_UNIT], ids=["row", "who"])
def test_an_empty_table_gives_zeros(way: str, table: Table, tmp_path: Path) -> None:
    assert not looked(WAYS[way]([], table, tmp_path), question(table)).any()


@pytest.mark.parametrize("seed", range(3))
def test_permuted_and_chunked_rows_give_the_same_integers(seed: int, tmp_path: Path) -> None:
    rows = random.Random(seed).sample(ROWS, len(ROWS))
    pieces = [arrow(rows[n : n + 17], TYPES) for n in range(0, len(rows), 17)]
    for table in (BY_ROW, BY_UNIT):
        expected = looked(reference(ROWS, table), question(table)).tolist()
        engine, size = open_frame(pa.concat_tables(pieces), table, KEY)
        assert looked(engine, question(table)).tolist() == expected
        assert size.units == (len(rows) if table.unit.is_row else len({r["who"] for r in rows} - {None}))
        pq.write_table(pa.concat_tables(pieces), tmp_path / "t.parquet", row_group_size=23)
        assert looked(from_file("t.parquet", table, tmp_path), question(table)).tolist() == expected


# ------------------------------------------------------------------------------------------------ physical types

NUMBERS = [0, 1, -1, 2, 7, 100, 127, -128]
RETYPED: dict[str, Callable[[list[int | None]], Any]] = {
    "int8": lambda v: pa.array(v, pa.int8()),
    "int32": lambda v: pa.array(v, pa.int32()),
    "int64": lambda v: pa.array(v, pa.int64()),
    "float32": lambda v: pa.array(v, pa.float32()),
    "float64": lambda v: pa.array(v, pa.float64()),
    "decimal": lambda v: pa.array([None if x is None else Decimal(x) for x in v], pa.decimal128(9, 3)),
    "wide decimal": lambda v: pa.array([None if x is None else Decimal(x) for x in v], pa.decimal128(38, 20)),
    "text": lambda v: pa.array([None if x is None else f" {x}.0 " for x in v], pa.string()),
    "dictionary": lambda v: pa.array([None if x is None else str(x) for x in v]).dictionary_encode(),
}


@pytest.mark.parametrize("physical", RETYPED)
@pytest.mark.parametrize("kind", [INT, FLOAT])
def test_numbers_mean_the_same_in_every_physical_type(physical: str, kind: Type, tmp_path: Path) -> None:
    values = [*NUMBERS, None]
    data = pa.table({"v": RETYPED[physical](values)})
    table = declared({"v": kind})
    end = float if kind is FLOAT else int
    value = Clamp(Column("v", kind), Literal(end(-50), kind), Literal(end(99), kind), kind)
    plan = Group(
        scan(table),
        (),
        (
            Statistic(Kind.PRESENT, value),
            Statistic(Kind.SUM, value, None, Grid(end(-50), end(99), 1, Fraction(4))),
        ),
    )
    expected = looked(reference([{"v": v} for v in values], table), plan).tolist()
    pq.write_table(data, tmp_path / "t.parquet")
    assert looked(from_file("t.parquet", table, tmp_path), plan).tolist() == expected
    assert looked(open_frame(data, table, KEY)[0], plan).tolist() == expected


HOSTILE_COLUMNS = """
    SELECT * FROM (VALUES
        ('tiny', 1::UTINYINT, 18446744073709551615::UBIGINT, 170141183460469231731687303715884105727::HUGEINT,
         99999999999999999999999999999999999.999::DECIMAL(38, 3), 'nan'::FLOAT, 'nan'::DOUBLE,
         'infinity'::DATE, 'infinity'::TIMESTAMP, '1969-12-31 23:59:59.999999999'::TIMESTAMP_NS,
         '2020-01-01 00:00:00+05'::TIMESTAMPTZ, true, '{"a": 1}'::JSON, uuid()),
        ('low', 0::UTINYINT, 0::UBIGINT, -170141183460469231731687303715884105727::HUGEINT,
         -0.001::DECIMAL(38, 3), '-inf'::FLOAT, '-inf'::DOUBLE,
         '-infinity'::DATE, '-infinity'::TIMESTAMP, '1677-09-22 00:12:43.145225'::TIMESTAMP_NS,
         'infinity'::TIMESTAMPTZ, false, 'null'::JSON, NULL),
        ('far', NULL, NULL, NULL, NULL, 'inf'::FLOAT, 1e308,
         '5000-01-01 (BC)'::DATE, '290000-01-01 00:00:00'::TIMESTAMP, '2262-04-11 23:47:16.854775'::TIMESTAMP_NS,
         '0001-01-01 00:00:00+14'::TIMESTAMPTZ, NULL, NULL, NULL)
    ) AS v(name, small, ubig, huge, dec, f, g, d, ts, ns, tz, b, js, id)
"""


def test_no_physical_value_makes_a_question_fail(tmp_path: Path) -> None:
    connection = duckdb.connect(str(tmp_path / "t.db"))
    connection.execute(f"CREATE TABLE h AS {HOSTILE_COLUMNS}")
    physical = [row[0] for row in connection.execute("DESCRIBE h").fetchall()]
    connection.close()
    tables = [declared({name: kind}, name=f"{name} as {kind}") for name in physical for kind in Type]
    asked = 0
    for table in tables:
        ((name, spec),) = table.columns.items()
        plan = Group(scan(table), (), (Statistic(Kind.PRESENT, Column(name, spec.type)),))
        try:
            engine = from_file("duckdb:t.db#h", table, tmp_path)
        except BadQuery as refusal:  # a schema that can never fit is refused by `refresh`
            assert refusal.code == "column-type"
            continue
        asked += 1
        assert 0 <= looked(engine, plan)[0, 0] <= 3
    assert asked > 40


@pytest.mark.parametrize(
    ("name", "kind", "value"),
    [
        ("ubig", INT, 0),
        ("ubig", FLOAT, float(2**64)),
        ("huge", FLOAT, float(2**127)),
        ("dec", FLOAT, -0.001),
        ("dec", TEXT, "-0.001"),
        ("f", FLOAT, float("-inf")),
        ("ns", MOMENT, datetime.datetime(1969, 12, 31, 23, 59, 59, 999999)),
        ("ns", DATE, datetime.date(1969, 12, 31)),
        ("tz", MOMENT, datetime.datetime(2019, 12, 31, 19)),
        ("b", INT, 1),
        ("small", BOOL, True),
        ("js", TEXT, "null"),
    ],
)
def test_a_physical_value_is_read_as_its_declared_type(
    name: str, kind: Type, value: Any, tmp_path: Path
) -> None:
    connection = duckdb.connect(str(tmp_path / "t.db"))
    connection.execute(f"CREATE TABLE h AS {HOSTILE_COLUMNS}")
    connection.close()
    table = declared({name: kind})
    plan = Group(scan(table), (GroupKey("k", Column(name, kind), (value,)),), (Statistic(Kind.ROWS),))
    engine = from_file("duckdb:t.db#h", table, tmp_path)
    assert looked(engine, plan).tolist() == [[1]]


def test_dates_outside_years_1_to_9999_are_null(tmp_path: Path) -> None:
    days = pa.array([-719_163, -719_162, 2_932_896, 2_932_897, 2**31 - 1, -(2**31) + 2], pa.int32()).cast(
        pa.date32()
    )
    pq.write_table(pa.table({"d": days}), tmp_path / "t.parquet")
    table = declared({"d": DATE})
    day = Column("d", DATE)
    keys = (GroupKey("d", day, (datetime.date(1, 1, 1), datetime.date(9999, 12, 31)), other=True),)
    plan = Group(scan(table), keys, (Statistic(Kind.ROWS), Statistic(Kind.PRESENT, day)))
    assert looked(from_file("t.parquet", table, tmp_path), plan).tolist() == [[1, 1, 4], [1, 1, 0]]


@pytest.mark.parametrize(
    ("series", "kind", "present"),
    [
        (pd.array([1, None, 3], dtype="Int64"), INT, 2),
        (pd.array([2**63 - 1, None, 3], dtype="UInt64"), INT, 2),
        (pd.array([True, None, False], dtype="boolean"), BOOL, 2),
        (pd.array([0.5, None, float("nan")], dtype="Float64"), FLOAT, 1),
        (pd.Categorical(["a", None, "b"]), TEXT, 2),
        (pd.array(["a", None, "b"], dtype="string"), TEXT, 2),
        (pd.Series([1, pd.NA, "x"], dtype=object), TEXT, 2),
        (pd.Series([1.0, None, "7"], dtype=object), INT, 2),
        (pd.Series([None] * 2000 + ["late", "text", "x"], dtype=object), TEXT, 3),
        (pd.to_datetime(["2020-01-01", None, "2020-01-02"]).tz_localize("Asia/Tokyo"), DATE, 2),
        (pd.to_datetime(["2020-01-01", None, "2020-01-02"]), MOMENT, 2),
        (pd.Series([datetime.date(2020, 1, 1), None, datetime.date(1, 1, 1)], dtype=object), DATE, 2),
        (pd.array([1, None, 3], dtype="int64[pyarrow]"), INT, 2),
        (pd.array(["2020-01-01", None], dtype="string[pyarrow]"), DATE, 1),
    ],
)  # fmt: skip
def test_columns_of_pandas_are_read_by_their_dtype(series: Any, kind: Type, present: int) -> None:
    table = declared({"v": kind})
    engine, size = open_frame(pd.DataFrame({"v": series}), table, KEY)
    plan = Group(scan(table), (), (Statistic(Kind.ROWS), Statistic(Kind.PRESENT, Column("v", kind))))
    assert looked(engine, plan).tolist() == [[len(series)], [present]]
    assert size.rows == len(series)


def test_a_column_without_a_single_value_is_null() -> None:
    table = declared({"v": INT})
    engine, _ = open_frame(pl.DataFrame({"v": [None, None]}), table, KEY)
    plan = Group(scan(table), (), (Statistic(Kind.ROWS), Statistic(Kind.PRESENT, Column("v", INT))))
    assert looked(engine, plan).tolist() == [[2], [0]]


def test_a_frame_that_changes_later_changes_nothing() -> None:
    frame = pd.DataFrame({"v": np.arange(5)})
    table = declared({"v": INT})
    engine, _ = open_frame(frame, table, KEY)
    frame.loc[:, "v"] = -1
    plan = Group(scan(table), (GroupKey("v", Column("v", INT), range(5)),), (Statistic(Kind.ROWS),))
    assert looked(engine, plan).tolist() == [[1] * 5]


# ------------------------------------------------------------------------------------------------ sums


def test_sums_are_exact_and_stop_at_their_ends() -> None:
    table = declared({"v": INT})
    end = 2**62
    value = Column("v", INT)
    for sign in (1, -1):
        engine, _ = open_frame(pa.table({"v": pa.array([sign * (2**63 - 1)] * 100, pa.int64())}), table, KEY)
        plan = Group(scan(table), (), (Statistic(Kind.SUM, value, None, Grid(-end, end, 0, Fraction(0))),))
        assert looked(engine, plan).tolist() == [[sign * end]]


def test_a_sum_of_tiny_negative_numbers_is_floored_row_by_row() -> None:
    """Multiplying by the step would lose −5e-324 to zero; its floor is −1 whatever the step."""
    table = declared({"v": FLOAT})
    engine, _ = open_frame(pa.table({"v": pa.array([-5e-324] * 7 + [0.0, 5e-324])}), table, KEY)
    for exponent in (-3, 0, 10, 40):
        grid = Grid(-1e6, 1e6, exponent, Fraction(0))
        plan = Group(scan(table), (), (Statistic(Kind.SUM, Column("v", FLOAT), None, grid),))
        assert looked(engine, plan).tolist() == [[-7]]


@pytest.mark.parametrize(("low", "high"), [(10.0, 20.0), (-5.0, 20.0), (10.0, 500.0), (-5.0, 500.0)])
def test_a_clamp_is_left_out_only_where_the_grid_clamps_as_much(low: float, high: float) -> None:
    table = declared({"v": FLOAT})
    rows = [{"v": value} for value in (-1e9, 0.0, 15.0, 50.0, 1e9, None)]
    inner = Clamp(Column("v", FLOAT), Literal(low, FLOAT), Literal(high, FLOAT), FLOAT)
    grid = Grid(0.0, 100.0, -4, Fraction(50))
    plan = Group(scan(table), (), (Statistic(Kind.SUM, inner, None, grid),))
    engine, _ = open_frame(arrow(rows, {"v": FLOAT}), table, KEY)
    assert looked(engine, plan).tolist() == looked(reference(rows, table), plan).tolist()


def test_two_keys_may_be_the_same_expression() -> None:
    table = declared({"v": INT})
    rows = [{"v": value} for value in (0, 1, 1, 2, None)]
    plan = Group(
        scan(table),
        (GroupKey("a", Column("v", INT), (1, 2)), GroupKey("b", Column("v", INT), range(3))),
        (Statistic(Kind.ROWS),),
    )
    engine, _ = open_frame(arrow(rows, {"v": INT}), table, KEY)
    assert (
        looked(engine, plan).tolist() == looked(reference(rows, table), plan).tolist() == [[0, 2, 0, 0, 0, 1]]
    )


def test_many_keys_are_placed_by_one_join() -> None:
    table = declared({"s": TEXT})
    engine, _ = open_frame(pa.table({"s": [f"key{n % 30_000}" for n in range(50_000)]}), table, KEY)
    listed = tuple(f"key{n}" for n in range(20_000))
    plan = Group(
        scan(table), (GroupKey("s", Column("s", TEXT), listed, other=True),), (Statistic(Kind.ROWS),)
    )
    counts = looked(engine, plan)[0]
    assert (counts[:20_000] == 2).all() and counts[20_000] == 10_000
