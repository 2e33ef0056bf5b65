"""GROUP BY the unit in a sub-query: per-unit aggregates, one row for each unit (and each of its groups)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from sqlglot import exp

from lapcat.errors import BadQuery, Refused
from lapcat.frontend.sql.naming import referred, require_bounds
from lapcat.frontend.sql.scalars import Scalars
from lapcat.frontend.sql.scopes import (
    ColumnMeaning,
    DeclaredColumn,
    NameScope,
    SubqueryColumn,
    Visible,
    is_unit,
    names_of,
)
from lapcat.plan.expressions import Column, Expression, range_of
from lapcat.plan.grids import sum_statistic
from lapcat.plan.nodes import Filter, PerUnit, Rows, UnitAggregate, UnitColumn, private_scans
from lapcat.plan.schema import Bounds, ColumnSpec, RangeKeys, Type

if TYPE_CHECKING:
    from lapcat.frontend.sql.sources import Sources

UNIT_AGGREGATES = {
    "count": UnitAggregate.COUNT,
    "sum": UnitAggregate.SUM,
    "avg": UnitAggregate.AVG,
    "min": UnitAggregate.MIN,
    "max": UnitAggregate.MAX,
}


def per_unit(sources: Sources, query: exp.Select, scope: NameScope) -> NameScope:
    """GROUP BY the unit (and perhaps more): one row for each unit (and each of its groups)."""
    rows = sources.private(scope, query)
    items = [sources.item(item) for item in query.expressions]
    grouped = grouping(sources, query, items)
    keys: list[tuple[str, Expression]] = []
    by_unit = False
    for node in grouped:
        if is_unit(sources.text, scope, node):
            by_unit = True
            continue
        keys.append((f"k{len(keys)}", sources.scalars(scope).key(node)))
    if not by_unit:
        raise not_by_unit(sources, query, scope)
    aggregates: dict[UnitColumn, str] = {}
    outputs: list[tuple[str, Visible]] = []
    shown = {
        sources.text.written(node): (name, key) for node, (name, key) in keyed(sources, grouped, keys, scope)
    }

    def aggregated(node: exp.Expression) -> DeclaredColumn:
        column, spec = unit_aggregate(sources, node, scope, f"v{len(aggregates)}")
        name = aggregates.setdefault(replace(column, name=""), column.name)
        usual = usually(column, rows)
        return DeclaredColumn(
            replace(spec, name=sources.text.written(node)), name, "the sub-query", usual=usual
        )

    def scalars(mode: ColumnMeaning) -> Scalars:
        made = NameScope(rows, names_of(outputs))  # items before it in the SELECT, by name
        return Scalars(sources.text, made, sources.notes, lambda n: as_column(aggregated(n), mode))

    def inside(node: exp.Expression, mode: ColumnMeaning) -> Expression:
        return scalars(mode).scalar(node, mode)

    def as_column(declared: DeclaredColumn, mode: ColumnMeaning) -> Expression:
        column: Expression = Column(declared.column, declared.spec.type)
        helper = sources.scalars(scope)
        if mode is ColumnMeaning.VALUE:
            return helper.clamped(column, declared.spec, silent=declared.is_read)
        return (
            helper.within(column, declared.spec, silent=declared.is_read)
            if mode is ColumnMeaning.KEY
            else column
        )

    for alias, node in items:
        written = sources.text.written(node)
        if is_unit(sources.text, scope, node):
            outputs.append((alias or node.name, unit_column(sources, scope, node, aggregates)))
        elif written in shown:
            called = node.name if isinstance(node, exp.Column) else written
            outputs.append((alias or called, grouped_key(sources, scope, node, *shown[written])))
        elif isinstance(node, (exp.AggFunc, exp.Filter)):
            outputs.append((alias or written, aggregated(node)))
        elif node.find(exp.AggFunc):
            inside(node, ColumnMeaning.RAW)
            outputs.append((alias or written, SubqueryColumn(partial(inside, node))))
        else:
            raise row_in_group(sources, node)
    having = query.args.get("having")
    condition = None
    if having is not None:
        (test,) = sources.text.consume(having, "this")
        # an engine would cast anything else to a boolean and fail on some values, which would reveal rows
        condition = scalars(ColumnMeaning.RAW).predicate(test)  # type: ignore[arg-type]
    values = tuple(replace(column, name=name) for column, name in aggregates.items())
    made: Rows = PerUnit(rows, tuple(keys), values)
    if condition is not None:
        made = Filter(made, condition)
    return NameScope(made, sources.distinct_names(query, outputs))


def grouping(
    sources: Sources, query: exp.Select, items: list[tuple[str | None, exp.Expression]]
) -> list[exp.Expression]:
    """The group keys of a sub-query: the items of DISTINCT, or of GROUP BY (also by position or alias)."""
    distinct, group = query.args.get("distinct"), query.args.get("group")
    if group is None:
        sources.text.consume(distinct)  # type: ignore[arg-type]
        return [node for _, node in items]
    if distinct is not None:
        raise sources.text.unsupported(
            distinct, "DISTINCT with GROUP BY in a sub-query", "leave DISTINCT out"
        )
    (nodes,) = sources.text.consume(group, "expressions")
    if not isinstance(nodes, list) or not nodes:
        raise sources.text.missing(group)
    return [referred(sources.text, node, items) for node in nodes]


def keyed(
    sources: Sources, grouping: list[exp.Expression], keys: list[tuple[str, Expression]], scope: NameScope
) -> list[tuple[exp.Expression, tuple[str, Expression]]]:
    others = [node for node in grouping if not is_unit(sources.text, scope, node)]
    return list(zip(others, keys, strict=True))


def unit_column(
    sources: Sources, scope: NameScope, node: exp.Expression, aggregates: dict[UnitColumn, str]
) -> DeclaredColumn:
    """The unit column; it is the same in all rows of a unit, so their minimum is its value."""
    assert isinstance(node, exp.Column)
    means = scope.find(sources.text, node).means
    assert isinstance(means, DeclaredColumn)
    if means.is_opaque:
        return means
    value = Column(means.column, means.spec.type)
    column = UnitColumn("", UnitAggregate.MIN, value, None, None, means.spec.type)
    name = aggregates.setdefault(column, f"v{len(aggregates)}")
    return DeclaredColumn(means.spec, name, means.table, is_unit=True)


def grouped_key(
    sources: Sources, scope: NameScope, node: exp.Expression, name: str, key: Expression
) -> DeclaredColumn:
    """A group key of the sub-query, which keeps its declaration."""
    spec = ColumnSpec(name, key.type)
    if isinstance(node, exp.Column):
        means = scope.find(sources.text, node).means
        if isinstance(means, DeclaredColumn):
            spec = means.spec
    reach = range_of(key)
    if spec.bounds is None and spec.keys is None and key.type is Type.INTEGER and reach.bounded:
        spec = replace(spec, keys=RangeKeys(int(reach.low), int(reach.high)))
    return DeclaredColumn(replace(spec, unique=False), name, "the sub-query")


def unit_aggregate(
    sources: Sources, node: exp.Expression, scope: NameScope, name: str
) -> tuple[UnitColumn, ColumnSpec]:
    """One aggregate over a unit's rows, and its type and bounds."""
    condition = None
    scalars = sources.scalars(scope)
    if isinstance(node, exp.Filter):
        inner, where = sources.text.consume(node, "this", "expression")
        (test,) = sources.text.consume(where, "this")  # type: ignore[arg-type]
        condition = scalars.predicate(test)  # type: ignore[arg-type]
        node = inner  # type: ignore[assignment]
    function = UNIT_AGGREGATES.get(node.key)
    if function is None:
        raise BadQuery(
            "unknown-aggregate",
            f"{sources.text.called(node)} is not a supported aggregate in a sub-query",
            fix=f"one of: {', '.join(name.upper() for name in UNIT_AGGREGATES)}",
            place=sources.text.place(node),
        )
    this, more = sources.text.consume(node, "this", "expressions")
    if more:
        raise sources.text.unsupported(
            node,
            f"{sources.text.called(node)} of several values",
            f"{sources.text.called(node)} of one value",
        )
    if not isinstance(this, exp.Expression) or (
        isinstance(this, exp.Star) and function is not UnitAggregate.COUNT
    ):
        raise sources.text.missing(node)
    if isinstance(this, exp.Star) or (function is UnitAggregate.COUNT and isinstance(this, exp.Literal)):
        return UnitColumn(name, function, None, condition, None, Type.INTEGER), ColumnSpec(name, Type.INTEGER)
    if isinstance(this, exp.Distinct):
        (values,) = sources.text.consume(this, "expressions")
        if not isinstance(values, list) or not values:
            raise sources.text.missing(node)
        if function is not UnitAggregate.COUNT or len(values) != 1:
            shown = sources.text.quoted(values[0])
            raise sources.text.unsupported(
                this,
                f"DISTINCT in {sources.text.called(node)}",
                f"COUNT(DISTINCT {shown}), which counts the values",
            )
        value = scalars.scalar(values[0], ColumnMeaning.RAW)
        return UnitColumn(name, UnitAggregate.DISTINCT, value, condition, None, Type.INTEGER), ColumnSpec(
            name, Type.INTEGER
        )
    value = scalars.value(this)
    reach = range_of(value)
    if function in (UnitAggregate.SUM, UnitAggregate.AVG):
        require_bounds(sources.text, scalars, node, this, value)
        statistic = sum_statistic(value, None, centred=False)
        assert statistic.grid is not None and statistic.value is not None
        whole = (
            function is UnitAggregate.SUM
            and statistic.value.type is Type.INTEGER
            and statistic.grid.exponent == 0
        )
        kind = Type.INTEGER if whole else Type.FLOAT
        bounds = None
        if function is UnitAggregate.AVG and reach.low < reach.high:
            bounds = Bounds(Fraction(reach.low), Fraction(reach.high))
        column = UnitColumn(name, function, statistic.value, condition, statistic.grid, kind)
        return column, ColumnSpec(name, kind, bounds)
    if function is UnitAggregate.COUNT:
        return UnitColumn(name, function, value, condition, None, Type.INTEGER), ColumnSpec(
            name, Type.INTEGER
        )
    bounds = (
        Bounds(Fraction(reach.low), Fraction(reach.high))
        if reach.bounded and reach.low < reach.high
        else None
    )
    return UnitColumn(name, function, value, condition, None, value.type), ColumnSpec(
        name, value.type, bounds
    )


