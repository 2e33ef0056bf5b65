"""The samplers: every comparison is exact, also where the bits are crafted to leave it open. See docs/proofs/sampler.md."""

from __future__ import annotations

import decimal
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from lapcat.core.coins import Word
from lapcat.core.exact import exp_bounds
from lapcat.core.sampling import (
    FARTHEST,
    bernoulli,
    bernoulli_exp,
    discrete_laplace,
    discrete_laplace_one,
    saturating_add,
    uniform_below,
)
from lapcat.core.sampling.bernoulli import bernoulli_exp_ratio
from lapcat.core.sampling.blocks import LARGEST, BlockTable, Tail
from lapcat.core.sampling.laplace import LARGEST_SCALE, _Blocks, _sampler, block_bits
from lapcat.core.sampling.lazy import LazyUniform
from lapcat.errors import BadArgument
from lapcat.testing.coins import SeededCoins

FULL = (1 << 64) - 1
AWKWARD = Fraction(200000 * 2**14 * 7, 3)
SMALL = [Fraction(1, 1000), Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(50), Fraction(127999, 1000)]
LARGE = [Fraction(128), Fraction(1000), AWKWARD, Fraction(2**40), Fraction(2**54 - 1), Fraction(2**56)]

SURE = Decimal(10) ** -180  # the oracle below is right to 199 digits


@pytest.fixture(autouse=True, scope="module")
def oracle() -> Iterator[None]:
    """An independent road to the same numbers: the exponential of Python's decimal module, correctly rounded."""
    with decimal.localcontext(prec=200):
        yield


def e_to_minus(x: Fraction) -> Decimal:
    return (-Decimal(x.numerator) / Decimal(x.denominator)).exp()


def tail_probability(tail: Tail, h: int) -> Decimal:
    geometric = e_to_minus((h + 1) * tail.x)
    return 2 * geometric / (1 + e_to_minus(tail.x)) if tail.folded else geometric


def inverts(tail: Tail, h: int, prefix: int, bits: int) -> bool:
    """Whether Pr[H > h] <= U < Pr[H > h - 1] for every U that begins with these bits."""
    low, high = Decimal(prefix) / Decimal(2**bits), Decimal(prefix + 1) / Decimal(2**bits)
    reached = low >= tail_probability(tail, h) + SURE
    return reached and (h == 0 or high <= tail_probability(tail, h - 1) - SURE)


def leading_bits(number: Decimal, bits: int) -> int:
    """The first bits of a number in (0, 1), whose digits the oracle knows far beyond them."""
    return int(number * 2**bits)


class ScriptedCoins:
    """Serves the arrays and the bits that a test wrote, in order, and fails on anything else."""

    cryptographic = False

    def __init__(self, arrays: list[list[int]] | None = None, bits: list[int] | None = None) -> None:
        self.arrays, self.words = list(arrays or []), list(bits or [])

    def array(self, n: int, dtype: type[Word]) -> NDArray[Word]:
        if not n:
            return np.empty(0, dtype)
        served = np.array(self.arrays.pop(0), dtype)
        assert len(served) == n
        return served

    def bits(self, n: int) -> int:
        word = self.words.pop(0)
        assert 0 <= word < 1 << n
        return word

    def below(self, m: int) -> int:
        return self.bits((m - 1).bit_length())

    @property
    def used_up(self) -> bool:
        return not self.arrays and not self.words


# ---- lazy comparison


def test_a_comparison_left_open_continues_the_same_bits() -> None:
    x = Fraction(1, 3)
    at_128 = leading_bits(e_to_minus(x), 128)
    for last, answer in ((0, True), (FULL, False)):
        coins = ScriptedCoins(bits=[at_128 >> 64, at_128 & FULL, last])
        uniform = LazyUniform(coins)
        assert uniform.is_below(lambda bits: exp_bounds(x, bits)) is answer
        assert coins.used_up and uniform.bits == 192
        assert uniform.prefix == at_128 << 64 | last
        assert (Decimal(uniform.prefix) / Decimal(2**192) < e_to_minus(x)) is answer


def test_a_comparison_that_the_prefix_settles_draws_nothing() -> None:
    no_coins = ScriptedCoins()
    assert LazyUniform(no_coins, 0b0100, 4).is_below(lambda bits: exp_bounds(Fraction(1), bits))  # 5/16 < 1/e
    assert not LazyUniform(no_coins, 0b0110, 4).is_below(lambda bits: exp_bounds(Fraction(1), bits))
    assert LazyUniform(no_coins).is_below(lambda bits: exp_bounds(Fraction(0), bits))


