"""Axes of the table of counts: the declared values of each column, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lapcat.errors import BadQuery
from lapcat.plan.nodes import GroupKey
from lapcat.plan.schema import Value


@dataclass(frozen=True, slots=True)
class Axis:
    """One column with its declared values, or with its buckets by their names; one more cell may hold all other rows.

    >>> Axis("age", range(18, 100)).place(20)
    2
    """

    name: str
    values: tuple[Value, ...] | range
    other: bool = False

    @property
    def size(self) -> int:
        return len(self.values) + self.other

    def value(self, place: int) -> Value | None:
        """The value at a position; None for the cell of all other rows."""
        return self.values[place] if place < len(self.values) else None

    def places(self, values: Sequence[Value]) -> npt.NDArray[np.int64]:
        """The positions of many values."""
        if isinstance(self.values, range) and self.values.step == 1 and set(map(type, values)) == {int}:
            positions = np.array(values, np.int64) - self.values.start
            if positions.size and not ((positions >= 0) & (positions < len(self.values))).all():
                self.place(next(value for value in values if value not in self.values))
            return positions
        place = {value: position for position, value in enumerate(self.values)}
        return np.array([place[v] if v in place else self.place(v) for v in values], np.int64)

    def place(self, value: Value) -> int:
        """The position of a value; undeclared values are refused."""
        try:
            return self.values.index(value)  # type: ignore[arg-type]  # a range raises for a text
        except ValueError:
            pass
        shown = ", ".join(map(repr, self.values[:3])) + (" …" if len(self.values) > 3 else "")
        raise BadQuery(
            "workload-value",
            f"{value!r} is not one of the {len(self.values)} declared values of {self.name}",
            why="a workload counts declared values of a column, or its buckets by their names",
            fix=f"use declared values: {shown}",
        )


def axis_of(key: GroupKey) -> Axis:
    """The axis of a public key of a plan."""
    assert key.values is not None, "private groups have no axis"
    return Axis(key.name, key.values, key.other)
