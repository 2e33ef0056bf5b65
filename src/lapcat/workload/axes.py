"""The cells that questions are asked of: the declared values of each column, in order."""

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
    """One column with its declared values, or its buckets by the value that names each; all other rows may form one more.

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
        """What a place is called; None is the place of all other rows."""
        return self.values[place] if place < len(self.values) else None

    def places(self, values: Sequence[Value]) -> npt.NDArray[np.int64]:
        """Where each of many values stands."""
        if isinstance(self.values, range) and self.values.step == 1 and set(map(type, values)) == {int}:
            found = np.array(values, np.int64) - self.values.start
            if found.size and not ((found >= 0) & (found < len(self.values))).all():
                self.place(next(value for value in values if value not in self.values))
            return found
        place = {value: position for position, value in enumerate(self.values)}
        return np.array([place[v] if v in place else self.place(v) for v in values], np.int64)

    def place(self, value: Value) -> int:
        """Where a value stands, or a refusal: a question about cells that are not declared has no answer."""
        try:
            return self.values.index(value)  # type: ignore[arg-type]  # a range holds no text, and says so
        except ValueError:
            pass
        shown = ", ".join(map(repr, self.values[:3])) + (" …" if len(self.values) > 3 else "")
        raise BadQuery(
            "workload-value",
            f"{value!r} is not one of the {len(self.values)} declared values of {self.name}",
            why="a workload is asked of the declared values of a column, or of its buckets by the value that names each",
            fix=f"take declared values: {shown}",
        )


def axis_of(key: GroupKey) -> Axis:
    """The axis of a public key of a plan."""
    assert key.values is not None, "private groups are no axis"
    return Axis(key.name, key.values, key.other)
