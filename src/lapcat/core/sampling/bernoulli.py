"""Bernoulli draws with bias exactly p or exactly e^-x, for fractions p and x."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.exact import exp_bounds
from lapcat.core.sampling.lazy import LazyUniform

CHUNK = 1 << 16  # coins at a time: their bytes stay in the processor's cache


def bernoulli(p: Fraction, n: int, coins: CoinSource) -> NDArray[np.bool_]:
    """n independent coins that show True with probability exactly p.

    A uniform number in [0, 1) is compared with p byte by byte, both written in base 256: the first byte that differs
    decides, and only the coins whose bytes all agreed so far (one in 256) draw another.

    >>> from lapcat.core.coins import system_coins
    >>> bool(0.3 < bernoulli(Fraction(1, 3), 10**5, system_coins()).mean() < 0.36)
    True
    """
    if not 0 <= p <= 1:
        raise ValueError(f"bernoulli({p}): a probability lies in 0 .. 1")
    shown: NDArray[np.bool_] = np.full(n, p == 1)
    if not p % 1:  # no uniform number in [0, 1) reaches 1, none is below 0
        return shown
    digit, rest = divmod(p * 256, 1)
    for start in range(0, n, CHUNK):
        piece = shown[start : start + CHUNK]
        drawn = coins.array(len(piece), np.uint8)
        np.less(drawn, digit, out=piece)
        if rest:  # if p has no bytes left, the number is not below it
            equal = np.flatnonzero(drawn == digit)
            if len(equal):
                piece[equal] = bernoulli(rest, len(equal), coins)
    return shown


def bernoulli_exp(x: Fraction, coins: CoinSource) -> bool:
    """One coin that shows True with probability exactly e^-x, for x >= 0.

    >>> from lapcat.core.coins import system_coins
    >>> bernoulli_exp(Fraction(0), system_coins()), bernoulli_exp(Fraction(1000), system_coins())
    (True, False)
    """
    return LazyUniform(coins).is_below(partial(exp_bounds, x))


def bernoulli_exp_ratio(numerator: int, denominator: int, coins: CoinSource) -> bool:
    """One coin that shows True with probability exactly e^-x, x = numerator / denominator in [0, 1], in integers alone.

    Theorem: the first k for which a coin of bias x/k fails is odd with probability
             (1 - x) + (x^2/2 - x^3/6) + ... = e^-x. It takes e^x coins on average.
    Source:  Canonne, Kamath & Steinke 2020, after von Neumann; several times faster here than
             bounds for e^-x, which pay off only if most of the uniform number is known already.
    """
    k = 1
    while coins.below(denominator * k) < numerator:
        k += 1
    return k % 2 == 1
