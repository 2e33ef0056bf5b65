"""Trying all records of a small space: the same number as brute force and as the solver, and a witness that reaches it."""

from __future__ import annotations

import random

import pytest

from lapcat.plan import predicates
from lapcat.plan.expressions import Column, Compare, Expression, Literal, Logic
from lapcat.plan.predicates import StatisticTerm, joint
from lapcat.plan.records import sweeping
from lapcat.plan.schema import Relation, Type

from .predicate_oracle import difference, moved_by

X, Y = Column("x", Type.FLOAT), Column("y", Type.FLOAT)


def at(value: float) -> Literal:
    return Literal(float(value), Type.FLOAT)


def between(column: Column, low: float, high: float) -> Expression:
    return Logic("and", (Compare(">=", column, at(low)), Compare("<", column, at(high))))


def some_ranges(many: int, seed: int, columns: tuple[Column, ...]) -> list[StatisticTerm]:
    coins = random.Random(seed)
    parts = []
    for _ in range(many):
        low = coins.randint(0, 20)
        predicate = between(coins.choice(columns), low, low + coins.randint(1, 9))
        parts.append(StatisticTerm(predicate, counts=coins.random() < 0.7, weight=coins.choice([1, 1, 2, 5])))
    return parts


def brute_force(parts: list[StatisticTerm], relation: Relation, columns: tuple[Column, ...]) -> int:
    """Over the middles of all unit steps, and NULL; nothing else can differ between whole ends."""
    values: list[object] = [None, *(n + 0.5 for n in range(-1, 31))]
    records: list[dict[str, object]] = [{}]
    for column in columns:
        records = [{**record, column.name: value} for record in records for value in values]
    moved = sorted({moved_by(record, parts, None) for record in records})
    if relation is Relation.ADD_REMOVE:
        return max(sum(p.weight for p, moves in zip(parts, m, strict=True) if moves) for m in moved)
    heaviest = 0
    for moves in moved:
        for other in moved:
            differ = (
                a != b if part.counts else a or b for part, a, b in zip(parts, moves, other, strict=True)
            )
            heaviest = max(heaviest, sum(p.weight for p, d in zip(parts, differ, strict=True) if d))
    return heaviest


@pytest.mark.patient
@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("columns", [(X,), (X, Y)], ids=["one column", "two columns"])
@pytest.mark.parametrize("seed", range(6))
def test_trying_all_records_gives_what_brute_force_and_the_solver_give(
    relation: Relation, columns: tuple[Column, ...], seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = some_ranges(9, seed, columns)
    with monkeypatch.context() as patched:
        patched.setattr(predicates, "_better", None)  # the solver is not asked
        swept = joint(parts, relation, may_be_absent=False)
    assert swept.proved and swept.max_affected == brute_force(parts, relation, columns)
    monkeypatch.setattr(predicates, "swept", lambda terms, space, records: None)
    assert joint(parts, relation, may_be_absent=False).max_affected == swept.max_affected


@pytest.mark.parametrize("relation", Relation)
def test_two_hundred_ranges_of_one_column_need_no_solver(
    relation: Relation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(predicates, "_better", None)
    coins = random.Random(1)
    lows = [coins.randint(0, 900) for _ in range(200)]
    parts = [StatisticTerm(between(X, low, low + coins.randint(1, 300)), counts=True) for low in lows]
    answer = joint(parts, relation, may_be_absent=False)
    assert answer.proved and answer.witness is not None
    if relation is Relation.REPLACE_ONE:
        first, other = (moved_by(answer.witness[side], parts, None) for side in ("one", "other"))  # type: ignore[arg-type]
        assert difference(first, other, parts) == answer.max_affected
    else:
        assert sum(moved_by(answer.witness, parts, None)) == answer.max_affected


def test_a_climb_that_stops_too_early_is_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predicates, "climb", lambda terms, space, state: state)
    parts = some_ranges(12, 3, (X,))
    assert joint(parts, Relation.ADD_REMOVE, may_be_absent=False).max_affected == brute_force(
        parts, Relation.ADD_REMOVE, (X,)
    )


def test_a_large_space_is_left_to_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeping, "MAX_RECORDS", 3)
    monkeypatch.setattr(sweeping, "MAX_TESTS", 3)
    asked = []
    honest = predicates._better

    def watched(*query: object) -> object:
        asked.append(query)
        return honest(*query)  # type: ignore[arg-type]

    monkeypatch.setattr(predicates, "_better", watched)
    parts = some_ranges(12, 3, (X,))
    answer = joint(parts, Relation.ADD_REMOVE, may_be_absent=False)
    assert asked and answer.max_affected == brute_force(parts, Relation.ADD_REMOVE, (X,))
