"""Columns derived from an answer: DuckDB's over the released table itself, and over the rows within the interval."""

from __future__ import annotations

import datetime
import json
import math
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lapcat
from lapcat.plan.columns import RealFunction
from lapcat.plan.expressions import Column
from lapcat.plan.released.enclosures import between
from lapcat.plan.released.real_functions import real_enclosure, real_value
from lapcat.plan.released.vectors import Vector
from lapcat.plan.schema import Type
from lapcat.render.tables import shown_key
from lapcat.session import Session

ROWS = 2_000
CONFIDENCE = 0.999_999_999
"""Of an interval that a test relies on: wrong once in a thousand million runs."""
FRAME = pd.DataFrame(
    {
        "person": range(ROWS),
        "age": [20 + n * n % 7 for n in range(ROWS)],
        "pay": [float(n * n % 97) for n in range(ROWS)],
        "grade": [("a", "b", "c")[n * n % 11 % 3] for n in range(ROWS)],
        "ok": [n % 3 == 0 for n in range(ROWS)],
        "d": [datetime.date(2024, 1 + n % 12, 1 + n % 28) for n in range(ROWS)],
        "city": [f"city{n % 6}" for n in range(ROWS)],
    }
)


@pytest.fixture(scope="module")
def staff() -> Session:
    return opened()


@pytest.fixture
def unasked() -> Session:
    """A table without answers that later ones could follow from."""
    return opened()


def opened() -> Session:
    return lapcat.table(
        FRAME,
        unit="person",
        rows_per_unit=1,
        bounds={
            "age": (20, 26),
            "pay": (0, 100),
            "d": (datetime.date(2024, 1, 1), datetime.date(2024, 12, 31)),
        },
        keys={"grade": ["a", "b", "c"], "city": "private"},
        types={"d": "date"},
        epsilon=10**6,
        delta="1e-3",
        i_understand="a test of meanings, on made-up people",
    )


def close(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, (int, float)) and not isinstance(other, bool):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    return bool(one == other)


