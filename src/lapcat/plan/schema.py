"""What the steward declares: who is protected, by which relation, with which bounds, keys and limits.

Pure values. Reading them from a file is frontend/catalogue.py's work; nothing here is ever read from data.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from lapcat.plan.limits import DEFAULT_LIMITS, WorkLimits
from lapcat.stored.declarations import declared
from lapcat.stored.forms import stored
from lapcat.stored.scopes import Scope

Value = int | float | str | bool | datetime.date | datetime.datetime
"""A public scalar: a key or a literal. (A datetime is also a date: test for it first.)"""


class Type(StrEnum):
    """The declared type of a column. Values that do not fit are NULL; NaN is NULL."""

    INTEGER = "integer"
    FLOAT = "float"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"

    @property
    def is_number(self) -> bool:
        return self in (Type.INTEGER, Type.FLOAT)


SQL_TYPES = {
    Type.INTEGER: "BIGINT",
    Type.FLOAT: "DOUBLE",
    Type.TEXT: "VARCHAR",
    Type.BOOLEAN: "BOOLEAN",
    Type.DATE: "DATE",
    Type.TIMESTAMP: "TIMESTAMP",
}
"""The declared types by their SQL names."""


class Relation(StrEnum):
    """Which two tables are neighbours."""

    ADD_REMOVE = "add-remove"  # unbounded: one is the other without one unit
    REPLACE_ONE = "replace-one"  # bounded: one unit's data differs, the number of units is public


@stored("Unit", "column", "of", "through", "named")
@declared("column", "of", "through")
@dataclass(frozen=True, slots=True)
class Unit:
    """Who is protected: each row, or everybody with their own value in a column."""

    column: str | None = None
    """The column that names the unit; None where each row is a unit of its own."""
    of: str | None = None
    """The population: the same people in several tables."""
    through: tuple[str, str] | None = None
    """Where the column does not name the unit itself but a row of another table: that table and its unique column.
    The unit of this table's row is then the unit of that row."""
    named: str | None = None
    """Where the unit is reached through other tables: the column that names it at the end of the way."""

    @property
    def is_row(self) -> bool:
        return self.column is None

    def __str__(self) -> str:
        if self.column is None:
            return "row"
        return self.column if self.through is None else self.named or f"unit of {self.through[0]}"


@declared("low", "high")
@dataclass(frozen=True, slots=True)
class Bounds:
    """Declared bounds of a number. A constant needs none, so low is below high.

    >>> Interval(Fraction(5), Fraction(5))
    Traceback (most recent call last):
    ...
    ValueError: Interval(5, 5): low must be below high; a constant column needs no bounds
    """

    low: Fraction
    high: Fraction

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(
                f"Interval({self.low}, {self.high}): low must be below high; a constant column needs no bounds"
            )


@declared("low", "high")
@dataclass(frozen=True, slots=True)
class Dates:
    """Declared bounds of a date or timestamp, both ends included, as days."""

    low: datetime.date
    high: datetime.date

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"Dates({self.low}, {self.high}): low must be before high")


@declared("values", "other")
@dataclass(frozen=True, slots=True)
class ListedKeys:
    """Public values of a column, in the order in which groups are shown; `other` adds one group for the rest."""

    values: tuple[Value, ...]
    other: bool = False


@declared("low", "high")
@dataclass(frozen=True, slots=True)
class RangeKeys:
    """All integers from low to high, both included."""

    low: int
    high: int


@declared()
@dataclass(frozen=True, slots=True)
class PrivateKeys:
    """The values are themselves private: groups by them need a threshold."""


Keys = ListedKeys | RangeKeys | PrivateKeys


@declared("name", "type", "bounds", "keys", "null", "unique")
@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """What is public about a column. `null` replaces NULL, NaN and failed casts before clamping."""

    name: str
    type: Type
    bounds: Bounds | Dates | None = None
    keys: Keys | None = None
    null: Fraction | None = None
    unique: bool = False
    """No two rows of a version have the same value: `refresh` refuses a version where they do. NULLs do not count."""

    @property
    def nullable(self) -> bool:
        return self.null is None


@declared("epsilon", "delta", "rho", "per_query", "i_understand")
@dataclass(frozen=True, slots=True)
class SpendingLimit:
    """A spending limit: epsilon, (epsilon, delta), or rho with delta for thresholds."""

    epsilon: Fraction | None = None
    delta: Fraction = Fraction(0)
    rho: Fraction | None = None
    per_query: Fraction | None = None
    """The most that one question may cost, in the limit's own kind."""
    i_understand: str | None = None
    """The steward's reason for a limit that protects nobody; required above epsilon 10 or delta 1e-6."""


