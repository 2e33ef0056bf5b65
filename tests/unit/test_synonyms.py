"""Functions of other tools: each asks what its plain form asks, and the answer is DuckDB's within the interval."""

from __future__ import annotations

import duckdb
import pytest

import lapcat
from lapcat.session import Session
from tests.unit.test_spellings import CONFIDENCE, FRAME, counted, identity, staff

__all__ = ["staff"]

SAME = [
    ("MEAN(pay)", "AVG(pay)"),
    ("AVERAGE(pay)", "AVG(pay)"),
    ("COUNT_BIG(*)", "COUNT(*)"),
    ("VARP(pay)", "VAR_POP(pay)"),
    ("STDEVP(pay)", "STDDEV_POP(pay)"),
    ("STDEV(pay)", "STDDEV(pay)"),
    ("SUMIF(pay, ok)", "SUM(pay) FILTER (WHERE ok)"),
    ("AVG_IF(pay, age > 40)", "AVG(pay) FILTER (WHERE age > 40)"),
    ("uniqExact(person)", "COUNT(DISTINCT person)"),
    ("HLL(person)", "COUNT(DISTINCT person)"),
    ("APPROX_PERCENTILE(pay, 0.5)", "QUANTILE_CONT(pay, 0.5)"),
    ("SUM(ISNULL(pay, 0))", "SUM(COALESCE(pay, 0))"),
    ("SUM(ZEROIFNULL(pay))", "SUM(COALESCE(pay, 0))"),
    ("SUM(COALESCE(pay, NULL))", "SUM(pay)"),
    ("SUM(COALESCE(NULL, pay, NULL, 0))", "SUM(COALESCE(pay, 0))"),
    ("COUNT(NULLIFZERO(bonus))", "COUNT(NULLIF(bonus, 0))"),
    ("SUM(NVL2(age, 1, 0))", "SUM(CASE WHEN age IS NOT NULL THEN 1 ELSE 0 END)"),
    ("SUM(POWER(pay, 2))", "SUM(pay * pay)"),
    ("SUM(SQUARE(bonus))", "SUM(bonus * bonus)"),
    ("SUM(CAST(age AS FLOAT64))", "SUM(CAST(age AS DOUBLE))"),
]


@pytest.mark.parametrize(("written", "plain"), SAME)
def test_a_synonym_is_the_same_question(staff: Session, written: str, plain: str) -> None:
    same = (f"SELECT {aggregate} AS x FROM data" for aggregate in (written, plain))
    assert len({identity(staff, question) for question in same}) == 1


SAME_CONDITIONS = [
    ("ISNULL(age)", "age IS NULL"),
    ("age ISNULL", "age IS NULL"),
    ("age NOTNULL", "age IS NOT NULL"),
    ("(age > 40) IS UNKNOWN", "(age > 40) IS NULL"),
    ("EQUAL_NULL(name, 'Ann')", "name IS NOT DISTINCT FROM 'Ann'"),
    ("age <=> 40", "age IS NOT DISTINCT FROM 40"),
    ("age = ANY (ARRAY[1, 2])", "age IN (1, 2)"),
    ("grade = SOME (['a', 'b'])", "grade IN ('a', 'b')"),
    ("grade <> ALL (ARRAY['a', 'b'])", "grade NOT IN ('a', 'b')"),
    ("age BETWEEN SYMMETRIC 50 AND 40", "(age BETWEEN 50 AND 40) OR (age BETWEEN 40 AND 50)"),
    ("d >= TO_DATE('2024-06-01')", "d >= DATE '2024-06-01'"),
    ("d >= TO_DATE('2024-06-01', 'YYYY-MM-DD')", "d >= DATE '2024-06-01'"),
    ("d >= DATE('2024-06-01')", "d >= DATE '2024-06-01'"),
    ("DATE_PART(month, d) = 3", "DATE_PART('month', d) = 3"),
]


@pytest.mark.parametrize(("written", "plain"), SAME_CONDITIONS)
def test_a_synonym_in_a_condition_is_the_same_question(staff: Session, written: str, plain: str) -> None:
    assert identity(staff, counted(written)) == identity(staff, counted(plain))


