"""SQL is understood or refused: every clause is consumed, with position, rule and a rewrite that works."""

from __future__ import annotations

from fractions import Fraction

import pytest

import lapcat
from lapcat.frontend.catalogue import read_catalogue
from lapcat.frontend.sql import understand
from lapcat.plan.compile import Prepared, Query, ValueColumn, prepare
from lapcat.plan.nodes import Public, Scan
from lapcat.plan.schema import Table, Type
from lapcat.plan.show import show_plan

CATALOGUE = read_catalogue(
    """
[tables.staff]
source = "staff.parquet"
unit = "person_id"
rows_per_unit = 10
budget = { epsilon = 3 }
[tables.staff.columns]
region = { type = "text", keys = ["north", "south", "west"] }
salary = { type = "float", low = 20000, high = 200000, null = 20000 }
age = { type = "integer", low = 0, high = 110 }
hired = { type = "date", low = 2000-01-01, high = 2024-12-31 }
city = { type = "text", keys = "private" }
name = { type = "text" }
score = { type = "float" }
smoker = { type = "boolean" }
""",
    lambda source: {},
)


PER_PERSON = "SELECT person_id, COUNT(*) AS k FROM staff GROUP BY person_id"


def scan(table: Table) -> Scan:
    return Scan(table.name, table.source, 1, table.unit, table.relation, table.units)


def asked(text: str) -> Query:
    return understand(text, CATALOGUE, scan, lambda table: Public(table.name, table.source, 1))


def prepared(text: str) -> Prepared:
    return prepare(asked(text))


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("SELECT COUNT(*) FROM staf", "unknown-table", 22),
        ("SELECT SUM(salry) FROM staff", "unknown-column", 12),
        ("SELECT AVG(score) FROM staff", "bounds-missing", 8),
        ("SELECT SUM(salary * score) FROM staff", "bounds-missing", 8),
        ("SELECT name, COUNT(*) FROM staff GROUP BY name", "keys-missing", 43),
        ("SELECT score, COUNT(*) FROM staff GROUP BY score", "keys-missing", 44),
        ("SELECT name FROM staff", "row-level", 8),
        ("SELECT * FROM staff", "row-level", 8),
        ("SELECT region, name, COUNT(*) FROM staff GROUP BY region", "not-grouped", 16),
        ("SELECT COUNT(*) FROM staff; SELECT COUNT(*) FROM staff", "two-statements", 36),
        ("DROP TABLE staff", "not-a-select", 12),
        ("SELECT COUNT(*) FROM staff ORDER BY 2", "order-position", 37),
        ("SELECT COUNT(*) FROM staff LIMIT 1.5", "unsupported", None),
        ("SELECT region, COUNT(*) FROM staff GROUP BY region HAVING name = 'x'", "not-grouped", 59),
        ("SELECT DISTINCT region FROM staff", "row-level", 17),
        ("SELECT SUM(DISTINCT salary) FROM staff", "unsupported", None),
        ("SELECT COUNT(*) FROM staff JOIN staff s2 ON true", "join-strangers", None),
        ("SELECT COUNT(*) FROM staff, staff", "unsupported", None),
        ("WITH x AS (SELECT 1) SELECT COUNT(*) FROM staff", "with-unused", None),
        (
            "WITH s AS (SELECT 1) SELECT COUNT(*) FROM (WITH s AS (SELECT * FROM staff) SELECT * FROM s)",
            "with-unused",
            None,
        ),
        ("SELECT COUNT(*) FROM (SELECT AS STRUCT age FROM staff)", "unsupported", None),
        ("SELECT COUNT(*) FROM (SELECT COUNT(*) FROM staff)", "sub-query-of-many", None),
        ("SELECT COUNT(*) FROM read_csv('x.csv')", "unsupported", None),
        ("SELECT SUM(salary) OVER () FROM staff", "unsupported", None),
        ("SELECT SUM(salary) / age FROM staff", "not-grouped", 22),
        ("SELECT COUNT(*) FROM staff WHERE age > (SELECT 1)", "unsupported", None),
        ("SELECT COUNT(*) FROM staff WHERE age IN (SELECT age FROM staff)", "sub-query-of-many", None),
        ("SELECT COUNT(*) FROM staff WHERE age IN ()", "unsupported", None),
        ("SELECT COUNT(*) FROM staff WHERE name = '\ud800'", "syntax", None),
        ("SELECT COUNT(*) FROM staff TABLESAMPLE 10%", "unsupported", None),
        (f"SELECT COUNT(*) FROM ({PER_PERSON} HAVING MIN(name))", "type-mismatch", None),
        (f"SELECT COUNT(*) FROM ({PER_PERSON} HAVING COUNT(*))", "type-mismatch", None),
        (
            f"SELECT COUNT(*) FROM ({PER_PERSON.replace('SELECT', 'SELECT DISTINCT ON (1)')})",
            "unsupported",
            None,
        ),
        (f"SELECT COUNT(*) FROM ({PER_PERSON.replace('SELECT', 'SELECT DISTINCT')})", "unsupported", None),
        ("SELECT COUNT(*) FROM (SELECT s.* EXCLUDE (age) FROM staff s)", "unsupported", None),
        ("SELECT COUNT(*) FROM staff a OUTER JOIN staff b USING (person_id)", "unsupported", None),
        (f"WITH t AS ({PER_PERSON}), T AS ({PER_PERSON}) SELECT COUNT(*) FROM t", "name-taken", None),
        (
            "SELECT region, COUNT(*) FROM staff GROUP BY region HAVING RANK() OVER (ORDER BY COUNT(*)) = 1",
            "unsupported",
            None,
        ),
        ("SELECT region, COUNT(*) FROM staff GROUP BY ROLLUP (city)", "private-sets", None),
        ("SELECT COUNT(*) FROM staff WHERE regexp_matches(name, 'x')", "unsupported", None),
        ("SELECT COUNT(*) FROM staff WHERE name ILIKE city", "unsupported", None),
        ("SELECT COUNT(*) FROM staff WHERE age ^ 9 = 1", "unsupported", None),
        ("SELECT COUNT(*) FROM staff WHERE random() < 0.5", "unsupported", None),
        ("SELECT STRING_AGG(salary) FROM staff", "unknown-aggregate", 8),
        ("SELECT COUNT(*) FROM staff WHERE age", "type-mismatch", 34),
        ("SELECT COUNT(*) FROM staff WHERE age = 'x'", "type-mismatch", None),
        ("SELECT SUM(name) FROM staff", "type-mismatch", 12),
        ("SELECT COUNT(*) FROM staff WHERE hired > 'yesterday'", "type-mismatch", None),
        ("SELECT COUNT(*) AS n, SUM(salary) AS n_low FROM staff", "name-taken", None),
        ("SELECT COUNT(*) FROM staff GROUP BY 7", "group-position", 37),
        ("SELECT COUNT(*)", "no-table", None),
        ("SELECT COUNT(* FROM staff", "syntax", None),
        ("SELECT COUNT(*),, SUM(salary) FROM staff", "syntax", 17),
        ("SELECT COUNT(*) FROM staff WHERE age IN (1, /* , */ , 2)", "syntax", 53),
        ("SELECT QUANTILE_CONT(salary,, 0.5) FROM staff", "syntax", 29),
        ("SELECT COUNT(,age) FROM staff", "syntax", 14),
        ("SELECT COUNT(age,) FROM staff", "syntax", 17),
        ("SELECT , COUNT(*) FROM staff", "syntax", 8),
        ("SELECT region, COUNT(*) FROM staff GROUP BY , region", "syntax", 45),
        ("SELECT 'x", "syntax", None),
        ("", "syntax", None),
        ("SELECT COUNT(*) FROM staff WHERE " + "(" * 5_000 + "age > 1" + ")" * 5_000, "too-deep", None),
        ("SELECT COUNT(*) FROM staff WHERE " + "NOT " * 10_000 + "smoker", "too-deep", None),
        ("SELECT COUNT(*) FROM staff WHERE age > " + "- " * 10_000 + "1", "too-deep", None),
        ("SELECT COUNT(*) FROM staff WHERE age > 1" + " + 1" * 7_000, "too-deep", None),
        ("SELECT COUNT(*) FROM staff -- " + "x" * 70_000, "too-long", None),
    ],
)
def test_what_has_no_rule_is_refused_with_its_place_and_a_fix(
    text: str, code: str, column: int | None
) -> None:
    with pytest.raises(lapcat.Error) as problem:
        asked(text)
    assert problem.value.code == code, str(problem.value)
    assert problem.value.fix
    if column is not None:
        assert problem.value.place is not None and problem.value.place.column == column, str(problem.value)


