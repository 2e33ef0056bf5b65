"""The exponential mechanism: the numbers of the theory, the sampler's bands, and scores that cannot be."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapcat.core.exact import exp_bounds, exp_down, exp_up
from lapcat.core.loss import ZCDP, PureDP
from lapcat.core.sampling import choice
from lapcat.core.sampling.categorical import LAST, Categories
from lapcat.core.sampling.choice import _cuts, bin_bits, exponential_choice, gaps_below_best
from lapcat.core.sampling.decay import FEW, Decay, bernoulli_decay
from lapcat.core.sensitivity import Sensitivity
from lapcat.errors import BadArgument
from lapcat.mechanisms.integers import Exponential, PermuteAndFlip
from lapcat.mechanisms.integers.choosing import on_a_grid, spread
from lapcat.mechanisms.integers.discrete import cuts_of
from lapcat.testing.coins import SeededCoins

ONE_DAY = Sensitivity(1, Fraction(1), Fraction(1), Fraction(1))
TWO_DAYS = Sensitivity(2, Fraction(1), Fraction(2), Fraction(2))
MANY_DAYS = Sensitivity(7, Fraction(1), Fraction(7), Fraction(7))
BOTH = pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip])

rates = st.builds(Fraction, st.integers(1, 10**6), st.integers(1, 10**6))
scores = st.lists(st.integers(-30, 30), min_size=1, max_size=6)


# ---- V12: the favourite day


def test_the_favourite_day_costs_what_the_theory_says() -> None:
    epsilon = Fraction(1, 2)
    weights = Exponential(epsilon)  # e^(epsilon * n)
    assert weights.event("day", TWO_DAYS).loss == PureDP(2 * epsilon)  # in general
    assert weights.event("day", ONE_DAY).loss == PureDP(epsilon)  # under add-remove: recognised
    assert weights.event("day", MANY_DAYS).loss == PureDP(2 * epsilon)
    assert weights.event("day", MANY_DAYS, monotone=True).loss == PureDP(epsilon)


def test_the_favourite_day_is_nearly_the_best() -> None:
    # with probability >= 1 - beta the count is >= OPT - ln(7 / beta) / epsilon
    for epsilon, beta in ((Fraction(1), Fraction(1, 20)), (Fraction(1, 10), Fraction(1, 100))):
        t = Exponential(epsilon).margin(7, 1 - beta)
        assert math.isclose(t, math.log(7 / beta) / epsilon, rel_tol=1e-12)
        assert exp_up(epsilon * t) >= 7 / beta  # never too small


@BOTH
@given(scores=scores, rate=rates, beta=st.fractions(Fraction(1, 1000), Fraction(1, 2)))
def test_the_margin_holds_for_every_set_of_scores(
    kind: type[Exponential], scores: list[int], rate: Fraction, beta: Fraction
) -> None:
    mechanism = kind(rate)
    t, law = mechanism.margin(len(scores), 1 - beta), mechanism.law(scores)
    worse = (law.low[i] for i, score in enumerate(scores) if score < max(scores) - t)
    assert sum(worse, Fraction(0)) <= beta


# ---- the price


@given(
    st.lists(st.fractions(-5, 5), min_size=1, max_size=6),
)
def test_the_spread_bounds_every_change_of_that_sensitivity(change: list[Fraction]) -> None:
    sizes = [abs(d) for d in change]
    sensitivity = Sensitivity(
        sum(map(bool, change)), max(sizes), sum(sizes, Fraction(0)), sum((s * s for s in sizes), Fraction(0))
    )
    moved = max(change) - min(change)
    assert moved <= spread(sensitivity)
    if min(change) >= 0 or max(change) <= 0:
        assert moved <= spread(sensitivity, monotone=True) <= spread(sensitivity)


@BOTH
@given(here=scores, rate=rates, data=st.data())
def test_neighbouring_scores_are_as_alike_as_the_event_says(
    kind: type[Exponential], here: list[int], rate: Fraction, data: st.DataObject
) -> None:
    change = data.draw(st.lists(st.integers(-2, 2), min_size=len(here), max_size=len(here)))
    there = [score + d for score, d in zip(here, change, strict=True)]
    moved = Fraction(max(change) - min(change))
    law, other = kind(rate).law(here), kind(rate).law(there)
    epsilon = rate * moved
    for outcome in law.outcomes:
        assert law.low[outcome] <= exp_up(min(epsilon, Fraction(8000))) * other.high[outcome]


@BOTH
def test_a_candidate_far_below_reaches_the_loss(kind: type[Exponential]) -> None:
    for there, sensitivity in (([1, 60], ONE_DAY), ([1, 59], TWO_DAYS)):
        mechanism = kind(Fraction(2, 3))
        epsilon = mechanism.event("x", sensitivity).loss.epsilon
        law, other = mechanism.law(there), mechanism.law([0, 60])
        low, high = law.log_ratio_bounds(other, 0)
        assert low <= epsilon and high >= epsilon - Fraction(1, 2**40)


@BOTH
def test_calibration_spends_the_share_exactly(kind: type[Exponential]) -> None:
    share = PureDP(Fraction(3, 7))
    for sensitivity in (ONE_DAY, TWO_DAYS, MANY_DAYS):
        for monotone in (False, True):
            for picks in (1, 3):
                mechanism = kind.calibrate(sensitivity, share, monotone=monotone, picks=picks)
                assert mechanism.event("x", sensitivity, monotone=monotone, picks=picks).loss == share


def test_concentrated_the_exponential_mechanism_is_four_times_cheaper() -> None:
    assert Exponential(Fraction(1)).event("x", ONE_DAY, picks=3).as_zcdp() == ZCDP(Fraction(3, 8))
    assert PermuteAndFlip(Fraction(1)).event("x", ONE_DAY, picks=3).as_zcdp() == ZCDP(Fraction(3, 2))


@given(here=scores, rate=st.fractions(Fraction(1, 100), 2), data=st.data())
def test_the_concentrated_price_bounds_the_divergence(
    here: list[int], rate: Fraction, data: st.DataObject
) -> None:
    change = data.draw(st.lists(st.integers(0, 1), min_size=len(here), max_size=len(here)))
    there = [score + d for score, d in zip(here, change, strict=True)]
    rho = float(Exponential(rate).event("x", MANY_DAYS, monotone=True).as_zcdp().rho)
    law, other = Exponential(rate).law(here), Exponential(rate).law(there)
    for order in (1.5, 2.0, 5.0, 20.0):
        moment = math.fsum(other.pmf(i) * (law.pmf(i) / other.pmf(i)) ** order for i in law.outcomes)
        assert math.log(moment) / (order - 1) <= rho * order + 1e-12


# ---- choosing


@BOTH
def test_several_picks_are_different(kind: type[Exponential]) -> None:
    picked = kind(Fraction(1, 100)).draw_several([3, 1, 4, 1, 5], 5, SeededCoins(1))
    assert sorted(picked) == [0, 1, 2, 3, 4]
    assert kind(Fraction(1000)).draw_several([3, 1, 4, 1, 5], 3, SeededCoins(1)) == (4, 2, 0)


@BOTH
def test_the_second_pick_is_drawn_from_those_that_are_left(kind: type[Exponential]) -> None:
    values, n, coins = [2, 0, 1], 1000, SeededCoins(7)
    mechanism = kind(Fraction(1))
    law = mechanism.law(values)
    seen: dict[tuple[int, ...], int] = {}
    for _ in range(n):
        pair = mechanism.draw_several(values, 2, coins)
        seen[pair] = seen.get(pair, 0) + 1
    for first in range(3):
        left = [i for i in range(3) if i != first]
        then = mechanism.law([values[i] for i in left])
        for place, second in enumerate(left):
            p = law.pmf(first) * then.pmf(place)
            assert abs(seen.get((first, second), 0) - n * p) < 6 * math.sqrt(n * p)


@BOTH
def test_equal_scores_are_chosen_evenly(kind: type[Exponential]) -> None:
    drawn = kind(Fraction(1)).draw_repeatedly(np.full(5, -3), 50_000, SeededCoins(1))
    assert np.all(np.abs(np.bincount(drawn, minlength=5) - 10_000) < 6 * 100)


@BOTH
@pytest.mark.parametrize("size", [1, 2, 1000])
def test_the_ends_of_int64_are_no_obstacle(kind: type[Exponential], size: int) -> None:
    ends = np.iinfo(np.int64)
    wide = np.full(size, ends.min)
    wide[size // 2] = ends.max
    for rate in (Fraction(1000), Fraction(1), Fraction(1, 2**40)):
        assert kind(rate).draw(wide, SeededCoins(1)) == size // 2
    assert 0 <= kind(Fraction(1, 2**80)).draw(wide, SeededCoins(1)) < size


@BOTH
@pytest.mark.parametrize(
    "given_scores",
    [
        [1, 3, 2],
        ["0.1", "0.3", "0.2"],
        [0.1, 0.3, 0.2],
        [Fraction(1, 7), 1, Decimal("0.5")],
        np.array([0.1, 0.3, 0.2]),
    ],
)
def test_scores_may_be_any_exact_numbers(kind: type[Exponential], given_scores: list[object]) -> None:
    assert kind(Fraction(10**6)).draw(given_scores, SeededCoins(1)) == 1
    whole, parts = on_a_grid(given_scores)
    law = kind(Fraction(2)).law(given_scores)
    assert law == kind(Fraction(2, parts)).law(whole)


@BOTH
@pytest.mark.parametrize(
    ("given_scores", "code", "shown"),
    [
        ([], "candidates-empty", "0 candidates"),
        (np.zeros(0, np.int64), "candidates-empty", "0 candidates"),
        (np.zeros((2, 2), np.int64), "scores-shape", "(2, 2)"),
        ([1.0, math.nan], "number-unreadable", "nan"),
        (np.array([1.0, math.inf]), "number-unreadable", "inf"),
        (["1e-30", "1e30"], "scores-span", "1e+30"),
        ([2**63], "scores-span", "9.22337e+18"),
        ([True, False], "number-unreadable", "True"),
    ],
)
def test_scores_that_cannot_be_are_refused(
    kind: type[Exponential], given_scores: list[object], code: str, shown: str
) -> None:
    with pytest.raises(BadArgument) as caught:
        kind(Fraction(1)).draw(given_scores, SeededCoins(1))
    assert caught.value.code == code and shown in caught.value.message and caught.value.fix


@BOTH
def test_what_makes_no_choice_is_refused(kind: type[Exponential]) -> None:
    nothing = Sensitivity(0, Fraction(0), Fraction(0), Fraction(0))
    for call, code, shown in (
        (lambda: kind(Fraction(0)), "epsilon-zero", "0"),
        (lambda: kind(Fraction(-2, 3)), "epsilon-sign", "-2/3"),
        (lambda: kind.calibrate(nothing, PureDP(Fraction(1))), "sensitivity-zero", "0"),
        (lambda: kind.calibrate(ONE_DAY, PureDP(Fraction(0))), "epsilon-zero", "0"),
        (lambda: kind(Fraction(1)).event("x", ONE_DAY, picks=0), "picks-range", "0"),
        (lambda: kind(Fraction(1)).draw_several([1, 2], 3, SeededCoins(1)), "picks-range", "3"),
        (lambda: kind(Fraction(1)).margin(0, Fraction(1, 2)), "candidates-empty", "0"),
        (lambda: kind(Fraction(1)).margin(3, Fraction(2)), "probability-range", "2"),
    ):
        with pytest.raises(BadArgument) as caught:
            call()
        assert caught.value.code == code and shown in caught.value.message and caught.value.fix
    for rate in (1, 0.5, math.nan):
        with pytest.raises(TypeError, match=str(rate)):
            kind(rate)  # type: ignore[arg-type]


# ---- the sampler, against exact arithmetic (docs/proofs/choice.md)

RATES = [
    Fraction(1000),
    Fraction(3),
    Fraction(1, 10),
    Fraction(1, 2**17),
    Fraction(1, 2**16),
    Fraction(7, 10**13),
    Fraction(1, 2**64),
    Fraction(1, 2**90),
]


@pytest.mark.parametrize("rate", RATES, ids=str)
def test_the_bounds_for_a_coin_enclose_its_bias(rate: Fraction) -> None:
    rng = np.random.default_rng(5)
    reach = min(2.0**63, 24 / float(rate))
    gaps = np.concatenate(
        [
            np.array([0, 1, 2, 255, 256, 2**16 - 1, 2**16, 2**24, 2**63, 2**64 - 1], np.uint64),
            rng.integers(0, 2**63, 300).astype(np.uint64) >> rng.integers(0, 63, 300).astype(np.uint64),
            (rng.random(1000) * reach).astype(np.uint64),
        ]
    )
    lower, upper = Decay(rate).bounds(gaps)
    for low, high, gap in zip(lower.tolist(), upper.tolist(), gaps.tolist(), strict=True):
        e_low, e_high = exp_bounds(rate * gap, 31 + 100)
        assert low << 100 <= e_low and e_high <= high << 100
        assert high - low <= 10 + (high >> 15)  # narrow, so that few coins are open


class FixedWords(SeededCoins):
    """Coins whose first words are given; what follows is seeded."""

    def __init__(self, words: list[int]) -> None:
        super().__init__(1)
        self.words = words

    def array(self, n, dtype):  # type: ignore[no-untyped-def]
        given_words, self.words = self.words[:n], self.words[n:]
        return np.concatenate([np.array(given_words, dtype), super().array(n - len(given_words), dtype)])


def test_a_coin_inside_its_band_continues_the_same_bits() -> None:
    rate, gap = Fraction(1, 10), 7
    gaps = np.full(FEW + 1, gap, np.uint64)
    low, high = (int(ends[0]) for ends in Decay(rate).bounds(gaps))
    true = Fraction(exp_bounds(rate * gap, 100)[0], 2**100)
    for prefix in range(low - 2, high + 2):
        coin = bernoulli_decay(rate, gaps, FixedWords([prefix << 1] * len(gaps)))
        if prefix + 1 <= true * 2**31:
            assert coin.all()
        elif prefix >= true * 2**31 + 1:
            assert not coin.any()


def test_many_coins_and_few_have_the_same_bias() -> None:
    for size in (FEW, 50_000):
        gaps = np.arange(size, dtype=np.uint64) % np.uint64(4)
        rounds = 50_000 // size
        coins = SeededCoins(3)
        shown = np.concatenate([bernoulli_decay(Fraction(1, 2), gaps, coins) for _ in range(rounds)])
        for gap in range(4):
            here = shown[np.tile(gaps, rounds) == gap]
            p = math.exp(-gap / 2)
            assert abs(here.sum() - len(here) * p) <= 6 * math.sqrt(len(here) * p * (1 - p) + 1e-9)


@given(rates, st.lists(st.integers(1, 10**6), min_size=2, max_size=12), st.sampled_from([0, 8, 64, 128]))
def test_the_cuts_enclose_the_law_of_the_bins(rate: Fraction, sizes: list[int], bits: int) -> None:
    bins = [3 * j for j in range(len(sizes))]
    lower, upper = _cuts(rate, bins, sizes, bits)
    precise = [exp_bounds(j * rate, 400) for j in bins]
    for i in range(len(sizes) - 1):
        a_low = sum(size * low for size, (low, _) in zip(sizes[: i + 1], precise, strict=False))
        a_high = sum(size * high for size, (_, high) in zip(sizes[: i + 1], precise, strict=False))
        b_low = sum(size * low for size, (low, _) in list(zip(sizes, precise, strict=True))[i + 1 :])
        b_high = sum(size * high for size, (_, high) in list(zip(sizes, precise, strict=True))[i + 1 :])
        assert lower[i] * (a_high + b_low) <= a_high << bits
        assert upper[i] * (a_low + b_high) >= a_low << bits
        assert upper[i] - lower[i] <= 3
    assert lower == sorted(lower) and upper == sorted(upper)


def test_a_category_whose_bits_tie_continues_them() -> None:
    third = Categories(cuts_of([Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)]))
    tie = (1 << 64) // 3  # 2^64 / 3 lies between this prefix and the next
    drawn = [third.draw(1, FixedWords([tie + d]))[0] for d in (-1, 1)]
    assert drawn == [0, 1]
    assert {int(third.draw(1, FixedTie(tie, follow))[0]) for follow in (0, 2**64 - 1)} == {0, 1}


class FixedTie(FixedWords):
    """A first word, and the bits that continue it."""

    def __init__(self, word: int, follow: int) -> None:
        super().__init__([word])
        self.follow = follow

    def bits(self, n: int) -> int:
        return self.follow >> (64 - n)


def test_a_category_without_a_chance_is_never_drawn() -> None:
    last = Categories(cuts_of([Fraction(0), Fraction(1), Fraction(0), Fraction(0)]))
    for word in (0, 1, LAST - 1, LAST):
        assert last.draw(1, FixedWords([word]))[0] == 1
    assert Categories(cuts_of([Fraction(1)])).draw(3, SeededCoins(1)).tolist() == [0, 0, 0]


@given(rates)
def test_members_of_a_bin_are_kept_often(rate: Fraction) -> None:
    k = bin_bits(rate)
    assert k == 0 or rate * 2**k <= 1
    assert rate * 2 ** (k + 1) > 1
    assert exp_down(-min(rate * 2**k, Fraction(1))) > Fraction(1, 3)


def test_tiny_rates_have_bins_too() -> None:
    assert bin_bits(Fraction(1, 2**80)) == 62


def test_gaps_do_not_wrap_around() -> None:
    ends = np.iinfo(np.int64)
    assert gaps_below_best(np.array([ends.min, ends.max, 0])).tolist() == [2**64 - 1, 0, 2**63 - 1]
    with pytest.raises(TypeError, match="float64"):
        gaps_below_best(np.zeros(3))


def test_candidates_beyond_the_last_bin_keep_their_law(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "BINS", 2)  # so that most candidates share the last bin
    rate, values, n = Fraction(1, 3), np.array([0, -2, -7, -7, -9, -12]), 50_000
    drawn = np.bincount(exponential_choice(rate, values, n, SeededCoins(4)), minlength=len(values))
    law = Exponential(rate).law(values)
    for outcome in law.outcomes:
        p = law.pmf(outcome)
        assert abs(drawn[outcome] - n * p) < 6 * math.sqrt(n * p)
