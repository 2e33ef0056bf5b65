"""The columns of an answer: a group key, an estimate, or a value computed from several estimates.

A hidden column (shown=False) is used by HAVING, ORDER BY and the like, and is not part of the answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lapcat.plan.aggregates import Aggregate, Argument, SelectionAggregate, StatisticReading
from lapcat.plan.expressions import Expression, columns_of
from lapcat.plan.schema import Type


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


AnswerColumn = KeyColumn | ValueColumn | ComputedColumn
