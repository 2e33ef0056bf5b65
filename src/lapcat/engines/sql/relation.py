"""Where rows are, and how their physical types become the declared ones.

A column whose physical type is the declared one is read as it is, so that the common case costs nothing. What cannot
fit by any value (a list declared as a date) is refused when the table is opened: that depends on the schema alone.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from lapcat.engines.sql.dialect import Dialect
from lapcat.engines.sql.words import SQL, at_most, call, case, integer
from lapcat.plan.schema import Type

if TYPE_CHECKING:
    from lapcat.engines.sql.weights import Ready

UNIT, RANK, ROWS = "_lapcat_unit", "_lapcat_rank", "_lapcat_rows"
"""The contribution index of a snapshot: whose row it is, its rank among theirs, and how many rows they have."""


@dataclass(frozen=True, slots=True)
class SourceRelation:
    """What to write after FROM, and what its columns hold."""

    source: SQL
    physical: Mapping[str, str] = field(default_factory=dict)
    """Of a source: names and types of the columns as they are stored. Those of a snapshot are of their declared types
    already, without NaN."""
    ranked: bool = False
    """A snapshot with a contribution index."""
    ready: Ready | None = None
    """Which integers stand beside the index that are weighed already."""
    max_length: int | None = None
    """Texts of more characters are NULL; None where there are none."""
    read_cell: Callable[[SQL, Type], SQL] | None = None
    """Of a text file: how its cells become values. None: as the dialect reads its own types."""


FIRST_DAY, LAST_DAY = datetime.date(1, 1, 1), datetime.date(9999, 12, 31)
FIRST_MOMENT, LAST_MOMENT = datetime.datetime.min, datetime.datetime.max
"""Days and moments beyond are NULL: Python, and with it the reference, has none."""


def declared_type(physical: str, dialect: Dialect) -> Type | None:
    """The type that a column of a physical type is declared as unless the steward says otherwise."""
    match dialect.family(physical):
        case "whole" | "wide":
            return Type.INTEGER
        case "float" | "decimal":
            return Type.FLOAT
        case "text":
            return Type.TEXT
        case "boolean":
            return Type.BOOLEAN
        case "date":
            return Type.DATE
        case "moment":
            return Type.TIMESTAMP
    return None


def unit_type(physical: str, dialect: Dialect) -> Type | None:
    """The type of a unit column that is not declared: one that keeps different units different."""
    return Type.TEXT if dialect.family(physical) in ("wide", "decimal") else declared_type(physical, dialect)


def read_column(relation: SourceRelation, x: SQL, name: str, kind: Type, dialect: Dialect) -> SQL | None:
    """A column of a source as its declared type (see read)."""
    if relation.read_cell is not None:
        return relation.read_cell(x, kind)
    return read(x, relation.physical[name], kind, dialect)


def can_hold(physical: str, kind: Type, dialect: Dialect) -> bool:
    """Whether some value of the physical type fits the declared one."""
    return read(exp.column("x"), physical, kind, dialect) is not None


def read(x: SQL, physical: str, kind: Type, dialect: Dialect) -> SQL | None:
    """A stored column as its declared type, NULL where a value does not fit. None where no value of the physical type fits."""
    return dialect.read(x, physical, kind)


def short_enough(x: SQL, kind: Type, max_length: int | None) -> SQL:
    """A value; NULL where it is a text of more than so many characters."""
    if kind is not Type.TEXT or max_length is None:
        return x
    return case((at_most(call("length", x), integer(max_length)), x))