NUMBERS = [
    "COUNT(CASE WHEN age > 40 THEN NULL ELSE 1 END)",
    "COUNT(CASE WHEN age > 40 THEN NULL WHEN ok THEN NULL WHEN pay > 10 THEN 1 END)",
    "SUM(CASE WHEN age > 60 THEN 2 WHEN age > 40 THEN NULL WHEN age > 20 THEN 1 ELSE 3 END)",
    "COUNT(CASE grade WHEN 'a' THEN NULL WHEN 'b' THEN 1 ELSE 2 END)",
    "COUNT(CASE WHEN ok THEN 1 WHEN age > 20 THEN NULL END)",
    "COUNT(IF(age > 40, NULL, pay))",
    "COUNT(*) FILTER (WHERE age IN (1, NULL))",
    "COUNT(*) FILTER (WHERE age NOT IN (1, NULL))",
    "COUNT(*) FILTER (WHERE (age IN (1, 2, NULL)) IS NULL)",
    "COUNT(*) FILTER (WHERE age = ANY([1, 2]))",
    "COUNT(*) FILTER (WHERE age <> ALL([1, 2]))",
    "COUNT(*) FILTER (WHERE LEAST(age, NULL, 40) < 40)",
    "COUNT(CAST(NULL AS INTEGER))",
    "COUNT(*) FILTER (WHERE CAST(NULL AS BOOLEAN))",
    "SUM(bonus ** 3)",
    "SUM(bonus ^ 2)",
    "SUM(POW(age, 2))",
    "SUM(ROUND(pay / 7, 1))",
    "SUM(ROUND(pay, -2))",
    "SUM(ROUND(pay / 7, -1))",
    "SUM(ROUND(age, -1))",
    "MEAN(pay)",
    "SUM(ok)",
    "SUM(age > 40)",
    "COUNT(ALL age)",
]


@pytest.mark.parametrize("measure", NUMBERS)
def test_a_number_is_duckdbs_within_its_interval(staff: Session, measure: str) -> None:
    data = FRAME  # noqa: F841 – DuckDB finds it by its name
    ((truth,),) = duckdb.sql(f"SELECT {measure} FROM data").fetchall()
    (row,) = staff.sql(f"SELECT {measure} AS x FROM data").run(epsilon=500, confidence=CONFIDENCE).rows
    assert row["x_low"] - 1e-6 <= float(truth or 0) <= row["x_high"] + 1e-6
    assert row["x_high"] - row["x_low"] < max(20, abs(float(truth or 0)) / 100)


PER_PERSON = [
    "SELECT COUNT(*) AS n FROM (SELECT person, BOOL_AND(pay > 20) AS b FROM data GROUP BY person) WHERE b",
    "SELECT COUNT(*) AS n FROM (SELECT person, BOOL_OR(pay > 20) AS b FROM data GROUP BY person) WHERE NOT b",
    "SELECT COUNT(*) AS n FROM (SELECT person FROM data GROUP BY person HAVING BOOL_AND(age > 20) AND BOOL_OR(ok))",
    "SELECT COUNT(*) AS n FROM (SELECT person, BOOL_AND(age > 20) FILTER (WHERE ok) AS b FROM data GROUP BY person) WHERE b IS NULL",
    "WITH t AS (SELECT person, MEAN(pay) AS m FROM data GROUP BY person) SELECT COUNT(*) AS n FROM t WHERE m > 40",
    "SELECT COUNT(*) AS n FROM (SELECT person, grade, ANY_VALUE(grade) AS g FROM data GROUP BY person, grade) WHERE g = 'a'",
]


@pytest.mark.parametrize("question", PER_PERSON)
def test_a_persons_own_aggregate_is_duckdbs(staff: Session, question: str) -> None:
    data = FRAME  # noqa: F841 – DuckDB finds it by its name
    ((truth,),) = duckdb.sql(question).fetchall()
    (row,) = staff.sql(question).run(epsilon=500, confidence=CONFIDENCE).rows
    assert row["n_low"] <= truth <= row["n_high"] and 0 < truth < 1500


SETS = [
    "SELECT person FROM data WHERE ok UNION SELECT person FROM data WHERE age > 60",
    "SELECT person FROM data WHERE ok UNION ALL SELECT person FROM data WHERE age > 60 UNION SELECT person FROM data WHERE pay > 90",
    "SELECT person, grade FROM data WHERE ok UNION SELECT person, grade FROM data WHERE age > 60",
    "SELECT person FROM data WHERE ok INTERSECT SELECT person FROM data WHERE age > 60",
    "SELECT person AS p FROM data WHERE ok EXCEPT SELECT person FROM data WHERE age > 60",
    "(SELECT person FROM data WHERE ok) UNION (SELECT person FROM data WHERE age > 60)",
]


