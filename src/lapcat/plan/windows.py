"""Orders and window functions over the rows of a released answer. They read nothing but the answer, so they are free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf

from lapcat.plan.expressions import Expression
from lapcat.plan.schema import Type

Ranking = OneOf["row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"]
"""A function of the order alone."""
Offset = OneOf["lag", "lead"]
"""The value of another row of the partition, a number of rows before or after."""
Framed = OneOf["first_value", "last_value", "nth_value", "sum", "avg", "min", "max", "count"]
"""A function of the rows of the frame."""


@dataclass(frozen=True, slots=True)
class Order:
    """One key of ORDER BY; NULLs come last by default, in either direction."""

    expression: Expression
    descending: bool = False
    nulls_first: bool | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """The rows of a partition that a window function reads, relative to the current row; None: to the end of the partition.

    Where `peers`, the frame ends with the last row that is equal to the current one in the order (RANGE); such a frame has
    no offsets other than 0.
    """

    start: int | None = None
    stop: int | None = None
    peers: bool = False

    @property
    def width(self) -> int | None:
        """The largest number of rows; None for all of a partition."""
        return None if self.peers or self.start is None or self.stop is None else self.stop - self.start + 1


WHOLE = Frame()


@dataclass(frozen=True, slots=True)
class WindowFunction:
    """A window function over the rows that HAVING leaves, as SQL defines it; ties are in the order of the cells."""

    name: Ranking | Offset | Framed
    operand: Expression | None
    type: Type
    parts: tuple[Expression, ...] = ()
    """PARTITION BY."""
    order: tuple[Order, ...] = ()
    frame: Frame = WHOLE
    number: int = 1
    """The n of NTILE, NTH_VALUE, LAG and LEAD."""
    default: Expression | None = None
    """The value of LAG and LEAD where there is no such row."""
