"""Relations, and the conversion of physical types to declared ones.

A column whose physical type matches the declared one is read unchanged, so the common case costs nothing. A type that can
never fit (a list declared as a date) is refused when the table is opened: this depends only on the schema.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from lapcat.engines.base.dialect import Dialect
from lapcat.engines.base.words import SQL, at_most, call, case, constant, integer
from lapcat.plan.schema import Type

if TYPE_CHECKING:
    from lapcat.engines.base.weights import Ready

UNIT, RANK, ROWS = "_lapcat_unit", "_lapcat_rank", "_lapcat_rows"
"""The contribution index of a snapshot: the row's unit, its rank within the unit, and the unit's row count."""


@dataclass(frozen=True, slots=True)
class SourceRelation:
    """A FROM clause, and properties of its columns."""

    source: SQL
    physical: Mapping[str, str] = field(default_factory=dict)
    """Names and physical types of a source's columns. Empty for a snapshot, whose columns have their declared types and no
    NaN."""
    ranked: bool = False
    """Whether it is a snapshot with a contribution index."""
    ready: Ready | None = None
    """The precomputed integers of a snapshot."""
    max_length: int | None = None
    """Longer texts are read as NULL; None if there are none."""
    read_cell: Callable[[SQL, Type], SQL] | None = None
    """For a text file: the conversion of cells. None: the dialect's own conversion."""


FIRST_DAY, LAST_DAY = datetime.date(1, 1, 1), datetime.date(9999, 12, 31)
FIRST_MOMENT, LAST_MOMENT = datetime.datetime.min, datetime.datetime.max
"""Values outside this range are NULL: Python, and hence the reference, cannot represent them."""
EPOCH, EPOCH_JULIAN = constant(datetime.date(1970, 1, 1)), 2_440_588
"""A day and its Julian day number."""


def declared_type(physical: str, dialect: Dialect) -> Type | None:
    """The default declared type of a physical type."""
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
    """The type of an undeclared unit column, chosen so that distinct units stay distinct."""
    return Type.TEXT if dialect.family(physical) in ("wide", "decimal") else declared_type(physical, dialect)


def read_column(relation: SourceRelation, x: SQL, name: str, kind: Type, dialect: Dialect) -> SQL | None:
    """A column of a source as its declared type (see `read`)."""
    if relation.read_cell is not None:
        return relation.read_cell(x, kind)
    return read(x, relation.physical[name], kind, dialect)


def can_hold(physical: str, kind: Type, dialect: Dialect) -> bool:
    """Whether some value of the physical type fits the declared one."""
    return read(exp.column("x"), physical, kind, dialect) is not None


def read(x: SQL, physical: str, kind: Type, dialect: Dialect) -> SQL | None:
    """A stored column as its declared type; NULL for a value that does not fit. None if no value of the physical type fits."""
    return dialect.read(x, physical, kind)


def short_enough(x: SQL, kind: Type, max_length: int | None) -> SQL:
    """The value; NULL for a text of more than `max_length` characters."""
    if kind is not Type.TEXT or max_length is None:
        return x
    return case((at_most(call("length", x), integer(max_length)), x))