@given(st.builds(Fraction, st.integers(0, 500), st.integers(1, 100)), st.integers(0, FULL))
def test_a_coin_of_bias_e_to_the_minus_x_compares_with_it_exactly(x: Fraction, word: int) -> None:
    shown = bernoulli_exp(x, ScriptedCoins(bits=[word, 1 << 63] + [0] * 12))
    assert shown == ((word + Decimal("0.5")) / Decimal(2**64) < e_to_minus(x))


def test_the_integer_coin_stops_at_the_first_failure_and_looks_at_its_parity() -> None:
    # coins of bias 2/3, 2/6, 2/9: success, success, failure at k = 3, which is odd
    assert bernoulli_exp_ratio(2, 3, ScriptedCoins(bits=[1, 0, 5]))
    assert not bernoulli_exp_ratio(2, 3, ScriptedCoins(bits=[0, 4]))
    assert bernoulli_exp_ratio(0, 3, ScriptedCoins(bits=[0]))


# ---- uniform integers and coins of rational bias


@pytest.mark.parametrize("m", [1, 2, 3, 6, 255, 256, 257, 2**16, 2**16 + 1, 2**32 + 5, 2**62 + 1, 2**63])
def test_uniform_integers_stay_below_their_bound(m: int) -> None:
    drawn = uniform_below(m, 2000, SeededCoins(1))
    assert drawn.dtype == np.int64 and drawn.min() >= 0 and int(drawn.max()) < m
    # a fair sample's mean strays from (m - 1)/2 by eight standard errors less often than once in 10^14
    assert abs(drawn.mean() - (m - 1) / 2) <= 8 * m / np.sqrt(12 * 2000)


def test_uniform_integers_use_every_word_once_and_throw_the_rest_away() -> None:
    words = [bits << 5 for bits in range(8)]  # the first three bits of each byte count
    drawn = uniform_below(6, 8, ScriptedCoins([words, [7 << 5, 2 << 5], [1 << 5]]))
    assert drawn.tolist() == [0, 1, 2, 3, 4, 5, 1, 2]


@pytest.mark.parametrize("m", [0, -1, 2**63 + 1])
def test_uniform_integers_refuse_a_bound_they_cannot_hold(m: int) -> None:
    with pytest.raises(ValueError):
        uniform_below(m, 1, SeededCoins(1))


@pytest.mark.parametrize(
    ("p", "hits"), [(Fraction(0), 0), (Fraction(1), 256), (Fraction(1, 4), 64), (Fraction(37, 256), 37)]
)
def test_a_coin_of_short_bias_is_exact_over_all_bytes(p: Fraction, hits: int) -> None:
    assert bernoulli(p, 256, ScriptedCoins([list(range(256)), [0]])).sum() == hits


def test_a_coin_compares_with_its_bias_digit_by_digit() -> None:
    # 1/3 = 0.555... in base 16
    first, second, third = [0x54, 0x55, 0x56, 0x55, 0x55], [0x55, 0x54, 0x56], [0x56]
    shown = bernoulli(Fraction(1, 3), 5, ScriptedCoins([first, second, third]))
    assert shown.tolist() == [True, False, False, True, False]


@given(st.fractions(0, 1), st.lists(st.integers(0, 255), min_size=40, max_size=40))
def test_a_coin_shows_whether_the_number_is_below_its_bias(p: Fraction, number: list[int]) -> None:
    shown = bernoulli(p, 1, ScriptedCoins([[byte] for byte in number]))
    below, step = Fraction(int.from_bytes(bytes(number), "big"), 256**40), Fraction(1, 256**40)
    if not below <= p < below + step:
        assert shown[0] == (below < p)


def test_a_probability_outside_zero_to_one_is_refused() -> None:
    for p in (Fraction(-1, 10), Fraction(11, 10)):
        with pytest.raises(ValueError):
            bernoulli(p, 1, SeededCoins(1))


# ---- the table


def table_of(scale: Fraction) -> BlockTable:
    return _sampler(scale)._table


@pytest.mark.parametrize("scale", [*SMALL, *LARGE])
def test_the_table_encloses_every_tail_probability(scale: Fraction) -> None:
    table = table_of(scale)
    lower, upper = table._lower_ascending[::-1], table._upper
    assert len(lower) == len(upper) < 5800
    assert int(upper[-1]) <= 1
    for h in sorted({*range(min(20, len(upper))), *range(0, len(upper), 97), len(upper) - 1}):
        true = tail_probability(table.tail, h) * 2**64
        assert int(lower[h]) <= true <= int(upper[h])
        assert int(upper[h]) - int(lower[h]) <= 2


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(50), AWKWARD, Fraction(2**56)])
def test_the_guide_agrees_with_the_table_at_both_ends_of_every_cell(scale: Fraction) -> None:
    table = table_of(scale)
    decided = np.flatnonzero(table._guide >= 0)
    assert len(decided) > 0.97 * 2**16  # otherwise it would be slow, though still right
    for rest in (0, (1 << 64) - 1):
        searched = table._searched(decided.astype(np.uint16), ScriptedCoins([[rest] * len(decided)]))
        assert np.array_equal(searched, table._guide[decided])


