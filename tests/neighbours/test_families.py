"""The theorem on several tables: a person with all their rows everywhere moves nothing further than the facts claim.

Questions as text about a shop, and plans that no front-end writes: whatever the facts accept must hold. A neighbour is
indexed anew, as `refresh` would, and what others count for stays as it was.
"""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from shop_kit import (
    MARKS,
    asked,
    breaches,
    engine_over,
    of_others,
    pair_of,
    questions,
)
from tests.engines.family import SCANS as ADD_REMOVE
from tests.engines.family import (
    Family,
    family,
    family_plans,
    reference,
    replace_one,
    replaced,
    without,
)

import lapcat
from lapcat.engines.reference import ReferenceEngine
from lapcat.errors import Bug
from lapcat.plan.bounding import Limits, bounded
from lapcat.plan.expressions import Column, Literal
from lapcat.plan.facts import GroupFacts, group_facts
from lapcat.plan.nodes import (
    Group,
    GroupKey,
    Join,
    Kind,
    Match,
    PerUnit,
    Rows,
    Scan,
    Statistic,
    Union,
    UnionBranch,
    UnitAggregate,
    UnitColumn,
)
from lapcat.plan.schema import Relation, Type

RELAXED = list(HealthCheck)
PEOPLE = ("ada", "Ada", "heavy", "", "lonely")


def check_question(mark: str, data: st.DataObject, pairs: int) -> None:
    text = data.draw(questions(mark))
    first = data.draw(st.integers(0, 2**32))
    try:
        question = asked(text)
    except (lapcat.Refused, lapcat.BadQuery):
        assume(False)
    for seed in range(first, first + pairs):
        pair = pair_of(mark, seed)
        here, there = engine_over(pair.here, mark), engine_over(pair.there, mark)
        assert breaches(question.plan, question.facts, here, there) == [], (
            f"{text}\npair_of({mark!r}, {seed})"
        )
        own = of_others(here, question.plan, pair.moved)
        assert own == of_others(there, question.plan, pair.moved), (
            f"others moved: {text}\npair_of({mark!r}, {seed})"
        )


@pytest.mark.parametrize("mark", MARKS)
@settings(max_examples=70, suppress_health_check=RELAXED)
@given(data=st.data())
def test_a_person_in_several_tables_moves_the_integers_no_further_than_claimed(
    mark: str, data: st.DataObject
) -> None:
    check_question(mark, data, pairs=3)


@pytest.mark.slow
@pytest.mark.parametrize("mark", MARKS)
@settings(max_examples=500, suppress_health_check=RELAXED)
@given(data=st.data())
def test_a_person_in_several_tables_moves_nothing_further_in_many_more_questions(
    mark: str, data: st.DataObject
) -> None:
    check_question(mark, data, pairs=8)


# ------------------------------------------------------------------------------------------------ any plan


@cache
def held(seed: int) -> tuple[Family, ReferenceEngine, dict[str, Scan]]:
    tables = family(seed, 8)
    return tables, reference(tables), replace_one(tables)


@cache
def neighbour(seed: int, who: str, other: int | None) -> ReferenceEngine:
    tables, _, _ = held(seed)
    return reference(without(tables, who) if other is None else replaced(tables, who, other))


def check_plan(data: st.DataObject, relation: Relation, *, limits: bool) -> None:
    """Random rows with random limits, or with those that the product puts there; each person in turn is the one."""
    seed = data.draw(st.integers(1, 4))
    _, _, scans = held(seed)
    drawn = scans if relation is Relation.REPLACE_ONE else ADD_REMOVE
    plan = data.draw(
        family_plans(2, drawn, limits=limits, plain=data.draw(st.sampled_from([True, True, False])))
    )
    try:
        if not limits:
            form = data.draw(st.sampled_from([Limits(), Limits(), Limits(2), Limits(None, 1), Limits(3, 2)]))
            chosen = bounded(plan.source, plan.keys, plan.statistics, form)
            plan = Group(chosen.rows, plan.keys, plan.statistics, plan.sets)
        facts = group_facts(plan)
    except lapcat.Refused:
        assume(False)
    except Bug as unproved:
        assert limits and unproved.code == "plan-unproved", "the product makes no plan that it cannot prove"
        assume(False)
    check_people(plan, facts, relation, seed, data.draw(st.integers(0, 3)))


def check_people(plan: Group, facts: GroupFacts, relation: Relation, seed: int, other: int) -> None:
    """Each person in turn goes, or is replaced."""
    _, here, _ = held(seed)
    for who in PEOPLE:
        there = neighbour(seed, who, other if relation is Relation.REPLACE_ONE else None)
        assert breaches(plan, facts, here, there) == [], f"neighbour({seed}, {who!r}, {other})"
        assert of_others(here, plan, frozenset({who})) == of_others(there, plan, frozenset({who}))


@pytest.mark.parametrize("relation", list(Relation))
@settings(max_examples=120, suppress_health_check=RELAXED)
@given(data=st.data())
def test_whatever_the_facts_accept_holds(relation: Relation, data: st.DataObject) -> None:
    check_plan(data, relation, limits=True)


@pytest.mark.parametrize("relation", list(Relation))
@settings(max_examples=80, suppress_health_check=RELAXED)
@given(data=st.data())
def test_what_the_product_limits_is_proved_and_holds(relation: Relation, data: st.DataObject) -> None:
    check_plan(data, relation, limits=False)


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("private", [True, False])
@pytest.mark.parametrize(
    "parts", ["made orders", "pairs made", "made made", "pairs orders", "made pairs made"]
)
def test_parts_of_a_union_that_have_no_order_or_no_index_are_limited(
    parts: str, private: bool, relation: Relation
) -> None:
    """Rows that the question makes have no rank in an index, and pairs of rows no order at all."""
    zero, seed = Literal(0, Type.INTEGER), 1
    scans = held(seed)[2] if relation is Relation.REPLACE_ONE else ADD_REMOVE
    items, number = scans["items"], Column("i", Type.INTEGER)
    rows: dict[str, Rows] = {
        "orders": scans["orders"],
        "made": PerUnit(
            items, (("k", number),), (UnitColumn("f", UnitAggregate.COUNT, zero, None, None, Type.INTEGER),)
        ),
        "pairs": Join(items, items, (), Match.UNIT, False, 1),
    }
    names = {"orders": "i", "made": "k", "pairs": "i"}
    branches = tuple(
        UnionBranch(rows[part], (Column(names[part], Type.INTEGER), zero)) for part in parts.split()
    )
    union, counted = Union(("u", "v"), branches), (Statistic(Kind.ROWS),)
    keys = (GroupKey("k", Column("u", Type.INTEGER), None if private else (0, 1, 2), other=not private),)
    plan = Group(bounded(union, keys, counted, Limits()).rows, keys, counted)
    for other in range(4):
        check_people(plan, group_facts(plan), relation, seed, other)


@pytest.mark.slow
@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("limits", [True, False])
@settings(max_examples=1000, suppress_health_check=RELAXED)
@given(data=st.data())
def test_whatever_is_accepted_holds_in_many_more_plans(
    relation: Relation, limits: bool, data: st.DataObject
) -> None:
    check_plan(data, relation, limits=limits)
