"""Intervals of answers: the truth is inside as often as they say, whichever noises an answer is made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from lapcat.core.loss import ZCDP, PureDP
from lapcat.testing.coins import SeededCoins
from lapcat.workload.intervals import deviations, exceeds, margins_of_draws
from lapcat.workload.planner import candidates
from lapcat.workload.strategy import split
from lapcat.workload.workload import Workload
from tests.workload.support import one_row, over

LEVELS = [Fraction(1, 2), Fraction(9, 10), Fraction(95, 100), Fraction(99, 100), Fraction(999, 1000)]


def tail_of_two(a: float, b: float, t: float) -> float:
    """Pr[|aX + bY| > t] for Laplace variables of scale 1, in partial fractions of the characteristic function."""
    if math.isclose(a, b, rel_tol=1e-6):
        return math.exp(-t / a) * (1 + t / (2 * a))
    return (a * a * math.exp(-t / a) - b * b * math.exp(-t / b)) / (a * a - b * b)


@pytest.mark.parametrize("confidence", LEVELS)
def test_two_noises_in_any_proportion_stay_within(confidence: Fraction) -> None:
    t = deviations("laplace", confidence)
    for part in np.linspace(0.001, 0.499, 60):
        a, b = math.sqrt((1 - part) / 2), math.sqrt(part / 2)  # the variance of the sum is 1
        assert tail_of_two(a, b, t) <= exceeds(t) + 1e-12 <= float(1 - confidence)


@pytest.mark.parametrize("confidence", LEVELS[2:])
def test_the_factor_is_hardly_more_than_one_noise_needs(confidence: Fraction) -> None:
    alone = -math.log(float(1 - confidence)) / math.sqrt(2)
    assert alone <= deviations("laplace", confidence) <= 1.021 * alone


def test_whoever_wants_to_be_surer_than_an_integral_is_known_gets_a_margin_that_holds() -> None:
    """Of one noise and of two in any proportion; and no more than a fifth wider than one noise needs."""
    factors = []
    for k in range(7, 16):
        t = deviations("laplace", 1 - Fraction(1, 10**k))
        for part in np.linspace(0.001, 0.499, 60):
            assert tail_of_two(math.sqrt((1 - part) / 2), math.sqrt(part / 2), t) <= 10.0**-k
        alone = k * math.log(10) / math.sqrt(2)
        assert alone <= t <= 1.21 * alone
        factors.append(t)
    assert factors == sorted(factors)


def test_many_noises_in_random_proportions_stay_within() -> None:
    """Seeded: at each of 40 proportions 40 000 sums; the share outside is at most 5 % plus six deviations of it."""
    rng = np.random.default_rng(9)
    t = deviations("laplace", Fraction(95, 100))
    for _ in range(40):
        weights = rng.exponential(size=rng.integers(1, 40)) ** rng.integers(1, 4)
        weights /= math.sqrt(2 * (weights**2).sum())
        outside = (np.abs(rng.laplace(size=(40_000, len(weights))) @ weights) > t).mean()
        assert outside <= 0.05 + 6 * math.sqrt(0.05 * 0.95 / 40_000)


def tail_of_draws(weights: Sequence[float], scales: Sequence[float], t: float) -> float:
    """Pr[|Σ a_j Z_j| > t], by adding up all combinations of discrete draws but those of probability 1e-9."""
    sums, chances = np.zeros(1), np.ones(1)
    for weight, scale in zip(weights, scales, strict=True):
        far = math.ceil(21 * scale)
        draws = np.arange(-far, far + 1)
        law = np.exp(-np.abs(draws) / scale)
        law /= law.sum()
        sums = np.add.outer(sums, weight * draws).reshape(-1)
        chances = np.multiply.outer(chances, law).reshape(-1)
    return float(chances[np.abs(sums) > t + 1e-9].sum()) + 1e-8


SMALL = [
    *(([1.0], [scale]) for scale in (0.3, 0.6, 0.9, 0.98, 1.0, 1.3, 1.63, 1.96, 2.29, 3.0, 6.2, 20.0)),
    *(([1.0, w], [s, 1.4 * s]) for w in (0.1, 0.37, 0.5, 1.0) for s in (0.3, 0.7, 0.98, 2.1, 5.0)),
    *(([1.0, -0.6, 0.25], [s, s, 2 * s]) for s in (0.4, 0.98, 1.7, 2.4)),
    *(([0.5] * 4, [s] * 4) for s in (0.49, 0.98)),
]


@pytest.mark.parametrize("confidence", LEVELS)
def test_combinations_of_draws_stay_within_by_exact_enumeration(confidence: Fraction) -> None:
    for weights, scales in SMALL:
        sd = math.sqrt(sum(2 * (a * b) ** 2 for a, b in zip(weights, scales, strict=True)))
        length = math.sqrt(sum(a * a for a in weights))
        (margin,) = margins_of_draws(np.array([sd]), np.array([length]), confidence)
        assert tail_of_draws(weights, scales, margin) <= float(1 - confidence), (weights, scales)


def test_what_is_enough_for_continuous_noise_is_not_enough_for_draws() -> None:
    """So the addition is there for a reason: just below three steps a draw has a heavier tail."""
    sd = math.sqrt(2) * 0.98
    assert tail_of_draws([1.0], [0.98], deviations("laplace", Fraction(95, 100)) * sd) > 0.068


def test_the_rest_of_a_draw_has_the_moments_that_the_proof_says() -> None:
    """ln E e^(sR) = f((s + c)/2) + f((s − c)/2) − 2 f(c/2) ≤ s²/12, against the integral over both fractional parts."""
    places = (np.arange(2000) + 0.5) / 2000
    for rate in (0.05, 0.7, 1.0, 3.0):
        law = np.exp(-rate * places)
        law /= law.sum()
        for s in (0.2, 1.0, 4.0, 9.0):
            log = math.log(float(law @ np.exp(s * places)) * float(law @ np.exp(-s * places)))
            f = [math.log(math.sinh(x) / x) if x else 0.0 for x in ((s + rate) / 2, (s - rate) / 2, rate / 2)]
            assert math.isclose(log, f[0] + f[1] - 2 * f[2], rel_tol=1e-4, abs_tol=1e-6)
            assert log <= s * s / 12 + 1e-6


@pytest.mark.parametrize("confidence", LEVELS)
def test_sums_of_cells_that_are_measured_once_stay_within_by_exact_enumeration(confidence: Fraction) -> None:
    """Of one to four cells; epsilon from 1/4 to 3."""
    questions = over(Workload.ranges("x"), 4)
    for epsilon in (Fraction(1, 4), Fraction(1), Fraction(102, 100), Fraction(2), Fraction(3)):
        strategies = candidates(questions, PureDP(epsilon), one_row)
        cells = next(candidate for candidate in strategies if candidate.name == "identity")
        margins = cells.margins(confidence)
        lengths = [high - low for low in range(4) for high in range(low + 1, 5)]
        for number, many in enumerate(lengths):
            scale = float(1 / epsilon)
            if many > 2 and scale > 1:
                continue  # too many combinations to write out
            assert tail_of_draws([1.0] * many, [scale] * many, margins[number]) <= float(1 - confidence)


@pytest.mark.parametrize("confidence", LEVELS[1:])
def test_one_laplace_noise_has_its_own_margin(confidence: Fraction) -> None:
    """An answer that is one noisy number: its margin is no less than the law's own."""
    strategies = candidates(over(Workload.marginals(["x"]), 3), PureDP(Fraction(1, 100)), one_row)
    alone = next(candidate for candidate in strategies if candidate.name == "identity")
    ((_, noise),) = alone.measured.parts
    assert alone.margins(confidence).min() >= noise.law().margin(confidence)  # type: ignore[union-attr]


