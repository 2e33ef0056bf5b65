"""The steward's declarations: privacy units, neighbouring relation, bounds, keys and limits.

Pure values. frontend/catalogue.py reads them from a file; nothing here is ever read from data.
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
    """Which tables are neighbouring."""

    ADD_REMOVE = "add-remove"  # unbounded: one is the other without one unit
    REPLACE_ONE = "replace-one"  # bounded: one unit's data differs, the number of units is public


@stored("Unit", "column", "of", "through", "named")
@declared("column", "of", "through")
@dataclass(frozen=True, slots=True)
class Unit:
    """The privacy unit: each row, or all rows with the same value in a column."""

    column: str | None = None
    """The column that identifies the unit; None where each row is a unit."""
    of: str | None = None
    """The population: the same people in several tables."""
    through: tuple[str, str] | None = None
    """Where the column references a row of another table instead of the unit: that table and its unique column. The unit
    of this table's row is then the unit of that row."""
    named: str | None = None
    """Where the unit is reached through other tables: the column that identifies it in the last one."""

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

    >>> Bounds(Fraction(5), Fraction(5))
    Traceback (most recent call last):
    ...
    ValueError: Bounds(5, 5): low must be below high; a constant column needs no bounds
    """

    low: Fraction
    high: Fraction

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(
                f"Bounds({self.low}, {self.high}): low must be below high; a constant column needs no bounds"
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
    """The public facts about a column. `null` replaces NULL, NaN and failed casts before clamping."""

    name: str
    type: Type
    bounds: Bounds | Dates | None = None
    keys: Keys | None = None
    null: Fraction | None = None
    unique: bool = False
    """No two rows of a version have the same value, NULLs aside: `refresh` rejects a version where they do."""

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
    """Maximum cost of one question, in the limit's own kind."""
    i_understand: str | None = None
    """The steward's reason for a limit that protects nobody; required above epsilon 10 or delta 1e-6."""


@declared("column", "values", "within")
@dataclass(frozen=True, slots=True)
class Blocks:
    """The partition of a table into blocks with a budget each: by the declared values of a column. Each unit lies in one
    block; rows with any other value, or none, are in no block, and no question reads them."""

    column: str
    values: tuple[int | str, ...]
    within: bool = False
    """Whether units have several rows, all in one block: `refresh` rejects a version where they are not."""


@declared(
    "encoding", "delim", "names", "rename_duplicates", "decimal_separator", "dateformat", "timestampformat"
)
@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Options for reading a text file, named as in DuckDB's read_csv where it has them."""

    encoding: str | None = None
    """Any encoding that Python supports; None: UTF-8."""
    delim: str | None = None
    """The delimiter; None: the one of `,` `;` `|` and tab that splits the first line into most cells."""
    names: tuple[str, ...] = ()
    """The columns of a file without a header, in order."""
    rename_duplicates: bool = False
    """Whether a second column `x` is renamed to `x_1`."""
    decimal_separator: str = "."
    dateformat: str | None = None
    timestampformat: str | None = None
    """In strptime's notation; None: ISO 8601."""


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
    "unique",
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
    """Maximum timeout in seconds that an analyst may request; None: the default timeout."""
    read: ReadOptions | None = None
    unique: tuple[tuple[str, ...], ...] | None = None
    """Keys of several columns: no two rows of a version agree on all of them, rows with a NULL aside. `refresh` checks it."""


@declared("name", "source", "columns", "read", "unique")
@dataclass(frozen=True, slots=True)
class PublicTable:
    """A public table: it can be joined on a unique column at no cost.

    Where the steward declares no columns, `refresh` reads them from the source: see Catalogue.read."""

    name: str
    source: str
    columns: Mapping[str, ColumnSpec]
    read: ReadOptions | None = None
    unique: tuple[tuple[str, ...], ...] | None = None


@declared("name", "tables")
@dataclass(frozen=True, slots=True)
class Analyst:
    """An analyst, with a limit for each table they may read."""

    name: str
    tables: Mapping[str, SpendingLimit]


NO_WITNESS = "none"
"""The value of `witness` in a catalogue that disables the ledger's witness; by default it is a file in the user's state
folder."""


@dataclass(frozen=True, slots=True)
class LedgerSettings:
    """The ledger's store, signing key and witness. Paths as written in the catalogue."""

    store: str = "sqlite:lapcat.ledger"
    key: str | None = None
    witness: str | None = None


@dataclass(frozen=True, slots=True)
class Cluster:
    """[engine.spark]: the master and configuration of Spark. Spark's own defaults apply to the rest."""

    master: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All declarations of the steward."""

    tables: Mapping[str, Table]
    public: Mapping[str, PublicTable] = field(default_factory=dict)
    populations: Mapping[str, SpendingLimit] = field(default_factory=dict)
    analysts: Mapping[str, Analyst] = field(default_factory=dict)
    store: str = field(default="sqlite:lapcat.ledger", repr=False)
    """`sqlite:FILE` or `postgresql://…`; not shown, as it may contain a password."""
    memory: str | None = None
    threads: int | None = None
    timeout: int | None = None
    """Timeout of a question in seconds."""
    key: str | None = None
    witness: str | None = None
    limits: WorkLimits = DEFAULT_LIMITS
    max_timeout: int | None = None
    """Maximum timeout where a table declares none; set only for data frames, whose owner is the analyst."""
    in_python: bool = False
    """Whether it is declared by a call of `lapcat.table` instead of a file."""
    read: frozenset[str] = frozenset()
    """The public tables whose columns `refresh` read from the source instead of the catalogue."""

    @property
    def everything(self) -> dict[str, Table | PublicTable]:
        """All tables, private and public."""
        return {**self.tables, **self.public}

    @property
    def ledger_settings(self) -> LedgerSettings:
        return LedgerSettings(self.store, self.key, self.witness)

    def population(self, table: Table) -> Scope:
        """The population of a table: tables of one population may be joined, because their units are the same people.

        The declared population; else that of the table through which the units are reached; else the table's own.
        """
        seen = {table.name}
        while table.unit.of is None and table.unit.through is not None and table.unit.through[0] not in seen:
            seen.add(table.unit.through[0])
            table = self.tables[table.unit.through[0]]
        return Scope.table(table.name) if table.unit.of is None else Scope.population(table.unit.of)
