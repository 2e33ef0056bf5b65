"""The Laplace mechanism and its law: the numbers of the theory, computed."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapcat.core.exact import exp_down, exp_up
from lapcat.core.loss import PureDP
from lapcat.core.mechanisms.base import FEW
from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw, Laplace
from lapcat.core.sampling import FARTHEST
from lapcat.core.sensitivity import Sensitivity
from lapcat.errors import BadArgument
from lapcat.testing.coins import SeededCoins

SCALES = [
    Fraction(1, 1000),
    Fraction(1, 3),
    Fraction(1),
    Fraction(50),
    Fraction(10**6, 7),
    Fraction(2**40),
    Fraction(2**56),
]
scales = st.builds(Fraction, st.integers(1, 10**9), st.integers(1, 10**4))
probabilities = st.builds(lambda a, b: Fraction(a, a + b), st.integers(1, 10**9), st.integers(1, 10**9))


def moving(l1: int) -> Sensitivity:
    return Sensitivity(1, Fraction(l1), Fraction(l1), Fraction(l1 * l1))


def tail_bounds(scale: Fraction, t: int) -> tuple[Fraction, Fraction]:
    """Pr[|Z| > t] = 2 q^(t+1) / (1 + q), rounded down and up."""
    q_low, q_high = exp_down(-1 / scale), exp_up(-1 / scale)
    return 2 * exp_down(-(t + 1) / scale) / (1 + q_high), 2 * exp_up(-(t + 1) / scale) / (1 + q_low)


@given(scales, probabilities)
def test_a_margin_is_the_smallest_that_holds(scale: Fraction, confidence: Fraction) -> None:
    margin = DiscreteLaplaceLaw(scale).margin(confidence)
    # margin is not certainly too small, and one less is not certainly enough
    assert tail_bounds(scale, margin)[0] <= 1 - confidence
    assert margin == 0 or tail_bounds(scale, margin - 1)[1] >= 1 - confidence


@pytest.mark.parametrize("scale", SCALES)
def test_a_margin_around_any_value_is_that_of_the_noise(scale: Fraction) -> None:
    assert DiscreteLaplaceLaw(scale, 10**6).margin(Fraction(19, 20)) == DiscreteLaplaceLaw(scale).margin(
        Fraction(19, 20)
    )


@given(scales, probabilities)
def test_a_quantile_is_the_first_value_whose_cdf_reaches_p(scale: Fraction, p: Fraction) -> None:
    law = DiscreteLaplaceLaw(scale, 17)
    z = law.quantile(p)
    assert law.cdf(z) >= float(p) * (1 - 1e-9)
    assert law.cdf(z - 1) < float(p) * (1 + 1e-9)


@given(scales, probabilities)
def test_quantiles_are_symmetric(scale: Fraction, p: Fraction) -> None:
    law = DiscreteLaplaceLaw(scale)
    # Pr[Z <= z] is never exactly p, since q is transcendental, so the mirror image of a quantile is one too.
    assert law.quantile(p) == -law.quantile(1 - p)


@pytest.mark.parametrize("p", [Fraction(0), Fraction(1), Fraction(-1), Fraction(3, 2)], ids=str)
def test_certainty_is_no_confidence_that_noise_can_give(p: Fraction) -> None:
    for ask in (DiscreteLaplaceLaw(Fraction(1)).margin, DiscreteLaplaceLaw(Fraction(1)).quantile):
        with pytest.raises(BadArgument, match="probability-range"):
            ask(p)


def test_a_confidence_beyond_every_float_still_has_a_margin() -> None:
    scale, confidence = Fraction(7, 2), 1 - Fraction(1, 10**60)
    margin = DiscreteLaplaceLaw(scale).margin(confidence)
    assert tail_bounds(scale, margin)[1] <= 1 - confidence < tail_bounds(scale, margin - 1)[0]


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(50)])
def test_the_law_adds_up_to_its_moments(scale: Fraction) -> None:
    law = DiscreteLaplaceLaw(scale)
    reach = range(-40 * math.ceil(scale), 40 * math.ceil(scale) + 1)
    assert math.isclose(math.fsum(law.pmf(z) for z in reach), 1, rel_tol=1e-12)
    assert math.isclose(math.fsum(z * z * law.pmf(z) for z in reach), law.variance, rel_tol=1e-12)
    assert math.isclose(law.sd**2, law.variance, rel_tol=1e-12)
    for t in (0, 1, 5):
        assert math.isclose(math.fsum(law.pmf(z) for z in range(-t, t + 1)), law.within(t), rel_tol=1e-12)


def test_the_variance_of_one_count_is_that_of_the_theory() -> None:
    # V13: 2q / (1 - q)^2 with q = e^-epsilon; the continuous law's 2 / epsilon^2 is a little more
    for epsilon in (Fraction(1, 10), Fraction(1), Fraction(3)):
        q = math.exp(-epsilon)
        variance = Laplace.calibrate(moving(1), PureDP(epsilon)).law().variance
        assert math.isclose(variance, 2 * q / (1 - q) ** 2, rel_tol=1e-12)
        assert variance < 2 / epsilon**2


def test_the_figures_of_a_public_average_are_those_of_the_theory() -> None:
    # V3: weights in [30, 150], n = 1000, epsilon = 0.1: Lap(1.2), on a grid so fine that it is all but continuous
    grid = Fraction(1, 2**20)
    law = Laplace.calibrate(moving(1), PureDP(Fraction(1, 10) * grid / Fraction(12, 100))).law()
    assert math.isclose(law.scale * grid, 1.2)
    assert math.isclose(law.sd * grid, 1.697, rel_tol=1e-3)
    assert math.isclose(law.within(round(3.394 / grid)), 0.9409, rel_tol=1e-4)
    assert math.isclose(law.margin(Fraction(3, 4)) * grid, 1.2 * math.log(4), rel_tol=1e-5)


@pytest.mark.parametrize("scale", SCALES)
def test_floats_of_the_law_keep_their_precision_at_every_scale(scale: Fraction) -> None:
    law = DiscreteLaplaceLaw(scale)
    for z in (0, 1, int(scale), 20 * int(scale)):
        low, high = law.pmf_bounds(z)
        assert low <= high <= low * (1 + Fraction(1, 2**60))
        assert math.isclose(law.pmf(z), float(low), rel_tol=1e-12, abs_tol=1e-300)
    assert math.isclose(law.within(0), law.pmf(0), rel_tol=1e-12)
    assert law.within(-1) == 0
    if scale >= 1000:
        assert math.isclose(law.variance, 2 * float(scale) ** 2, rel_tol=1e-5)


def test_what_is_far_out_is_zero_and_not_an_error() -> None:
    law = DiscreteLaplaceLaw(Fraction(1, 1000))
    assert law.pmf(10**400) == 0 and law.cdf(10**400) == 1 and law.cdf(-(10**400)) == 0
    assert law.pmf(0) == law.within(0) == 1 and law.variance == 0
    assert law.pmf_bounds(100)[0] == 0 < law.pmf_bounds(100)[1]


@given(st.builds(Fraction, st.integers(1, 10**6), st.integers(1, 10**3)), st.integers(1, 10**6))
def test_calibration_spends_the_share_exactly(epsilon: Fraction, l1: int) -> None:
    mechanism = Laplace.calibrate(moving(l1), PureDP(epsilon))
    assert mechanism.event("n", moving(l1)).loss == PureDP(epsilon)


@given(st.integers(1, 50), st.integers(-100, 100))
def test_two_inputs_at_the_full_distance_reach_the_loss(l1: int, z: int) -> None:
    mechanism = Laplace(Fraction(7, 2))
    loss = mechanism.event("n", moving(l1)).loss.epsilon
    ratio = mechanism.law(0).log_ratio(mechanism.law(l1), z)
    assert -loss <= ratio <= loss
    assert mechanism.law(0).log_ratio(mechanism.law(l1), -abs(z)) == loss


def test_laws_of_different_scales_have_no_rational_ratio() -> None:
    with pytest.raises(ValueError):
        DiscreteLaplaceLaw(Fraction(1)).log_ratio(DiscreteLaplaceLaw(Fraction(2)), 0)


def test_what_needs_no_noise_or_allows_no_answer_is_refused() -> None:
    for sensitivity, epsilon, code in ((0, 1, "sensitivity-zero"), (1, 0, "epsilon-zero")):
        with pytest.raises(BadArgument, match=code):
            Laplace.calibrate(moving(sensitivity), PureDP(Fraction(epsilon)))
    for scale, code in ((Fraction(0), "scale-not-positive"), (Fraction(2**56 + 1), "scale-too-large")):
        with pytest.raises(BadArgument, match=code):
            Laplace(scale)


@pytest.mark.parametrize("shape", [(0,), (1,), (FEW,), (FEW + 1,), (3, 200)], ids=str)
def test_every_cell_gets_noise_of_its_own(shape: tuple[int, ...]) -> None:
    exact = np.arange(math.prod(shape)).reshape(shape)
    noise = Laplace(Fraction(2**40)).draw(exact, SeededCoins(1)) - exact
    assert noise.shape == shape and noise.dtype == np.int64
    assert len(np.unique(noise)) == noise.size  # two of 2^41 values agree with probability below 10^-6


def test_the_exact_values_are_left_as_they_were() -> None:
    exact = np.zeros(1000, np.int64)
    Laplace(Fraction(50)).draw(exact, SeededCoins(1))
    assert not exact.any()


@pytest.mark.parametrize("n", [1, FEW + 1])
def test_answers_never_wrap_around(n: int) -> None:
    ends = np.iinfo(np.int64)
    for exact in (ends.max, ends.min):
        released = Laplace(Fraction(2**56)).draw(np.full(n, exact), SeededCoins(1))
        assert np.all(np.abs(released) <= FARTHEST)
        assert np.all(np.sign(released) == np.sign(exact))


def test_noise_is_added_to_integers_only() -> None:
    with pytest.raises(TypeError, match="int64"):
        Laplace(Fraction(1)).draw(np.zeros(3), SeededCoins(1))


def test_one_integer_may_be_of_any_size() -> None:
    assert abs(Laplace(Fraction(1)).draw_one(10**30, SeededCoins(1)) - 10**30) < 100
