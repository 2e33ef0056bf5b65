"""Refusals in the words of the question, with a fix that works: of texts that people bring from elsewhere."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping

import pandas as pd
import pytest

import lapcat
from lapcat.frontend.sql.text import CLAUSES
from tests.golden.corpus import schema_of

DATA = pd.DataFrame(
    {
        "sex": [0, 1, 0, 1],
        "age": [20, 30, 40, 50],
        "name": ["Ann", "Bob", "Ann", "Bob"],
        "day": pd.to_datetime(["2024-03-01"] * 4),
        "pid": [1, 2, 3, 4],
        "born": [datetime.date(1990, 1, day) for day in (1, 2, 3, 4)],
    }
)


@pytest.fixture(scope="module")
def db() -> lapcat.Session:
    return lapcat.table(
        DATA, unit="row", epsilon=10, bounds={"sex": (0, 1), "age": (0, 99)}, keys={"name": ["Ann", "Bob"]}
    )


@pytest.fixture(scope="module")
def people() -> lapcat.Session:
    return lapcat.table(DATA, unit="pid", rows_per_unit=10, epsilon=5)


def refused(db: lapcat.Session, sql: str) -> lapcat.Error:
    with pytest.raises(lapcat.Error) as caught:
        db.sql(sql).preview(epsilon="0.5")
    return caught.value


# ------------------------------------------------------------------------------------------------ the analyst's words

FOREIGN = (
    "SELECT COUNT(*) AS n FROM staff WHERE STRFTIME(hired, '%c') = '2024'",
    "SELECT COUNT(*) AS n FROM staff NATURAL JOIN orders",
    "SELECT CAST(AVG(age) AS DECIMAL(5, 2)) AS a FROM staff",
    "SELECT COUNT(*) AS n FROM staff WHERE name ~ 'x'",
    "SELECT COUNT(*) AS n FROM staff WHERE name ILIKE 'a%'",
    "SELECT COUNT(*) AS n FROM staff WHERE random() < 0.5",
    "SELECT COUNT(*) AS n FROM staff WHERE hired > current_date",
    "SELECT COUNT(*) AS n FROM staff WHERE hired > now()",
    "SELECT COUNT(*) AS n FROM staff WHERE name || 'x' = 'ax'",
    "SELECT COUNT(*) AS n FROM staff WHERE concat(name, 'x') = 'ax'",
    "SELECT COUNT(*) AS n FROM staff WHERE lower(name) = 'a'",
    "SELECT COUNT(*) AS n FROM staff WHERE substr(name, 1, 1) = 'a'",
    "SELECT COUNT(*) AS n FROM staff WHERE substring(name, 1, 1) = 'a'",
    "SELECT COUNT(*) AS n FROM staff WHERE left(name, 1) = 'a'",
    "SELECT COUNT(*) AS n FROM staff WHERE starts_with(name, 'a')",
    "SELECT COUNT(*) AS n FROM staff WHERE contains(name, 'a')",
    "SELECT COUNT(*) AS n FROM staff WHERE length(name) > 3",
    "SELECT COUNT(*) AS n FROM staff WHERE age % 2 = 0",
    "SELECT COUNT(*) AS n FROM staff WHERE mod(age, 2) = 0",
    "SELECT COUNT(*) AS n FROM staff WHERE age // 2 = 0",
    "SELECT COUNT(*) AS n FROM staff WHERE age & 1 = 0",
    "SELECT COUNT(*) AS n FROM staff WHERE age ** 2 > 9",
    "SELECT COUNT(*) AS n FROM staff WHERE pow(age, 2) > 9",
    "SELECT COUNT(*) AS n FROM staff WHERE sqrt(age) > 9",
    "SELECT COUNT(*) AS n FROM staff WHERE ln(age) > 9",
    "SELECT COUNT(*) AS n FROM staff WHERE if(smoker, age, 0) > 9",
    "SELECT COUNT(*) AS n FROM staff WHERE nullif(age, 0) > 9",
    "SELECT COUNT(*) AS n FROM staff WHERE age IS DISTINCT FROM 9",
    "SELECT COUNT(*) AS n FROM staff WHERE (age, floor) = (1, 2)",
    "SELECT COUNT(*) AS n FROM staff WHERE age = ANY([1, 2])",
    "SELECT COUNT(*) AS n FROM staff WHERE list_contains([1, 2], age)",
    "SELECT COUNT(*) AS n FROM staff WHERE age BETWEEN SYMMETRIC 3 AND 1",
    "SELECT COUNT(*) AS n FROM staff WHERE EXISTS (SELECT 1 FROM orders)",
    "SELECT COUNT(*) AS n FROM staff WHERE age = (SELECT 1)",
    "SELECT COUNT(*) AS n FROM staff WHERE name COLLATE nocase = 'a'",
    "SELECT COUNT(*) AS n FROM staff WHERE name SIMILAR TO 'a'",
    "SELECT COUNT(*) AS n FROM staff WHERE name GLOB 'a*'",
    "SELECT COUNT(*) AS n FROM staff WHERE name LIKE 'a' ESCAPE '!'",
    "SELECT COUNT(*) AS n FROM staff WHERE CAST(age AS HUGEINT) = 3",
    "SELECT COUNT(*) AS n FROM staff WHERE age::DECIMAL(5, 2) = 3",
    "SELECT COUNT(*) AS n FROM staff TABLESAMPLE 10%",
    "SELECT COUNT(*) AS n FROM staff USING SAMPLE 10%",
    "SELECT COUNT(*) AS n FROM staff QUALIFY age > 3",
    "SELECT COUNT(*) AS n FROM staff WINDOW w AS (ORDER BY age)",
    "SELECT COUNT(*) AS n FROM staff FOR UPDATE",
    "SELECT COUNT(*) AS n FROM staff, LATERAL (SELECT 1)",
    "SELECT COUNT(*) AS n FROM staff SEMI JOIN orders ON staff.person_id = orders.order_id",
    "SELECT COUNT(*) AS n FROM staff ASOF JOIN orders ON staff.person_id = orders.order_id",
    "SELECT COUNT(*) AS n FROM staff FULL JOIN orders ON staff.person_id = orders.order_id",
    "SELECT COUNT(*) AS n FROM staff POSITIONAL JOIN orders",
    "SELECT COUNT(*) AS n FROM unnest([1, 2])",
    "SELECT COUNT(*) AS n FROM generate_series(1, 3)",
    "SELECT COUNT(*) AS n FROM (VALUES (1), (2)) AS t(a)",
    "SELECT COUNT(*) AS n FROM staff AS s(a, b)",
    "SELECT COUNT(DISTINCT age, floor) AS n FROM staff",
    "SELECT COUNT(*) AS n FROM staff GROUP BY ALL",
    "SELECT COUNT(*) AS n FROM staff ORDER BY ALL",
    "SELECT COUNT(*) AS n FROM staff LIMIT 10%",
    "SELECT DISTINCT ON (region) region, COUNT(*) FROM staff GROUP BY region",
    "SELECT ARRAY_AGG(age) FROM staff",
    "SELECT STRING_AGG(name, ',') FROM staff",
    "SELECT LISTAGG(name) FROM staff",
    "SELECT FIRST(age) FROM staff",
    "SELECT ANY_VALUE(age) FROM staff",
    "SELECT ARG_MAX(age, floor) FROM staff",
    "SELECT BIT_AND(age) FROM staff",
    "SELECT BOOL_OR(smoker) FROM staff",
    "SELECT HISTOGRAM(age) FROM staff",
    "SELECT APPROX_COUNT_DISTINCT(age) FROM staff",
    "SELECT KURTOSIS(age) FROM staff",
    "SELECT SKEWNESS(age) FROM staff",
    "SELECT PRODUCT(age) FROM staff",
    "SELECT ENTROPY(age) FROM staff",
    "SELECT COUNT_IF(age > 3) FROM staff",
    "SELECT MAD(age) FROM staff",
    "SELECT ROW_NUMBER() OVER (ORDER BY age) FROM staff",
    "SELECT LAG(age) OVER (ORDER BY age) FROM staff",
    "SELECT AVG(age) OVER (PARTITION BY region) FROM staff",
    "SELECT SUM(age ORDER BY floor) FROM staff",
    "SELECT MEDIAN(DISTINCT age) FROM staff",
    "SELECT AVG(COLUMNS('a.*')) FROM staff",
    "SELECT AVG(age) FILTER (WHERE smoker) OVER () FROM staff",
    "SELECT GROUPING(region), COUNT(*) FROM staff GROUP BY ROLLUP (region)",
    "SELECT STRUCT_PACK(a := AVG(age)) FROM staff",
    "SELECT SQRT(COUNT(*)) FROM staff",
    "SELECT CASE WHEN COUNT(*) > 3 THEN 'many' ELSE 'few' END FROM staff",
    "SELECT TOP 5 region, COUNT(*) FROM staff GROUP BY region",
    "SELECT COUNT(*) FROM staff GROUP region",
    "SELECT COUNT() AS n, AVG() FROM staff",
    "PIVOT staff ON region USING COUNT(*)",
    "SUMMARIZE staff",
    "DESCRIBE staff",
    "INSERT INTO staff VALUES (1)",
    "FROM staff SELECT COUNT(*) LIMIT ALL",
)
OURS = set(
    re.findall(
        r"\w+",
        "SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT JOIN LEFT ON USING AND OR NOT IN IS NULL AS WITH UNION ALL INTERSECT EXCEPT "
        "COUNT SUM AVG VAR_POP VAR_SAMP STDDEV_POP STDDEV_SAMP COVAR_POP COVAR_SAMP CORR REGR_SLOPE REGR_INTERCEPT MEDIAN QUANTILE "
        "QUANTILE_CONT MIN MAX MODE APPROX_TOP_K CLAMP BUCKETS CAST BIGINT DOUBLE VARCHAR BOOLEAN DATE TIMESTAMP YEAR MONTH DAY "
        "DATE_TRUNC CASE WHEN THEN ELSE END LIKE BETWEEN DISTINCT ROUND OVER PARTITION ROWS RANGE GROUPS TRUE FALSE FILTER SQL "
        "LOW HIGH ROLLUP GROUPING SETS QUALIFY EXISTS DATE_DIFF",
    )
)
"""Words in capitals that a refusal may say because they work here, or because the question is read by them."""


@pytest.mark.parametrize("sql", FOREIGN)
def test_a_refusal_says_only_words_of_the_question_or_of_sql_that_works(sql: str) -> None:
    """No name that the parser gives to a construct: TIME_TO_STR, METHOD, EXPRESSIONS, GROUP_CONCAT."""
    try:
        schema_of("basics").prepared(sql)
    except lapcat.Error as error:
        text = f"{error.message} {error.fix}"
        capitals = set(re.findall(r"[A-Z][A-Z_]+[A-Z]", text))
        written = set(re.findall(r"\w+", sql.upper()))
        assert capitals <= written | OURS, error
        assert "sqlglot" not in text.lower() and "<" not in re.sub(r"<>|<=|< \d", "", text)
        assert error.fix


def test_the_parsers_names_would_be_noticed() -> None:
    assert "TIME_TO_STR" not in OURS and "METHOD" not in OURS
    assert ("GROUP BY",) in CLAUSES.values()


# ------------------------------------------------------------------------------------------------ fixes that work

PASTED: Mapping[str, tuple[str, str, str]] = {
    "a pattern that must not match": (
        "SELECT COUNT(*) AS n FROM data WHERE name NOT LIKE 'A%'",
        "",
        "SELECT COUNT(*) AS n FROM data WHERE name NOT LIKE 'A%'",
    ),
    "bounds that are exchanged": (
        "SELECT AVG(CLAMP(age, 99, 0)) AS m FROM data",
        "swap the bounds: 0, 99",
        "SELECT AVG(CLAMP(age, 0, 99)) AS m FROM data",
    ),
    "a format of dates": (
        "SELECT COUNT(*) AS n FROM data WHERE STRFTIME(day, '%c') = '2024'",
        "STRFTIME(day, '%Y-%m-%d %H:%M:%S'), the same in DuckDB",
        "SELECT COUNT(*) AS n FROM data WHERE STRFTIME(day, '%Y-%m-%d %H:%M:%S') = '2024-03-01 00:00:00'",
    ),
    "the least of a date": (
        "SELECT MIN(day) AS m FROM data",
        "MIN(DATE_DIFF('day', DATE '1970-01-01', day)), in days since then",
        "SELECT MIN(DATE_DIFF('day', DATE '1970-01-01', day)) AS m FROM data",
    ),
    "double quotes around a text": (
        'SELECT COUNT(*) AS n FROM data WHERE "Ann" BETWEEN name AND name',
        "'Ann' if it is a text: texts are in single quotes",
        "SELECT COUNT(*) AS n FROM data WHERE 'Ann' BETWEEN name AND name",
    ),
    "a number as a condition": (
        "SELECT COUNT(*) AS n FROM data WHERE sex",
        "sex <> 0",
        "SELECT COUNT(*) AS n FROM data WHERE sex <> 0",
    ),
    "a date that is none": (
        "SELECT COUNT(*) AS n FROM data WHERE day > '1.3.2024'",
        "'2024-12-31",
        "SELECT COUNT(*) AS n FROM data WHERE day > '2024-12-31 00:00:00'",
    ),
    "a wrong name": (
        "SELECT AVG(aeg) AS a FROM data",
        "use age",
        "SELECT AVG(age) AS a FROM data",
    ),
}


@pytest.mark.parametrize("case", PASTED)
def test_a_fix_for_what_people_bring_from_elsewhere_works(db: lapcat.Session, case: str) -> None:
    asked, fix, mended = PASTED[case]
    if fix:
        assert fix in refused(db, asked).fix
    db.sql(mended).preview(epsilon="0.5")


def test_the_bounds_of_a_persons_count_are_those_of_rows_per_unit(people: lapcat.Session) -> None:
    inner = "(SELECT pid, COUNT(*) AS n FROM data GROUP BY pid)"
    fix = refused(people, f"SELECT AVG(n) AS n FROM {inner}").fix
    assert fix.startswith("CLAMP(n, 0, 10)")
    people.sql(f"SELECT AVG(CLAMP(n, 0, 10)) AS n FROM {inner}").preview(epsilon=1)


def test_a_question_that_cannot_be_read_is_not_answered_with_another() -> None:
    for sql in (
        "SELECT TOP FIVE region FROM staff",
        "SELECT COUNT(* FROM staff",
        "SELECT COUNT(*) FRM staff x y",
    ):
        with pytest.raises(lapcat.Error) as caught:
            schema_of("basics").prepared(sql)
        assert caught.value.code == "syntax" and "COUNT(*) AS n" not in caught.value.fix


# ------------------------------------------------------------------------------------------------ commas

JOINED = "SELECT COUNT(*) AS n FROM orders AS o JOIN customers AS c ON o.customer_id = c.customer_id"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) AS n FROM orders AS o, customers AS c WHERE o.customer_id = c.customer_id{}",
        "SELECT COUNT(*) AS n FROM orders AS o, customers AS c WHERE c.customer_id = o.customer_id{}",
        "SELECT COUNT(*) AS n FROM orders AS o CROSS JOIN customers AS c WHERE o.customer_id = c.customer_id{}",
    ],
)
@pytest.mark.parametrize(
    "rest", ["", " AND c.age > 30", " AND c.age > 30 AND (o.amount > 3 OR o.status = 'new')"]
)
def test_a_comma_with_its_condition_in_where_is_the_inner_join(sql: str, rest: str) -> None:
    """The same plan, so the same identity: who paid for one has the other."""
    shop = schema_of("shop")
    where = rest.replace(" AND", " WHERE", 1)
    assert shop.prepared(sql.format(rest)).plan == shop.prepared(JOINED + where).plan


def test_three_tables_with_commas_are_joined_in_their_order() -> None:
    shop = schema_of("shop")
    commas = shop.prepared(
        "SELECT COUNT(*) AS n FROM orders AS o, customers AS c, regions AS r "
        "WHERE o.customer_id = c.customer_id AND r.code = c.region"
    )
    joins = shop.prepared(f"{JOINED} JOIN regions AS r ON r.code = c.region")
    assert commas.plan == joins.plan


def test_a_comma_is_refused_as_its_join_is() -> None:
    shop = schema_of("shop")
    for sql, code in (
        ("SELECT COUNT(*) AS n FROM orders AS a, orders AS b WHERE a.amount = b.amount", "join-strangers"),
        ("SELECT COUNT(*) AS n FROM till AS a, till AS b WHERE a.sold = b.sold", "join-of-rows"),
        ("SELECT COUNT(*) AS n FROM orders AS o, customers AS c WHERE o.amount > c.age", "unsupported"),
        (
            "SELECT COUNT(*) AS n FROM orders AS o, customers AS c WHERE customer_id = c.customer_id",
            "unsupported",
        ),
        (
            "SELECT COUNT(*) AS n FROM orders AS a, customers AS c, orders AS b "
            "WHERE order_id = c.customer_id AND a.customer_id = c.customer_id AND b.customer_id = c.customer_id",
            "column-ambiguous",
        ),
    ):
        with pytest.raises(lapcat.Error) as caught:
            shop.prepared(sql)
        assert caught.value.code == code, caught.value


def test_the_fix_of_a_comma_that_joins_strangers_works_when_pasted() -> None:
    shop = schema_of("shop")
    with pytest.raises(lapcat.Error) as caught:
        shop.prepared(
            "SELECT COUNT(*) AS n FROM orders AS a, orders AS b WHERE a.amount = b.amount AND a.amount > 3"
        )
    shop.prepared(caught.value.fix.partition(": ")[2])


# ------------------------------------------------------------------------------------------------ lapcat.table

CALLS: Mapping[str, tuple[str, dict[str, object], str]] = {
    "SELECT AVG(age) AS a FROM data": ("bounds={'age': (LOW, HIGH)}", {"bounds": {"age": (0, 99)}}, ""),
    "SELECT age, COUNT(*) AS n FROM data GROUP BY age": (
        "bounds={'age': (LOW, HIGH)}",
        {"bounds": {"age": (0, 99)}},
        "",
    ),
    "SELECT name, COUNT(*) AS n FROM data GROUP BY name": (
        "keys={'name': [\"…\"]}",
        {"keys": {"name": ["Ann", "Bob"]}},
        "",
    ),
    "SELECT BUCKETS(age) AS a, COUNT(*) AS n FROM data GROUP BY 1": (
        "bounds={'age': (LOW, HIGH)}",
        {"bounds": {"age": (0, 99)}},
        "",
    ),
    "SELECT MIN(born) AS m FROM data": (
        "types={'born': 'date'}",
        {"types": {"born": "date"}},
        "SELECT MIN(YEAR(born)) AS m FROM data",
    ),
    "SELECT COUNT(*) AS n FROM data AS a, data AS b WHERE a.pid = b.pid": (
        'unit="…", rows_per_unit=…',
        {"unit": "pid", "rows_per_unit": 10},
        "",
    ),
}


@pytest.mark.parametrize("sql", CALLS)
def test_fixes_for_a_data_frame_are_python(sql: str) -> None:
    fix, arguments, instead = CALLS[sql]
    error = refused(lapcat.table(DATA, unit="row", epsilon=1), sql)
    assert "[tables" not in error.fix and "steward" not in error.fix and "lapcat.toml" not in str(error)
    assert "lapcat.table(..., " in error.fix and fix in error.fix
    mended = lapcat.table(DATA, **{"unit": "row", "epsilon": 1, **arguments})  # type: ignore[arg-type]
    mended.sql(instead or sql).preview(epsilon="0.5")


def test_a_preview_of_a_data_frame_does_not_speak_of_a_file(db: lapcat.Session) -> None:
    assert "lapcat.toml" not in db.sql("SELECT name, AVG(age) AS a FROM data GROUP BY name").explain(
        epsilon=1
    )
