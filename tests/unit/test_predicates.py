"""The joint sensitivity of several predicates: equal to brute force where it is exact, and never below it."""

from __future__ import annotations

import datetime
import itertools
import math
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapcat.plan import predicates
from lapcat.plan.expressions import (
    Absolute,
    Arithmetic,
    Case,
    Cast,
    Clamp,
    Coalesce,
    Column,
    Compare,
    DatePart,
    Expression,
    InList,
    IsNull,
    Like,
    Literal,
    Logic,
    Not,
    NullOutsideBounds,
)
from lapcat.plan.facts import group_facts
from lapcat.plan.grids import sum_statistic
from lapcat.plan.nodes import Group, Scan
from lapcat.plan.predicates import Joint, StatisticTerm, joint, max_amount
from lapcat.plan.schema import Relation, Type, Unit

from .predicate_oracle import difference, most_of, moved_by, reached

ADD_REMOVE, REPLACE_ONE = Relation.ADD_REMOVE, Relation.REPLACE_ONE


@pytest.fixture(autouse=True, scope="module")
def by_the_solver() -> Iterator[None]:
    """Small spaces are proved by trying all records, of which test_sweeping.py is; here z3 proves them too."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(predicates, "swept", lambda terms, space, records: None)
        yield


# ---------------------------------------------------------------------------- a small language to write questions in

DAY, MOMENT = datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 12)
TYPES = {
    "colour": Type.TEXT,
    "name": Type.TEXT,
    "i": Type.INTEGER,
    "j": Type.INTEGER,
    "f": Type.FLOAT,
    "g": Type.FLOAT,
    "flag": Type.BOOLEAN,
    "day": Type.DATE,
    "moment": Type.TIMESTAMP,
}
COLUMNS = {name: Column(name, kind) for name, kind in TYPES.items()}
colour, name, i, j, f, g, flag, day, moment = COLUMNS.values()

UP, DOWN = math.inf, -math.inf
VALUES: dict[str, list[object]] = {
    # Each column with NULL, values beyond whatever a catalogue might declare, and at least two values in every gap
    # between the constants used below, so that the order of two columns can be anything.
    "colour": [None, "orange", "blue", "black", "not listed", ""],
    "name": [None, "Tom", "Timothy", "Lily"],
    "i": [None, -(2**63), *range(-3, 9), 2**53, 2**53 + 1, 2**53 + 2, 2**63 - 1],
    "j": [None, -(2**63), *range(-3, 9), 2**63 - 1],
    "f": [None, DOWN, -7.5, -1.0, 0.0, 0.25, 1.0, 1.5, math.nextafter(1.5, UP), 2.0, 3.0, 4.5, 5.0, 7.0, UP],
    "g": [None, DOWN, -7.5, -1.0, -0.0, 0.25, 1.0, 1.5, 2.0, 3.0, 4.5, 5.0, 7.0, UP],
    "flag": [None, False, True],
    "day": [
        None,
        datetime.date.min,
        *(DAY + datetime.timedelta(days=n) for n in range(-4, 5)),
        datetime.date.max,
    ],
    "moment": [
        None,
        datetime.datetime.min,
        *(
            MOMENT + datetime.timedelta(hours=n)
            for n in (-60, -48, -36, -13, -12, -1, 0, 1, 11, 12, 24, 35, 36)
        ),
        datetime.datetime.max,
    ],
}


def constant(value: object) -> Literal:
    kinds = {
        bool: Type.BOOLEAN,
        int: Type.INTEGER,
        float: Type.FLOAT,
        str: Type.TEXT,
        datetime.date: Type.DATE,
        datetime.datetime: Type.TIMESTAMP,
    }
    return Literal(value, kinds[type(value)])


def cmp(left: Expression, op: str, right: object) -> Compare:
    return Compare(op, left, right if isinstance(right, Expression) else constant(right))


def both(*operands: Expression) -> Logic:
    return Logic("and", operands)


def either(*operands: Expression) -> Logic:
    return Logic("or", operands)


def among(operand: Expression, *values: object) -> InList:
    return InList(operand, tuple(map(constant, values)))


def between(operand: Expression, low: object, high: object) -> Logic:
    return both(cmp(operand, ">=", low), cmp(operand, "<=", high))


def clamp(operand: Expression, low: float, high: float) -> Clamp:
    kind = Type.INTEGER if {operand.type, *map(type, (low, high))} <= {Type.INTEGER, int} else Type.FLOAT
    return Clamp(operand, constant(low), constant(high), kind)


def within(operand: Expression, low: object, high: object) -> NullOutsideBounds:
    return NullOutsideBounds(operand, constant(low), constant(high), operand.type)


def instead(operand: Expression, replacement: object) -> Coalesce:
    return Coalesce(operand, constant(replacement), operand.type)


def counts(*conditions: Expression | None) -> list[StatisticTerm]:
    return [StatisticTerm(condition, counts=True) for condition in conditions]


def sums(*conditions: Expression | None) -> list[StatisticTerm]:
    return [StatisticTerm(condition, counts=False) for condition in conditions]


def most(parts: list[StatisticTerm], relation: Relation, **options: object) -> int:
    return joint(parts, relation, **{"may_be_absent": False, **options}).max_affected


orange, blue, heavy = cmp(colour, "=", "orange"), cmp(colour, "=", "blue"), cmp(f, ">", 4.5)

# ---------------------------------------------------------------------------- the worked example


@pytest.mark.parametrize(
    ("conditions", "add_remove", "replace_one"),
    [([orange], 1, 1), ([orange, blue], 1, 2), ([heavy], 1, 1), ([orange, heavy], 2, 2)],
)
def test_v4_cats(conditions: list[Expression], add_remove: int, replace_one: int) -> None:
    assert most(counts(*conditions), ADD_REMOVE) == add_remove
    assert most(counts(*conditions), REPLACE_ONE) == replace_one


# ---------------------------------------------------------------------------- exact where it says so

SETS: dict[str, list[Expression | None]] = {
    "three colours": [orange, blue, cmp(colour, "=", "black")],
    "a colour and all others": [orange, cmp(colour, "<>", "orange")],
    "a colour, all others, NULL": [orange, Not(orange), IsNull(colour)],
    "lists that overlap": [among(colour, "orange", "blue"), among(colour, "blue", "black"), among(colour, "black")],
    "not in a list": [Not(among(colour, "orange", "blue")), orange, blue],
    "everybody and a colour": [None, orange],
    "everybody and two colours": [None, orange, blue],
    "twice the same": [orange, orange, blue],
    "the same in another order": [both(orange, heavy), both(heavy, orange), blue],
    "two texts": [orange, cmp(name, "=", "Tom"), cmp(name, "=", "Lily")],
    "thresholds": [cmp(i, ">", 1), cmp(i, ">", 3), cmp(i, ">", 5)],
    "buckets": [between(i, 0, 1), between(i, 2, 3), between(i, 4, 5)],
    "buckets that touch": [between(i, 0, 2), between(i, 2, 4), between(i, 4, 6)],
    "nothing between two integers": [both(cmp(i, ">", 2), cmp(i, "<", 3)), cmp(i, "=", 2), cmp(i, "=", 3)],
    "something between two doubles": [both(cmp(f, ">", 1.5), cmp(f, "<", 2.0)), cmp(f, "=", 1.5), cmp(f, "=", 2.0)],
    "nothing between neighbouring doubles": [
        both(cmp(f, ">", 1.5), cmp(f, "<", math.nextafter(1.5, UP))),
        cmp(f, "=", 1.5),
    ],
    "an integer against fractions": [cmp(i, ">", 2.5), cmp(i, "<", 3.5), cmp(i, "=", 2.5), cmp(i, "=", 3.0)],
    "integers that are one double": [cmp(i, "=", float(2**53)), cmp(i, "=", 2**53 + 1), cmp(i, "=", 2**53)],
    "doubles against integers": [cmp(f, "=", 3), cmp(f, ">", 1), cmp(f, "<", 5)],
    "infinities": [cmp(f, "=", UP), cmp(f, "=", DOWN), cmp(f, ">", 4.5), cmp(f, "<", 0.0)],
    "beyond infinity": [cmp(f, ">", UP), cmp(f, "<", DOWN), heavy],
    "both zeros": [cmp(g, "=", 0.0), cmp(g, "=", -0.0), cmp(g, "<", 0.0)],
    "beyond all integers": [cmp(i, ">", 2**63 - 1), cmp(i, "=", 2**63 - 1), cmp(i, "<", -(2**63))],
    "the constant first": [Compare("<", constant(3), i), Compare(">=", constant(3), i), cmp(j, "=", 1)],
    "constants only": [Compare("<", constant(3), constant(4)), Compare("=", constant("a"), constant("b")), orange],
    "a flag and its negation": [flag, Not(flag), IsNull(flag)],
    "a flag compared": [cmp(flag, "=", True), cmp(flag, "<>", True), Not(cmp(flag, "=", False))],
    "true, false and orange": [constant(True), constant(False), orange],
    "dates": [cmp(day, "<", DAY), cmp(day, "=", DAY), cmp(day, ">", DAY), cmp(day, "<>", DAY)],
    "moments": [cmp(moment, "<", MOMENT), cmp(moment, ">=", MOMENT), cmp(moment, "=", MOMENT)],
    "the day of a moment": [
        cmp(Cast(moment, Type.DATE), "=", DAY),
        cmp(Cast(moment, Type.DATE), ">", DAY),
        cmp(moment, ">", MOMENT),
        cmp(moment, "<", MOMENT),
    ],
    "moments within days": [
        IsNull(within(moment, DAY, DAY)),
        cmp(NullOutsideBounds(moment, constant(DAY), constant(DAY), Type.TIMESTAMP), ">", MOMENT),
        cmp(moment, "<", MOMENT),
    ],
    "dates within bounds": [IsNull(within(day, DAY, DAY)), cmp(day, "<", DAY), cmp(day, ">", DAY)],
    "NULL against values": [IsNull(i), cmp(i, ">", 2), cmp(i, "<=", 2), Not(IsNull(i))],
    "NULL in two columns": [IsNull(i), IsNull(f), both(IsNull(i), cmp(f, ">", 1.5)), either(heavy, IsNull(f))],
    "NULL of a comparison": [IsNull(cmp(i, ">", 2)), cmp(i, ">", 2), Not(cmp(i, ">", 2))],
    "NULL of AND": [IsNull(both(cmp(i, ">", 2), flag)), flag, cmp(i, ">", 2), Not(flag)],
    "NULL of OR": [IsNull(either(cmp(i, ">", 2), flag)), flag, cmp(i, ">", 2), Not(flag)],
    "not NULL of OR": [Not(IsNull(either(heavy, flag))), IsNull(flag), IsNull(f)],
    "AND of negations": [both(Not(flag), Not(heavy)), either(flag, heavy), Not(either(flag, heavy))],
    "Kleene's excluded middle": [either(heavy, Not(heavy)), both(heavy, Not(heavy)), IsNull(f)],
    "clamped": [cmp(clamp(f, 0.0, 5.0), ">", 4.5), cmp(clamp(f, 0.0, 5.0), "<=", 0.0), cmp(f, ">", 5.0)],
    "clamped past the constant": [cmp(clamp(f, 0.0, 3.0), ">", 4.5), heavy, cmp(clamp(f, 0.0, 3.0), ">=", 3.0)],
    "clamped integers": [cmp(clamp(i, 0, 5), "=", 5), cmp(clamp(i, 0, 5), "=", 0), cmp(i, "=", 7), cmp(i, "=", 3)],
    "an integer clamped to doubles": [cmp(clamp(i, 0.5, 5.5), "=", 5.5), cmp(clamp(i, 0.5, 5.5), "<", 1.5), cmp(i, ">", 5)],
    "within bounds": [IsNull(within(i, 0, 5)), cmp(within(i, 0, 5), ">", 3), cmp(i, ">", 3), cmp(i, "<", 0)],
    "within, then NULL replaced": [cmp(instead(within(i, 0, 5), 4), "=", 4), cmp(i, "=", 7), cmp(i, "=", 3)],
    "NULL replaced": [cmp(instead(f, 3.0), ">", 1.5), IsNull(f), cmp(f, "<", 1.0), IsNull(instead(f, 3.0))],
    "NULL replaced, then clamped": [cmp(clamp(instead(f, 0.0), 1.0, 3.0), "=", 1.0), IsNull(f), heavy],
    "a text replaced": [cmp(instead(colour, "black"), "=", "black"), orange, IsNull(colour)],
    "a flag replaced": [instead(flag, True), Not(instead(flag, True)), IsNull(flag)],
    "an integer as a double": [cmp(Cast(i, Type.FLOAT), ">", 2.5), cmp(i, "<", 3), cmp(i, ">=", 3)],
    "a flag as an integer": [cmp(Cast(flag, Type.INTEGER), "=", 1), cmp(Cast(flag, Type.INTEGER), "<", 1), IsNull(flag)],
    "CASE as a key": [
        cmp(Case(((cmp(i, "<", 2), constant("child")), (cmp(i, "<", 5), constant("adult"))), constant("old"), Type.TEXT), "=", word)
        for word in ("child", "adult", "old")
    ],
    "CASE without ELSE": [
        IsNull(Case(((heavy, constant(1)), (flag, i)), None, Type.INTEGER)),
        cmp(Case(((heavy, constant(1)), (flag, i)), None, Type.INTEGER), "=", 1),
        heavy,
        flag,
    ],
    "CASE as a condition": [Case(((heavy, flag), (IsNull(f), constant(True))), Not(flag), Type.BOOLEAN), flag, heavy],
    "CASE of mixed numbers": [
        cmp(Case(((flag, i),), f, Type.FLOAT), ">", 2.5),
        cmp(i, "<", 3),
        cmp(f, "<", 2.0),
    ],
    "CASE past an AND": [
        cmp(Case(((both(heavy, flag), constant(1)),), constant(2), Type.INTEGER), "=", 2),
        IsNull(flag),
        heavy,
    ],
    "CASE past an OR": [
        cmp(Case(((either(heavy, flag), constant(1)),), constant(2), Type.INTEGER), "=", 2),
        IsNull(flag),
        Not(heavy),
    ],
    "NULL of an AND or OR replaced": [
        Not(instead(both(heavy, flag), False)),
        instead(either(heavy, flag), True),
        IsNull(flag),
        heavy,
    ],
    "columns compared": [cmp(i, "<", j), cmp(i, "=", j), cmp(i, ">", j)],
    "columns and constants": [cmp(i, "<", j), cmp(i, ">", 3), cmp(j, "<", 3), cmp(j, "=", 3)],
    "columns in a narrow place": [both(cmp(i, "<", j), between(i, 2, 3), between(j, 2, 3)), cmp(i, "=", 3), cmp(j, "=", 2)],
    "a column with itself": [cmp(i, "=", i), cmp(i, "<", i), IsNull(cmp(i, "=", i))],
    "doubles compared": [cmp(f, "<=", g), cmp(g, "<=", f), cmp(f, "<>", g), IsNull(cmp(f, "=", g))],
    "an impossible pair": [both(orange, blue), both(heavy, cmp(f, "<", 1.0)), orange],
    "none at all possible": [both(orange, blue), both(heavy, cmp(f, "<", 1.0))],
    "corners": [both(orange, heavy), both(orange, Not(heavy)), both(blue, heavy), both(blue, Not(heavy))],
    "an odd cycle": [
        both(cmp(i, "<=", 2), cmp(j, ">", 2)),
        both(cmp(j, "<=", 2), cmp(f, ">", 1.5)),
        both(cmp(f, "<=", 1.5), cmp(i, ">", 2)),
    ],
}  # fmt: skip
SETS = {title: list(conditions) for title, conditions in SETS.items()}
WHERES = [Not(orange), either(cmp(i, ">", 2), IsNull(i)), heavy]


def check(
    conditions: list[Expression | None], kinds: list[list[bool]], where: Expression | None = None
) -> None:
    """Against brute force: for several choices of counts and sums, both relations, with and without absent records.

    Exact, but for the closed forms, which do not ask whether their one condition can be true, and for what is free.
    """
    moved = reached(counts(*conditions), VALUES, where)
    for kind, relation, may_be_absent in itertools.product(kinds, Relation, (False, True)):
        parts = list(map(StatisticTerm, conditions, kind))
        answer = joint(parts, relation, where=where, may_be_absent=may_be_absent)
        truth = most_of(moved, parts, relation, may_be_absent=may_be_absent)
        assert answer.proved
        assert answer.max_affected >= truth, (relation, may_be_absent)
        assert answer.max_affected == truth or not exact(parts, where) or "unconstrained" in answer.because, (
            relation,
            may_be_absent,
        )
        check_witness(answer, parts, relation, where)


def check_witness(
    answer: Joint, parts: list[StatisticTerm], relation: Relation, where: Expression | None
) -> None:
    if answer.witness is None:
        return
    if relation is ADD_REMOVE:
        assert sum(moved_by(answer.witness, parts, where)) == answer.max_affected
    else:
        first, other = (moved_by(answer.witness[side], parts, where) for side in ("one", "other"))
        assert difference(first, other, parts) == answer.max_affected


def exact(parts: list[StatisticTerm], where: Expression | None) -> bool:
    """Whether there are several conditions."""
    return len({repr(part.predicate) for part in parts} - ({"None"} if where is None else set())) > 1


def test_there_are_enough_sets() -> None:
    assert len(SETS) >= 50


@pytest.mark.parametrize("title", SETS)
def test_a_set_is_exact(title: str) -> None:
    conditions = SETS[title]
    kinds = [[True] * len(conditions), [n % 2 == 0 for n in range(len(conditions))]]
    for where in (None, WHERES[len(title) % len(WHERES)]):
        check(conditions, kinds, where)
    assert "unconstrained" not in joint(counts(*conditions), ADD_REMOVE, may_be_absent=False).because


@pytest.mark.parametrize("title", SETS)
def test_the_solver_finds_it_without_climbing(title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a query which asks for too much cannot hide behind a good guess."""
    monkeypatch.setattr(predicates, "climb", lambda terms, space, state: state)
    monkeypatch.setattr(predicates, "starts", lambda terms, space: [((0,) * len(space.cells),)])
    conditions = SETS[title]
    kinds = [[True] * len(conditions), [n % 2 == 0 for n in range(len(conditions))]]
    check(conditions, kinds)


