"""A question as a plan: a small tree of frozen values that can be printed, compared, stored and turned into SQL.

    Group(Bound(Filter(Scan(staff), age >= 30), 10), keys, statistics)

The union is closed: a new node is a new class here, and `assert_never` makes the type checker list every place that
must learn it (facts, engines/reference.py, engines/sql.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from lapcat.plan.expressions import Expression
from lapcat.plan.schema import Relation, Type, Unit, Value


@dataclass(frozen=True, slots=True)
class Scan:
    """All rows of one declared version of a table. Rows whose unit is NULL are dropped."""

    table: str
    """The name in the catalogue: what the engine looks the source up by."""
    source: str
    """The identity of the source: what the question's identity and the ledger's scope go by."""
    version: int
    unit: Unit
    relation: Relation
    units: int | None


@dataclass(frozen=True, slots=True)
class Filter:
    """The rows for which the predicate is true (not false, not NULL)."""

    source: Rows
    predicate: Expression


@dataclass(frozen=True, slots=True)
class Bound:
    """At most `rows` rows of each unit: those whose rank in the version's contribution index is at most `rows`.

    The index ranks all rows of the unit in the table, before any filter, so which rows stay does not depend on the
    question; Bound therefore stands directly on the Scan.
    """

    source: Scan
    rows: int

    def __post_init__(self) -> None:
        if type(self.rows) is not int or self.rows < 1:
            raise ValueError(f"Bound({self.rows!r}): a unit has a whole number of rows, at least one")


Rows = Scan | Filter | Bound


class Kind(StrEnum):
    """What a statistic adds up for each row."""

    ROWS = "rows"  # 1
    PRESENT = "present"  # 1 where the value is not NULL
    SUM = "sum"  # the value on its grid; NULL adds 0


@dataclass(frozen=True, slots=True)
class Grid:
    """The public lattice of a sum: x becomes the integer ⌊clamp(x) / g⌋ − centre / g, with g = 2**exponent.

    For an IEEE double x the quotient x / g is exact (a power of two), so the integer is exact too, and because clamp
    and floor are monotone it lies in low..high whatever x was. The centre is a multiple of g, so subtracting it after
    the floor is the same as before.
    """

    clamp_low: float
    """The ends of the clamp: ints for INTEGER values, doubles for FLOAT ones."""
    clamp_high: float
    exponent: int
    centre: Fraction

    @property
    def step(self) -> Fraction:
        return Fraction(2) ** self.exponent

    @property
    def centre_steps(self) -> int:
        steps = self.centre / self.step
        if steps.denominator != 1:
            raise ValueError(f"{self}: the centre is not on the grid")
        return steps.numerator

    @property
    def low(self) -> int:
        return self.place(self.clamp_low)

    @property
    def high(self) -> int:
        return self.place(self.clamp_high)

    def place(self, clamped: float) -> int:
        """The integer of a value that lies within the clamp."""
        return Fraction(clamped) // self.step - self.centre_steps


@dataclass(frozen=True, slots=True)
class Statistic:
    """One bounded integer sum per cell: the only thing that ever reads a row.

    Per row of a cell for which `filter` is true (None: every row): Kind.ROWS adds 1; Kind.PRESENT adds 1 if `value`
    is not NULL; Kind.SUM adds grid.place(clamp(value)), or nothing if `value` is NULL.
    """

    kind: Kind
    value: Expression | None = None
    filter: Expression | None = None
    grid: Grid | None = None

    def __post_init__(self) -> None:
        if (self.value is None) != (self.kind is Kind.ROWS) or (self.grid is None) != (
            self.kind is not Kind.SUM
        ):
            raise ValueError(f"{self.kind}: ROWS has no value, and only SUM has a grid")

    @property
    def low(self) -> int:
        """The least that one row can add, not counting rows that add nothing."""
        return self.grid.low if self.grid is not None else 1

    @property
    def high(self) -> int:
        return self.grid.high if self.grid is not None else 1


@dataclass(frozen=True, slots=True)
class Key:
    """One grouping column of the answer: an expression and its public values, in the order of the answer.

    A row whose value is NULL or is not listed belongs to no cell, unless `other`: then all such rows form one more,
    last group. Integer ranges are `range` objects, so that a million buckets stay small.
    """

    name: str
    expression: Expression
    values: tuple[Value, ...] | range
    other: bool = False

    @property
    def type(self) -> Type:
        return self.expression.type

    @property
    def size(self) -> int:
        values = self.values
        count = values.stop - values.start if isinstance(values, range) else len(values)
        return count + self.other  # not len() of a range, which fails beyond 63 bits


@dataclass(frozen=True, slots=True)
class Group:
    """Statistics per cell. Cells are the product of the keys, the last key running fastest; no key: one cell."""

    source: Rows
    keys: tuple[Key, ...]
    statistics: tuple[Statistic, ...]

    @property
    def cells(self) -> int:
        count = 1
        for key in self.keys:
            count *= key.size
        return count


Plan = Group


def scan_of(rows: Rows | Group) -> Scan:
    """The table at the bottom of a plan."""
    while not isinstance(rows, Scan):
        rows = rows.source
    return rows


def filters_of(rows: Rows | Group) -> tuple[Expression, ...]:
    """The predicates that a row must satisfy, outermost first."""
    found: list[Expression] = []
    while not isinstance(rows, Scan):
        if isinstance(rows, Filter):
            found.append(rows.predicate)
        rows = rows.source
    return tuple(found)
