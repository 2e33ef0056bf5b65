"""Questions that are workloads: their numbers are sums of one table of counts, and one unit moves what a strategy measures
of it no further than claimed. Over the same hostile tables as all other questions."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neighbour_kit import TABLES, looked, pair_of, prepared

from lapcat.core.loss import ZCDP, PureDP
from lapcat.core.mechanisms.gaussian import Gaussian
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.plan.aggregates.running import RunningCount
from lapcat.plan.columns import ValueColumn
from lapcat.workload.planner import PricedStrategy, candidates
from lapcat.workload.release import PricedWorkload, range_of
from lapcat.workload.strategy import measure
from lapcat.workload.workload_query import WorkloadQuery, workload_query

RELAXED = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

GROUPS = [
    "ROLLUP (k, f)",
    "CUBE (k, z)",
    "ROLLUP (z, k, f)",
    "GROUPING SETS ((k), (o))",
    "GROUPING SETS ((z, k), (k), ())",
    "GROUPING SETS ((z), (k, z))",
    "CUBE (o)",
]
ENDS = {
    "x": ["-3.5", "0", "4.5", "10.3", "1e-9", "-1e308"],
    "a": ["0", "7", "40", "-1", "2.5"],
    "raw": ["-0.0", "1.5", "9.7", "1e308"],
    "d": ["DATE '2024-01-01'", "DATE '2024-02-29'", "DATE '2023-12-31'"],
}


def groups_question(table: str, dice: Random) -> str:
    where = dice.choice(["", " WHERE a > 3", " WHERE f"])
    counted = dice.choice(["*", "x"])
    sets = dice.choice(GROUPS)
    shown = ", ".join(name for name in "kfzo" if name in sets.partition(" ")[2].replace("ROLLUP", ""))
    return f"SELECT {shown}, COUNT({counted}) AS n FROM {table}{where} GROUP BY {sets}"


def running_question(table: str, dice: Random) -> str:
    also = dice.choice(["", "COUNT(*) AS n, "])
    if dice.random() < 0.5:
        return f"SELECT z, {also}SUM(COUNT(*)) OVER (ORDER BY z) AS r FROM {table} GROUP BY z"
    part = "SUM(COUNT(*)) OVER (PARTITION BY k ORDER BY z) AS r"
    return f"SELECT z, k, {also}{part} FROM {table} GROUP BY z, k"


def ranges_question(table: str, dice: Random) -> str:
    column = dice.choice(list(ENDS))

    def condition() -> str:
        low, high = dice.choice(ENDS[column]), dice.choice(ENDS[column])
        return dice.choice(
            [
                f"{column} BETWEEN {low} AND {high}",
                f"{column} < {high}",
                f"{column} >= {low}",
                f"{column} <= {low} OR {column} > {high}",
                f"{column} IS NULL",
                f"NOT ({column} > {low})",
                f"{column} IN ({low}, {high})",
            ]
        )

    filters = [f"COUNT(*) FILTER (WHERE {condition()}) AS n{i}" for i in range(dice.randint(2, 6))]
    whole = dice.choice(["", ", COUNT(*) AS everybody"])
    return f"SELECT {', '.join(filters)}{whole} FROM {table}"


KINDS = {"groups": groups_question, "running": running_question, "ranges": ranges_question}


def each_number(question_text: str, workload: WorkloadQuery, rows: list[dict[str, object]]) -> None:
    """The exact numbers of the question are the answers of the workload over the exact cells."""
    question = prepared(question_text)
    cells = looked(question.plan, rows)
    table = looked(workload.cells.plan, rows)[0]
    answers = workload.questions.answers(table)
    for (aggregate, argument), places in workload.places.items():
        column = ValueColumn("", aggregate, argument)
        own = cells[question.plan.statistics.index(column.readings[0].statistic)]
        if isinstance(aggregate, RunningCount):
            own = aggregate.window.totals(own)
        assert answers[places].tolist() == own.tolist(), (question_text, column.readings[0].label)


def moved(candidate: PricedStrategy, workload: WorkloadQuery, pair: tuple[list, list]) -> Fraction:
    """How much the parts are moved, as a share of what was paid for each; at most 1, and no part further than it says."""
    plan = PricedWorkload(workload.workload, workload.cells, candidate).plan
    here, there = (measure(candidate.strategy, looked(plan, rows)[0]) for rows in pair)
    loss = Fraction(0)
    for left, other, own, (_, noise) in zip(
        here, there, candidate.moved, candidate.measured.parts, strict=True
    ):
        apart = [abs(int(a) - int(b)) for a, b in zip(left, other, strict=True)]
        assert sum(apart) <= own.l1 and max(apart, default=0) <= own.linf, candidate.name
        assert sum(a * a for a in apart) <= own.l2_squared, candidate.name
        if isinstance(noise, Laplace):
            loss += sum(apart) / noise.scale
        elif isinstance(noise, Gaussian):
            loss += sum(a * a for a in apart) / (2 * noise.sigma_squared)
        else:
            move = [Fraction(int(a) - int(b)) for a, b in zip(left, other, strict=True)]
            inside = move if noise.lattice is None else noise.lattice.coordinates(move)
            scale = math.lcm(*(part.denominator for part in inside))
            whole = tuple(int(part * scale) for part in inside)
            loss += noise.epsilon * noise.norm.of(whole) / scale
    return loss


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=12, suppress_health_check=RELAXED, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_what_a_strategy_measures_moves_no_further_than_claimed(table: str, kind: str, seed: int) -> None:
    text = KINDS[kind](table, Random(seed))
    workload = workload_query(prepared(text))
    if workload is None:
        assert kind == "ranges", text
        return
    pair = pair_of(table, seed)
    for rows in (pair.here, pair.there):
        each_number(text, workload, rows)
    for budget in (PureDP(Fraction(1)), ZCDP(Fraction(1, 2))):
        limit = budget.epsilon if isinstance(budget, PureDP) else budget.rho
        for candidate in candidates(workload.questions, budget, range_of(workload.cells.plan)):
            assert moved(candidate, workload, (pair.here, pair.there)) <= limit, (text, candidate.name)


@pytest.mark.parametrize("table", TABLES)
def test_the_claim_is_reached_by_some_pair(table: str) -> None:
    """A sensitivity that is never reached would hide one that is too small."""
    text = f"SELECT k, f, COUNT(*) AS n FROM {table} GROUP BY ROLLUP (k, f)"
    workload = workload_query(prepared(text))
    assert workload is not None
    (identity,) = [
        c
        for c in candidates(workload.questions, PureDP(Fraction(1)), range_of(workload.cells.plan))
        if c.name == "identity"
    ]
    reached = max(
        moved(identity, workload, (pair.here, pair.there))
        for pair in (pair_of(table, seed) for seed in range(60))
    )
    assert reached >= Fraction(3, 4)


def test_numbers_that_are_public_have_no_place() -> None:
    workload = workload_query(
        prepared(
            "SELECT COUNT(*) AS n, COUNT(*) FILTER (WHERE a > 3) AS m, COUNT(*) FILTER (WHERE a > 9) AS o FROM rows_replaced"
        )
    )
    assert workload is not None
    assert len(workload.places) == 2
    assert np.concatenate(list(workload.places.values())).tolist() == [0, 1]
