"""The corners of several tables, by hand and on DuckDB: each claim is reached, and none is passed.

Each test names a plan and a person for whom a weaker limit, or a smaller claim, would fail.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from neighbour_kit import Movement
from shop_kit import asked, breaches, look, moved
from tests.engines.family import OWN, SCANS, TYPES, Family, duckdb_over, reference

import lapcat
from lapcat.errors import Bug
from lapcat.plan.bounding import Limits, bounded
from lapcat.plan.expressions import Coalesce, Column, Compare, IsNull, Literal, Logic, Not
from lapcat.plan.facts import group_facts
from lapcat.plan.nodes import (
    Filter,
    Grid,
    Group,
    GroupKey,
    Join,
    Kind,
    LimitGroups,
    LimitRows,
    Match,
    PerUnit,
    Rows,
    Scan,
    Statistic,
    Union,
    UnionBranch,
    UnitAggregate,
    UnitColumn,
    WeightRows,
)
from lapcat.plan.schema import Relation, Type, Unit

ORDERS, PEOPLE, ITEMS = SCANS["orders"], SCANS["people"], SCANS["items"]
INT, S, X, B = (Column(name, OWN[name]) for name in "isxb")
ROWS, UNITS = Statistic(Kind.ROWS), Statistic(Kind.UNITS)
BY_S = GroupKey("s", S, ("a", "b", "c"))


def row(table: str, **cells: object) -> dict[str, object]:
    return {**dict.fromkeys(TYPES[table]), **cells}


def tables(**rows: list[dict[str, object]]) -> Family:
    named = {name: [row(name, **cells) for cells in own] for name, own in rows.items()}
    return {"people": [], "orders": [], "items": [], "places": [], **named}


OTHERS = [{"who": "eve", "oid": 10**9 + n, "s": s, "i": n, "x": 0.5} for n, s in enumerate("abc")]


def orders_of(who: str, cells: list[dict[str, object]], first: int = 0) -> list[dict[str, object]]:
    return [{"who": who, "oid": first + n, **own} for n, own in enumerate(cells)]


def on_both(plan: Group, here: Family, there: Family, folder: Path) -> list[Movement]:
    """How far each statistic moved, the same on DuckDB as by the specification; nothing further than claimed."""
    facts = group_facts(plan)
    for name in ("here", "there"):
        (folder / name).mkdir()
    engines: list[tuple[Any, Any]] = [
        (duckdb_over(here, folder / "here"), duckdb_over(there, folder / "there")),
        (reference(here), reference(there)),
    ]
    movements = []
    for left, other in engines:
        assert breaches(plan, facts, left, other) == []
        pairs = zip(look(left, plan).cells, look(other, plan).cells, strict=True)
        movements.append([moved(*pair) for pair in pairs])
    assert movements[0] == movements[1]
    return movements[0]


def l1(plan: Group) -> list[Fraction]:
    return [fact.sensitivity.l1 for fact in group_facts(plan).statistics]


# ------------------------------------------------------------------------------------------------ heavy people


@pytest.mark.parametrize("form", ["weigh", "bound", "groups"])
def test_a_person_of_a_hundred_thousand_rows_counts_for_as_many_as_declared(
    form: str, tmp_path: Path
) -> None:
    """All of them tie but for their number, and every one adds the most that a row may."""
    heavy = [{"who": "heavy", "oid": n, "s": "abc"[n % 3], "i": n, "x": 1e308} for n in range(100_000)]
    there = tables(orders=OTHERS)
    here = tables(orders=[*OTHERS, *heavy])
    total = Statistic(Kind.SUM, X, grid=Grid(-2.0, 3.0, 0, Fraction(0)))
    rows: dict[str, Rows] = {
        "weigh": WeightRows(ORDERS, 3),
        "bound": LimitRows(ORDERS, 3),
        "groups": LimitGroups(ORDERS, (S,), 2, 2),
    }
    unit_weight = 2**20 if form == "weigh" else 1
    plan = Group(rows[form], (BY_S,), (Statistic(Kind.ROWS, unit_weight=unit_weight), total))
    facts = group_facts(plan)
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    engines = duckdb_over(here, tmp_path / "here"), duckdb_over(there, tmp_path / "there")
    assert breaches(plan, facts, *engines) == []
    count = moved(look(engines[0], plan).cells[0], look(engines[1], plan).cells[0])
    claimed = facts.statistics[0].sensitivity.l1
    assert count.l1 == claimed if form != "weigh" else claimed - 100_000 <= count.l1 <= claimed


def test_many_small_negative_numbers_of_a_heavy_person_add_up_to_no_more(tmp_path: Path) -> None:
    """−1 times 3/100 is nothing, not −1: rounded down, a hundred such rows would move the sum by a hundred."""
    many = orders_of("ada", [{"x": -1.0, "i": n} for n in range(100)])
    plan = Group(WeightRows(ORDERS, 3), (), (Statistic(Kind.SUM, X, grid=Grid(-1.0, 0.0, 0, Fraction(0))),))
    assert l1(plan) == [3]
    assert on_both(plan, tables(orders=[*OTHERS, *many]), tables(orders=OTHERS), tmp_path)[0].l1 == 0
    finer = replace(plan, statistics=(Statistic(Kind.SUM, X, grid=Grid(-1.0, 0.0, -10, Fraction(0))),))
    (tmp_path / "finer").mkdir()
    movements = on_both(finer, tables(orders=[*OTHERS, *many]), tables(orders=OTHERS), tmp_path / "finer")
    assert 3 * 1024 - 100 <= movements[0].l1 <= 3 * 1024


def test_a_weight_goes_by_all_rows_that_a_person_has_now(tmp_path: Path) -> None:
    many = orders_of("ada", [{"x": 1.0, "i": n} for n in range(50)])
    plan = Group(WeightRows(ORDERS, 2), (), (Statistic(Kind.ROWS, unit_weight=2**20),))
    movements = on_both(plan, tables(orders=[*OTHERS, *many]), tables(orders=OTHERS), tmp_path)
    assert 2 * 2**20 - 50 <= movements[0].l1 <= 2 * 2**20


# ------------------------------------------------------------------------------------------------ groups


def test_a_person_is_in_no_more_groups_than_may_be(tmp_path: Path) -> None:
    spread = orders_of("ada", [{"s": s} for s in "abcabc"])
    for rows in (1, 2):  # with one row in each, most later groups are left out before they are sorted
        plan = Group(LimitGroups(ORDERS, (S,), 2, rows), (BY_S,), (ROWS, UNITS))
        (folder := tmp_path / str(rows)).mkdir()
        movements = on_both(plan, tables(orders=[*OTHERS, *spread]), tables(orders=OTHERS), folder)
        assert [own.l1 for own in movements] == l1(plan) == [2 * rows, 2]


def test_groups_of_pairs_that_tie_are_no_more_than_may_be(tmp_path: Path) -> None:
    """Each order meets each, so a pair's rank is that of several: groups by the other side's column all tie."""
    spread = orders_of("ada", [{"s": s} for s in "abc"])
    pairs = Join(ORDERS, ORDERS, (), Match.UNIT, False, 1)
    theirs = Column("s@1", Type.TEXT)
    plan = Group(LimitGroups(pairs, (theirs,), 2, None), (replace(BY_S, expression=theirs),), (UNITS,))
    movements = on_both(plan, tables(orders=[*OTHERS, *spread]), tables(orders=OTHERS), tmp_path)
    assert movements[0].l1 == l1(plan)[0] == 2
    private = replace(plan, keys=(GroupKey("s", theirs, None),))
    assert group_facts(private).keys_per_unit == 2
    (tmp_path / "private").mkdir()
    on_both(private, tables(orders=spread), tables(), tmp_path / "private")


def test_a_number_of_pairs_is_never_chosen() -> None:
    """Which of the pairs that tie come first would be the engine's to say, and depend on others' rows."""
    pairs = Join(ORDERS, ORDERS, (), Match.UNIT, False, 1)
    with pytest.raises(Bug, match="plan-unproved"):
        group_facts(Group(LimitGroups(pairs, (), 1, 2), (), (ROWS,)))
    question = asked(
        "SELECT COUNT(*) AS n FROM orders_a l JOIN (SELECT who, k, COUNT(*) AS n FROM orders_a GROUP BY who, k) q "
        "ON l.who = q.who"
    )
    assert question.facts.statistics[0].sensitivity.l1 == 9  # three orders, and three of their groups


def test_one_cell_for_all_that_nobody_listed_holds_many_groups(tmp_path: Path) -> None:
    unlisted = orders_of("ada", [{"s": s} for s in ("u", "u", "v", "v", "w", "w")])
    key = GroupKey("s", S, ("a",), other=True)
    plan = Group(LimitGroups(ORDERS, (S,), 3, 2), (key,), (ROWS,))
    movements = on_both(plan, tables(orders=[*OTHERS, *unlisted]), tables(orders=OTHERS), tmp_path)
    assert (movements[0].linf, movements[0].l2_squared) == (6, 36)


def test_each_grouping_set_counts_a_row_again(tmp_path: Path) -> None:
    mine = orders_of("ada", [{"s": "a", "b": True}, {"s": "b", "b": False}])
    flag = GroupKey("b", B, (True, False))
    plan = Group(LimitRows(ORDERS, 2), (BY_S, flag), (ROWS, UNITS), ((0, 1), (0,), ()))
    movements = on_both(plan, tables(orders=[*OTHERS, *mine]), tables(orders=OTHERS), tmp_path)
    assert movements[0].l1 == l1(plan)[0] == 6


# ------------------------------------------------------------------------------------------------ several statistics


def test_different_rows_of_a_person_move_numbers_of_units_together(tmp_path: Path) -> None:
    """No row is in two of the conditions, and one person is in all of them."""
    parts = [Compare("=", S, Literal(s, Type.TEXT)) for s in "abc"]
    plan = Group(ORDERS, (), tuple(Statistic(Kind.UNITS, filter=part) for part in parts))
    mine = orders_of("ada", [{"s": s} for s in "abc"])
    movements = on_both(plan, tables(orders=[*OTHERS, *mine]), tables(orders=OTHERS), tmp_path)
    assert [own.l1 for own in movements] == l1(plan) == [1, 1, 1] and group_facts(plan).max_affected == 3


def test_rows_in_disjoint_conditions_share_what_a_person_may_count_for(tmp_path: Path) -> None:
    parts = [Compare("=", S, Literal(s, Type.TEXT)) for s in "abc"]
    plan = Group(LimitRows(ORDERS, 3), (), tuple(Statistic(Kind.ROWS, filter=part) for part in parts))
    assert group_facts(plan).max_affected == 1 and l1(plan) == [3, 3, 3]
    mine = orders_of("ada", [{"s": s} for s in "abc"])
    on_both(plan, tables(orders=[*OTHERS, *mine]), tables(orders=OTHERS), tmp_path)


def test_squares_of_all_statistics_together(tmp_path: Path) -> None:
    """Five rows, four at most in a group, each in two of three conditions: 16 + 16 + 4 squares, more than twice 17."""
    pairs = [("a", "b")] * 3 + [("a", "c"), ("b", "c")]
    mine = orders_of("ada", [{"i": int("a" in p) + 2 * int("b" in p) + 4 * int("c" in p)} for p in pairs])
    inside = {"a": (3, 5), "b": (3, 6), "c": (5, 6)}
    equal = {n: Compare("=", INT, Literal(n, Type.INTEGER)) for n in (3, 5, 6)}
    parts = [Logic("or", tuple(equal[n] for n in inside[name])) for name in "abc"]
    rows = LimitGroups(LimitRows(ORDERS, 5), (S,), 2, 4)
    plan = Group(rows, (GroupKey("s", S, ("a", "b")),), tuple(Statistic(Kind.ROWS, filter=p) for p in parts))
    here = [{**own, "s": "a"} for own in mine]
    here[-1]["s"] = "b"
    on_both(plan, tables(orders=here), tables(), tmp_path)
    facts = group_facts(plan)
    assert facts.together([fact.sensitivity for fact in facts.statistics]).l2_squared >= 36


# ------------------------------------------------------------------------------------------------ joins and unions


def test_both_sides_of_a_self_join_multiply(tmp_path: Path) -> None:
    mine = orders_of("ada", [{"s": "a"} for _ in range(7)])
    pairs = Join(LimitRows(ORDERS, 3), LimitRows(ORDERS, 2), ((S, S),), Match.UNIT, False, 1)
    plan = Group(pairs, (BY_S,), (ROWS,))
    movements = on_both(plan, tables(orders=[*OTHERS, *mine]), tables(orders=OTHERS), tmp_path)
    assert movements[0].l1 == l1(plan)[0] == 6


def test_rows_in_both_parts_of_a_union_count_twice(tmp_path: Path) -> None:
    mine = orders_of("ada", [{"s": "a"} for _ in range(7)])
    union = Union(("u",), (UnionBranch(LimitRows(ORDERS, 3), (S,)), UnionBranch(LimitRows(ORDERS, 2), (S,))))
    plan = Group(union, (GroupKey("u", Column("u", Type.TEXT), ("a", "b")),), (ROWS, UNITS))
    movements = on_both(plan, tables(orders=[*OTHERS, *mine]), tables(orders=OTHERS), tmp_path)
    assert movements[0].l1 == l1(plan)[0] == 5


def test_one_row_of_each_unit_is_one_row(tmp_path: Path) -> None:
    mine = orders_of("ada", [{"s": "a", "x": 9.0} for _ in range(7)])
    count = UnitColumn("n", UnitAggregate.COUNT, None, None, None, Type.INTEGER)
    total = Statistic(Kind.SUM, Column("n", Type.INTEGER), grid=Grid(0, 10, 0, Fraction(0)))
    plan = Group(PerUnit(ORDERS, (), (count,)), (), (ROWS, total))
    movements = on_both(plan, tables(orders=[*OTHERS, *mine]), tables(orders=OTHERS), tmp_path)
    assert [own.l1 for own in movements] == [1, 7] and l1(plan) == [1, 10]


def test_items_go_with_the_person_whose_orders_they_are_of(tmp_path: Path) -> None:
    mine = orders_of("ada", [{"s": "a"}, {"s": "b"}])
    items = [{"oid": oid, "s": "a", "i": n} for n, oid in enumerate([0, 0, 0, 1, 1, 10**9, 77, None])]
    rows = Join(
        LimitRows(ITEMS, 4),
        ORDERS,
        ((Column("oid", Type.INTEGER), Column("oid", Type.INTEGER)),),
        Match.UNIQUE,
        True,
        1,
    )
    plan = Group(rows, (BY_S,), (ROWS, UNITS))
    here = tables(orders=[*OTHERS, *mine], items=items)
    there = tables(orders=OTHERS, items=[item for item in items if item["oid"] not in (0, 1)])
    movements = on_both(plan, here, there, tmp_path)
    assert [own.l1 for own in movements] == [4, 1] and l1(plan)[0] == 4


# ------------------------------------------------------------------------------------------------ replace-one


def bounded_scan(scan: Scan, units: int) -> Scan:
    return replace(scan, relation=Relation.REPLACE_ONE, units=units)


def test_the_units_of_several_tables_have_no_public_number(tmp_path: Path) -> None:
    """Somebody who has orders and no row in people comes and goes with a condition on the orders."""
    people, orders = bounded_scan(PEOPLE, 1), bounded_scan(ORDERS, 1)
    passing = Filter(orders, Not(IsNull(S)))
    union = Union(("u",), (UnionBranch(people, (S,)), UnionBranch(passing, (S,))))
    plan = Group(union, (), (UNITS,))
    here = tables(people=[{"who": "eve"}], orders=[{"who": "ada", "oid": 1, "s": "a"}])
    there = tables(people=[{"who": "eve"}], orders=[{"who": "ada", "oid": 1, "s": None}])
    assert on_both(plan, here, there, tmp_path)[0].l1 == l1(plan)[0] == 1
    twice = Union(("u",), (UnionBranch(people, (S,)), UnionBranch(Filter(people, IsNull(S)), (S,))))
    assert l1(replace(plan, source=twice)) == [0]  # all of one table, and some of it again


def test_the_number_of_different_values_is_not_public_where_none_is_null(tmp_path: Path) -> None:
    value = Coalesce(INT, Literal(0, Type.INTEGER), Type.INTEGER)
    plan = Group(bounded_scan(PEOPLE, 2), (), (Statistic(Kind.DISTINCT, value), ROWS))
    here = tables(people=[{"who": "eve", "i": 1}, {"who": "ada", "i": 1}])
    there = tables(people=[{"who": "eve", "i": 1}, {"who": "ada", "i": 2}])
    movements = on_both(plan, here, there, tmp_path)
    assert [own.l1 for own in movements] == l1(plan) == [1, 0]


def test_everybody_has_one_row_of_a_fold_whatever_they_have(tmp_path: Path) -> None:
    orders = bounded_scan(ORDERS, 2)
    best = UnitColumn("m", UnitAggregate.MAX, X, None, None, Type.FLOAT)
    value = Coalesce(Column("m", Type.FLOAT), Literal(2.0, Type.FLOAT), Type.FLOAT)
    total = Statistic(Kind.SUM, value, grid=Grid(2.0, 5.0, 0, Fraction(0)))
    plan = Group(PerUnit(orders, (), (best,)), (), (ROWS, UNITS, total))
    eve = orders_of("eve", [{"x": 3.0}], 50)
    here = tables(orders=[*eve, *orders_of("ada", [{"x": None}] * 5)])
    there = tables(orders=[*eve, *orders_of("ada", [{"x": 9.0}])])
    movements = on_both(plan, here, there, tmp_path)
    assert [own.l1 for own in movements] == l1(plan) == [0, 0, 3]


# ------------------------------------------------------------------------------------------------ what is not proved


ROW_TABLE = Scan("orders", "orders", 1, Unit(), Relation.ADD_REMOVE, None)


@pytest.mark.parametrize(
    "plan",
    [
        Group(WeightRows(ORDERS, 3), (BY_S,), (UNITS,)),
        Group(WeightRows(ORDERS, 3), (), (Statistic(Kind.DISTINCT, S),)),
        Group(WeightRows(ORDERS, 3), (GroupKey("s", S, None),), (ROWS,)),
        Group(PerUnit(ROW_TABLE, (), ()), (), (ROWS,)),
        Group(LimitGroups(ROW_TABLE, (), 1, 1), (), (ROWS,)),
        Group(Join(ROW_TABLE, ROW_TABLE, (), Match.UNIT, False, 1), (), (ROWS,)),
        Group(
            Union(("u",), (UnionBranch(ROW_TABLE, (S,)),) * 2),
            (GroupKey("u", Column("u", Type.TEXT), None),),
            (ROWS,),
        ),
        Group(ORDERS, (), (ROWS,)),
        Group(ORDERS, (GroupKey("s", S, None),), (UNITS,)),
    ],
    ids=range(9),
)
def test_what_limits_nobody_is_not_accepted(plan: Group) -> None:
    with pytest.raises(Bug, match="plan-unproved"):
        group_facts(plan)


def test_a_row_that_is_a_unit_is_not_counted_twice_in_a_private_group() -> None:
    twice = Union(("u",), (UnionBranch(ROW_TABLE, (S,)),) * 2)
    with pytest.raises(lapcat.Refused, match="rows-counted-twice"):
        bounded(twice, (GroupKey("u", Column("u", Type.TEXT), None),), (ROWS,), Limits())
