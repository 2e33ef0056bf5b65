"""K-norm noise on vectors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from numpy.typing import ArrayLike

from lapcat.core.coins import system_coins
from lapcat.core.event import KNormRelease
from lapcat.core.exact import exact, sqrt_up
from lapcat.core.loss import PureDP
from lapcat.drawing.curves import card, neighbours_svg
from lapcat.errors import BadArgument
from lapcat.mechanisms.grids import back, checked_grid, floored_array
from lapcat.mechanisms.integers import knorm as core_knorm
from lapcat.mechanisms.integers.lattices import Lattice
from lapcat.mechanisms.integers.norms import Ball, Polytope
from lapcat.mechanisms.shown import (
    POINTS,
    Released,
    checked_dimensions,
    checked_sensitivity,
    describe,
    factor_of,
    number,
    one_of,
    plain_array,
    read_epsilon,
    read_table,
    set_fields,
)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class KNorm:
    """Joint noise for several numbers, shaped like the set K of changes that one unit can make.

    norm, sensitivity, dimensions: K is the ball of that radius in "l1", "l2" or "linf"; or
    vertices / differences: K is the convex hull of plus and minus these vectors; or
    questions: the 0/1 vectors of the counting questions that each kind of record satisfies, with the relation.
    grid: with a ball, the public step for arrays of floats; without one, integers are released.

    >>> KNorm(norm="linf", sensitivity=1, dimensions=3, epsilon=1).acceptance
    1.0
    """

    core: core_knorm.KNorm
    grid: Fraction | None

    def __init__(
        self,
        *,
        epsilon: object,
        norm: Literal["l1", "l2", "linf"] | None = None,
        sensitivity: object = 1,
        dimensions: int | None = None,
        vertices: Sequence[Sequence[object]] | None = None,
        differences: Sequence[Sequence[object]] | None = None,
        questions: Sequence[Sequence[int]] | None = None,
        relation: Literal["add-remove", "replace-one"] = "add-remove",
        rows_per_unit: int = 1,
        grid: object = None,
    ) -> None:
        price = read_epsilon(epsilon)
        given = [
            name
            for name, value in (
                ("norm", norm),
                ("vertices", vertices),
                ("differences", differences),
                ("questions", questions),
            )
            if value is not None
        ]
        if len(given) != 1:
            raise BadArgument(
                "norm-unsaid",
                f"give exactly one of norm, vertices, differences and questions, not {' and '.join(given) or 'none'}",
                fix='norm="l2", dimensions=3',
            )
        step = None if grid is None else checked_grid(grid)
        if norm is not None:
            if dimensions is None:
                raise BadArgument(
                    "dimension-range", "a ball needs the number of dimensions", fix="dimensions=3"
                )
            dimensions = checked_dimensions(dimensions)
            one_of("norm-unknown", "norm", norm, ("l1", "l2", "linf"))
            radius = checked_sensitivity(sensitivity)
            if step is not None:
                radius = radius / step + _floors(norm, dimensions)
            core = core_knorm.KNorm(Ball(norm, dimensions, radius), price)
        elif step is not None:
            raise BadArgument(
                "grid-power",
                f"a polytope releases integers, so it takes no grid (here: {step})",
                fix="leave grid out",
            )
        elif questions is not None:
            one_of("relation-unknown", "relation", relation, ("add-remove", "replace-one"))
            records = read_table("vertices-shape", questions, "questions=[[1, 0], [0, 1]]")
            core = core_knorm.KNorm.of_questions(records, price, relation, rows_per_unit)
        else:
            given_rows = vertices if vertices is not None else differences
            table = read_table("vertices-shape", given_rows, "vertices=[[1, 0], [0, 1]]")
            rows = [[exact(part) for part in row] for row in table]
            core = core_knorm.KNorm.of_differences(rows, price)
        set_fields(self, core=core, grid=step)

    @property
    def epsilon(self) -> Fraction:
        return self.core.epsilon

    @property
    def dimensions(self) -> int:
        return self.core.dimension

    @property
    def loss(self) -> PureDP:
        """The cost of one release."""
        return PureDP(self.epsilon)

    def event(self, label: str = "k-norm") -> KNormRelease:
        """One release, as the ledger would store it."""
        return self.core.event(label)

    @property
    def acceptance(self) -> float:
        """The approximate acceptance rate of proposals; the time per draw is its inverse."""
        return self.core.acceptance

    @property
    def acceptance_bounds(self) -> tuple[float, float]:
        """Proved bounds of the acceptance rate."""
        return self.core.acceptance_bounds

    def release(self, values: ArrayLike) -> Released:
        """The vector, or one in each row, with fresh noise."""
        array = plain_array(values)
        if self.grid is not None:
            return back(self.core.draw(floored_array(array, self.grid), system_coins()), self.grid)
        if array.dtype.kind not in "iu":
            raise BadArgument(
                "array-type",
                f"an array of {array.dtype} needs a grid, and this mechanism has none",
                fix="grid=0.125 with a ball, or integers",
            )
        return self.core.draw(floored_array(array, Fraction(1)), system_coins())

    @property
    def law(self) -> core_knorm.KNormLaw:
        """The joint law of the noise, counted in steps of the grid."""
        return self.core.law()

    @property
    def squared_error(self) -> float:
        """The expected squared error of all numbers together, by the continuous law."""
        return self.core.squared_error * self._square

    @property
    def laplace_squared_error(self) -> float:
        """The same for Laplace noise on each number at this epsilon."""
        norm = self.core.norm
        if isinstance(norm, Ball):
            l1 = {
                "l1": norm.radius,
                "l2": sqrt_up(Fraction(norm.dimension)) * norm.radius,
                "linf": norm.dimension * norm.radius,
            }[norm.kind]
            return norm.dimension * 2 * float(l1 / self.epsilon) ** 2 * self._square
        return core_knorm.laplace_squared_error(_vertices(norm, self.core.lattice), self.epsilon)

    def __repr__(self) -> str:
        return describe("KNorm", self._rows(), self._curves())

    def _repr_html_(self) -> str:
        here, there = self._curves()
        picture = neighbours_svg(
            here, there, factor_of(self.epsilon), "a line through two neighbouring vectors"
        )
        return card("KNorm", self._rows(), picture)

    def _curves(self) -> tuple[list[float], list[float]]:
        """The unnormalised probability along the line through two neighbours, at distance 1 in the norm of K."""
        epsilon = float(self.epsilon)
        places = [-3 / epsilon - 1 + (6 / epsilon + 3) * i / (POINTS - 1) for i in range(POINTS)]
        here = [math.exp(-epsilon * abs(x)) for x in places]
        return here, [math.exp(-epsilon * abs(x - 1)) for x in places]

    @property
    def _square(self) -> float:
        return 1.0 if self.grid is None else float(self.grid) ** 2

    def _rows(self) -> list[tuple[str, str]]:
        norm = self.core.norm
        shape = (
            f"{norm.kind} ball"
            if isinstance(norm, Ball)
            else f"polytope of {len(norm.vertices)} vertices and {len(norm.normals)} facets"
        )
        return [
            ("guarantee", f"{number(self.epsilon)}-differential privacy"),
            (
                "K",
                f"{shape}, {self.dimensions} dimensions"
                + ("" if self.core.lattice is None else f", in a lattice of rank {norm.dimension}"),
            ),
            (
                "expected squared error",
                f"{self.squared_error:.6g} ({self.squared_error / self.laplace_squared_error:.3g} of Laplace's)",
            ),
            ("acceptance", f"1 in {1 / self.acceptance:.4g} proposals"),
        ]


def _floors(norm: str, dimensions: int) -> Fraction:
    """Upper bound, in this norm, on the change of a vector by rounding d coordinates down to the grid."""
    match norm:
        case "l1":
            return Fraction(dimensions)
        case "l2":
            return sqrt_up(Fraction(dimensions))
        case _:
            return Fraction(1)


def _vertices(norm: Polytope, lattice: Lattice | None) -> list[tuple[Fraction, ...]]:
    """The vertices of K in the coordinates of the answers."""
    if lattice is None:
        return list(norm.vertices)
    size = len(lattice.basis[0])
    return [
        tuple(
            sum((c * row[j] for c, row in zip(v, lattice.basis, strict=True)), Fraction(0))
            for j in range(size)
        )
        for v in norm.vertices
    ]
