"""The exact sampler of permute-and-flip. No float, no truncation, no delta. docs/proofs/choice.md proves its law."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.sampling.choice import gaps_below_best
from lapcat.core.sampling.decay import bernoulli_decay
from lapcat.core.sampling.uniform import uniform_below

AT_ONCE = 1 << 20  # coins that repeated choices flip at once


def permute_and_flip_choice(
    rate: Fraction, scores: NDArray[np.int64], n: int, coins: CoinSource
) -> NDArray[np.int64]:
    """n independent indices, each drawn by permute-and-flip at this rate.

    Every candidate flips a coin that shows heads with probability e^(-rate * gap), and one of the heads is chosen
    uniformly: the first one in a random order. The best candidate always shows heads.

    >>> from lapcat.core.coins import system_coins
    >>> permute_and_flip_choice(Fraction(1), np.array([0, 1000, -5]), 3, system_coins()).tolist()
    [1, 1, 1]
    """
    gaps = gaps_below_best(scores)
    m = len(gaps)
    chosen = np.empty(n, np.int64)
    at_once = max(1, AT_ONCE // m)
    for start in range(0, n, at_once):
        rounds = min(at_once, n - start)
        heads = bernoulli_decay(rate, np.tile(gaps, rounds), coins).reshape(rounds, m)
        chosen[start : start + rounds] = _one_of(heads, coins)
    return chosen


def _one_of(heads: NDArray[np.bool_], coins: CoinSource) -> NDArray[np.int64]:
    """For each row the column of a uniform True entry; every row has one."""
    row, column = np.nonzero(heads)  # by rows, so the columns of one row stand together
    sizes = np.bincount(row, minlength=len(heads))
    starts = np.cumsum(sizes) - sizes
    inside = np.empty(len(heads), np.int64)
    for size in np.unique(sizes):
        here = np.flatnonzero(sizes == size)
        inside[here] = uniform_below(int(size), len(here), coins)
    return np.asarray(column[starts + inside], np.int64)
