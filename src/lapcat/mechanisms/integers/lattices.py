"""The lattice of integer vectors in a linear span: the support of the noise if questions are linearly dependent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Vector = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Lattice:
    """All integer vectors in a span, given by a basis: each is a unique integer combination of its rows.

    >>> Lattice.spanned([(1, 1, 0), (0, 0, 1)]).basis  # the second question repeats the first
    ((1, 1, 0), (0, 0, 1))
    """

    basis: tuple[Vector, ...]

    @classmethod
    def whole(cls, dimension: int) -> Lattice:
        return cls(tuple(tuple(int(i == j) for j in range(dimension)) for i in range(dimension)))

    @classmethod
    def spanned(cls, vectors: Sequence[Sequence[Fraction | int]]) -> Lattice:
        """The integer vectors in the span of the given ones.

        If some coordinates determine the others by integer combinations (repeated questions, sums of others), the
        basis is the identity on them. Otherwise it comes from unimodular column operations: V·U = [H 0], so the first
        rows of U⁻¹ span the same space, and being rows of a unimodular matrix they miss no integer vector of it.
        """
        rows = [tuple(Fraction(part) for part in vector) for vector in vectors]
        size = len(rows[0])
        reduced, leads = _row_reduced(rows)
        if all(part.denominator == 1 for row in reduced for part in row):
            return cls(tuple(tuple(int(part) for part in row) for row in reduced))
        whole = [_cleared(row) for row in reduced]
        inverse = _unimodular_inverse(whole, size)
        return cls(tuple(tuple(row) for row in inverse[: len(leads)]))

    @property
    def rank(self) -> int:
        return len(self.basis)

    @property
    def is_whole(self) -> bool:
        return self.rank == len(self.basis[0])

    @property
    def widest(self) -> int:
        """Upper bound on the ratio of a vector's entries to its coordinates."""
        return max(sum(abs(row[j]) for row in self.basis) for j in range(len(self.basis[0])))

    def coordinates(self, vector: Sequence[Fraction | int]) -> tuple[Fraction, ...]:
        """The coordinates of the vector in the basis.

        >>> Lattice(((1, 1, 0), (0, 0, 1))).coordinates((2, 2, 5))
        (Fraction(2, 1), Fraction(5, 1))
        """
        columns = [
            [Fraction(row[j]) for row in self.basis] + [Fraction(vector[j])] for j in range(len(vector))
        ]
        reduced, leads = _row_reduced(columns)
        if self.rank in leads:
            raise ValueError(f"{tuple(vector)} does not lie in the span of the lattice")
        return tuple(reduced[leads.index(k)][-1] for k in range(self.rank))


def _row_reduced(rows: Sequence[Sequence[Fraction]]) -> tuple[list[list[Fraction]], list[int]]:
    """Reduced row echelon form without its zero rows, and the column of each leading one."""
    work = [list(row) for row in rows]
    leads: list[int] = []
    for c in range(len(work[0])):
        at = len(leads)
        pivot = next((r for r in range(at, len(work)) if work[r][c]), None)
        if pivot is None:
            continue
        work[at], work[pivot] = work[pivot], work[at]
        work[at] = [part / work[at][c] for part in work[at]]
        for r in range(len(work)):
            if r != at and work[r][c]:
                factor = work[r][c]
                work[r] = [a - factor * b for a, b in zip(work[r], work[at], strict=True)]
        leads.append(c)
    return work[: len(leads)], leads


def _cleared(row: Sequence[Fraction]) -> list[int]:
    scale = math.lcm(*(part.denominator for part in row))
    return [int(part * scale) for part in row]


def _unimodular_inverse(rows: list[list[int]], size: int) -> list[list[int]]:
    """U⁻¹ for a unimodular U with rows·U in column echelon form, by Euclid's steps on columns.

    A step that subtracts t times column i from column j of V (V·E) adds t times row j to row i of the inverse.
    """
    work = [list(row) for row in rows]
    inverse = [[int(i == j) for j in range(size)] for i in range(size)]
    at = 0
    for row in work:
        while True:
            filled = [j for j in range(at, size) if row[j]]
            if not filled:
                break
            smallest = min(filled, key=lambda j: abs(row[j]))
            if smallest != at:
                for other in work:
                    other[at], other[smallest] = other[smallest], other[at]
                inverse[at], inverse[smallest] = inverse[smallest], inverse[at]
            if len(filled) == 1:
                at += 1
                break
            for j in range(at + 1, size):
                times = row[j] // row[at]
                if times:
                    for other in work:
                        other[j] -= times * other[at]
                    inverse[at] = [a + times * b for a, b in zip(inverse[at], inverse[j], strict=True)]
    return inverse
