"""A sum of k noises of one law stays within its margin as often as is said, and a narrower margin would not do."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from lapcat.core.mechanisms.base import Law
from lapcat.core.mechanisms.gaussian import DiscreteGaussianLaw
from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw
from lapcat.plan.fourier_sums import margin_of_equal_sum, margins_of_fourier_sums

LAWS: list[Law] = [
    *(DiscreteLaplaceLaw(Fraction(scale)) for scale in ("1/100", "1/3", "1", "10", "30")),
    *(DiscreteGaussianLaw(Fraction(sigma_squared)) for sigma_squared in ("1/100", "1/5", "3/10", "1", "100")),
]
LEVELS = [Fraction(1, 2), Fraction(95, 100), Fraction(999, 1000)]


def convolved(law: Law, k: int) -> np.ndarray:
    """The probabilities of the sum, by adding up one noise after the other."""
    reach = int(60 * law.sd) + 30
    probabilities = np.array([law.pmf(z) for z in range(-reach, reach + 1)])
    total = probabilities
    for _ in range(k - 1):
        total = np.convolve(total, probabilities)
    return total


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("k", [2, 3, 7])
def test_the_margin_of_a_sum_is_the_least_that_its_convolution_allows(law: Law, k: int) -> None:
    masses = convolved(law, k)
    middle = len(masses) // 2
    for level in LEVELS:
        t = margin_of_equal_sum(law, k, level)
        assert masses[middle - t : middle + t + 1].sum() >= level
        assert t == 0 or masses[middle - t + 1 : middle + t].sum() < level


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_margin_of_one_noise_is_the_law_s_own(law: Law) -> None:
    assert [margin_of_equal_sum(law, 1, level) for level in LEVELS] == [law.margin(level) for level in LEVELS]


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(10**6), Fraction(2**55)])
def test_a_sum_of_very_many_noises_has_a_normal_law_s_margin(scale: Fraction) -> None:
    law, k = DiscreteLaplaceLaw(scale), 10**6
    normal = 1.959964 * law.sd * k**0.5
    # Edgeworth: the kurtosis 3 of a Laplace law moves the quantile by less than 1/k of itself; half a step for the grid
    assert abs(margin_of_equal_sum(law, k, Fraction(95, 100)) - normal) <= 1e-5 * normal + 1


def test_a_tiny_failure_is_kept_too() -> None:
    """Two continuous Laplace noises leave ±t with probability (1 + t/2b)·e^(−t/b), and the discrete ones are as fine."""
    law, level = DiscreteLaplaceLaw(Fraction(10**6)), 1 - Fraction(1, 10**9)
    t = margin_of_equal_sum(law, 2, level) / 10**6  # 1e-12 of 1e-9 is given away to rounding
    assert 0.998e-9 <= (1 + t / 2) * np.exp(-t) <= 1.0001e-9


def test_many_margins_are_those_of_each_or_of_a_few_more_noises() -> None:
    law, level = DiscreteLaplaceLaw(Fraction(10)), Fraction(95, 100)
    ks = np.arange(1, 3001)
    margins = margins_of_fourier_sums(law, ks, level)
    assert (np.diff(margins) >= 0).all()
    for k in (1, 2, 99, 100, 101, 150, 777, 3000):
        exactly = margin_of_equal_sum(law, k, level)
        assert exactly <= margins[k - 1] <= 1.006 * exactly + 1
        assert k > 100 or margins[k - 1] == exactly


def test_few_margins_are_exact_however_many_noises_there_are() -> None:
    law, level = DiscreteLaplaceLaw(Fraction(10)), Fraction(95, 100)
    assert margins_of_fourier_sums(law, np.array([5, 12345, 5]), level).tolist() == [
        margin_of_equal_sum(law, k, level) for k in (5, 12345, 5)
    ]
