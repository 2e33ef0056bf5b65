"""One SELECT becomes the question it asks: which rows, which groups, which aggregates."""

from __future__ import annotations

import datetime
import difflib
from collections.abc import Callable, Mapping
from dataclasses import replace

from sqlglot import exp

from lapcat.errors import BadQuery, Refused
from lapcat.frontend.sql.scalars import Scalars
from lapcat.frontend.sql.text import Text
from lapcat.plan.aggregates import AGGREGATES, Aggregate, Argument
from lapcat.plan.compile import Asked, KeyColumn, ValueColumn
from lapcat.plan.expressions import Case, Column, Expression, Literal, range_of
from lapcat.plan.nodes import Bound, Filter, Key, Rows, Scan
from lapcat.plan.schema import (
    Catalogue,
    ColumnSpec,
    Dates,
    Interval,
    ListedKeys,
    PrivateKeys,
    RangeKeys,
    Table,
    Type,
    Value,
)

MOST_CELLS = 2**24
"""More groups than this are refused: their noise alone would fill gigabytes."""
_NAMES: Mapping[str, Aggregate] = {aggregate.name: aggregate for aggregate in AGGREGATES}


def understand(text: str, catalogue: Catalogue, scan: Callable[[Table], Scan]) -> Asked:
    """The question that the text asks of the catalogue's tables; `scan` gives a table's declared version."""
    source = Text(text)
    try:
        return _Statement(source, catalogue, scan).asked()
    except RecursionError:
        raise BadQuery("too-deep", "the question is nested too deep", fix="write it flatter") from None


