"""UNION ALL of answers: one price, one receipt, the rows of all answers in one table."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import lapcat
from lapcat.plan.released import Field, ReleasedTable
from lapcat.plan.released.stacked import UnionAfter, UnionOrder, stacked
from lapcat.session import Session

ROWS = 3_000
CONFIDENCE = 0.999_999_999
FRAME = pd.DataFrame(
    {
        "person": [n // 2 for n in range(ROWS)],
        "age": [n % 83 for n in range(ROWS)],
        "sex": [("f", "m", None)[n % 3] for n in range(ROWS)],
    }
)


@pytest.fixture(scope="module")
def staff() -> Session:
    return lapcat.table(
        FRAME,
        unit="person",
        rows_per_unit=2,
        bounds={"age": (0, 90)},
        keys={"sex": ["f", "m"]},
        epsilon=10**6,
        i_understand="a test of meanings, on made-up people",
    )


TRUE = [
    "SELECT COUNT(*) AS n FROM data WHERE age < 30 UNION ALL SELECT COUNT(*) FROM data WHERE age >= 30",
    "SELECT COUNT(*) AS n, AVG(age) AS a FROM data WHERE sex = 'f' UNION ALL SELECT COUNT(*), AVG(age) FROM data",
    "(SELECT SUM(age) AS s FROM data) UNION ALL (SELECT SUM(age) FROM data WHERE sex = 'm')",
    "WITH t AS (SELECT * FROM data WHERE age > 5), u AS (SELECT * FROM t WHERE sex = 'f') "
    "SELECT COUNT(*) AS n FROM t UNION ALL SELECT COUNT(*) FROM u",
    "SELECT COUNT(*) AS n FROM data WHERE age < 10 UNION ALL SELECT COUNT(*) FROM data WHERE age < 20 "
    "UNION ALL SELECT COUNT(*) FROM data WHERE age < 30",
    "SELECT sex, COUNT(*) AS n FROM data WHERE sex IS NOT NULL AND age < 40 GROUP BY sex UNION ALL "
    "SELECT sex, COUNT(*) FROM data WHERE sex IS NOT NULL AND age >= 40 GROUP BY sex",
]


@pytest.mark.parametrize("question", TRUE)
def test_the_rows_of_all_answers_are_duckdbs_within_their_intervals(staff: Session, question: str) -> None:
    answer = staff.sql(question).run(epsilon=1000, confidence=CONFIDENCE)
    data = FRAME  # noqa: F841
    exact = duckdb.sql(question).df().to_dict("records")
    keys = [field["name"] for field in answer.as_json()["columns"] if field["role"] == "key"]

    def order(row: dict[Any, Any]) -> list[str]:
        return [str(row[key]) for key in keys]

    rows = sorted(answer.rows, key=order) if keys else answer.rows
    exact = sorted(exact, key=order) if keys else exact
    assert len(rows) == len(exact)
    for row, truth in zip(rows, exact, strict=True):
        for name, value in truth.items():
            if name in keys:
                assert row[name] == value
            else:
                assert row[f"{name}_low"] <= value <= row[f"{name}_high"]


def test_a_union_is_charged_once_for_its_joint_sensitivity(staff: Session) -> None:
    """Disjoint parts: a person moves one of them, so the union costs what one count costs."""
    union = staff.sql(TRUE[0].replace("30", "17"))
    assert [float(s["l1"]) for s in union.sensitivity().as_json()["statistics"]] == [2.0, 2.0]
    alone = staff.sql("SELECT COUNT(*) AS n FROM data WHERE age < 17")
    margins = {column.margin for q in (union, alone) for column in q.preview(epsilon=1).columns}
    assert len(margins) == 1


def test_a_repeated_union_is_free_and_the_same(staff: Session) -> None:
    first = staff.sql(TRUE[1]).run(epsilon="0.5")
    again = staff.sql(TRUE[1]).run(epsilon="0.5")
    assert again.free
    assert (again.rows, again.receipt) == (first.rows, first.receipt)


def test_order_and_limit_read_the_rows_of_all_answers(staff: Session) -> None:
    union = "SELECT sex, COUNT(*) AS n FROM data WHERE age < 10 GROUP BY sex UNION ALL SELECT sex, COUNT(*) FROM data GROUP BY sex"
    whole = staff.sql(union).run(epsilon=1000).rows
    ordered = staff.sql(f"{union} ORDER BY n DESC, 1 LIMIT 3 OFFSET 1").run(epsilon=1000)
    assert ordered.free, "order and limit read what is released"
    assert ordered.rows == sorted(whole, key=lambda row: (-row["n"], row["sex"]))[1:4]


REFUSED = [
    ("SELECT COUNT(*) AS n FROM data INTERSECT SELECT COUNT(*) FROM data", "unsupported"),
    ("SELECT COUNT(*) AS n FROM data UNION ALL SELECT COUNT(*) FROM data ORDER BY COUNT(*)", "unsupported"),
    ("SELECT COUNT(*) AS n FROM data UNION ALL SELECT COUNT(*), AVG(age) FROM data", "union-columns"),
    ("SELECT sex, COUNT(*) AS n FROM data GROUP BY sex UNION ALL SELECT COUNT(*), COUNT(*) FROM data", "union-columns"),
    ("SELECT COUNT(*) AS n FROM data UNION ALL SELECT age FROM data", "row-level"),
    ("SELECT COUNT(*) AS n FROM data UNION ALL SELECT COUNT(*) FROM data UNION SELECT COUNT(*) FROM data", "unsupported"),
    (
        "SELECT COUNT(*) AS n FROM (SELECT person, COUNT(*) AS c FROM data GROUP BY person) WHERE c > 1 "
        "UNION ALL SELECT COUNT(*) FROM data",
        "union-rows",
    ),
    ("SELECT COUNT(*) AS n FROM data UNION ALL BY NAME SELECT COUNT(*) AS n FROM data", "unsupported"),
    ("SELECT TOP 1 COUNT(*) AS n FROM data UNION ALL SELECT COUNT(*) FROM data", "unsupported"),
    ("WITH t AS (SELECT * FROM data) SELECT COUNT(*) AS n FROM data UNION ALL SELECT COUNT(*) FROM data", "with-unused"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "code"), REFUSED)
def test_what_cannot_be_one_table_is_refused(staff: Session, question: str, code: str) -> None:
    with pytest.raises(lapcat.Error) as caught:
        staff.sql(question)
    assert caught.value.code == code


def test_a_union_is_no_part_of_a_workload(staff: Session) -> None:
    with pytest.raises(lapcat.BadQuery) as caught:
        staff.workload([TRUE[0], "SELECT COUNT(*) AS n FROM data"])
    assert caught.value.code == "workload-mixed"


def table(fields: list[tuple[str, str, str]], **columns: Any) -> ReleasedTable:
    rows = len(next(iter(columns.values())))
    return ReleasedTable(tuple(Field(*each) for each in fields), rows, {}, columns)


def test_columns_without_intervals_beside_those_with_them() -> None:
    """A public number is exact; a number that was chosen has open ends; a float beside integers makes floats."""
    measured = table(
        [("n", "integer", "value"), ("n_low", "integer", "low"), ("n_high", "integer", "high")],
        n=np.array([5]), n_low=np.array([3]), n_high=np.array([7]),
    )  # fmt: skip
    public = table([("one", "integer", "key")], one=[1])
    chosen = table([("m", "float", "choice")], m=[2.5])
    whole = stacked([measured, public, chosen], UnionAfter(order=(UnionOrder("n", descending=True),)))
    assert [field.type for field in whole.fields] == ["float"] * 3
    assert [list(whole[name]) for name in ("n", "n_low", "n_high")] == [
        [5.0, 2.5, 1.0],
        [3.0, np.ma.masked, 1.0],
        [7.0, np.ma.masked, 1.0],
    ]


def test_equal_rows_are_shown_once_and_nulls_come_last() -> None:
    parts = [table([("k", "text", "key")], k=["b", None, "a"]), table([("k", "text", "key")], k=["a", None])]
    assert stacked(parts, UnionAfter(distinct=True, order=(UnionOrder("k"),)))["k"] == ["a", "b", None]
    assert stacked(parts, UnionAfter(order=(UnionOrder("k", nulls_first=True),), limit=3))["k"] == [
        None,
        None,
        "a",
    ]