def random_condition(coins: random.Random, depth: int = 2) -> Expression:
    """A condition over three columns, all of it within what is exact."""
    if depth and coins.random() < 0.6:
        inner = [random_condition(coins, depth - 1) for _ in range(2)]
        return coins.choice([both(*inner), either(*inner), Not(inner[0]), IsNull(inner[0])])
    op = coins.choice(["=", "<>", "<", "<=", ">", ">="])
    return coins.choice(
        [
            cmp(i, op, coins.randint(0, 5)),
            cmp(i, op, coins.randint(0, 5) + 0.5),
            cmp(i, op, j),
            cmp(clamp(i, 1, 4), op, coins.randint(0, 5)),
            cmp(instead(within(j, 1, 4), 2), op, coins.randint(0, 5)),
            among(j, *coins.sample(range(6), 3)),
            among(colour, *coins.sample(["orange", "blue", "black"], 2)),
            cmp(colour, coins.choice(["=", "<>"]), coins.choice(["orange", "blue"])),
            IsNull(coins.choice([i, j, colour])),
        ]
    )


@pytest.mark.parametrize("seed", range(40))
def test_a_random_set_is_exact(seed: int) -> None:
    coins = random.Random(seed)
    conditions = [random_condition(coins) for _ in range(coins.randint(2, 6))]
    where = random_condition(coins) if coins.random() < 0.3 else None
    check(conditions, [[coins.random() < 0.5 for _ in conditions]], where)


