"""Aggregates as Python values, such as `lapcat.mean("salary")`, and arithmetic over them.

>>> (sum("cost", where="paid") / count()).written(str)
'SUM(cost) FILTER (WHERE paid) / COUNT(*)'
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lapcat.core.exact import exact, exact_text
from lapcat.errors import BadArgument

Read = Callable[[str], str]
"""Validates an analyst's expression against the known columns."""


class Measure:
    """An aggregate, or arithmetic (+ - * /) over aggregates and numbers."""

    __slots__ = ()

    def written(self, read: Read) -> str:
        """The measure as SQL."""
        raise NotImplementedError

    def __add__(self, other: object) -> MeasureArithmetic:
        return MeasureArithmetic(self, "+", operand(other))

    def __radd__(self, other: object) -> MeasureArithmetic:
        return MeasureArithmetic(operand(other), "+", self)

    def __sub__(self, other: object) -> MeasureArithmetic:
        return MeasureArithmetic(self, "-", operand(other))

    def __rsub__(self, other: object) -> MeasureArithmetic:
        return MeasureArithmetic(operand(other), "-", self)

    def __mul__(self, other: object) -> MeasureArithmetic:
        return MeasureArithmetic(self, "*", operand(other))

    def __rmul__(self, other: object) -> MeasureArithmetic:
        return MeasureArithmetic(operand(other), "*", self)

    def __truediv__(self, other: object) -> MeasureArithmetic:
        return MeasureArithmetic(self, "/", operand(other))

    def __rtruediv__(self, other: object) -> MeasureArithmetic:
        return MeasureArithmetic(operand(other), "/", self)


@dataclass(frozen=True, slots=True)
class Aggregated(Measure):
    """One aggregate of an expression or of a pair, over the rows for which `where` is true."""

    function: str
    argument: str | None
    """None for COUNT(*)."""
    where: str | None = None
    distinct: bool = False
    second: str | None = None

    def written(self, read: Read) -> str:
        inside = "*" if self.argument is None else read(self.argument)
        if self.second is not None:
            inside = f"{inside}, {read(self.second)}"
        kept = "" if self.where is None else f" FILTER (WHERE {read(self.where)})"
        return f"{self.function}({'DISTINCT ' if self.distinct else ''}{inside}){kept}"


@dataclass(frozen=True, slots=True)
class Number(Measure):
    """A constant in arithmetic over aggregates."""

    text: str

    def written(self, read: Read) -> str:
        return f"({self.text})" if self.text.startswith("-") else self.text


@dataclass(frozen=True, slots=True)
class MeasureArithmetic(Measure):
    """A binary operation on two measures."""

    left: Measure
    sign: str
    right: Measure

    @property
    def binds(self) -> int:
        return 2 if self.sign in "*/" else 1

    def written(self, read: Read) -> str:
        left, right = self.left.written(read), self.right.written(read)
        if isinstance(self.left, MeasureArithmetic) and self.left.binds < self.binds:
            left = f"({left})"
        if isinstance(self.right, MeasureArithmetic) and self.right.binds <= self.binds:
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
            why="arithmetic combines aggregates and numbers; a column goes inside an aggregate",
            fix='lapcat.sum("cost") / lapcat.count()',
        )
    text = exact_text(exact(value))
    if "/" in text:
        raise BadArgument(
            "measure-unknown", f"{text} has no decimal form", fix="divide instead: lapcat.count() / 3"
        )
    return Number(text)


def count(of: str | None = None, *, where: str | None = None) -> Measure:
    """The number of rows; with an expression, of rows where it is not NULL."""
    return Aggregated("COUNT", of, where)


def count_distinct(of: str, *, where: str | None = None) -> Measure:
    """The number of distinct values."""
    return Aggregated("COUNT", of, where, distinct=True)


def sum(of: str, *, where: str | None = None) -> Measure:
    """The sum of a number with bounds."""
    return Aggregated("SUM", of, where)


def mean(of: str, *, where: str | None = None) -> Measure:
    """The average of a number with bounds."""
    return Aggregated("AVG", of, where)


# ------------------------------------------------------------------------------------------------ chosen values


@dataclass(frozen=True, slots=True)
class QuantileMeasure(Measure):
    """QUANTILE_CONT of an expression."""

    argument: str
    share: Measure
    where: str | None = None

    def written(self, read: Read) -> str:
        kept = "" if self.where is None else f" FILTER (WHERE {read(self.where)})"
        return f"QUANTILE_CONT({read(self.argument)}, {self.share.written(read)}){kept}"


def median(of: str, *, where: str | None = None) -> Measure:
    """The median of a number with bounds."""
    return Aggregated("MEDIAN", of, where)


def quantile(of: str, share: object, *, where: str | None = None) -> Measure:
    """The quantile at `share` of a number with bounds.

    >>> quantile("salary", 0.9).written(str)
    'QUANTILE_CONT(salary, 0.9)'
    """
    if isinstance(share, Measure):
        raise BadArgument(
            "measure-unknown", "the share of a quantile is a number", fix='lapcat.quantile("salary", 0.9)'
        )
    return QuantileMeasure(of, operand(share), where)


def min(of: str, *, where: str | None = None) -> Measure:
    """The approximate minimum of a number with bounds: few rows lie below it."""
    return Aggregated("MIN", of, where)


def max(of: str, *, where: str | None = None) -> Measure:
    """The approximate maximum of a number with bounds: few rows lie above it."""
    return Aggregated("MAX", of, where)


def mode(of: str, *, where: str | None = None) -> Measure:
    """The approximate mode of a column with public keys: a value about as frequent as the most frequent one."""
    return Aggregated("MODE", of, where)


def var(of: str, *, where: str | None = None) -> Measure:
    """The sample variance (divisor n − 1) of a number with bounds."""
    return Aggregated("VAR_SAMP", of, where)


def std(of: str, *, where: str | None = None) -> Measure:
    """The sample standard deviation (divisor n − 1) of a number with bounds."""
    return Aggregated("STDDEV_SAMP", of, where)


def covar(y: str, x: str, *, where: str | None = None) -> Measure:
    """The sample covariance (divisor n − 1) of two numbers with bounds."""
    return Aggregated("COVAR_SAMP", y, where, second=x)


def corr(y: str, x: str, *, where: str | None = None) -> Measure:
    """The correlation of two numbers with bounds."""
    return Aggregated("CORR", y, where, second=x)


def slope(y: str, x: str, *, where: str | None = None) -> Measure:
    """The slope of the least-squares line of y on x."""
    return Aggregated("REGR_SLOPE", y, where, second=x)


def intercept(y: str, x: str, *, where: str | None = None) -> Measure:
    """The intercept of the least-squares line of y on x."""
    return Aggregated("REGR_INTERCEPT", y, where, second=x)
