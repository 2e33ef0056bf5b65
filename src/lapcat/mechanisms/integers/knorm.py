"""The K-norm mechanism on a lattice: noise shaped like the set K of changes that one unit can make.

Theorem: Pr[z] proportional to e^(-epsilon * ||z - f(D)||_K) is epsilon-DP where K holds f(D) - f(D') for all neighbours:
         by the triangle inequality the exponent moves by at most epsilon * ||f(D) - f(D')||_K <= epsilon, and the
         normaliser, a sum over a lattice that f(D) - f(D') belongs to, does not move at all.
Source:  Hardt & Talwar 2010. Laplace noise is the case of K = the l1 ball.
Draw:    with K inside the cube of half-width s: a vector with law proportional to e^(-epsilon * ||z||_inf / s), kept with
         probability e^(-epsilon * (||z||_K - ||z||_inf / s)), else drawn again. No float, no truncation, no delta.
Slack:   none in the loss. The time is 1 / acceptance, which is about vol(K) / (2s)^d: 1 / 720 for l1 in 6 dimensions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations, product
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.event import KNormRelease
from lapcat.core.exact import exact as read_exact
from lapcat.core.exact import exact_text, exp_bounds, exp_down, exp_up
from lapcat.core.sampling.decay import bernoulli_decay
from lapcat.core.sampling.lazy import LazyUniform
from lapcat.core.sampling.saturating import saturating_add
from lapcat.errors import BadArgument
from lapcat.mechanisms.integers.lattices import Lattice
from lapcat.mechanisms.integers.norms import Ball, Norm, Polytope, Vector
from lapcat.mechanisms.integers.shells import LARGEST_SCALE, Shells, shell_polynomial, shell_size
from lapcat.plan.margins import checked_above_zero

Integers = NDArray[np.int64]

MIN_ACCEPTANCE = 1e-4  # below it a draw takes more than ten thousand proposals, 10 ms and more
PROPOSALS = 1 << 14  # at a time: their arrays stay in the processor's cache
MAX_SUMMED = 20_000_000  # points over which a law is summed
FINE = 8  # fractional bits of the Euclidean norm handled in integers, before a coin decides the rest
ENOUGH = 40  # e^-40 of the weight is left out where a law is summed


@dataclass(frozen=True, slots=True)
class KNorm:
    """K-norm noise at this epsilon, K given by its norm; in the span of `lattice` if questions are linearly dependent.

    >>> KNorm(Ball("l1", 6, Fraction(1)), Fraction(1, 100)).acceptance * 720  # doctest: +ELLIPSIS
    1.0...
    """

    norm: Norm
    epsilon: Fraction
    lattice: Lattice | None = None

    def __post_init__(self) -> None:
        checked_above_zero("epsilon", self.epsilon)
        widest = self.scale * (1 if self.lattice is None else self.lattice.widest)
        if widest > LARGEST_SCALE:
            raise BadArgument(
                "scale-too-large",
                f"a noise scale of 2^{math.log2(math.ceil(widest)):.2f} steps is above 2^48, the largest K-norm draws",
                fix="use a coarser grid, or a larger epsilon",
            )
        if self.acceptance < MIN_ACCEPTANCE:
            raise BadArgument(
                "acceptance-hopeless",
                f"K-norm noise in {self.norm.dimension} dimensions would accept one proposal in {1 / self.acceptance:,.0f}",
                why=f"lapcat draws it by rejection, and refuses rates below one in {1 / MIN_ACCEPTANCE:,.0f}",
                fix="split the questions, or use Laplace noise, which is the l1 ball in any dimension",
            )

    @classmethod
    def of_differences(cls, differences: Sequence[Sequence[Fraction | int]], epsilon: Fraction) -> Self:
        """The mechanism for the changes one unit can make, or the vertices of K; both signs are implied.

        If they do not span the space (a question asked twice), the noise stays in the lattice they span.
        """
        rows = [tuple(Fraction(part) for part in row) for row in differences]
        if not rows or len({len(row) for row in rows}) != 1 or not rows[0]:
            raise BadArgument("vertices-shape", f"differences are vectors of one length, not {differences!r}")
        if not any(part for row in rows for part in row):
            raise BadArgument(
                "sensitivity-not-positive",
                "all differences are 0: no unit can change these answers",
                fix="release them without noise",
            )
        lattice = Lattice.spanned(rows)
        if lattice.is_whole:
            return cls(Polytope.around(rows), epsilon)
        return cls(Polytope.around([lattice.coordinates(row) for row in rows]), epsilon, lattice)

    @classmethod
    def of_questions(
        cls,
        records: Sequence[Sequence[int]],
        epsilon: Fraction,
        relation: Literal["add-remove", "replace-one"] = "add-remove",
        rows_per_unit: int = 1,
    ) -> Self:
        """The mechanism for counting questions: each record is its vector of contributions, one per possible kind of record.

        A unit adds or removes up to `rows_per_unit` rows (add-remove), or changes its rows (replace-one); with several
        rows it may also have fewer than before, so "no row" is one more kind.
        """
        kinds = {_whole_vector(record) for record in records}
        if isinstance(rows_per_unit, bool) or not isinstance(rows_per_unit, int) or rows_per_unit < 1:
            raise BadArgument("answers-range", f"rows_per_unit is 1 or more, not {rows_per_unit!r}")
        if not kinds or len({len(kind) for kind in kinds}) != 1:
            raise BadArgument("vertices-shape", f"records are vectors of one length, not {records!r}")
        if relation == "add-remove":
            moves = sorted(kinds)
        elif relation == "replace-one":
            if rows_per_unit > 1:
                kinds.add((0,) * len(min(kinds)))
            moves = [
                tuple(a - b for a, b in zip(old, new, strict=True))
                for old, new in combinations(sorted(kinds), 2)
            ]
        else:
            raise BadArgument(
                "relation-unknown", f"there is no relation {relation!r}", fix='"add-remove" or "replace-one"'
            )
        return cls.of_differences(
            [tuple(Fraction(part * rows_per_unit) for part in move) for move in moves], epsilon
        )

    @property
    def dimension(self) -> int:
        """Length of the released vector."""
        return self.norm.dimension if self.lattice is None else len(self.lattice.basis[0])

    @property
    def scale(self) -> Fraction:
        """s / epsilon: the scale of the proposals, K being inside the cube of half-width s."""
        return self.norm.reach / self.epsilon

    @property
    def acceptance(self) -> float:
        """The approximate acceptance rate: exact for l1 and l-infinity, else by the volume of K."""
        return _acceptance(self.norm, self.epsilon)[1]

    @property
    def acceptance_bounds(self) -> tuple[float, float]:
        """Proved lower and upper bounds of the acceptance rate (up to float rounding)."""
        low, _, high = _acceptance(self.norm, self.epsilon)
        return low, high

    def draw(self, exact: Integers, coins: CoinSource) -> Integers:
        """The exact vector, or one in each row, with fresh noise; kept within ±(2^62 - 1).

        >>> from lapcat.core.coins import system_coins
        >>> KNorm(Ball("linf", 2, Fraction(1)), Fraction(1000)).draw(np.array([3, 5]), system_coins()).tolist()
        [3, 5]
        """
        if exact.dtype != np.int64:
            raise TypeError(f"noise is added to int64, not {exact.dtype}")
        if exact.shape[-1:] != (self.dimension,):
            raise BadArgument(
                "dimension-range",
                f"this K-norm mechanism releases vectors of {self.dimension} numbers, not an array of shape {exact.shape}",
            )
        noise = self.noise(exact.size // self.dimension, coins)
        return saturating_add(exact, noise.reshape(exact.shape))

    def noise(self, n: int, coins: CoinSource) -> Integers:
        """n vectors of noise, one in each row."""
        parts: list[Integers] = [np.zeros((0, self.norm.dimension), np.int64)]
        missing = n
        shells = _shells(self.norm.dimension, 1 / self.scale)
        while missing > 0:
            size = min(PROPOSALS, math.ceil(1.2 * missing / self.acceptance) + 8)
            radii = shells.radii(size, coins)
            points = shells.points(radii, coins)
            parts.append(points[self._kept(points, radii, coins)][:missing])
            missing -= len(parts[-1])
        drawn = np.concatenate(parts)
        return drawn if self.lattice is None else drawn @ np.array(self.lattice.basis, np.int64)

    def law(self, exact: Vector | None = None) -> KNormLaw:
        """The joint law of a draw around this exact vector."""
        return KNormLaw(self, (0,) * self.dimension if exact is None else tuple(exact))

    family = "k-norm"

    @property
    def variance(self) -> float:
        """The mean variance of a coordinate."""
        return self.squared_error / self.dimension

    continuous_variance = variance

    def in_words(self, step: Fraction) -> str:
        return f"K-norm noise at epsilon {exact_text(self.epsilon)}, on all of them together"

    def event(self, label: str) -> KNormRelease:
        """One release of a vector whose differences lie in K."""
        return KNormRelease(label, self.dimension, self.epsilon)

    @property
    def squared_error(self) -> float:
        """The expected squared length of the noise by the continuous law: (d + 1)(d + 2) / epsilon² times that of a point of K.

        The noise is a point of K, uniform, times a radius with the Gamma law of shape d + 1. On the lattice the figure
        is a little smaller; the difference vanishes with epsilon as it does for Laplace noise (V13).
        """
        d = self.norm.dimension
        within = self.norm.mean_square if self.lattice is None else _mean_square_on(self.lattice, self.norm)
        return (d + 1) * (d + 2) / float(self.epsilon) ** 2 * within

    def _kept(self, points: Integers, radii: Integers, coins: CoinSource) -> NDArray[np.bool_]:
        """Coins that show True with probability e^(-epsilon * (||z||_K - r / s)) for each point."""
        counts = self.norm.counts(points)
        if counts is None:  # numbers may exceed 64 bits: one at a time
            return np.array(
                [
                    self._kept_one(tuple(map(int, point)), int(radius), coins)
                    for point, radius in zip(points, radii, strict=True)
                ],
                np.bool_,
            )
        if self.norm.rational:
            return self._coins(counts, self.norm.step, radii, coins)
        # e^-(a + b) is the probability of two coins e^-a and e^-b; a covers the root down to 2^-FINE, in integers.
        if int(counts.max(initial=0)) >= 1 << (62 - 2 * FINE):
            return np.array(
                [
                    self._kept_one(tuple(map(int, point)), int(radius), coins)
                    for point, radius in zip(points, radii, strict=True)
                ],
                np.bool_,
            )
        roots = _floor_root(counts << (2 * FINE))
        kept = self._coins(roots, self.norm.step / (1 << FINE), radii, coins)
        surely = exp_bounds(self.epsilon * self.norm.step / (1 << FINE), 64)[0]
        prefixes = coins.array(len(kept), np.uint64)
        unsure = np.flatnonzero(kept & (prefixes >= np.uint64(min(surely, (1 << 64) - 1))))
        for i in unsure:
            rest = partial(self._rest_bounds, int(counts[i]), int(roots[i]))
            kept[i] = LazyUniform(coins, int(prefixes[i]), 64).is_below(rest)
        return kept

    def _coins(
        self, counts: Integers, step: Fraction, radii: Integers, coins: CoinSource
    ) -> NDArray[np.bool_]:
        """Coins for e^(-epsilon * (count * step - r / s)), as e^(-rate * gap) with integer gaps."""
        per_count, per_radius = self.epsilon * step, 1 / self.scale
        unit = math.lcm(per_count.denominator, per_radius.denominator)
        a, b = int(per_count * unit), int(per_radius * unit)
        common = math.gcd(a, b)
        a, b, rate = a // common, b // common, Fraction(common, unit)
        if max(a * int(counts.max(initial=0)), b * int(radii.max(initial=0))) >= 1 << 62:
            return np.array(
                [
                    LazyUniform(coins).is_below(partial(exp_bounds, rate * (a * int(c) - b * int(r))))
                    for c, r in zip(counts, radii, strict=True)
                ],
                np.bool_,
            )
        return bernoulli_decay(rate, (a * counts - b * radii).view(np.uint64), coins)

    def _kept_one(self, point: Vector, radius: int, coins: CoinSource) -> bool:
        return LazyUniform(coins).is_below(partial(self._kept_bounds, point, radius))

    def _kept_bounds(self, point: Vector, radius: int, bits: int) -> tuple[int, int]:
        """Integers around 2^bits * e^(-epsilon * (||z||_K - r / s))."""
        away = radius / self.scale
        if self.norm.rational:
            return exp_bounds(self.epsilon * self.norm.of(point) - away, bits)
        low, high = _root_bounds(self.norm.count(point), bits)
        per = self.epsilon * self.norm.step
        return exp_bounds(per * high - away, bits)[0], exp_bounds(max(Fraction(0), per * low - away), bits)[1]

    def _rest_bounds(self, squared: int, root: int, bits: int) -> tuple[int, int]:
        """Integers around 2^bits * e^(-epsilon * (sqrt(squared) - root / 2^FINE) * step)."""
        low, high = _root_bounds(squared, bits)
        per, known = self.epsilon * self.norm.step, Fraction(root, 1 << FINE)
        return (
            exp_bounds(per * (high - known), bits)[0],
            exp_bounds(per * max(Fraction(0), low - known), bits)[1],
        )


@dataclass(frozen=True, slots=True)
class KNormLaw:
    """Pr[z] proportional to e^(-epsilon * ||z - exact||_K) on the lattice."""

    mechanism: KNorm
    exact: Vector

    def weight_bounds(self, z: Vector) -> tuple[Fraction, Fraction]:
        """e^(-epsilon * ||z - exact||_K), rounded down and up."""
        low, high = self._distance(z)
        epsilon = self.mechanism.epsilon
        return exp_down(-epsilon * high), exp_up(-epsilon * low)

    def pmf(self, z: Vector) -> float:
        """Pr[the draw is z]; the normaliser is summed over the lattice, so only for small cases.

        >>> law = KNorm(Ball("l1", 2, Fraction(1)), Fraction(1)).law()
        >>> abs(law.pmf((0, 0)) / math.tanh(1 / 2) ** 2 - 1) < 1e-12  # two independent discrete Laplace draws
        True
        """
        return math.exp(-float(self.mechanism.epsilon * self._distance(z)[1])) / self.normaliser

    def log_ratio(self, other: KNormLaw, z: Vector) -> Fraction:
        """ln(Pr[z here] / Pr[z under the other law]): exact, or rounded up where the norm is irrational.

        The normalisers cancel, since the two laws are translates of each other.
        """
        if self.mechanism != other.mechanism:
            raise ValueError("both laws must be of the same mechanism")
        return self.mechanism.epsilon * (other._distance(z)[1] - self._distance(z)[0])

    @property
    def normaliser(self) -> float:
        """Σ e^(-epsilon * ||z||_K) over the lattice, to a relative error of about 1e-12."""
        return _normaliser(self.mechanism.norm, self.mechanism.epsilon)

    @property
    def squared_error(self) -> float:
        """The expected squared length of the noise, summed over the lattice: exact, unlike the continuous formula."""
        weights, points = _summed(self.mechanism.norm, self.mechanism.epsilon)
        if self.mechanism.lattice is not None:
            points = points @ np.array(self.mechanism.lattice.basis, np.int64)
        return float((weights * (points.astype(np.float64) ** 2).sum(axis=1)).sum() / weights.sum())

    def _distance(self, z: Vector) -> tuple[Fraction, Fraction]:
        away = tuple(int(a) - b for a, b in zip(z, self.exact, strict=True))
        if self.mechanism.lattice is not None:
            inside = self.mechanism.lattice.coordinates(away)
            away = tuple(int(part) for part in inside)
        return self.mechanism.norm.bounds(away)


def laplace_squared_error(differences: Sequence[Sequence[Fraction | int]], epsilon: Fraction) -> float:
    """The same for Laplace noise on each coordinate at this epsilon: d * 2 * (l1 / epsilon)², continuous.

    >>> laplace_squared_error([(1, 1), (0, 1)], Fraction(1))  # two questions, a record may satisfy both: 2 * 2 * 2²
    16.0
    """
    l1 = max(sum((abs(Fraction(part)) for part in row), Fraction(0)) for row in differences)
    return len(differences[0]) * 2 * float(l1 / epsilon) ** 2


def _whole_vector(record: Sequence[int]) -> Vector:
    parts = [read_exact(part) for part in record]
    if any(part.denominator != 1 for part in parts):
        raise BadArgument("vertices-shape", f"a record adds whole numbers to its questions, not {record!r}")
    return tuple(int(part) for part in parts)


@lru_cache(256)
def _acceptance(norm: Norm, epsilon: Fraction) -> tuple[float, float, float]:
    """(proved lower bound, best figure, proved upper bound) of Σ e^(-epsilon ||z||_K) / Σ e^(-epsilon ||z||_inf / s).

    The lower sum is d! vol(K) / epsilon^d up to factors e^(±epsilon * c), c = the norm of half a step in every
    coordinate: the norm changes by at most c within the unit cube around a lattice point. It is at least 1 (at z = 0).
    """
    d = norm.dimension
    rate = float(epsilon / norm.reach)
    log_proposals = math.log(sum(b * math.exp(-j * rate) for j, b in enumerate(shell_polynomial(d))))
    log_proposals -= d * math.log(-math.expm1(-rate))
    if isinstance(norm, Ball) and norm.kind == "linf":
        return 1.0, 1.0, 1.0
    if isinstance(norm, Ball) and norm.kind == "l1":
        exactly = math.exp(d * (math.log1p(math.exp(-rate)) - math.log(-math.expm1(-rate))) - log_proposals)
        return exactly, exactly, exactly
    middle = math.lgamma(d + 1) + math.log(norm.volume) - d * math.log(float(epsilon))
    slack = float(epsilon) * _half_cube(norm)
    low = max(0.0, middle - slack) - log_proposals
    high = min(0.0, middle + slack - log_proposals)
    best = min(max(middle - log_proposals, low), high)
    return math.exp(low), math.exp(best), math.exp(high)


def _half_cube(norm: Norm) -> float:
    """The largest norm of a vector with coordinates ±1/2."""
    if isinstance(norm, Ball):
        return float(norm.of((1,) * norm.dimension)) / 2
    return max(float(norm.of(corner)) for corner in product((-1, 1), repeat=norm.dimension)) / 2


@lru_cache(64)
def _normaliser(norm: Norm, epsilon: Fraction) -> float:
    return float(_summed(norm, epsilon)[0].sum())


@lru_cache(4)
def _summed(norm: Norm, epsilon: Fraction) -> tuple[NDArray[np.float64], Integers]:
    """The points of a cube that has all but about e^-ENOUGH of the weight, with their weights first."""
    d, scale = norm.dimension, norm.reach / epsilon
    radius = 1
    total = sum(shell_size(d, r) * math.exp(-float(r / scale)) for r in range(math.ceil(scale * d) + 2))
    while shell_size(d, radius) * math.exp(-float(radius / scale)) * max(
        1.0, float(scale)
    ) > total * math.exp(-ENOUGH):
        radius += max(1, int(scale / 4))
    if (2 * radius + 1) ** d > MAX_SUMMED:
        raise BadArgument(
            "law-too-wide",
            f"the law of K-norm noise in {d} dimensions at scale {float(scale):.4g} has {(2 * radius + 1) ** d:.3g} points to sum",
            fix="use squared_error of the mechanism, or draw from it",
        )
    axis = np.arange(-radius, radius + 1)
    points = np.stack(np.meshgrid(*[axis] * d, indexing="ij"), axis=-1).reshape(-1, d)
    counts = norm.counts(points)
    assert counts is not None  # the cube is small
    lengths = counts.astype(np.float64)
    if not norm.rational:
        lengths = np.sqrt(lengths)
    return np.exp(-float(epsilon * norm.step) * lengths), points


def _mean_square_on(lattice: Lattice, norm: Norm) -> float:
    """The mean squared length of a uniform point of K, in the coordinates of the answers."""
    from lapcat.mechanisms.integers.polytopes import moments_of

    if not isinstance(norm, Polytope):
        raise ValueError("only polytopes are reduced to a lattice")
    basis = np.array(lattice.basis, np.float64)
    return moments_of(norm.vertices, norm.normals, norm.unit, _rows(basis @ basis.T))[1]


def _rows(matrix: NDArray[np.float64]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(map(float, row)) for row in matrix)


def _floor_root(squares: Integers) -> Integers:
    """The integer square root of each: a float guess, corrected in integers."""
    roots = np.sqrt(squares.astype(np.float64)).astype(np.int64)
    roots -= roots * roots > squares
    roots -= roots * roots > squares
    roots += (roots + 1) * (roots + 1) <= squares
    roots += (roots + 1) * (roots + 1) <= squares
    return roots


def _root_bounds(squared: int, bits: int) -> tuple[Fraction, Fraction]:
    """The square root, rounded down and up to bits + 16 bits after the point; equal where it is an integer."""
    shift = bits + 16
    root = math.isqrt(squared << (2 * shift))
    exactly = root * root == squared << (2 * shift)
    return Fraction(root, 1 << shift), Fraction(root if exactly else root + 1, 1 << shift)


@lru_cache(64)
def _shells(dimension: int, rate: Fraction) -> Shells:
    return Shells(dimension, rate)
