"""Permute-and-flip: its law by its own definition, and never worse than the exponential mechanism.

What it shares with the exponential mechanism is tested in test_exponential.py, for both.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapcat.core.exact import exp_down, exp_up
from lapcat.errors import BadArgument
from lapcat.mechanisms.integers import Exponential, PermuteAndFlip
from lapcat.mechanisms.integers.flips import permute_and_flip_choice
from lapcat.testing.coins import SeededCoins

rates = st.builds(Fraction, st.integers(1, 100), st.integers(1, 100))
scores = st.lists(st.integers(-8, 8), min_size=1, max_size=5)


def by_definition(rate: Fraction, scores: list[int]) -> tuple[list[Fraction], list[Fraction]]:
    """Bounds of the law, over all orders of the candidates: the first heads is chosen."""
    best = max(scores)
    low, high = ([Fraction(0)] * len(scores) for _ in range(2))
    for order in permutations(range(len(scores))):
        none_low = none_high = Fraction(1)  # no heads so far
        for i in order:
            p_low, p_high = exp_down(rate * (scores[i] - best)), exp_up(rate * (scores[i] - best))
            low[i] += none_low * p_low / math.factorial(len(scores))
            high[i] += none_high * p_high / math.factorial(len(scores))
            none_low, none_high = none_low * (1 - p_high), none_high * (1 - p_low)
    return low, high


@pytest.mark.patient
@given(rates, scores)
def test_the_law_is_that_of_the_first_heads_in_a_random_order(rate: Fraction, scores: list[int]) -> None:
    law = PermuteAndFlip(rate).law(scores)
    low, high = by_definition(rate, scores)
    for i in law.outcomes:
        assert law.low[i] <= high[i] and low[i] <= law.high[i]
        assert law.high[i] - law.low[i] <= Fraction(1, 2**150)


@given(rates, scores)
def test_the_choice_is_never_worse_than_the_exponential_mechanism(rate: Fraction, scores: list[int]) -> None:
    best = max(scores)
    mine, other = PermuteAndFlip(rate).law(scores), Exponential(rate).law(scores)
    # the expected gap, rounded in favour of neither: certainly not certainly larger
    gap = sum(((best - u) * mine.low[i] for i, u in enumerate(scores)), Fraction(0))
    other_gap = sum(((best - u) * other.high[i] for i, u in enumerate(scores)), Fraction(0))
    assert gap <= other_gap


def test_many_candidates_are_drawn_as_one_by_one() -> None:
    # 40 candidates: the tables; one draw or many at once, from the same law
    values = np.arange(40) // 4
    law = PermuteAndFlip(Fraction(1, 3)).law(values)
    drawn = permute_and_flip_choice(Fraction(1, 3), values, 40_000, SeededCoins(2))
    counts = np.bincount(drawn, minlength=40)
    for outcome in law.outcomes:
        p = law.pmf(outcome)
        assert abs(counts[outcome] - len(drawn) * p) < 6 * math.sqrt(len(drawn) * p)


def test_the_law_of_too_many_candidates_is_not_computed() -> None:
    with pytest.raises(BadArgument, match="65 candidates"):
        PermuteAndFlip(Fraction(1)).law(list(range(65)))
    assert PermuteAndFlip(Fraction(1)).draw(list(range(65)), SeededCoins(1)) > 40
