"""The theorem behind every price: one unit moves the exact integers no further than lapcat claims.

Random questions, as text, about random tables with NULL, NaN, infinities, values outside their bounds and keys, and
people with more rows than may count; then one unit with all its rows is removed (add-remove) or replaced.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neighbour_kit import (
    ROWS,
    TABLES,
    UNITS,
    Pair,
    breaches,
    exact,
    movements,
    pair_of,
    prepared,
    questions,
    without_bound,
)

from lapcat.plan.bounding import UNIT_WEIGHT

RELAXED = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def check(table: str, data: st.DataObject, pairs: int) -> None:
    text = data.draw(questions(table))
    first = data.draw(st.integers(0, 2**32))
    question = prepared(text)
    for seed in range(first, first + pairs):
        assert breaches(question, pair_of(table, seed)) == [], f"{text}\npair_of({table!r}, {seed})"


@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=100, suppress_health_check=RELAXED)
@given(data=st.data())
def test_one_unit_moves_the_exact_integers_no_further_than_claimed(table: str, data: st.DataObject) -> None:
    check(table, data, pairs=5)


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=1500, suppress_health_check=RELAXED)
@given(data=st.data())
def test_one_unit_moves_nothing_further_in_many_more_questions(table: str, data: st.DataObject) -> None:
    check(table, data, pairs=20)


# ------------------------------------------------------------------------------------------------ the corners, by hand


def row(**cells: object) -> dict[str, object]:
    names = ("x", "y", "a", "b", "raw", "k", "o", "z", "f", "d", "t", "person")
    return {**dict.fromkeys(names), **cells}


EVERY_VALUE = "SELECT COUNT(*) AS n, SUM(x) AS x, SUM(y) AS y, SUM(a) AS a, SUM(b) AS b, AVG(x) AS m FROM"
HOSTILE = [
    None,
    float("nan"),
    float("inf"),
    float("-inf"),
    1e308,
    -1e308,
    -0.0,
    5e-324,
    10.3,
    10.31,
    -3.5,
    -3.51,
]


@pytest.mark.parametrize("cell", HOSTILE, ids=str)
@pytest.mark.parametrize("table", TABLES)
def test_a_hostile_value_moves_a_sum_no_further(table: str, cell: object) -> None:
    """The value against nothing (add-remove) and against every other one (replace-one), alone and grouped."""
    others = [row(x=1.0, y=2.0, a=3, b=1, k="p", person=who) for who in range(1, UNITS)]
    for text in (f"{EVERY_VALUE} {table}", f"{EVERY_VALUE} {table} GROUP BY k"):
        question = prepared(text)
        for other in HOSTILE:
            ours = row(x=cell, y=cell, a=cell, b=cell, k="p", person=0)
            theirs = row(x=other, y=other, a=other, b=other, k="q", person=0)
            there = others if table.endswith("added") else [*others, theirs]
            assert breaches(question, Pair([*others, ours], there)) == []


def test_a_person_with_many_rows_counts_for_as_many_as_declared() -> None:
    question = prepared("SELECT k, COUNT(*) AS n, SUM(x) AS x FROM people_added GROUP BY k")
    person_rows = [row(x=10.3, k="p", t=str(index), person=7) for index in range(20_000)]
    others = [row(x=1.0, k="q", person=who) for who in range(3)]
    assert breaches(question, Pair([*others, *person_rows], others)) == []
    moved, claimed = movements(question, Pair([*others, *person_rows], others))[0].l1, ROWS * UNIT_WEIGHT
    assert claimed - len(person_rows) <= moved <= claimed  # of each row's weight less than a step is cut off


def test_without_the_bound_the_same_person_is_noticed() -> None:
    """The test can fail: with the limit taken out of the query, the claim no longer holds."""
    question = without_bound(prepared("SELECT k, COUNT(*) AS n FROM people_added GROUP BY k"))
    person_rows = [row(k="p", t=str(index), person=7) for index in range(ROWS + 1)]
    assert breaches(question, Pair(person_rows, [])) != []


def test_which_rows_of_a_person_count_does_not_depend_on_others_or_on_order() -> None:
    """Where different values are counted, whole rows count, and only so many."""
    digits = " ".join(f"WHEN '{n}' THEN {n}" for n in range(5))
    question = prepared(
        f"SELECT COUNT(*) AS n, COUNT(DISTINCT x) AS m FROM people_added WHERE person = 7 GROUP BY CASE t {digits} END"
    )
    person_rows = [row(t=str(index), x=index, person=7) for index in range(5)]
    others = [row(t=str(index % 5), x=index, person=index) for index in range(50, 70)]
    alone = exact(question, person_rows)
    assert (
        exact(question, [*others, *reversed(person_rows)])
        == alone
        == exact(question, [*person_rows, *others])
    )
    assert [sum(cells) for cells in alone] == [ROWS, ROWS]


def test_rows_without_a_unit_count_for_nobody() -> None:
    question = prepared("SELECT COUNT(*) AS n FROM people_added")
    assert exact(question, [row(person=None) for _ in range(5)]) == [[0]]


def test_under_replace_one_a_moved_row_counts_in_both_parts() -> None:
    """Disjoint parts cost the sum of two under replace-one: a row leaves one group and enters another."""
    question = prepared("SELECT k, COUNT(*) AS n FROM rows_replaced GROUP BY k")
    stays = [row(k="r")] * (UNITS - 1)
    moved = movements(question, Pair([*stays, row(k="p")], [*stays, row(k="q")]))
    assert moved[0].l1 == question.facts.statistics[0].sensitivity.l1 == 2


def test_under_replace_one_disjoint_conditions_move_together() -> None:
    text = "SELECT COUNT(*) FILTER (WHERE k = 'p') AS p, COUNT(*) FILTER (WHERE k = 'q') AS q FROM"
    pair = Pair([row(k="p")] * UNITS, [*[row(k="p")] * (UNITS - 1), row(k="q")])
    replaced, added = prepared(f"{text} rows_replaced"), prepared(f"{text} rows_added")
    assert (replaced.facts.max_affected, added.facts.max_affected) == (2, 1)
    assert breaches(replaced, pair) == []
    assert sum(own.l1 for own in movements(replaced, pair)) == 2


def test_a_value_just_below_the_next_step_is_floored() -> None:
    """Rounding half to even would lift the upper end of the bounds by a step, and out of the claim."""
    question = prepared("SELECT SUM(CLAMP(raw, 0, 3000000000.7)) AS s FROM rows_added")
    grid = question.plan.statistics[0].grid
    assert grid is not None and grid.exponent > 0
    top = row(raw=3000000000.7)
    (moved,) = movements(question, Pair([top], []))
    assert moved.l1 == grid.high <= question.facts.statistics[0].sensitivity.l1
    assert breaches(question, Pair([top], [])) == []
