"""Public columns that a grouped public key determines: GROUP BY p.product_id, and show p.product_name.

`refresh` reads the rows of a small public table. A unique column of it determines the others, and so does a column of another
table that an inner join compares with it. Such a column is looked up in what was read: it makes no groups of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from lapcat.frontend.sql.scopes import DeclaredColumn, NameScope
from lapcat.plan.expressions import Column, Expression
from lapcat.plan.nodes import Filter, Join, Public, Rows
from lapcat.plan.schema import Value

PublicLookup = Callable[[str, str, str], Mapping[Value, Value | None] | None]
"""The value of a column for each value of a unique column of the same public table, by the names of the table, the unique
column and the column; None where `refresh` read no rows."""


def no_lookup(table: str, unique: str, column: str) -> Mapping[Value, Value | None] | None:
    return None


@dataclass(frozen=True, slots=True)
class _PublicColumn:
    """A column of a joined public table; the same table may be joined twice, under different marks."""

    table: str
    name: str
    mark: str


def determined(
    scope: NameScope, lookup: PublicLookup, column: Expression, key: Expression
) -> Mapping[Value, Value | None] | None:
    """The value of a public column for each value of a group key; None where the key does not determine it."""
    means = scope.declared(column.name) if isinstance(column, Column) else None
    if means is None or not means.is_read or not isinstance(key, Column):
        return None
    wanted = _public(means)
    for unique in _same_value(scope, key):
        if (unique.table, unique.mark) == (wanted.table, wanted.mark) and unique != wanted:
            values = lookup(wanted.table, unique.name, wanted.name)
            if values is not None:
                return values
    return _by_way_of(scope, lookup, wanted, key)


def _by_way_of(
    scope: NameScope, lookup: PublicLookup, wanted: _PublicColumn, key: Column
) -> Mapping[Value, Value | None] | None:
    """A column of a table that was joined by a column which the key determines: product, its category, the category's name."""
    for join, mine, unique in _comparisons(scope.rows):
        if join.outer or (unique.table, unique.mark) != (wanted.table, wanted.mark):
            continue
        first, second = determined(scope, lookup, mine, key), lookup(wanted.table, unique.name, wanted.name)
        if first is not None and second is not None:
            return {value: None if way is None else second.get(way) for value, way in first.items()}
    return None


def keys_by_join(scope: NameScope, lookup: PublicLookup, column: Column) -> tuple[Value, ...] | None:
    """The public keys of a column that an inner join compares with a public column: rows with other values are not joined."""
    for unique in _same_value(scope, column):
        values = lookup(unique.table, unique.name, unique.name)
        if values is not None:
            return tuple(sorted(values))
    return None


def _public(means: DeclaredColumn) -> _PublicColumn:
    return _PublicColumn(means.table, means.spec.name, means.column.removeprefix(means.spec.name))


def _same_value(scope: NameScope, column: Column) -> Iterator[_PublicColumn]:
    """The column itself, and the public columns that inner joins compare with it."""
    own = scope.declared(column.name)
    if own is not None:
        yield _public(own)
    for join, mine, theirs in _comparisons(scope.rows):
        if mine == column and not join.outer:
            yield theirs


def _comparisons(rows: Rows | Public) -> Iterator[tuple[Join, Expression, _PublicColumn]]:
    """The columns of public tables that joins compare, with what they are compared with, from the last join to the first."""
    while isinstance(rows, Filter | Join):
        if isinstance(rows, Join) and isinstance(rows.right, Public):
            for mine, theirs in rows.on:
                if isinstance(theirs, Column):
                    yield rows, mine, _PublicColumn(rows.right.table, theirs.name, f"@{rows.mark}")
        rows = rows.left if isinstance(rows, Join) else rows.source
