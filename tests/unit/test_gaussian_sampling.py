"""The discrete Gaussian sampler and the sums behind it: exact, also where the bits are crafted. See docs/proofs/gaussian.md."""

from __future__ import annotations

import decimal
import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.sampling import discrete_gaussian, discrete_gaussian_one, uniform_below
from lapcat.core.sampling.blocks import LARGEST, BlockTable
from lapcat.core.sampling.gaussian import (
    LARGEST_SIGMA_SQUARED,
    SHORT,
    GaussianTail,
    _Blocks,
    _sampler,
    _shows,
    block_bits,
)
from lapcat.core.theta import (
    NARROW,
    _wide_tail,
    narrow_tails,
    pi_bounds,
    survival_bounds,
    tail_bounds,
    total_bounds,
)
from lapcat.errors import BadArgument
from lapcat.testing.coins import SeededCoins
from tests.unit.test_sampling import FULL, ScriptedCoins, e_to_minus, leading_bits

AWKWARD = Fraction((200000 * 2**14) ** 2 * 7, 3)
SMALL = [
    Fraction(1, 10**6),
    Fraction(1, 3),
    Fraction(1),
    Fraction(49, 4),
    Fraction(2500),
    Fraction(127999**2, 10**6),
]
LARGE = [
    Fraction(128**2),
    Fraction(10**6),
    Fraction(255**2 - 1),
    Fraction(2**26 + 1, 3),
    AWKWARD,
    Fraction(2**80),
    Fraction(2**108 - 1),
    Fraction(2**112),
]
SURE = Decimal(10) ** -150


@pytest.fixture(autouse=True, scope="module")
def oracle() -> Iterator[None]:
    """An independent road to the same numbers: the exponential of Python's decimal module, correctly rounded."""
    with decimal.localcontext(prec=200):
        yield


@lru_cache(32)
def weights(sigma_squared: Fraction) -> list[Decimal]:
    """e^(-j² / (2 sigma²)) for j = 0, 1, 2, ... down to 10^-190."""
    terms: list[Decimal] = []
    while not terms or terms[-1] > Decimal(10) ** -190:
        terms.append(e_to_minus(len(terms) ** 2 / (2 * sigma_squared)))
    return terms


@lru_cache(256)
def tail_sum(sigma_squared: Fraction, h: int) -> Decimal:
    return sum(weights(sigma_squared)[h + 1 :], Decimal(0))


def tail_probability(tail: GaussianTail, h: int) -> Decimal:
    fold = 2 if tail.folded else 1
    return fold * tail_sum(tail.sigma_squared, h) / (1 + fold * tail_sum(tail.sigma_squared, 0))


def inverts(tail: GaussianTail, h: int, prefix: int, bits: int) -> bool:
    """Whether Pr[H > h] <= U < Pr[H > h - 1] for every U that begins with these bits."""
    low, high = Decimal(prefix) / Decimal(2**bits), Decimal(prefix + 1) / Decimal(2**bits)
    reached = low >= tail_probability(tail, h) + SURE
    return reached and (h == 0 or high <= tail_probability(tail, h - 1) - SURE)


def table_of(sigma_squared: Fraction) -> BlockTable:
    return _sampler(sigma_squared)._table


# ---- the sums


