"""Dates in rows, as other tools write them: moved, subtracted and shown as text. The answers are DuckDB's, within the interval."""

from __future__ import annotations

import datetime
import doctest
from typing import Any

import duckdb
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lapcat
from lapcat.engines.evaluation import evaluate
from lapcat.frontend.sql import date_formats, differences, intervals
from lapcat.frontend.sql.differences import DiffUnit, numbered, span_number
from lapcat.frontend.sql.scopes import ColumnMeaning
from lapcat.plan.calendar import date_text, days_between, how_many, movable, moved, public_texts
from lapcat.plan.expressions import Column, DateAdd, DateText, Literal, MoveUnit, NullOutsideBounds
from lapcat.plan.schema import Type
from lapcat.session import Session

ROWS = 3_000
CONFIDENCE = 0.999_999_999
"""Of an interval that a test relies on: wrong once in a thousand million runs."""
START = datetime.datetime(2023, 1, 30, 5, 30)
FRAME = pd.DataFrame(
    {
        "person": [n // 2 for n in range(ROWS)],
        "d": [(START + datetime.timedelta(days=n % 700)).date() if n % 11 else None for n in range(ROWS)],
        "e": [(START + datetime.timedelta(days=n * 7 % 701)).date() if n % 13 else None for n in range(ROWS)],
        "m": [START + datetime.timedelta(minutes=n * 277 % 900_000) for n in range(ROWS)],
        "t": [(START + datetime.timedelta(days=n % 50)).date().isoformat() for n in range(ROWS)],
    }
)
BOUNDS = (datetime.date(2023, 1, 1), datetime.date(2024, 12, 31))


@pytest.fixture(scope="module")
def visits() -> Session:
    return lapcat.table(
        FRAME,
        unit="person",
        rows_per_unit=2,
        bounds={"d": BOUNDS, "e": BOUNDS, "m": BOUNDS},
        types={"d": "date", "e": "date", "m": "timestamp"},
        epsilon=10**6,
        i_understand="a test of meanings, on made-up people",
    )


def duck(question: str) -> list[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        connection.register("frame", FRAME)
        connection.execute(
            "CREATE TABLE data AS SELECT person, d::DATE AS d, e::DATE AS e, m::TIMESTAMP AS m, t FROM frame"
        )
        return connection.execute(question).fetchall()


def identity(visits: Session, question: str) -> str:
    return str(visits.sql(question)._context.prepared().identity)


def counted(condition: str) -> str:
    return f"SELECT COUNT(*) AS x FROM data WHERE {condition}"


CONDITIONS = [
    # written, and the same for DuckDB
    ("d + INTERVAL 7 DAY > DATE '2024-06-01'", None),
    ("d + INTERVAL '1' MONTH = DATE '2024-02-29'", None),
    ("d - INTERVAL '2 weeks' < '2023-06-01'", "d - INTERVAL '2 weeks' < DATE '2023-06-01'"),
    ("INTERVAL 1 YEAR + d >= DATE '2024-02-29'", None),
    ("d + INTERVAL '1 month 2 days' > DATE '2024-01-02'", None),
    ("d + 30 > e", None),
    ("d - 30 > e", None),
    ("DATEADD(day, 7, d) > e", "d + INTERVAL 7 DAY > e"),
    ("DATEADD('month', -1, d) > e", "d - INTERVAL 1 MONTH > e"),
    ("DATE_ADD(d, INTERVAL 1 QUARTER) > e", "d + INTERVAL 3 MONTH > e"),
    ("DATE_ADD('week', 2, d) > e", "d + INTERVAL 14 DAY > e"),
    ("DATE_ADD(d, 5) > e", "d + 5 > e"),
    ("DATE_SUB(d, INTERVAL 1 MONTH) > e", "d - INTERVAL 1 MONTH > e"),
    ("DATE_SUB(d, 5) > e", "d - 5 > e"),
    ("ADD_MONTHS(d, 3) > e", "d + INTERVAL 3 MONTH > e"),
    ("TIMESTAMPADD(HOUR, 30, m) > e", "m + INTERVAL 30 HOUR > e"),
    ("m + INTERVAL 90 MINUTE > TIMESTAMP '2024-01-01 00:00:00'", None),
    ("d + INTERVAL 12 HOUR > m", None),
    ("d - e > 100", None),
    ("DATE '2024-06-30' - d BETWEEN 0 AND 30", None),
    ("DATE_DIFF('day', d, e) > 10", None),
    ("DATEDIFF('week', d, e) > 3", None),
    ("DATEDIFF(month, d, e) >= 2", "DATE_DIFF('month', d, e) >= 2"),
    ("DATE_DIFF(e, d, MONTH) >= 2", "DATE_DIFF('month', d, e) >= 2"),
    ("DATEDIFF(e, d) > 10", "DATE_DIFF('day', d, e) > 10"),
    ("DATE_DIFF('quarter', d, e) = 1", None),
    ("DATEDIFF(yy, d, e) = 1", "DATE_DIFF('year', d, e) = 1"),
    ("DATE_DIFF('hour', m, TIMESTAMP '2024-01-01 00:00:00') > 5", None),
    ("DATE_DIFF('minute', d, m) > 5", None),
    ("DATE_DIFF('second', m, '2024-01-01 00:00:00') > 5", "DATE_DIFF('second', m, TIMESTAMP '2024-01-01 00:00:00') > 5"),
    ("JULIANDAY(e) - JULIANDAY(d) > 3", "e - d > 3"),
    ("TIMESTAMPDIFF(MONTH, d, DATE '2024-06-15') = 3", "extract(year from age(DATE '2024-06-15', d)) * 12 + extract(month from age(DATE '2024-06-15', d)) = 3"),
    ("TIMESTAMPDIFF(YEAR, d, DATE '2024-06-15') = 1", "extract(year from age(DATE '2024-06-15', d)) = 1"),
    ("TIMESTAMPDIFF(WEEK, d, e) = 1", "date_diff('week', d, e) = 1"),
    ("EXTRACT(YEAR FROM AGE(DATE '2024-06-15', d)) = 1", None),
    ("DATE_PART('year', AGE(DATE '2024-06-15', d)) = 1", None),
    ("MAKE_DATE(YEAR(d), MONTH(d), 1) = DATE '2024-02-01'", None),
    ("MAKE_DATE(YEAR(m), 1, 1) = DATE '2024-01-01'", None),
    ("MAKE_DATE(YEAR(d), MONTH(e), DAY(d)) > DATE '2024-02-28'", "TRY_CAST(format('{:04d}-{:02d}-{:02d}', YEAR(d), MONTH(e), DAY(d)) AS DATE) > DATE '2024-02-28'"),
    ("DATE_FROM_PARTS(2024, MONTH(d), 31) = d", "TRY_CAST(format('2024-{:02d}-31', MONTH(d)) AS DATE) = d"),
    ("DATE_TRUNC('minute', m) = TIMESTAMP '2023-01-30 10:07:00'", None),
    ("DATE_TRUNC('minute', m + INTERVAL 30 SECOND) = TIMESTAMP '2023-01-30 10:07:00'", None),
    ("DATE_TRUNC('second', m) = TIMESTAMP '2023-01-30 10:07:00'", None),
    ("LAST_DAY(d) = d", None),
    ("EOMONTH(d) = DATE '2024-02-29'", "LAST_DAY(d) = DATE '2024-02-29'"),
    ("DATE(m) = DATE '2023-05-04'", "m::DATE = DATE '2023-05-04'"),
    ("TO_DATE(t, 'YYYY-MM-DD') > TO_DATE('2023-02-10', 'YYYY-MM-DD')", "t::DATE > DATE '2023-02-10'"),
    ("d > DATE('2024-01-31')", "d > DATE '2024-01-31'"),
    ("EXTRACT(WEEK FROM d) = 9", None),
    ("WEEK(d) = 9 OR WEEKOFYEAR(d) = 10", None),
    ("DATE_PART('isoyear', d) = 2023", None),
    ("ISOYEAR(d) = 2023 AND WEEKDAY(d) = 0", "isoyear(d) = 2023 AND weekday(d) = 0"),
    ("EXTRACT(SECOND FROM m + INTERVAL '6 seconds') = 6 AND MINUTE(m) = 7", None),
    ("STRFTIME(d, '%Y-%m') = '2024-02'", None),
    ("STRFTIME('%Y', d) = '2024'", None),
    ("TO_CHAR(d, 'YYYY-MM') = '2024-02'", "STRFTIME(d, '%Y-%m') = '2024-02'"),
    ("DATE_FORMAT(d, '%Y-%m') = '2024-02'", "STRFTIME(d, '%Y-%m') = '2024-02'"),
    ("DATE_FORMAT(d, 'yyyy-MM') = '2024-02'", "STRFTIME(d, '%Y-%m') = '2024-02'"),
    ("FORMAT_DATE('%Y-%m', d) = '2024-02'", "STRFTIME(d, '%Y-%m') = '2024-02'"),
    ("FORMAT(d, 'MMMM') = 'March'", "STRFTIME(d, '%B') = 'March'"),
    ("STRFTIME(m, '%H:%M') < '06:15'", None),
    ("STRFTIME(d, '%A, %d %B %Y %a %b %j %u %w %V %G %%') LIKE 'M%Mon%'", None),
    ("DAYNAME(d) = 'Friday'", None),
    ("MONTHNAME(d) IN ('March', 'April')", None),
]  # fmt: skip


@pytest.mark.parametrize(("written", "plain"), CONDITIONS)
def test_a_condition_on_dates_is_duckdbs(visits: Session, written: str, plain: str | None) -> None:
    ((truth,),) = duck(counted(plain or written))
    (row,) = visits.sql(counted(written)).run(epsilon=500, confidence=CONFIDENCE).rows
    assert 0 < truth < ROWS
    assert row["x_low"] <= truth <= row["x_high"] and row["x_high"] - row["x_low"] < 5


SAME = [
    ("d < DATE '2024-06-08'", "d < DATEADD(day, 7, '2024-06-01')"),
    ("d < DATE '2024-06-08'", "d < ADD_MONTHS(DATE '2024-05-08', 1)"),
    ("d < DATE '2024-06-08'", "d < DATE('2024-06-07', '+1 day')"),
    ("d < DATE '2024-06-08'", "d < STR_TO_DATE('2024-06-08', '%Y-%m-%d')"),
    ("d + INTERVAL 7 DAY > e", "DATE_ADD('day', 7, d) > e"),
    ("d + INTERVAL 7 DAY > e", "d + INTERVAL 1 WEEK > e"),
    ("d - e > 100", "DATE_DIFF('day', e, d) > 100"),
    ("d - e > 100", "DATEDIFF(d, e) > 100"),
    ("STRFTIME(d, '%B') = 'May'", "MONTHNAME(d) = 'May'"),
]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_two_spellings_are_one_question(visits: Session, first: str, second: str) -> None:
    assert identity(visits, counted(first)) == identity(visits, counted(second))


def test_the_functions_are_read_in_any_case_and_not_inside_quotes(visits: Session) -> None:
    assert identity(visits, counted("datediff (d, e) > 1")) == identity(visits, counted("DATEDIFF(d, e) > 1"))
    assert identity(visits, counted("t = 'DATEDIFF('")) != identity(visits, counted("t = 'DATEDIF_('"))


# ------------------------------------------------------------------------------------------------ values


@pytest.mark.parametrize(
    "aggregate",
    [
        "SUM(DATE_DIFF('day', d, e))",
        "AVG(e - d)",
        "AVG(DATE_DIFF('month', d, e))",
        "AVG(DATE_DIFF('week', d, e))",
        "SUM(DATE_DIFF('hour', d, m))",
        "AVG(DATE '2025-01-01' - d)",
        "AVG(EXTRACT(YEAR FROM AGE(DATE '2024-12-31', d)))",
        "MAX(CLAMP(DATE_DIFF('day', d, e), 0, 300))",
    ],
)
def test_a_difference_of_dates_with_bounds_is_a_number_with_bounds(visits: Session, aggregate: str) -> None:
    plain = aggregate.replace("CLAMP(", "").replace(", 0, 300)", "")
    ((truth,),) = duck(f"SELECT {plain} FROM data")
    (row,) = visits.sql(f"SELECT {aggregate} AS x FROM data").run(epsilon=5000, confidence=CONFIDENCE).rows
    truth = 300 if "CLAMP" in aggregate else float(truth)
    assert row["x_low"] - 1e-6 <= truth <= row["x_high"] + 1e-6


def test_rows_outside_the_bounds_move_a_sum_no_further_than_the_bounds() -> None:
    frame = pd.DataFrame({"a": [datetime.date(1, 1, 1), datetime.date(9999, 12, 31)]})
    table = lapcat.table(
        frame, unit="row", bounds={"a": (datetime.date(2024, 1, 1), datetime.date(2024, 1, 11))}, types={"a": "date"}, epsilon=1000,
        i_understand="a test",
    )  # fmt: skip
    question = table.sql("SELECT SUM(a - DATE '2024-01-01') AS x FROM data")
    (statistic,) = question.sensitivity().as_json()["statistics"]
    assert float(statistic["l1"]) == 10
    (row,) = question.run(epsilon=500).rows
    assert row["x"] == pytest.approx(10, abs=0.5)


# ------------------------------------------------------------------------------------------------ groups


@pytest.mark.parametrize(
    "key",
    [
        "STRFTIME(d, '%Y-%m')", "STRFTIME('%Y', d)", "STRFTIME(m, '%H')", "DAYNAME(d)", "MONTHNAME(d)", "STRFTIME(d, '%G-W%V')",
        "DATE_DIFF('month', d, e)", "EXTRACT(WEEK FROM d)", "DATE_TRUNC('week', d) + INTERVAL 6 DAY", "LAST_DAY(d)",
        "DATE_TRUNC('month', d + INTERVAL 1 MONTH)", "ISOYEAR(d)", "d + 7", "DATE(m)", "EXTRACT(YEAR FROM AGE(DATE '2024-12-31', d))",
    ],
)  # fmt: skip
def test_groups_of_dates_are_duckdbs(visits: Session, key: str) -> None:
    plain = "(m::DATE)" if key == "DATE(m)" else key
    truth = dict(duck(f"SELECT {plain} AS k, COUNT(*) FROM data WHERE {plain} IS NOT NULL GROUP BY 1"))
    truth = {k.date() if isinstance(k, datetime.datetime) else k: n for k, n in truth.items()}
    rows = visits.sql(f"SELECT {key} AS k, COUNT(*) AS n FROM data GROUP BY {key}").run(epsilon=500).rows
    assert {row["k"]: row["n"] for row in rows if row["n"]} == truth
    assert len(rows) < 2_000


def test_groups_come_in_order_of_time(visits: Session) -> None:
    def groups(key: str) -> list[object]:
        question = f"SELECT {key} AS k, COUNT(*) AS n FROM data GROUP BY {key}"
        return [row["k"] for row in visits.sql(question).run(epsilon=500).rows]

    week = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    assert groups("DAYNAME(d)") == week
    assert groups("STRFTIME(d, '%b %Y')")[:3] == ["Jan 2023", "Feb 2023", "Mar 2023"]
    assert len(groups("STRFTIME(d, '%m-%d')")) == 366
    assert groups("TO_CHAR(d, 'FMMonth')")[:2] == ["January", "February"]


REFUSED = [
    (f"SELECT COUNT(*) AS n FROM data WHERE STRFTIME(d, '%Y{'x' * 10_000}') = 'x'", "text-too-long"),
    ("SELECT COUNT(*) AS n FROM data WHERE d + INTERVAL 1.5 DAY > e", "type-mismatch"),
    ("SELECT COUNT(*) AS n FROM data WHERE d + person > e", "unsupported"),
    ("SELECT COUNT(*) AS n FROM data WHERE m - m > 3", "unsupported"),
    ("SELECT COUNT(*) AS n FROM data WHERE DATE_DIFF('fortnight', d, e) > 3", "unsupported"),
    ("SELECT COUNT(*) AS n FROM data WHERE DATE_SUB('month', d, e) > 3", "unsupported"),
    ("SELECT COUNT(*) AS n FROM data WHERE TIMESTAMPDIFF(HOUR, m, m) > 3", "unsupported"),
    ("SELECT COUNT(*) AS n FROM data WHERE STRFTIME(d, '%c') = 'x'", "unsupported"),
    ("SELECT COUNT(*) AS n FROM data WHERE TO_CHAR(d, 'Month') = 'May'", "unsupported"),
    ("SELECT COUNT(*) AS n FROM data WHERE TO_DATE(t, 'DD.MM.YYYY') = d", "unsupported"),
    ("SELECT COUNT(*) AS n FROM data WHERE DATE_ADD(person, 3) > e", "type-mismatch"),
    ("SELECT COUNT(*) AS n FROM data WHERE d > DATE '9999-06-01' + INTERVAL 1 YEAR", "type-mismatch"),
    ("SELECT STRFTIME(m, '%Y-%m-%d %H:%M:%S') AS k, COUNT(*) AS n FROM data GROUP BY 1", "too-many-groups"),
]


@pytest.mark.parametrize(("question", "code"), REFUSED)
def test_what_has_no_rule_is_refused(visits: Session, question: str, code: str) -> None:
    with pytest.raises(lapcat.Error) as refused:
        visits.sql(question).preview(epsilon=1)
    assert refused.value.code == code and refused.value.fix


@pytest.mark.parametrize(
    "key", ["STRFTIME(d, '%Y-%m')", "d - DATE '2024-01-01'", "ISOYEAR(d)", "DATE_DIFF('month', d, d)"]
)
def test_dates_without_bounds_have_no_public_groups(key: str) -> None:
    table = lapcat.table(FRAME[["d"]], unit="row", types={"d": "date"}, epsilon=1)
    with pytest.raises(lapcat.Refused) as refused:
        table.sql(f"SELECT {key} AS k, COUNT(*) AS n FROM data GROUP BY 1").preview(epsilon=1)
    assert refused.value.code == "keys-missing"
    table.sql("SELECT DAYNAME(d) AS k, COUNT(*) AS n FROM data GROUP BY 1").preview(epsilon=1)
    table.sql("SELECT CLAMP(d - DATE '2024-01-01', 0, 9) AS k, COUNT(*) AS n FROM data GROUP BY 1").preview(
        epsilon=1
    )


# ------------------------------------------------------------------------------------------------ the calendar


def test_examples_in_docstrings_run() -> None:
    for module in (intervals, differences, date_formats):
        results = doctest.testmod(module)
        assert results.attempted > 0 and results.failed == 0


MOMENTS = st.datetimes()
UNITS: list[MoveUnit] = ["month", "day", "second"]
DIFFS: list[DiffUnit] = ["year", "quarter", "month", "day", "hour", "minute", "second"]


@given(MOMENTS, st.sampled_from(UNITS), st.integers(-130_000, 130_000) | st.integers(-(10**12), 10**12))
def test_what_stays_in_the_calendar_is_what_lies_between_the_ends(
    moment: datetime.datetime, unit: MoveUnit, number: int
) -> None:
    ends = movable(number, unit, Type.TIMESTAMP)
    assert (moved(moment, number, unit) is not None) == (ends is not None and ends[0] <= moment <= ends[1])


@pytest.mark.patient
@given(MOMENTS, MOMENTS)
def test_a_difference_counts_the_boundaries_that_duckdb_counts(
    first: datetime.datetime, second: datetime.datetime
) -> None:
    sql = "SELECT " + ", ".join(f"date_diff('{unit}', $1::TIMESTAMP, $2::TIMESTAMP)" for unit in DIFFS)
    with duckdb.connect() as connection:
        truth = connection.execute(sql, [first, second]).fetchone()
    assert tuple(span_number(unit, second) - span_number(unit, first) for unit in DIFFS) == truth


@given(MOMENTS, st.sampled_from(DIFFS))
def test_the_number_of_a_span_is_what_its_expression_means(moment: datetime.datetime, unit: DiffUnit) -> None:
    expression = numbered(unit, Column("m", Type.TIMESTAMP), None, ColumnMeaning.RAW)
    assert evaluate(expression, {"m": moment}) == span_number(unit, moment)


PATTERNS = [
    "%Y-%m",
    "%Y Q%q",
    "%A",
    "%b %d",
    "%j",
    "%G-W%V",
    "%V",
    "%u%w",
    "%Y-%m-%d %H",
    "%H",
    "%a %H",
    "%j %B",
]


@given(
    st.dates(), st.integers(0, 900), st.integers(0, 10**9), st.sampled_from(PATTERNS), st.sampled_from([Type.DATE, Type.TIMESTAMP])
)  # fmt: skip
def test_the_text_of_a_moment_between_the_bounds_is_a_public_value(
    first: datetime.date, days: int, place: int, pattern: str, kind: Type
) -> None:
    last = first + min(datetime.timedelta(days), datetime.date.max - first)
    within = NullOutsideBounds(Column("m", kind), Literal(first, Type.DATE), Literal(last, Type.DATE), kind)
    day = first + datetime.timedelta(place % ((last - first).days + 1))
    moment = day if kind is Type.DATE else datetime.datetime.combine(day, datetime.time(place % 24, 59))
    values = public_texts(DateText(pattern, within))
    assert values is not None and date_text(pattern, moment) in values
    assert len(values) == len(set(values)) and len(values) <= (how_many(DateText(pattern, within)) or 0)
    everywhere = public_texts(DateText(pattern, Column("m", kind)))
    assert everywhere is None or date_text(pattern, moment) in everywhere


@given(
    MOMENTS,
    st.integers(0, 900),
    st.integers(0, 10**9),
    st.sampled_from(UNITS),
    st.integers(-200_000, 200_000),
)
def test_a_moved_date_stays_between_the_days_that_are_said(
    start: datetime.datetime, days: int, place: int, unit: MoveUnit, number: int
) -> None:
    first = start.date()
    last = first + min(datetime.timedelta(days), datetime.date.max - first)
    ends = Literal(first, Type.DATE), Literal(last, Type.DATE)
    expression = DateAdd(
        number, unit, NullOutsideBounds(Column("m", Type.TIMESTAMP), *ends, Type.TIMESTAMP), Type.TIMESTAMP
    )
    day = first + datetime.timedelta(place % ((last - first).days + 1))
    value = evaluate(expression, {"m": datetime.datetime.combine(day, start.time())})
    said = days_between(expression)
    assert value is None or (
        isinstance(value, datetime.datetime) and said is not None and said[0] <= value.date() <= said[1]
    )
