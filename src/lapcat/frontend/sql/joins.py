"""JOIN, and person IN (SELECT person FROM …): rows meet rows of their own unit, or public ones by a unique column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from lapcat.errors import BadQuery, Refused
from lapcat.frontend.sql.scopes import Declared, Mode, Scope, Visible, is_unit
from lapcat.frontend.sql.text import flattened
from lapcat.plan.expressions import Cast, Column, Expression, IsNull
from lapcat.plan.nodes import (
    Filter,
    Fold,
    Folded,
    Join,
    Match,
    PerUnit,
    Public,
    Rows,
    Scan,
    private_scans,
)
from lapcat.plan.schema import Type
from lapcat.plan.words import toml_key

if TYPE_CHECKING:
    from lapcat.frontend.sql.sources import Cte, Sources


@dataclass(frozen=True, slots=True)
class Condition:
    """What a join compares."""

    pairs: list[tuple[Expression, Expression]] = field(default_factory=list)
    """Equal values, of the left and of the right side."""
    units: list[exp.Expression] = field(default_factory=list)
    """Where it says that both rows are the same unit's."""
    rest: list[exp.Expression] = field(default_factory=list)
    """Conditions that are no equality between the sides."""
    shared: frozenset[str] = frozenset()
    """The columns that USING names."""

    def turned(self) -> Condition:
        return replace(self, pairs=[(theirs, mine) for mine, theirs in self.pairs])


def join(sources: Sources, left: Scope, node: exp.Join, ctes: Mapping[str, Cte]) -> Scope:
    this, side, kind, on, using = sources.text.consume(node, "this", "side", "kind", "on", "using")
    assert isinstance(this, exp.Expression)
    kinds = (None, "", "OUTER") if side == "LEFT" else (None, "", "INNER")
    if side not in (None, "", "LEFT") or kind not in kinds or not (on or using):
        how = " ".join(str(w) for w in (side, kind) if w) or "a comma"
        raise sources.text.unsupported(
            node,
            f"a join by {how} without a condition" if not (on or using) else f"{how} JOIN",
            "exchange the tables: LEFT JOIN … ON a.id = b.id" if side == "RIGHT" else "JOIN … ON a.id = b.id",
        )
    outer = side == "LEFT"
    right = sources.source(this, ctes)
    for nested in this.args.get("joins") or []:
        right = join(sources, right, nested, ctes)
    if isinstance(right.rows, Public) and not right.names:
        raise nothing_declared(sources, this, right.rows)
    condition = compared(sources, node, left, right, on, using)
    if isinstance(left.rows, Public):
        if outer or isinstance(right.rows, Public):
            raise public_first(sources, node, left.rows, right.rows)
        left, right, condition = right, left, condition.turned()
    sources.marks += 1
    mark = sources.marks
    scope = paired(sources, node, left, right, condition, outer, mark)
    for part in condition.rest:
        if outer:
            raise sources.text.unsupported(
                part,
                "a condition other than equality in LEFT JOIN … ON",
                "move it to WHERE, or into a sub-query",
            )
        scope = replace(scope, rows=Filter(scope.rows, sources.scalars(scope).predicate(part)))  # type: ignore[arg-type]
    return scope


def public_first(sources: Sources, node: exp.Expression, public: Public, other: Rows | Public) -> BadQuery:
    some = next(iter(sources.tables.catalogue.tables), "table")
    if not isinstance(other, Public):
        some = private_scans(other)[0].table
    return BadQuery(
        "public-table",
        f"{public.table} is public: rows of it that nobody belongs to are no answer",
        fix=f"FROM {some} LEFT JOIN {public.table} ON …",
        place=sources.text.place(node),
    )


def nothing_declared(sources: Sources, node: exp.Expression, public: Public) -> BadQuery:
    return BadQuery(
        "unknown-column",
        f"no column is declared in {public.table}, so there is none to join by",
        why="what the catalogue does not declare is not read",
        fix=f'the steward declares its columns: id = {{ type = "integer", unique = true }} '
        f"under [tables.{public.table}.columns]",
        place=sources.text.place(node),
    )


def compared(
    sources: Sources, node: exp.Join, left: Scope, right: Scope, on: object, using: object
) -> Condition:
    """What a join's ON or USING compares."""
    found = Condition()
    if isinstance(using, list) and using:
        for identifier in using:
            column = exp.Column(this=exp.to_identifier(identifier.name))
            compare(sources, found, node, left, right, column, column)
        return replace(found, shared=frozenset(identifier.name.casefold() for identifier in using))
    assert isinstance(on, exp.Expression)
    for part in flattened(on, exp.And):
        both = sides(sources, part, left, right)
        if both is None:
            found.rest.append(part)
        else:
            compare(sources, found, part, left, right, *both)
    return found


