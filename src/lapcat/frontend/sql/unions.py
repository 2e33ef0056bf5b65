"""UNION ALL of several queries about the same people."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from lapcat.errors import BadQuery
from lapcat.frontend.sql.scopes import ColumnMeaning, DeclaredColumn, NameScope, SubqueryColumn, Visible
from lapcat.plan.calendar import how_many, public_moments
from lapcat.plan.expressions import Cast, Column, Expression
from lapcat.plan.nodes import Union, UnionBranch
from lapcat.plan.schema import Bounds, ColumnSpec, Dates, ListedKeys, Type

if TYPE_CHECKING:
    from lapcat.frontend.sql.sources import Cte, Sources

MAX_STARTS = 10_000
"""The number of days that a computed date may start with, to be keys of a union."""


def union(sources: Sources, union: exp.SetOperation, ctes: Mapping[str, Cte]) -> NameScope:
    inner = sources.with_names(union, ctes)
    parts: list[exp.Expression] = []
    stack: list[exp.Expression] = [union]
    while stack:
        node = stack.pop()
        while isinstance(node, (exp.Subquery, exp.Paren)) and not node.args.get("alias"):
            (node,) = sources.text.consume(node, "this")  # type: ignore[assignment]
        if isinstance(node, exp.SetOperation):
            left, distinct, right, _ = sources.text.consume(node, "this", "distinct", "expression", "with_")
            plain = None
            if node is union and distinct:
                plain = _distinct_rows(node) if isinstance(node, exp.Union) else _members(node)
            if plain is not None:
                return sources.query(plain, ctes)
            if not isinstance(node, exp.Union) or distinct:
                raise sources.text.unsupported(
                    node,
                    "INTERSECT and EXCEPT of several columns, and UNION without ALL beside others or without names",
                    "UNION ALL, which keeps all rows of both",
                )
            stack += [right, left]  # type: ignore[list-item]
        else:
            parts.append(node)
    scopes = [sources.query(part, inner) for part in parts]
    first = scopes[0]
    for part, scope in zip(parts, scopes, strict=True):
        if len(scope.names) != len(first.names):
            raise BadQuery(
                "union-columns",
                f"the parts of a UNION ALL have {len(first.names)} and {len(scope.names)} columns",
                fix="select the same columns in each part",
                place=sources.text.place(part),
            )
    sources.same_people(union, [sources.private(scope, union) for scope in scopes])
    names: list[tuple[str, Visible]] = []
    columns: list[list[Expression]] = [[] for _ in scopes]
    for position, name in enumerate(first.names):
        mine = [scope.names[position].means for scope in scopes]
        if any(isinstance(means, DeclaredColumn) and means.is_opaque for means in mine):
            names.append((name.name, united_units(sources, union, mine)))
            continue
        raw = [meant(sources, means) for means in mine]
        kinds = {expression.type for expression in raw}
        if kinds == {Type.INTEGER, Type.FLOAT}:
            raw = [x if x.type is Type.FLOAT else Cast(x, Type.FLOAT) for x in raw]
            kinds = {Type.FLOAT}
        if len(kinds) != 1:
            raise BadQuery(
                "union-columns",
                f"the column {name.name} is {' and '.join(sorted(kinds))} in the parts of a UNION ALL",
                fix=f"CAST one of them, or leave {name.name} out",
                place=sources.text.place(parts[-1]),
            )
        column = f"u{len(columns[0])}"
        for branch, expression in zip(columns, raw, strict=True):
            branch.append(expression)
        names.append((name.name, united(sources, column, kinds.pop(), mine)))
    branches = tuple(
        UnionBranch(sources.private(scope, union), tuple(own))
        for scope, own in zip(scopes, columns, strict=True)
    )
    rows = Union(tuple(f"u{position}" for position in range(len(columns[0]))), branches)
    return NameScope(rows, sources.distinct_names(union, names))


def _distinct_rows(union: exp.Union) -> exp.Select | None:
    """UNION without ALL: the distinct rows of UNION ALL. They are one row for each unit and combination, so a column must be the
    unit; otherwise the sub-query is refused as one that aggregates rows of many people. None where columns have no names."""
    first: exp.Expr = union
    while not isinstance(first, exp.Select) and isinstance(first.this, exp.Expression):
        first = first.this
    if any(not item.alias_or_name or item.is_star for item in first.expressions):
        return None
    rows = union.copy()
    rows.set("with_", None)
    for part in rows.find_all(exp.Union):
        if part.parent is None or isinstance(part.parent, exp.Union):
            part.set("distinct", False)
    columns = [
        exp.Column(this=exp.Identifier(this=item.alias_or_name, quoted=True)) for item in first.expressions
    ]
    source = exp.From(this=exp.Subquery(this=rows))
    with_ = union.args.get("with_")
    return exp.Select(
        expressions=columns,
        from_=source,
        distinct=exp.Distinct(),
        with_=None if with_ is None else with_.copy(),
    )


def _members(sets: exp.SetOperation) -> exp.Select | None:
    """INTERSECT and EXCEPT of one column: the distinct values of one query that are, or are not, IN the other. None of several
    columns."""
    first, second = sets.this, sets.args["expression"]
    both = [part.expressions for part in (first, second) if isinstance(part, exp.Select)]
    if len(both) < 2 or any(len(items) != 1 for items in both) or not both[0][0].alias_or_name:
        return None
    column = exp.Column(this=exp.Identifier(this=both[0][0].alias_or_name, quoted=True))
    member: exp.Expression = exp.In(this=column.copy(), query=exp.Subquery(this=second.copy()))
    with_ = sets.args.get("with_")
    return exp.Select(
        expressions=[column],
        from_=exp.From(this=exp.Subquery(this=first.copy())),
        where=exp.Where(this=exp.Not(this=member) if isinstance(sets, exp.Except) else member),
        distinct=exp.Distinct(),
        with_=None if with_ is None else with_.copy(),
    )


def united_units(sources: Sources, node: exp.Expression, parts: list[Visible]) -> DeclaredColumn:
    """The opaque unit column of a union."""
    if not all(isinstance(means, DeclaredColumn) and means.is_unit for means in parts):
        raise BadQuery(
            "union-columns",
            "a column of a UNION ALL is the unit in one part and something else in another",
            fix="select the unit at the same place in each part, or in none",
            place=sources.text.place(node),
        )
    first = parts[0]
    assert isinstance(first, DeclaredColumn)
    return replace(first, is_opaque=True)


def _starts(sources: Sources, means: Visible) -> tuple[datetime.date, ...]:
    """The public days of a computed DATE_TRUNC between the bounds of its date; none of anything else. They are keys of the union's
    column: rows outside them belong to no group."""
    if not isinstance(means, SubqueryColumn):
        return ()
    notes = dict(sources.notes)
    expression = means.expression(ColumnMeaning.KEY)
    sources.notes.clear()  # whether it is a key is not known yet
    sources.notes.update(notes)
    number = how_many(expression)
    return () if number is None or number > MAX_STARTS else public_moments(expression) or ()


def meant(sources: Sources, means: Visible) -> Expression:
    return (
        means.expression(ColumnMeaning.RAW)
        if isinstance(means, SubqueryColumn)
        else Column(means.column, means.spec.type)
    )


def united(sources: Sources, column: str, kind: Type, parts: list[Visible]) -> DeclaredColumn:
    """The declaration of a column of a union: the hull of its bounds, and the union of its keys."""
    specs = [p.spec if isinstance(p, DeclaredColumn) else ColumnSpec(column, kind) for p in parts]
    bounds: Bounds | Dates | None = None
    intervals = [s.bounds for s in specs if isinstance(s.bounds, Bounds)]
    days = [s.bounds for s in specs if isinstance(s.bounds, Dates)]
    if len(intervals) == len(specs):
        bounds = Bounds(min(i.low for i in intervals), max(i.high for i in intervals))
    elif len(days) == len(specs):
        bounds = Dates(min(d.low for d in days), max(d.high for d in days))
    keys = specs[0].keys if all(s.keys == specs[0].keys for s in specs) else None
    listed = [s.keys for s in specs if isinstance(s.keys, ListedKeys)]
    if keys is None and len(listed) == len(specs):
        keys = ListedKeys(
            tuple(dict.fromkeys(v for k in listed for v in k.values)), any(k.other for k in listed)
        )
    starts = [_starts(sources, part) for part in parts] if kind in (Type.DATE, Type.TIMESTAMP) else [()]
    if keys is None and bounds is None and all(starts):
        keys = ListedKeys(tuple(dict.fromkeys(day for days in starts for day in days)))
    null = specs[0].null if all(s.null == specs[0].null for s in specs) else None
    unit = all(isinstance(p, DeclaredColumn) and p.is_unit for p in parts)
    computed = any(isinstance(p, SubqueryColumn) for p in parts)
    bare = (
        p for p in parts if isinstance(p, DeclaredColumn) and p.spec.bounds is None and p.spec.keys is None
    )
    first = next(bare, parts[0])  # errors name the column that is not declared
    name = first.spec.name if isinstance(first, DeclaredColumn) else column
    table = first.table if isinstance(first, DeclaredColumn) and not computed else "the sub-query"
    return DeclaredColumn(ColumnSpec(name, kind, bounds, keys, null), column, table, is_unit=unit)
