"""Derived columns: which of them are public, which have an interval, and how sure the estimates that they read must be.

    public      computed from group keys and constants alone: exact
    enclosed    a number computed from public values and intervals: it has an interval
    bare        a text, a rank, a number that depends on the order of estimates: without an interval

Theorem: let a derived number be computed from k intervals, each of which holds with probability 1 − (1 − c)/k. Then its
         enclosure holds with probability c (union bound), however the noises depend.
A window function reads several rows, and each interval that it reads counts. Which rows these are must be public: with
HAVING, private groups, or an order by estimates, the rows themselves depend on the noise, and there is no interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction

from lapcat.plan.columns import (
    AnswerColumn,
    Derivation,
    DerivedColumn,
    KeyColumn,
    Lookup,
    RealFunction,
    ValueColumn,
)
from lapcat.plan.expressions import Column, Expression, columns_of
from lapcat.plan.nodes import Group
from lapcat.plan.released.after import After
from lapcat.plan.released.enclosures import foreign
from lapcat.plan.windows import WindowFunction

ENCLOSED_WINDOWS = ("lag", "lead", "first_value", "last_value", "nth_value", "sum", "avg", "min", "max")
"""Window functions that are monotone in the values that they read."""
OF_ONE_ROW = ("lag", "lead", "first_value", "last_value", "nth_value")

Reading = tuple[str, tuple[str, ...]]
"""An estimate that a column reads: its name, and the windows through which it is read."""


class Standing(Enum):
    """What is known about a column of an answer beside its values."""

    PUBLIC = "public"
    ENCLOSED = "enclosed"
    BARE = "bare"


@dataclass(frozen=True, slots=True)
class Standings:
    """The standing of each column of an answer, by its name."""

    columns: Sequence[AnswerColumn]
    after: After
    plan: Group
    _named: dict[str, AnswerColumn] = field(init=False)
    _known: dict[str, Standing] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_named", {column.name: column for column in self.columns})

    def of(self, name: str) -> Standing:
        if name not in self._known:
            self._known[name] = self._of(self._named.get(name))
        return self._known[name]

    def has_interval(self, column: AnswerColumn) -> bool:
        """Whether the answer shows an interval beside the column."""
        match column:
            case KeyColumn():
                return False
            case DerivedColumn(name):
                return self.of(name) is Standing.ENCLOSED
            case _:
                return column.has_interval

    def public(self, expression: Expression) -> frozenset[str]:
        """The names of the public columns that an expression reads."""
        return frozenset(name for name in _names(expression) if self.of(name) is Standing.PUBLIC)

    def _of(self, column: AnswerColumn | None) -> Standing:
        match column:
            case KeyColumn():
                return Standing.PUBLIC
            case ValueColumn():  # a shown estimate has its own interval, at the confidence of the answer alone
                return Standing.ENCLOSED if column.has_interval and not column.shown else Standing.BARE
            case DerivedColumn(value=WindowFunction() as window):
                return self._of_window(window)
            case DerivedColumn(value=RealFunction(_, operands)):
                return self._of_parts(operands)
            case DerivedColumn(value=Lookup(key)):
                return self._of_parts((key,))
            case DerivedColumn(value=expression):
                return self._of_parts((expression,))  # type: ignore[arg-type]
        return Standing.BARE  # the ends of intervals, and numbers computed from several estimates

    def _of_parts(self, parts: Sequence[Expression]) -> Standing:
        standings = {self.of(name) for part in parts for name in _names(part)}
        if standings <= {Standing.PUBLIC}:
            return Standing.PUBLIC
        numbers = all(part.type.is_number and foreign(part, self.public(part)) is None for part in parts)
        return Standing.BARE if Standing.BARE in standings or not numbers else Standing.ENCLOSED

    def _of_window(self, window: WindowFunction) -> Standing:
        rows = self._of_parts((*window.parts, *(order.expression for order in window.order)))
        values = self._of_parts(_values_of(window))
        if rows is not Standing.PUBLIC or self.after.having is not None:
            return Standing.BARE
        if values is Standing.PUBLIC:
            return Standing.PUBLIC
        fixed = not self.plan.private_keys and window.name in ENCLOSED_WINDOWS
        return values if fixed else Standing.BARE

    # -------------------------------------------------------------------------------------------- confidence

    def statements(self) -> dict[str, int]:
        """For each hidden estimate, the number of intervals that must hold at once for the columns derived from it."""
        shares: dict[str, int] = {}
        for column in self.columns:
            if not isinstance(column, DerivedColumn) or not column.shown or not self.has_interval(column):
                continue
            readings = self.readings(column.name)
            for name, _ in readings:
                shares[name] = max(shares.get(name, 1), sum(readings.values()))
        return shares

    def readings(self, name: str) -> Mapping[Reading, int]:
        """The estimates that an enclosed column reads, and from how many rows."""
        column = self._named.get(name)
        if self.of(name) is not Standing.ENCLOSED or column is None:
            return {}
        if not isinstance(column, DerivedColumn):
            return {(name, ()): 1}
        value = column.value
        is_window = isinstance(value, WindowFunction)
        width = self.width(value) if isinstance(value, WindowFunction) else 1
        readings: dict[Reading, int] = {}
        for expression in _parts_of(value):
            inside = is_window and expression is value.operand  # type: ignore[union-attr]
            for part in _names(expression):
                for (source, through), rows in self.readings(part).items():
                    place, times = ((*through, name), width) if inside else (through, 1)
                    readings[source, place] = rows * times
        return readings

    def width(self, window: WindowFunction) -> int:
        """The largest number of rows that a window function reads for one row."""
        if window.name in OF_ONE_ROW:
            return 1
        cells = self.plan.cells
        if len(self.plan.grouping_sets) == 1:
            keys = {
                column.key
                for part in window.parts
                if isinstance(part, Column) and isinstance(column := self._named.get(part.name), KeyColumn)
            }
            cells //= math.prod(self.plan.keys[key].size for key in keys)
        return cells if window.frame.width is None else min(cells, window.frame.width)


def with_statements(columns: Sequence[AnswerColumn], after: After, plan: Group) -> tuple[AnswerColumn, ...]:
    """The columns, where each hidden estimate knows how sure it must be for the columns derived from it."""
    statements = Standings(columns, after, plan).statements()
    return tuple(
        replace(column, statements=statements[column.name])
        if isinstance(column, ValueColumn) and column.name in statements
        else column
        for column in columns
    )


def at_once(confidence: Fraction, statements: int) -> Fraction:
    """The confidence that each of several statements needs for all to hold jointly (union bound)."""
    return 1 - (1 - confidence) / max(statements, 1)


def _parts_of(value: Derivation) -> tuple[Expression, ...]:
    match value:
        case Lookup(key):
            return (key,)
        case RealFunction(_, operands):
            return operands
        case WindowFunction():
            return _values_of(value)
    return (value,)


def _values_of(window: WindowFunction) -> tuple[Expression, ...]:
    return tuple(part for part in (window.operand, window.default) if part is not None)


def _names(expression: Expression) -> Iterator[str]:
    return iter(dict.fromkeys(column.name for column in columns_of(expression)))
