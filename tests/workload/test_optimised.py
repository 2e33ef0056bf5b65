"""Weights that are found by search: better than trees, and claimed as they were rounded."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import numpy as np
import pytest

from lapcat.errors import Bug
from lapcat.workload import search
from lapcat.workload.factors import AllRanges, Each, ExplicitQueries, Factor, PrefixSums, Ranges, Total
from lapcat.workload.legacy_labels import specification_of_labels
from lapcat.workload.linear import IntegerMap, Weighted
from lapcat.workload.optimised import Optimised, optimised
from lapcat.workload.planner import PricedStrategy, candidates, priced
from lapcat.workload.running import gram_of, total_variance_by, variances_by
from lapcat.workload.specification import specification_of, strategy_of
from lapcat.workload.workload import Workload
from tests.support import KERNELS
from tests.workload.support import FINE_EPSILON, FINE_RHO, one_row, over, written

SOME = Ranges(7, np.array([0, 2, 2, 5]), np.array([3, 7, 4, 6]))
FACTORS: list[Factor] = [
    AllRanges(6),
    PrefixSums(6),
    Each(5),
    Total(4),
    SOME,
    ExplicitQueries(np.array([[1, -2, 0], [0, 1, 1]])),
]


def found_for(workload: Workload, *sizes: int) -> dict[str, PricedStrategy]:
    strategies = candidates(over(workload, *sizes), FINE_EPSILON, one_row)
    return {strategy.name.partition(" ")[0]: strategy for strategy in reversed(strategies)}


@pytest.mark.parametrize("factor", FACTORS)
def test_squares_and_variances_of_questions_are_those_of_the_rows_written_out(factor: Factor) -> None:
    rows = factor.matrix()
    assert np.allclose(gram_of(factor), rows.T @ rows)
    half = np.random.default_rng(1).normal(size=(factor.size + 2, factor.size + 2))
    cells = half @ half.T
    below = np.tril(np.ones((factor.size + 3, factor.size + 2)), -1)
    totals = below @ cells @ below.T
    some = cells[: factor.size, : factor.size]
    assert np.allclose(variances_by(factor, totals), ((rows @ some) * rows).sum(axis=1))
    assert math.isclose(total_variance_by(factor, totals), float(variances_by(factor, totals).sum()))


@pytest.mark.parametrize("block", [1, 3])
def test_the_error_that_is_descended_is_that_of_the_matrix_and_its_slope_is_right(block: int) -> None:
    gram = gram_of(AllRanges(11))
    wanted = search.search_target_of(gram, block)
    weights = np.random.default_rng(2).random((4, len(wanted.lengths)))
    cells = np.repeat(weights, block, axis=1)[:, :11]
    matrix = np.concatenate([np.eye(11), cells]) / (1 + cells.sum(axis=0))
    error, slope = wanted.error(weights)
    assert math.isclose(error, float(np.trace(np.linalg.inv(matrix.T @ matrix) @ gram)), rel_tol=1e-9)
    for place in [(0, 0), (2, 1), (3, len(wanted.lengths) - 1)]:
        nudged = weights.copy()
        nudged[place] += 1e-6
        assert math.isclose((wanted.error(nudged)[0] - error) / 1e-6, slope[place], rel_tol=1e-3)


def test_products_in_small_pieces_are_products() -> None:
    coins = np.random.default_rng(3)
    for rows, inner, columns in [(3, 5, 2), (70, 130, 513), (200, 64, 64), (1, 1, 1)]:
        left, right = coins.normal(size=(rows, inner)), coins.normal(size=(inner, columns))
        assert np.allclose(search.times(left, right), left @ right)


def test_the_inverse_by_halves_is_the_inverse() -> None:
    for size in (1, 24, 25, 131):
        half = np.random.default_rng(size).normal(size=(size, 2 * size))
        matrix = np.eye(size) + half @ half.T
        assert np.allclose(search.inverted(matrix), np.linalg.inv(matrix))


DIGESTS = """
import hashlib
import numpy as np
from lapcat.workload import search
from lapcat.workload.factors import AllRanges, PrefixSums
from lapcat.workload.running import gram_of
coins = np.random.default_rng(4)
found = [search.times(coins.normal(size=(70, 130)), coins.normal(size=(130, 90)))]
found += [search.searched(search.Gram(gram_of(asked)))[1] for asked in (PrefixSums(40), AllRanges(64))]
print(*(hashlib.sha256(weights.tobytes()).hexdigest()[:16] for weights in found))
"""


@pytest.mark.patient
def test_what_the_search_finds_is_a_function_of_the_questions_and_not_of_the_processor() -> None:
    """Another kernel of the linear algebra library adds up in another order, as another processor would."""
    digests = {
        kernel: subprocess.run(
            [sys.executable, "-c", DIGESTS],
            env={**os.environ, "OPENBLAS_CORETYPE": kernel, "OPENBLAS_NUM_THREADS": str(position + 1)},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout
        for position, kernel in enumerate(KERNELS)
    }
    assert len(set(digests.values())) == 1, digests


@pytest.mark.parametrize(
    ("workload", "size", "limit"),
    [
        (Workload.ranges("x"), 128, 6.73),
        (Workload.prefixes("x"), 128, 6.31),
        (Workload.ranges("x"), 1024, 11.08),
        (Workload.prefixes("x"), 1024, 9.60),
    ],
)
def test_what_the_search_finds_errs_a_tenth_less_than_the_best_tree(
    workload: Workload, size: int, limit: float
) -> None:
    strategies = found_for(workload, size)
    error = strategies["optimised"].expected_rmse / 100
    assert error <= limit and error <= 0.92 * strategies["tree"].expected_rmse / 100


def test_products_of_questions_are_measured_by_products_of_weights() -> None:
    strategies = found_for(Workload.ranges("x") * Workload.marginals(["y"]), 64, 3)
    alone = found_for(Workload.ranges("x"), 64)
    assert strategies["optimised"].expected_rmse == pytest.approx(alone["optimised"].expected_rmse, rel=1e-6)
    assert strategies["optimised"].expected_rmse < 0.95 * strategies["product"].expected_rmse


def test_the_same_questions_are_searched_once_however_they_are_weighed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (first,) = optimised(over(Workload.prefixes("x"), 40), "laplace")
    monkeypatch.setattr(search, "_descents", None)
    (again,) = optimised(over(Workload.prefixes("x").weighted("0.5"), 40), "laplace")
    assert again == first


def test_a_stored_strategy_is_read_as_the_weights_that_were_used_whatever_is_found_by_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    questions = over(Workload.ranges("x"), 50)
    (used,) = optimised(questions, "laplace")
    written = specification_of(used)
    search.searched.cache_clear()
    monkeypatch.setattr(search, "_descents", None)  # nothing is searched
    assert strategy_of(questions, written) == used


def test_a_label_of_0_1_0_is_read_as_the_weights_that_it_holds() -> None:
    label = "optimised: weighted 5*2*10=0:4;2:6/1:3 3*1*1="
    read = specification_of_labels([label])
    assert read is not None
    assert strategy_of(over(Workload.prefixes("x"), 5), read) == Optimised(
        (Weighted(5, 2, 10, ((4, 0, 6), (0, 3, 0))), Weighted(3, 1, 1, ()))
    )
    assert specification_of_labels(["count(*)"]) is specification_of_labels([]) is None


def test_weights_are_claimed_as_they_were_rounded() -> None:
    coarse = Weighted(6, 2, 7, ((3, 1, 0), (0, 2, 6)))
    strategy = Optimised((coarse,))
    questions = over(Workload.ranges("x"), 6)
    (matrix,) = written(strategy.maps, 6)
    assert (matrix.sum(axis=0) == 7).all() and strategy.maps[0].l1 == 7
    best = questions.matrix() @ np.linalg.pinv(matrix)
    assert np.allclose(strategy.variances(questions, [1.0]), (best**2).sum(axis=1))
    candidate = priced(strategy, questions, FINE_EPSILON, one_row)
    assert float(candidate.measured.parts[0][1].scale) == 700  # type: ignore[union-attr]


def test_a_map_without_anything_left_for_a_cell_or_with_negative_weights_is_a_bug() -> None:
    for sums in [((5, 2),), ((-1, 2),), ((1,),)]:
        with pytest.raises(Bug):
            IntegerMap(0, (Weighted(4, 2, 5, sums),))


def test_nothing_is_searched_for_gaussian_noise_or_for_too_many_values() -> None:
    assert not list(optimised(over(Workload.ranges("x"), 32), "gaussian"))
    assert not list(optimised(over(Workload.prefixes("x"), 2049), "laplace"))
    assert "optimised" not in {
        candidate.name for candidate in candidates(over(Workload.ranges("x"), 32), FINE_RHO, one_row)
    }