GROUPED = {
    "one key": ("grade", "grade"),
    "two keys": ("grade, ok", "grade, ok"),
    "an expression": ("MONTH(d) AS month", "MONTH(d)"),
}
EXPRESSIONS = [
    ("one key", "'all' AS label, 1 AS one, NULL AS x"),
    ("one key", "CASE WHEN grade = 'a' THEN 'north' ELSE 'rest' END AS side"),
    ("one key", "CASE grade WHEN 'a' THEN 1 WHEN 'b' THEN 2 END AS code"),
    ("one key", "grade = 'a' AS is_a, grade IN ('a', 'b') AS early"),
    ("an expression", "MONTH(d) * 10, 2 * (MONTH(d) - 1) AS twice, -MONTH(d) AS minus"),
    ("an expression", "SUM(pay) / MONTH(d) AS each, COUNT(*) + MONTH(d) AS more"),
    ("an expression", "CASE WHEN MONTH(d) < 6 THEN COUNT(*) ELSE 0 END AS early"),
    ("an expression", "(MONTH(d) + 2) // 3 AS quarter, MONTH(d) % 3 AS rest"),
    ("an expression", "POWER(MONTH(d), 2) AS square, SQRT(MONTH(d)) AS root"),
    ("one key", "CASE WHEN COUNT(*) > 500 THEN 'many' ELSE 'few' END AS size"),
    ("one key", "CAST(COUNT(*) AS VARCHAR) AS text, COUNT(*) > 500 AS large"),
    ("one key", "CASE WHEN grade = 'a' THEN COUNT(*) WHEN ok_count > 5 THEN SUM(pay) END AS mixed"),
    ("one key", "SQRT(COUNT(*)) AS a, LN(COUNT(*)) AS b, LOG(COUNT(*)) AS c, LOG2(COUNT(*)) AS e"),
    ("one key", "POWER(COUNT(*), 2) AS a, POW(AVG(pay), 0.5) AS b, COUNT(*) ** 3 AS c, EXP(AVG(pay) / 50) AS e"),
    ("one key", "ABS(COUNT(*) - 700) AS a, SIGN(COUNT(*) - 700) AS b, AVG(pay) % 7 AS c, MOD(COUNT(*), 10) AS e"),
    ("one key", "ROUND(AVG(pay), 2) AS a, ROUND(SUM(pay), -2) AS b, TRUNC(AVG(pay)) AS c, FLOOR(AVG(pay)) AS e"),
    ("one key", "CEIL(AVG(pay)) AS a, LEAST(COUNT(*), 700) AS b, GREATEST(SUM(pay), AVG(pay)) AS c"),
    ("one key", "NULLIF(COUNT(*), 0) AS a, COALESCE(SUM(pay), 0) AS b, CAST(AVG(pay) AS DECIMAL(10, 2)) AS c"),
    ("one key", "CAST(AVG(pay) AS INT) AS a, CAST(COUNT(*) AS REAL) AS b, AVG(pay)::NUMERIC(8, 1) AS c"),
    ("one key", "LN(COUNT(*) - 10000) AS undefined, SQRT(-SUM(pay)) AS imaginary"),
]  # fmt: skip
WINDOWS = [
    ("one key", "RANK() OVER (ORDER BY COUNT(*) DESC) AS r"),
    ("two keys", "RANK() OVER (PARTITION BY grade ORDER BY COUNT(*)) AS r, DENSE_RANK() OVER (ORDER BY grade) AS e"),
    ("two keys", "ROW_NUMBER() OVER (PARTITION BY ok ORDER BY SUM(pay) DESC) AS r"),
    ("an expression", "NTILE(5) OVER (ORDER BY MONTH(d) DESC) AS t, NTILE(3) OVER (ORDER BY COUNT(*), MONTH(d)) AS u"),
    ("two keys", "PERCENT_RANK() OVER (ORDER BY grade) AS p, CUME_DIST() OVER (ORDER BY grade DESC) AS c"),
    ("an expression", "LAG(COUNT(*)) OVER (ORDER BY MONTH(d)) AS l, COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY MONTH(d)) AS c"),
    ("an expression", "LEAD(SUM(pay), 2, 0.5) OVER (ORDER BY MONTH(d)) AS l, LAG(MONTH(d), 3) OVER (ORDER BY MONTH(d)) AS m"),
    ("two keys", "FIRST_VALUE(COUNT(*)) OVER (PARTITION BY grade ORDER BY ok) AS f, LAST_VALUE(COUNT(*)) OVER (PARTITION BY grade ORDER BY ok) AS l"),
    ("an expression", "NTH_VALUE(COUNT(*), 2) OVER (ORDER BY MONTH(d)) AS second"),
    ("an expression", "SUM(SUM(pay)) OVER (ORDER BY MONTH(d)) AS s, AVG(COUNT(*)) OVER (ORDER BY MONTH(d) ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS a"),
    ("an expression", "SUM(COUNT(*)) OVER (ORDER BY MONTH(d) ROWS 2 PRECEDING) AS s, MIN(COUNT(*)) OVER (ORDER BY MONTH(d) ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING) AS m"),
    ("an expression", "MAX(AVG(pay)) OVER (ORDER BY MONTH(d) ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS m, COUNT(*) OVER (ORDER BY MONTH(d)) AS c"),
    ("two keys", "SUM(COUNT(*)) OVER (ORDER BY grade) AS up, SUM(COUNT(*)) OVER (ORDER BY grade RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS down"),
    ("two keys", "MIN(COUNT(*)) OVER (PARTITION BY ok) AS low, MAX(grade) OVER (PARTITION BY ok) AS top, COUNT(*) OVER () AS rows"),
    ("two keys", "COUNT(*) * 100.0 / SUM(COUNT(*)) OVER () AS share, COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY grade) AS part"),
    ("two keys", "SUM(pay) / SUM(SUM(pay)) OVER (PARTITION BY ok) AS part, COUNT(*) - AVG(COUNT(*)) OVER () AS above"),
    ("two keys", "SUM(COUNT(*)) OVER (PARTITION BY CASE WHEN grade = 'a' THEN 1 ELSE 2 END) AS s"),
    ("two keys", "RANK() OVER w AS r, SUM(COUNT(*)) OVER w AS s"),
]  # fmt: skip


def question(groups: str, columns: str) -> str:
    shown, grouped = GROUPED[groups]
    columns = columns.replace("ok_count", "COUNT(*) FILTER (WHERE ok)")
    window = " WINDOW w AS (PARTITION BY grade ORDER BY ok)" if " OVER w" in columns else ""
    return f"SELECT {shown}, {columns}, COUNT(*) AS all_of FROM data GROUP BY {grouped}{window} ORDER BY {shown.split(' AS ')[-1]}"