def test_a_near_miss_gets_a_suggestion() -> None:
    with pytest.raises(lapcat.BadQuery, match="did you mean salary"):
        asked("SELECT SUM(salry) FROM staff")
    with pytest.raises(lapcat.BadQuery, match="did you mean staff"):
        asked("SELECT COUNT(*) FROM staf")


@pytest.mark.parametrize(
    "fixed",
    [
        "SELECT AVG(CLAMP(score, 0, 200000)) FROM staff",
        "SELECT FLOOR(CLAMP(score, 0, 100) / 10), COUNT(*) FROM staff GROUP BY 1",
        "SELECT COUNT(*) AS n FROM staff",
    ],
)
def test_the_fixes_that_are_offered_work_when_pasted(fixed: str) -> None:
    assert prepared(fixed).facts.max_affected >= 1


@pytest.mark.parametrize(
    ("first", "other"),
    [
        (
            "SELECT COUNT(*) FROM staff WHERE age > 3 AND smoker",
            "select count(1) as n from STAFF s where smoker and s.age>3",
        ),
        ("SELECT COUNT(*) FROM staff WHERE 30 <= age", "SELECT COUNT(*) FROM staff WHERE age >= 30"),
        ("SELECT AVG(salary), COUNT(*) FROM staff", "SELECT COUNT(*) AS n, AVG(salary) AS pay FROM staff"),
        ("SELECT COUNT(*) FROM staff WHERE age IN (1, 2)", "SELECT COUNT(*) FROM staff WHERE age IN (2, 1)"),
        ("SELECT COUNT(*) FROM staff WHERE (age > 3)", "SELECT COUNT(*) FROM staff WHERE age > 3 -- why not"),
    ],
)
def test_the_same_question_in_other_words_is_the_same_question(first: str, other: str) -> None:
    assert prepared(first).identity == prepared(other).identity


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("SELECT COUNT(*) FROM staff WHERE age > 3", "SELECT COUNT(*) FROM staff WHERE age >= 3"),
        (
            "SELECT COUNT(*) FROM staff WHERE age > 3 OR smoker",
            "SELECT COUNT(*) FROM staff WHERE age > 3 AND smoker",
        ),
        ("SELECT SUM(salary) FROM staff", "SELECT SUM(CLAMP(salary, 20000, 100000)) FROM staff"),
        ("SELECT COUNT(*) FROM staff WHERE name = '1'", "SELECT COUNT(*) FROM staff WHERE name = 'true'"),
    ],
)
def test_different_questions_are_different(first: str, other: str) -> None:
    assert prepared(first).identity != prepared(other).identity


