"""The columns of an answer: a group key, an estimate, a number computed from several estimates, or a value derived from
columns of the answer.

A hidden column (shown=False) is used by HAVING, ORDER BY and the like, and is not part of the answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as OneOf

from lapcat.plan.aggregates import Aggregate, Argument, SelectionAggregate, StatisticReading
from lapcat.plan.expressions import Expression, columns_of
from lapcat.plan.schema import Type, Value
from lapcat.plan.windows import WindowFunction


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """A column of the answer that shows the groups."""

    name: str
    key: int
    """The position of the key in the question."""
    shown: bool = True


@dataclass(frozen=True, slots=True)
class ValueColumn:
    """A column of the answer that shows an estimate."""

    name: str
    aggregate: Aggregate | SelectionAggregate
    argument: Argument
    shown: bool = True
    statements: int = 0
    """The number of intervals that must hold at once for the columns derived from this one; 0 if none is."""
    readings: tuple[StatisticReading, ...] = field(init=False, compare=False, repr=False)
    """The statistics that it is computed from; empty for a selection. Cached, as they follow from the other fields."""

    def __post_init__(self) -> None:
        readings = (
            () if isinstance(self.aggregate, SelectionAggregate) else self.aggregate.reads(self.argument)
        )
        object.__setattr__(self, "readings", readings)

    @property
    def type(self) -> Type:
        if isinstance(self.aggregate, SelectionAggregate):
            return self.aggregate.type_of(self.argument)
        return Type.INTEGER if self.aggregate.is_integer else Type.FLOAT

    @property
    def has_interval(self) -> bool:
        return not isinstance(self.aggregate, SelectionAggregate) or self.aggregate.has_interval


@dataclass(frozen=True, slots=True)
class ComputedColumn:
    """A column of the answer that is computed from estimates: 100.0 * SUM(a) / COUNT(*).

    The expression's columns are the inputs, by name. It is a number computed from numbers: `released.enclosures.foreign`
    finds any part that is not.
    """

    name: str
    expression: Expression
    inputs: tuple[ValueColumn, ...]
    shown: bool = True

    def __post_init__(self) -> None:
        unknown = {column.name for column in columns_of(self.expression)} - {i.name for i in self.inputs}
        if unknown or not self.expression.type.is_number:
            raise ValueError(
                f"{self.name}: must be a number computed from its inputs; {sorted(unknown)} are not inputs"
            )

    @property
    def type(self) -> Type:
        return self.expression.type

    @property
    def has_interval(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class RealFunction:
    """A function of real numbers in doubles: NULL outside its domain, and where the result is not finite.

    Of answers only: libraries differ in the last bit, and on rows one bit may decide what is counted.
    """

    name: OneOf["sqrt", "cbrt", "ln", "log2", "log10", "exp", "power", "mod"]
    operands: tuple[Expression, ...]
    """POWER and MOD have two, the others one."""
    type: Type = Type.FLOAT


@dataclass(frozen=True, slots=True)
class Lookup:
    """The value that belongs to a group key in a public table; NULL in a total over the key, and where there is none."""

    key: Expression
    values: tuple[tuple[Value, Value | None], ...]
    type: Type


@dataclass(frozen=True, slots=True)
class DerivedColumn:
    """A column of the answer that is derived from columns of the answer, by their names: `year * 10`, SQRT(n), RANK().

    `plan/released/derived.py` says whether it has an interval.
    """

    name: str
    value: Derivation
    shown: bool = True

    @property
    def type(self) -> Type:
        return self.value.type


Derivation = Expression | RealFunction | WindowFunction | Lookup
AnswerColumn = KeyColumn | ValueColumn | ComputedColumn | DerivedColumn
