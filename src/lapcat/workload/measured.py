"""Linear combinations of exact counts with noise on each: the measurement of a strategy for a workload.

The map is applied inside the release gate, before the noise; the noisy parts are concatenated.

Theorem: the loss is the sum of the losses of the parts. Source: Dwork, McSherry, Nissim & Smith 2006 (Laplace: a vector in
         parts); Bun & Steinke 2016 (arXiv:1605.02065), composition of rho (Gaussian).
Slack:   none, if one row can be in the worst column of every part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lapcat.core.answers import Integers
from lapcat.core.coins import CoinSource
from lapcat.core.mechanisms.base import Mechanism
from lapcat.mechanisms.integers.knorm import KNorm
from lapcat.workload.linear import IntegerMap


@dataclass(frozen=True, slots=True)
class Measured:
    """Parts: a linear map of the cells, and the noise on its image.

    >>> from fractions import Fraction
    >>> from lapcat.core.coins import system_coins
    >>> from lapcat.workload.linear import BlockSums
    >>> from lapcat.workload.linear import BlockSums
    >>> from lapcat.core.mechanisms.gaussian import Gaussian
    >>> total = IntegerMap(0, (BlockSums(3, 3, 1),))
    >>> Measured(((total, Gaussian(Fraction(1, 10**4))),)).draw(np.array([3, 5, 7]), system_coins()).tolist()
    [15]
    """

    parts: tuple[tuple[IntegerMap, Mechanism[Any] | KNorm], ...]

    def draw(self, exact: Integers, coins: CoinSource) -> Integers:
        """The image of each part, with fresh noise in each coordinate."""
        return np.concatenate([noise.draw(linear.applied(exact), coins) for linear, noise in self.parts])
