"""Every column of a data frame has the right values or is refused by name: none is NULL throughout without a word."""

from __future__ import annotations

import datetime
import uuid
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
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
    with pytest.raises(BadQuery, match="have one name") as refused:
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
