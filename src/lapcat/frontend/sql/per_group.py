"""Contribution bounds of aggregates, as GoogleSQL defines them, in words that have rules.

    contribution_bounds_per_row      SUM(CLAMP(x, 0, 100)): each row's value
    contribution_bounds_per_group    one unit's result in a group:

        SELECT status, SUM(amount, contribution_bounds_per_group => (0, 100)) FROM orders GROUP BY status
        SELECT status, SUM(CLAMP(total, 0, 100))
        FROM (SELECT customer_id, status, SUM(amount) AS total FROM orders GROUP BY customer_id, status)
        GROUP BY status

AVG is the average of the units' averages. Where each unit has one row, both bounds are the same. Trees become trees, before
anything is derived from them, so the bounds have no privacy rule of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from lapcat.core.exact import exact
from lapcat.errors import BadQuery
from lapcat.frontend.sql.contributions import Contribution
from lapcat.frontend.sql.naming import referred
from lapcat.frontend.sql.per_unit import row_in_group
from lapcat.frontend.sql.scopes import DeclaredColumn, Name, NameScope, is_unit
from lapcat.frontend.sql.sources import Sources, TableVersions
from lapcat.frontend.sql.text import Text
from lapcat.frontend.words import identifier as sql_name
from lapcat.plan.facts import rows_facts
from lapcat.plan.nodes import Public

_INSIDE = ("from_", "joins", "where")


def with_contributions(text: Text, tables: TableVersions, select: exp.Select) -> bool:
    """Puts the bounds of a statement's aggregates into its tree; whether it aggregates each unit's rows first."""
    calls = {call.meta.get("start"): call for call in select.find_all(exp.AggFunc)}
    of_groups: dict[int, Contribution] = {}
    for contribution in text.contributions:
        call = calls.get(contribution.start)
        if call is None:
            raise _elsewhere(contribution, "they stand in a call that is no aggregate")
        if not contribution.per_group:
            call.set("this", _clamped(call.this, contribution))
        elif call.parent_select is not select:
            raise _elsewhere(contribution, "a sub-query has no noise, and so no contribution bounds")
        elif not isinstance(call, (exp.Sum, exp.Count, exp.Avg)) or isinstance(call.this, exp.Distinct):
            raise _elsewhere(contribution, "a unit's own result is a sum, a count or an average")
        else:
            of_groups[contribution.start] = contribution
    if not of_groups:
        return False
    sources = Sources(text, tables, {})
    scope, _ = sources.read(select, {})
    if isinstance(scope.rows, Public):  # refused where rows are needed
        return False
    if rows_facts(scope.rows).rows == 1:
        for start, contribution in of_groups.items():
            _of_one_row(calls[start], contribution)
        return False
    _PerGroup(sources, select, scope, of_groups).rewrite()
    return True


def _of_one_row(call: exp.Expr, contribution: Contribution) -> None:
    """Bounds per group where each unit has one row."""
    if contribution.ends is None:
        return
    if not isinstance(call, exp.Count):
        call.set("this", _clamped(call.this, contribution))
        return
    low, high = (exact(end.replace(" ", "")) for end in contribution.ends)
    least = 1 if isinstance(call.this, exp.Star) else 0  # COUNT(x) is 0 where x is NULL
    if not low <= least <= 1 <= high:
        raise _elsewhere(contribution, "each unit has one row, so it counts 0 or 1, within such bounds")


@dataclass(slots=True)
class _PerGroup:
    """Rewrites a statement into one over a sub-query with one row for each unit and group."""

    sources: Sources
    select: exp.Select
    scope: NameScope
    of_groups: Mapping[int, Contribution]
    keys: dict[object, str] = field(default_factory=dict)
    """The name in the sub-query of each group key, by the meaning of its column."""
    values: dict[str, exp.Expression] = field(default_factory=dict)
    """The aggregates of the sub-query, by name."""

    def rewrite(self) -> None:
        items = [self.sources.item(item) for item in self.select.expressions]
        unit, columns = self.unit(), self.key_columns(items)
        inner_keys = [_named(column.copy(), self.keys[self.meaning(column)]) for column in columns]
        called = [alias or self.unnamed(node) for alias, node in items]
        aliases = {alias.casefold() for alias, _ in items if alias is not None}
        outputs = [
            _named(self.outside(node, frozenset()), name)
            for (_, node), name in zip(items, called, strict=True)
        ]
        for clause in ("having", "order"):
            if self.select.args.get(clause) is not None:
                self.outside(self.select.args[clause], frozenset(aliases))
        values = [_named(value, name) for name, value in self.values.items()]
        inner = exp.Select(
            **{clause: self.select.args.get(clause) for clause in _INSIDE},
            expressions=[unit.copy(), *inner_keys, *values],
            group=exp.Group(expressions=[unit.copy(), *(column.copy() for column in columns)]),
        )
        for clause in _INSIDE:
            self.select.set(clause, None)
        self.select.set("expressions", outputs)
        self.select.set("from_", exp.From(this=exp.Subquery(this=inner)))
        if columns:
            keys = [_column(self.keys[self.meaning(column)], column) for column in columns]
            self.select.set("group", exp.Group(expressions=keys))

    def unit(self) -> exp.Column:
        names = [
            name for name in self.scope.names if isinstance(name.means, DeclaredColumn) and name.means.is_unit
        ]
        if not names:
            raise self.refused("no column of these tables says whose rows they are")
        return _qualified(names[0])

    def key_columns(self, items: list[tuple[str | None, exp.Expression]]) -> list[exp.Column]:
        group = self.select.args.get("group")
        columns: list[exp.Column] = []
        for node in [] if group is None else group.expressions:
            key = referred(self.sources.text, node, items, lambda column: self.scope.has(column.name))
            if not isinstance(key, exp.Column) or isinstance(key.this, exp.Star):
                raise self.of_expressions(key, {id(meant): alias for alias, meant in items})
            columns.append(key)
        if group is not None and (len(columns) == 0 or len([v for v in group.args.values() if v]) > 1):
            raise self.refused("its groups are not columns")
        for column in columns:
            meaning = self.meaning(column)
            assert meaning is not None
            if isinstance(meaning, DeclaredColumn) and meaning.is_unit:
                raise self.refused("its groups are units")
            taken = [name.casefold() for name in self.keys.values()]
            numbered = f"{column.name}_{len(self.keys)}" if column.name.casefold() in taken else column.name
            self.keys.setdefault(meaning, numbered)
        return columns

    def meaning(self, column: exp.Column) -> object:
        return self.scope.find(self.sources.text, column).means

    def outside(self, node: exp.Expression, aliases: frozenset[str]) -> exp.Expression:
        """The expression over the sub-query's columns; names of output columns stay (`aliases`)."""

        def changed(part: exp.Expr) -> exp.Expr:
            if isinstance(part, (exp.Filter, exp.Window)):
                raise self.refused("FILTER and OVER read rows, or other groups")
            if isinstance(part, exp.AggFunc):
                return self.aggregate(part)  # type: ignore[arg-type]
            if not isinstance(part, exp.Column) or isinstance(part.this, exp.Star):
                return part
            if not part.table and part.name.casefold() in aliases:
                return part
            if not part.table and not any(
                name.name.casefold() == part.name.casefold() for name in self.scope.names
            ):
                return part  # n_low of the answer, or an error with its own words
            meaning = self.meaning(part)
            if meaning not in self.keys:
                raise row_in_group(self.sources, part)
            return _column(self.keys[meaning], part)

        return node.transform(changed, copy=False)  # type: ignore[return-value]

    def aggregate(self, call: exp.Expression) -> exp.Expression:
        contribution = self.of_groups.get(call.meta.get("start", -1))
        if contribution is None and self.counts_units(call):
            return exp.Count(this=exp.Distinct(expressions=[_column(self.unit().name, None)]))
        if contribution is None:
            raise BadQuery(
                "foreign-aggregate",
                f"{self.sources.text.quoted(call)} has no contribution bounds, beside an aggregate that has",
                why="bounds per group make one row of each unit and group, and all columns are computed from these rows",
                fix=f"{call.sql('duckdb')[:-1]}, contribution_bounds_per_group => (LOW, HIGH)), with bounds of your own",
                place=self.sources.text.place(call),
            )
        inside = call.copy()
        name = inside.sql("duckdb")
        self.values[name] = inside
        value: exp.Expression = _column(name, None)
        if contribution.ends is not None:
            value = _clamped(value, contribution)
        outer = (exp.Avg if isinstance(call, exp.Avg) else exp.Sum)(this=value)
        outer.meta.update(call.meta)
        return outer

    def counts_units(self, call: exp.Expression) -> bool:
        """Whether an aggregate is COUNT(DISTINCT unit)."""
        distinct = call.this if isinstance(call, exp.Count) else None
        operands = distinct.expressions if isinstance(distinct, exp.Distinct) else []
        return len(operands) == 1 and is_unit(self.sources.text, self.scope, operands[0])

    def unnamed(self, node: exp.Expression) -> str:
        """The name of a column without AS: that of the aggregate without its bounds."""
        if isinstance(node, exp.AggFunc):
            if isinstance(node.this, exp.Star):
                return "count_star()"
            return f"{node.key}({self.sources.text.written(node.this)})"
        return node.name if isinstance(node, exp.Column) else self.sources.text.written(node)

    def of_expressions(self, key: exp.Expression, aliases: Mapping[int, str | None]) -> BadQuery:
        """The refusal of a group that is computed; where it is the only one, a sub-query can give it a name."""
        text, why = self.sources.text, "its groups are not columns"
        is_one = isinstance(key, (exp.Func, exp.Binary)) and len(self.select.args["group"].expressions) == 1
        if not is_one or self.select.args.get("joins"):
            return self.refused(why)
        (table,) = text.required(self.select.args["from_"], "this")
        name = sql_name(aliases.get(id(key)) or "grp")
        named = f"FROM (SELECT *, {text.written(key)} AS {name} FROM {text.written(table)}) GROUP BY {name}"
        return self.refused(why, named)

    def refused(self, why: str, fix: str | None = None) -> BadQuery:
        return _elsewhere(next(iter(self.of_groups.values())), why, fix)


