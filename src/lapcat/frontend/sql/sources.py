"""Translates FROM: tables, joins, sub-queries, WITH and UNION ALL become rows with named columns.

Each form has a rule that bounds the influence of one unit (plan/facts.py), or is refused with the reason and a rewrite:
rows of different people are never joined, and nothing multiplies a person's rows without limit.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce

from sqlglot import exp

from lapcat.errors import BadQuery, Refused
from lapcat.frontend.sql.exists import as_membership
from lapcat.frontend.sql.join_order import is_table, joined
from lapcat.frontend.sql.joins import membership
from lapcat.frontend.sql.lookups import PublicLookup, no_lookup
from lapcat.frontend.sql.per_unit import not_by_unit, per_unit
from lapcat.frontend.sql.scalars import Scalars
from lapcat.frontend.sql.scopes import (
    ColumnMeaning,
    DeclaredColumn,
    Name,
    NameScope,
    SubqueryColumn,
    Visible,
    names_of,
)
from lapcat.frontend.sql.text import Text, flattened
from lapcat.frontend.sql.unions import union
from lapcat.frontend.words import identifier as name_of
from lapcat.plan.blocks import in_declared_blocks
from lapcat.plan.nodes import Filter, Public, Rows, Scan, private_scans
from lapcat.plan.schema import Catalogue, ColumnSpec, PublicTable, Table, Type

_FILE = re.compile(r"(?:[\w.-]+/)*([A-Za-z_]\w*)\.\w+")
"""A path without blanks whose name can be a table's."""


@dataclass(frozen=True, slots=True)
class Cte:
    """A query in WITH, and the names that it may refer to."""

    query: exp.Expression
    known: Mapping[str, Cte]


@dataclass(frozen=True, slots=True)
class TableVersions:
    """The catalogue, and the declared version of each of its tables."""

    catalogue: Catalogue
    scan: Callable[[Table], Scan]
    public: Callable[[PublicTable], Public]
    lookup: PublicLookup = no_lookup


