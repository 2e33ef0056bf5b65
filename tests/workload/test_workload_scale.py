"""Large workloads are planned and answered in seconds, and in little memory."""

from __future__ import annotations

import time
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

from lapcat.core.loss import ZCDP, PureDP
from lapcat.testing.coins import SeededCoins
from lapcat.workload.planner import PricedStrategy, candidates
from lapcat.workload.strategy import split
from lapcat.workload.workload import AxisWorkload, Workload
from tests.workload.support import one_row, over

BUDGETS = [PureDP(Fraction(1)), ZCDP(Fraction(1, 2))]


def million_ranges() -> AxisWorkload:
    pairs = np.sort(np.random.default_rng(3).integers(0, 2**16, (10**6, 2)), axis=1)
    return over(Workload.ranges("x", [tuple(pair) for pair in pairs.tolist()]), 2**16)


def three_ways() -> AxisWorkload:
    return over(Workload.marginals([f"c{i}" for i in range(15)], ways=3), *[10] * 15)


def looked(best: PricedStrategy) -> np.ndarray:
    """Counts of rows that are all alike: what is counted does not matter to time or memory."""
    cells = sum(int(np.prod([best.questions.shape[i] for i in axes])) for axes in best.strategy.sets)
    return np.zeros(cells, np.int64)


@pytest.mark.slow
@pytest.mark.parametrize("budget", BUDGETS, ids=["laplace", "gaussian"])
@pytest.mark.parametrize("asked", [million_ranges, three_ways])
def test_large_workloads_take_seconds(asked: object, budget: PureDP | ZCDP) -> None:
    """CPU time: what a wall clock says depends on who else is there. Memory: of all arrays, traced."""
    tracemalloc.start()
    before = time.process_time()
    best = candidates(asked(), budget, one_row)[0]  # type: ignore[operator]
    noisy = split(best.strategy, best.measured.draw(looked(best), SeededCoins(1)))
    answers = best.strategy.answers(best.questions, noisy, best.noise)
    margins = best.margins(Fraction(95, 100))
    took, peak = time.process_time() - before, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(answers) == len(margins) == best.questions.rows
    assert took < 30 and peak < 2 * 2**30
    off = np.sqrt(np.mean(answers**2))
    assert 0.5 * best.expected_rmse < off < 2 * best.expected_rmse