def compare(
    sources: Sources,
    found: Condition,
    node: exp.Expression,
    left: Scope,
    right: Scope,
    mine: exp.Expression,
    other: exp.Expression,
) -> None:
    """One equality. That of the units holds in every join, so it need not be compared where they are opaque."""
    units = is_unit(sources.text, left, mine) and is_unit(sources.text, right, other)
    if units:
        found.units.append(node)
    if units and any(
        isinstance(means, Declared) and means.is_opaque
        for means in (left.find(sources.text, mine).means, right.find(sources.text, other).means)  # type: ignore[arg-type]
    ):
        return
    ours, theirs = (
        sources.scalars(left).scalar(mine, Mode.RAW),
        sources.scalars(right).scalar(other, Mode.RAW),
    )
    found.pairs.append(alike(sources, node, ours, theirs))


def sides(
    sources: Sources, part: exp.Expression, left: Scope, right: Scope
) -> tuple[exp.Expression, exp.Expression] | None:
    """The left and the right side's expression of an equality between them."""
    if not isinstance(part, exp.EQ):
        return None
    one, other = part.this, part.args["expression"]
    from_ = [homes(sources, one, left, right), homes(sources, other, left, right)]
    if from_ == [{"left"}, {"right"}]:
        return one, other
    return (other, one) if from_ == [{"right"}, {"left"}] else None


def homes(sources: Sources, node: exp.Expression, left: Scope, right: Scope) -> set[str]:
    """Which sides the columns of an expression are from."""
    found = set()
    for column in node.find_all(exp.Column):
        own = column.table.casefold()
        mine = [
            n for n in left.names if n.name.casefold() == column.name.casefold() and (not own or own in n.of)
        ]
        theirs = [
            n for n in right.names if n.name.casefold() == column.name.casefold() and (not own or own in n.of)
        ]
        found |= ({"left"} if mine else set()) | ({"right"} if theirs else set())
        if not mine and not theirs:
            Scope(left.rows, (*left.names, *right.names)).find(sources.text, column)  # says what there is
    return found


def alike(
    sources: Sources, node: exp.Expression, mine: Expression, theirs: Expression
) -> tuple[Expression, Expression]:
    if mine.type is theirs.type:
        return mine, theirs
    if mine.type.is_number and theirs.type.is_number:
        return tuple(x if x.type is Type.FLOAT else Cast(x, Type.FLOAT) for x in (mine, theirs))  # type: ignore[return-value]
    raise BadQuery(
        "type-mismatch",
        f"{mine.type} is compared with {theirs.type}",
        fix="CAST one of them",
        place=sources.text.place(node),
    )


def paired(
    sources: Sources,
    node: exp.Expression,
    left: Scope,
    right: Scope,
    condition: Condition,
    outer: bool,
    mark: int,
) -> Scope:
    """The join, with the reason why it does not multiply without a limit."""
    ours, pairs = sources.private(left, node), condition.pairs
    suffix = f"@{mark}"
    if isinstance(right.rows, Public):
        if not unique(sources, right, pairs):
            raise not_unique(sources, node, right, pairs)
        rows = Join(ours, right.rows, tuple(pairs), Match.PUBLIC, outer, mark)
    else:
        scans = [*private_scans(ours), *private_scans(right.rows)]
        if len({scan.population for scan in scans}) > 1:
            raise sources.strangers(node, scans)
        if any(scan.unit.is_row for scan in scans):
            raise rows_join(sources, node)
        match = Match.UNIQUE if unique(sources, right, pairs) else Match.UNIT
        if match is Match.UNIT and not outer and unique(sources, left, condition.turned().pairs):
            return paired(sources, node, right, left, condition.turned(), False, mark)
        if not condition.units and not any(is_path(sources, left, right, pair) for pair in pairs):
            if match is Match.UNIT:
                raise no_unit(sources, node, left, right)
            sources.note(f"of {scans[-1].table} only rows of the same {scans[0].unit} are joined")
        compared = [p for p in pairs if match is Match.UNIQUE or not is_unit_pair(sources, left, right, p)]
        rows = Join(ours, right.rows, tuple(compared), match, outer, mark)
    by_name = {name.name.casefold(): name.means for name in left.names}
    theirs = []
    for name in right.names:
        called = name.name.casefold()
        means = by_name[called] if called in condition.shared else name.means.marked(suffix)
        theirs.append(replace(name, means=plain(sources, means, outer and called not in condition.shared)))
    return Scope(rows, (*left.names, *theirs))


def plain(sources: Sources, means: Visible, missing: bool) -> Visible:
    """A joined column is not unique any more, for its row may meet several; and where the row may be missing (LEFT JOIN),
    the unit's column does not say whose pair it is."""
    if not isinstance(means, Declared):
        return means
    spec = replace(means.spec, unique=False)
    return replace(means, spec=spec, is_unit=means.is_unit and not missing)


def unique(sources: Sources, right: Scope, pairs: list[tuple[Expression, Expression]]) -> bool:
    """Whether one of the compared columns of the right side is unique in the table that it is a column of."""
    rows = right.rows
    while isinstance(rows, Filter):
        rows = rows.source
    return isinstance(rows, (Scan, Public)) and any(
        isinstance(key, Column) and key.name in rows.unique for _, key in pairs
    )


