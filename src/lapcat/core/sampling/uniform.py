"""Uniform integers, vectorised."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource

LARGEST_BOUND = 1 << 63  # so that every value fits an int64


def uniform_below(m: int, n: int, coins: CoinSource) -> NDArray[np.int64]:
    """n independent uniform integers in 0 .. m - 1, exactly: rejection sampling with just enough bits.

    >>> from lapcat.core.coins import system_coins
    >>> sorted(set(uniform_below(6, 1000, system_coins()).tolist()))
    [0, 1, 2, 3, 4, 5]
    """
    if not 1 <= m <= LARGEST_BOUND:
        raise ValueError(f"uniform_below({m}): the bound lies in 1 .. 2^63")
    bits = (m - 1).bit_length()
    drawn = _words(bits, n, coins)
    again = np.flatnonzero(drawn >= m)
    while len(again):
        drawn[again] = _words(bits, len(again), coins)
        again = again[drawn[again] >= m]
    return drawn


def _words(bits: int, n: int, coins: CoinSource) -> NDArray[np.int64]:
    """n uniform integers of `bits` bits, from the narrowest words that hold them."""
    if bits == 0:
        return np.zeros(n, np.int64)
    if bits <= 8:
        return (coins.array(n, np.uint8) >> (8 - bits)).astype(np.int64)
    if bits <= 16:
        return (coins.array(n, np.uint16) >> (16 - bits)).astype(np.int64)
    if bits <= 32:
        return (coins.array(n, np.uint32) >> (32 - bits)).astype(np.int64)
    return (coins.array(n, np.uint64) >> np.uint64(64 - bits)).astype(np.int64)
