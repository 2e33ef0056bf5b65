"""Every column of a data frame has the right values or is refused by name: none is NULL throughout without a word."""

from __future__ import annotations

import datetime
import uuid
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lapcat
from lapcat.engines.values import coerce
from lapcat.errors import BadQuery
from lapcat.plan.schema import Type

DAY, NOON = datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1, 12)


def held(frame: Any, **more: Any) -> Any:
    return lapcat.table(frame, unit="row", epsilon=10**6, i_understand="made-up rows", **more)


def present(series: Any, **more: Any) -> int:
    """How many cells are not NULL."""
    (row,) = held(pd.DataFrame({"k": series}), **more).sql("SELECT COUNT(k) AS n FROM data").run(epsilon=1000)
    return round(row["n"])


def objects(*cells: object) -> Any:
    return pd.Series(list(cells), dtype=object)


def arrow(kind: Any, *cells: object) -> Any:
    return pd.Series(list(cells), dtype=pd.ArrowDtype(kind))


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1, 2, 3]] * 4, columns=["a", "a", "b"]),
        pd.DataFrame([[1, 2]] * 4, columns=[1, "1"]),
        pa.Table.from_arrays([pa.array([1] * 4), pa.array([2] * 4)], names=["a", "a"]),
    ],
)
def test_two_columns_of_one_name_are_refused(frame: Any) -> None:
    with pytest.raises(BadQuery, match="have the same name") as refused:
        held(frame)
    assert refused.value.code == "column-twice"


NEVER: dict[str, tuple[Any, str]] = {
    "interval": (pd.Series(pd.interval_range(0, 4)), "Interval"),
    "period": (pd.Series(pd.period_range("2020-01", periods=4, freq="M")), "Period"),
    "floats": (objects(1.5, 2.5, None), "float"),
    "moments": (objects(NOON, NOON), "datetime"),
    "lists": (objects([1], [2]), "list"),
    "arrays": (objects(np.array([1, 2]), np.array([3, 4])), "ndarray"),
    "tuples": (objects((1, 2), (3, 4)), "tuple"),
    "dicts": (objects({"a": 1}), "dict"),
    "bytes": (objects(b"a", b"b"), "bytes"),
    "sparse floats": (pd.Series([0.0, 1.0], dtype="Sparse[float]"), "float"),
    "Arrow lists": (arrow(pa.list_(pa.int64()), [1], [2]), "ndarray"),
    "Arrow structs": (arrow(pa.struct([("a", pa.int64())]), {"a": 1}), "dict"),
    "Arrow times": (arrow(pa.time64("us"), datetime.time(1)), "time"),
    "Arrow durations": (arrow(pa.duration("us"), datetime.timedelta(1)), "Timedelta"),
    "Arrow bytes": (arrow(pa.binary(), b"a"), "bytes"),
}


@pytest.mark.parametrize("column", NEVER)
def test_a_column_that_would_be_null_throughout_is_refused_with_what_it_holds(column: str) -> None:
    series, holds = NEVER[column]
    with pytest.raises(BadQuery, match=f"it holds {holds}") as refused:
        held(pd.DataFrame({"k": series}))
    assert refused.value.code == "column-type" and refused.value.fix


def test_the_fix_names_a_type_that_holds_the_column() -> None:
    for series, kind in ((objects(1.5, 2.5), "float"), (objects(NOON, NOON), "date")):
        with pytest.raises(BadQuery) as refused:
            held(pd.DataFrame({"k": series}))
        assert refused.value.fix == f"types={{'k': \"{kind}\"}}"
        assert present(series, types={"k": kind}) == 2


@pytest.mark.parametrize(
    ("series", "cells"),
    [
        (pd.Series([1.5, 2.5, None], dtype="category"), 2),
        (pd.Series(pd.to_datetime(["2020-01-01", None])).astype("category"), 1),
        (pd.Series([1, 2], dtype="category"), 2),
        (pd.Series(["a", None], dtype="category"), 1),
        (objects(Decimal("1.5"), None), 1),
        (objects(uuid.UUID(int=1), "a"), 2),
        (objects(None, None), 0),
        (arrow(pa.decimal128(10, 2), Decimal("1.5"), None), 1),
        (arrow(pa.date32(), DAY), 1),
        (arrow(pa.null(), None), 0),
    ],
)
def test_what_a_type_holds_is_there(series: Any, cells: int) -> None:
    assert present(series) == cells