@pytest.mark.parametrize(("groups", "columns"), [*EXPRESSIONS, *WINDOWS])
def test_a_derived_column_is_duckdbs_over_the_rows_within_its_interval(
    staff: Session, groups: str, columns: str
) -> None:
    text = question(groups, columns)
    with duckdb.connect() as engine:
        engine.register("data", FRAME)
        exact = text.replace("LN(COUNT(*) - 10000)", "NULL").replace("SQRT(-SUM(pay))", "NULL")
        expected = engine.execute(exact).fetchall()
    answer = staff.sql(text).run(epsilon=2000, confidence=CONFIDENCE)
    shown = [field for field in answer.fields if field.role not in ("low", "high")]
    assert len(answer) == len(expected)
    for row, other in zip(answer, expected, strict=True):
        for field, value in zip(shown, other, strict=True):
            if hasattr(value, "as_integer_ratio"):
                value = value if isinstance(value, (int, bool)) else float(value)
            if field.role != "value" or value is None:
                assert close(row[field.name], value), field.name
                continue
            low, high = row[f"{field.name}_low"], row[f"{field.name}_high"]
            assert (low is None or low <= value * (1 + 1e-12) + 1e-9) and (
                high is None or value * (1 - 1e-12) - 1e-9 <= high
            )
            assert field.name == "mixed" or (low is not None and high is not None), (
                "an interval with two ends"
            )


NAMES = {"COUNT(*)": "n", "SUM(pay)": "s", "AVG(pay)": "m", "MONTH(d)": "month", "ok_count": "k"}


@pytest.mark.parametrize(("groups", "columns"), [*EXPRESSIONS, *WINDOWS])
def test_a_derived_column_is_duckdbs_over_the_released_table(
    staff: Session, groups: str, columns: str
) -> None:
    """The same noisy numbers, at a price that leaves them far from the truth: nothing but post-processing differs."""
    shown, grouped = GROUPED[groups]
    numbers = "COUNT(*) AS n, SUM(pay) AS s, AVG(pay) AS m, COUNT(*) FILTER (WHERE ok) AS k"
    hidden = columns.replace("ok_count", "COUNT(*) FILTER (WHERE ok)")
    window = " WINDOW w AS (PARTITION BY grade ORDER BY ok)" if " OVER w" in columns else ""
    text = f"SELECT {shown}, {numbers}, {hidden} FROM data GROUP BY {grouped}{window}"
    answer = staff.sql(text).run(epsilon="0.05")
    released = pd.DataFrame(answer.rows)  # noqa: F841 - read by DuckDB
    over = columns.replace("COUNT(*) OVER", "ROWS_OF OVER")
    for written, name in NAMES.items():
        over = over.replace(written, name)
    over = over.replace("ROWS_OF OVER", "COUNT(*) OVER")
    over = over.replace("LN(n - 10000)", "NULL").replace("SQRT(-s)", "CASE WHEN s <= 0 THEN SQRT(-s) END")
    for name, domain in (
        ("LN(n)", "n > 0"),
        ("LOG(n)", "n > 0"),
        ("LOG2(n)", "n > 0"),
        ("SQRT(n)", "n >= 0"),
    ):
        over = over.replace(name, f"CASE WHEN {domain} THEN {name} END")
    keys = "month" if groups == "an expression" else shown
    expected = duckdb.sql(f"SELECT {keys}, {over} FROM released{window}").fetchall()
    names = [field.name for field in answer.fields if field.role not in ("low", "high")]
    names = [name for name in names if name not in ("n", "s", "m", "k")]
    by_key = {row[: keys.count(",") + 1]: row for row in expected}
    for row in answer:
        for name, value in zip(names, by_key[tuple(row[key] for key in keys.split(", "))], strict=True):
            value = float(value) if hasattr(value, "quantize") else value
            slack = 0.0
            if "/ SUM(COUNT" in columns and name in (
                "share",
                "part",
            ):  # a total is rounded apart from its parts
                slack = 0.05 * abs(value)
            elif "::" in columns or "DECIMAL" in columns:
                slack = 0.06
            assert close(row[name], value) or (slack and abs(row[name] - value) < slack), name


# ------------------------------------------------------------------------------------------------ clauses