@pytest.mark.parametrize("sets", SETS)
def test_sets_of_people_are_counted_as_duckdb_counts_them(staff: Session, sets: str) -> None:
    data = FRAME  # noqa: F841 – DuckDB finds it by its name
    question = f"SELECT COUNT(*) AS n FROM ({sets}) AS t"
    ((truth,),) = duckdb.sql(question).fetchall()
    (row,) = staff.sql(question).run(epsilon=500, confidence=CONFIDENCE).rows
    assert row["n_low"] <= truth <= row["n_high"] and 0 < truth < 3000


@pytest.mark.parametrize(
    ("sets", "code"),
    [
        ("SELECT grade FROM data UNION SELECT grade FROM data WHERE ok", "sub-query-of-many"),
        ("SELECT age FROM data INTERSECT SELECT age FROM data WHERE ok", "sub-query-of-many"),
        ("SELECT person, age FROM data EXCEPT SELECT person, age FROM data WHERE ok", "unsupported"),
        ("SELECT person FROM data UNION SELECT person FROM data UNION ALL SELECT person FROM data", "unsupported"),
        ("SELECT * FROM data UNION SELECT * FROM data", "unsupported"),
    ],
)  # fmt: skip
def test_sets_of_anything_else_are_refused(staff: Session, sets: str, code: str) -> None:
    with pytest.raises(lapcat.Error) as refused:
        staff.sql(f"SELECT COUNT(*) AS n FROM ({sets})").preview(epsilon=1)
    assert refused.value.code == code and refused.value.fix


EXISTS = [
    "SELECT COUNT(*) AS n FROM data AS a WHERE EXISTS (SELECT 1 FROM data AS b WHERE b.person = a.person AND b.age > 60)",
    "SELECT COUNT(*) AS n FROM data a WHERE a.ok AND NOT EXISTS (SELECT * FROM data b WHERE a.person = b.person AND b.pay > 50)",
    "SELECT COUNT(DISTINCT a.person) AS n FROM data a WHERE EXISTS (SELECT b.pay FROM data b WHERE b.person = a.person AND b.ok)",
]


@pytest.mark.parametrize("question", EXISTS)
def test_a_row_of_the_same_person_exists_as_in_duckdb(staff: Session, question: str) -> None:
    data = FRAME  # noqa: F841 – DuckDB finds it by its name
    ((truth,),) = duckdb.sql(question).fetchall()
    (row,) = staff.sql(question).run(epsilon=500, confidence=CONFIDENCE).rows
    assert row["n_low"] <= truth <= row["n_high"] and 0 < truth < 3000


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("EXISTS (SELECT 1 FROM data AS b WHERE b.age = a.age)", "sub-query-of-many"),
        ("EXISTS (SELECT 1 FROM data AS b WHERE b.age > 60)", "unsupported"),
        ("EXISTS (SELECT 1 FROM data AS b WHERE b.person = a.person AND b.age > a.age)", "unknown-table"),
    ],
)
def test_rows_of_other_people_decide_about_nobody(staff: Session, condition: str, code: str) -> None:
    with pytest.raises(lapcat.Error) as refused:
        staff.sql(f"SELECT COUNT(*) AS n FROM data AS a WHERE {condition}").preview(epsilon=1)
    assert refused.value.code == code and refused.value.fix


def test_a_percentile_from_the_largest_down_is_one_from_the_smallest_up(staff: Session) -> None:
    down = "SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY pay DESC) AS x FROM data"
    assert identity(staff, down) == identity(staff, "SELECT QUANTILE_CONT(pay, 0.1) AS x FROM data")


def test_months_of_both_parts_are_groups_of_a_union(staff: Session) -> None:
    parts = "SELECT DATE_TRUNC('month', d) AS m FROM data UNION ALL SELECT DATE_TRUNC('month', d) AS m FROM data WHERE ok"
    data = FRAME  # noqa: F841 – DuckDB finds it by its name
    truth = {
        str(m)[:10]: n for m, n in duckdb.sql(f"SELECT m, COUNT(*) FROM ({parts}) GROUP BY m").fetchall()
    }
    answer = staff.sql(f"SELECT m, COUNT(*) AS n FROM ({parts}) GROUP BY m").run(
        epsilon=5000, confidence=CONFIDENCE
    )
    assert len(answer) == 12
    for row in answer.rows:
        assert row["n_low"] <= truth[str(row["m"])[:10]] <= row["n_high"]