# ---------------------------------------------------------------------------- Hypothesis

OPS = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
CONSTANTS = {
    "i": st.integers(0, 5) | st.sampled_from([0.5, 2.0, 3.5, float(2**53), 2**53, 2**63 - 1]),
    "f": st.sampled_from([0.0, 1.5, 2.0, 4.5, 3, UP]),
    "day": st.sampled_from([DAY, DAY + datetime.timedelta(days=1)]),
}
TEXTS = st.sampled_from(["orange", "blue", "black"])
INTERVALS = {
    "i": st.tuples(st.integers(0, 2), st.integers(3, 5)),
    "f": st.sampled_from([(0.0, 1.5), (1.5, 4.5)]),
    "day": st.just((DAY, DAY)),
}


@st.composite
def atoms(draw: st.DrawFn) -> Expression:
    column = draw(st.sampled_from(["i", "f", "day", "colour", "flag"]))
    operand: Expression = COLUMNS[column]
    if column == "flag":
        return draw(st.sampled_from([flag, IsNull(flag), instead(flag, False)]))
    if column == "colour":
        return among(operand, *draw(st.sets(TEXTS, min_size=1)))
    for _ in range(draw(st.integers(0, 2))):
        low, high = draw(INTERVALS[column])
        wraps = [within(operand, low, high), instead(operand, low)]
        operand = draw(st.sampled_from([*wraps, clamp(operand, low, high)] if column != "day" else wraps))
    return draw(st.sampled_from([IsNull(operand), cmp(operand, draw(OPS), draw(CONSTANTS[column]))]))