@pytest.mark.parametrize(
    "text",
    [
        "SELECT grade, SUM(COUNT(*)) OVER (ORDER BY grade) AS s FROM data GROUP BY grade HAVING COUNT(*) < 800 ORDER BY 1",
        "SELECT grade, RANK() OVER (ORDER BY COUNT(*)) AS r FROM data GROUP BY grade HAVING COUNT(*) < 800 ORDER BY 1",
        "SELECT ok, grade FROM data GROUP BY ok, grade QUALIFY RANK() OVER (PARTITION BY ok ORDER BY COUNT(*) DESC) = 1 ORDER BY 1",
        "SELECT grade FROM data GROUP BY grade HAVING SQRT(COUNT(*)) < 28 ORDER BY POWER(COUNT(*), 2) DESC LIMIT 1",
        "SELECT grade FROM data GROUP BY grade ORDER BY RANK() OVER (ORDER BY COUNT(*))",
        "SELECT DISTINCT CASE WHEN COUNT(*) > 10 THEN 'many' ELSE 'few' END AS size FROM data GROUP BY grade, ok",
        "SELECT age + 1 AS older FROM data GROUP BY 1 HAVING COUNT(*) > 500 ORDER BY 1",
        "SELECT COALESCE(grade, 'none') AS g, g = 'a' AS is_a FROM data GROUP BY g HAVING COUNT(*) > 3 ORDER BY g",
        "SELECT COALESCE(age, 0) + 1 AS a, COUNT(*) > 3 AS big FROM data GROUP BY COALESCE(age, 0) + 1 HAVING COUNT(*) > 3 ORDER BY a",
    ],
)  # fmt: skip
def test_clauses_over_derived_columns_are_duckdbs(text: str, staff: Session) -> None:
    with duckdb.connect() as engine:
        engine.register("data", FRAME)
        rows = engine.execute(text).fetchall()
    answer = staff.sql(text).run(epsilon=2000)
    assert len(rows) > 0 and [tuple(row.values()) for row in answer] == rows


def test_private_groups_and_totals_have_derived_columns(staff: Session) -> None:
    text = (
        "SELECT city, CASE WHEN city = 'city1' THEN 'one' ELSE 'rest' END AS kind, COUNT(*) AS n, "
        "SUM(n) OVER () AS everybody, ROW_NUMBER() OVER (ORDER BY city) AS k FROM data GROUP BY city ORDER BY city"
    )
    answer = staff.sql(text).run(epsilon=100, delta="1e-6")
    assert [(row["kind"], row["k"]) for row in answer][:3] == [("rest", 1), ("one", 2), ("rest", 3)]
    assert {row["everybody"] for row in answer} == {sum(answer["n"])}
    roles = {field.name: field.role for field in answer.fields}
    assert (roles["kind"], roles["everybody"], roles["k"]) == ("key", "choice", "key")
    totals = staff.sql(
        "SELECT grade, grade = 'a' AS is_a, COALESCE(grade, 'all') AS name, GROUPING(grade) AS g, COUNT(*) AS n "
        "FROM data GROUP BY ROLLUP (grade)"
    ).run(epsilon=100)
    assert totals.rows[-1] | {"n": 0, "n_low": 0, "n_high": 0} == {
        "grade": None, "is_a": None, "name": "all", "g": 1, "n": 0, "n_low": 0, "n_high": 0
    }  # fmt: skip


# ------------------------------------------------------------------------------------------------ what people see


MIXED = (
    "SELECT grade, 'x' AS label, NULL AS nothing, COUNT(*) AS n, COUNT(*) > 5 AS many, "
    "SQRT(COUNT(*)) AS root, LAG(COUNT(*)) OVER (ORDER BY grade) AS before, RANK() OVER (ORDER BY COUNT(*)) AS r "
    "FROM data GROUP BY grade"
)


