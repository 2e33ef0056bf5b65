"""Linear combinations of exact counts, with noise on each: how a strategy for many questions is blurred.

The map is applied before the noise, inside the door; what leaves is the noisy result, one part after the other.

Theorem: the loss is the sum of the losses of the parts. Source: Dwork, McSherry, Nissim & Smith 2006 (Laplace: a vector in
         parts); Bun & Steinke 2016 (arXiv:1605.02065), composition of rho (Gaussian).
Slack:   none, where one row can be in the worst column of every part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lapcat.core.answers import Integers
from lapcat.core.coins import CoinSource
from lapcat.core.linear import IntegerMap
from lapcat.core.mechanisms.gaussian import Gaussian
from lapcat.core.mechanisms.knorm import KNorm
from lapcat.core.mechanisms.laplace import Laplace


@dataclass(frozen=True, slots=True)
class Measured:
    """Parts: what is measured of the cells, and the noise on it.

    >>> from fractions import Fraction
    >>> from lapcat.core.coins import system_coins
    >>> from lapcat.core.linear import Sums
    >>> total = IntegerMap(0, (Sums(3, 3, 1),))
    >>> Measured(((total, Gaussian(Fraction(1, 10**4))),)).draw(np.array([3, 5, 7]), system_coins()).tolist()
    [15]
    """

    parts: tuple[tuple[IntegerMap, Laplace | Gaussian | KNorm], ...]

    def draw(self, exact: Integers, coins: CoinSource) -> Integers:
        """What each part measures, with fresh noise in each coordinate."""
        return np.concatenate([noise.draw(linear.applied(exact), coins) for linear, noise in self.parts])
