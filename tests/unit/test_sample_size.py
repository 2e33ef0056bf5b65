"""How many people it takes, and the margins of one answer or several: derived here by the formulas, in floats."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lapcat
from lapcat.cli.app import run
from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw
from lapcat.errors import BadArgument
from lapcat.plan.margins import margins_of


def widening(epsilon: float) -> float:
    return (math.exp(epsilon) + 1) / (math.exp(epsilon) - 1)


def test_v16_ten_questions_within_two_percent() -> None:
    size = lapcat.sample_size(questions=10, error=0.02, failure=0.05, epsilon=1)
    k, alpha, beta = 10, 0.02, 0.05
    assert size.laplace == math.ceil(k * math.log(k / beta) / alpha) == 2650
    hoeffding = math.log(2 * k / beta) / (2 * alpha**2)
    assert size.randomized_response == math.ceil(widening(1 / k) ** 2 * hoeffding) == 3_000_727
    assert size.sampled == math.ceil(k * widening(1) ** 2 * hoeffding)
    assert round(size.sampled, -3) == 351_000
    # one question each: n / k people are heard on each, which adds Hoeffding's sampling error
    assert size.sampling_error == pytest.approx(math.sqrt(math.log(2 * k / beta) / (2 * size.sampled / k)))


def test_chebyshev_beside_hoeffding_knows_only_the_variance_and_asks_for_more() -> None:
    size = lapcat.sample_size(questions=10, error=0.02, failure=0.05, epsilon=1)
    k, alpha, beta = 10, 0.02, 0.05
    assert size.chebyshev.laplace == math.ceil(round(k * math.sqrt(2 * k / beta) / alpha, 6))
    p = 1 / (1 + math.exp(-1 / k))
    per_person = p * (1 - p) / (2 * p - 1) ** 2
    assert size.chebyshev.randomized_response == pytest.approx(k * per_person / (alpha**2 * beta), rel=1e-6)
    assert size.chebyshev.laplace > size.laplace and size.chebyshev.sampled > size.sampled


@given(
    st.integers(1, 50),
    st.sampled_from(["0.01", "0.02", "0.1"]),
    st.sampled_from(["0.05", "0.01"]),
    st.sampled_from(["0.1", "1", "3"]),
)
@settings(max_examples=50)
def test_the_error_of_the_size_that_was_asked_for_is_the_error_that_was_asked_for(
    k: int, error: str, failure: str, epsilon: str
) -> None:
    size = lapcat.sample_size(questions=k, error=error, failure=failure, epsilon=epsilon)
    for name in ("laplace", "randomized_response", "sampled"):
        n = getattr(size, name)
        enough = lapcat.sample_size(questions=k, n=n, failure=failure, epsilon=epsilon)
        assert getattr(enough, name) <= float(error) * (1 + 1e-12), name
        if n > 1:
            fewer = lapcat.sample_size(questions=k, n=n - 1, failure=failure, epsilon=epsilon)
            assert getattr(fewer, name) > float(error) * (1 - 1e-9), name


@pytest.mark.parametrize(
    ("given_arguments", "message"),
    [
        ({"error": 0}, "error must be .* not 0"),
        ({"error": 2}, "error must be .* not 2"),
        ({"error": 0.1, "failure": 1}, "failure must be .* not 1"),
        ({"error": 0.1, "epsilon": 0}, "epsilon = 0"),
        ({"error": 0.1, "epsilon": -2}, "-2"),
        ({"error": 0.1, "epsilon": math.nan}, "nan"),
        ({"error": 0.1, "questions": 0}, "0"),
        ({"error": 0.1, "questions": 1.5}, "1.5"),
        ({"n": 0}, "not 0"),
        ({"n": "2.5"}, "2.5"),
        ({}, "exactly one of error"),
        ({"n": 5, "error": 0.1}, "exactly one of error"),
    ],
)
def test_bad_arguments_are_refused_with_the_value(given_arguments: dict[str, object], message: str) -> None:
    arguments = {"questions": 3, "failure": 0.05, "epsilon": 1} | given_arguments
    with pytest.raises(BadArgument, match=message) as refused:
        lapcat.sample_size(**arguments)  # type: ignore[arg-type]
    assert isinstance(refused.value, ValueError)


def test_the_command_shows_them_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["size", "--questions", "10", "--error", "0.02", "--epsilon", "1"]) == 0
    shown = capsys.readouterr().out
    assert "2 650" in shown and "3 000 727" in shown and "350 703" in shown and "Chebyshev" in shown
    assert run(["size", "--questions", "10", "--n", "2650", "--epsilon", "1", "--json"]) == 0
    read = json.loads(capsys.readouterr().out)
    assert read["wanted"] == "error" and 0.0199 < read["laplace"] <= 0.02 and read["epsilon"] == "1"
    assert run(["size", "--epsilon", "1"]) == 2
    assert "error" in capsys.readouterr().err


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(50), Fraction(10**6, 7)])
@pytest.mark.parametrize("k", [1, 2, 10, 1000])
def test_the_exact_margin_of_several_answers_is_the_tightest_and_chebyshev_the_widest(
    scale: Fraction, k: int
) -> None:
    law = DiscreteLaplaceLaw(scale)
    margins = margins_of(law, Fraction(1), "0.95", k)
    assert law.within(int(margins.exact)) ** k >= 0.95 * (1 - 1e-12)
    assert margins.exact == 0 or law.within(int(margins.exact) - 1) ** k < 0.95
    assert margins.exact <= margins.union_bound <= margins.chebyshev + 1
    assert k * (1 - law.within(int(margins.union_bound))) <= 0.05 * (1 + 1e-9)
    assert margins.chebyshev == pytest.approx(math.sqrt(k * law.variance / 0.05))


def test_the_margin_of_k_answers_is_that_of_the_theory_where_the_grid_is_fine() -> None:
    scale, k, beta = 10**9, 10, 0.05
    margins = margins_of(DiscreteLaplaceLaw(Fraction(scale)), Fraction(1), "0.95", k)
    assert margins.union_bound == pytest.approx(scale * math.log(k / beta), rel=1e-6)
    assert margins.exact == pytest.approx(scale * math.log(1 / (1 - (1 - beta) ** (1 / k))), rel=1e-6)