@pytest.mark.patient
@pytest.mark.parametrize("sigma_squared", [*SMALL, Fraction(2**14 - 1), Fraction(2**14)])
@pytest.mark.parametrize("bits", [20, 64, 200])
def test_a_narrow_sum_is_enclosed_within_two_units(sigma_squared: Fraction, bits: int) -> None:
    lower, upper = narrow_tails(sigma_squared, bits)
    for h in {0, 1, 2, len(lower) // 3, len(lower) // 2, len(lower) - 1} & set(range(len(lower))):
        true = tail_sum(sigma_squared, h) * 2**bits
        assert lower[h] <= true + SURE and true <= upper[h] and upper[h] - lower[h] <= 2
    assert lower[-1] == 0 and upper[-1] == 1


@pytest.mark.patient
@pytest.mark.parametrize("sigma_squared", [Fraction(NARROW), Fraction(10**5, 3), Fraction(300**2)])
def test_a_wide_sum_is_that_of_its_terms(sigma_squared: Fraction) -> None:
    sigma = math.isqrt(int(sigma_squared))
    for z in (0, 1, sigma, 7 * sigma, 15 * sigma, 20 * sigma):
        for bits in (30, 128, 300):
            low, high = _wide_tail(sigma_squared, z + 1, bits)
            true = tail_sum(sigma_squared, z) * 2**bits
            assert low <= true <= high <= low + 2
    low, high = total_bounds(sigma_squared, 200)
    assert low <= (1 + 2 * tail_sum(sigma_squared, 0)) * 2**200 <= high <= low + 4


@pytest.mark.parametrize("sigma_squared", [Fraction(10**12), AWKWARD, LARGEST_SIGMA_SQUARED + Fraction(1, 9)])
@pytest.mark.parametrize("times", [0, 1, 5, 9])
def test_a_very_wide_law_is_all_but_normal(sigma_squared: Fraction, times: int) -> None:
    sigma = math.isqrt(int(sigma_squared))
    low, high = survival_bounds(sigma_squared, times * sigma, 150)
    normal = math.erfc((times * sigma + 0.5) / math.sqrt(2 * sigma_squared)) / 2
    assert high - low <= 2 and math.isclose(low / 2**150, normal, rel_tol=1e-11)


@settings(max_examples=40)
@given(st.fractions(Fraction(NARROW), 10**9), st.integers(0, 10**5))
def test_a_wide_sum_loses_one_term_at_a_time(sigma_squared: Fraction, z: int) -> None:
    here, there = tail_bounds(sigma_squared, z, 150), tail_bounds(sigma_squared, z + 1, 150)
    term = e_to_minus((z + 1) ** 2 / (2 * sigma_squared)) * 2**150
    assert here[0] - there[1] <= term <= here[1] - there[0]


def test_the_two_ways_to_add_up_agree_where_they_meet() -> None:
    lower, upper = narrow_tails(Fraction(NARROW), 128)
    for z in range(0, 1500, 53):
        low, high = _wide_tail(Fraction(NARROW), z + 1, 128)
        assert max(low, lower[z]) <= min(high, upper[z])


@pytest.mark.parametrize("sigma_squared", [Fraction(1, 3), Fraction(2500), Fraction(10**12, 7)])
def test_both_halves_of_the_law_make_one(sigma_squared: Fraction) -> None:
    for z in (0, 1, 17, 10**5):
        above, mirrored = survival_bounds(sigma_squared, z, 100), survival_bounds(sigma_squared, -z - 1, 100)
        assert (above[0] + mirrored[1], above[1] + mirrored[0]) == (2**100, 2**100)


def test_pi_is_enclosed() -> None:
    pi = Decimal(
        "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798"
    )
    for bits in (0, 1, 53, 64, 200, 300):
        low, high = pi_bounds(bits)
        assert low <= pi * 2**bits <= high <= low + 2


def test_what_the_sums_cannot_compute_is_refused() -> None:
    for ask in (
        lambda: tail_bounds(Fraction(1), -1, 64),
        lambda: narrow_tails(Fraction(0), 64),
        lambda: narrow_tails(Fraction(NARROW + 1), 64),
        lambda: pi_bounds(10**6),
    ):
        with pytest.raises(ValueError):
            ask()


# ---- the table


@pytest.mark.patient
@pytest.mark.parametrize("sigma_squared", [*SMALL, *LARGE])
def test_the_table_encloses_every_tail_probability(sigma_squared: Fraction) -> None:
    table = table_of(sigma_squared)
    lower, upper = table._lower_ascending[::-1], table._upper
    assert len(lower) == len(upper) == len(table) <= 1209
    assert int(upper[-1]) <= 1 and int(upper[0]) < FULL
    for h in sorted({*range(min(20, len(upper))), *range(0, len(upper), 97), len(upper) - 1}):
        true = tail_probability(table.tail, h) * 2**64
        assert int(lower[h]) <= true <= int(upper[h])
        assert int(upper[h]) - int(lower[h]) <= 2
        bounds = table.tail.bounds(h, 150)
        assert bounds[0] <= tail_probability(table.tail, h) * 2**150 <= bounds[1] <= bounds[0] + 2


@pytest.mark.parametrize("sigma_squared", [Fraction(1, 3), Fraction(2500), AWKWARD, Fraction(2**112)])
def test_the_guide_agrees_with_the_table_at_both_ends_of_every_cell(sigma_squared: Fraction) -> None:
    table = table_of(sigma_squared)
    decided = np.flatnonzero(table._guide >= 0)
    assert len(decided) > 0.98 * 2**16  # otherwise it would be slow, though still right
    for rest in (0, FULL):
        searched = table._searched(decided.astype(np.uint16), ScriptedCoins([[rest] * len(decided)]))
        assert np.array_equal(searched, table._guide[decided])


@pytest.mark.parametrize(
    "sigma_squared", [Fraction(1, 3), Fraction(49, 4), Fraction(2500), Fraction(10**6), AWKWARD]
)
def test_bits_inside_a_band_give_what_exact_inversion_gives(sigma_squared: Fraction) -> None:
    table = table_of(sigma_squared)
    for h in sorted({0, 1, len(table) // 3, len(table) - 2} & set(range(len(table)))):
        at_128 = leading_bits(tail_probability(table.tail, h), 128)  # U begins as Pr[H > h] does
        prefix = at_128 >> 64
        for last, expected in ((0, h + 1), (FULL, h)):
            coins = ScriptedCoins([[prefix >> 48], [prefix << 16 & FULL]], [at_128 & FULL, last])
            assert table.draw(1, coins).tolist() == [expected]
            assert coins.used_up
            assert inverts(table.tail, expected, at_128 << 64 | last, 192)


@pytest.mark.parametrize("sigma_squared", [Fraction(1, 3), Fraction(49, 4), Fraction(10**6)])
def test_random_bits_give_what_exact_inversion_gives(sigma_squared: Fraction) -> None:
    table, coins = table_of(sigma_squared), SeededCoins(5)
    for _ in range(60):
        word = coins.bits(64)
        served = ScriptedCoins([[word >> 48], [word << 16 & FULL]])
        assert inverts(table.tail, int(table.draw(1, served)[0]), word, 64)


def test_the_support_has_no_end() -> None:
    table = table_of(Fraction(49, 4))
    for zeros in (0, 1, 4):  # U < 2^-64, 2^-128, 2^-320
        word = 0x0123_4567_89AB_CDEF
        coins = ScriptedCoins([[0], [0]], [0] * zeros + [word])
        drawn = int(table.draw(1, coins)[0])
        assert inverts(table.tail, drawn, word, 64 * (zeros + 2)) and drawn >= len(table) - 1
        assert coins.used_up


# ---- the accept step


def picks(sampler: _Blocks, k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Blocks and lows at the ends, at powers of two and at random."""
    last = sampler._known - 1
    lows = {0, 1, (1 << k) - 1, (1 << k) // 2, *(1 << j for j in range(k))}
    lows |= {low - 1 for low in lows if low} | set(uniform_below(1 << k, 20, SeededCoins(1)).tolist())
    blocks = {0, 1, 2, last // 5, last // 2, last - 1, last}
    both = [(block, low) for block in sorted(blocks) for low in sorted(lows)]
    return np.array([block for block, _ in both]), np.array([low for _, low in both])


@pytest.mark.parametrize("sigma_squared", [*LARGE, Fraction(10**60, 10**30 + 7)])
def test_the_accept_bounds_enclose_e_to_the_minus_y(sigma_squared: Fraction) -> None:
    sampler, k = _Blocks(sigma_squared), block_bits(sigma_squared)
    assert 64**2 <= sigma_squared / 4**k < 128**2
    blocks, lows = picks(sampler, k)
    lower, upper = sampler._kept_bounds(blocks, lows)
    for block, low, least, largest in zip(
        *(row.tolist() for row in (blocks, lows, lower, upper)), strict=True
    ):
        y = (2 * block * 2**k + low) * low / (2 * sigma_squared)
        assert y == sampler._loss(block, low) and y < Fraction(3, 20)
        true = e_to_minus(y) * 2**32
        assert least <= true <= largest
        assert largest - least <= SHORT + 4 + 2**32 * y**3 / 6
        assert int(sampler._surely[block]) * 2**16 <= true


@pytest.mark.parametrize("sigma_squared", [Fraction(10**6), AWKWARD, Fraction(2**80), Fraction(2**112)])
def test_an_accept_step_inside_its_band_continues_the_same_bits(sigma_squared: Fraction) -> None:
    sampler, k = _Blocks(sigma_squared), block_bits(sigma_squared)
    for block in (0, 70, sampler._known - 1, sampler._known, 5000):  # the last two lie beyond the table
        for low in (1, (1 << k) // 2 + 1, (1 << k) - 1):
            y = (2 * block * 2**k + low) * low / (2 * sigma_squared)
            if y < Fraction(
                1, 2**60
            ):  # e^-y would be all ones and all zeros for longer than the bits written here
                continue
            at_96 = leading_bits(e_to_minus(y), 96)
            prefix = at_96 >> 64
            for last, kept in ((0, True), (FULL, False)):
                coins = ScriptedCoins([[prefix & 0xFFFF]], [at_96 & FULL, last])
                shown = sampler._kept(
                    np.array([block]), np.array([low]), np.array([prefix >> 16], np.uint16), coins
                )
                assert shown.tolist() == [kept]
                assert coins.used_up
                assert (Decimal(at_96 << 64 | last) / Decimal(2**160) < e_to_minus(y)) is kept


def test_a_block_beyond_the_table_is_never_kept_without_a_look() -> None:
    sampler = _Blocks(Fraction(10**6))
    beyond = np.array([sampler._known, sampler._known + 1, LARGEST])
    assert sampler._surely.take(beyond, mode="clip").tolist() == [0, 0, 0]
    lower, upper = sampler._kept_bounds(beyond, np.array([0, 1, 2]))
    assert lower.tolist() == [0] * 3 and upper.tolist() == [2**32] * 3


def test_a_rejected_candidate_is_drawn_again() -> None:
    top = 0xFFFF
    # block 0 (a large prefix), low = 7, acceptance bits all ones: not kept; then block 0, low = 3, surely kept, minus
    rejected, kept = top << 47 | 7, 1 << 63 | 3
    coins = ScriptedCoins([[top], [rejected], [top], [top], [kept]])
    assert discrete_gaussian(Fraction(10**6), 1, coins).tolist() == [-3]
    assert coins.used_up


def test_minus_zero_is_drawn_again_so_that_zero_counts_once() -> None:
    minus_zero, plus_zero = 1 << 63, 0
    coins = ScriptedCoins([[0xFFFF], [minus_zero], [0], [0xFFFF], [plus_zero], [0]])
    assert discrete_gaussian(Fraction(10**6), 1, coins).tolist() == [0]
    assert coins.used_up


class FarOut:
    """A table that always draws one block."""

    def __init__(self, block: int) -> None:
        self.block = block

    def draw(self, n: int, coins: CoinSource) -> NDArray[np.int64]:
        return np.full(n, self.block)


@pytest.mark.parametrize(("sign", "end"), [(0, LARGEST), (1, -LARGEST)])
def test_noise_beyond_int64_saturates(sign: int, end: int) -> None:
    sampler = _Blocks(Fraction(2**112))  # blocks of 2^50, of which 2^13 fill an int64
    sampler._table = FarOut(1 << 13)
    drawn, again = sampler.tried(1, ScriptedCoins([[sign << 63], [0], [0]]))
    assert drawn.tolist() == [end] and not len(again)


# ---- the noise as a whole


def test_a_coin_of_any_exponent_is_a_row_of_coins() -> None:
    # x = 7/3: two coins of bias 1/e, whose coins of bias 1, 1/2, 1/3 first fail at k = 3, which is odd; then one of
    # bias e^(-1/3), whose first coin fails
    shows = ScriptedCoins(bits=[0, 0, 1, 0, 0, 1, 1])
    assert _shows(7, 3, shows) and shows.used_up
    fails_at_once = ScriptedCoins(bits=[0, 1])
    assert not _shows(7, 3, fails_at_once) and fails_at_once.used_up
    assert _shows(0, 3, ScriptedCoins(bits=[0]))
    coins = SeededCoins(1)
    shown = sum(_shows(7, 3, coins) for _ in range(20000))
    assert abs(shown / 20000 - math.exp(-7 / 3)) < 8 * math.sqrt(0.1 * 0.9 / 20000)


@pytest.mark.parametrize("sigma_squared", [*SMALL, *LARGE])
@pytest.mark.parametrize("n", [0, 1, 9, 40000])
def test_any_number_of_draws_is_drawn(sigma_squared: Fraction, n: int) -> None:
    drawn = discrete_gaussian(sigma_squared, n, SeededCoins(2))
    assert drawn.shape == (n,) and drawn.dtype == np.int64


def test_the_same_bits_give_the_same_noise() -> None:
    for sigma_squared in (Fraction(49, 4), AWKWARD):
        here, there = SeededCoins(4), SeededCoins(4)
        first, second = (discrete_gaussian(sigma_squared, 500, coins) for coins in (here, there))
        assert np.array_equal(first, second)
        assert discrete_gaussian_one(sigma_squared, here) == discrete_gaussian_one(sigma_squared, there)


@pytest.mark.parametrize("sigma_squared", [*LARGE, Fraction(10**300 + 7, 10**290 + 9)])
def test_the_spread_is_sigma(sigma_squared: Fraction) -> None:
    drawn = discrete_gaussian(sigma_squared, 10**5, SeededCoins(3)) / math.sqrt(sigma_squared)
    few = [
        discrete_gaussian_one(sigma_squared, SeededCoins(3 + i)) / math.sqrt(sigma_squared)
        for i in range(300)
    ]
    # the variance of a squared normal number is 2; eight standard errors
    assert abs((drawn**2).mean() - 1) < 8 * math.sqrt(2 / 10**5)
    assert abs(np.square(few).mean() - 1) < 8 * math.sqrt(2 / 300)


@pytest.mark.parametrize(
    ("sigma_squared", "code"),
    [
        (Fraction(0), "scale-not-positive"),
        (Fraction(-1), "scale-not-positive"),
        (Fraction(2**112) + Fraction(1, 9), "scale-too-large"),
        (Fraction(10) ** 9000, "scale-too-large"),
    ],
    ids=["zero", "negative", "just-above", "far-above"],
)
def test_a_sigma_that_cannot_be_drawn_is_refused(sigma_squared: Fraction, code: str) -> None:
    for draw in (
        lambda: discrete_gaussian(sigma_squared, 3, SeededCoins(1)),
        lambda: discrete_gaussian_one(sigma_squared, SeededCoins(1)),
    ):
        with pytest.raises(BadArgument) as refusal:
            draw()
        assert refusal.value.code == code and refusal.value.fix


def test_a_sigma_that_is_no_fraction_is_refused_before_it_becomes_a_float() -> None:
    for sigma_squared in (3, 0.5, float("nan"), float("inf")):
        with pytest.raises(TypeError, match="Fraction"):
            discrete_gaussian(sigma_squared, 3, SeededCoins(1))


def test_tables_are_kept_but_not_without_limit() -> None:
    assert _sampler.cache_info().maxsize == 64
    assert _sampler(Fraction(2500)) is _sampler(Fraction(2500))