@pytest.mark.parametrize(
    "scale", [Fraction(1, 3), Fraction(7, 2), Fraction(50), Fraction(1000), Fraction(2**56)]
)
def test_bits_inside_a_band_give_what_exact_inversion_gives(scale: Fraction) -> None:
    table = table_of(scale)
    for h in sorted({0, 1, len(table._upper) // 3, len(table._upper) - 2} & set(range(len(table._upper)))):
        at_128 = leading_bits(tail_probability(table.tail, h), 128)  # U begins as Pr[H > h] does
        prefix = at_128 >> 64
        for last, expected in ((0, h + 1), (FULL, h)):
            coins = ScriptedCoins([[prefix >> 48], [prefix << 16 & FULL]], [at_128 & FULL, last])
            assert table.draw(1, coins).tolist() == [expected]
            assert coins.used_up
            assert inverts(table.tail, expected, at_128 << 64 | last, 192)


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(7, 2), Fraction(50), Fraction(1000)])
def test_random_bits_give_what_exact_inversion_gives(scale: Fraction) -> None:
    table, coins = table_of(scale), SeededCoins(5)
    for _ in range(100):
        word = coins.bits(64)
        served = ScriptedCoins([[word >> 48], [word << 16 & FULL]])
        assert inverts(table.tail, int(table.draw(1, served)[0]), word, 64)


def test_the_support_has_no_end() -> None:
    table = table_of(Fraction(7, 2))
    for zeros in (0, 1, 4):  # U < 2^-64, 2^-128, 2^-320
        word = 0x0123_4567_89AB_CDEF
        coins = ScriptedCoins([[0], [0]], [0] * zeros + [word])
        drawn = int(table.draw(1, coins)[0])
        assert inverts(table.tail, drawn, word, 64 * (zeros + 2)) and drawn >= len(table._upper) - 1
        assert coins.used_up


def test_a_tiny_scale_still_reaches_every_integer() -> None:
    # Pr[Z != 0] = 2q/(1 + q) with q = e^-1000 = 2^-1442.7: 22 words of zeros are 1408 bits, the next word decides
    tail = Tail(Fraction(1000), folded=True)
    coins = ScriptedCoins([[0], [0]], [0] * 21 + [1])
    assert table_of(Fraction(1, 1000)).draw(1, coins).tolist() == [1]
    assert tail.bounds(0, 23 * 64)[0] > 1


# ---- the accept step


