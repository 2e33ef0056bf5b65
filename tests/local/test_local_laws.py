"""Each randomiser's code, matrix and claim agree: exactly where that can be computed, by chi-square where it is drawn."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from lapcat.core.coins import system_coins
from lapcat.core.exact import ln_down, ln_up
from lapcat.local import Duchi, Hadamard, Hashing, Hybrid, Laplace, Numbers, Piecewise, Response, Unary
from lapcat.local.base import ONE, Finite, counted
from lapcat.local.shares import rare_variance
from lapcat.mechanisms.integers import Discrete
from lapcat.testing.coins import SeededCoins
from tests.laws.chi_square import FEWEST, pearson
from tests.local.cases import CASES, Case, repeated

LEVEL = 1e-6  # of every chi-square test here
DRAWS = 200_000
PEOPLE = 10**6


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_epsilon_of_the_matrix_is_the_claim_and_never_above(case: Case) -> None:
    randomiser = case.randomiser
    matrix = Discrete([randomiser.law(value).low for value in case.rows])
    ratio, paid = matrix.worst().ratio, randomiser.event("x").loss.epsilon  # type: ignore[union-attr]
    assert ratio is not None and ln_down(ratio) <= paid <= case.epsilon
    assert case.epsilon - case.slack < ln_up(ratio) <= case.epsilon


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_a_claim_that_is_a_little_too_small_is_noticed(case: Case) -> None:
    matrix = Discrete([case.randomiser.law(value).low for value in case.rows])
    assert matrix.epsilon() > case.epsilon * Fraction(999, 1000)


def binned(case: Case, law: Finite, drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Counts and expected numbers; outcomes that are too rare for the test are taken together."""
    weights = np.array([float(p) for p in law.law(case.value).low]) * DRAWS
    counts = np.bincount(drawn, minlength=len(weights))
    groups = np.cumsum(weights) // (2 * FEWEST)  # neighbours in number share a group of at least about FEWEST
    _, group = np.unique(groups, return_inverse=True)
    observed, expected = np.bincount(group, counts).astype(np.int64), np.bincount(group, weights)
    assert not observed[expected == 0].any()
    return observed[expected > 0], expected[expected > 0]


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_reports_follow_the_law(case: Case) -> None:
    reports = case.randomiser.draw(repeated(case.value, DRAWS), SeededCoins(8801))
    verdict = pearson(*binned(case, case.randomiser, case.randomiser.numbered(reports)))
    assert verdict.p > LEVEL, verdict


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=repr)
def test_fresh_reports_follow_the_law(case: Case) -> None:
    reports = case.randomiser.draw(repeated(case.value, DRAWS), system_coins())
    verdict = pearson(*binned(case, case.randomiser, case.randomiser.numbered(reports)))
    assert verdict.p > LEVEL, verdict


@pytest.mark.parametrize("case", [case for case in CASES if case.epsilon < 10], ids=repr)
def test_an_epsilon_that_is_a_quarter_off_is_noticed(case: Case) -> None:
    reports = case.randomiser.draw(repeated(case.value, DRAWS), SeededCoins(8802))
    drawn = case.randomiser.numbered(reports)
    for wrong in case.wrong():
        if wrong.outcomes != case.randomiser.outcomes:
            continue  # other places: told apart at once
        assert pearson(*binned(case, wrong, drawn)).p < LEVEL


SINGLE = [case for case in CASES if case.randomiser.words == 1]


@pytest.mark.parametrize("case", SINGLE, ids=repr)
def test_the_words_that_make_a_report_are_as_many_as_the_law_says(case: Case) -> None:
    """Not a sample: of all 2^64 words those of each report are one stretch, and it ends where the law says."""
    randomiser = case.randomiser
    sizes = [int(p * ONE) for p in randomiser.law(case.value).low]

    def said(word: int) -> int:
        made = randomiser.encode(repeated(case.value, 1), np.array([[word]], np.uint64))
        return int(randomiser.numbered(made)[0])

    start, seen = 0, set()
    while start < ONE:
        here = said(start)
        assert here not in seen and said(start + sizes[here] - 1) == here
        seen.add(here)
        start += sizes[here]
    assert start == ONE and seen == {outcome for outcome, size in enumerate(sizes) if size}


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_a_report_depends_on_its_own_words_alone(case: Case) -> None:
    randomiser, source = case.randomiser, SeededCoins(8803)
    words = source.array(50 * randomiser.words, np.uint64).reshape(50, -1)
    values = np.arange(50) % randomiser.inputs
    together = randomiser.numbered(randomiser.encode(values, words))
    alone = [
        randomiser.numbered(randomiser.encode(values[i : i + 1], words[i : i + 1]))[0] for i in range(50)
    ]
    assert together.tolist() == alone