CONDITIONS = st.recursive(
    atoms(),
    lambda inner: (
        st.builds(both, inner, inner)
        | st.builds(either, inner, inner)
        | st.builds(Not, inner)
        | st.builds(IsNull, inner)
        | st.builds(lambda a, b, c: Case(((a, b),), c, Type.BOOLEAN), inner, inner, st.none() | inner)
    ),
    max_leaves=3,
)
PARTS = st.lists(st.builds(StatisticTerm, st.none() | CONDITIONS, st.booleans()), min_size=1, max_size=4)
SMALL = {
    **VALUES,
    "i": [None, *range(-1, 7), 2**53, 2**53 + 1, 2**63 - 1],
    "f": [None, -1.0, 0.0, 1.0, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 4.5, 5.0, UP],
    "day": [None, *(DAY + datetime.timedelta(days=n) for n in range(-1, 3))],
    "colour": [None, "orange", "blue", "black", "not listed"],
}


@settings(max_examples=120)
@given(PARTS, st.none() | CONDITIONS, st.sampled_from(Relation), st.booleans())
def test_no_set_moves_more_than_claimed_and_some_record_moves_as_much(
    parts: list[StatisticTerm], where: Expression | None, relation: Relation, may_be_absent: bool
) -> None:
    answer = joint(parts, relation, where=where, may_be_absent=may_be_absent)
    truth = most_of(reached(parts, SMALL, where), parts, relation, may_be_absent=may_be_absent)
    assert answer.proved
    assert answer.max_affected == truth if exact(parts, where) else answer.max_affected >= truth
    check_witness(answer, parts, relation, where)


