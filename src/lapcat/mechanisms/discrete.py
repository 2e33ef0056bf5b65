"""Mechanisms with finitely many inputs and outcomes, given by a table of probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lapcat.core.coins import system_coins
from lapcat.core.event import DiscreteRelease
from lapcat.core.exact import exact
from lapcat.core.loss import ApproxDP, PureDP
from lapcat.drawing.curves import card, neighbours_svg
from lapcat.errors import BadArgument
from lapcat.mechanisms.integers.discrete import Discrete, Worst
from lapcat.mechanisms.integers.finite import FiniteLaw
from lapcat.mechanisms.shown import POINTS, Curves, describe, factor_of, plain_array, read_table, set_fields


@dataclass(frozen=True, slots=True, init=False, repr=False)
class DiscreteMechanism:
    """matrix[x][y] is the probability of outcome y for input x, read exactly; each row adds up to 1.

    neighbours: pairs of neighbouring inputs; by default all pairs.

    >>> coin = DiscreteMechanism([["0.75", "0.25"], ["0.25", "0.75"]])
    >>> float(coin.epsilon), coin.delta(0)  # ln 3, and the total variation distance
    (1.0986122886681098, Fraction(1, 2))
    """

    core: Discrete
    neighbours: tuple[tuple[int, int], ...] | None

    def __init__(
        self, matrix: Sequence[Sequence[object]], neighbours: Sequence[tuple[int, int]] | None = None
    ) -> None:
        rows = read_table("matrix-empty", matrix, '[["0.75", "0.25"], ["0.25", "0.75"]]')
        pairs = None if neighbours is None else _pairs(neighbours)
        set_fields(self, core=Discrete(rows), neighbours=pairs)
        self.worst  # noqa: B018  (refuses neighbours that are not inputs)

    @property
    def epsilon(self) -> Fraction | float:
        """The least epsilon, rounded up by a relative 2^-64; infinite if some outcome is impossible for one input only."""
        return self.core.epsilon(self.neighbours)

    def delta(self, epsilon: object) -> Fraction:
        """The least delta for which it is (epsilon, delta)-DP."""
        return self.core.delta(exact(epsilon), self.neighbours)

    @property
    def worst(self) -> Worst:
        """The outcome with the largest privacy loss, and the inputs it distinguishes."""
        return self.core.worst(self.neighbours)

    @property
    def loss(self) -> PureDP | ApproxDP:
        """The cost of one draw; refused if no epsilon is large enough."""
        return self.event().loss

    def event(self, label: str = "discrete", epsilon: object = None) -> DiscreteRelease:
        return self.core.event(label, self.neighbours, None if epsilon is None else exact(epsilon))

    def release(self, inputs: ArrayLike) -> NDArray[np.int64]:
        """One outcome for each input."""
        array = plain_array(inputs)
        if array.dtype.kind not in "iu":
            raise BadArgument("array-type", f"inputs are row numbers, not {array.dtype}", fix="[0, 1, 1]")
        return self.core.draw(array.astype(np.int64), system_coins())

    def law(self, value: int) -> FiniteLaw:
        """The row of this input."""
        return self.core.law(value)

    def __repr__(self) -> str:
        return describe("DiscreteMechanism", self._rows(), self._curves())

    def _repr_html_(self) -> str:
        here, there = self._curves()
        caption = None if self.worst.ratio is not None else "no ε is large enough (shaded)"
        picture = neighbours_svg(here, there, factor_of(self.epsilon), str(self.worst), caption=caption)
        return card("DiscreteMechanism", self._rows(), picture)

    def _rows(self) -> list[tuple[str, str]]:
        promise = (
            "none: no epsilon is large enough"
            if self.worst.ratio is None
            else f"{float(self.epsilon):.6g}-differential privacy"
        )
        return [
            ("guarantee", promise),
            ("because", str(self.worst)),
            ("inputs, outcomes", f"{len(self.core.rows)}, {len(self.core.rows[0])}"),
        ]

    def _curves(self) -> Curves:
        here, there = self.core.rows[self.worst.likely], self.core.rows[self.worst.unlikely]
        wide = max(2, POINTS // len(here))
        return [float(p) for p in here for _ in range(wide)], [float(p) for p in there for _ in range(wide)]


def _pairs(neighbours: object) -> tuple[tuple[int, int], ...]:
    """Pairs of row numbers; whether the matrix has these rows is checked on use."""
    pairs = read_table("input-range", neighbours, "neighbours=[(0, 1)]")
    if not all(len(pair) == 2 and all(isinstance(row, Integral) for row in pair) for pair in pairs):
        raise BadArgument("input-range", "neighbours are pairs of rows", fix="neighbours=[(0, 1)]")
    return tuple((int(here), int(there)) for here, there in pairs)
