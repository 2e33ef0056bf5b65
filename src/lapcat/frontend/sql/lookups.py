"""Public columns that a grouped public key determines: GROUP BY p.product_id, and show p.product_name.

`refresh` reads the rows of a small public table. A unique column of it determines the others, and so does a column of another
table that an inner join compares with it. Such a column is looked up in what was read: it makes no groups of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from lapcat.frontend.sql.scopes import DeclaredColumn, NameScope
from lapcat.plan.expressions import Column, Expression
from lapcat.plan.nodes import Filter, Join, Public, Rows
from lapcat.plan.schema import ListedKeys, Value

PublicLookup = Callable[[str, str, str], Mapping[Value, Value | None] | None]
"""The value of a column for each value of a unique column of the same public table, by the names of the table, the unique
column and the column; None where `refresh` read no rows."""


def no_lookup(table: str, unique: str, column: str) -> Mapping[Value, Value | None] | None:
    return None


def determined(
    scope: NameScope, lookup: PublicLookup, column: Expression, key: Expression
) -> Mapping[Value, Value | None] | None:
    """The value of a public column for each value of a group key; None where the key does not determine it."""
    means = _declared(scope, column)
    if means is None or not means.is_read or not isinstance(key, Column):
        return None
    for unique in _same_value(scope, key):
        if unique.table == means.table and _mark(unique) == _mark(means) and unique.column != means.column:
            values = lookup(means.table, unique.spec.name, means.spec.name)
            if values is not None:
                return values
    return _by_way_of(scope, lookup, means, key)


def _by_way_of(
    scope: NameScope, lookup: PublicLookup, means: DeclaredColumn, key: Column
) -> Mapping[Value, Value | None] | None:
    """A column of a table that was joined by a column which the key determines: product, its category, the category's name."""
    for join in _joins(scope.rows):
        for mine, theirs in join.on:
            unique = scope.declared(f"{theirs.name}@{join.mark}") if isinstance(theirs, Column) else None
            if unique is None or unique.table != means.table or _mark(unique) != _mark(means) or join.outer:
                continue
            first = determined(scope, lookup, mine, key)
            second = lookup(means.table, unique.spec.name, means.spec.name)
            if first is not None and second is not None:
                return {value: None if way is None else second.get(way) for value, way in first.items()}
    return None


def keys_by_join(scope: NameScope, column: Column) -> ListedKeys | None:
    """The public keys of a column that an inner join compares with a public column: rows with other values are not joined."""
    for unique in _same_value(scope, column):
        if unique.column != column.name and unique.is_read and isinstance(unique.spec.keys, ListedKeys):
            return unique.spec.keys
    return None


def _declared(scope: NameScope, column: Expression) -> DeclaredColumn | None:
    return scope.declared(column.name) if isinstance(column, Column) else None


def _mark(column: DeclaredColumn) -> str:
    """Which of the joined tables a column belongs to: the same table may be joined twice."""
    return column.column.removeprefix(column.spec.name)


def _same_value(scope: NameScope, column: Column) -> Iterator[DeclaredColumn]:
    """The column itself, and the public columns that inner joins compare with it."""
    own = scope.declared(column.name)
    if own is not None:
        yield own
    for join in _joins(scope.rows):
        for mine, theirs in join.on:
            if mine == column and isinstance(theirs, Column) and not join.outer:
                other = scope.declared(f"{theirs.name}@{join.mark}")
                if other is not None:
                    yield other


def _joins(rows: Rows | Public) -> Iterator[Join]:
    """The joins with public tables, from the last to the first."""
    while isinstance(rows, Filter | Join):
        if isinstance(rows, Join) and isinstance(rows.right, Public):
            yield rows
        rows = rows.left if isinstance(rows, Join) else rows.source
