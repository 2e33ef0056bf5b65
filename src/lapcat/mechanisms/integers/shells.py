"""An exact sampler of integer vectors with Pr[z] proportional to e^(-rate * max|z_i|).

Two steps. The radius r = max|z_i| has Pr[r] proportional to ((2r+1)^d - (2r-1)^d) * e^(-rate * r), and 1 at r = 0.
Theorem: with q = e^-rate, Σ_r ((2r+1)^d - (2r-1)^d) q^r = B(q) / (1 - q)^d, B = Σ_j b_j q^j having the positive integer
         coefficients b_j = Σ_i (-1)^i C(d+1, i) (2(j-i) + 1)^d. So r = J + G_1 + … + G_d with independent parts: J = j with
         probability b_j q^j / B(q), and G_i geometric with ratio q. (Multiply Σ_r (2r+1)^d q^r by (1 - q)^(d+1).)
The point is uniform on the shell of that radius: a face, a sign and the other coordinates in -r .. r are drawn until the
face is the first coordinate that reaches r. Every point of the shell is then drawn in exactly one way, so all are equally likely.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.exact import exp_bounds
from lapcat.core.sampling.categorical import Categories
from lapcat.core.sampling.laplace import checked_scale, discrete_laplace
from lapcat.core.sampling.uniform import uniform_below

Integers = NDArray[np.int64]

LARGEST_SCALE = 1 << 48  # then a radius of 2^13 scales still fits an int64


def shell_size(dimension: int, radius: int) -> int:
    """Number of integer vectors with this largest absolute coordinate.

    >>> shell_size(2, 0), shell_size(2, 1), shell_size(3, 1)
    (1, 8, 26)
    """
    return (2 * radius + 1) ** dimension - (2 * radius - 1) ** dimension if radius else 1


def shell_polynomial(dimension: int) -> tuple[int, ...]:
    """The coefficients b_0 … b_d of the radius's generating function times (1 - q)^d.

    >>> shell_polynomial(1), shell_polynomial(2), shell_polynomial(3)
    ((1, 1), (1, 6, 1), (1, 23, 23, 1))
    """
    return tuple(
        sum((-1) ** i * math.comb(dimension + 1, i) * (2 * (j - i) + 1) ** dimension for i in range(j + 1))
        for j in range(dimension + 1)
    )


class Shells:
    """The sampler for a given dimension and rate."""

    __slots__ = ("_first", "dimension", "rate")

    def __init__(self, dimension: int, rate: Fraction) -> None:
        self.dimension, self.rate = dimension, rate
        checked_scale(1 / rate)
        self._first = Categories(self._cuts)

    def draw(self, n: int, coins: CoinSource) -> Integers:
        """n vectors, one in each row."""
        return self.points(self.radii(n, coins), coins)

    def radii(self, n: int, coins: CoinSource) -> Integers:
        """n radii."""
        total = self._first.draw(n, coins)
        for _ in range(self.dimension):
            total += self._geometric(n, coins)
        return total

    def points(self, radii: Integers, coins: CoinSource) -> Integers:
        """A uniform point of each shell."""
        points_drawn = np.zeros((len(radii), self.dimension), np.int64)
        still_open = np.flatnonzero(radii > 0)
        while len(still_open):
            r, n = radii[still_open], len(still_open)
            face = uniform_below(self.dimension, n, coins)
            side = 1 - 2 * uniform_below(2, n, coins)
            drawn = np.empty((n, self.dimension), np.int64)
            for axis in range(self.dimension):
                drawn[:, axis] = _uniform_upto(2 * r, coins) - r
            drawn[np.arange(n), face] = side * r
            first = np.argmax(np.abs(drawn) == r[:, None], axis=1)
            good = first == face
            points_drawn[still_open[good]] = drawn[good]
            still_open = still_open[~good]
        return points_drawn

    def _geometric(self, n: int, coins: CoinSource) -> Integers:
        """Pr[g] = (1 - q) q^g: discrete Laplace noise, conditioned on being nonnegative."""
        parts: list[Integers] = []
        missing = n
        while missing > 0:
            drawn = discrete_laplace(1 / self.rate, 2 * missing + 16, coins)
            parts.append(drawn[drawn >= 0][:missing])
            missing -= len(parts[-1])
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)

    def _cuts(self, bits: int) -> tuple[list[int], list[int]]:
        """Bounds of 2^bits * Pr[J <= j], from bounds of q with guard bits."""
        weights = shell_polynomial(self.dimension)
        guard = sum(weights).bit_length() + 16
        low_powers, high_powers = [], []
        for j in range(self.dimension + 1):
            low, high = exp_bounds(j * self.rate, bits + guard)
            low_powers.append(low)
            high_powers.append(high)
        low_sums = [w * p for w, p in zip(weights, low_powers, strict=True)]
        high_sums = [w * p for w, p in zip(weights, high_powers, strict=True)]
        lows, highs = [], []
        for j in range(self.dimension):
            here_low, here_high = sum(low_sums[: j + 1]), sum(high_sums[: j + 1])
            rest_low, rest_high = sum(low_sums[j + 1 :]), sum(high_sums[j + 1 :])
            lows.append((here_low << bits) // (here_low + rest_high))
            highs.append(-(-(here_high << bits) // (here_high + rest_low)))
        return lows, highs


def _uniform_upto(limits: Integers, coins: CoinSource) -> Integers:
    """A uniform integer in 0 .. limits[i] for each i: rejection sampling with as many bits as the limit has."""
    mask = limits.view(np.uint64).copy()
    for shift in (1, 2, 4, 8, 16, 32):
        mask |= mask >> np.uint64(shift)
    drawn = (coins.array(len(limits), np.uint64) & mask).view(np.int64)
    again = np.flatnonzero(drawn > limits)
    while len(again):
        drawn[again] = (coins.array(len(again), np.uint64) & mask[again]).view(np.int64)
        again = again[drawn[again] > limits[again]]
    return drawn
