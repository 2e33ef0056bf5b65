"""Strategies: the errors they foresee and the answers they give are those of least squares, written out."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from lapcat.core.loss import ZCDP, PureDP
from lapcat.workload.haar import halved, wavelet
from lapcat.workload.identity import identity
from lapcat.workload.knorm import Jointly
from lapcat.workload.legacy_labels import specification_of_labels
from lapcat.workload.nested import LevelSums, Nested
from lapcat.workload.optimised import Optimised
from lapcat.workload.planner import PricedStrategy, candidates, priced
from lapcat.workload.separate import max_questions_per_row, separate_rmse
from lapcat.workload.specification import specification_of, strategy_of
from lapcat.workload.strategy import measure
from lapcat.workload.toeplitz import Toeplitz, root_weights
from lapcat.workload.tree import _tree
from lapcat.workload.workload import AxisWorkload, Workload
from tests.workload.support import ADULT, CASES, FINE_EPSILON, FINE_RHO, one_row, over, whitened, written

BUDGETS = {"laplace": FINE_EPSILON, "gaussian": FINE_RHO}


def tried(case: str, kind: str) -> list[PricedStrategy]:
    workload, sizes = CASES[case]
    return candidates(over(workload, *sizes), BUDGETS[kind], one_row)


def padded(candidate: PricedStrategy) -> bool:
    strategy = candidate.strategy
    return isinstance(strategy, Nested) and any(
        chain[0] != size for chain, size in zip(strategy.chains, strategy.shape, strict=True)
    )


@pytest.mark.parametrize("kind", BUDGETS)
@pytest.mark.parametrize("case", CASES)
def test_every_strategy_foresees_the_errors_of_least_squares(case: str, kind: str) -> None:
    for candidate in tried(case, kind):
        questions = candidate.questions
        total = candidate.strategy.total_variance(questions, candidate.noise)
        assert math.isclose(total, float(questions.weights**2 @ candidate.sds**2), rel_tol=1e-9)
        if isinstance(candidate.strategy, Jointly) or padded(candidate):
            continue
        best = questions.matrix() @ np.linalg.pinv(whitened(candidate), rcond=1e-12)
        assert np.allclose(candidate.sds**2, (best**2).sum(axis=1), rtol=1e-7), candidate.name


@pytest.mark.parametrize("kind", BUDGETS)
@pytest.mark.parametrize("case", CASES)
def test_every_strategy_gives_the_answers_of_least_squares(case: str, kind: str) -> None:
    rng = np.random.default_rng(3)
    for candidate in tried(case, kind):
        questions = candidate.questions
        cells = rng.integers(0, 100, questions.cells)
        exact = measure(candidate.strategy, cells)
        noiseless = candidate.strategy.answers(
            questions, [part.astype(np.float64) for part in exact], candidate.noise
        )
        assert np.allclose(noiseless, questions.answers(cells)), candidate.name
        noisy = [part + 30 * rng.normal(size=len(part)) for part in exact]
        got = candidate.strategy.answers(questions, noisy, candidate.noise)
        if isinstance(candidate.strategy, Jointly):
            continue
        assert np.allclose(
            got, questions.answers(candidate.strategy.cells(questions, noisy, candidate.noise))
        )
        if padded(candidate):
            continue
        weighted = np.concatenate([p / math.sqrt(v) for p, v in zip(noisy, candidate.noise, strict=True)])
        least = np.linalg.pinv(whitened(candidate), rcond=1e-12) @ weighted
        assert np.allclose(got, questions.matrix() @ least, atol=1e-6), candidate.name


@pytest.mark.parametrize("case", CASES)
def test_weights_of_another_noise_give_the_variance_that_they_give(case: str) -> None:
    """Least squares that takes the noise to be another than it is: the estimate is linear all the same."""
    for candidate in tried(case, "laplace"):
        if isinstance(candidate.strategy, Jointly) or padded(candidate):
            continue
        actual = [v * (1 + i) for i, v in enumerate(candidate.noise)]
        spread = np.repeat(actual, [integer_map.rows for integer_map in candidate.strategy.maps])
        taken = np.repeat(candidate.noise, [integer_map.rows for integer_map in candidate.strategy.maps])
        best = candidate.questions.matrix() @ np.linalg.pinv(whitened(candidate), rcond=1e-12)
        variances = candidate.strategy.variances(candidate.questions, actual, candidate.noise)
        assert np.allclose(variances, (best**2 * (spread / taken)).sum(axis=1), rtol=1e-7), candidate.name


def test_a_tree_with_empty_leaves_answers_as_it_foresees() -> None:
    """37 cells in a tree of 40 leaves: least squares over all leaves, of which three are known to nobody as empty."""
    questions = over(Workload.ranges("x"), 37)
    tree = _tree(questions, "laplace", (40, 10, 1), 1)
    candidate = priced(tree, questions, FINE_EPSILON, one_row)
    wide = over(Workload.ranges("x"), 40)
    wider = priced(_tree(wide, "laplace", (40, 10, 1), 1), wide, FINE_EPSILON, one_row)
    matrix = whitened(wider) * np.repeat(
        [math.sqrt(v / w) for v, w in zip(wider.noise, candidate.noise, strict=True)],
        [integer_map.rows for integer_map in tree.maps],
    ).reshape(-1, 1)
    rows = np.pad(questions.matrix(), ((0, 0), (0, 3)))
    assert np.allclose(candidate.sds**2, ((rows @ np.linalg.pinv(matrix)) ** 2).sum(axis=1))


@pytest.mark.parametrize("kind", BUDGETS)
@pytest.mark.parametrize("case", CASES)
def test_the_whole_budget_is_spent_and_no_more(case: str, kind: str) -> None:
    """The loss of a row in the worst column, from the matrices alone."""
    for candidate in tried(case, kind):
        if isinstance(candidate.strategy, Jointly):
            continue
        parts = written(candidate.strategy.maps, candidate.questions.cells)
        spent = np.zeros(candidate.questions.cells)
        for matrix, (_, noise) in zip(parts, candidate.measured.parts, strict=True):
            if kind == "laplace":
                spent += np.abs(matrix).sum(axis=0) / float(noise.scale)  # type: ignore[union-attr]
            else:
                spent += (matrix**2).sum(axis=0) / (2 * float(noise.sigma_squared))  # type: ignore[union-attr]
        allowed = 0.01 if kind == "laplace" else 1 / 20000
        assert spent.max() <= allowed * (1 + 1e-12), candidate.name
        assert sum(candidate.strategy.shares) == 1


@pytest.mark.parametrize("kind", BUDGETS)
@pytest.mark.parametrize("case", CASES)
def test_a_strategy_is_built_again_from_what_the_ledger_keeps_of_it(case: str, kind: str) -> None:
    rng = np.random.default_rng(4)
    for candidate in tried(case, kind):
        if isinstance(candidate.strategy, Jointly):
            continue
        written = specification_of(candidate.strategy)
        again = strategy_of(candidate.questions, written)
        assert again.maps == candidate.strategy.maps and again.labels == candidate.strategy.labels
        assert specification_of(again) == written
        if not isinstance(candidate.strategy, Optimised):  # as 0.1.0 kept it: in the labels alone
            before = specification_of_labels(candidate.strategy.labels)
            assert before is not None
            assert strategy_of(candidate.questions, before).maps == candidate.strategy.maps
        noisy = [rng.normal(size=integer_map.rows) for integer_map in again.maps]
        for way in ("variances", "answers"):
            given = (candidate.noise,) if way == "variances" else (noisy, candidate.noise)
            assert np.allclose(
                getattr(again, way)(candidate.questions, *given),
                getattr(candidate.strategy, way)(candidate.questions, *given),
            )


def test_sub_totals_add_up() -> None:
    questions = over(
        Workload.marginals(["x", "y"], ways=[0, 1, 2]) + Workload.ranges("x") * Workload.marginals(["y"]),
        6,
        3,
    )
    rng = np.random.default_rng(5)
    for candidate in candidates(questions, FINE_EPSILON, one_row):
        noisy = [100 * rng.normal(size=integer_map.rows) for integer_map in candidate.strategy.maps]
        answers = candidate.strategy.answers(questions, noisy, candidate.noise)
        total, by_x, by_y, both = answers[0], answers[1:7], answers[7:10], answers[10:28].reshape(6, 3)
        ranges = answers[28:].reshape(-1, 3)
        assert np.isclose(total, by_x.sum()) and np.allclose(by_x, both.sum(axis=1))
        assert np.allclose(by_y, both.sum(axis=0)) and np.allclose(ranges[1], both[:2].sum(axis=0))


# ------------------------------------------------------------------------------------------------ figures


def svd_bound(questions: AxisWorkload) -> float:
    """No strategy with Gaussian noise at sensitivity 1, sigma 1 has a smaller root mean squared error.

    Li, Hay, Rastogi, Miklau & McGregor 2010: (Σ singular values)² / cells is the least total squared error.
    """
    gram = questions.matrix()
    singular = np.sqrt(np.maximum(np.linalg.eigvalsh(gram.T @ gram), 0))
    return float(singular.sum() / math.sqrt(questions.cells * questions.rows))


def rmse(workload: Workload, budget: PureDP | ZCDP, *sizes: int) -> dict[str, float]:
    strategies = candidates(over(workload, *sizes), budget, one_row)
    return {candidate.name: candidate.expected_rmse / 100 for candidate in reversed(strategies)}


def test_ranges_and_prefixes_of_1024_bins_have_the_errors_that_are_promised() -> None:
    ranges = rmse(Workload.ranges("x"), FINE_EPSILON, 1024)
    prefixes = rmse(Workload.prefixes("x"), FINE_EPSILON, 1024)
    assert min(ranges.values()) <= 12.4 and min(prefixes.values()) <= 10.91
    assert abs(ranges["identity"] - 26.15) < 0.01 and abs(prefixes["identity"] - 32.02) < 0.01
    assert separate_rmse(over(Workload.ranges("x"), 1024), FINE_EPSILON) > 3e7


def test_gaussian_prefixes_are_within_seven_percent_of_the_svd_bound() -> None:
    errors = rmse(Workload.prefixes("x"), FINE_RHO, 1024)
    n = 1024  # the singular values of running totals in closed form
    singular = 1 / (2 * np.sin((2 * np.arange(1, n + 1) - 1) * math.pi / (2 * (2 * n + 1))))
    bound = float(singular.sum()) / n
    assert bound < min(errors.values()) <= 1.07 * bound
    assert errors["haar"] > errors["square root"]
    small = over(Workload.prefixes("x"), 64)
    assert svd_bound(small) == pytest.approx(
        (1 / (2 * np.sin((2 * np.arange(1, 65) - 1) * math.pi / (2 * 129)))).sum() / 64
    )


@pytest.mark.parametrize(
    "workload", [Workload.ranges("x"), Workload.prefixes("x"), Workload.marginals(["x"])]
)
@pytest.mark.parametrize("size", [16, 60, 128])
def test_no_gaussian_strategy_beats_the_svd_bound(workload: Workload, size: int) -> None:
    questions = over(workload, size)
    strategies = candidates(questions, FINE_RHO, one_row)
    assert strategies[0].expected_rmse / 100 >= svd_bound(questions) * (1 - 1e-9)
    assert strategies[0].expected_rmse / 100 <= 1.17 * svd_bound(questions)


def test_two_way_marginals_of_adult_have_the_closed_form_optimum() -> None:
    """Xiao, He, Zhang & Kifer 2023: with noise sigma_B² on residual B, marginal A has error Σ_{B ⊆ A} sigma_B² Π_{i ∈ B} (n_i − 1)
    Π_{i ∈ A∖B} 1 / n_i, and B costs Π_{i ∈ B} (n_i − 1) / n_i / sigma_B²; so the least total is (Σ √(error · cost))²."""
    sizes = list(ADULT.values())
    workload = Workload.marginals(list(ADULT), ways=2)
    questions = over(workload, *sizes)
    errors: dict[tuple[int, ...], float] = {}
    for pair in combinations(range(len(sizes)), 2):
        for length in range(3):
            for b in combinations(pair, length):
                lifted = math.prod(sizes[i] - 1 if i in b else 1 / sizes[i] for i in pair)
                errors[b] = errors.get(b, 0.0) + lifted
    costs = {b: math.prod((sizes[i] - 1) / sizes[i] for i in b) for b in errors}
    best = sum(math.sqrt(errors[b] * costs[b]) for b in errors) / math.sqrt(questions.rows)
    strategy = candidates(questions, FINE_RHO, one_row)[0]
    assert strategy.name == "residuals"
    assert strategy.expected_rmse / 100 == pytest.approx(best, rel=1e-4)
    assert best == pytest.approx(6.359, abs=5e-4)  # the figure of the paper
    assert separate_rmse(questions, FINE_RHO) > 1.4 * strategy.expected_rmse
    laplace = candidates(questions, FINE_EPSILON, one_row)[0]
    assert separate_rmse(questions, FINE_EPSILON) > 1.4 * laplace.expected_rmse


def test_halves_beat_every_other_sum_of_the_same_blocks_for_gaussian_noise() -> None:
    questions = over(Workload.ranges("x"), 64)
    haar = priced(wavelet(questions, "gaussian", halved(64)), questions, FINE_RHO, one_row)
    for chain in [(64, 8, 1), (64, 16, 4, 1), halved(64)]:
        tree = priced(_tree(questions, "gaussian", chain, 0), questions, FINE_RHO, one_row)
        assert haar.expected_rmse <= tree.expected_rmse * (1 + 1e-9)


def test_a_smaller_wanted_error_is_served_better() -> None:
    ranges, cells = Workload.ranges("x"), Workload.marginals(["x"])
    plain = candidates(over(ranges + cells, 64), FINE_EPSILON, one_row)[0]
    wanting = candidates(over(ranges + cells.weighted("0.02"), 64), FINE_EPSILON, one_row)[0]
    assert wanting.sds[-64:].mean() < 0.8 * plain.sds[-64:].mean()


def test_few_questions_are_measured_themselves() -> None:
    apart = candidates(over(Workload.ranges("x", [(0, 499), (500, 999)]), 1000), FINE_EPSILON, one_row)
    assert apart[0].expected_rmse == pytest.approx(math.sqrt(2) * 100, rel=1e-3)
    overlapping = candidates(over(Workload.ranges("x", [(0, 2), (1, 3), (2, 5)]), 6), FINE_EPSILON, one_row)
    assert overlapping[0].name == "k-norm"


def test_asked_separately_counts_how_many_questions_a_row_is_in() -> None:
    for workload, sizes in CASES.values():
        questions = over(workload, *sizes)
        exact = np.abs(questions.matrix()).sum(axis=0).max()
        count = max_questions_per_row(questions)
        assert count == exact if len(sizes) == 1 else count >= exact
    assert separate_rmse(over(Workload.prefixes("x"), 8), PureDP(Fraction(1))) == pytest.approx(
        8 * math.sqrt(2)
    )


# ------------------------------------------------------------------------------------------------ rounding


def test_the_square_root_is_claimed_as_it_was_rounded() -> None:
    coarse = Toeplitz(12, 8)  # weights of 8, 4, 3, … steps: nothing like the true ones
    weights = root_weights(12, 8)
    (linear,) = coarse.maps
    assert linear.l2_squared == sum(w * w for w in weights) and linear.l1 == sum(weights)
    questions = over(Workload.prefixes("x"), 12)
    cells = np.arange(12)
    (exact,) = measure(coarse, cells)
    assert np.allclose(coarse.answers(questions, [exact.astype(np.float64)], [1.0]), np.cumsum(cells))
    matrix = written([linear], 12)[0]
    best = questions.matrix() @ np.linalg.inv(matrix)
    assert np.allclose(coarse.variances(questions, [1.0]), (best**2).sum(axis=1))


def test_the_weights_of_the_square_root_square_to_running_totals() -> None:
    weights = np.array(root_weights(500, 2**40), np.float64) / 2**40
    assert np.allclose(np.convolve(weights, weights)[:500], 1.0)


def test_a_table_too_large_to_look_at_is_read_by_its_marginals() -> None:
    questions = over(Workload.marginals([f"c{i}" for i in range(15)], ways=2), *[10] * 15)
    for budget in (FINE_EPSILON, FINE_RHO):
        strategies = candidates(questions, budget, one_row)
        assert {candidate.name for candidate in strategies} <= {"marginals", "residuals"}
        assert strategies[0].strategy.sets == tuple(combinations(range(15), 2))
        assert all(linear.start % 100 == 0 for linear in strategies[0].strategy.maps)


def test_a_workload_that_no_strategy_can_look_at_is_refused() -> None:
    from lapcat.errors import Refused

    questions = over(Workload.marginals([f"c{i}" for i in range(9)]), *[10] * 9)
    with pytest.raises(Refused) as refusal:
        candidates(questions, FINE_EPSILON, one_row)
    assert refusal.value.code == "workload-too-large"


def test_parts_that_are_not_worth_their_share_are_left_out() -> None:
    (only,) = identity(over(Workload.marginals(["x"]), 8), "laplace")
    assert only.parts == (LevelSums((1,)),) and only.shares == (Fraction(1),)


@pytest.mark.parametrize("budget", [PureDP(Fraction(10**6)), ZCDP(Fraction(10**6))])
def test_noise_that_is_never_there_still_has_an_error_that_is_a_number(budget: PureDP | ZCDP) -> None:
    """Of a price at which every draw is 0, the variance is below every float."""
    for questions in (over(Workload.prefixes("x"), 12), over(Workload.marginals(["x", "y"], ways=1), 5, 3)):
        for candidate in candidates(questions, budget, one_row):
            assert math.isfinite(candidate.expected_rmse) and np.isfinite(candidate.sds).all(), candidate.name
            assert np.isfinite(candidate.margins(Fraction(95, 100))).all(), candidate.name
