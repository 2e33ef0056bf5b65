"""Smoothed ranks: what they are, and that a unit moves them no further than plain ones."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from lapcat.core.mechanisms import ranks
from lapcat.core.mechanisms.ranks import quantile_scores, range_of
from lapcat.core.smoothing import smoothed

TABLES = st.lists(st.integers(0, 3), min_size=1, max_size=9)


def below_of(counts: list[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.array(counts, np.int64))])


def by_definition(counts: list[int], reach: int) -> list[int]:
    places, rows = len(counts), [place for place, count in enumerate(counts) for _ in range(count)]
    padded = [0] * reach + rows + [places - 1] * reach
    means = [Fraction(sum(padded[k : k + 2 * reach + 1]), 2 * reach + 1) for k in range(len(rows))]
    return [sum(mean < place - Fraction(1, 2) for mean in means) for place in range(places + 1)]


@given(TABLES, st.integers(0, 6))
def test_a_smoothed_rank_counts_the_averages_that_lie_below(counts: list[int], reach: int) -> None:
    assert smoothed(below_of(counts), reach).tolist() == by_definition(counts, reach)


@given(TABLES, st.integers(1, 6), st.integers(2**40, 2**80))
def test_numbers_beyond_64_bits_are_smoothed_alike(counts: list[int], reach: int, factor: int) -> None:
    below = below_of(counts)
    assert smoothed(below.astype(object), reach).tolist() == smoothed(below, reach).tolist()
    many = below.astype(object) * factor
    moved = smoothed(many, reach) - many
    assert max(abs(moved)) <= reach


@given(TABLES, st.data(), st.integers(1, 3), st.integers(0, 6))
def test_rows_that_are_added_raise_no_rank_by_more_than_their_weight(
    counts: list[int], data: st.DataObject, weight: int, reach: int
) -> None:
    added = list(counts)
    for _ in range(weight):
        added[data.draw(st.integers(0, len(counts) - 1))] += 1
    raised = ranks.smoothed(below_of(added), reach) - ranks.smoothed(below_of(counts), reach)
    assert raised.min() >= 0 and raised.max() <= weight


@pytest.mark.patient
@pytest.mark.parametrize("far", [1, 4, 64])
@given(TABLES, st.sampled_from([Fraction(1, 2), Fraction(9, 10)]), st.fractions("1/3", 3, max_denominator=4))
def test_only_near_the_quantile_is_smoothed_and_nothing_else_changes(
    far: int, counts: list[int], target: Fraction, rate: Fraction
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranks, "FAR", far)
        scores, unit = quantile_scores(target, below_of(counts), -1, len(counts), rate)
    whole, total = by_definition(counts, range_of(rate)), sum(counts)
    gaps = [max(0, low - target * total, target * total - high) for low, high in pairwise(whole)]
    farthest = -(-far // rate)
    assert scores.tolist() == [-unit * min(gap, farthest) for gap in gaps]
    assert max(scores) == 0
