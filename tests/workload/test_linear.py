"""Integer maps: what they give is exact, and a row moves it no further than they say."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapcat.core.mechanisms.gaussian import Gaussian
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.core.sampling.saturating import FARTHEST
from lapcat.core.sensitivity import Sensitivity
from lapcat.errors import Bug
from lapcat.testing.coins import SeededCoins
from lapcat.workload.linear import (
    Axis,
    BlockSums,
    Contrasts,
    Convolution,
    Differences,
    ExplicitRows,
    IntegerMap,
    Weighted,
    probed,
)
from lapcat.workload.measured import Measured
from tests.workload.support import written

AXES: list[Axis] = [
    BlockSums(5, 2, 3),
    BlockSums(6, 1, 6),
    BlockSums(4, 4, 1),
    Contrasts(6, 1, 6, 3),
    Contrasts(7, 2, 4, 4),
    Contrasts(5, 1, 5, 5),
    Differences(8, 4, 2),
    Differences(5, 2, 3),
    Convolution((16, 8, 6, 5)),
    Convolution((3, -2, 1)),
    ExplicitRows(((1, 0, 2), (0, 1, -1))),
    ExplicitRows(((1, 1, 0, 1), (0, 1, 1, 0))),
    Weighted(5, 2, 9, ((3, 0, 2), (1, 8, 0))),
    Weighted(4, 1, 2, ()),
]
MAPS = [IntegerMap(0, (axis,)) for axis in AXES] + [
    IntegerMap(0, pair) for pair in product(AXES[::3], AXES[1::4])
]


@pytest.mark.parametrize("linear", MAPS)
def test_norms_are_those_of_the_largest_column(linear: IntegerMap) -> None:
    size = int(np.prod([axis.size for axis in linear.axes]))
    (matrix,) = written([linear], size)
    assert matrix.shape[0] == linear.rows
    assert linear.l1 == np.abs(matrix).sum(axis=0).max() == probed(linear)[0]
    assert linear.l2_squared == (matrix**2).sum(axis=0).max() == probed(linear)[1]


@pytest.mark.parametrize("linear", MAPS)
@pytest.mark.parametrize("rows", [1, 2])
def test_a_unit_moves_what_is_measured_no_further_than_claimed(linear: IntegerMap, rows: int) -> None:
    size = int(np.prod([axis.size for axis in linear.axes]))
    (matrix,) = written([linear], size)
    r = Fraction(rows)
    added = linear.moved(Sensitivity(rows, r, r, r * r), replaced=False)
    columns = [matrix[:, i] for i in range(size)]
    changes = [rows * c for c in columns]
    assert max(abs(c).sum() for c in changes) <= added.l1
    assert max((c * c).sum() for c in changes) <= added.l2_squared
    assert max(abs(c).max() for c in changes) <= added.linf
    swapped = linear.moved(Sensitivity(2 * rows, r, 2 * r, 2 * r * r), replaced=True)
    pairs = [rows * (a - b) for a in columns for b in columns]
    assert max(abs(c).sum() for c in pairs) <= swapped.l1
    assert max((c * c).sum() for c in pairs) <= swapped.l2_squared


def test_replacing_costs_less_than_twice_where_columns_do_not_oppose() -> None:
    two = Sensitivity(2, Fraction(1), Fraction(2), Fraction(2))
    tree = IntegerMap(0, (BlockSums(8, 2, 4),))
    assert tree.moved(two, replaced=True).l2_squared == 2
    contrasts = IntegerMap(0, (Contrasts(5, 1, 5, 5),))
    assert contrasts.moved(two, replaced=True).l2_squared == 2 * 20 * Fraction(
        5, 4
    )  # reached by two siblings


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(MAPS), st.data())
def test_what_is_measured_is_exact_however_large_counts_are(linear: IntegerMap, data: st.DataObject) -> None:
    size = int(np.prod([axis.size for axis in linear.axes]))
    cells = data.draw(
        st.lists(st.integers(-(2**62), 2**62), min_size=size, max_size=size) | st.just([2**62] * size)
    )
    (matrix,) = written([linear], size)
    exact = matrix.astype(object) @ np.array(cells, object)
    got = linear.applied(np.array(cells, np.int64))
    assert got.dtype == np.int64
    assert got.tolist() == [max(-FARTHEST, min(FARTHEST, value)) for value in exact]


def test_long_convolutions_of_large_counts_are_exact() -> None:
    rng = np.random.default_rng(2)
    weights = rng.integers(-(2**20), 2**20, 60)
    cells = rng.integers(-(2**62), 2**62, 60) >> rng.integers(0, 60, 60)  # large ones beside 0 and −1
    exact = np.convolve(cells.astype(object), weights.astype(object))[:60]
    got = Convolution(tuple(weights.tolist())).applied(cells.astype(object))
    assert got.tolist() == exact.tolist()


def test_a_map_that_would_leave_cells_out_is_a_bug() -> None:
    for wrong in (
        lambda: BlockSums(5, 2, 2),
        lambda: Contrasts(6, 1, 5, 3),
        lambda: Contrasts(6, 1, 6, 4),
        lambda: Differences(5, 2, 2),
        lambda: Differences(3, 3, 1),
    ):
        with pytest.raises(Bug, match="leaves places out"):
            wrong()


def test_each_part_is_read_from_its_own_table() -> None:
    linear = IntegerMap(3, (BlockSums(2, 2, 1),))
    assert linear.applied(np.array([9, 9, 9, 1, 2])).tolist() == [3]


def test_noise_is_on_what_is_measured_not_on_the_cells() -> None:
    """The total of a thousand cells has one draw of noise, not a thousand: its spread is that of one."""
    total = IntegerMap(0, (BlockSums(1000, 1000, 1),))
    measured = Measured(((total, Laplace(Fraction(50))), (total, Gaussian(Fraction(5000)))))
    cells, coins = np.ones(1000, np.int64), SeededCoins(11)
    off = np.array([measured.draw(cells, coins) - 1000 for _ in range(2000)], np.float64)
    # the mean of 2000 squares is off by 5 % (Laplace) and 3 % (Gaussian); noise on each cell would give 1000 times as much
    assert np.abs((off**2).mean(axis=0) / 5000 - 1).max() < 0.4
