"""The logical plan of a question: an immutable tree that can be printed, compared, stored and compiled to SQL.

    Group(Filter(LimitRows(Scan(staff), 10), age >= 30), keys, statistics)

The union is closed: a new node is a new class here, and `assert_never` makes the type checker list every place that
must handle it (facts, engines/reference.py, engines/base/rows.py).

Every row of a private table belongs to a unit, and so does every row computed from it: the rows of each node have a unit
and a rank within it (from the snapshot's index).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import assert_never

from lapcat.plan.expressions import Expression
from lapcat.plan.schema import Relation, Type, Unit, Value
from lapcat.stored.forms import stored

UniqueKeys = tuple[str | tuple[str, ...], ...]
"""Unique columns by their names, and keys of several columns as tuples of names."""


@stored(
    "Scan",
    "source",
    "version",
    "unit",
    "relation",
    "units",
    "population",
    "rows_per_unit",
    "groups_per_unit",
    "unique",
    unless_empty=("ordered_by",),
)
@dataclass(frozen=True, slots=True)
class Scan:
    """All rows of one declared version of a private table. Rows whose unit is NULL are dropped."""

    table: str
    """The name in the catalogue, by which the engine finds the source."""
    source: str
    """The identity of the source, on which the question's identity and the ledger's scope depend."""
    version: int
    unit: Unit
    relation: Relation
    units: int | None
    population: str = ""
    """The population of the units: units of one population are the same people in every table."""
    rows_per_unit: int = 1
    """The contribution bound declared in the catalogue."""
    groups_per_unit: int | None = None
    unique: UniqueKeys = ()
    """The unique columns, and the keys of several columns: declared, and checked by `refresh`."""
    ordered_by: tuple[str, ...] = ()
    """Where units have several rows: the declared columns that determine their rank."""


@stored("Public", "source", "version", "unique")
@dataclass(frozen=True, slots=True)
class Public:
    """All rows of one declared version of a public table, equal in all neighbouring tables."""

    table: str
    source: str
    version: int
    unique: UniqueKeys = ()


def is_unique(table: Scan | Public, columns: Collection[str]) -> bool:
    """Whether no two rows of the table agree on these columns, NULLs aside.

    Theorem: if the columns include a unique column, or all columns of a unique key, a row matches at most one row of the table.
    Proof:   two matches agree with the row, and so with each other, on all columns compared, none of them NULL. So they
             agree on the key, which no two rows do. One column of a key of several proves nothing.
    """
    return any(key in columns if isinstance(key, str) else set(key) <= set(columns) for key in table.unique)


@stored("Filter", "source", "predicate")
@dataclass(frozen=True, slots=True)
class Filter:
    """The rows for which the predicate is true (not false, not NULL)."""

    source: Rows
    predicate: Expression


@stored("Bound", "source", "rows")
@dataclass(frozen=True, slots=True)
class LimitRows:
    """At most `rows` rows of each unit: those whose rank in the version's contribution index is at most `rows`.

    The index ranks all rows of the unit in the table, before any filter, so which rows stay does not depend on the
    question; LimitRows is therefore directly above the Scan.
    """

    source: Scan
    rows: int

    def __post_init__(self) -> None:
        _whole("Bound", self.rows)


@stored("Weigh", "source", "rows")
@dataclass(frozen=True, slots=True)
class WeightRows:
    """All rows, each with the weight min(1, rows / n) where n is the number of its unit's rows in the table.

    An integer v that such a row adds to a statistic becomes v · rows / n where n > rows, truncated *towards zero*:
    a unit's rows then add up to at most `rows` times the largest value, and nothing is dropped at random.
    """

    source: Scan
    rows: int

    def __post_init__(self) -> None:
        _whole("Weigh", self.rows)


@stored("BoundGroups", "source", "keys", "groups", "rows")
@dataclass(frozen=True, slots=True)
class LimitGroups:
    """The rows of at most `groups` groups per unit, and at most `rows` in each of them (None: all).

    A group is a combination of the keys' values (NULL is a value here; no key: one group). A unit's groups are taken
    in the order of their least rank (equal ones by their keys' values), and the rows of a group in the order of theirs: by
    the unit's own rows alone. Rows are chosen only where no two of a unit have the same rank, and among the first 10 000
    per unit and table (`bounding.considered`).
    """

    source: Rows
    keys: tuple[Expression, ...]
    groups: int
    rows: int | None

    def __post_init__(self) -> None:
        _whole("BoundGroups", self.groups)
        if self.rows is not None:
            _whole("BoundGroups", self.rows)


class Match(StrEnum):
    """Why the number of matches per row is bounded."""

    PUBLIC = "public"  # the other side is public, and the columns compared are unique there
    UNIQUE = "unique"  # the other side is private to the same unit, and the columns compared are unique there
    UNIT = "unit"  # rows join only rows of the same unit, each with each


@stored("Join", "left", "right", "on", "match", "outer", "mark")
@dataclass(frozen=True, slots=True)
class Join:
    """Pairs of a left row and a right row whose keys are equal (NULL equals nothing).

    Where both sides are private, both rows must belong to one unit as well, and the pair belongs to it. A left join
    keeps a left row that has no partner, with NULLs. Columns of the right side are called `name@mark` from here on.
    The pair has the left row's rank (and weight) where at most one right row can match, and none otherwise.
    """

    left: Rows
    right: Rows | Public
    on: tuple[tuple[Expression, Expression], ...]
    """Pairs of a left and a right expression of one type; the right ones in the right side's own names. A condition on one
    side alone is a pair with TRUE."""
    match: Match
    outer: bool
    mark: int


@stored("Branch", "rows", "columns")
@dataclass(frozen=True, slots=True)
class UnionBranch:
    """One part of a union: its rows, and the expression of each column of the union."""

    rows: Rows
    columns: tuple[Expression, ...]


@stored("Union", "names", "branches")
@dataclass(frozen=True, slots=True)
class Union:
    """All rows of all branches (UNION ALL)."""

    names: tuple[str, ...]
    branches: tuple[UnionBranch, ...]


class UnitAggregate(StrEnum):
    """Aggregates over a unit's rows. All are independent of the order of rows."""

    COUNT = "count"  # rows with a value (value None: all rows); never NULL
    SUM = "sum"  # the sum on the grid, as a number; NULL where no row has a value
    AVG = "avg"  # that sum over that count, as doubles; NULL where no row has a value
    MIN = "min"
    MAX = "max"
    DISTINCT = "distinct"  # the number of distinct values; never NULL


@stored("Folded", "name", "aggregate", "value", "filter", "grid", "type")
@dataclass(frozen=True, slots=True)
class UnitColumn:
    """A column of a PerUnit: an aggregate over the unit's rows for which `filter` is true (None: all)."""

    name: str
    aggregate: UnitAggregate
    value: Expression | None
    filter: Expression | None
    grid: Grid | None
    """For SUM and AVG: the grid of the values, centred at 0."""
    type: Type


@stored("PerUnit", "source", "keys", "values")
@dataclass(frozen=True, slots=True)
class PerUnit:
    """One row for each unit that has a row (and each combination of the keys' values among them; NULL is a value).

    The new row's rank is the least rank of the rows that it aggregates.
    """

    source: Rows
    keys: tuple[tuple[str, Expression], ...]
    values: tuple[UnitColumn, ...]


Rows = Scan | Filter | LimitRows | WeightRows | LimitGroups | Join | Union | PerUnit


def _whole(node: str, count: int) -> None:
    if type(count) is not int or count < 1:
        raise ValueError(f"{node}({count!r}): the limit must be a whole number of at least one")


class Kind(StrEnum):
    """What each row adds to a statistic."""

    ROWS = "rows"  # 1
    PRESENT = "present"  # 1 where the value is not NULL
    SUM = "sum"  # the value on its grid; NULL adds 0
    UNITS = "units"  # 1 for each unit that has such a row in the cell, however many
    DISTINCT = (
        "distinct"  # 1 for each different value that is not NULL in the cell, however many rows have it
    )


@stored("Grid", "clamp_low", "clamp_high", "exponent", "centre")
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


@stored("Statistic", "kind", "value", "filter", "grid", "unit_weight")
@dataclass(frozen=True, slots=True)
class Statistic:
    """One bounded integer sum per cell: the only way in which rows are read.

    Per row of a cell for which `filter` is true (None: every row): Kind.ROWS adds `unit_weight`; Kind.PRESENT adds `unit_weight` if
    `value` is not NULL; Kind.SUM adds grid.place(clamp(value)), or nothing if `value` is NULL; each times the row's weight
    where rows are weighted. Kind.UNITS and Kind.DISTINCT count the units or values of those rows, each once per cell; they
    are not taken over weighted rows.
    """

    kind: Kind
    value: Expression | None = None
    filter: Expression | None = None
    grid: Grid | None = None
    unit_weight: int = 1
    """Steps per unweighted row: more than one where rows are weighted, so that a row of small weight still counts."""

    def __post_init__(self) -> None:
        if (self.value is None) != (self.kind in (Kind.ROWS, Kind.UNITS)) or (self.grid is None) != (
            self.kind is not Kind.SUM
        ):
            raise ValueError(f"{self.kind}: ROWS and UNITS have no value, and only SUM has a grid")

    @property
    def low(self) -> int:
        """The least that one row can add, except rows that add nothing."""
        return self.grid.low if self.grid is not None else self.unit_weight

    @property
    def high(self) -> int:
        return self.grid.high if self.grid is not None else self.unit_weight


@stored("Key", "expression", "values", "other")
@dataclass(frozen=True, slots=True)
class GroupKey:
    """One grouping column of the answer: an expression and its public values, in the order of the answer.

    A row whose value is NULL or is not listed belongs to no cell, unless `other`: then all such rows form one more,
    last group. Integer ranges are `range` objects, so that a million buckets stay small. `values` is None where the
    values are themselves private: then only groups with enough units are shown.
    """

    name: str
    expression: Expression
    values: tuple[Value, ...] | range | None
    other: bool = False

    @property
    def type(self) -> Type:
        return self.expression.type

    @property
    def is_private(self) -> bool:
        return self.values is None

    @property
    def size(self) -> int:
        """The number of declared groups."""
        values = self.values
        assert values is not None, "the number of private groups is unknown"
        count = values.stop - values.start if isinstance(values, range) else len(values)
        return count + self.other  # not len() of a range, which fails beyond 63 bits


@stored("Group", "source", "keys", "statistics", "sets")
@dataclass(frozen=True, slots=True)
class Group:
    """Statistics per cell.

    `sets` are the grouping sets: which keys each of them groups by. Cells are the sets one after the other; within a
    set the product of its keys, the last key running fastest; no key: one cell.

    Where keys are private there is one set. Its cells are those of the declared keys alone, for each combination of
    the private keys' values in the rows (NULL is none). Besides the statistics, the units of each such combination are
    counted, whatever their declared keys are, and only combinations whose noisy count reaches a threshold are shown.
    """

    source: Rows
    keys: tuple[GroupKey, ...]
    statistics: tuple[Statistic, ...]
    sets: tuple[tuple[int, ...], ...] = ()
    """Positions in `keys`; () means one set of all of them."""

    @property
    def grouping_sets(self) -> tuple[tuple[int, ...], ...]:
        return self.sets or (tuple(range(len(self.keys))),)

    @property
    def private_keys(self) -> tuple[GroupKey, ...]:
        return tuple(key for key in self.keys if key.is_private)

    @property
    def cells(self) -> int:
        """The number of cells; where keys are private, per combination of their values."""
        return sum(self.cells_of(grouping) for grouping in self.grouping_sets)

    def cells_of(self, grouping: tuple[int, ...]) -> int:
        count = 1
        for position in grouping:
            if not self.keys[position].is_private:
                count *= self.keys[position].size
        return count


Plan = Group


def scans_of(rows: Rows | Public | Group) -> Iterator[Scan | Public]:
    """The tables that a plan reads, from left to right, repetitions included."""
    match rows:
        case Scan() | Public():
            yield rows
        case Filter() | LimitRows() | WeightRows() | LimitGroups() | PerUnit() | Group():
            yield from scans_of(rows.source)
        case Join(left, right):
            yield from scans_of(left)
            yield from scans_of(right)
        case Union(_, branches):
            for branch in branches:
                yield from scans_of(branch.rows)
        case _:
            assert_never(rows)


def private_scans(rows: Rows | Group) -> tuple[Scan, ...]:
    """The private tables that a plan reads, each once."""
    return tuple(dict.fromkeys(scan for scan in scans_of(rows) if isinstance(scan, Scan)))


def scan_of(rows: Rows | Group) -> Scan:
    """The first private table of a plan."""
    return private_scans(rows)[0]


def filters_of(rows: Rows | Group) -> tuple[Expression, ...]:
    """The predicates above the rows' origin that a row must satisfy, outermost first."""
    predicates: list[Expression] = []
    while isinstance(rows, Filter | Group | LimitGroups):
        if isinstance(rows, Filter):
            predicates.append(rows.predicate)
        rows = rows.source
    return tuple(predicates)