def test_categories_of_floats_are_numbers() -> None:
    db = held(pd.DataFrame({"k": pd.Series([1.5, 2.5, None] * 4, dtype="category")}), bounds={"k": (0, 10)})
    (row,) = db.sql("SELECT SUM(k) AS s FROM data").run(epsilon=10**5)
    assert row["s"] == pytest.approx(16, abs=0.01)


class Raises:
    """A cell that cannot be compared, and says what nobody may read."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("SECRET")

    __ne__ = __eq__
    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("kind", Type)
@pytest.mark.parametrize(
    "cell",
    [Raises(), np.array([1, 2]), pd.DataFrame({"a": [1, 2]}), 10**5000, Decimal("sNaN"), [1], pd.NaT],
    ids=lambda cell: type(cell).__name__,
)
def test_no_cell_raises_whatever_it_is(cell: object, kind: Type) -> None:
    assert coerce(cell, kind) is None
    try:
        assert present(objects(cell, 1, "a", True, DAY, NOON), types={"k": str(kind)}) >= 0
    except BadQuery as error:
        assert "SECRET" not in str(error) and error.code == "frame-unreadable"


def test_a_column_with_more_cells_than_rows_is_refused() -> None:
    class Longer(pd.Series):  # type: ignore[type-arg,misc]
        def to_numpy(self, *args: object, **more: object) -> Any:
            return np.array([9] * 1000)

    class Frame(pd.DataFrame):
        _constructor_sliced = Longer

    with pytest.raises(BadQuery, match="more or fewer cells"):
        held(Frame({"x": [1, 2, 3]}), bounds={"x": (0, 10)})


FAR = np.array(["10000-01-01", "-5000-01-01", "2020-01-01"], "datetime64[s]")
LARGE = np.array([2**63, 2**64 - 1, 5], np.uint64)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"k": LARGE}),
        pd.DataFrame({"k": pd.Series(LARGE, dtype="UInt64")}),
        pa.table({"k": pa.array(LARGE)}),
        pa.table({"k": pa.array(LARGE)}).to_reader(),
        pl.DataFrame({"k": LARGE}),
        pd.DataFrame({"k": FAR}),
        pd.DataFrame({"k": pd.Series(FAR).dt.tz_localize("UTC")}),
        pa.table({"k": pa.array(FAR)}),
        pl.DataFrame({"k": FAR.astype("datetime64[ms]")}),
        pa.table({"k": pa.array([3_000_000, 5], pa.int32()).cast(pa.date32())}),
    ],
    ids=lambda frame: (
        type(frame).__module__.split(".")[0]
        + "-"
        + str(frame.dtypes if hasattr(frame, "dtypes") else frame.schema)[:20]
    ),
)
def test_cells_beyond_what_a_type_holds_are_refused_and_not_null(frame: Any) -> None:
    with pytest.raises(BadQuery, match="k has values outside") as refused:
        held(frame)
    assert refused.value.code == "column-type" and refused.value.fix


def test_the_fix_of_large_numbers_holds_them_and_a_reader_is_read_in_full() -> None:
    assert present(pd.Series(LARGE), types={"k": "float"}) == 3
    reader = pa.table({"k": pa.array([1, 2, 5], pa.uint64())}).to_reader()
    (row,) = held(reader, bounds={"k": (0, 10)}).sql("SELECT SUM(k) AS s FROM data").run(epsilon=10**5)
    assert row["s"] == 8


def test_a_frame_that_holds_no_rows_yet_is_collected() -> None:
    lazy = pl.LazyFrame({"k": [1, 2]})
    with pytest.raises(BadQuery, match="LazyFrame") as refused:
        held(lazy)
    assert refused.value.fix == "lapcat.table(frame.collect(), …)"
    assert held(lazy.collect())


@pytest.mark.parametrize(
    ("frame", "more", "fix"),
    [
        (pd.DataFrame({"x": [1]}), {"name": "a\0b"}, 'name="people"'),
        (pd.DataFrame({"a\0b": [1]}), {}, "rename"),
        (pd.DataFrame({"": [1]}), {}, "rename"),
        (pd.DataFrame(index=range(5)), {}, "a column or more"),
        (pa.table({}), {}, "a column or more"),
    ],
)
def test_names_that_sql_cannot_write_are_refused_as_such(frame: Any, more: dict[str, str], fix: str) -> None:
    with pytest.raises(BadQuery) as refused:
        held(frame, **more)
    assert refused.value.code in ("name-empty", "frame-unknown") and fix in (refused.value.fix or "")


def test_a_nul_in_a_question_is_no_depth() -> None:
    with pytest.raises(BadQuery, match="NUL character") as refused:
        held(pd.DataFrame({"x": [1]})).sql("SELECT COUNT(*) AS n\0 FROM data")
    assert refused.value.code == "syntax"


# ------------------------------------------------------------------------------------------------ the frame afterwards


def total(db: Any, column: str = "x") -> float:
    (row,) = db.sql(f'SELECT SUM("{column}") AS s FROM data').run(epsilon=10**5)
    return float(row["s"])


def test_what_happens_to_a_frame_later_changes_no_answer() -> None:
    numbers = np.arange(100, dtype=np.int64) % 10
    frame = pd.DataFrame({"x": numbers}, copy=False)
    shared = pa.table({"x": pa.Array.from_buffers(pa.int64(), 100, [None, pa.py_buffer(numbers)])})
    tables = [held(table, bounds={"x": (0, 10)}) for table in (frame, shared)]
    numbers[:] = 10
    frame["x"] = 0
    assert [total(db) for db in tables] == [450, 450]


def test_a_subclass_of_a_frame_is_read_as_its_cells_are() -> None:
    class Evil(pd.DataFrame):
        def __array__(self, *args: object, **more: object) -> Any:
            return np.array([[999]])

    assert total(held(Evil({"x": [1, 2, 3]}), bounds={"x": (0, 10)})) == 6


@pytest.mark.parametrize(
    "name", ["data; DROP", "frame:x", "a b", '"', "", "x.csv", "select", "lapcat_frame", "held", "ä"]
)
def test_a_table_may_have_any_name_that_sql_can_write(name: str) -> None:
    quoted = name.replace('"', '""')
    (row,) = (
        held(pd.DataFrame({"x": [1, 2]}), name=name)
        .sql(f'SELECT COUNT(*) AS n FROM "{quoted}"')
        .run(epsilon=1000)
    )
    assert row["n"] == 2


@pytest.mark.parametrize(
    "column", ["rowid", "row", 'a"b', "c0", "v0", "a@1", "lapcat_arrays", "_lapcat_rank"]
)
def test_a_column_may_have_any_name_but_lapcat_s_own(column: str) -> None:
    frame = pd.DataFrame({column: [1, 2], "u": [1, 2]})
    if column.startswith("_lapcat_"):
        with pytest.raises(BadQuery) as refused:
            held(frame)
        assert refused.value.code == "column-reserved"
        return
    db = lapcat.table(
        frame, unit="u", rows_per_unit=1, epsilon=10**6, i_understand="made-up", bounds={column: (0, 9)}
    )
    assert total(db, column.replace('"', '""')) == pytest.approx(3, abs=0.01)


# ------------------------------------------------------------------------------------------------ without a library


def test_a_dict_of_columns_is_a_table() -> None:
    columns = {
        "region": np.array(["n", "s", "n"]),
        "pay": [1.0, 2.5, 4.0],
        "age": np.array([30, 40, 50]),
        "note": ["a", None, "b"],
    }
    db = lapcat.table(
        columns,
        unit="row",
        epsilon=10**6,
        bounds={"pay": (0, 5)},
        keys={"region": ["n", "s"]},
        i_understand="a test",
    )
    assert [(c.name, c.type) for c in db.schema("data").columns] == [
        ("region", "text"),
        ("pay", "float"),
        ("age", "integer"),
        ("note", "text"),
    ]
    asked = "SELECT region, COUNT(*) AS n, COUNT(note) AS m, SUM(pay) AS s FROM data GROUP BY region"
    rows = [
        (row["region"], row["n"], row["m"], round(float(row["s"]), 2))
        for row in db.sql(asked).run(epsilon=10**5)
    ]
    assert rows == [("n", 2, 2, 5.0), ("s", 1, 0, 2.5)]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"a": [1, 2], "b": [1]}, "different lengths"),
        ({"a": [[1], [2]]}, "2 dimensions"),
        ({"a": [1, [2]]}, "cannot be read"),
        ({"a": [1j]}, "complex128"),
        ({}, "no columns"),
        ([1, 2], "a dict of columns"),
    ],
)
def test_columns_that_are_no_table_are_refused(columns: Any, words: str) -> None:
    with pytest.raises(BadQuery, match=words):
        lapcat.table(columns, unit="row", epsilon=1)