def _elsewhere(contribution: Contribution, why: str, fix: str | None = None) -> BadQuery:
    return BadQuery(
        "foreign-aggregate",
        f"contribution bounds in {contribution.function}: not supported here",
        why=f"bounds per group need each unit's result in each group of one SELECT; {why}",
        fix=fix or f"{contribution.of_rows}, which bounds each row's value instead",
        place=contribution.place,
    )


def _clamped(value: exp.Expression, contribution: Contribution) -> exp.Expression:
    assert contribution.ends is not None
    return exp.Anonymous(this="CLAMP", expressions=[value, *map(_number, contribution.ends)])


def _number(written: str) -> exp.Expression:
    literal = exp.Literal.number(written.lstrip("+- "))
    return exp.Neg(this=literal) if written.startswith("-") else literal


def _named(node: exp.Expression, name: str) -> exp.Alias:
    return exp.Alias(this=node, alias=exp.Identifier(this=name, quoted=True))


def _column(name: str, at: exp.Column | None) -> exp.Column:
    """The sub-query's column of a name, at the place of another."""
    identifier = exp.Identifier(this=name, quoted=True)
    if at is not None:
        identifier.meta.update(at.this.meta)
    return exp.Column(this=identifier)


def _qualified(name: Name) -> exp.Column:
    tables = sorted(name.of)[:1]
    table = exp.Identifier(this=tables[0], quoted=True) if tables else None
    return exp.Column(this=exp.Identifier(this=name.name, quoted=True), table=table)
