"""Aggregates as Python values: `lapcat.mean("salary")`, and arithmetic of them.

>>> (sum("cost", where="paid") / count()).written(str)
'SUM(cost) FILTER (WHERE paid) / COUNT(*)'
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lapcat.core.exact import exact, exact_text
from lapcat.errors import BadArgument

Read = Callable[[str], str]
"""Makes an expression of what the analyst wrote; it knows the columns."""


class Measure:
    """Something that a question measures; + - * / make new ones of it, with other measures and with numbers."""

    __slots__ = ()

    def written(self, read: Read) -> str:
        """The measure as SQL."""
        raise NotImplementedError

    def __add__(self, other: object) -> Arithmetic:
        return Arithmetic(self, "+", operand(other))

    def __radd__(self, other: object) -> Arithmetic:
        return Arithmetic(operand(other), "+", self)

    def __sub__(self, other: object) -> Arithmetic:
        return Arithmetic(self, "-", operand(other))

    def __rsub__(self, other: object) -> Arithmetic:
        return Arithmetic(operand(other), "-", self)

    def __mul__(self, other: object) -> Arithmetic:
        return Arithmetic(self, "*", operand(other))

    def __rmul__(self, other: object) -> Arithmetic:
        return Arithmetic(operand(other), "*", self)

    def __truediv__(self, other: object) -> Arithmetic:
        return Arithmetic(self, "/", operand(other))

    def __rtruediv__(self, other: object) -> Arithmetic:
        return Arithmetic(operand(other), "/", self)


@dataclass(frozen=True, slots=True)
class Aggregated(Measure):
    """One aggregate of one expression, over the rows for which `where` is true."""

    function: str
    argument: str | None
    """None: rows are counted."""
    where: str | None = None
    distinct: bool = False

    def written(self, read: Read) -> str:
        inside = "*" if self.argument is None else read(self.argument)
        kept = "" if self.where is None else f" FILTER (WHERE {read(self.where)})"
        return f"{self.function}({'DISTINCT ' if self.distinct else ''}{inside}){kept}"


@dataclass(frozen=True, slots=True)
class Number(Measure):
    """A constant beside measures."""

    text: str

    def written(self, read: Read) -> str:
        return f"({self.text})" if self.text.startswith("-") else self.text


@dataclass(frozen=True, slots=True)
class Arithmetic(Measure):
    """Two measures and the sign between them."""

    left: Measure
    sign: str
    right: Measure

    @property
    def binds(self) -> int:
        return 2 if self.sign in "*/" else 1

    def written(self, read: Read) -> str:
        left, right = self.left.written(read), self.right.written(read)
        if isinstance(self.left, Arithmetic) and self.left.binds < self.binds:
            left = f"({left})"
        if isinstance(self.right, Arithmetic) and self.right.binds <= self.binds:
            right = f"({right})"
        return f"{left} {self.sign} {right}"


def operand(value: object) -> Measure:
    """A measure, or a number as one."""
    if isinstance(value, Measure):
        return value
    if isinstance(value, str):
        raise BadArgument(
            "measure-unknown",
            f"{value!r} is not a measure",
            why="arithmetic is of aggregates and numbers; a column goes inside an aggregate",
            fix='lapcat.sum("cost") / lapcat.count()',
        )
    text = exact_text(exact(value))
    if "/" in text:
        raise BadArgument(
            "measure-unknown", f"{text} has no decimal form", fix="divide instead: lapcat.count() / 3"
        )
    return Number(text)


def count(of: str | None = None, *, where: str | None = None) -> Measure:
    """How many rows; with an expression, how many rows in which it is not NULL."""
    return Aggregated("COUNT", of, where)


def count_distinct(of: str, *, where: str | None = None) -> Measure:
    """How many different values."""
    return Aggregated("COUNT", of, where, distinct=True)


def sum(of: str, *, where: str | None = None) -> Measure:
    """The sum of a number with bounds."""
    return Aggregated("SUM", of, where)


def mean(of: str, *, where: str | None = None) -> Measure:
    """The average of a number with bounds."""
    return Aggregated("AVG", of, where)