def test_every_form_of_an_answer_shows_derived_columns(staff: Session) -> None:
    question = staff.sql(MIXED)
    preview = question.preview(epsilon=1)
    assert [column.name for column in preview.columns] == ["n", "root", "before"]
    assert preview.columns[1].words == "the margin depends on the answer"
    answer = question.run(epsilon=1)
    roles = {column["name"]: column["role"] for column in answer.as_json()["columns"]}  # type: ignore[attr-defined]
    assert roles["label"] == roles["nothing"] == "key"
    assert roles["many"] == roles["r"] == "choice"
    assert roles["root"] == "value" and roles["root_low"] == "low" and roles["before_high"] == "high"
    json.dumps(answer.as_json())
    frame = answer.to_pandas()
    assert list(frame["label"]) == ["x"] * 3 and frame["before"].isna().tolist() == [True, False, False]
    assert answer.to_arrow().num_rows == answer.to_polars().height == 3
    assert "NULL" in repr(answer) and "(all)" not in repr(answer)
    assert "<table" in answer._repr_html_() and "<svg" in answer.plot("root")._repr_html_()
    assert staff.sql(MIXED).run(epsilon=1).free


def test_a_derived_column_asks_nothing_new_of_the_rows(staff: Session) -> None:
    plain = staff.sql("SELECT age, COUNT(*) AS n, SUM(pay) AS s FROM data GROUP BY age")
    plain.run(epsilon=3)
    more = "SELECT age, COUNT(*) AS n, SUM(pay) AS s, age * 2, SQRT(COUNT(*)), SUM(pay) / age AS x, RANK() OVER (ORDER BY n) FROM data GROUP BY age"
    assert staff.sql(more).preview(epsilon=3).free


def test_an_error_target_cannot_promise_a_derived_number(staff: Session) -> None:
    with pytest.raises(lapcat.Error) as caught:
        staff.sql("SELECT COUNT(*) AS n, SQRT(COUNT(*)) AS root FROM data").run(error=10)
    assert caught.value.code == "error-unknown-n"


def test_merged_questions_keep_the_intervals_of_derived_columns(unasked: Session) -> None:
    """The confidence is that of the question alone: merging changes who pays, not how sure an interval is."""
    texts = [
        "SELECT grade, COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY grade) AS x FROM data GROUP BY grade",
        "SELECT grade, SUM(COUNT(*)) OVER (ORDER BY grade ROWS 1 PRECEDING) AS y FROM data WHERE ok GROUP BY grade",
    ]
    answers = unasked.workload(texts).run(epsilon=1)
    widths = [(row["x_high"] - row["x_low"]) / 4 for row in answers[0] if row["x_low"] is not None]
    single = unasked.sql("SELECT grade, COUNT(*) AS n FROM data GROUP BY grade").preview(
        epsilon=1, confidence="0.975"
    )
    assert widths[1] >= (single.columns[0].margin or 0) * 0.99


# ------------------------------------------------------------------------------------------------ intervals


def margin(staff: Session, confidence: str) -> float:
    preview = staff.sql("SELECT grade, COUNT(*) AS n FROM data GROUP BY grade").preview(
        epsilon=1, confidence=confidence
    )
    assert preview.columns[0].margin is not None
    return preview.columns[0].margin


def width(answer: lapcat.Answer, name: str) -> float:
    row = answer.rows[-1]
    return float(row[f"{name}_high"] - row[f"{name}_low"]) / 2


def test_a_change_between_groups_is_as_sure_as_both_of_its_intervals(unasked: Session) -> None:
    """By the union bound: two margins at 97.5 % for a sum or difference of two rows at 95 %."""
    change = "COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY grade)"
    answer = unasked.sql(
        f"SELECT grade, {change} AS x, SUM(COUNT(*)) OVER (ORDER BY grade ROWS 1 PRECEDING) AS y FROM data GROUP BY grade"
    ).run(epsilon=1, confidence="0.95")
    assert width(answer, "x") == width(answer, "y") == 2 * margin(unasked, "0.975")
    assert margin(unasked, "0.975") > margin(unasked, "0.95")


@pytest.mark.parametrize(
    ("column", "more"),
    [
        ("SUM(COUNT(*)) OVER (ORDER BY grade)", "HAVING COUNT(*) > 1"),
        ("SUM(COUNT(*)) OVER (ORDER BY COUNT(*))", ""),
        ("LAG(COUNT(*)) OVER (ORDER BY SUM(pay))", ""),
        ("MAX(COUNT(*)) OVER (PARTITION BY COUNT(*) > 5)", ""),
    ],
)
def test_a_window_whose_rows_depend_on_the_noise_has_no_interval(
    staff: Session, column: str, more: str
) -> None:
    answer = staff.sql(f"SELECT grade, {column} AS x FROM data GROUP BY grade {more}").run(epsilon=1)
    assert [field.name for field in answer.fields] == ["grade", "x"]