@dataclass(slots=True)
class Sources:
    """Reads the sources of one question."""

    text: Text
    tables: TableVersions
    notes: dict[str, None]
    marks: int = 1
    unread: list[tuple[str, Cte]] = field(default_factory=list)
    """The queries in WITH that are not used yet."""

    # -------------------------------------------------------------------------------------------- SELECT

    def read(self, select: exp.Select, ctes: Mapping[str, Cte]) -> tuple[NameScope, Mapping[str, Cte]]:
        """The rows of FROM, JOIN and WHERE, and the WITH names visible inside this SELECT."""
        inner = self.with_names(select, ctes)
        from_ = select.args.get("from_")
        if from_ is None:
            tables = [name_of(name) for name in self.tables.catalogue.tables]
            fix = f"FROM {tables[0]}" if len(tables) == 1 else f"add FROM and one of: {', '.join(tables)}"
            raise BadQuery("no-table", "the question names no table", fix=fix, place=self.text.place(select))
        (node,) = self.text.consume(from_, "this")
        assert isinstance(node, exp.Expression)
        joins = [*(node.args.get("joins") or []), *(select.args.get("joins") or [])]
        where = select.args.get("where")
        condition = None if where is None else self.text.consume(where, "this")[0]
        parts = list(flattened(condition, exp.And)) if isinstance(condition, exp.Expression) else []
        scope, rest = joined(self, node, joins, inner, parts)
        for part in parts:  # a condition that a join took from WHERE keeps its meaning in WHERE
            for column in part.find_all(exp.Column) if part not in rest else ():
                scope.find(self.text, column)
        if isinstance(condition, exp.Expression) and rest:
            whole: exp.Expression = condition
            if rest != parts:
                whole = reduce(lambda left, right: exp.And(this=left, expression=right), rest)
            scope = self.where(scope, whole, inner)
        return scope, inner

    def with_names(self, select: exp.Expression, ctes: Mapping[str, Cte]) -> Mapping[str, Cte]:
        with_ = select.args.get("with_")
        if with_ is None:
            return ctes
        recursive, expressions = self.text.consume(with_, "recursive", "expressions")
        visible = dict(ctes)
        assert isinstance(expressions, list)
        names = {cte.alias.casefold() for cte in expressions}
        for number, cte in enumerate(expressions if recursive else []):
            before = {other.alias.casefold() for other in expressions[:number]}
            reads = {table.name.casefold() for table in cte.find_all(exp.Table)}
            if reads & (names - before):  # otherwise RECURSIVE changes nothing
                raise self.text.unsupported(with_, "WITH RECURSIVE", "WITH, without recursion")
        for number, cte in enumerate(expressions):
            query, alias, _ = self.text.consume(cte, "this", "alias", "materialized")
            assert isinstance(alias, exp.TableAlias) and isinstance(query, exp.Expression)
            (identifier,) = self.text.consume(alias, "this")
            assert isinstance(identifier, exp.Identifier)
            if any(c.alias.casefold() == identifier.name.casefold() for c in expressions[:number]):
                raise BadQuery(
                    "name-taken",
                    f"two queries in WITH are named {identifier.name!r}",
                    fix=f"rename one: {name_of(identifier.name + '_2')} AS (…)",
                    place=self.text.place(cte),
                )
            named = Cte(query, dict(visible))
            visible[identifier.name.casefold()] = named
            self.unread.append((identifier.name, named))
        return visible

    def require_all_read(self) -> None:
        """Refuses queries in WITH that are never used."""
        for name, cte in self.unread:
            raise BadQuery(
                "with-unused",
                f"{name} in WITH is not used",
                why="a query that is not used is not checked",
                fix=f"leave {name} out, or read it: FROM {name}",
                place=self.text.place(cte.query),
            )

    def where(self, scope: NameScope, condition: exp.Expression, ctes: Mapping[str, Cte]) -> NameScope:
        """The rows for which the condition holds; `person IN (SELECT person FROM …)` becomes a join on the unit."""
        rest: list[exp.Expression] = []
        for part in flattened(condition, exp.And):
            inside = part.this if isinstance(part, exp.Not) else part
            exists = isinstance(inside, exp.Exists)
            if isinstance(inside, exp.Exists):
                inside = as_membership(inside) or inside
            if isinstance(inside, exp.In) and inside.args.get("query") is not None:
                scope = membership(
                    self, scope, inside, ctes, negated=isinstance(part, exp.Not), keeps_null=exists
                )
            else:
                rest.append(part)
        if not rest:
            return scope
        whole: exp.Expression = rest[0] if len(rest) == 1 else condition
        if len(rest) > 1 and len(rest) != len(list(flattened(condition, exp.And))):
            whole = reduce(lambda left, right: exp.And(this=left, expression=right), rest)
        if isinstance(scope.rows, Public):
            return replace(scope, only=(*scope.only, self.scalars(scope).predicate(whole)))
        return replace(
            scope, rows=Filter(self.private(scope, condition), self.scalars(scope).predicate(whole))
        )

    def scalars(self, scope: NameScope) -> Scalars:
        return Scalars(self.text, scope, self.notes)

    def private(self, scope: NameScope, node: exp.Expression) -> Rows:
        """The rows of a scope, which must be private."""
        if isinstance(scope.rows, Public):
            raise BadQuery(
                "public-table",
                f"{scope.rows.table} is a public table: a question about it alone needs no lapcat",
                fix=f"open it directly, or join it to a private table: JOIN {name_of(scope.rows.table)} ON …",
                place=self.text.place(node),
            )
        return scope.rows

    # -------------------------------------------------------------------------------------------- one source

    def source(self, node: exp.Expression, ctes: Mapping[str, Cte]) -> NameScope:
        if isinstance(node, exp.Subquery):
            query, alias, _ = self.text.consume(node, "this", "alias", "joins")
            assert isinstance(query, exp.Expression)
            if is_table(query):  # a join in parentheses
                scope, _ = joined(self, query, query.args.get("joins") or [], ctes, [])
            else:
                scope = self.query(query, ctes)
            return scope.renamed(self.alias(alias)) if alias is not None else scope
        if not isinstance(node, exp.Table):
            raise self.text.unsupported(node, f"{self.in_from(node)} in FROM", f"FROM one of: {self.known()}")
        identifier, alias, _ = self.text.consume(node, "this", "alias", "joins")
        if not isinstance(identifier, exp.Identifier):
            raise self.text.unsupported(node, "a function as a table", self.instead_of_a_function(identifier))
        scope = self.named(identifier, ctes)
        return scope.renamed(self.alias(alias)) if alias is not None else scope

    def instead_of_a_function(self, function: object) -> str:
        """The declared tables; of read_csv('visits.csv') also how the steward declares the file."""
        path = function.find(exp.Literal) if isinstance(function, exp.Expression) else None
        file = _FILE.fullmatch(path.name) if path is not None and path.is_string else None
        if file is None or self.text.declaring.in_python:
            return f"FROM one of: {self.known()}"
        return f"the steward declares the file: lapcat init {file[0]}; then FROM {file[1]}; or FROM one of: {self.known()}"

    def in_from(self, node: exp.Expression) -> str:
        """A source that is not a table, as the analyst wrote it."""
        if isinstance(node, exp.Values):
            return "VALUES"
        return "LATERAL" if isinstance(node, exp.Lateral) else self.text.quoted(node)

    def alias(self, alias: object) -> str:
        assert isinstance(alias, exp.TableAlias)
        (identifier,) = self.text.consume(alias, "this")
        return identifier.name if isinstance(identifier, exp.Identifier) else ""

    def known(self) -> str:
        return ", ".join(name_of(name) for name in self.tables.catalogue.tables)

    def named(self, identifier: exp.Identifier, ctes: Mapping[str, Cte]) -> NameScope:
        name = identifier.name
        cte = ctes.get(name.casefold())
        if cte is not None:
            self.unread = [(called, other) for called, other in self.unread if other is not cte]
            return self.query(cte.query, cte.known).renamed(name)
        catalogue = self.tables.catalogue
        by_name = {t.casefold(): t for t in (*catalogue.tables, *catalogue.public)}
        if name.casefold() not in by_name:
            close = difflib.get_close_matches(name, list(catalogue.tables), 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise BadQuery(
                "unknown-table",
                f"no table {name!r}{hint}",
                fix=f"FROM {name_of(close[0])}" if close else f"one of: {self.known()}",
                place=self.text.place(identifier),
            )
        declared = by_name[name.casefold()]
        if declared in catalogue.public:
            public = catalogue.public[declared]
            read = declared in catalogue.read
            columns = [
                (n, DeclaredColumn(spec, n, declared, is_read=read)) for n, spec in public.columns.items()
            ]
            return NameScope(self.tables.public(public), names_of(columns, declared))
        table = catalogue.tables[declared]
        own: list[tuple[str, Visible]] = [
            (n, self.declared(table, spec)) for n, spec in table.columns.items()
        ]
        unit = table.unit.column
        if unit is not None and table.unit.through is None and unit not in table.columns:
            own.append(
                (unit, DeclaredColumn(ColumnSpec(unit, Type.TEXT), unit, declared, True, is_opaque=True))
            )
        scan = self.tables.scan(table)
        if table.blocks is None:
            return NameScope(scan, names_of(own, declared))
        self.notes[
            f"rows of {declared} whose {table.blocks.column} is not declared are left out ({self.text.declaring.place})"
        ] = None
        return NameScope(in_declared_blocks(scan, table.blocks), names_of(own, declared))

    def declared(self, table: Table, spec: ColumnSpec) -> DeclaredColumn:
        mine = spec.name == table.unit.column
        return DeclaredColumn(
            spec,
            spec.name,
            table.name,
            is_unit=mine and table.unit.through is None,
            is_key_to=table.unit.through if mine else None,
        )

    # -------------------------------------------------------------------------------------------- sub-queries

    def query(self, query: exp.Expression, ctes: Mapping[str, Cte]) -> NameScope:
        """A sub-query: a projection, one row for each unit, or a UNION ALL."""
        self.text.spend(100)
        while isinstance(query, (exp.Subquery, exp.Paren)) and not query.args.get("alias"):
            (query,) = self.text.consume(query, "this")  # type: ignore[assignment]
        if isinstance(query, exp.SetOperation):
            return union(self, query, ctes)
        if not isinstance(query, exp.Select):
            raise self.text.unsupported(
                query, f"{self.in_from(query)} in FROM", f"FROM one of: {self.known()}"
            )
        known = (
            "expressions",
            "from_",
            "joins",
            "where",
            "group",
            "having",
            "distinct",
            "with_",
        )
        self.text.consume(query, *known)
        scope, _inner = self.read(query, ctes)
        if query.args.get("group") is not None or query.args.get("distinct") is not None:
            return per_unit(self, query, scope)
        if any(item.find(exp.AggFunc) for item in query.expressions):
            raise not_by_unit(self, query, scope)
        if query.args.get("having") is not None:
            raise self.text.unsupported(query.args["having"], "HAVING without GROUP BY", "WHERE")
        scalars = self.scalars(scope)
        names: list[tuple[str, Visible]] = []
        for item in query.expressions:
            names += self.selected(item, scope, scalars)
        return replace(scope, names=self.distinct_names(query, names))

    def selected(self, item: exp.Expression, scope: NameScope, scalars: Scalars) -> list[tuple[str, Visible]]:
        """The columns of one item of a sub-query's SELECT."""
        if isinstance(item, exp.Star):
            self.text.consume(item)
            return [(name.name, name.means) for name in scope.names]
        if isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
            _, table = self.text.consume(item, "this", "table")
            self.text.consume(item.this)
            assert isinstance(table, exp.Identifier)
            of = table.name.casefold()
            return [(name.name, name.means) for name in scope.names if of in name.of]
        alias, node = self.item(item)
        if isinstance(node, exp.Column):
            column = scope.find(self.text, node)
            return [(alias or column.name, column.means)]
        if isinstance(node, (exp.Subquery, exp.Window)) or node.find(exp.Window, exp.Subquery):
            raise self.text.unsupported(
                node, "a window function or a sub-query as a value", "GROUP BY the unit"
            )
        scalars.scalar(node, ColumnMeaning.RAW)  # refuses now what cannot be translated
        computed = SubqueryColumn(lambda mode: scalars.scalar(node, mode), scope=scope)
        return [(alias or self.text.written(node), computed)]

    def item(self, item: exp.Expression) -> tuple[str | None, exp.Expression]:
        if isinstance(item, exp.Alias):
            this, alias = self.text.consume(item, "this", "alias")
            if not isinstance(this, exp.Expression) or not isinstance(alias, exp.Identifier):
                raise self.text.missing(item)
            return alias.name, this
        return None, item

    def distinct_names(self, node: exp.Expression, names: list[tuple[str, Visible]]) -> tuple[Name, ...]:
        casefolded = [name.casefold() for name, _ in names]
        for name, _ in names:
            if casefolded.count(name.casefold()) > 1:
                raise BadQuery(
                    "name-taken",
                    f"two columns of a sub-query are named {name!r}",
                    fix=f"rename one: … AS {name_of(name + '_2')}",
                    place=self.text.place(node),
                )
        return names_of(names)

    # -------------------------------------------------------------------------------------------- whose rows

    def same_people(self, node: exp.Expression, parts: list[Rows]) -> None:
        scans = [scan for rows in parts for scan in private_scans(rows)]
        if len({scan.relation for scan in scans}) > 1:
            raise Refused(
                "relations-differ",
                "the tables have different neighbouring relations",
                why="a guarantee under one relation does not follow from one under the other",
                fix=self.added_up(node) or "ask one table at a time",
                place=self.text.place(node),
            )
        if len({scan.population for scan in scans}) > 1 and not all(scan.unit.is_row for scan in scans):
            raise self.strangers(node, scans)

    def strangers(self, node: exp.Expression, scans: list[Scan], then: str = "") -> Refused:
        left, right = scans[0], next(s for s in scans if s.population != scans[0].population)
        of = left.unit.of or right.unit.of or "people"
        lines = [_of_population(scan, of) for scan in (left, right) if scan.unit.of != of]
        if of not in self.tables.catalogue.populations:
            lines.append(f"budget = {{ epsilon = 1 }} under [populations.{of}]")
        return Refused(
            "different-people",
            f"{left.table} and {right.table} are about different people",
            why=f"one unit of {right.table} could affect the rows of many units of {left.table}",
            fix=f"{self.added_up(node) or 'ask one of them'}; or, if they are the same people, the steward declares it: {', and '.join(lines)}{then}",
            place=self.text.place(node),
        )

    def added_up(self, node: exp.Expression) -> str:
        """The parts of a UNION ALL as questions whose answers add up; empty where they do not."""
        whole = node.root()
        if not isinstance(node, exp.Union) or not isinstance(whole, exp.Select):
            return ""
        calls = [call for call in whole.find_all(exp.AggFunc) if call.parent_select is whole]
        counts = all(
            isinstance(call, (exp.Count, exp.Sum)) and not isinstance(call.this, exp.Distinct)
            for call in calls
        )
        parts = self.text.parts_of_union(node) if counts else []
        return f"ask each part by itself, and add up the answers: {'; then '.join(parts)}" if parts else ""

    def note(self, sentence: str) -> None:
        self.notes[sentence] = None


def _of_population(scan: Scan, of: str) -> str:
    """The catalogue line that assigns a table's units to a population."""
    rows = "rows_per_unit = … and " if scan.unit.is_row else ""
    column = scan.unit.column or "…"
    return f'{rows}unit = {{ column = "{column}", of = "{of}" }} under [tables.{scan.table}]'
