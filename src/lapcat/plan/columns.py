"""The columns of an answer: a group's key, an aggregate's estimate, or what is computed of several estimates.

A column that is not shown takes part in HAVING, ORDER BY and the like, and leaves the answer before anybody sees it.
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
    """Which key of the question."""
    shown: bool = True


@dataclass(frozen=True, slots=True)
class ValueColumn:
    """A column of the answer that shows an estimate."""

    name: str
    aggregate: Aggregate | SelectionAggregate
    argument: Argument
    shown: bool = True
    readings: tuple[StatisticReading, ...] = field(init=False, compare=False, repr=False)
    """The sums that it is made of; none where it is chosen. They follow from the rest, and are asked for again and again."""

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
    """A column of the answer that is computed of estimates: 100.0 * SUM(a) / COUNT(*).

    The expression's columns are the inputs, by name. It is a number made of numbers: `released.enclosures.foreign` names
    what it must not hold.
    """

    name: str
    expression: Expression
    inputs: tuple[ValueColumn, ...]
    shown: bool = True

    def __post_init__(self) -> None:
        unknown = {column.name for column in columns_of(self.expression)} - {i.name for i in self.inputs}
        if unknown or not self.expression.type.is_number:
            raise ValueError(
                f"{self.name}: a number computed of its inputs; {sorted(unknown)} are none of them"
            )

    @property
    def type(self) -> Type:
        return self.expression.type

    @property
    def has_interval(self) -> bool:
        return True


AnswerColumn = KeyColumn | ValueColumn | ComputedColumn