COVERED = [
    (Workload.ranges("x"), (60,), PureDP(Fraction(1, 10))),
    (Workload.ranges("x"), (60,), PureDP(Fraction(1))),
    (Workload.ranges("x"), (60,), PureDP(Fraction(8))),  # noise scales of less than one step
    (Workload.prefixes("x"), (64,), PureDP(Fraction(1))),
    (Workload.marginals(["x", "y", "z"], ways=2), (4, 3, 5), PureDP(Fraction(1))),
    (Workload.ranges("x", [(0, 2), (1, 3), (2, 5)]), (6,), PureDP(Fraction(1, 2))),
    (Workload.ranges("x", [(0, 2), (4, 5)]), (6,), PureDP(Fraction(1))),
    (Workload.ranges("x"), (60,), ZCDP(Fraction(1, 100))),
    (Workload.prefixes("x"), (64,), ZCDP(Fraction(1, 2))),
    (Workload.marginals(["x", "y", "z"], ways=2), (4, 3, 5), ZCDP(Fraction(1))),
]


@pytest.mark.parametrize(("workload", "sizes", "budget"), COVERED)
def test_released_answers_are_as_near_as_foreseen_and_their_intervals_hold_the_truth(
    workload: Workload, sizes: tuple[int, ...], budget: PureDP | ZCDP
) -> None:
    """300 releases of seeded noise. The answers of one release depend on each other, so the test takes the spread over
    releases: mean squared error and coverage are within six standard errors of what is foreseen and promised."""
    questions = over(workload, *sizes)
    best = candidates(questions, budget, one_row)[0]
    cells = np.random.default_rng(2).integers(0, 50, questions.cells)
    exact, coins = questions.answers(cells), SeededCoins(17)
    margins = best.margins(Fraction(95, 100))
    squares, inside = [], []
    for _ in range(300):
        noisy = split(best.strategy, best.measured.draw(cells, coins))
        off = best.strategy.answers(questions, noisy, best.noise) - exact
        squares.append(float((off**2).mean()))
        inside.append(float((np.abs(off) <= margins + 1e-9).mean()))
    error, covered = np.array(squares), np.array(inside)
    assert abs(error.mean() - best.expected_rmse**2) <= 6 * error.std() / math.sqrt(300) + 1e-9
    assert covered.mean() >= 0.95 - 6 * covered.std() / math.sqrt(300)