@pytest.mark.parametrize(
    "scale", [*LARGE, Fraction(255), Fraction(2**35 + 1, 2), Fraction(10**30, 10**15 + 7)]
)
def test_the_accept_bounds_enclose_e_to_the_minus_y(scale: Fraction) -> None:
    sampler, k = _Blocks(scale), block_bits(scale)
    assert 64 <= scale / 2**k < 128
    lows = {0, 1, (1 << k) - 1, (1 << k) // 2, *(1 << j for j in range(k))}
    lows |= {low - 1 for low in lows if low} | set(uniform_below(1 << k, 200, SeededCoins(1)).tolist())
    picked = np.array(sorted(lows), np.int64)
    lower, upper = sampler._kept_bounds(picked)
    for low, least, greatest in zip(picked.tolist(), lower.tolist(), upper.tolist(), strict=True):
        true = e_to_minus(low / scale) * 2**32
        assert least <= true <= greatest
        assert greatest - least == 2734
        assert sampler._surely * 2**16 <= true


@pytest.mark.parametrize("scale", [Fraction(1000), AWKWARD, Fraction(2**40), Fraction(2**56)])
def test_an_accept_step_inside_its_band_continues_the_same_bits(scale: Fraction) -> None:
    sampler, k = _Blocks(scale), block_bits(scale)
    for low in (1, (1 << k) // 2 + 1, (1 << k) - 1):
        at_96 = leading_bits(e_to_minus(low / scale), 96)
        prefix = at_96 >> 64
        for last, kept in ((0, True), (FULL, False)):
            coins = ScriptedCoins([[prefix & 0xFFFF]], [at_96 & FULL, last])
            shown = sampler._kept(np.array([low]), np.array([prefix >> 16], np.uint16), coins)
            assert shown.tolist() == [kept]
            assert coins.used_up
            assert (Decimal(at_96 << 64 | last) / Decimal(2**160) < e_to_minus(low / scale)) is kept


def test_a_rejected_candidate_is_drawn_again() -> None:
    scale, top = Fraction(1000), 0xFFFF
    # block 0 (a large prefix), low = 7, acceptance bits all ones: not kept; then block 0, low = 3, surely kept, minus
    rejected, kept = top << 47 | 7, 1 << 63 | 3
    coins = ScriptedCoins([[top], [rejected], [top], [top], [kept]])
    assert discrete_laplace(scale, 1, coins).tolist() == [-3]
    assert coins.used_up


def test_minus_zero_is_drawn_again_so_that_zero_counts_once() -> None:
    minus_zero, plus_zero = 1 << 63, 0
    coins = ScriptedCoins([[0xFFFF], [minus_zero], [0], [0xFFFF], [plus_zero], [0]])
    assert discrete_laplace(Fraction(1000), 1, coins).tolist() == [0]
    assert coins.used_up


# ---- the noise as a whole


@pytest.mark.parametrize(("sign", "end"), [(0, LARGEST), (1, -LARGEST)])
def test_noise_beyond_int64_saturates(sign: int, end: int) -> None:
    # scale 2^56 has blocks of 2^50; U below 2^-256 means a block beyond 64 * 177, and 2^13 blocks fill an int64
    coins = ScriptedCoins([[0], [0], [sign << 63], [0]], [0, 0, 0, 0x0123_4567_89AB_CDEF])
    assert discrete_laplace(Fraction(2**56), 1, coins).tolist() == [end]
    assert coins.used_up


def test_noise_beyond_int64_is_released_as_if_it_were_exact() -> None:
    for exact in (-FARTHEST, -5, 0, 5, FARTHEST):
        for true_noise in (LARGEST, LARGEST + 1, 10**30):
            released = saturating_add(np.array([exact, exact]), np.array([LARGEST, -LARGEST]))
            assert released.tolist() == [
                max(-FARTHEST, min(FARTHEST, exact + true_noise)),
                max(-FARTHEST, min(FARTHEST, exact - true_noise)),
            ]


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-LARGEST, LARGEST))
def test_adding_noise_never_wraps_around(exact: int, noise: int) -> None:
    inside = max(-FARTHEST, min(FARTHEST, exact))
    expected = max(-FARTHEST, min(FARTHEST, inside + noise))
    assert saturating_add(np.array([exact]), np.array([noise])).tolist() == [expected]


@pytest.mark.parametrize("scale", [*SMALL, *LARGE])
@pytest.mark.parametrize("n", [0, 1, 9, 40000])
def test_any_number_of_draws_is_drawn(scale: Fraction, n: int) -> None:
    drawn = discrete_laplace(scale, n, SeededCoins(2))
    assert drawn.shape == (n,) and drawn.dtype == np.int64


def test_the_same_bits_give_the_same_noise() -> None:
    for scale in (Fraction(7, 2), AWKWARD):
        here, there = SeededCoins(4), SeededCoins(4)
        assert np.array_equal(discrete_laplace(scale, 500, here), discrete_laplace(scale, 500, there))
        assert discrete_laplace_one(scale, here) == discrete_laplace_one(scale, there)


def test_a_scale_with_long_terms_is_drawn_like_any_other() -> None:
    scale = Fraction(10**300 + 7, 10**295 + 9)
    assert (
        abs(float(discrete_laplace(scale, 5000, SeededCoins(1)).std()) / (float(scale) * 2**0.5) - 1) < 0.15
    )
    assert isinstance(discrete_laplace_one(scale, SeededCoins(1)), int)


@pytest.mark.parametrize(
    ("scale", "code"),
    [
        (Fraction(0), "scale-not-positive"),
        (Fraction(-1), "scale-not-positive"),
        (Fraction(2**56) + Fraction(1, 9), "scale-too-large"),
        (Fraction(10) ** 9000, "scale-too-large"),
    ],
    ids=["zero", "negative", "just-above", "far-above"],
)
def test_a_scale_that_cannot_be_drawn_is_refused(scale: Fraction, code: str) -> None:
    for draw in (
        lambda: discrete_laplace(scale, 3, SeededCoins(1)),
        lambda: discrete_laplace_one(scale, SeededCoins(1)),
    ):
        with pytest.raises(BadArgument) as refusal:
            draw()
        assert refusal.value.code == code and refusal.value.fix


def test_a_scale_that_is_no_fraction_is_refused_before_it_becomes_a_float() -> None:
    for scale in (3, 0.5):
        with pytest.raises(TypeError, match="Fraction"):
            discrete_laplace(scale, 3, SeededCoins(1))


def test_tables_are_kept_but_not_without_limit() -> None:
    assert _sampler.cache_info().maxsize == 64
    assert _sampler(Fraction(50)) is _sampler(Fraction(50))
    assert Fraction(LARGEST_SCALE) == 2**56
