"""Quantiles and extremes, chosen by rank: what a unit can do to the choice, exactly, and what the windows say."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lapcat
from lapcat.core.coins import system_coins
from lapcat.core.event import ExtremeRelease, RankRelease
from lapcat.core.event_codec import event_from_json
from lapcat.core.mechanisms.ranks import ExtremeRank, Ranks, extreme_scores, quantile_scores
from lapcat.core.ranks import levels_of, window_edges
from lapcat.plan.aggregates.quantile import _bound, _margin

HALF = (Fraction(1, 2),)
FEW = (Fraction(1, 10), Fraction(1, 2), Fraction(3, 4))
FIVE = tuple(Fraction(share, 100) for share in (10, 25, 50, 75, 90))
PLACES = 4


def cumulative(counts: tuple[int, ...]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(np.array(counts, np.int64))])


@lru_cache(maxsize=2**18)
def shares_of(
    target: Fraction, below: tuple[int, ...], first: int, last: int, rate: Fraction
) -> tuple[float, ...]:
    """The probability of every place from `first` to `last`."""
    scores, unit = quantile_scores(target, np.array(below, np.int64), first, last, rate)
    weights = np.exp(float(rate / unit) * scores)
    return tuple((weights / weights.sum()).tolist())


def law_of_picks(mechanism: Ranks, counts: tuple[int, ...]) -> dict[tuple[int, ...], float]:
    """The probability of every outcome of the tree, without the windows."""
    below = cumulative(tuple(np.repeat(counts, mechanism.parts).tolist()))
    places = len(below) - 1
    law: dict[tuple[int, ...], float] = {(-1,) * len(mechanism.quantiles): 1.0}
    for level, rates in zip(levels_of(mechanism.quantiles), mechanism.rates, strict=True):
        for branch, rate in zip(level, rates, strict=True):
            after: dict[tuple[int, ...], float] = {}
            for picks, chance in law.items():
                first = -1 if branch.left is None else picks[branch.left]
                last = places if branch.right is None else picks[branch.right]
                shares = shares_of(branch.target, tuple(below.tolist()), first, last, rate / mechanism.parts)
                for place, share in enumerate(shares):
                    now = (*picks[: branch.index], max(first, 0) + place, *picks[branch.index + 1 :])
                    after[now] = after.get(now, 0.0) + chance * share
            law = after
    return law


def law_of_extreme(mechanism: ExtremeRank, counts: tuple[int, ...]) -> dict[tuple[int, ...], float]:
    ordered = counts[::-1] if mechanism.highest else counts
    scores = extreme_scores(np.array(ordered, np.int64), mechanism.depth)
    weights = np.exp(float(mechanism.rate) * scores)
    return {(place,): float(share) for place, share in enumerate(weights / weights.sum())}


def farthest(law: dict[tuple[int, ...], float], other: dict[tuple[int, ...], float]) -> float:
    return max(abs(math.log(law[key] / other[key])) for key in law)


def tables(limit: int) -> Iterator[tuple[int, ...]]:
    yield from product(range(limit + 1), repeat=PLACES)


def changed(counts: tuple[int, ...], moved: int, replaced: bool) -> Iterator[tuple[int, ...]]:
    """Everything that counts can become if a unit adds rows of this weight in all, or moves rows of half of it."""
    for steps in product(range(-moved, moved + 1), repeat=PLACES):
        fits = sum(map(abs, steps)) <= moved
        if replaced:
            gone, come = -sum(s for s in steps if s < 0), sum(s for s in steps if s > 0)
            fits = gone <= moved // 2 and come <= moved // 2
        else:
            fits = fits and min(steps) >= 0
        if fits and all(a + b >= 0 for a, b in zip(counts, steps, strict=True)):
            yield tuple(a + b for a, b in zip(counts, steps, strict=True))


CASES = [
    (quantiles, parts, moved, replaced)
    for quantiles in (HALF, (Fraction(9, 10),), FEW, FIVE)
    for parts in (1, 2)
    for moved, replaced in ((1, False), (2, False), (2, True))
    if parts == 1 or (len(quantiles) == 3 and moved == 2)
]


@pytest.mark.patient
@pytest.mark.parametrize(("quantiles", "parts", "moved", "replaced"), CASES)
def test_one_unit_changes_the_chance_of_no_outcome_by_more_than_its_price(
    quantiles: tuple[Fraction, ...], parts: int, moved: int, replaced: bool
) -> None:
    lone = replaced and len(quantiles) == 1
    mechanism = Ranks.calibrate(quantiles, parts, Fraction(moved), Fraction(2), single_cell=lone)
    event = mechanism.event("", Fraction(moved), single_cell=lone)
    assert event.loss.epsilon == 2
    paid = float(event.loss.epsilon - moved / mechanism.scale)
    worst = 0.0
    for counts in tables(2 if len(quantiles) < 5 else 1):
        here = law_of_picks(mechanism, counts)
        for other in changed(counts, moved, replaced):
            worst = max(worst, farthest(here, law_of_picks(mechanism, other)))
    assert worst <= paid + 1e-9
    if len(quantiles) == 1:
        assert worst > 0.5 * paid  # the price is not paid for nothing


@pytest.mark.parametrize(("moved", "replaced"), [(1, False), (2, False), (2, True)])
@pytest.mark.parametrize("highest", [False, True])
def test_one_unit_changes_the_chance_of_no_extreme_by_more_than_its_price(
    highest: bool, moved: int, replaced: bool
) -> None:
    mechanism = ExtremeRank.calibrate(highest, PLACES, Fraction(moved), Fraction(4), single_cell=replaced)
    mechanism = ExtremeRank(highest, mechanism.rate, 2)  # a depth that these small tables reach
    worst = 0.0
    for counts in tables(2):
        here = law_of_extreme(mechanism, counts)
        for other in changed(counts, moved, replaced):
            worst = max(worst, farthest(here, law_of_extreme(mechanism, other)))
    assert 2 < worst <= float(mechanism.event("", Fraction(moved), single_cell=replaced).loss.epsilon) + 1e-9


@pytest.mark.patient
def test_the_draws_follow_the_law() -> None:
    mechanism, counts = Ranks.calibrate(FEW, 1, Fraction(1), Fraction(3), single_cell=False), (2, 0, 1, 3)
    law, n = law_of_picks(mechanism, counts), 4000
    drawn = mechanism.draw(np.tile(np.array(counts, np.int64), (n, 1)), system_coins())
    seen: dict[tuple[int, ...], int] = {}
    for column in drawn[: len(FEW)].T.tolist():
        seen[tuple(column)] = seen.get(tuple(column), 0) + 1
    for outcome, chance in law.items():
        deviation = math.sqrt(n * chance * (1 - chance)) + 1
        assert abs(seen.get(outcome, 0) - n * chance) < 7 * deviation, outcome


def test_an_extreme_is_chosen_past_all_values_no_more_often_than_it_says() -> None:
    counts = np.zeros(1000, np.int64)
    counts[:200] = 5
    mechanism = ExtremeRank.calibrate(True, 1000, Fraction(1), Fraction(1), single_cell=False)
    drawn = mechanism.draw(np.tile(counts, (400, 1)), system_coins())[0]
    assert (drawn > 199).sum() <= 45  # 20 are expected at the very most
    assert 100 < np.median(drawn) < 200


@given(st.lists(st.integers(0, 99), min_size=1, max_size=6), st.integers(1, 100))
def test_windows_cover_every_place_once_and_hold_each_pick_alone(picks: list[int], places: int) -> None:
    picks = sorted(min(pick, places - 1) for pick in picks)
    edges = window_edges(picks, places)
    assert edges[0] == 0 and edges[-1] == places
    assert all(a <= b for a, b in pairwise(edges))
    assert all(pick in edges and pick + 1 in edges for pick in picks)
    assert len(edges) == len(window_edges([0] * len(picks), places))


@given(st.integers(1, 20))
def test_the_tree_holds_every_quantile_once_in_the_fewest_levels(count: int) -> None:
    quantiles = tuple(Fraction(i, count + 1) for i in range(1, count + 1))
    levels = levels_of(quantiles)
    assert sorted(branch.index for level in levels for branch in level) == list(range(count))
    assert len(levels) == count.bit_length()
    assert all(0 < branch.target < 1 for level in levels for branch in level)


def test_sums_beyond_63_bits_are_exact() -> None:
    counts = np.array([[2**62, 2**62, 2**62]], np.int64)
    mechanism = Ranks.calibrate(HALF, 1, Fraction(1), Fraction(1), single_cell=False)
    assert mechanism.draw(counts, system_coins())[0, 0] == 1


@pytest.mark.parametrize("parts", [1, 2**10])
def test_noise_that_cannot_be_drawn_is_refused_before_anything_is_drawn(parts: int) -> None:
    moved = Fraction(2**50)
    for calibrate in (
        lambda epsilon: Ranks.calibrate(FEW, parts, moved, epsilon, single_cell=False),
        lambda epsilon: ExtremeRank.calibrate(True, 2**20, moved, epsilon, single_cell=False),
    ):
        with pytest.raises(lapcat.BadArgument) as refusal:
            calibrate(Fraction(1, 10**9))
        assert refusal.value.code == "scale-too-large"
    extreme = ExtremeRank.calibrate(True, 2**20, moved, Fraction(1, 16), single_cell=False)
    assert extreme.draw(np.ones((1, 2**20), np.int64), system_coins()).shape == (1, 1)


def test_no_cells_bring_no_numbers() -> None:
    mechanism = Ranks.calibrate(HALF, 1, Fraction(1), Fraction(1), single_cell=False)
    some = mechanism.draw(np.ones((2, 8), np.int64), system_coins())
    assert mechanism.draw(np.ones((0, 8), np.int64), system_coins()).shape == (some.shape[0], 0)
    assert some.shape[0] == mechanism.rows(8)


def test_what_is_stored_is_read_again() -> None:
    ranks = Ranks.calibrate(FEW, 2, Fraction(3), Fraction(1, 3), single_cell=False).event(
        "p", Fraction(3), single_cell=False
    )
    extreme = ExtremeRank.calibrate(True, 9, Fraction(3), Fraction(1), single_cell=True).event(
        "m", Fraction(3), single_cell=True
    )
    assert isinstance(event_from_json(ranks.as_json()), RankRelease)
    assert event_from_json(ranks.as_json()) == ranks
    assert isinstance(event_from_json(extreme.as_json()), ExtremeRelease)
    assert event_from_json(extreme.as_json()) == extreme


def test_the_windows_have_the_noise_that_is_paid_for() -> None:
    mechanism = Ranks.calibrate(HALF, 3, Fraction(2), Fraction(1), single_cell=False)
    drawn = mechanism.draw(np.zeros((300, 64), np.int64), system_coins())[1:]
    law = mechanism.law()
    assert law.scale == 3 * mechanism.scale == 84
    n = drawn.size
    assert abs(drawn.var() / law.variance - 1) < 7 * math.sqrt(5 / n)  # a Laplace law's kurtosis is 6


def test_rows_at_a_choice_decide_about_no_other() -> None:
    """Drawn at a rate so high that the best place is always chosen: the rows at the median are in neither half."""
    quantiles = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))
    mechanism = Ranks(quantiles, 1, ((Fraction(1000),), (Fraction(1000), Fraction(1000))), Fraction(1, 1000))
    for at_the_median in (0, 1, 1000):
        counts = np.array([[0, 4, 4, at_the_median, 4, 4, 0]], np.int64)
        drawn = mechanism.draw(counts, system_coins())[:3, 0]
        assert drawn[1] == 3 or at_the_median == 0
        if at_the_median:
            assert (drawn[0], drawn[2]) in {(1, 4), (1, 5), (2, 4), (2, 5)}


def test_no_other_prices_of_the_levels_have_less_error_of_rank_in_all() -> None:
    """The squared errors of all ranks, with what a choice inherits from those before it, drawn from many rows."""
    rng, levels = np.random.default_rng(3), levels_of(FIVE)

    def squares(prices: tuple[float, ...]) -> float:
        errors: dict[int, np.ndarray] = {}
        for level, price in zip(levels, prices, strict=True):
            for branch in level:
                own = rng.laplace(scale=float(2 * branch.reach) / price, size=200_000)
                left = 0 if branch.left is None else errors[branch.left]
                right = 0 if branch.right is None else errors[branch.right]
                t = float(branch.target)
                errors[branch.index] = own + (1 - t) * left + t * right
        return float(sum((error**2).mean() for error in errors.values()))

    mechanism = Ranks.calibrate(FIVE, 1, Fraction(1), Fraction(1), single_cell=False)
    prices = tuple(
        float(max(rate * 2 * branch.reach for rate, branch in zip(rates, level, strict=True)))
        for rates, level in zip(mechanism.rates, levels, strict=True)
    )
    least = squares(prices)
    for first, second in ((0, 1), (1, 2), (2, 0)):
        other = list(prices)
        moved = 0.25 * other[first]
        other[first], other[second] = other[first] - moved, other[second] + moved
        assert squares(tuple(other)) > least


@pytest.mark.parametrize("q", [Fraction(1, 100), Fraction(1, 2), Fraction(9, 10)])
def test_a_bound_of_the_windows_noise_is_never_below_its_margin(q: Fraction) -> None:
    for below, above in product((0, 1, 7, 40), repeat=2):
        if below + above:
            margin = _margin(below, above, q, Fraction(20), Fraction(95, 100))
            assert margin <= 1.001 * 20 * _bound(below, above, float(q), 0.05)
