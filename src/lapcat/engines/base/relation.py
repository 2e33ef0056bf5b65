"""Relations: the sources and snapshots that statements read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lapcat.engines.base.dialect import Dialect
from lapcat.engines.base.words import SQL, at_most, call, case, integer
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


def read_column(relation: SourceRelation, x: SQL, name: str, kind: Type, dialect: Dialect) -> SQL | None:
    """A column of a source as its declared type (see `Dialect.read`)."""
    if relation.read_cell is not None:
        return relation.read_cell(x, kind)
    return dialect.read(x, relation.physical[name], kind)


def short_enough(x: SQL, kind: Type, max_length: int | None) -> SQL:
    """The value; NULL for a text of more than `max_length` characters."""
    if kind is not Type.TEXT or max_length is None:
        return x
    return case((at_most(call("length", x), integer(max_length)), x))