FOR_VALUES = [
    Response(Fraction(1), 2),
    Response(Fraction(1), 100),
    Unary(Fraction(1), 40),
    Hashing(Fraction(1), 10_000),
    Hashing(Fraction(3), 1000),
    Hadamard(Fraction(1), 10_000),
]


@pytest.mark.parametrize("randomiser", FOR_VALUES, ids=lambda r: f"{r.name}-{r.epsilon}-{r.values}")
def test_the_variance_per_report_is_that_of_theory(randomiser: Response) -> None:
    """Over 10^6 reports of value 0, what each adds to the estimate of a value that nobody holds."""
    reports = randomiser.draw(repeated(0, PEOPLE), SeededCoins(8804))
    p, q = randomiser.holds, randomiser.others
    value = randomiser.values - 1
    counts = [counted(reports, tally) for tally in randomiser.tallies]
    share = (
        float(randomiser.support(counts, PEOPLE)[value]) / PEOPLE
    )  # of reports that support it: 0 or 1 each
    variance = share * (1 - share) / float(p - q) ** 2
    assert abs(variance / float(rare_variance(p, q)) - 1) < 0.02
    assert abs(share - float(q)) < 6 * (float(q * (1 - q)) / PEOPLE) ** 0.5


FOR_NUMBERS = [
    Duchi(Fraction(1), 82),
    Piecewise(Fraction(1), 82),
    Piecewise(Fraction(3), 1000),
    Hybrid(Fraction(1), 82),
    Laplace.of(Numbers(18, 100), scale=30),
]


@pytest.mark.parametrize(
    "randomiser", FOR_NUMBERS, ids=lambda r: f"{r.name}-{float(r.epsilon):.3g}-{r.steps}"
)
def test_the_variance_of_a_number_is_that_of_theory_and_it_is_unbiased(randomiser: Duchi) -> None:
    for value in (0, randomiser.steps // 3, randomiser.steps):
        reports = randomiser.draw(repeated(value, PEOPLE), SeededCoins(8805 + value))
        symbols, times = np.unique(reports["said"], return_counts=True)
        worth = np.array([float(randomiser.worth(int(s))) for s in symbols])
        mean = float((worth * times).sum() / PEOPLE)
        variance = float((worth**2 * times).sum() / PEOPLE) - mean**2
        theory = float(randomiser.variance(value))
        assert abs(variance / theory - 1) < 0.02
        assert abs(mean - value) < 6 * (theory / PEOPLE) ** 0.5


@pytest.mark.parametrize("case", [c for c in CASES if hasattr(c.randomiser, "worth")], ids=repr)
def test_numbers_are_unbiased_and_their_variance_is_that_of_the_law_exactly(case: Case) -> None:
    randomiser = case.randomiser
    for value in case.rows:
        law = randomiser.law(value).low
        worth = [randomiser.worth(symbol) for symbol in range(len(law))]  # type: ignore[attr-defined]
        mean = sum((p * w for p, w in zip(law, worth, strict=True)), Fraction(0))
        second = sum((p * w * w for p, w in zip(law, worth, strict=True)), Fraction(0))
        assert mean == value
        assert second - mean**2 == randomiser.variance(value)  # type: ignore[attr-defined]


@pytest.mark.parametrize("case", [c for c in CASES if hasattr(c.randomiser, "holds")], ids=repr)
def test_the_support_of_a_value_has_exactly_the_chances_claimed(case: Case) -> None:
    """By the law: whoever holds it supports it with p, anybody else with q, however the others are numbered."""
    randomiser = case.randomiser
    every = np.arange(randomiser.outcomes)
    columns = _columns_of(randomiser, every)
    supports = np.array(
        [
            randomiser.support(  # type: ignore[attr-defined]
                [
                    counted({k: v[i : i + 1] for k, v in columns.items()}, tally)
                    for tally in randomiser.tallies
                ],
                1,
            )
            for i in range(randomiser.outcomes)
        ]
    )
    for held in case.rows:
        law = randomiser.law(held).low
        for value in case.rows:
            chance = sum((p for p, s in zip(law, supports[:, value], strict=True) if s), Fraction(0))
            assert chance == (randomiser.holds if value == held else randomiser.others)  # type: ignore[attr-defined]


def _columns_of(randomiser: Finite, numbers: np.ndarray) -> dict[str, np.ndarray]:
    """The reports with these numbers: the inverse of `numbered`."""
    match randomiser:
        case Response():
            return {"said": numbers}
        case Unary():
            return {"bits_0": numbers}
        case Hadamard(inner=inner):
            return _columns_of(inner, numbers)
        case Hashing(rows=rows, size=size):
            columns = {"said": numbers & (1 << rows) - 1}
            rest = numbers >> rows
            for j in reversed(range(rows)):
                columns[f"row_{j}"] = rest % size
                rest = rest // size
            return columns
    raise AssertionError(randomiser)
