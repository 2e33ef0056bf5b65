"""COUNT(CASE …), SUM(CASE …) and AVG(CASE …): cases that exclude each other are a partition, and no others are."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neighbour_kit import GROUPS, PREDICATES, TABLES, Pair, breaches, movements, pair_of, prepared

RELAXED = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def row(**cells: object) -> dict[str, object]:
    names = ("x", "y", "a", "b", "raw", "k", "o", "z", "f", "d", "t", "person")
    return {**dict.fromkeys(names), **cells}


RESULTS = st.sampled_from(["1", "0", "1", "0", "2", "-1", "0.5", "a", "x", "3000000000", "9007199254740993"])
CONDITIONS = st.one_of(
    PREDICATES,
    st.sampled_from(
        ["k = 'p'", "k = 'q'", "k IN ('q', 'r')", "a < 2", "a BETWEEN 2 AND 4", "a >= 4", "a IS NULL"]
    ),
)


@st.composite
def cases(draw: st.DrawFn, table: str) -> str:
    columns = []
    for index in range(draw(st.integers(2, 5))):
        whens = draw(st.lists(st.tuples(CONDITIONS, RESULTS), min_size=1, max_size=2))
        otherwise = draw(st.sampled_from(["", " ELSE 0", " ELSE 0", " ELSE 1", " ELSE x"]))
        case = f"CASE {' '.join(f'WHEN {p} THEN {v}' for p, v in whens)}{otherwise} END"
        called = draw(st.sampled_from(["COUNT", "SUM", "AVG"]))
        where = draw(st.one_of(st.just(""), st.just(""), CONDITIONS.map(lambda p: f" FILTER (WHERE {p})")))
        columns.append(f"{called}({case}){where} AS c{index}")
    counted = draw(st.sampled_from(["", ", COUNT(*) AS n"]))
    where = draw(st.one_of(st.just(""), CONDITIONS.map(lambda p: f" WHERE {p}")))
    by = draw(st.one_of(st.just(""), GROUPS.map(lambda g: f" GROUP BY {g}")))
    return f"SELECT {', '.join(columns)}{counted} FROM {table}{where}{by}"


def check(table: str, data: st.DataObject, pairs: int) -> None:
    text = data.draw(cases(table))
    first = data.draw(st.integers(0, 2**32))
    question = prepared(text)
    for seed in range(first, first + pairs):
        assert breaches(question, pair_of(table, seed)) == [], f"{text}\npair_of({table!r}, {seed})"


@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=60, suppress_health_check=RELAXED, deadline=None)
@given(data=st.data())
def test_one_unit_moves_cases_no_further_than_claimed(table: str, data: st.DataObject) -> None:
    check(table, data, pairs=5)


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=1000, suppress_health_check=RELAXED, deadline=None)
@given(data=st.data())
def test_one_unit_moves_nothing_further_in_many_more_cases(table: str, data: st.DataObject) -> None:
    check(table, data, pairs=20)


# ------------------------------------------------------------------------------------------------ by hand

CITIES = ("k = 'p'", "k = 'q'", "k = 'r'")
AGES = ("a < 2", "a BETWEEN 2 AND 3", "a > 3")


def asked(called: str, conditions: tuple[str, ...], table: str, more: str = "") -> str:
    columns = (f"{called.format(p)} AS c{n}" for n, p in enumerate(conditions))
    return f"SELECT {', '.join(columns)}{more} FROM {table}"


@pytest.mark.parametrize("conditions", [CITIES, AGES], ids=["values", "ranges"])
@pytest.mark.parametrize(
    "called",
    [
        "COUNT(CASE WHEN {} THEN 1 END)",
        "COUNT(CASE WHEN {} THEN 'yes' END)",
        "SUM(CASE WHEN {} THEN 1 ELSE 0 END)",
        "SUM(CASE WHEN {} THEN 1 END)",
    ],
)
def test_cases_that_exclude_each_other_are_a_partition(called: str, conditions: tuple[str, ...]) -> None:
    for table, claimed in (("rows_added", 1), ("rows_replaced", 2)):
        whole = prepared(asked(called, conditions, table)).sensitivity
        assert whole is not None and whole.l1 == claimed


def test_shares_of_exclusive_cases_cost_no_more_for_more_of_them() -> None:
    """AVG(CASE … 1 ELSE 0 END): the number of rows, and one of the sums."""
    for many in (3, 6, 12):
        conditions = tuple(f"a = {n}" for n in range(many))
        question = prepared(asked("AVG(CASE WHEN {} THEN 1 ELSE 0 END)", conditions, "rows_added"))
        assert question.facts.max_affected == 2
        whole = question.sensitivity
        assert whole is not None and whole.l1 == 2


def test_cases_beside_the_number_of_all_rows_are_a_partition_still() -> None:
    text = asked("SUM(CASE WHEN {} THEN 1 ELSE 0 END)", CITIES, "rows_added", ", COUNT(*) AS n")
    whole = prepared(text).sensitivity
    assert whole is not None and whole.l1 == 2


@pytest.mark.parametrize(
    ("first", "second", "ours"),
    [
        ("WHEN k = 'p' THEN 3 ELSE 2", "WHEN k = 'q' THEN 3 ELSE 2", row(k="p")),
        ("WHEN a < 3 THEN 1 ELSE 0", "WHEN a <= 2 THEN 1 ELSE 0", row(a=2)),
        ("WHEN a < 3 THEN 1 ELSE 0", "WHEN a >= 3 THEN 0 ELSE 1", row(a=2)),
        ("WHEN a < 3 THEN 1 ELSE 0", "WHEN NOT a < 3 THEN 0 ELSE 1", row(a=2)),
        ("WHEN a IS NULL THEN 1 ELSE 0", "WHEN a < 3 THEN 0 ELSE 1", row(a=None)),
        ("WHEN k = 'p' THEN 1 WHEN k = 'q' THEN 1 ELSE 0", "WHEN k = 'q' THEN 1 ELSE 0", row(k="q")),
        ("WHEN k = 'p' THEN 0 ELSE 1", "WHEN k = 'q' THEN 0 ELSE 1", row(k=None)),
    ],
)
def test_cases_that_a_row_is_in_together_are_not_taken_for_a_partition(
    first: str, second: str, ours: dict[str, object]
) -> None:
    question = prepared(f"SELECT SUM(CASE {first} END) AS a, SUM(CASE {second} END) AS b FROM rows_added")
    pair = Pair([ours], [])
    assert all(own.l1 > 0 for own in movements(question, pair))
    assert question.facts.max_affected == 2 and breaches(question, pair) == []
