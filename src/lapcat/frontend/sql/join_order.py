"""The order of joins. Tables that are joined explicitly are joined as written, if every step has a rule. A list of tables
(`FROM a, b, c WHERE …`) has no order of its own, and an inner join may be written in an order without a rule (public tables
first): then the tables are joined in an order in which every step has one.

Theorem: the rows do not depend on the order. An inner join is the product of its tables filtered by all conditions. A left
         join commutes with an inner join if the conditions of neither read the right side of the other: (X ⟕ B on p) ⋈ C on q =
         (X ⋈ C on q) ⟕ B on p. Here a condition of an inner join is applied as soon as its tables are joined, and a left join
         waits until all tables of its own condition are.
Order:   first, a private table from which every other table is looked up (each row matches at most one), in the order of the
         text; else the first private table from which every step has a rule. Lookups repeat no row, so they have the least
         sensitivity.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING, NoReturn

from sqlglot import exp

from lapcat.errors import BadQuery, Refused
from lapcat.frontend.sql.joins import (
    Condition,
    common_names,
    compare,
    compared_parts,
    is_comma,
    is_true,
    join,
    left_joined,
    no_condition,
    paired,
    sides,
)
from lapcat.frontend.sql.scopes import NameScope
from lapcat.frontend.sql.text import flattened
from lapcat.plan.facts import rows_facts
from lapcat.plan.nodes import Filter, Join, Match, Public

if TYPE_CHECKING:
    from lapcat.frontend.sql.sources import Cte, Sources

MAX_JOINS = 40
"""More tables are joined as written: the search for an order takes time that grows with their square."""


def joined(
    sources: Sources,
    first: exp.Expression,
    joins: list[exp.Join],
    ctes: Mapping[str, Cte],
    where: list[exp.Expression],
) -> tuple[NameScope, list[exp.Expression]]:
    """The rows of FROM, and the conditions of WHERE that are not part of a join."""
    before = Before(sources)
    listed = any(is_comma(node) for node in joins)
    if not listed:
        try:
            return as_written(sources, first, joins, ctes, where)
        except (BadQuery, Refused):
            if not joins:
                raise
    before.restore()
    with suppress(NoOrder) if listed else suppress(NoOrder, BadQuery, Refused):
        return in_any_order(sources, first, joins, ctes, where)
    before.restore()
    return as_written(sources, first, joins, ctes, where)  # or what is wrong with it


def as_written(
    sources: Sources,
    first: exp.Expression,
    joins: list[exp.Join],
    ctes: Mapping[str, Cte],
    where: list[exp.Expression],
) -> tuple[NameScope, list[exp.Expression]]:
    rest = list(where)
    scope = sources.source(first, ctes)
    for node in joins:
        scope = join(sources, scope, node, ctes, rest)
    return scope, rest


class Before:
    """What reading sources changes, to try another order."""

    def __init__(self, sources: Sources) -> None:
        self.sources, self.notes, self.marks = sources, dict(sources.notes), sources.marks

    def restore(self) -> None:
        self.sources.notes.clear()
        self.sources.notes.update(self.notes)
        self.sources.marks = self.marks


@dataclass(frozen=True, slots=True)
class JoinSource:
    """One of the tables that are joined."""

    scope: NameScope
    node: exp.Expression
    outer: bool = False
    """Whether it is the right side of a LEFT JOIN."""
    on: tuple[exp.Expression, ...] = ()
    """The conditions of that LEFT JOIN."""


@dataclass(frozen=True, slots=True)
class ConditionPart:
    """A condition, and the positions of the tables whose columns it reads."""

    node: exp.Expression
    members: frozenset[int]
    using: str = ""
    """The column of USING that it was written as."""
    in_where: bool = False

    @property
    def is_equality(self) -> bool:
        return isinstance(self.node, exp.EQ)


class NoOrder(Exception):
    """No order has a rule for every step, or the joins can be read only as they are written."""


@dataclass(slots=True)
class JoinSources:
    """The tables of FROM, and the conditions of its inner joins."""

    sources: Sources
    ctes: Mapping[str, Cte]
    members: list[JoinSource] = field(default_factory=list)
    parts: list[ConditionPart] = field(default_factory=list)
    shared: set[str] = field(default_factory=set)
    """The columns in USING."""

    def add(self, node: exp.Expression) -> None:
        """A source; the tables of an inner join in parentheses are sources of their own."""
        inside = node.args.get("this")
        if isinstance(node, exp.Subquery) and not node.args.get("alias") and is_table(inside):
            assert isinstance(inside, exp.Expression)
            self.add(inside)
            for nested in inside.args.get("joins") or []:
                self.join(nested)
        else:
            self.members.append(JoinSource(self.sources.source(node, self.ctes), node))

    def join(self, node: exp.Join) -> None:
        this, side, kind, on, using, method = self.sources.text.consume(
            node, "this", "side", "kind", "on", "using", "method"
        )
        assert isinstance(this, exp.Expression)
        outer = side == "LEFT"
        kinds = (None, "", "OUTER" if outer else "INNER", "CROSS")
        if side not in (None, "", "LEFT") or kind not in kinds or method not in (None, "", "NATURAL"):
            raise NoOrder
        before = len(self.members)
        if outer:
            scope = self.sources.source(this, self.ctes)
            for nested in this.args.get("joins") or []:
                scope = join(self.sources, scope, nested, self.ctes)
            self.members.append(JoinSource(scope, this, outer))
        else:
            self.add(this)
            for nested in this.args.get("joins") or []:
                self.join(nested)
        conditions: list[tuple[exp.Expression, str]] = []
        if isinstance(on, exp.Expression):
            conditions = [(self.qualified(part), "") for part in flattened(on, exp.And)]
        names = [identifier.name for identifier in using] if isinstance(using, list) else []
        if method:
            names = common_names(
                self.sources, self.names(range(before)), self.names(range(before, len(self.members)))
            )
        for name in names:
            pair = [
                self.owner(name, range(before)),
                self.owner(name, range(before, len(self.members))),
            ]
            equal = exp.EQ(this=pair[0], expression=pair[1])
            conditions.append((equal, name.casefold()))
            self.shared.add(name.casefold())
        if outer:
            own = tuple(part for part, _ in conditions)
            if names or not own:
                raise NoOrder
            self.members[-1] = replace(self.members[-1], on=own)
        else:
            self.parts += [
                ConditionPart(part, self.read_by(part), name)
                for part, name in conditions
                if not is_true(part)
            ]

    def names(self, positions: Iterable[int]) -> NameScope:
        """All columns of some tables, as they are called."""
        names = [name for position in positions for name in self.members[position].scope.names]
        return replace(self.members[0].scope, names=tuple(names))

    def owners(self, column: exp.Column, positions: Iterable[int]) -> list[int]:
        """The tables that have a column of this name."""
        called, of = column.name.casefold(), column.table.casefold()
        return [
            position
            for position in positions
            if any(
                name.name.casefold() == called and (not of or of in name.of)
                for name in self.members[position].scope.names
            )
        ]

    def owner(self, name: str, positions: Iterable[int]) -> exp.Column:
        """The qualified column that a name in USING or ON refers to."""
        column = exp.Column(this=exp.to_identifier(name, quoted=True))
        owners = self.owners(column, positions)
        if not owners or (len(owners) > 1 and name.casefold() not in self.shared):
            raise NoOrder
        of = next(
            item.of for item in self.members[owners[0]].scope.names if item.name.casefold() == name.casefold()
        )
        if not of:
            raise NoOrder
        return exp.Column(
            this=exp.to_identifier(name, quoted=True), table=exp.to_identifier(min(of), quoted=True)
        )

    def qualified(self, part: exp.Expression) -> exp.Expression:
        """A condition in ON whose columns name their tables: a table that comes later may have a column of the same name."""
        part = part.copy()
        known = range(len(self.members))
        for column in list(part.find_all(exp.Column)):
            if not column.table and not isinstance(column.this, exp.Star):
                column.set("table", self.owner(column.name, known).args["table"])
            elif not self.owners(column, known):
                raise NoOrder
        return part

    def read_by(self, part: exp.Expression) -> frozenset[int]:
        """The tables whose columns a condition reads; of columns that several have, all."""
        known = range(len(self.members))
        return frozenset(
            position for column in part.find_all(exp.Column) for position in self.owners(column, known)
        )


def is_table(node: object) -> bool:
    """Whether a source in parentheses is a table or a join, not a query."""
    while isinstance(node, exp.Subquery) and not node.args.get("alias"):
        if node.args.get("joins"):
            return True
        node = node.this
    return isinstance(node, exp.Table)


def in_any_order(
    sources: Sources,
    first: exp.Expression,
    joins: list[exp.Join],
    ctes: Mapping[str, Cte],
    where: list[exp.Expression],
) -> tuple[NameScope, list[exp.Expression]]:
    """The tables joined in an order in which every step has a rule."""
    if len(joins) > MAX_JOINS:
        raise NoOrder
    tables = JoinSources(sources, ctes)
    tables.add(first)
    for node in joins:
        tables.join(node)
    before = Before(sources)
    stuck: JoinAttempt | None = None
    starts = [
        position
        for position, member in enumerate(tables.members)
        if not isinstance(member.scope.rows, Public) and not member.outer
    ]
    factored = [part for condition in where for part in without_common(condition)]
    for conditions in (where,) if factored == where else (where, factored):
        usable = [ConditionPart(node, tables.read_by(node), in_where=True) for node in conditions]
        usable = [part for part in usable if part.is_equality and len(part.members) > 1]
        for lookups in (True, False):
            for start in starts:
                attempt = JoinAttempt(tables, start, [*tables.parts, *usable], lookups)
                scope = attempt.joined()
                if scope is not None:
                    used = [part.node for part in attempt.used if part.in_where]
                    rest = [part for part in conditions if not any(part is node for node in used)]
                    return in_order_of_text(tables, scope), rest
                stuck = stuck or (None if lookups else attempt)
                before.restore()
    if stuck is None or stuck.end is None:
        raise NoOrder
    stuck.refuse(*stuck.end)


def in_order_of_text(tables: JoinSources, scope: NameScope) -> NameScope:
    """The columns in the order in which the tables are written."""
    written = [(name.name, name.of) for member in tables.members for name in member.scope.names]
    places = {name: place for place, name in reversed(list(enumerate(written)))}
    return replace(scope, names=tuple(sorted(scope.names, key=lambda name: places[name.name, name.of])))


@dataclass(slots=True)
class JoinAttempt:
    """Joins all tables to one of them, each as soon as the step has a rule."""

    tables: JoinSources
    start: int
    parts: list[ConditionPart]
    lookups: bool
    """Whether each step must match at most one row."""
    used: list[ConditionPart] = field(default_factory=list)
    end: tuple[NameScope, set[int], int] | None = None
    """Where no further step has a rule: the rows so far, their tables, and the first table that is left."""

    def joined(self) -> NameScope | None:
        members = self.tables.members
        scope, done = members[self.start].scope, {self.start}
        pending = [position for position in range(len(members)) if position != self.start]
        while pending:
            for position in pending:
                step = self.step(scope, done, position)
                if step is not None:
                    scope = step
                    done.add(position)
                    pending.remove(position)
                    break
            else:
                self.end = scope, done, pending[0]
                return None
        return self.filtered(
            scope, [part for part in self.parts if not part.in_where and part not in self.used]
        )

    def refuse(self, left: NameScope, done: set[int], position: int) -> NoReturn:
        """Raises why a table cannot be joined."""
        member = self.tables.members[position]
        parts = [part for part in self.parts if part.members <= done | {position}]
        if not any(sides(self.tables.sources, part.node, left, member.scope, strict=False) for part in parts):
            raise no_condition(self.tables.sources, member.node, left, member.scope)
        self.inner(left, member, parts)
        raise NoOrder

    def step(self, left: NameScope, done: set[int], position: int) -> NameScope | None:
        """The rows so far joined with one more table; None if that has no rule yet."""
        sources, member = self.tables.sources, self.tables.members[position]
        sources.text.spend(10)
        known = done | {position}
        marks = sources.marks
        try:
            if member.outer:
                if not all(self.tables.read_by(part) <= known for part in member.on):
                    return None
                condition = compared_parts(sources, member.on, left, member.scope)
                scope = left_joined(sources, member.node, left, member.scope, condition)
                parts: list[ConditionPart] = []
            else:
                parts = [part for part in self.parts if part not in self.used and part.members <= known]
                parts = [
                    part
                    for part in parts
                    if not part.in_where or sides(sources, part.node, left, member.scope, strict=False)
                ]
                scope = self.inner(left, member, parts)
        except Refused:
            sources.marks = marks
            return None
        assert isinstance(scope.rows, Join | Filter)
        if self.lookups and not is_lookup(scope):
            sources.marks = marks
            return None
        self.used += parts
        return scope

    def inner(self, left: NameScope, member: JoinSource, parts: list[ConditionPart]) -> NameScope:
        sources, condition = self.tables.sources, Condition()
        rest, shared = [], set()
        for part in parts:
            both = sides(sources, part.node, left, member.scope, strict=False)
            if both is None:
                rest.append(part)
                continue
            compare(sources, condition, part.node, left, member.scope, *both)
            shared |= {part.using} - {""}
        condition = replace(condition, shared=frozenset(shared))
        sources.marks += 1
        on = exp.and_(*(part.node for part in parts)) if parts else None
        node = exp.Join(this=member.node.copy(), on=on)  # for refusals, which quote the condition
        scope = paired(sources, node, left, member.scope, condition, False, sources.marks)
        return self.filtered(scope, rest)

    def filtered(self, scope: NameScope, parts: list[ConditionPart]) -> NameScope:
        for part in parts:
            predicate = self.tables.sources.scalars(scope).predicate(part.node)
            scope = replace(scope, rows=Filter(self.tables.sources.private(scope, part.node), predicate))
        return scope


def is_lookup(scope: NameScope) -> bool:
    """Whether each row was joined with at most one."""
    rows = scope.rows
    while isinstance(rows, Filter):
        rows = rows.source
    assert isinstance(rows, Join)
    return isinstance(rows.right, Public) or rows.match is not Match.UNIT or rows_facts(rows.right).rows == 1


# ------------------------------------------------------------------------------------------------ OR


def without_common(condition: exp.Expression) -> list[exp.Expression]:
    """A condition as a list of conditions, with the equalities of columns that all arms of an OR have in common on their own:
    (e AND a) OR (e AND b) is e AND (a OR b), in three-valued logic too."""
    if not isinstance(condition, exp.Or):
        return [condition]
    arms = [list(flattened(arm, exp.And)) for arm in flattened(condition, exp.Or)]
    common = common_equalities(arms)
    if not common:
        return [condition]
    equal = {pair_of(part) for part in common}
    left = [[part for part in arm if pair_of(part) not in equal] for arm in arms]
    if not all(left):
        return common
    whole = reduce(
        lambda a, b: exp.Or(this=a, expression=b),
        (reduce(lambda a, b: exp.And(this=a, expression=b), arm) for arm in left),
    )
    return [*common, whole]


def common_equalities(arms: list[list[exp.Expression]]) -> list[exp.Expression]:
    """The equalities of two columns in the first arm that every other arm has too."""
    others = [{pair_of(part) for part in arm} for arm in arms[1:]]
    return [part for part in arms[0] if pair_of(part) and all(pair_of(part) in arm for arm in others)]


def pair_of(part: exp.Expression) -> frozenset[tuple[str, str]]:
    """The two columns that an equality compares, as they are written; empty for any other condition."""
    if not isinstance(part, exp.EQ):
        return frozenset()
    columns = [side for side in (part.this, part.expression) if isinstance(side, exp.Column)]
    if len(columns) < 2:
        return frozenset()
    return frozenset((column.table.casefold(), column.name.casefold()) for column in columns)