def usually(column: UnitColumn, rows: Rows) -> tuple[Fraction, Fraction] | None:
    """The range of a count or sum over rows_per_unit rows of one table; None for other aggregates."""
    scans = private_scans(rows)
    if len(scans) != 1 or column.aggregate not in (
        UnitAggregate.COUNT,
        UnitAggregate.DISTINCT,
        UnitAggregate.SUM,
    ):
        return None
    max_rows = scans[0].rows_per_unit
    if column.aggregate is not UnitAggregate.SUM:
        return Fraction(0), Fraction(max_rows)
    assert column.value is not None
    reach = range_of(column.value)
    return max_rows * min(Fraction(0), Fraction(reach.low)), max_rows * max(Fraction(0), Fraction(reach.high))


def not_by_unit(sources: Sources, query: exp.Select, scope: NameScope) -> Refused:
    units = [n.name for n in scope.names if isinstance(n.means, DeclaredColumn) and n.means.is_unit]
    inner = sources.text.bracketed(query)
    fixes = [f"ask the sub-query by itself, and compute the rest from its answer: {inner}"] if inner else []
    fixes += [f"GROUP BY {unit} in the sub-query: one row for each {unit}" for unit in units[:1]]
    return Refused(
        "sub-query-of-many",
        "the sub-query aggregates rows of many people",
        why="one person could change its result, and everything that is computed from it",
        fix="; or ".join(fixes) or "ask the sub-query by itself",
        place=sources.text.place(query),
    )


def row_in_group(sources: Sources, node: exp.Expression) -> BadQuery:
    return BadQuery(
        "not-grouped",
        f"{sources.text.written(node)} is neither in GROUP BY nor in an aggregate",
        fix=f"add {sources.text.written(node)} to GROUP BY, or write MAX({sources.text.written(node)})",
        place=sources.text.place(node),
    )