ENDS = st.floats(-50, 50) | st.sampled_from([0.0, 1.0, -1.0, 2.0, 0.5, 700.0, -800.0])


@given(
    st.sampled_from(["sqrt", "cbrt", "ln", "log2", "log10", "exp", "power", "mod"]),
    st.tuples(ENDS, ENDS),
    st.tuples(ENDS, ENDS) | ENDS.map(lambda end: (round(end), round(end))),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_the_enclosure_of_a_real_function_holds_its_value(
    name: Any, first: tuple[float, float], second: tuple[float, float], x: float, y: float
) -> None:
    boxes = [sorted(first), sorted(second)][: 2 if name in ("power", "mod") else 1]
    points = [
        min(max(low + share * (high - low), low), high)
        for (low, high), share in zip(boxes, (x, y), strict=False)
    ]
    operands = tuple(Column(letter, Type.FLOAT) for letter in "xy"[: len(boxes)])
    function = RealFunction(name, operands)
    value = real_value(function, [Vector.of(np.array([point])) for point in points])
    ends = real_enclosure(function, [between(np.array([low]), np.array([high])) for low, high in boxes])
    if value.null[0]:
        assert ends.null[0]
    else:
        assert ends.low[0] <= value.data[0] <= ends.high[0]


def test_an_enclosure_is_moved_outwards_where_libraries_differ() -> None:
    """A value one ulp away from ours, as another library may give, is inside; SQRT is correctly rounded everywhere."""
    for name, x in (("ln", 3.0), ("exp", 1.5), ("log10", 7.0), ("cbrt", 5.0)):
        function = RealFunction(name, (Column("x", Type.FLOAT),))  # type: ignore[arg-type]
        value = real_value(function, [Vector.of(np.array([x]))]).data[0]
        ends = real_enclosure(function, [between(np.array([x]), np.array([x]))])
        assert ends.low[0] < np.nextafter(value, -np.inf) and np.nextafter(value, np.inf) < ends.high[0]


# ------------------------------------------------------------------------------------------------ UNION ALL


UNIONS = [
    "SELECT 'young' AS who, COUNT(*) AS n FROM data WHERE age < 23 UNION ALL SELECT 'old', COUNT(*) FROM data WHERE age >= 23 "
    "UNION ALL SELECT 'all', COUNT(*) FROM data ORDER BY n DESC, who LIMIT 2",
    "SELECT grade, COUNT(*) AS n FROM data GROUP BY grade HAVING COUNT(*) > 1 UNION ALL SELECT 'all', COUNT(*) FROM data ORDER BY 1",
    "WITH t AS (SELECT * FROM data WHERE ok) SELECT 'mean' AS what, AVG(pay) AS m FROM t "
    "UNION ALL (SELECT 'count', COUNT(*) FROM t) ORDER BY what",
    "SELECT MONTH(d) AS k, NULL AS x, SUM(pay) AS s FROM data GROUP BY MONTH(d) UNION ALL SELECT age, 1, SQRT(COUNT(*)) "
    "FROM data GROUP BY age HAVING COUNT(*) > 1 ORDER BY k, s OFFSET 2",
]  # fmt: skip


@pytest.mark.parametrize("text", UNIONS)
def test_a_union_of_derived_columns_is_duckdbs_within_the_intervals(staff: Session, text: str) -> None:
    with duckdb.connect() as engine:
        engine.register("data", FRAME)
        expected = engine.execute(text).fetchall()
    answer = staff.sql(text).run(epsilon=5000, confidence=CONFIDENCE)
    shown = [field for field in answer.fields if field.role not in ("low", "high")]
    assert len(answer) == len(expected) > 1
    for row, other in zip(answer, expected, strict=True):
        for field, value in zip(shown, other, strict=True):
            if field.role != "value":
                assert close(row[field.name], value)
            else:
                assert row[f"{field.name}_low"] - 1e-9 <= value <= row[f"{field.name}_high"] + 1e-9


@pytest.mark.parametrize(
    ("value", "shown"),
    [(4206.947999954224, "4 206.95"), (10.0, "10"), (0.1, "0.1"), (2e9 / 3, "6.66667e+08")],
)
def test_a_derived_number_without_an_interval_has_six_digits(value: float, shown: str) -> None:
    assert shown_key(value, is_derived=True) == shown
    assert shown_key(value) == str(value), "a group key is shown as it is"