@declared("column", "values", "within")
@dataclass(frozen=True, slots=True)
class Blocks:
    """How a table is split into parts with a budget each: by the declared values of a column. Each unit lies in one of
    them; rows with any other value, or none, are in no block, and no question reads them."""

    column: str
    values: tuple[int | str, ...]
    within: bool = False
    """Whether the units are people with several rows, all of them in one block: `refresh` refuses a version where not."""


@declared(
    "encoding", "delim", "names", "rename_duplicates", "decimal_separator", "dateformat", "timestampformat"
)
@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a text file does not say about itself. The names are those of DuckDB's read_csv, where it has one."""

    encoding: str | None = None
    """Any encoding that Python knows; None: UTF-8."""
    delim: str | None = None
    """Between cells; None: the one of `,` `;` `|` and tab that gives the first line most cells."""
    names: tuple[str, ...] = ()
    """The columns of a file without a header, in their order."""
    rename_duplicates: bool = False
    """A second column `x` is called `x_1`."""
    decimal_separator: str = "."
    dateformat: str | None = None
    timestampformat: str | None = None
    """As strptime writes them; None: ISO 8601."""


@declared(
    "name",
    "source",
    "unit",
    "relation",
    "limit",
    "columns",
    "units",
    "rows_per_unit",
    "groups_per_unit",
    "blocks",
    "max_timeout",
    "read",
)
@dataclass(frozen=True, slots=True)
class Table:
    """A private table as the steward declared it."""

    name: str
    source: str
    unit: Unit
    relation: Relation
    limit: SpendingLimit
    columns: Mapping[str, ColumnSpec]
    units: int | None = None
    rows_per_unit: int = 1
    groups_per_unit: int | None = None
    blocks: Blocks | None = None
    max_timeout: int | None = None
    """The most seconds that an analyst may ask for; None: those that every question has."""
    read: ReadOptions | None = None


@declared("name", "source", "columns", "read")
@dataclass(frozen=True, slots=True)
class PublicTable:
    """A table that is about nobody: it joins freely, by a unique column, and costs nothing.

    Where the steward declares no columns, `refresh` reads them from the source: see Catalogue.read."""

    name: str
    source: str
    columns: Mapping[str, ColumnSpec]
    read: ReadOptions | None = None


@declared("name", "tables")
@dataclass(frozen=True, slots=True)
class Analyst:
    """Somebody who asks, with a limit for each table they may read."""

    name: str
    tables: Mapping[str, SpendingLimit]


NO_WITNESS = "none"
"""What a catalogue writes for the witness where nobody is to watch the ledger; without the key, a file in the user's state
folder does."""


@dataclass(frozen=True, slots=True)
class LedgerSettings:
    """Where spending is written down, with which key it is signed and who else watches. Paths as they were written."""

    store: str = "sqlite:lapcat.ledger"
    key: str | None = None
    witness: str | None = None


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where Spark is and how it is started: [engine.spark]. What it leaves out, Spark's own settings say."""

    master: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All that the steward declared."""

    tables: Mapping[str, Table]
    public: Mapping[str, PublicTable] = field(default_factory=dict)
    populations: Mapping[str, SpendingLimit] = field(default_factory=dict)
    analysts: Mapping[str, Analyst] = field(default_factory=dict)
    store: str = field(default="sqlite:lapcat.ledger", repr=False)
    """`sqlite:FILE` or `postgresql://…`, in which a password may be: it is not shown."""
    memory: str | None = None
    threads: int | None = None
    timeout: int | None = None
    """Seconds that a question may take."""
    key: str | None = None
    witness: str | None = None
    limits: WorkLimits = DEFAULT_LIMITS
    max_timeout: int | None = None
    """The most that may be asked for where a table does not say, which no file does: of a data frame, whose holder asks."""
    in_python: bool = False
    """Whether it is declared by a call of `lapcat.table`, and not by a file."""
    read: frozenset[str] = frozenset()
    """The public tables whose columns were read from the source by `refresh`, and not declared."""

    @property
    def everything(self) -> dict[str, Table | PublicTable]:
        """All tables, private and public."""
        return {**self.tables, **self.public}

    @property
    def ledger_settings(self) -> LedgerSettings:
        return LedgerSettings(self.store, self.key, self.witness)

    def population(self, table: Table) -> Scope:
        """Whose rows a table holds: tables of one population may be joined, for their units are the same people.

        The declared population; else that of the table through which the units are reached; else the table's own.
        """
        seen = {table.name}
        while table.unit.of is None and table.unit.through is not None and table.unit.through[0] not in seen:
            seen.add(table.unit.through[0])
            table = self.tables[table.unit.through[0]]
        return Scope.table(table.name) if table.unit.of is None else Scope.population(table.unit.of)