def is_unit_pair(sources: Sources, left: Scope, right: Scope, pair: tuple[Expression, Expression]) -> bool:
    found = [
        scope.declared(x.name) if isinstance(x, Column) else None
        for scope, x in zip((left, right), pair, strict=True)
    ]
    return all(declared is not None and declared.is_unit for declared in found)


def is_path(sources: Sources, left: Scope, right: Scope, pair: tuple[Expression, Expression]) -> bool:
    one, other = (
        scope.declared(x.name) if isinstance(x, Column) else None
        for scope, x in zip((left, right), pair, strict=True)
    )
    if one is None or other is None:
        return False
    return (
        one.is_key_to == (other.table, other.spec.name)
        or other.is_key_to == (one.table, one.spec.name)
        or (one.is_key_to is not None and one.is_key_to == other.is_key_to)
    )


def not_unique(
    sources: Sources, node: exp.Expression, right: Scope, pairs: list[tuple[Expression, Expression]]
) -> Refused:
    assert isinstance(right.rows, Public)
    column, kind = next(((x.name, x.type) for _, x in pairs if isinstance(x, Column)), ("id", Type.INTEGER))
    return Refused(
        "join-not-unique",
        f"a row could meet many rows of {right.rows.table}",
        why="each of them would count, so one person's rows would multiply without a limit",
        fix=f'join by a unique column; the steward declares it: {toml_key(column)} = {{ type = "{kind}", unique = true }} '
        f"under [tables.{right.rows.table}.columns]",
        place=sources.text.place(node),
    )


def no_unit(sources: Sources, node: exp.Expression, left: Scope, right: Scope) -> Refused:
    units = [
        next(
            (
                f"{min(n.of, default='')}.{n.name}".lstrip(".")
                for n in scope.names
                if isinstance(n.means, Declared) and n.means.is_unit
            ),
            "the unit",
        )
        for scope in (left, right)
    ]
    return Refused(
        "join-strangers",
        "this join could pair rows of different people",
        why="one person could then change what many others' rows are paired with",
        fix=f"add the unit to the condition: AND {units[0]} = {units[1]}",
        place=sources.text.place(node),
    )


def rows_join(sources: Sources, node: exp.Expression) -> Refused:
    return Refused(
        "join-of-rows",
        "each row is a unit of its own here, so two rows never belong to the same one",
        why="a join would pair rows of different people",
        fix='the steward may declare whose rows they are: unit = "person_id" and rows_per_unit = 10; '
        "then JOIN … ON a.person_id = b.person_id",
        place=sources.text.place(node),
    )


def membership(
    sources: Sources, scope: Scope, node: exp.In, ctes: Mapping[str, Cte], *, negated: bool
) -> Scope:
    """person IN (SELECT person FROM …): the rows of units that have a row there."""
    this, query = sources.text.consume(node, "this", "query")
    assert isinstance(this, exp.Expression) and isinstance(query, exp.Expression)
    inner = sources.query(query, ctes)
    if not is_unit(sources.text, scope, this) or len(inner.names) != 1:
        raise sub_query_in_where(sources, node, scope)
    means = inner.names[0].means
    if not (isinstance(means, Declared) and means.is_unit):
        raise sub_query_in_where(sources, node, scope)
    ours, theirs = sources.private(scope, node), sources.private(inner, node)
    scans = [*private_scans(ours), *private_scans(theirs)]
    if len({scan.population for scan in scans}) > 1:
        raise sources.strangers(node, scans)
    sources.marks += 1
    counted = Folded("n", Fold.COUNT, None, None, None, Type.INTEGER)
    units = PerUnit(theirs, (), (counted,))
    rows: Rows = Join(ours, units, (), Match.UNIT, negated, sources.marks)
    if negated:
        rows = Filter(rows, IsNull(Column(f"n@{sources.marks}", Type.INTEGER)))
    return replace(scope, rows=rows)


def sub_query_in_where(sources: Sources, node: exp.Expression, scope: Scope) -> Refused:
    declared = [(name, name.means) for name in scope.names if isinstance(name.means, Declared)]
    units = [name.name for name, means in declared if means.is_unit]
    fix = "compare the unit with the units of a sub-query: {0} IN (SELECT {0} FROM …)"
    ways = [(f"{min(name.of, default=means.table)}.{name.name}", means.is_key_to) for name, means in declared]
    way = next(((ours, to) for ours, to in ways if to is not None), None)
    if not units and way is not None:
        ours, (table, column) = way
        fix = f"join the table that knows the unit: JOIN {table} ON {ours} = {table}.{column}"
    return Refused(
        "sub-query-of-many",
        "a condition that looks at other people's rows",
        why="one person could decide about everybody's rows",
        fix=fix.format(units[0] if units else "person_id"),
        place=sources.text.place(node),
    )