def test_a_branch_without_a_value_is_no_group(staff: Session) -> None:
    question = "SELECT CASE WHEN age > 60 THEN NULL WHEN age > 40 THEN 'old' ELSE 'young' END AS g, COUNT(*) AS n FROM data GROUP BY 1"
    assert [row["g"] for row in staff.sql(question).run(epsilon=500)] == ["old", "young"]


def test_limits_of_other_tools_are_read(staff: Session) -> None:
    grades = "SELECT grade, COUNT(*) AS n FROM data GROUP BY grade ORDER BY grade"
    for limit, rows in (
        ("FETCH FIRST 2 ROWS ONLY", 2),
        ("OFFSET 1 ROWS FETCH NEXT 1 ROW ONLY", 1),
        ("LIMIT ALL", 3),
        ("LIMIT 1 + 1", 2),
        ("LIMIT (3 - 1) * 1", 2),
    ):
        assert len(staff.sql(f"{grades} {limit}").run(epsilon=500)) == rows


@pytest.mark.parametrize(
    ("question", "code", "words"),
    [
        ("SELECT BOOL_AND(ok) AS x FROM data", "unknown-aggregate", "a single row decides it"),
        ("SELECT EVERY(ok) AS x FROM data", "unknown-aggregate", "a single row decides it"),
        ("SELECT LISTAGG(name, ',') AS x FROM data", "unknown-aggregate", "the value of single rows"),
        ("SELECT ARRAY_AGG(name) AS x FROM data", "unknown-aggregate", "the value of single rows"),
        ("SELECT FIRST(name) AS x FROM data", "unknown-aggregate", "the value of single rows"),
        ("SELECT SUM(LN(pay + 1)) AS x FROM data", "unsupported", "last bit"),
        ("SELECT AVG(SQRT(pay)) AS x FROM data", "unsupported", "last bit"),
        ("SELECT SUM(pay ** 0.5) AS x FROM data", "unsupported", "last bit"),
        ("SELECT COUNT(*) AS x FROM data WHERE age & 1 = 1", "unsupported", "on bits"),
        ("SELECT COUNT(NULL) AS x FROM data", "unsupported", "NULL without a type"),
        ("SELECT COUNT(*) AS x FROM data WHERE age = NULL", "unsupported", "NULL without a type"),
        ("SELECT COUNT(*) AS x FROM data WHERE d > TO_DATE('06/01/24', 'MM/DD/YY')", "unsupported", "2024-01-31"),
        ("SELECT grade, COUNT(*) AS n FROM data GROUP BY grade FETCH FIRST 2 ROWS WITH TIES", "unsupported", "PERCENT or TIES"),
        ("SELECT grade, COUNT(*) AS n FROM data GROUP BY grade LIMIT 1 - 2", "unsupported", "whole number"),
    ],
)  # fmt: skip
def test_what_noise_or_engines_cannot_answer_is_refused_with_its_reason(
    staff: Session, question: str, code: str, words: str
) -> None:
    with pytest.raises(lapcat.Error) as refused:
        staff.sql(question).preview(epsilon=1)
    assert refused.value.code == code and refused.value.fix
    assert words in f"{refused.value.message} {refused.value.why}"


def test_the_fix_of_several_distinct_columns_is_the_same_count(staff: Session) -> None:
    data = FRAME  # noqa: F841 – DuckDB finds it by its name
    with pytest.raises(lapcat.Error) as refused:
        staff.sql("SELECT COUNT(DISTINCT person, grade) AS n FROM data WHERE ok").preview(epsilon=1)
    ((truth,),) = duckdb.sql("SELECT COUNT(DISTINCT (person, grade)) FROM data WHERE ok").fetchall()
    (row,) = staff.sql(refused.value.fix).run(epsilon=500, confidence=CONFIDENCE).rows
    assert row["n_low"] <= truth <= row["n_high"]


def test_nested_synonyms_are_bounded_by_the_work_of_reading_them(staff: Session) -> None:
    nested = "pay"
    for _ in range(40):
        nested = f"POWER({nested}, 2)"
    with pytest.raises(lapcat.Error) as refused:
        staff.sql(f"SELECT SUM({nested}) AS x FROM data").preview(epsilon=1)
    assert refused.value.code == "too-deep"
