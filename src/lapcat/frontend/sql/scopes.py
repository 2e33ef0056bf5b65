"""Name resolution: the columns of a question's tables, joins and sub-queries.

A column of a table carries its declaration in the catalogue. A column that a sub-query computes is kept unevaluated and
translated anew wherever it is used: it means different things in a condition, in a sum and in a group (scalars.py).
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from fractions import Fraction

from sqlglot import exp

from lapcat.errors import BadQuery
from lapcat.frontend.sql.text import Text
from lapcat.frontend.words import identifier as sql_name
from lapcat.plan.expressions import Column, Expression
from lapcat.plan.nodes import Public, Rows
from lapcat.plan.schema import ColumnSpec
from lapcat.plan.words import sql_text, toml_key


class ColumnMeaning(StrEnum):
    """How a column is read, depending on where it is used."""

    RAW = "raw"  # in conditions: the stored value
    VALUE = "value"  # in sums: clamped to its declared bounds, NULLs replaced where the catalogue says so
    KEY = "key"  # in groups: NULL outside its declared bounds, and so in no group


@dataclass(frozen=True, slots=True)
class DeclaredColumn:
    """A column of a table, or of a per-unit sub-query."""

    spec: ColumnSpec
    column: str
    """Its name in the plan."""
    table: str
    is_unit: bool = False
    """Whether it is the unit column."""
    is_key_to: tuple[str, str] | None = None
    """The table and unique column that it refers to, if the row's unit is reached through it."""
    is_opaque: bool = False
    """An undeclared unit column: units can be joined, counted and grouped by, but their values are never read."""
    usual: tuple[Fraction, Fraction] | None = None
    """For a per-unit aggregate: its range over rows_per_unit rows. It is suggested in errors, not relied on."""
    is_read: bool = False
    """Whether its bounds and keys were read from a public table, so that they exclude none of its rows."""

    def marked(self, mark: str) -> DeclaredColumn:
        return replace(self, column=self.column + mark)


@dataclass(frozen=True, slots=True)
class SubqueryColumn:
    """A column that a sub-query computes."""

    read: Callable[[ColumnMeaning], Expression]
    mark: str = ""
    scope: NameScope | None = field(default=None, compare=False)
    """The columns that it is computed from."""

    def marked(self, mark: str) -> SubqueryColumn:
        return replace(self, mark=self.mark + mark)

    def expression(self, mode: ColumnMeaning) -> Expression:
        return marked(self.read(mode), self.mark) if self.mark else self.read(mode)


Visible = DeclaredColumn | SubqueryColumn


def marked(expression: Expression, mark: str) -> Expression:
    """The expression with its columns renamed for a join's right side."""
    if isinstance(expression, Column):
        return replace(expression, name=expression.name + mark)

    def inside(value: object) -> object:
        if isinstance(value, Expression):
            return marked(value, mark)
        return tuple(inside(item) for item in value) if isinstance(value, tuple) else value

    changes = {f.name: inside(getattr(expression, f.name)) for f in fields(expression)}
    return replace(expression, **changes)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Name:
    """A visible column: referred to by its name alone, or qualified by the name of a source."""

    name: str
    of: frozenset[str]
    means: Visible


@dataclass(frozen=True, slots=True)
class NameScope:
    """Rows and the names of their columns."""

    rows: Rows | Public
    names: tuple[Name, ...]
    only: tuple[Expression, ...] = ()
    """Of a public table: the conditions of the sub-query that it is read by; a join compares them with TRUE."""

    def renamed(self, alias: str) -> NameScope:
        """The same rows under an alias."""
        of = frozenset({alias.casefold()})
        return replace(self, names=tuple(replace(name, of=of) for name in self.names))

    def has(self, called: str) -> bool:
        """Whether an unqualified name refers to exactly one column."""
        return len({name.means for name in self.names if name.name.casefold() == called.casefold()}) == 1

    def find(self, text: Text, node: exp.Column) -> Name:
        """The column that a node refers to, or an error that names the known ones."""
        identifier, table = text.consume(node, "this", "table")
        if not isinstance(identifier, exp.Identifier):
            raise text.unsupported(node, "* outside COUNT(*)", "COUNT(*)")
        called = identifier.name.casefold()
        own_name = table.name if isinstance(table, exp.Identifier) else None
        own = None if own_name is None else own_name.casefold()
        if own is not None and not any(own in name.of for name in self.names):
            raise BadQuery(
                "unknown-table",
                f"{own_name!r} is not a table of this question",
                fix=f"leave the table out: {sql_name(identifier.name)}"
                if any(name.name.casefold() == called for name in self.names)
                else f"add {own_name} to FROM, or take a column of this question: "
                + ", ".join(sql_name(name.name) for name in self.names),
                place=text.place(node),
            )
        matches = [n for n in self.names if n.name.casefold() == called and (own is None or own in n.of)]
        different = {name.means for name in matches}
        if len(different) == 1:
            return matches[0]
        if different:
            sides = sorted(min(name.of) for name in matches)
            raise BadQuery(
                "column-ambiguous",
                f"{identifier.name!r} is a column of {' and of '.join(sides)}",
                fix=f"{sides[0]}.{identifier.name}",
                place=text.place(node),
            )
        raise self._unknown(text, node, identifier)

    def _unknown(self, text: Text, node: exp.Column, identifier: exp.Identifier) -> BadQuery:
        called = identifier.name
        tables = list(dict.fromkeys(n.means.table for n in self.names if isinstance(n.means, DeclaredColumn)))
        where = " or ".join(tables) or "the sub-query"
        close = difflib.get_close_matches(called, [name.name for name in self.names], 1)
        hint = f"; did you mean {sql_name(close[0])}?" if close else ""
        fixes = [f"use {sql_name(close[0])}"] if close else []
        if identifier.args.get("quoted") and not close:
            fixes.append(
                f"{sql_text(called)} if it is a text: texts are in single quotes, columns in double quotes"
            )
        if tables and not text.declaring.in_python:
            line = f"{toml_key(called)} = {{}} under [tables.{tables[0]}.columns]"
            fixes.append(f"the steward may declare it: {line}")
        return BadQuery(
            "unknown-column",
            f"no column {called!r} is declared in {where}{hint}",
            why="" if text.declaring.in_python else "a column that the catalogue does not declare is private",
            fix="; or ".join(fixes) or f"one of: {', '.join(sql_name(n.name) for n in self.names)}",
            place=text.place(node),
        )

    def declared(self, column: str) -> DeclaredColumn | None:
        """The declaration of a column of the plan."""
        for name in self.names:
            if isinstance(name.means, DeclaredColumn) and name.means.column == column:
                return name.means
        return None

    def declared_inside(self, column: str) -> DeclaredColumn | None:
        """The same, also for a column from which a sub-query computes one of these."""
        inner = [name.means for name in self.names if isinstance(name.means, SubqueryColumn)]
        declarations = (
            means.scope.declared_inside(column.removesuffix(means.mark))
            for means in inner
            if means.scope is not None and column.endswith(means.mark)
        )
        return self.declared(column) or next((each for each in declarations if each is not None), None)


def names_of(columns: Iterable[tuple[str, Visible]], *of: str) -> tuple[Name, ...]:
    called = frozenset(name.casefold() for name in of)
    return tuple(Name(name, called, means) for name, means in columns)


def is_unit(text: Text, scope: NameScope, node: exp.Expression) -> bool:
    """Whether an expression is the unit column."""
    if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
        return False
    means = scope.find(text, node).means
    return isinstance(means, DeclaredColumn) and means.is_unit