# ---------------------------------------------------------------------------- free where it must be

doubled = Arithmetic("*", f, constant(2.0), Type.FLOAT)
FREE: list[list[Expression]] = [
    [cmp(doubled, ">", 9.0), heavy, Not(heavy)],
    [cmp(doubled, ">", 9.0), cmp(doubled, "<", 1.0), cmp(f, "<", 2.0)],
    [
        cmp(Arithmetic("/", f, g, Type.FLOAT), "=", 1.0),
        cmp(f, "=", g),
        IsNull(Arithmetic("/", f, g, Type.FLOAT)),
    ],
    [cmp(colour, "<", "c"), orange, blue, cmp(colour, ">=", "c")],
    [Like(name, "T%"), Not(Like(name, "T%")), cmp(name, "=", "Tom"), Like(name, "_om")],
    [cmp(Absolute(i, Type.INTEGER), "=", 3), cmp(i, "=", 3), cmp(i, "=", -3)],
    [cmp(i, "<", f), cmp(i, ">", f), cmp(i, "=", 3), cmp(f, "=", 3.0)],
    [cmp(colour, "=", name), orange, cmp(name, "=", "Tom")],
    [cmp(DatePart("month", day, Type.INTEGER), "=", month) for month in (1, 2, 3)],
    [cmp(flag, "<", True), flag, Not(flag)],
    [cmp(Clamp(i, constant(5), constant(5), Type.INTEGER), "=", 5), cmp(i, "=", 4), IsNull(i)],
]


@pytest.mark.parametrize("conditions", FREE, ids=lambda conditions: type(conditions[0]).__name__)
def test_what_is_left_free_is_never_too_small(conditions: list[Expression]) -> None:
    for where in WHERES:
        check(conditions, [[True] * len(conditions), [False] * len(conditions)], where)


def test_a_free_expression_has_one_value_at_a_time() -> None:
    months = [cmp(DatePart("month", day, Type.INTEGER), "=", month) for month in (1, 2, 3)]
    assert most(counts(*months), ADD_REMOVE) == 1
    assert most(counts(*months), REPLACE_ONE) == 2
    tom = Like(name, "T%")
    assert most(counts(tom, Not(tom), IsNull(tom)), ADD_REMOVE) == 1


def test_a_free_expression_is_independent_of_its_columns_and_has_no_witness() -> None:
    answer = joint(counts(cmp(doubled, ">", 9.0), cmp(f, "<", 2.0)), ADD_REMOVE, may_be_absent=False)
    assert (answer.max_affected, answer.witness) == (2, None)
    assert "unconstrained" in answer.because


