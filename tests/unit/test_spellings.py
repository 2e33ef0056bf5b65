"""What other tools write: each spelling asks what its plain form asks, and the answer is DuckDB's within the interval."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import duckdb
import pandas as pd
import pytest

import lapcat
from lapcat.frontend.sql.spellings import plain_quotes, without_top
from lapcat.session import Session

ROWS = 3_000
CONFIDENCE = 0.999_999_999
"""Of an interval that a test relies on: wrong once in a thousand million runs."""
FRAME = pd.DataFrame(
    {
        "person": [n // 2 for n in range(ROWS)],
        "age": [n % 83 - 3 if n % 11 else None for n in range(ROWS)],
        "pay": [float(n % 97) if n % 7 else None for n in range(ROWS)],
        "bonus": [float(n % 13) for n in range(ROWS)],
        "grade": [("a", "b", "c", None)[n % 4] for n in range(ROWS)],
        "name": [("Ann", "Anton", "Bob", "50% off", None)[n % 5] for n in range(ROWS)],
        "ok": [n % 3 == 0 for n in range(ROWS)],
        "d": [datetime.date(2024, 1 + n % 12, 1 + n % 28) for n in range(ROWS)],
    }
).astype({"age": "Int64"})


@pytest.fixture(scope="module")
def staff() -> Session:
    return lapcat.table(
        FRAME,
        unit="person",
        rows_per_unit=2,
        bounds={
            "age": (-5, 90),
            "pay": (0, 100),
            "bonus": (0, 20),
            "d": (datetime.date(2024, 1, 1), datetime.date(2024, 12, 31)),
        },
        keys={"grade": ["a", "b", "c"]},
        types={"d": "date"},
        epsilon=10**6,
        i_understand="a test of meanings, on made-up people",
    )


def identity(staff: Session, question: str) -> str:
    return str(staff.sql(question)._context.prepared().identity)


def counted(condition: str) -> str:
    return f"SELECT COUNT(*) AS n FROM data WHERE {condition}"


SAME = [
    ("SUM(IF(age > 40, 1, 0))", "SUM(CASE WHEN age > 40 THEN 1 ELSE 0 END)"),
    ("SUM(IIF(age > 40, 1, 0))", "SUM(CASE WHEN age > 40 THEN 1 ELSE 0 END)"),
    ("SUM(IFF(age > 40, 1, 0))", "SUM(CASE WHEN age > 40 THEN 1 ELSE 0 END)"),
    ("COUNT_IF(age > 40)", "COUNT(*) FILTER (WHERE age > 40)"),
    ("COUNTIF(age > 40)", "COUNT(*) FILTER (WHERE age > 40)"),
    ("COUNT_IF(ok)", "COUNT(*) FILTER (WHERE ok)"),
    ("APPROX_COUNT_DISTINCT(person)", "COUNT(DISTINCT person)"),
    ("APPROX_DISTINCT(person)", "COUNT(DISTINCT person)"),
    ("VAR(pay)", "VARIANCE(pay)"),
    ("STD(pay)", "STDDEV(pay)"),
]


@pytest.mark.parametrize(("written", "plain"), SAME)
def test_another_spelling_of_an_aggregate_is_the_same_question(
    staff: Session, written: str, plain: str
) -> None:
    same = (f"SELECT {aggregate} AS x FROM data" for aggregate in (written, plain))
    assert len({identity(staff, question) for question in same}) == 1


SAME_CONDITIONS = [
    ("name IS NOT DISTINCT FROM 'Ann'", "name IS NOT NULL AND name = 'Ann'"),
    ("name IS DISTINCT FROM 'Ann'", "NOT (name IS NOT NULL AND name = 'Ann')"),
    ("name IS NOT DISTINCT FROM NULL", "name IS NULL"),
    ("(grade, name) IN (('a', 'Ann'), ('b', 'Bob'))", "(grade = 'a' AND name = 'Ann') OR (grade = 'b' AND name = 'Bob')"),
    ("(grade, name) = ('a', 'Ann')", "grade = 'a' AND name = 'Ann'"),
    ("STARTS_WITH(name, 'An')", "name LIKE 'An%'"),
    ("PREFIX(name, 'An')", "name LIKE 'An%'"),
    ("ENDS_WITH(name, 'n')", "name LIKE '%n'"),
    ("CONTAINS(name, 'n')", "name LIKE '%n%'"),
    ("name LIKE 'An%' ESCAPE '!'", "name LIKE 'An%'"),
    ("ok = 1", "ok = TRUE"),
    ("ok <> 0", "ok <> FALSE"),
    ("age = '40'", "age = 40"),
    ("pay > '40.5'", "pay > 40.5"),
    ("d >= DATE '2024-06-01' + INTERVAL '1' MONTH", "d >= DATE '2024-07-01'"),
    ("d < DATE '2024-03-31' - INTERVAL 1 MONTH", "d < DATE '2024-02-29'"),
    ("d < DATE '2025-01-01' - INTERVAL '90' DAY", "d < DATE '2024-10-03'"),
    ("d < DATEADD(day, 7, DATE '2024-06-01')", "d < DATE '2024-06-08'"),
    ("d < DATEADD(month, -1, DATE '2024-06-01')", "d < DATE '2024-05-01'"),
    ("d < DATE_ADD(DATE '2024-06-01', INTERVAL 1 WEEK)", "d < DATE '2024-06-08'"),
    ("d < DATE_SUB(DATE '2024-06-08', INTERVAL 1 WEEK)", "d < DATE '2024-06-01'"),
    ("d > MAKE_DATE(2024, 6, 1)", "d > DATE '2024-06-01'"),
]  # fmt: skip


@pytest.mark.parametrize(("written", "plain"), SAME_CONDITIONS)
def test_another_spelling_of_a_condition_is_the_same_question(
    staff: Session, written: str, plain: str
) -> None:
    assert identity(staff, counted(written)) == identity(staff, counted(plain))


SAME_STATEMENTS = [
    "SELECT TOP 2 grade, COUNT(*) AS n FROM data GROUP BY grade ORDER BY n DESC",
    "select top (2) grade, count(*) as n from data group by grade order by n desc",
    "SELECT `grade`, COUNT(*) AS `n` FROM `data` GROUP BY `grade` ORDER BY `n` DESC LIMIT 2",
    'SELECT "t"."grade", COUNT(*) AS n FROM "public"."data" AS "t" GROUP BY "t"."grade" ORDER BY n DESC LIMIT 2',
    "SELECT grade, COUNT(*) AS n FROM main.data GROUP BY grade ORDER BY n DESC LIMIT 2",
    "WITH t (g) AS (SELECT grade FROM data) SELECT g AS grade, COUNT(*) AS n FROM t GROUP BY g ORDER BY n DESC LIMIT 2",
    "SELECT g AS grade, COUNT(*) AS n FROM (SELECT grade FROM data) AS t (g) GROUP BY g ORDER BY n DESC LIMIT 2",
    "SELECT ANY_VALUE(grade) AS grade, COUNT(*) AS n FROM data GROUP BY grade ORDER BY n DESC LIMIT 2",
]


@pytest.mark.parametrize("written", SAME_STATEMENTS)
def test_another_spelling_of_a_statement_is_the_same_question(staff: Session, written: str) -> None:
    plain = "SELECT grade, COUNT(*) AS n FROM data GROUP BY grade ORDER BY n DESC LIMIT 2"
    assert identity(staff, written) == identity(staff, plain)
    answer = staff.sql(written).run(epsilon=100)
    assert answer.columns == ["grade", "n", "n_low", "n_high"] and len(answer) == 2


NUMBERS = [
    "AVG(NULLIF(pay, 0))",
    "SUM(NULLIF(age, 40))",
    "COUNT(NULLIF(grade, 'a'))",
    "SUM(COALESCE(pay, bonus))",
    "SUM(COALESCE(pay, bonus, 0))",
    "SUM(COALESCE(age, pay, bonus))",
    "SUM(SIGN(bonus - 6))",
    "SUM(SIGN(age))",
    "SUM(age % 7)",
    "SUM(MOD(age, 10))",
    "SUM((age + 1) % 10)",
    "SUM(ABS(age * 2 - 7) % 10)",
    "SUM(age // 7)",
    "SUM(TRUNC(pay / 10))",
    "SUM(TRUNC(age / 10))",
    "COUNT(*) FILTER (WHERE age % 2 = 0)",
    "COUNT(*) FILTER (WHERE age % 7 = -2)",
    "COUNT(*) FILTER (WHERE grade IS DISTINCT FROM 'a')",
    "COUNT(*) FILTER (WHERE grade IS NOT DISTINCT FROM name)",
    "COUNT(*) FILTER (WHERE age IS DISTINCT FROM bonus)",
    "COUNT(*) FILTER (WHERE (age, grade) IN ((1, 'a'), (2, 'b')))",
    "COUNT(*) FILTER (WHERE starts_with(name, '50'))",
    "COUNT(*) FILTER (WHERE suffix(name, 'off'))",
    "SUM(IF(ok, pay, bonus))",
]


@pytest.mark.parametrize("measure", NUMBERS)
def test_a_number_is_duckdbs_within_its_interval(staff: Session, measure: str) -> None:
    data = FRAME  # noqa: F841 – DuckDB finds it by its name
    ((truth,),) = duckdb.sql(f"SELECT {measure} FROM data").fetchall()
    question = staff.sql(f"SELECT {measure} AS x FROM data")
    (row,) = question.run(epsilon=500, confidence=CONFIDENCE).rows
    assert row["x_low"] - 1e-6 <= float(truth) <= row["x_high"] + 1e-6
    assert row["x_high"] - row["x_low"] < 20


def groups(rows: Sequence[Any], key: str) -> list[object]:
    return [row[key] for row in rows]


def test_the_remainder_of_a_number_that_is_not_negative_has_as_many_groups_as_its_divisor(
    staff: Session,
) -> None:
    rows = staff.sql("SELECT ABS(age) % 4 AS r, COUNT(*) AS n FROM data GROUP BY ABS(age) % 4").run(
        epsilon=500
    )
    assert groups(rows.rows, "r") == [0, 1, 2, 3]
    rows = staff.sql("SELECT age % 4 AS r, COUNT(*) AS n FROM data GROUP BY 1").run(epsilon=500)
    assert groups(rows.rows, "r") == [-3, -2, -1, 0, 1, 2, 3]


def test_the_replacement_of_a_key_is_a_group(staff: Session) -> None:
    rows = staff.sql(
        "SELECT COALESCE(grade, 'none') AS g, COUNT(*) AS n FROM data GROUP BY COALESCE(grade, 'none')"
    ).run(epsilon=500)
    assert {row["g"]: row["n"] for row in rows.rows} == dict.fromkeys(("a", "b", "c", "none"), ROWS // 4)
    rows = staff.sql("SELECT IFNULL(grade, 'a') AS g, COUNT(*) AS n FROM data GROUP BY 1").run(epsilon=500)
    assert {row["g"]: row["n"] for row in rows.rows} == {
        "a": ROWS // 2,
        "b": ROWS // 4,
        "c": ROWS // 4,
    }


def test_a_key_alone_is_answered_where_a_number_orders_or_filters_it(staff: Session) -> None:
    for question in (
        "SELECT grade FROM data GROUP BY grade ORDER BY SUM(COALESCE(age, 0)) DESC LIMIT 1",
        "SELECT grade FROM data GROUP BY grade HAVING COUNT(*) > 100",
        "SELECT grade FROM data WHERE ok GROUP BY grade ORDER BY AVG(pay)",
    ):
        answer = staff.sql(question).run(epsilon=500)
        assert answer.columns == ["grade"] and answer.cost.epsilon == 500
    with pytest.raises(lapcat.Refused, match="no number"):
        staff.sql("SELECT grade FROM data GROUP BY grade").preview(epsilon=1)


def test_columns_of_one_name_are_numbered(staff: Session) -> None:
    answer = staff.sql("SELECT COUNT(*), COUNT(*), SUM(pay) AS n, AVG(pay) AS n FROM data").run(epsilon=500)
    names = [name for name in answer.columns if not name.endswith(("_low", "_high"))]
    assert names == ["count_star()", "count_star()_1", "n", "n_1"]


def test_a_result_is_cast_to_decimals_by_rounding(staff: Session) -> None:
    for cast in ("CAST(AVG(pay) AS DECIMAL(10, 2))", "AVG(pay)::NUMERIC(12,2)", "ROUND(AVG(pay), 2)"):
        (row,) = staff.sql(f"SELECT {cast} AS x FROM data").run(epsilon=500).rows
        assert row["x"] == round(row["x"], 2)


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("SELECT COUNT(*) AS n FROM data WHERE d > DATE '2024-06-01' + INTERVAL 1.5 DAY", "type-mismatch"),
        ("SELECT COUNT(*) AS n FROM data WHERE d > DATE '9999-06-01' + INTERVAL 1 YEAR", "type-mismatch"),
        ("SELECT COUNT(*) AS n FROM data WHERE d > MAKE_DATE(2024, 2, 30)", "type-mismatch"),
        ("SELECT SUM(pay % 7) AS n FROM data", "type-mismatch"),
        ("SELECT SUM(age % 0) AS n FROM data", "type-mismatch"),
        ("SELECT SUM(age % age) AS n FROM data", "unsupported"),
        ("SELECT COUNT(*) AS n FROM data WHERE STARTS_WITH(name, grade)", "unsupported"),
        ("SELECT COUNT(*) AS n FROM data WHERE ok = 2", "type-mismatch"),
        ("SELECT COUNT(*) AS n FROM data WHERE age = 'forty'", "type-mismatch"),
        ("SELECT COUNT(*) AS n FROM other.data", "unsupported"),
        ("SELECT TOP 1 grade, COUNT(*) AS n FROM data GROUP BY grade LIMIT 2", "unsupported"),
        ("SELECT COALESCE(name, 'none') AS g, COUNT(*) AS n FROM data GROUP BY 1", "keys-missing"),
    ],
)
def test_what_has_no_plain_form_is_refused(staff: Session, question: str, code: str) -> None:
    with pytest.raises(lapcat.Error) as refused:
        staff.sql(question).preview(epsilon=1)
    assert refused.value.code == code and refused.value.fix


def test_nested_spellings_are_bounded_by_the_work_of_reading_them(staff: Session) -> None:
    nested = "age"
    for _ in range(40):
        nested = f"NULLIF({nested}, 1)"
    with pytest.raises(lapcat.Error) as refused:
        staff.sql(f"SELECT SUM({nested}) AS x FROM data").preview(epsilon=1)
    assert refused.value.code == "too-deep"


def test_quotes_and_top_leave_every_other_character_in_its_place() -> None:
    text = "SELECT `a` FROM t -- `x`\nWHERE b = '`' AND \"c`\" > 1 /* ` */"
    assert plain_quotes(text) == text.replace("`a`", '"a"')
    for text in ("SELECT top FROM t", "SELECT a FROM t WHERE x = 'SELECT TOP 5'", "SELECT topaz FROM t"):
        assert without_top(text) == (text, None)


QUOTED = [
    'name = "Ann"',
    '"Ann" = name',
    'name IN ("Ann", "Bob")',
    'name LIKE "An%"',
    'name <> "Ann"',
    'd BETWEEN "2024-02-01" AND "2024-05-01"',
]


@pytest.mark.parametrize("condition", QUOTED)
def test_a_text_in_double_quotes_is_a_text_where_no_column_has_its_name(
    staff: Session, condition: str
) -> None:
    plain = condition.replace('"', "'")
    assert identity(staff, counted(condition)) == identity(staff, counted(plain))
    notes = str(staff.sql(counted(condition)).preview(epsilon=1)).splitlines()
    assert any("is read as a text" in note for note in notes)


NOT_TEXTS = [
    '"Ann" = "Bob"',
    "\"ssn\" = '5'",
    "`Ann` = name",
    '"nam" = name',
    "\"Ann\" IN ('Ann')",
    'data."Ann" = name',
    "\"Ann\" = 'Ann'",
]


@pytest.mark.parametrize("condition", NOT_TEXTS)
def test_a_name_that_may_be_meant_as_a_column_is_no_text(staff: Session, condition: str) -> None:
    with pytest.raises(lapcat.BadQuery) as caught:
        staff.sql(counted(condition))
    assert caught.value.code == "unknown-column"


PRIVATE = [
    "COALESCE(name, 'nobody')",
    "CASE WHEN name LIKE 'A%' THEN name ELSE 'other' END",
    "CASE WHEN grade = 'a' THEN 'first' ELSE name END",
]


@pytest.mark.parametrize("key", PRIVATE)
def test_an_expression_of_private_keys_has_private_groups(key: str) -> None:
    """Groups that nobody declared pass the threshold, also those that an expression makes."""
    people = lapcat.table(
        FRAME, unit="person", rows_per_unit=2, keys={"name": "private", "grade": ["a", "b", "c"]},
        epsilon=10**6, delta="1e-3", i_understand="a test of meanings, on made-up people",
    )  # fmt: skip
    question = people.sql(f"SELECT {key} AS k, COUNT(*) AS n FROM data GROUP BY k")
    rows = question.run(epsilon=1000, delta="1e-4", confidence=CONFIDENCE).rows
    data = FRAME  # noqa: F841
    exact = dict(duckdb.sql(f"SELECT {key} AS k, COUNT(*) FROM data GROUP BY k").fetchall())
    exact.pop(None, None)
    assert {row["k"] for row in rows} == set(exact)
    assert all(row["n_low"] <= exact[row["k"]] <= row["n_high"] for row in rows)


@pytest.mark.parametrize("keys", [{}, {"grade": ["a", "b"]}])
def test_private_groups_show_no_value_that_nobody_declared(keys: dict[str, list[str]]) -> None:
    """A column with listed keys may hold others, and one without keys may hold anything."""
    people = lapcat.table(FRAME, unit="row", keys={"name": "private", **keys}, epsilon=1, delta="1e-6")
    with pytest.raises(lapcat.Refused) as caught:
        people.sql("SELECT CASE WHEN ok THEN name ELSE grade END AS k, COUNT(*) AS n FROM data GROUP BY k")
    assert caught.value.code == "keys-missing"


@pytest.mark.parametrize("condition", ["[age] > 40", "data.[age] > 40", "`age` > 40 AND [ok]"])
def test_names_in_brackets_are_names(staff: Session, condition: str) -> None:
    plain = condition.translate(str.maketrans("[]`", '"""'))
    assert identity(staff, counted(condition)) == identity(staff, counted(plain))


@pytest.mark.parametrize(
    "text", ["a[b]", "f(x)[i]", "QUANTILE(x, [0.1, 0.9])", "x IN ['a', 'b']", "[a, b]", "'[a]'", "-- [a]"]
)
def test_brackets_of_lists_and_texts_stay(text: str) -> None:
    assert plain_quotes(text) == text