class _Statement:
    def __init__(self, text: Text, catalogue: Catalogue, scan: Callable[[Table], Scan]) -> None:
        self.text, self.catalogue = text, catalogue
        select = text.parse()
        clauses = dict(select.args)
        from_ = clauses.pop("from_", None) or clauses.pop("from", None)
        self.refuse_clauses(select)
        self.select, self.where, self.group = (
            select.expressions,
            select.args.get("where"),
            select.args.get("group"),
        )
        self.table, names = self.named_table(select, from_)
        self.scalars = Scalars(text, self.table, names)
        self.scan = scan(self.table)

    def refuse_clauses(self, select: exp.Select) -> None:
        """Whatever is not SELECT, FROM, WHERE and GROUP BY has no rule here."""
        rewrites = {
            "order": "leave it out; rows come in the order of the declared keys, and sorting the answer is free",
            "limit": "leave it out; cutting the answer is free",
            "having": "leave it out; filtering the answer is free",
            "distinct": "GROUP BY the column",
            "joins": "ask one table at a time",
            "with_": "write it as one SELECT from one table",
            "with": "write it as one SELECT from one table",
        }
        names = {"order": "ORDER BY", "joins": "JOIN", "with_": "WITH", "with": "WITH", "laterals": "LATERAL"}
        for key, value in select.args.items():
            if key in ("expressions", "from", "from_", "where", "group") or value in (None, False, []):
                continue
            node = value[0] if isinstance(value, list) else value
            node = node if isinstance(node, exp.Expression) else select
            what = names.get(key, key.rstrip("_").upper())
            raise self.text.unsupported(node, what, rewrites.get(key, "leave it out"))

    def named_table(self, select: exp.Select, from_: exp.Expression | None) -> tuple[Table, frozenset[str]]:
        known = ", ".join(self.catalogue.tables)
        if from_ is None:
            raise BadQuery(
                "no-table",
                "the question names no table",
                fix=f"SELECT COUNT(*) FROM {next(iter(self.catalogue.tables), 'table')}",
            )
        (node,) = self.text.consume(from_, "this")
        if not isinstance(node, exp.Table):
            assert isinstance(node, exp.Expression)
            raise self.text.unsupported(node, "a sub-query in FROM", f"FROM one of: {known}")
        if node.args.get("joins"):
            raise self.text.unsupported(node.args["joins"][0], "JOIN", "ask one table at a time")
        identifier, alias = self.text.consume(node, "this", "alias")
        if not isinstance(identifier, exp.Identifier):
            raise self.text.unsupported(node, "a function as a table", f"FROM one of: {known}")
        name = identifier.name
        names = {name.casefold()}
        if isinstance(alias, exp.TableAlias):
            (short,) = self.text.consume(alias, "this")
            names.add(getattr(short, "name", "").casefold())
        folded = {table.casefold(): table for table in self.catalogue.tables}
        if name.casefold() in folded:
            return self.catalogue.tables[folded[name.casefold()]], frozenset(names)
        place = self.text.place(identifier)
        if name.casefold() in {public.casefold() for public in self.catalogue.public}:
            raise BadQuery(
                "public-table",
                f"{name} is public: it needs no lapcat by itself",
                fix="open it directly",
                place=place,
            )
        close = difflib.get_close_matches(name, list(self.catalogue.tables), 1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise BadQuery(
            "unknown-table",
            f"no table {name!r}{hint}",
            fix=f"FROM {close[0]}" if close else f"one of: {known}",
            place=place,
        )

    # -------------------------------------------------------------------------------------------- the question

    def asked(self) -> Asked:
        rows: Rows = self.scan
        notes: list[str] = []
        if not self.table.unit.is_row:
            rows = Bound(self.scan, self.table.rows_per_unit)
            most = self.table.rows_per_unit
            kept = "one row" if most == 1 else f"at most {most} rows"
            notes.append(f"of each {self.table.unit} {kept} may count (lapcat.toml)")
            notes.append(f"rows without a {self.table.unit} are dropped")
        if self.where is not None:
            rows = Filter(rows, self.scalars.predicate(self.text.consume(self.where, "this")[0]))  # type: ignore[arg-type]
        items = [self.item(node) for node in self.select]
        keys, groups = self.keys(items)
        columns: list[KeyColumn | ValueColumn] = []
        for name, node in items:
            aggregate = self.aggregate(name, node)
            columns.append(aggregate if aggregate is not None else self.key_column(name, node, groups))
        if not any(isinstance(column, ValueColumn) for column in columns):
            raise self.row_level(self.select[0])
        self.check_names(columns)
        keys = tuple(replace(key, name=self.key_name(index, key, columns)) for index, key in enumerate(keys))
        return Asked(rows, keys, tuple(columns), (*notes, *self.scalars.notes))

    def item(self, node: exp.Expression) -> tuple[str | None, exp.Expression]:
        if isinstance(node, exp.Alias):
            this, alias = self.text.consume(node, "this", "alias")
            assert isinstance(this, exp.Expression) and isinstance(alias, exp.Identifier)
            return alias.name, this
        return None, node

    # -------------------------------------------------------------------------------------------- groups

    def keys(
        self, items: list[tuple[str | None, exp.Expression]]
    ) -> tuple[tuple[Key, ...], list[Expression]]:
        if self.group is None:
            return (), []
        (nodes,) = self.text.consume(self.group, "expressions")
        assert isinstance(nodes, list)
        keys: list[Key] = []
        for node in nodes:
            meant = self.referred(node, items)
            expression = self.scalars.key(meant)
            if expression not in [key.expression for key in keys]:
                keys.append(self.domain(meant, expression))
        cells = 1
        for key in keys:
            cells *= key.size
        if cells > MOST_CELLS:
            raise Refused(
                "too-many-groups",
                f"the declared keys make {cells} groups, more than {MOST_CELLS}",
                why="every declared group gets its own noise, whether or not anybody is in it",
                fix="group by fewer columns, or by wider buckets: FLOOR(x / 100)",
                place=self.text.place(self.group),
            )
        return tuple(keys), [key.expression for key in keys]

    def referred(
        self, node: exp.Expression, items: list[tuple[str | None, exp.Expression]]
    ) -> exp.Expression:
        """What GROUP BY 1, or GROUP BY alias, stands for."""
        if isinstance(node, exp.Literal) and not node.args.get("is_string"):
            position = int(node.this) if str(node.this).isdigit() else 0
            if not 1 <= position <= len(items):
                raise BadQuery(
                    "group-position",
                    f"there is no column {node.this} to group by",
                    fix="GROUP BY 1",
                    place=self.text.place(node),
                )
            return items[position - 1][1]
        if (
            isinstance(node, exp.Column)
            and not node.table
            and node.name.casefold() not in self.scalars.columns
        ):
            for name, meant in items:
                if name is not None and name.casefold() == node.name.casefold():
                    return meant
        return node

    def domain(self, node: exp.Expression, expression: Expression) -> Key:
        """The public values of a grouping expression; without them a group's presence would tell on somebody."""
        written = self.text.written(node)
        if isinstance(expression, Column):
            spec = self.table.columns[expression.name]
            values = _declared(spec)
            if values is None:
                raise self.keys_missing(node, spec)
            other = isinstance(spec.keys, ListedKeys) and spec.keys.other
            if not other:
                self.scalars.note(
                    f"rows whose {spec.name} is not a declared key belong to no group (lapcat.toml)"
                )
            return Key(written, expression, values, other)
        if expression.type is Type.BOOLEAN:
            return Key(written, expression, (False, True))
        reach = range_of(expression)
        if expression.type is Type.INTEGER and reach.bounded and reach.fits_integer:
            return Key(written, expression, range(int(reach.low), int(reach.high) + 1))
        listed = _constants(expression)
        if listed is not None and expression.type is not Type.FLOAT:
            return Key(written, expression, listed)
        raise Refused(
            "keys-missing",
            f"the groups of {written} are not public",
            why="a group that appears only because one person is in it would tell on them",
            fix="group by a column with declared keys, by FLOOR(x / 10) of a column with declared bounds, "
            "or by CASE with constant values",
            place=self.text.place(node),
        )

    def keys_missing(self, node: exp.Expression, spec: ColumnSpec) -> Refused:
        if isinstance(spec.keys, PrivateKeys):
            return Refused(
                "private-keys",
                f"the keys of {spec.name} are private",
                why="private groups need a threshold, which this version does not have",
                fix=f'the steward may list them: {spec.name} = {{ type = "{spec.type}", keys = ["…"] }}',
                place=self.text.place(node),
            )
        declare = 'keys = ["…"]' if spec.type is Type.TEXT else "low = 0, high = 100"
        rewrite = (
            f"FLOOR(CLAMP({spec.name}, 0, 100) / 10) in the question, or " if spec.type.is_number else ""
        )
        if spec.type is Type.FLOAT and isinstance(spec.bounds, Interval):
            rewrite, declare = f"FLOOR({spec.name} / 10) in the question, or ", "keys = { from = 0, to = 99 }"
        return Refused(
            "keys-missing",
            f"GROUP BY {spec.name} needs public keys for {spec.name}",
            why="a group that appears only because one person is in it would tell on them",
            fix=f'{rewrite}{spec.name} = {{ type = "{spec.type}", {declare} }} under [tables.{self.table.name}.columns]',
            place=self.text.place(node),
        )

    def key_column(self, name: str | None, node: exp.Expression, groups: list[Expression]) -> KeyColumn:
        if isinstance(node, (exp.Star, exp.Subquery)) or node.find(exp.AggFunc, exp.Window, exp.Star):
            if isinstance(node, exp.Window) or node.find(exp.Window):
                raise self.text.unsupported(node, "a window function", "GROUP BY the column")
            if node.find(exp.AggFunc) and not isinstance(node, exp.AggFunc):
                raise self.text.unsupported(
                    node, "arithmetic over aggregates", "select the aggregates; compute with the answer"
                )
            raise self.row_level(node)
        expression = self.scalars.key(node)
        if expression not in groups:
            raise self.row_level(node)
        return KeyColumn(name or self.text.written(node), groups.index(expression))

    def row_level(self, node: exp.Expression) -> Refused:
        return Refused(
            "row-level",
            f"{self.text.written(node)} would show single rows",
            why="only aggregates leave; a row is somebody",
            fix=f"SELECT COUNT(*) AS n FROM {self.table.name}",
            place=self.text.place(node),
        )

    def key_name(self, index: int, key: Key, columns: list[KeyColumn | ValueColumn]) -> str:
        for column in columns:
            if isinstance(column, KeyColumn) and column.key == index:
                return column.name
        return key.name

    # -------------------------------------------------------------------------------------------- aggregates

    def aggregate(self, name: str | None, node: exp.Expression) -> ValueColumn | None:
        condition, shown = None, ""
        if isinstance(node, exp.Filter):
            inner, where = self.text.consume(node, "this", "expression")
            assert isinstance(inner, exp.Expression) and isinstance(where, exp.Where)
            (test,) = self.text.consume(where, "this")
            condition = self.scalars.predicate(test)  # type: ignore[arg-type]
            shown = self.text.written(test)  # type: ignore[arg-type]
            node = inner
        if not isinstance(node, exp.AggFunc):
            if condition is not None:
                raise self.text.unsupported(
                    node, "FILTER on something that is no aggregate", "COUNT(*) FILTER (WHERE …)"
                )
            return None
        aggregate = _NAMES.get(node.key)
        if aggregate is None:
            raise BadQuery(
                "unknown-aggregate",
                f"{node.sql_name()} is not an aggregate that lapcat has",
                fix=f"one of: {', '.join(a.name.upper() for a in AGGREGATES)}",
                place=self.text.place(node),
            )
        (this,) = self.text.consume(node, "this")
        assert isinstance(this, exp.Expression)
        if isinstance(this, exp.Distinct):
            raise self.text.unsupported(
                node, "DISTINCT inside an aggregate", f"{node.sql_name()} without DISTINCT"
            )
        if aggregate.name == "count" and isinstance(this, (exp.Star, exp.Literal)):
            self.text.consume(this, "this")
            argument, unnamed = Argument("*", None, condition, None, shown), "count_star()"
        else:
            value, written = self.scalars.value(this), self.text.written(this)
            if aggregate.needs_bounds:
                self.require_bounds(node, this, value)
            argument, unnamed = (
                Argument(written, value, condition, None, shown),
                f"{aggregate.name}({written})",
            )
        return ValueColumn(
            name or unnamed + (f" FILTER (WHERE {shown})" if shown else ""), aggregate, argument
        )

    def require_bounds(self, node: exp.Expression, this: exp.Expression, value: Expression) -> None:
        written = self.text.written(this)
        if not value.type.is_number:
            raise self.scalars.mismatch(this, f"{node.sql_name()} takes a number", f"a {value.type}")
        reach = range_of(value)
        if reach.bounded and max(abs(reach.low), abs(reach.high)) <= 2**62:
            return
        columns = [column.name for column in this.find_all(exp.Column)]
        name = columns[0] if columns else written
        raise Refused(
            "bounds-missing",
            f"{node.sql_name()}({written}) needs bounds for {written}",
            why=f"without bounds, one person could move the {node.key} without limit",
            fix=f"CLAMP({written}, 0, 200000) in the question, or "
            f"{name} = {{ low = 0, high = 200000 }} under [tables.{self.table.name}.columns]",
            place=self.text.place(node),
        )

    def check_names(self, columns: list[KeyColumn | ValueColumn]) -> None:
        taken: dict[str, str] = {}
        for column in columns:
            names = [column.name]
            if isinstance(column, ValueColumn):
                names += [f"{column.name}_low", f"{column.name}_high"]
            for name in names:
                if name in taken:
                    raise BadQuery(
                        "name-taken",
                        f"two columns of the answer would be called {name!r}",
                        fix=f"give them names of their own: … AS {column.name.split('(')[0]}_2",
                    )
                taken[name] = column.name


def _declared(spec: ColumnSpec) -> tuple[Value, ...] | range | None:
    """The public values of a column: its keys, or all whole numbers or days within its bounds."""
    match spec.keys:
        case ListedKeys(values, _):
            return values
        case RangeKeys(low, high):
            return range(low, high + 1)
        case PrivateKeys():
            return None
    match spec.type, spec.bounds:
        case Type.BOOLEAN, _:
            return (False, True)
        case Type.INTEGER, Interval(low, high):
            return range(int(low), int(high) + 1)
        case Type.DATE, Dates(first, last):
            return tuple(first + datetime.timedelta(days=day) for day in range((last - first).days + 1))
    return None


def _constants(expression: Expression) -> tuple[Value, ...] | None:
    """The finitely many values of a CASE with constant results, in the order in which they are written."""
    if isinstance(expression, Literal):
        return (expression.value,)
    if not isinstance(expression, Case):
        return None
    found: dict[Value, None] = {}
    for branch in (*(value for _, value in expression.whens), expression.otherwise):
        values = _constants(branch) if branch is not None else ()
        if values is None:
            return None
        found.update(dict.fromkeys(values))
    return tuple(found)