def test_constants_that_mean_nothing_certain_are_free() -> None:
    zoned = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
    for column, value in [(i, 2**63), (f, math.nan), (moment, zoned), (f, 2**70)]:
        unsure = [cmp(column, op, value) for op in ("<", "=", ">")]
        assert most(counts(*unsure), ADD_REMOVE) == 3


def test_a_clamp_with_crossed_ends_is_free() -> None:
    crossed = Clamp(i, constant(5), constant(1), Type.INTEGER)
    assert most(counts(cmp(crossed, "=", 1), cmp(i, "=", 9)), ADD_REMOVE) == 2


def test_a_question_too_large_to_look_into_is_still_never_too_small() -> None:
    nested: Expression = cmp(i, ">", 0)
    for n in range(1, 40):  # each CASE is read for TRUE and for not TRUE: 2**40 nodes if all were looked into
        nested = Case(((nested, cmp(i, ">", n)),), flag, Type.BOOLEAN)
    parts = counts(nested, Not(nested), cmp(i, ">", 2))
    answer = joint(parts, ADD_REMOVE, may_be_absent=False)
    assert answer.max_affected >= max(map(sum, reached(parts, VALUES)))


# ---------------------------------------------------------------------------- multiplicities and closed forms


def test_equal_parts_are_one_part_with_a_weight() -> None:
    parts = counts(orange, orange, orange, blue, heavy, heavy)
    assert most(parts, ADD_REMOVE) == 3 + 2
    assert most(parts, REPLACE_ONE) == 3 + 1 + 2
    assert most(sums(orange, orange, blue) + counts(orange), REPLACE_ONE) == 4


def test_a_count_and_a_sum_of_the_same_rows_are_two_parts() -> None:
    parts = counts(orange) + sums(orange) + counts(blue) + sums(blue)
    assert most(parts, ADD_REMOVE) == 2
    assert most(parts, REPLACE_ONE) == 4


@pytest.mark.parametrize("may_be_absent", [False, True])
@pytest.mark.parametrize("where", [None, heavy])
@pytest.mark.parametrize("relation", Relation)
def test_closed_forms_agree_with_brute_force(
    relation: Relation, where: Expression | None, may_be_absent: bool
) -> None:
    for conditions in ([None], [orange], [None, orange], [orange, orange], [None, None, orange]):
        for kinds in itertools.product((False, True), repeat=len(conditions)):
            parts = list(map(StatisticTerm, conditions, kinds))
            answer = joint(parts, relation, where=where, may_be_absent=may_be_absent)
            assert answer.proved
            assert answer.max_affected == most_of(
                reached(parts, VALUES, where), parts, relation, may_be_absent=may_be_absent
            )


def test_no_parts_move_nothing() -> None:
    for relation in Relation:
        assert most([], relation, where=heavy) == 0


def test_the_answer_of_the_whole_table_cannot_change_by_replacing_a_row() -> None:
    assert most(counts(None), REPLACE_ONE) == 0
    assert most(counts(None), REPLACE_ONE, may_be_absent=True) == 1
    assert most(sums(None), REPLACE_ONE) == 1


def test_effort_must_be_a_limit() -> None:
    for effort in (0, -1, 2**32):  # z3 takes 0 for no limit at all
        with pytest.raises(ValueError, match="effort"):
            joint(counts(orange, blue), ADD_REMOVE, may_be_absent=False, effort=effort)


# ---------------------------------------------------------------------------- weights and amounts


def heaviest_by_force(
    moved: set[tuple[bool, ...]], parts: list[StatisticTerm], relation: Relation, *, may_be_absent: bool
) -> int:
    """The most weight that a record moves, or in which two differ, over records that move these parts."""
    if relation is ADD_REMOVE:
        return max(sum(part.weight for part, moves in zip(parts, row, strict=True) if moves) for row in moved)
    rows = moved | {(False,) * len(parts)} if may_be_absent else moved
    return max(
        sum(
            part.weight
            for a, b, part in zip(moves, other, parts, strict=True)
            if (a != b if part.counts else a or b)
        )
        for moves in rows
        for other in rows
    )


@pytest.mark.parametrize("title", SETS)
def test_a_set_with_weights_is_exact(title: str) -> None:
    """As SUM … FILTER has: each part counts for what it may add."""
    coins = random.Random(title)
    conditions = SETS[title]
    moved = reached(counts(*conditions), VALUES)
    parts = [StatisticTerm(c, coins.random() < 0.5, coins.choice([1, 2, 3, 7, 20, 1000])) for c in conditions]
    for relation in Relation:
        may_be_absent = coins.random() < 0.5
        answer = joint(parts, relation, may_be_absent=may_be_absent)
        truth = heaviest_by_force(moved, parts, relation, may_be_absent=may_be_absent)
        assert answer.proved
        assert answer.max_affected == truth if exact(parts, None) else answer.max_affected >= truth


