"""The columns of a public table that declares none: types, bounds, keys and unique columns, read from its rows; and the rows
themselves, where they are few.

The table is public, so all of this may be read. It is what a steward could have declared.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from typing import Any

from lapcat.engines.base.dialect import Dialect
from lapcat.engines.base.relation import SourceRelation
from lapcat.engines.base.steward import extents_statement, rows_statement, values_statement
from lapcat.plan.schema import Bounds, ColumnSpec, Dates, ListedKeys, Type, Value

MAX_KEYS = 1000
"""A column with more distinct values gets no keys."""
MAX_KEY_LENGTH = 100
"""A column with a longer text gets no keys either: it holds descriptions."""
WITH_KEYS = (Type.TEXT, Type.INTEGER, Type.DATE)
LISTED = (*WITH_KEYS, Type.FLOAT, Type.BOOLEAN)
"""Types of columns whose values are read row by row."""

Rows = Callable[[str], Sequence[Sequence[Any]]]
"""Runs a statement and returns all its rows."""


@dataclass(frozen=True, slots=True)
class PublicColumns:
    """What is read from the rows of a public table."""

    specs: Mapping[str, ColumnSpec]
    values: Mapping[str, tuple[Value | None, ...]] = field(default_factory=dict)
    """The values of each column, in the order of the rows; empty unless a unique column has keys."""


def read_columns(
    relation: SourceRelation, types: Mapping[str, Type], dialect: Dialect, rows: Rows
) -> PublicColumns:
    """Column specifications by name. Of names that differ only in case the first is kept: SQL cannot distinguish them."""
    first: dict[str, str] = {}
    for name in types:
        first.setdefault(name.casefold(), name)
    types = {name: kind for name, kind in types.items() if first[name.casefold()] == name}
    if not types:
        return PublicColumns({})
    counts = iter(rows(extents_statement(relation, types, dialect))[0])
    specs = {}
    for name, kind in types.items():
        values, different, low, high = (next(counts) for _ in range(4))
        keys = None
        if kind in WITH_KEYS and 0 < different <= MAX_KEYS:
            keys = _keys([row[0] for row in rows(values_statement(relation, name, kind, dialect))])
        specs[name] = ColumnSpec(name, kind, _bounds(low, high), keys, unique=0 < values == different)
    unique = next((name for name, spec in specs.items() if spec.unique and spec.keys), None)
    if unique is None:
        return PublicColumns(specs)
    listed = {name: kind for name, kind in types.items() if kind in LISTED}
    read = rows(rows_statement(relation, listed, unique, dialect))
    return PublicColumns(
        specs, _listed(list(listed), sorted(read, key=lambda row: row[list(listed).index(unique)]))
    )


def _listed(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, tuple[Value | None, ...]]:
    """The values of each column, without columns that hold descriptions or numbers that JSON cannot hold."""
    columns = {name: tuple(row[place] for row in rows) for place, name in enumerate(names)}
    return {name: values for name, values in columns.items() if all(map(_is_short, values))}


def _is_short(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, str) or len(value) <= MAX_KEY_LENGTH


def _keys(values: Sequence[Any]) -> ListedKeys | None:
    """Sorted by value, so that the order is the same on every engine."""
    if any(isinstance(value, str) and len(value) > MAX_KEY_LENGTH for value in values):
        return None
    return ListedKeys(tuple(sorted(values)))


def _bounds(low: Any, high: Any) -> Bounds | Dates | None:
    """The minimum and maximum in their decimal form; None for a constant column."""
    if low is None or low == high:
        return None
    if isinstance(low, date):
        return Dates(low, high)
    if not (math.isfinite(low) and math.isfinite(high)) or max(abs(low), abs(high)) > 2**62:
        return None
    return Bounds(Fraction(str(low)), Fraction(str(high)))
