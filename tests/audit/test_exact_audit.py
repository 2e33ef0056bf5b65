"""Where the law is known, the audit is a proof."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

import lapcat
from lapcat import mechanisms as m
from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw

COIN = [["0.75", "0.25"], ["0.25", "0.75"]]


@pytest.mark.parametrize(
    ("epsilon", "verdict"), [(1, "VIOLATION"), ("1.0986", "VIOLATION"), ("1.0987", "HOLDS")]
)
def test_a_matrix_has_the_epsilon_of_its_worst_ratio(epsilon: object, verdict: str) -> None:
    result = lapcat.audit.exact(COIN, 0, 1, epsilon)
    assert result.verdict == verdict
    assert float(result.epsilon) == pytest.approx(math.log(3))
    assert result.delta(0) == Fraction(1, 2)  # the total variation distance
    assert result.delta(1) == m.DiscreteMechanism(COIN).delta(1)


def test_laplace_noise_keeps_its_epsilon_on_all_integers() -> None:
    lap = m.Laplace(sensitivity=1, epsilon=1, grid=1)
    kept = lapcat.audit.exact(lap, 0, 1, 1)
    assert kept.verdict == "HOLDS" and kept.epsilon == 1 and kept.delta(1) == 0
    broken = lapcat.audit.exact(lap, 0, 2, 1)
    assert broken.verdict == "VIOLATION" and broken.epsilon == 2


def test_delta_of_laplace_noise_is_the_sum_over_its_outcomes() -> None:
    here, there = DiscreteLaplaceLaw(Fraction(1)), DiscreteLaplaceLaw(Fraction(1), 1)
    summed = sum(max(0.0, here.pmf(z) - math.exp(0.5) * there.pmf(z)) for z in range(-60, 60))
    result = lapcat.audit.exact(lambda x: DiscreteLaplaceLaw(Fraction(1), x), 0, 1, "0.5")
    assert float(result.delta("0.5")) == pytest.approx(summed)


def test_gaussian_noise_keeps_its_delta_and_no_smaller_one() -> None:
    gauss = m.Gaussian(sensitivity=1, epsilon=1, delta=1e-6, grid=1)
    assert lapcat.audit.exact(gauss, 0, 1, 1, 1e-6).verdict == "HOLDS"
    assert lapcat.audit.exact(gauss, 0, 1, 1, "9.9e-7").verdict == "VIOLATION"
    assert lapcat.audit.exact(gauss, 0, 1, 1).verdict == "VIOLATION"


def test_an_outcome_that_is_possible_on_one_side_alone_has_no_epsilon() -> None:
    result = lapcat.audit.exact(lambda x: {"low": "0.5", "high" if x else "mid": "0.5"}, 0, 1, 5)
    assert result.epsilon == math.inf and result.verdict == "VIOLATION" and result.delta(5) == Fraction(1, 2)
    assert "no epsilon is large enough" in repr(result) and "<svg" in result._repr_html_()


def test_the_curve_of_delta_falls() -> None:
    deltas = [delta for _, delta in lapcat.audit.exact(COIN, 0, 1, 1).curve()]
    assert deltas == sorted(deltas, reverse=True) and deltas[0] == 0.5 and deltas[-1] == 0


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("audit-law", (COIN, 0, 7)),
        ("audit-law", (lambda x: [0.5, 0.4], 0, 1)),
        ("audit-law", (lambda x: "heads", 0, 1)),
        ("audit-grid", (m.Laplace(sensitivity=1, epsilon=1), 0, 1)),
    ],
)
def test_what_has_no_law_is_refused(code: str, given: tuple[object, ...]) -> None:
    with pytest.raises(lapcat.BadArgument) as refused:
        lapcat.audit.exact(*given, epsilon=1)
    assert refused.value.code == code
