"""Functions of texts in the forms that different tools write: DuckDB's answers, limits, and what is refused."""

from __future__ import annotations

import datetime
from typing import Any

import duckdb
import pandas as pd
import pytest

import lapcat
from lapcat.plan.limits import DEFAULT_LIMITS
from lapcat.session import Session
from tests.unit.test_spellings import CONFIDENCE, identity

ROWS = 3_000
NAMES = ("Ann", " anton ", "BOB", "50% off", "x_y", "é-mail: a@b.org", "", "Ann-Marie", None)
FRAME = pd.DataFrame(
    {
        "person": [n // 2 for n in range(ROWS)],
        "name": [NAMES[n % 9] for n in range(ROWS)],
        "region": [("north", "South", "west", None)[n % 4] for n in range(ROWS)],
        "sex": [("f", "m")[n % 2] for n in range(ROWS)],
        "floor": [n % 5 for n in range(ROWS)],
        "pay": [float(n % 97) for n in range(ROWS)],
        "ok": [n % 3 == 0 for n in range(ROWS)],
        "d": [datetime.date(2024, 1 + n % 12, 1 + n % 28) for n in range(ROWS)],
    }
)


@pytest.fixture(scope="module")
def people() -> Session:
    return lapcat.table(
        FRAME,
        unit="person",
        rows_per_unit=2,
        bounds={
            "floor": (0, 4),
            "pay": (0, 100),
            "d": (datetime.date(2024, 1, 1), datetime.date(2024, 12, 31)),
        },
        keys={"region": ["north", "South", "west"], "sex": ["f", "m"]},
        types={"d": "date"},
        epsilon=10**7,
        i_understand="a test of meanings, on made-up people",
    )


CONDITIONS = [
    "UPPER(name) = 'ANN'", "LOWER(name) IN ('ann', 'bob')", "LCASE(name) LIKE 'a%'", "UCASE(region) > lower('N')",
    "name ILIKE 'an%'", "name NOT ILIKE 'AN_'", "name ILIKE '50!% O%' ESCAPE '!'", "name ILIKE 'XE_%' ESCAPE 'E'",
    "TRIM(name) = 'anton'", "LTRIM(name) = 'anton '", "RTRIM(name, 'bB') = ''", "TRIM(BOTH 'An' FROM name) = '-Marie'",
    "TRIM(LEADING ' ' FROM name) LIKE 'anton_'", "TRIM(name, ' no') = 'ant'",
    "SUBSTRING(name, 1, 3) = 'Ann'", "SUBSTR(name, 4) = '-Marie'", "SUBSTRING(name FROM 2 FOR 1) = 'n'",
    "SUBSTRING(name, 0, 3) = 'An'", "SUBSTRING(name, -5) = 'Marie'", "SUBSTR(name, 40) = ''",
    "LPAD(name, 5, '*') LIKE '**%'", "LPAD(name, 2, '0') = 'An'", "RPAD(name, 6, ' ') LIKE 'Ann   '", "RPAD(name, 2, '0') = 'An'",
    "LPAD(name, 0, '0') = ''", "LEFT(name, 1) = 'A'", "RIGHT(name, 3) = 'off'", "LEFT(name, 0) = ''", "RIGHT(name, 100) = 'Ann'",
    "LENGTH(name) = 3", "LEN(name) > 3", "CHAR_LENGTH(TRIM(name)) BETWEEN 1 AND 5",
    "name || '/' || sex = 'Ann/f'", "CONCAT(name, '/', region) = 'Ann/'", "CONCAT(name, floor, ok, d) LIKE 'Ann_true2024%'",
    "CONCAT_WS('-', name, region) = 'Ann'", "CONCAT_WS('-', region, name, sex) LIKE 'north-%-f'", "name || NULLIF(sex, 'f') IS NULL",
    "POSITION('@' IN name) > 0", "STRPOS(name, 'nn') = 2", "INSTR(name, '-') = 0", "POSITION('' IN name) = 1",
    "REPLACE(name, 'n', 'mm') = 'Ammmm'", "REPLACE(name, 'Ann', '') = ''", "REPLACE(name, '', 'x') = name",
    "SPLIT_PART(name, '-', 2) = 'Marie'", "SPLIT_PART(name, '@', 3) = ''", "SPLIT_PART(name, ': ', 1) = 'é-mail'",
    "STARTS_WITH(name, '50%')", "ENDS_WITH(name, '_y')", "CONTAINS(name, '%')", "name LIKE 'x!_y' ESCAPE '!'",
    "name NOT LIKE '%!_%' ESCAPE '!'", "name LIKE 'An' || '%'", "name LIKE CONCAT('%', 'o', '%')",
    "CAST(d AS VARCHAR) LIKE '2024-0%'", "CAST(ok AS TEXT) = 'true'", "CAST(floor AS VARCHAR(10)) || 'x' = '3x'",
    "CAST(name AS VARCHAR(2)) = 'Ann'", "d::TEXT = '2024-02-02'",
]  # fmt: skip


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_condition_on_texts_is_duckdbs(people: Session, condition: str) -> None:
    data = FRAME  # noqa: F841 – DuckDB finds it by its name
    ((truth,),) = duckdb.sql(f"SELECT COUNT(*) FROM data WHERE {condition}").fetchall()
    assert 0 < truth < ROWS or "region" in condition or "''" in condition
    (row,) = people.sql(f"SELECT COUNT(*) AS n FROM data WHERE {condition}").run(
        epsilon=500, confidence=CONFIDENCE
    )
    assert row["n_low"] <= truth <= row["n_high"] and row["n_high"] - row["n_low"] < 3


SAME = [
    ("UCASE(name) = 'A'", "UPPER(name) = 'A'"),
    ("LOWER(UPPER(name)) = 'a'", "LOWER(name) = 'a'"),
    ("name ILIKE 'An%'", "LOWER(name) LIKE 'an%'"),
    ("BTRIM(name, 'x') = 'a'", "TRIM(BOTH 'x' FROM name) = 'a'"),
    ("MID(name, 2, 3) = 'a'", "SUBSTRING(name FROM 2 FOR 3) = 'a'"),
    ("LEFT(name, 2) = 'a'", "SUBSTR(name, 1, 2) = 'a'"),
    ("CHARACTER_LENGTH(name) = 2", "LENGTH(name) = 2"),
    ("LOCATE('x', name) = 2", "POSITION('x' IN name) = 2"),
    ("CHARINDEX('x', name) = 2", "INSTR(name, 'x') = 2"),
    ("name LIKE 'a!b%' ESCAPE '!'", "name LIKE 'ab%'"),
    ("name LIKE '50#%%' ESCAPE '#'", "STARTS_WITH(name, '50%')"),
    ("name = 'a' || 'b'", "name = 'ab'"),
    ("name = UPPER('ab')", "name = 'AB'"),
    ("floor = LENGTH('ab')", "floor = 2"),
    ("CAST(name AS CHAR(3)) = 'a'", "name = 'a'"),
]


@pytest.mark.parametrize(("written", "plain"), SAME)
def test_another_spelling_is_the_same_question(people: Session, written: str, plain: str) -> None:
    asked = [f"SELECT COUNT(*) AS n FROM data WHERE {condition}" for condition in (written, plain)]
    assert len({identity(people, question) for question in asked}) == 1


KEYS = [
    "UPPER(region)", "SUBSTRING(region, 1, 1)", "region || '-' || sex", "LENGTH(region)", "LENGTH(region) + floor",
    "CONCAT(region, '/', sex)", "CASE WHEN region IS NULL THEN 'none' ELSE LOWER(region) END", "LEFT(CAST(d AS VARCHAR), 7)",
    "COALESCE(LEFT(region, 2), '?')", "POSITION('o' IN region)", "REPLACE(sex, 'f', 'w') || floor", "sex || ok",
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
def test_the_groups_of_an_expression_are_what_public_values_become(people: Session, key: str) -> None:
    data = FRAME  # noqa: F841
    truth = dict(duckdb.sql(f"SELECT {key}, COUNT(*) FROM data GROUP BY 1").fetchall())
    rows = people.sql(f"SELECT {key} AS k, COUNT(*) AS n FROM data GROUP BY {key}").run(epsilon=500)
    counts: dict[Any, int] = {row["k"]: row["n"] for row in rows}
    assert len(counts) == len(rows) and None not in counts
    assert {k: n for k, n in counts.items() if n} == {k: n for k, n in truth.items() if k is not None}


def test_a_sub_query_may_compute_the_key(people: Session) -> None:
    inside = "SELECT UPPER(region) AS r, sex AS s FROM data WHERE ok"
    for question in (
        f"SELECT r || s AS k, COUNT(*) AS n FROM ({inside}) GROUP BY r || s",
        f"WITH t AS ({inside}), u AS (SELECT r || s AS k FROM t) SELECT k, COUNT(*) AS n FROM u GROUP BY k",
    ):
        rows = people.sql(question).run(epsilon=500)
        counts = FRAME[FRAME["ok"]].groupby(["region", "sex"]).size()
        assert {row["k"]: row["n"] for row in rows if row["n"]} == {
            region.upper() + sex: n for (region, sex), n in counts.items()
        }


def test_the_groups_of_an_expression_are_public(people: Session) -> None:
    """Other rows, same groups: they follow from the catalogue alone."""
    key = "UPPER(region) || floor"
    other = lapcat.table(
        FRAME.head(1),
        unit="person",
        rows_per_unit=2,
        bounds={"floor": (0, 4)},
        keys={"region": ["north", "South", "west"]},
        epsilon=5,
    )
    shown = []
    for session in (people, other):
        rows = session.sql(f"SELECT {key} AS k, COUNT(*) AS n FROM data GROUP BY 1").run(epsilon=1)
        shown.append([row["k"] for row in rows])
    assert shown[0] == shown[1] == [f"{r}{f}" for r in ("NORTH", "SOUTH", "WEST") for f in range(5)]


def test_a_length_has_the_bounds_of_texts(people: Session) -> None:
    rows = people.sql("SELECT LENGTH(name) AS k, COUNT(*) AS n FROM data GROUP BY 1").run(epsilon=500)
    assert [row["k"] for row in rows] == list(range(DEFAULT_LIMITS.max_length + 1))
    (row,) = people.sql("SELECT SUM(CLAMP(LENGTH(name), 0, 20)) AS x FROM data").run(
        epsilon=500, confidence=CONFIDENCE
    )
    assert row["x_low"] <= sum(len(name) for name in FRAME["name"] if isinstance(name, str)) <= row["x_high"]


REFUSALS = [
    ("name ~ '^An'", "unsupported", "name LIKE 'An%'"),
    ("name ~* 'an$'", "unsupported", "name ILIKE '%an'"),
    ("REGEXP_LIKE(name, '^Ann$')", "unsupported", "name LIKE 'Ann'"),
    ("REGEXP_MATCHES(name, 'Ann|Bob')", "unsupported", "name LIKE '%Ann%' OR name LIKE '%Bob%'"),
    ("REGEXP_CONTAINS(name, 'a.*b')", "unsupported", "name LIKE '%a%b%'"),
    ("REGEXP_FULL_MATCH(name, 'A.n')", "unsupported", "name LIKE 'A_n'"),
    ("name SIMILAR TO 'An%'", "unsupported", "name LIKE 'An%'"),
    ("name RLIKE '[ab]+'", "unsupported", None),
    ("REGEXP_REPLACE(name, 'a', 'b') = 'b'", "unsupported", None),
    ("INITCAP(name) = 'Ann'", "unsupported", None),
    ("SUBSTRING(name, -5, 2) = 'Ma'", "unsupported", "LEFT(RIGHT(name, 5), 2) = 'Ma'"),
    ("SUBSTRING(name, floor) = 'x'", "type-mismatch", None),
    ("LEFT(name, -1) = 'x'", "type-mismatch", None),
    ("SUBSTRING(name, 1, -1) = 'x'", "type-mismatch", None),
    ("SPLIT_PART(name, '', 1) = 'x'", "type-mismatch", "SUBSTRING(name, 1, 1) = 'x'"),
    ("SPLIT_PART(name, '-', 0) = 'x'", "type-mismatch", None),
    ("REPLACE(name, region, 'x') = 'x'", "unsupported", None),
    ("LENGTH(floor) = 1", "type-mismatch", "LENGTH(CAST(floor AS VARCHAR)) = 1"),
    ("CAST(pay AS VARCHAR) = '1.0'", "type-mismatch", "CAST(ROUND(pay) AS VARCHAR) = '1'"),
    ("name || pay = 'x'", "type-mismatch", None),
    ("name LIKE 'a' ESCAPE '!!'", "type-mismatch", None),
    ("LOCATE('a', name, 3) = 3", "unsupported", None),
    (f"STRPOS(name, '{'a' * 257}') > 0", "like-length", None),
    (f"REPLACE(name, '{'a' * 257}', 'b') = 'b'", "like-length", None),
    (f"TRIM(name, '{'a' * 257}') = 'b'", "like-length", None),
]  # fmt: skip


@pytest.mark.parametrize(("condition", "code", "instead"), REFUSALS)
def test_what_has_no_one_meaning_or_no_bound_is_refused(
    people: Session, condition: str, code: str, instead: str | None
) -> None:
    with pytest.raises(lapcat.Error) as refused:
        people.sql(f"SELECT COUNT(*) AS n FROM data WHERE {condition}").preview(epsilon=1)
    assert refused.value.code == code and refused.value.fix
    if instead is not None:
        assert refused.value.fix.split(",")[0].split(" = ")[0].rstrip(" 2)") in instead
        people.sql(f"SELECT COUNT(*) AS n FROM data WHERE {instead}").preview(epsilon=1)


def test_the_groups_of_a_private_text_stay_private(people: Session) -> None:
    for key in ("LOWER(name)", "name || region", "LEFT(name, 1)"):
        with pytest.raises(lapcat.Refused) as refused:
            people.sql(f"SELECT {key} AS k, COUNT(*) AS n FROM data GROUP BY 1").preview(epsilon=1)
        assert refused.value.code == "keys-missing"


def test_texts_that_would_grow_are_null_and_many_operators_are_refused() -> None:
    frame = pd.DataFrame({"s": ["a" * 4096, "a" * 2048, "a"] * 10})
    session = lapcat.table(
        frame, unit="row", epsilon=10**6, i_understand="a test of lengths, on made-up rows"
    )

    def count(condition: str) -> object:
        (row,) = session.sql(f"SELECT COUNT(*) AS n FROM data WHERE {condition}").run(epsilon=500)
        return row["n"]

    assert count("s || s IS NULL") == 10
    assert count("REPLACE(s, 'a', 'bb') IS NULL") == 10
    assert count("REPLACE(s, 'a', 'bbb') IS NULL") == 20
    assert count("CONCAT_WS('-', s, 'x') IS NULL") == 10
    assert count("LENGTH(s || s || s || s) = 4") == 10
    doubled = "s"
    for _ in range(20):
        doubled = f"REPLACE({doubled}, 'a', 'aa')"
    assert count(f"{doubled} IS NULL") == 30
    with pytest.raises(lapcat.Refused) as refused:
        session.sql(f"SELECT COUNT(*) AS n FROM data WHERE {' || '.join(['UPPER(s)'] * 250)} = 'a'").preview(
            epsilon=1
        )
    assert refused.value.code == "beyond-limit" and "expression size" in str(refused.value)
