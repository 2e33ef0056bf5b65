"""Symmetric polytopes in exact numbers: facets from vertices, and volume and second moment from both.

Facets are computed by the double description method on the polar body {y : |y·v| <= 1}, whose vertices they are. All of
it is integer arithmetic except the adjacency test, which multiplies 0/1 matrices.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lapcat.errors import BadArgument

MAX_DIMENSIONS = 6  # the number of facets explodes beyond
MAX_FACETS = 20_000
MAX_SIMPLICES = 400_000
PAIRS_AT_ONCE = 1 << 12

Vector = tuple[int, ...]
Normal = tuple[Fraction, ...]
Table = NDArray[np.float32]


def facets_of(vectors: Sequence[Vector]) -> tuple[Normal, ...]:
    """The facets {z : y·z = 1} of the hull of plus and minus the vectors, as their normals y, sorted.

    >>> facets_of([(1, 0), (0, 1)]) == tuple((Fraction(a), Fraction(b)) for a in (-1, 1) for b in (-1, 1))
    True
    """
    dimension = _checked(vectors)
    rows = sorted({row for v in vectors if any(v) for row in ((1, *v), (1, *(-part for part in v)))})
    # far points first: they cut off the largest parts
    rows.sort(key=lambda row: -sum(part * part for part in row))
    rays, seen, order = _simplex_cone(rows, dimension + 1)
    used = set(order)
    for index, row in enumerate(rows):
        if index in used:
            continue
        rays, seen = _cut(rays, seen, row, dimension)
    normals = {tuple(Fraction(part, ray[0]) for part in ray[1:]) for ray in rays}
    return tuple(sorted(normals))


def vertices_among(vectors: Sequence[Vector], facets: Sequence[Normal]) -> tuple[Vector, ...]:
    """The vertices of the hull of plus and minus the vectors: the points whose set of facets no other point contains."""
    points = sorted({p for v in vectors if any(v) for p in (tuple(v), tuple(-part for part in v))})
    on = {p: _on(p, facets) for p in points}
    return tuple(p for p in points if on[p] and not any(on[p] & on[o] == on[p] for o in points if o != p))


@lru_cache(64)
def moments_of(
    vertices: tuple[tuple[Fraction, ...], ...],
    normals: tuple[Vector, ...],
    unit: int,
    gram: tuple[tuple[float, ...], ...] | None = None,
) -> tuple[float, float]:
    """(volume, mean squared length of a uniform point), by cones from the origin over a triangulated boundary.

    Lengths are Euclidean, or by the quadratic form `gram` for coordinates in another basis.

    A simplex with corners 0, v1 … vd has the volume |det| / d!, and the mean squared length
    (Σ |vi|² + |Σ vi|²) / ((d + 1)(d + 2)).
    """
    d = len(vertices[0])
    points = np.array([[float(part) for part in v] for v in vertices])
    faces = tuple(
        sum(1 << i for i, v in enumerate(vertices) if sum(a * b for a, b in zip(n, v, strict=True)) == unit)
        for n in normals
    )
    corners: list[list[int]] = []
    for normal, face in zip(normals, faces, strict=True):
        if normal < tuple(-part for part in normal):
            continue  # the opposite facet mirrors it
        for simplex in _triangulated(face, d - 1, faces, {}):
            corners.append([i for i in range(len(vertices)) if simplex >> i & 1])
            if len(corners) > MAX_SIMPLICES:
                raise _too_complex(f"more than {MAX_SIMPLICES} simplices")
    parts = points[np.array(corners)]
    volumes = np.abs(np.linalg.det(parts)) / math.factorial(d)
    form = np.eye(d) if gram is None else np.array(gram)
    sums = parts.sum(axis=1)
    squares = np.einsum("nia,ab,nib->n", parts, form, parts) + np.einsum("na,ab,nb->n", sums, form, sums)
    squares /= (d + 1) * (d + 2)
    return 2 * float(volumes.sum()), float((volumes * squares).sum() / volumes.sum())


def _checked(vectors: Sequence[Vector]) -> int:
    lengths = {len(v) for v in vectors}
    if len(lengths) != 1 or not vectors:
        raise BadArgument("vertices-shape", f"vertices are vectors of one length, not of {sorted(lengths)}")
    (dimension,) = lengths
    if not 1 <= dimension <= MAX_DIMENSIONS:
        raise BadArgument(
            "dimension-range",
            f"a polytope of {dimension} dimensions: K-norm noise for a polytope has between 1 and {MAX_DIMENSIONS}",
            fix="split the questions, or use Laplace noise",
        )
    return dimension


def _simplex_cone(rows: list[Vector], size: int) -> tuple[list[Vector], list[int], list[int]]:
    """Rays of the cone of the first `size` independent inequalities, and the tight inequalities of each ray."""
    chosen: list[int] = []
    basis: list[list[Fraction]] = []
    for index, row in enumerate(rows):
        rest = [Fraction(part) for part in row]
        for b in basis:
            lead = next(i for i, part in enumerate(b) if part)
            if rest[lead]:
                factor = rest[lead] / b[lead]
                rest = [x - factor * y for x, y in zip(rest, b, strict=True)]
        if any(rest):
            basis.append(rest)
            chosen.append(index)
        if len(chosen) == size:
            break
    if len(chosen) < size:
        raise BadArgument(
            "vertices-span",
            "these vectors do not span the space",
            fix="give the differences to KNorm.of_differences, which reduces them to the lattice they span",
        )
    inverse = _inverse([[Fraction(part) for part in rows[i]] for i in chosen])
    rays = [_primitive([inverse[r][c] for r in range(size)]) for c in range(size)]
    seen = [sum(1 << k for k in range(size) if k != c) for c in range(size)]
    return rays, seen, chosen


def _cut(rays: list[Vector], seen: list[int], row: Vector, dimension: int) -> tuple[list[Vector], list[int]]:
    """The cone cut by one more inequality row·ray >= 0."""
    values = [sum(a * b for a, b in zip(row, ray, strict=True)) for ray in rays]
    bit = 1 << max(mask.bit_length() for mask in seen)
    negative = [i for i, value in enumerate(values) if value < 0]
    positive = [i for i, value in enumerate(values) if value > 0]
    kept = [i for i, value in enumerate(values) if value >= 0]
    new_rays = [rays[i] for i in kept]
    new_seen = [seen[i] | (bit if values[i] == 0 else 0) for i in kept]
    if negative:
        for i, j in _adjacent(seen, positive, negative, dimension - 1):
            mixed = [values[i] * b - values[j] * a for a, b in zip(rays[i], rays[j], strict=True)]
            new_rays.append(_primitive([Fraction(part) for part in mixed]))
            new_seen.append(seen[i] & seen[j] | bit)
    if len(new_rays) > MAX_FACETS:
        raise _too_complex(f"more than {MAX_FACETS} facets")
    return new_rays, new_seen


def _adjacent(
    seen: list[int], positive: list[int], negative: list[int], fewest: int
) -> list[tuple[int, int]]:
    """The pairs of rays that span a face of dimension two: no third ray is tight for all their common tight inequalities."""
    width = max(mask.bit_length() for mask in seen)
    table: Table = np.array([[mask >> k & 1 for k in range(width)] for mask in seen], np.float32)
    common = table[positive] @ table[negative].T
    candidates = np.argwhere(common >= fewest)
    adjacent: list[tuple[int, int]] = []
    for start in range(0, len(candidates), PAIRS_AT_ONCE):
        pairs = candidates[start : start + PAIRS_AT_ONCE]
        firsts, seconds = np.array(positive)[pairs[:, 0]], np.array(negative)[pairs[:, 1]]
        shared = table[firsts] * table[seconds]
        holders = (shared @ table.T == shared.sum(axis=1, keepdims=True)).sum(axis=1)
        adjacent += [(int(i), int(j)) for i, j, n in zip(firsts, seconds, holders, strict=True) if n == 2]
    return adjacent


def _triangulated(face: int, size: int, facets: tuple[int, ...], known: dict[int, list[int]]) -> list[int]:
    """A triangulation of a face of dimension `size`, by cones from its first vertex over the parts without it."""
    if face.bit_count() == size + 1:
        return [face]
    if face not in known:
        apex = face & -face
        parts = {face & facet for facet in facets if face & facet != face}
        largest = [p for p in parts if not any(p != o and p & o == p for o in parts)]
        known[face] = [
            apex | simplex
            for part in largest
            if not part & apex
            for simplex in _triangulated(part, size - 1, facets, known)
        ]
    return known[face]


def _on(point: Vector, facets: Sequence[Normal]) -> int:
    return sum(1 << k for k, y in enumerate(facets) if sum(a * b for a, b in zip(y, point, strict=True)) == 1)


def _primitive(ray: Sequence[Fraction]) -> Vector:
    """The same direction in integers without a common factor."""
    scale = math.lcm(*(part.denominator for part in ray))
    whole = [int(part * scale) for part in ray]
    common = math.gcd(*whole)
    return tuple(part // common for part in whole)


def _inverse(matrix: list[list[Fraction]]) -> list[list[Fraction]]:
    size = len(matrix)
    work = [[*row, *(Fraction(int(i == j)) for j in range(size))] for i, row in enumerate(matrix)]
    for c in range(size):
        pivot = next(r for r in range(c, size) if work[r][c])
        work[c], work[pivot] = work[pivot], work[c]
        work[c] = [part / work[c][c] for part in work[c]]
        for r in range(size):
            if r != c and work[r][c]:
                factor = work[r][c]
                work[r] = [a - factor * b for a, b in zip(work[r], work[c], strict=True)]
    return [row[size:] for row in work]


def _too_complex(how: str) -> BadArgument:
    return BadArgument(
        "polytope-complex",
        f"the set of differences is a polytope with {how}",
        why="each draw compares with every facet",
        fix="split the questions, or use Laplace noise",
    )