@settings(max_examples=60)
@given(PARTS, st.lists(st.fractions(0, 50).filter(bool), min_size=4, max_size=4), st.sampled_from(Relation))
def test_amounts_of_any_size_are_never_too_small_and_exact_where_conditions_are(
    parts: list[StatisticTerm], amounts: list[Fraction], relation: Relation
) -> None:
    amounts = amounts[: len(parts)]
    bound = max_amount(parts, amounts, relation, may_be_absent=False)
    scale = math.lcm(*(amount.denominator for amount in amounts))
    weighted = [
        StatisticTerm(part.predicate, part.counts, int(amount * scale))
        for part, amount in zip(parts, amounts, strict=True)
    ]
    truth = Fraction(heaviest_by_force(reached(parts, SMALL), weighted, relation, may_be_absent=False), scale)
    assert truth <= bound
    rounded = sum(amounts) * scale > 2**30
    if exact(parts, None):
        assert bound == truth or (rounded and bound - truth <= len(parts) * max(amounts) / 2**20)


def test_amounts_without_a_common_unit_are_rounded_up() -> None:
    amounts = [Fraction(1, 3**20), Fraction(1, 7**15), Fraction(10**6)]
    bound = max_amount(counts(orange, blue, heavy), amounts, ADD_REMOVE, may_be_absent=False)
    assert 0 < bound - (amounts[2] + amounts[0]) <= 2 * amounts[2] / 2**20


def test_amounts_say_the_l1_and_the_squares_of_a_vector() -> None:
    """An orange cat adds up to 10 and to 1, a blue one up to 4, and a heavy one up to 3 besides."""
    parts, bounds = sums(orange, orange, blue, heavy), [10, 1, 4, 3]
    l1 = max_amount(parts, list(map(Fraction, bounds)), ADD_REMOVE, may_be_absent=False)
    squares = max_amount(parts, [Fraction(b * b) for b in bounds], ADD_REMOVE, may_be_absent=False)
    assert (l1, squares) == (14, 110)
    replaced = max_amount(parts, list(map(Fraction, bounds)), REPLACE_ONE, may_be_absent=False)
    assert replaced == 18


def test_facts_of_several_sums_take_what_one_row_moves_together() -> None:
    """Of SUM … FILTER with bounds of 10 and 4 on colours that exclude each other, and 3 on what goes with both."""
    unit = Scan("cats", "cats", 1, Unit(), ADD_REMOVE, None)
    weighted = [
        sum_statistic(clamp(f, 0.0, float(bound)), condition, centred=False)
        for bound, condition in ((10, orange), (4, blue), (3, heavy))
    ]
    facts = group_facts(Group(unit, (), tuple(weighted)))
    steps = [statistic.grid.step for statistic in weighted if statistic.grid is not None]
    own = [fact.sensitivity.times(step) for fact, step in zip(facts.statistics, steps, strict=True)]
    assert [s.l1 for s in own] == [10, 4, 3]
    whole = facts.together(own)
    assert (whole.l1, whole.l2_squared, whole.linf) == (13, 109, 10)
    swapped = facts.together([own[1], own[1], own[0]])  # two of 4, and 10 beside either
    assert swapped.l1 == 14


def test_weights_that_the_solver_cannot_add_are_refused() -> None:
    for weight in (0, -1, 2**30):
        with pytest.raises(ValueError, match="weights"):
            joint(
                [StatisticTerm(orange, True, weight), StatisticTerm(blue, True)],
                ADD_REMOVE,
                may_be_absent=False,
            )


def test_a_planted_pair_is_found_among_many_ranges() -> None:
    """Ranges that touch nowhere, and then two that overlap in one point, and one that nothing satisfies."""
    apart = [between(i, 10 * n, 10 * n + 8) for n in range(60)]
    assert most(counts(*apart), ADD_REMOVE) == 1
    assert most(counts(*apart, between(i, 308, 309)), ADD_REMOVE) == 2
    answer = joint(counts(*apart, between(i, 308, 309)), ADD_REMOVE, may_be_absent=False)
    assert answer.witness == {"i": 308}
    assert most(counts(*apart, both(cmp(i, ">", 5), cmp(i, "<", 4))), ADD_REMOVE) == 1


# ---------------------------------------------------------------------------- many ranges

Box = tuple[int, int, int, int]
"""Columns x and y, a and b: a ≤ x < a + 20 and y < b + 20."""


