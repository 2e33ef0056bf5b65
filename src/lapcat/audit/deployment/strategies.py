"""The sensitivity of strategies: of every strategy considered for a question, not only the selected one.

A strategy measures A x instead of the counts x. For each group that a row can be in, A is applied to that row alone, by the
code that applies it to counts; the privacy loss between these answers, summed over the strategy's parts, must not exceed the
price that the noise was calibrated for. Under replace-one, for every two groups, between the row in one and in the other.
All groups are tried, so for one row this is a proof. A unit that changes the counts by k is treated as k times that row, the
worst case that the theorem of workload/linear.py allows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapcat.audit.deployment.asking import program_at
from lapcat.audit.deployment.check import PROVED, Check
from lapcat.audit.deployment.copies import copied
from lapcat.audit.deployment.fixtures import Family, neighbours_of
from lapcat.audit.deployment.integers import in_norm
from lapcat.audit.deployment.questions import sums_of
from lapcat.core.loss import ZCDP
from lapcat.core.mechanisms.base import StatisticMechanism
from lapcat.core.sensitivity import Sensitivity
from lapcat.workload.planner import PricedStrategy, starts
from lapcat.workload.release import range_of
from lapcat.workload.strategic import strategy_in
from lapcat.workload.workload_query import WorkloadQuery

Columns = NDArray[Any]
MAX_GROUPS = 128
"""Strategies of questions with more groups are skipped: all pairs of groups are tried."""
FEW_GROUPS = 24
"""K-norm noise is checked for this many groups, at the cost of a linear program each."""
PRICE = Fraction(1)
"""The price of the candidates of `WorkloadQuery.tried`."""


def strategies(family: Family, folder: Path) -> Iterator[Check]:
    """Every strategy of every workload among the questions, once."""
    copy = copied(family, neighbours_of(family)[0].here, folder)
    seen: set[object] = set()
    try:
        for asked in sums_of(family, 0):
            program = program_at(copy, asked.text, PRICE)
            strategy = strategy_in(program)
            if strategy is None:
                continue
            query = strategy.workload_query
            if math.prod(query.questions.shape) > MAX_GROUPS:
                continue
            for candidate in [*query.tried("laplace"), *query.tried("gaussian")]:
                identity = query.questions.shape, candidate.kind, candidate.strategy.labels
                if identity in seen:
                    continue
                seen.add(identity)
                yield Check(
                    "strategies",
                    asked.aggregate,
                    f"strategy {candidate.name}",
                    copy.engine,
                    PROVED,
                    asked.text,
                    moved_too_far(query, candidate),
                )
    finally:
        copy.remove()


def moved_too_far(query: WorkloadQuery, candidate: PricedStrategy) -> str:
    """The problem if a strategy's noise does not cover one unit; empty if it does."""
    shape, reach = query.questions.shape, range_of(query.cells.plan)
    tables = starts(candidate.strategy, query.questions)
    losses: dict[tuple[int, ...], Fraction] = {}
    for (linear, noise), claimed in zip(candidate.measured.parts, candidate.moved, strict=True):
        moved = reach(tables[linear.start])
        rows = moved.cells.l1 / 2 if moved.replaced else moved.cells.l1
        columns = _columns(linear, shape, tables)
        ways = combinations(range(len(columns)), 2 if moved.replaced else 1)
        for groups in ways:
            apart = columns[groups[0]] - (columns[groups[1]] if moved.replaced else 0)
            l1, l2_squared = int(abs(apart).sum()) * rows, int((apart * apart).sum()) * rows * rows
            if linear.is_identity:  # the counts themselves: `integers` checks their joint sensitivity
                l2_squared = claimed.l2_squared
            if l1 > claimed.l1 or l2_squared > claimed.l2_squared:
                return (
                    f"a part changes by {float(l1):.9g} (squared {float(l2_squared):.9g}), more than claimed"
                )
            if isinstance(noise, StatisticMechanism):
                moves = Sensitivity.of([Fraction(int(x)) * rows for x in apart])
                own = noise.privacy(replace(moves, l2_squared=Fraction(l2_squared)))
                loss = own.rho if isinstance(own, ZCDP) else own.epsilon
            elif groups[-1] < FEW_GROUPS:
                within = in_norm(noise, [int(x) * math.floor(rows) for x in apart])
                loss = PRICE + 1 if within is None else within
            else:
                loss = Fraction(0)
            losses[groups] = losses.get(groups, Fraction(0)) + loss
    loss = max(losses.values())
    return (
        f"a unit's rows in one group: a privacy loss of {float(loss):.9g} for a price of 1"
        if loss > PRICE
        else ""
    )


def _columns(linear: Any, shape: tuple[int, ...], tables: dict[int, tuple[int, ...]]) -> Columns:
    """The measurements of one row, for each group of all columns together."""
    axes = tables[linear.start]
    sizes = [shape[axis] for axis in axes]
    cells = linear.start + math.prod(sizes)
    places = np.indices(shape).reshape(len(shape), -1)
    columns = []
    for place in places.T:
        row = np.zeros(cells, np.int64)
        row[
            linear.start + int(np.ravel_multi_index([place[axis] for axis in axes], sizes)) if sizes else -1
        ] = 1
        columns.append(linear.applied(row))
    return np.array(columns, object)
