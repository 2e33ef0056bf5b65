"""How far a row moves what strategies measure: of every strategy that was tried for a question, not only of the one that won.

A strategy measures A x in place of the counts x. For each group that a row can be in, A is applied to that row alone, by the
code that applies it to counts; the loss of the noise between these answers, summed over the strategy's parts, must not exceed
the price at which the noise was chosen. Under replace-one, for every two groups, between the row in one and in the other.
All groups are tried, so for one row this is a proof. A unit that moves the counts by k is taken for k times that row, which is
the farthest that the theorem of core/linear.py allows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
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
from lapcat.core.mechanisms.gaussian import Gaussian
from lapcat.core.mechanisms.knorm import KNorm
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.workload.planner import PricedStrategy, starts
from lapcat.workload.release import range_of
from lapcat.workload.strategic import Strategic
from lapcat.workload.workload_query import WorkloadQuery

Columns = NDArray[Any]
MOST_GROUPS = 128
"""Groups of a question whose strategies are tried: all pairs of them are."""
FEW_GROUPS = 24
"""Groups between which K-norm noise is held against its norm, which takes a linear program each."""
PRICE = Fraction(1)
"""At which `Posed.tried` prices its candidates."""


def strategies(family: Family, folder: Path) -> Iterator[Check]:
    """Every strategy for every workload among the questions, once."""
    copy = copied(family, neighbours_of(family)[0].here, folder)
    seen: set[object] = set()
    try:
        for asked in sums_of(family, 0):
            program = program_at(copy, asked.text, PRICE)
            if not isinstance(program, Strategic):
                continue
            query = program.of[0]
            if math.prod(query.questions.shape) > MOST_GROUPS:
                continue
            for candidate in [*query.tried("laplace"), *query.tried("gaussian")]:
                named = query.questions.shape, candidate.kind, candidate.strategy.labels
                if named in seen:
                    continue
                seen.add(named)
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
    """Why a strategy's noise does not cover one unit; empty where it does."""
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
            if linear.is_identity:  # the counts themselves: how far they move together, `integers` looks at
                l2_squared = claimed.l2_squared
            if l1 > claimed.l1 or l2_squared > claimed.l2_squared:
                return f"a part moves by {float(l1):.9g} (squared {float(l2_squared):.9g}), which is more than is claimed"
            match noise:
                case Laplace(scale):
                    loss = l1 / scale
                case Gaussian(sigma_squared):
                    loss = l2_squared / (2 * sigma_squared)
                case KNorm() if groups[-1] < FEW_GROUPS:
                    within = in_norm(noise, [int(x) * math.floor(rows) for x in apart])
                    loss = PRICE + 1 if within is None else within
                case _:
                    loss = Fraction(0)
            losses[groups] = losses.get(groups, Fraction(0)) + loss
    most = max(losses.values())
    return f"a unit's rows in one group: a loss of {float(most):.9g} for a price of 1" if most > PRICE else ""


def _columns(linear: Any, shape: tuple[int, ...], tables: dict[int, tuple[int, ...]]) -> Columns:
    """For each group of all columns together, what is measured of one row in it."""
    axes = tables[linear.start]
    sizes = [shape[axis] for axis in axes]
    cells = linear.start + math.prod(sizes)
    places = np.indices(shape).reshape(len(shape), -1)
    found = []
    for place in places.T:
        row = np.zeros(cells, np.int64)
        row[
            linear.start + int(np.ravel_multi_index([place[axis] for axis in axes], sizes)) if sizes else -1
        ] = 1
        found.append(linear.applied(row))
    return np.array(found, object)