def random_boxes(count: int, seed: int, step: int) -> list[Box]:
    coins = random.Random(seed)
    boxes = []
    for _ in range(count):
        x, y = coins.sample(range(5), 2)
        boxes.append((x, y, step * coins.randint(0, 80 // step), step * coins.randint(0, 80 // step)))
    return boxes


def ranges(boxes: list[Box]) -> list[StatisticTerm]:
    xs = [Column(f"x{n}", Type.FLOAT) for n in range(5)]
    return counts(
        *(
            both(cmp(xs[x], ">=", float(a)), cmp(xs[x], "<", a + 20.0), cmp(xs[y], "<", b + 20.0))
            for x, y, a, b in boxes
        )
    )


def most_by_counting_every_cell(boxes: list[Box], step: int) -> int:
    """Add 1 to all cells of a five-dimensional grid that lie in a box; the lowest row is everything below 0."""
    size = 2 + 100 // step
    grid = np.zeros((size,) * 5, np.int16)
    for x, y, a, b in boxes:
        inside = [slice(None)] * 5
        inside[x], inside[y] = slice(1 + a // step, 1 + (a + 20) // step), slice(0, 1 + (b + 20) // step)
        grid[tuple(inside)] += 1
    return int(grid.max())


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_two_hundred_ranges_are_exact(seed: int) -> None:
    boxes = random_boxes(200, seed, step=5)
    parts = ranges(boxes)
    before = time.process_time()
    answer = joint(parts, ADD_REMOVE, may_be_absent=False)
    assert time.process_time() - before < 15, "about 0.5 s on an idle machine"
    assert answer.proved
    assert answer.max_affected == most_by_counting_every_cell(boxes, step=5)
    check_witness(answer, parts, ADD_REMOVE, None)


def test_a_hundred_ranges_are_proved_under_replace_one() -> None:
    parts = ranges(random_boxes(100, seed=1, step=1))
    alone, pair = (joint(parts, relation, may_be_absent=False) for relation in Relation)
    assert pair.proved
    assert alone.max_affected < pair.max_affected <= 2 * alone.max_affected
    check_witness(pair, parts, REPLACE_ONE, None)


# ---------------------------------------------------------------------------- when the solver does not know


def test_on_unknown_the_sum_is_taken() -> None:
    parts = ranges(random_boxes(60, seed=4, step=1))
    truth = most(parts, ADD_REMOVE)
    for relation in Relation:
        answer = joint(parts, relation, may_be_absent=False, effort=1)
        assert (answer.max_affected, answer.proved, answer.witness) == (60, False, None)
        assert (
            answer.max_affected > 2 * truth
        )  # so whatever the solver had reached by then would have been too small
        assert "could not prove" in answer.because


def test_unknown_about_two_records_takes_twice_what_is_proved_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = ranges(random_boxes(60, seed=4, step=1))
    alone = most(parts, ADD_REMOVE)
    ask = predicates._better

    def forgetful(terms, space, records, worth, effort):
        return ask(terms, space, records, worth, effort if records == 1 else 1)

    monkeypatch.setattr(predicates, "_better", forgetful)
    answer = joint(parts, REPLACE_ONE, may_be_absent=False)
    assert (answer.max_affected, answer.proved) == (min(60, 2 * alone), False)


def test_what_is_left_of_the_effort_limits_the_next_query(monkeypatch: pytest.MonkeyPatch) -> None:
    efforts = []
    ask = predicates._better

    def watched(terms, space, records, worth, effort):
        efforts.append(effort)
        return ask(terms, space, records, worth, effort)

    monkeypatch.setattr(predicates, "_better", watched)
    monkeypatch.setattr(predicates, "climb", lambda terms, space, state: state)
    answer = joint(ranges(random_boxes(30, seed=5, step=1)), ADD_REMOVE, may_be_absent=False, effort=10**6)
    assert answer.proved
    assert len(efforts) > 1
    assert efforts == sorted(efforts, reverse=True) and len(set(efforts)) == len(efforts)


def test_groups_that_are_not_exclusive_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predicates, "_exclusive", lambda terms, space: [list(range(len(terms)))])
    monkeypatch.setattr(predicates, "climb", lambda terms, space, state: state)
    with pytest.raises(predicates.Bug):
        for _ in range(3):
            joint(counts(heavy, cmp(i, ">", 2), both(orange, blue)), ADD_REMOVE, may_be_absent=False)


# ---------------------------------------------------------------------------- the same everywhere

PROGRAM = """
import sys
from lapcat.plan.schema import Relation
from tests.unit.test_predicates import *

{body}
"""


def run(body: str, hash_seed: int = 0) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    command = [sys.executable, "-c", PROGRAM.format(body=body)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def test_two_processes_agree_in_every_detail() -> None:
    body = """
ask = predicates._better
def watched(*query):
    answer = ask(*query)
    print(answer)
    return answer
predicates._better = watched
for relation in Relation:
    print(joint(ranges(random_boxes(40, seed=6, step=1)), relation, may_be_absent=True))
"""
    assert run(body, hash_seed=1) == run(body, hash_seed=2)


def test_earlier_questions_change_nothing() -> None:
    parts = ranges(random_boxes(40, seed=6, step=1))
    before = joint(parts, REPLACE_ONE, may_be_absent=False)
    joint(ranges(random_boxes(50, seed=7, step=1)), ADD_REMOVE, may_be_absent=False)
    assert joint(parts, REPLACE_ONE, may_be_absent=False) == before


def test_the_solver_is_not_loaded_for_what_needs_no_proof() -> None:
    body = """
for relation in Relation:
    joint([], relation, may_be_absent=False)
    joint(counts(None, orange, orange), relation, may_be_absent=True)
    joint(counts(None) + sums(None), relation, where=heavy, may_be_absent=False)
joint(counts(orange, blue), Relation.ADD_REMOVE, may_be_absent=False)
print("z3" in sys.modules)
joint(ranges(random_boxes(40, seed=6, step=1)), Relation.ADD_REMOVE, may_be_absent=True)
print("z3" in sys.modules)
"""
    assert run(body).split() == ["False", "True"]
