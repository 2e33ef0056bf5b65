"""Norms on the lattice of integer vectors, in exact numbers: the balls of l1, l2 and l-infinity, and polytopes.

A norm is given by its unit ball K, the set of changes that one unit can make. It returns an integer `count` with
||z||_K = count * step, so that a sampler compares integers; for the Euclidean norm, which is irrational, `count` is
the squared length.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lapcat.core.exact import exact_text, sqrt_down, sqrt_up
from lapcat.errors import BadArgument
from lapcat.mechanisms.integers.polytopes import facets_of, moments_of, vertices_among

Vector = tuple[int, ...]
Integers = NDArray[np.int64]

MAX_DIMENSIONS = 64  # of a ball; for polytopes see lapcat.mechanisms.integers.polytopes
SAFE = 1 << 62  # products below it fit an int64


@dataclass(frozen=True, slots=True)
class Ball:
    """All vectors whose l1, l2 or l-infinity norm is at most the radius.

    >>> Ball("l1", 2, Fraction(2)).of((3, -1)), Ball("linf", 2, Fraction(2)).of((3, -1))
    (Fraction(2, 1), Fraction(3, 2))
    """

    kind: Literal["l1", "l2", "linf"]
    dimension: int
    radius: Fraction

    def __post_init__(self) -> None:
        if self.kind not in ("l1", "l2", "linf"):
            raise BadArgument(
                "norm-unknown",
                f"there is no norm {self.kind!r}",
                fix='norm="l1", "l2" or "linf", or vertices=…',
            )
        if isinstance(self.dimension, bool) or not isinstance(self.dimension, int):
            raise BadArgument("dimension-range", f"a dimension is a whole number, not {self.dimension!r}")
        if not 1 <= self.dimension <= MAX_DIMENSIONS:
            raise BadArgument(
                "dimension-range",
                f"{self.dimension} dimensions: K-norm noise has between 1 and {MAX_DIMENSIONS}",
            )
        if self.radius <= 0:
            raise BadArgument(
                "sensitivity-not-positive",
                f"a sensitivity of {exact_text(self.radius)} is not above 0",
                fix="a number that no unit can change needs no noise: release it directly",
            )

    @property
    def reach(self) -> Fraction:
        """The least s with K inside the cube of half-width s."""
        return self.radius

    @property
    def step(self) -> Fraction:
        return 1 / self.radius

    @property
    def rational(self) -> bool:
        return self.kind != "l2"

    def count(self, z: Vector) -> int:
        """The norm in steps; for l2 the squared norm."""
        match self.kind:
            case "l1":
                return sum(map(abs, z))
            case "l2":
                return sum(part * part for part in z)
            case "linf":
                return max(map(abs, z))

    def counts(self, z: Integers) -> Integers | None:
        """The same for each row; None if it may exceed 64 bits."""
        largest = int(np.abs(z).max(initial=0))
        match self.kind:
            case "l1":
                return np.abs(z).sum(axis=1) if largest * self.dimension < SAFE else None
            case "l2":
                return (z * z).sum(axis=1) if largest * largest * self.dimension < SAFE else None
            case "linf":
                farthest: Integers = np.abs(z).max(axis=1)
                return farthest

    def of(self, z: Vector) -> Fraction:
        """The norm, rounded up if irrational."""
        return self.bounds(z)[1]

    def bounds(self, z: Vector) -> tuple[Fraction, Fraction]:
        """The norm, rounded down and up; equal if rational."""
        if self.kind == "l2":
            squared = self.count(z) * self.step**2
            return sqrt_down(squared), sqrt_up(squared)
        norm = self.count(z) * self.step
        return norm, norm

    @property
    def volume(self) -> float:
        """The volume of K."""
        d, r = self.dimension, float(self.radius)
        match self.kind:
            case "l1":
                return (2 * r) ** d / math.factorial(d)
            case "l2":
                return math.exp(d / 2 * math.log(math.pi) - math.lgamma(d / 2 + 1)) * r**d
            case "linf":
                return (2 * r) ** d

    @property
    def mean_square(self) -> float:
        """The mean squared length of a uniform point of K."""
        d, r = self.dimension, float(self.radius)
        match self.kind:
            case "l1":
                return 2 * d * r * r / ((d + 1) * (d + 2))
            case "l2":
                return d * r * r / (d + 2)
            case "linf":
                return d * r * r / 3


@dataclass(frozen=True, slots=True)
class Polytope:
    """The convex hull of plus and minus these vectors, which must span the space.

    The norm is the largest of the facets' inner products: ||z||_K = max over y of y·z, K = {z : y·z <= 1 for all y}.

    >>> square = Polytope.around([(1, 1), (1, -1)])
    >>> square.of((3, -2)), square.of((1, 1)), square.reach
    (Fraction(3, 1), Fraction(1, 1), Fraction(1, 1))
    """

    vertices: tuple[tuple[Fraction, ...], ...]
    normals: tuple[Vector, ...]
    unit: int
    """Each facet is {z : normal·z = unit}."""
    rational: bool = field(default=True, init=False)

    @classmethod
    def around(cls, vectors: Sequence[Sequence[Fraction | int]]) -> Polytope:
        """The hull of plus and minus the vectors."""
        rows = [tuple(Fraction(part) for part in vector) for vector in vectors]
        scale = math.lcm(*(part.denominator for row in rows for part in row))
        whole = [tuple(int(part * scale) for part in row) for row in rows]
        facets = facets_of(whole)
        # A facet of the enlarged body scale * K is {z : y·z = 1}, so that of K is {z : (scale * y)·z = 1}.
        unit = math.lcm(*(part.denominator for y in facets for part in y))
        normals = tuple(tuple(int(part * scale * unit) for part in y) for y in facets)
        kept = vertices_among(whole, facets)
        return cls(tuple(tuple(Fraction(part, scale) for part in v) for v in kept), normals, unit)

    @property
    def dimension(self) -> int:
        return len(self.vertices[0])

    @property
    def reach(self) -> Fraction:
        return max(abs(part) for vertex in self.vertices for part in vertex)

    @property
    def step(self) -> Fraction:
        return Fraction(1, self.unit)

    def count(self, z: Vector) -> int:
        return max(sum(a * b for a, b in zip(normal, z, strict=True)) for normal in self.normals)

    def counts(self, z: Integers) -> Integers | None:
        largest = max(abs(part) for normal in self.normals for part in normal)
        if largest * int(np.abs(z).max(initial=0)) * self.dimension >= SAFE:
            return None
        norms: Integers = np.full(len(z), np.iinfo(np.int64).min)
        for normal in self._half:  # one of each pair y, -y is enough
            np.maximum(norms, np.abs(z @ np.array(normal, np.int64)), out=norms)
        return norms

    def of(self, z: Vector) -> Fraction:
        return self.count(z) * self.step

    def bounds(self, z: Vector) -> tuple[Fraction, Fraction]:
        norm = self.of(z)
        return norm, norm

    @property
    def volume(self) -> float:
        return moments_of(self.vertices, self.normals, self.unit)[0]

    @property
    def mean_square(self) -> float:
        return moments_of(self.vertices, self.normals, self.unit)[1]

    @property
    def _half(self) -> tuple[Vector, ...]:
        return tuple(normal for normal in self.normals if normal > tuple(-part for part in normal))


Norm = Ball | Polytope