def test_unnamed_outputs_are_called_as_in_duckdb() -> None:
    columns = asked("SELECT COUNT(*), SUM(salary), AVG(age) FROM staff").columns
    assert [column.name for column in columns] == ["count_star()", "sum(salary)", "avg(age)"]


def test_columns_are_clamped_in_values_and_raw_in_predicates() -> None:
    plan = show_plan(prepared("SELECT SUM(salary) FROM staff WHERE salary > 500000").plan)
    assert "filter (salary > 500000)" in plan
    assert "sum of clamp(coalesce(salary, 20000.0), 20000.0, 200000.0)" in plan


def test_keys_outside_their_bounds_belong_to_no_group() -> None:
    plan = show_plan(
        prepared("SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*) FROM staff GROUP BY decade").plan
    )
    assert (
        "key (rounded(floor, (within(age, 0, 110) / 10)) * 10) in [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110]"
        in plan
    )


def test_an_average_of_a_flag_is_centred_between_no_and_yes() -> None:
    question = prepared("SELECT AVG(smoker) FROM staff")
    total = next(s for s in question.plan.statistics if s.grid is not None)
    assert total.grid is not None and total.grid.centre == Fraction(1, 2)
    assert -total.low == total.high == total.grid.centre / total.grid.step


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("age + 1", Type.FLOAT),  # a raw integer plus one may not fit
        ("CASE WHEN smoker THEN 'yes' ELSE 'no' END", Type.TEXT),
        ("EXTRACT(year FROM hired)", Type.INTEGER),
        ("YEAR(hired)", Type.INTEGER),
        ("DATE_PART('month', hired)", Type.INTEGER),
        ("CAST(name AS BIGINT)", Type.INTEGER),
        ("ABS(score)", Type.FLOAT),
        ("ROUND(score)", Type.INTEGER),
        ("LEAST(age, score)", Type.FLOAT),
        ("WIDTH_BUCKET(score, 0, 100, 10)", Type.INTEGER),
        ("COALESCE(score, 0)", Type.FLOAT),
        ("name LIKE 'a%'", Type.BOOLEAN),
        ("smoker IS NOT TRUE", Type.BOOLEAN),
        ("hired BETWEEN '2001-01-01' AND DATE '2002-01-01'", Type.BOOLEAN),
    ],
)
def test_every_function_has_its_type(expression: str, kind: Type) -> None:
    column = asked(f"SELECT COUNT({expression}) FROM staff WHERE ({expression}) IS NOT NULL").columns[0]
    assert isinstance(column, ValueColumn) and column.argument.value is not None
    actual = column.argument.value.type
    assert actual is kind or (kind is Type.BOOLEAN and actual is Type.INTEGER) or expression == "age + 1"


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("name NOT LIKE 'A%'", "NOT (name LIKE 'A%')"),
        ("NOT name NOT LIKE 'A%'", "NOT (NOT (name LIKE 'A%'))"),
        ("name NOT ILIKE 'A%'", "NOT (LOWER(name) LIKE 'a%')"),
        ("name NOT LIKE 'a!%' ESCAPE '!'", "NOT (name LIKE 'a#%' ESCAPE '#')"),
        ("age > 3 AND name NOT LIKE '%a' OR smoker", "(age > 3 AND NOT (name LIKE '%a')) OR smoker"),
        ("age NOT IN (1, 2)", "NOT (age IN (1, 2))"),
        ("age NOT BETWEEN 1 AND 2", "NOT (age BETWEEN 1 AND 2)"),
        ("name IS NOT NULL", "NOT (name IS NULL)"),
        ("smoker IS NOT TRUE", "NOT (smoker IS TRUE)"),
        ("age > 3 IS NOT TRUE", "NOT ((age > 3) IS TRUE)"),
    ],
)
def test_what_is_negated_is_read_as_the_opposite(written: str, plain: str) -> None:
    rows, meant, without = (
        asked(f"SELECT COUNT(*) FROM staff WHERE {condition}").rows
        for condition in (written, plain, plain.replace("NOT ", ""))
    )
    assert rows == meant != without
