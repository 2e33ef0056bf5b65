"""JOIN, and person IN (SELECT person FROM …): rows join rows of the same unit, or public rows by a unique column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from lapcat.errors import BadQuery, Refused
from lapcat.frontend.sql.scopes import ColumnMeaning, DeclaredColumn, Name, NameScope, Visible, is_unit
from lapcat.frontend.sql.text import flattened
from lapcat.frontend.words import identifier as sql_name
from lapcat.plan.expressions import CASTS, Cast, Column, Expression, IsNull, Literal, Logic, Not
from lapcat.plan.nodes import (
    Filter,
    Join,
    Match,
    PerUnit,
    Public,
    Rows,
    Scan,
    UnitAggregate,
    UnitColumn,
    is_unique,
    private_scans,
)
from lapcat.plan.schema import SQL_TYPES, Type

if TYPE_CHECKING:
    from lapcat.frontend.sql.sources import Cte, Sources


ALWAYS = Literal(True, Type.BOOLEAN)


@dataclass(frozen=True, slots=True)
class Condition:
    """The condition of a join."""

    pairs: list[tuple[Expression, Expression]] = field(default_factory=list)
    """Equalities: the expression of the left side and of the right side."""
    units: list[exp.Expression] = field(default_factory=list)
    """The nodes that compare the units of both sides."""
    rest: list[exp.Expression] = field(default_factory=list)
    """Conditions other than an equality between the sides."""
    shared: frozenset[str] = frozenset()
    """The columns in USING."""

    def turned(self) -> Condition:
        return replace(self, pairs=[(theirs, mine) for mine, theirs in self.pairs])


def join(
    sources: Sources,
    left: NameScope,
    node: exp.Join,
    ctes: Mapping[str, Cte],
    where: list[exp.Expression] | None = None,
) -> NameScope:
    """The joined scope. A comma or CROSS JOIN takes its condition from WHERE: FROM a, b WHERE p AND q is
    FROM a JOIN b ON p WHERE q. Conditions taken from WHERE are removed from `where`."""
    this, side, kind, on, using, method = sources.text.consume(
        node, "this", "side", "kind", "on", "using", "method"
    )
    assert isinstance(this, exp.Expression)
    comma = is_comma(node)
    outer = side in ("LEFT", "RIGHT")
    kinds = (None, "", "OUTER") if outer else (None, "", "INNER")
    if (
        side not in (None, "", "LEFT", "RIGHT")
        or (kind not in kinds and not comma)
        or method not in (None, "", "NATURAL")
    ):
        raise not_a_join(sources, node, this, " ".join(str(w) for w in (method, side, kind) if w))
    right = sources.source(this, ctes)
    for nested in this.args.get("joins") or []:
        right = join(sources, right, nested, ctes)
    if method:
        using = [exp.to_identifier(name, quoted=True) for name in common_names(sources, left, right)]
        if not using:
            raise no_condition(sources, node, left, right)
        node = node.copy()
        node.set("using", using)
    elif comma:
        taken = [part for part in where or [] if sides(sources, part, left, right, strict=False)]
        if not taken:
            raise no_condition(sources, node, left, right)
        if where is not None:
            where[:] = [part for part in where if part not in taken]
        on = exp.and_(*taken)
        node = node.copy()
        node.set("on", on)
    elif not (on or using):
        raise no_condition(sources, node, left, right)
    condition = compared(sources, node, left, right, on, using)
    if side == "RIGHT" or (isinstance(left.rows, Public) and not outer):
        left, right, condition = right, left, condition.turned()
    if isinstance(left.rows, Public):
        raise public_first(sources, node, left.rows, right.rows)
    if outer:
        return left_joined(sources, node, left, right, condition)
    sources.marks += 1
    scope = paired(sources, node, left, right, condition, False, sources.marks)
    for part in condition.rest:
        scope = replace(scope, rows=Filter(scope.rows, sources.scalars(scope).predicate(part)))  # type: ignore[arg-type]
    return scope


def is_comma(node: exp.Join) -> bool:
    """Whether a join has no condition of its own: FROM a, b or CROSS JOIN."""
    with_condition = any(node.args.get(part) for part in ("on", "using", "side", "method"))
    return not with_condition and node.args.get("kind") in (None, "", "CROSS")


def is_true(node: exp.Expression) -> bool:
    """Whether a condition is TRUE or 1 = 1, as in JOIN b ON TRUE WHERE …"""
    if isinstance(node, exp.EQ):
        return isinstance(node.this, exp.Literal) and node.this == node.expression
    return isinstance(node, exp.Boolean) and bool(node.this)


def common_names(sources: Sources, left: NameScope, right: NameScope) -> list[str]:
    """The columns that a NATURAL JOIN compares: those that both sides declare."""
    mine = {name.name.casefold() for name in left.names}
    shared = [name.name for name in right.names if name.name.casefold() in mine]
    if shared:
        sources.note(f"NATURAL JOIN compares the declared columns {', '.join(shared)}")
    return shared


def left_joined(
    sources: Sources, node: exp.Expression, left: NameScope, right: NameScope, condition: Condition
) -> NameScope:
    """LEFT JOIN with any conditions that read one side.

    A condition on the right side alone filters it before the join. Any other condition p of one side becomes a pair of
    the join, p = TRUE: a left row for which p is not true has no match, and is kept with NULLs. More pairs only make
    matches fewer, so the rule that bounds them still holds."""
    for part in condition.rest:
        read = sides_of(sources, part, left, right)
        if is_true(part):
            continue
        if len(read) > 1:
            raise in_outer_join(sources, node, part)
        if read == {"right"} and not isinstance(right.rows, Public):
            right = replace(right, rows=Filter(right.rows, sources.scalars(right).predicate(part)))
        elif read == {"right"}:
            condition.pairs.append((ALWAYS, sources.scalars(right).predicate(part)))
        else:
            condition.pairs.append((sources.scalars(left).predicate(part), ALWAYS))
    sources.marks += 1
    return paired(sources, node, left, right, condition, True, sources.marks)


def in_outer_join(sources: Sources, node: exp.Expression, part: exp.Expression) -> BadQuery:
    """The refusal of a condition in LEFT JOIN … ON that compares the sides other than by equality."""
    text = sources.text
    fix = f"leave {text.quoted(part)} out, which asks a different question"
    return text.unsupported(part, "a condition on both sides other than equality in LEFT JOIN … ON", fix)


def not_a_join(sources: Sources, node: exp.Join, right: exp.Expression, how: str) -> BadQuery:
    """The refusal of FULL, SEMI, ANTI, ASOF … JOIN."""
    text, on, using = sources.text, node.args.get("on"), node.args.get("using")
    condition = " ON a.id = b.id"
    if isinstance(on, exp.Expression):
        condition = f" ON {text.written(on)}"
    elif using:
        condition = f" USING ({', '.join(sql_name(column.name) for column in using)})"
    fix = f"JOIN {text.written(right)}{condition}, which keeps only rows with a match"
    return text.unsupported(node, f"{how} JOIN", _by_exists(sources, node, right, how.split()[0]) or fix)


def _by_exists(sources: Sources, node: exp.Join, right: exp.Expression, match: str) -> str | None:
    """The same rows as a SEMI, ANTI or FULL JOIN of two private tables, in words that have a rule."""
    on, select = node.args.get("on"), node.parent
    if (
        not isinstance(on, exp.Expression)
        or not isinstance(select, exp.Select)
        or len(select.args["joins"]) > 1
    ):
        return None
    tables = (select.args["from_"].this, right)
    if any(table.name.casefold() in map(str.casefold, sources.tables.catalogue.public) for table in tables):
        return None
    left, other, condition = (sources.text.written(part) for part in (*tables, on))
    if match in ("SEMI", "ANTI"):
        word = "EXISTS" if match == "SEMI" else "NOT EXISTS"
        return f"FROM {left} WHERE {word} (SELECT 1 FROM {other} WHERE {condition})"
    if match != "FULL":
        return None
    return (
        f"two questions about the same rows: FROM {left} LEFT JOIN {other} ON {condition}; "
        f"FROM {other} WHERE NOT EXISTS (SELECT 1 FROM {left} WHERE {condition})"
    )


def no_condition(
    sources: Sources, node: exp.Expression, left: NameScope, right: NameScope
) -> BadQuery | Refused:
    """The refusal of a cross join; the fix depends on the units of the two sides."""
    if not isinstance(left.rows, Public) and not isinstance(right.rows, Public):
        if any(scan.unit.is_row for scan in (*private_scans(left.rows), *private_scans(right.rows))):
            return rows_join(sources, node)
        units = [unit_name(scope) for scope in (left, right)]
        both = " = ".join("the unit" if name is None else written_name(name) for name in units)
    else:
        keys = (
            [key for key in right.rows.unique if isinstance(key, str)]
            if isinstance(right.rows, Public)
            else []
        )
        same = next((name for name in left.names if name.name in keys), None)
        key = next(iter(keys), "id") if same is None else same.name
        table = sql_name(min((min(name.of, default="") for name in right.names), default="") or "b")
        both = f"{'…' if same is None else written_name(same)} = {table}.{sql_name(key)}"
    select = node.find_ancestor(exp.Select)
    where = "AND" if select is not None and select.args.get("where") else "WHERE"
    return sources.text.unsupported(
        node, "a join without an equality between its two sides", f"add the condition: {where} {both}"
    )


def public_first(sources: Sources, node: exp.Expression, public: Public, other: Rows | Public) -> BadQuery:
    some = next(iter(sources.tables.catalogue.tables), "table")
    if not isinstance(other, Public):
        some = private_scans(other)[0].table
    return BadQuery(
        "public-table",
        f"{public.table} is a public table; an answer is about rows of a private table",
        fix=f"FROM {some} LEFT JOIN {public.table} ON …, which keeps the rows of {some}",
        place=sources.text.place(node),
    )


def compared(
    sources: Sources, node: exp.Join, left: NameScope, right: NameScope, on: object, using: object
) -> Condition:
    """The condition in a join's ON or USING."""
    condition = Condition()
    if isinstance(using, list) and using:
        for identifier in using:
            column = exp.Column(this=exp.to_identifier(identifier.name))
            compare(sources, condition, node, left, right, column, column)
        return replace(condition, shared=frozenset(identifier.name.casefold() for identifier in using))
    assert isinstance(on, exp.Expression)
    return compared_parts(sources, flattened(on, exp.And), left, right)


def compared_parts(
    sources: Sources, parts: Iterable[exp.Expression], left: NameScope, right: NameScope
) -> Condition:
    """The condition that is the conjunction of some parts."""
    condition = Condition()
    for part in parts:
        both = sides(sources, part, left, right)
        if both is None:
            condition.rest.append(part)
        else:
            compare(sources, condition, part, left, right, *both)
    return condition


def compare(
    sources: Sources,
    condition: Condition,
    node: exp.Expression,
    left: NameScope,
    right: NameScope,
    mine: exp.Expression,
    other: exp.Expression,
) -> None:
    """Adds one equality. Joins always compare the units, so an equality of opaque unit columns is not added."""
    units = is_unit(sources.text, left, mine) and is_unit(sources.text, right, other)
    if units:
        condition.units.append(node)
    if units and any(
        isinstance(means, DeclaredColumn) and means.is_opaque
        for means in (left.find(sources.text, mine).means, right.find(sources.text, other).means)  # type: ignore[arg-type]
    ):
        return
    ours, theirs = (
        sources.scalars(left).scalar(mine, ColumnMeaning.RAW),
        sources.scalars(right).scalar(other, ColumnMeaning.RAW),
    )
    written = sources.text.written(mine), sources.text.written(other)
    condition.pairs.append(alike(sources, node, ours, theirs, written))


def sides(
    sources: Sources, part: exp.Expression, left: NameScope, right: NameScope, *, strict: bool = True
) -> tuple[exp.Expression, exp.Expression] | None:
    """The left and the right expression of an equality between the sides. A column of neither side is an error if
    `strict`; otherwise a later table may have it."""
    if not isinstance(part, exp.EQ):
        return None
    first, second = part.this, part.args["expression"]
    if part.find(exp.Subquery, exp.AggFunc) is not None:
        return None
    from_ = [sides_of(sources, side, left, right, strict=strict) for side in (first, second)]
    if from_ == [{"left"}, {"right"}]:
        return first, second
    return (second, first) if from_ == [{"right"}, {"left"}] else None


def sides_of(
    sources: Sources, node: exp.Expression, left: NameScope, right: NameScope, *, strict: bool = True
) -> set[str]:
    """The sides that the columns of an expression come from."""
    sides = set()
    for column in node.find_all(exp.Column):
        own = column.table.casefold()
        mine = [
            n for n in left.names if n.name.casefold() == column.name.casefold() and (not own or own in n.of)
        ]
        theirs = [
            n for n in right.names if n.name.casefold() == column.name.casefold() and (not own or own in n.of)
        ]
        sides |= ({"left"} if mine else set()) | ({"right"} if theirs else set())
        if not mine and not theirs:
            if not strict:
                return {"elsewhere"}
            NameScope(left.rows, (*left.names, *right.names)).find(
                sources.text, column
            )  # raises, naming the known columns
    return sides


def alike(
    sources: Sources, node: exp.Expression, mine: Expression, theirs: Expression, written: tuple[str, str]
) -> tuple[Expression, Expression]:
    if mine.type is theirs.type:
        return mine, theirs
    if mine.type.is_number and theirs.type.is_number:
        return tuple(x if x.type is Type.FLOAT else Cast(x, Type.FLOAT) for x in (mine, theirs))  # type: ignore[return-value]
    if (mine.type, theirs.type) in CASTS:
        fix = f"CAST({written[0]} AS {SQL_TYPES[theirs.type]}) = {written[1]}"
    elif (theirs.type, mine.type) in CASTS:
        fix = f"{written[0]} = CAST({written[1]} AS {SQL_TYPES[mine.type]})"
    else:
        fix = "compare columns of one type"
    raise BadQuery(
        "type-mismatch",
        f"the join compares {mine.type} with {theirs.type}",
        fix=fix,
        place=sources.text.place(node),
    )


def paired(
    sources: Sources,
    node: exp.Expression,
    left: NameScope,
    right: NameScope,
    condition: Condition,
    outer: bool,
    mark: int,
) -> NameScope:
    """The join, if it has a rule that bounds how often a row is repeated."""
    ours, pairs = sources.private(left, node), condition.pairs
    suffix = f"@{mark}"
    if isinstance(right.rows, Public):
        if not unique(sources, right, pairs):
            raise not_unique(sources, node, right, pairs)
        conditions = ((ALWAYS, predicate) for predicate in right.only)
        rows = Join(ours, right.rows, (*pairs, *conditions), Match.PUBLIC, outer, mark)
    else:
        scans = [*private_scans(ours), *private_scans(right.rows)]
        if len({scan.population for scan in scans}) > 1:
            then = "" if condition.units else "; then compare the units in ON"
            raise sources.strangers(node, scans, then)
        if any(scan.unit.is_row for scan in scans):
            raise rows_join(sources, node)
        match = Match.UNIQUE if unique(sources, right, pairs) else Match.UNIT
        if match is Match.UNIT and not outer and unique(sources, left, condition.turned().pairs):
            return paired(sources, node, right, left, condition.turned(), False, mark)
        if not condition.units and not any(is_path(sources, left, right, pair) for pair in pairs):
            raise no_unit(sources, node, left, right)
        compared = [p for p in pairs if match is Match.UNIQUE or not is_unit_pair(sources, left, right, p)]
        rows = Join(ours, right.rows, tuple(compared), match, outer, mark)
    by_name = {name.name.casefold(): name.means for name in left.names}
    theirs = []
    for name in right.names:
        called = name.name.casefold()
        means = by_name[called] if called in condition.shared else name.means.marked(suffix)
        theirs.append(replace(name, means=plain(sources, means, outer and called not in condition.shared)))
    return NameScope(rows, (*left.names, *theirs))


def plain(sources: Sources, means: Visible, missing: bool) -> Visible:
    """A joined column is no longer unique, since its row may match several rows. If the row may be missing (LEFT JOIN), its
    unit column does not identify the unit of the pair."""
    if not isinstance(means, DeclaredColumn):
        return means
    spec = replace(means.spec, unique=False)
    return replace(means, spec=spec, is_unit=means.is_unit and not missing)


def unique(sources: Sources, right: NameScope, pairs: list[tuple[Expression, Expression]]) -> bool:
    """Whether the compared columns of the right side are unique in its table."""
    rows = right.rows
    while isinstance(rows, Filter):
        rows = rows.source
    columns = {key.name for _, key in pairs if isinstance(key, Column)}
    return isinstance(rows, (Scan, Public)) and is_unique(rows, columns)


def is_unit_pair(
    sources: Sources, left: NameScope, right: NameScope, pair: tuple[Expression, Expression]
) -> bool:
    columns = [
        scope.declared(x.name) if isinstance(x, Column) else None
        for scope, x in zip((left, right), pair, strict=True)
    ]
    return all(declared is not None and declared.is_unit for declared in columns)


def is_path(sources: Sources, left: NameScope, right: NameScope, pair: tuple[Expression, Expression]) -> bool:
    mine, theirs = (
        scope.declared(x.name) if isinstance(x, Column) else None
        for scope, x in zip((left, right), pair, strict=True)
    )
    if mine is None or theirs is None:
        return False
    return (
        mine.is_key_to == (theirs.table, theirs.spec.name)
        or theirs.is_key_to == (mine.table, mine.spec.name)
        or (mine.is_key_to is not None and mine.is_key_to == theirs.is_key_to)
    )


def not_unique(
    sources: Sources, node: exp.Expression, right: NameScope, pairs: list[tuple[Expression, Expression]]
) -> Refused:
    assert isinstance(right.rows, Public)
    column, kind = next(((x.name, x.type) for _, x in pairs if isinstance(x, Column)), ("id", Type.INTEGER))
    declared = sources.text.declaring.column(right.rows.table, column, f'type = "{kind}", unique = true')
    fix = f"join on a unique column; the steward declares it: {declared}"
    compared = {key.name for _, key in pairs if isinstance(key, Column)}
    partly = [key for key in right.rows.unique if isinstance(key, tuple) and compared & set(key)]
    if partly:
        table = sql_name(min(right.names[0].of, default=right.rows.table))
        missing = " AND ".join(f"{table}.{sql_name(name)} = …" for name in partly[0] if name not in compared)
        fix = f"compare the whole key: AND {missing}"
    if right.rows.table in sources.tables.catalogue.read:
        keys = [key if isinstance(key, str) else " and ".join(key) for key in right.rows.unique]
        fix = f"join on a column without repeated values: {', '.join(keys) or 'it has none'}"
    return Refused(
        "join-not-unique",
        f"a row could match many rows of {right.rows.table}",
        why="every match would count, so one person's rows would multiply without limit",
        fix=fix,
        place=sources.text.place(node),
    )


def no_unit(sources: Sources, node: exp.Expression, left: NameScope, right: NameScope) -> Refused:
    """The refusal of a join that does not compare the units. A join by a unique column is refused too: only rows of the same
    unit are paired, and the question must say so."""
    units = [unit_name(scope) for scope in (left, right)]
    mine, theirs = units
    if mine is not None and theirs is not None:
        fix = f"this counts only pairs of one person: {with_units(sources, node, left, right, mine, theirs)}"
    else:
        far = left if mine is None else right
        fix = f"compare the units; first {way_to_unit(far) or 'join the table that has the unit'}"
    return Refused(
        "join-strangers",
        "this join could pair rows of different people",
        why="one person could then change the pairs of many others",
        fix=fix,
        place=sources.text.place(node),
    )


def unit_name(scope: NameScope) -> Name | None:
    """The unit column; None if no table of the scope has it (the unit is reached by a path of keys)."""
    units = (n for n in scope.names if isinstance(n.means, DeclaredColumn) and n.means.is_unit)
    return next(units, None)


def written_name(name: Name) -> str:
    return ".".join(map(sql_name, (*sorted(name.of)[:1], name.name)))


def with_units(
    sources: Sources, node: exp.Expression, left: NameScope, right: NameScope, mine: Name, theirs: Name
) -> str:
    """The text of the question with an equality of the units added to this join's condition."""
    text, on, using = sources.text.text, node.args.get("on"), node.args.get("using") or []
    equal = f"{written_name(mine)} = {written_name(theirs)}"
    condition_of = using[-1] if using else on
    span = None if condition_of is None else sources.text.spans.of(condition_of)
    if span is None and not using:
        return f"… ON … AND {equal}"
    first, last = span or (0, 0)
    if not using:
        condition = f"({text[first:last]})" if isinstance(on, exp.Or) else text[first:last]
        return f"{text[:first]}{condition} AND {equal}{text[last:]}"
    if span is not None and mine.name.casefold() == theirs.name.casefold():
        return f"{text[:last]}, {sql_name(mine.name)}{text[last:]}"
    columns = [exp.Column(this=exp.to_identifier(identifier.name)) for identifier in using]
    pairs = [[written_name(scope.find(sources.text, c)) for scope in (left, right)] for c in columns]
    return " AND ".join(["JOIN … ON " + " = ".join(pairs[0]), *map(" = ".join, pairs[1:]), equal])


def rows_join(sources: Sources, node: exp.Expression) -> Refused:
    declare = 'the steward names the column that says whose rows they are: unit = "…" and rows_per_unit = …'
    if sources.text.declaring.in_python:
        declare = (
            'name the column that says whose rows they are: lapcat.table(..., unit="…", rows_per_unit=…)'
        )
    return Refused(
        "join-of-rows",
        "the privacy unit is the row, so no two rows belong to the same unit",
        why="a join would pair rows of different people",
        fix=f"{declare}; then compare that column in the join",
        place=sources.text.place(node),
    )


def membership(
    sources: Sources,
    scope: NameScope,
    node: exp.In,
    ctes: Mapping[str, Cte],
    *,
    negated: bool,
    keeps_null: bool = False,
) -> NameScope:
    """person IN (SELECT person FROM …): the rows of units that have a row in the sub-query. NOT EXISTS keeps rows whose own column
    is NULL (`keeps_null`), NOT IN does not; rows without a unit are dropped in any case."""
    this, query = sources.text.consume(node, "this", "query")
    assert isinstance(this, exp.Expression) and isinstance(query, exp.Expression)
    inner = sources.query(query, ctes)
    if isinstance(inner.rows, Public) and len(inner.names) == 1:
        return public_membership(sources, scope, node, inner, negated, keeps_null)
    if not is_unit(sources.text, scope, this) or len(inner.names) != 1:
        raise sub_query_in_where(sources, node, scope)
    means = inner.names[0].means
    if not (isinstance(means, DeclaredColumn) and means.is_unit):
        raise sub_query_in_where(sources, node, scope)
    ours, theirs = sources.private(scope, node), sources.private(inner, node)
    scans = [*private_scans(ours), *private_scans(theirs)]
    if len({scan.population for scan in scans}) > 1:
        raise sources.strangers(node, scans)
    sources.marks += 1
    counted = UnitColumn("n", UnitAggregate.COUNT, None, None, None, Type.INTEGER)
    units = PerUnit(theirs, (), (counted,))
    rows: Rows = Join(ours, units, (), Match.UNIT, negated, sources.marks)
    if negated:
        rows = Filter(rows, IsNull(Column(f"n@{sources.marks}", Type.INTEGER)))
    return replace(scope, rows=rows)


def public_membership(
    sources: Sources, scope: NameScope, node: exp.In, inner: NameScope, negated: bool, keeps_null: bool
) -> NameScope:
    """product IN (SELECT id FROM products WHERE …): rows that have a match in a public table, by a unique column. A NULL in the
    public column matches nothing, also in NOT IN."""
    means = inner.names[0].means
    if not isinstance(means, DeclaredColumn):
        raise sub_query_in_where(sources, node, scope)
    mine = sources.scalars(scope).scalar(node.this, ColumnMeaning.RAW)
    written = sources.text.written(node.this), inner.names[0].name
    pair = alike(sources, node, mine, Column(means.column, means.spec.type), written)
    sources.marks += 1
    rows = paired(sources, node, scope, inner, Condition([pair]), negated, sources.marks).rows
    if negated:
        without = IsNull(Column(f"{means.column}@{sources.marks}", means.spec.type))
        test = without if keeps_null else Logic("and", (without, Not(IsNull(mine))))
        rows = Filter(rows, test)  # type: ignore[arg-type]
    return replace(scope, rows=rows)


def way_to_unit(scope: NameScope) -> str:
    """How to reach the unit by a key, if the table itself has no unit column."""
    for name in scope.names:
        if isinstance(name.means, DeclaredColumn) and name.means.is_key_to is not None:
            ours = f"{min(name.of, default=name.means.table)}.{name.name}"
            table, column = name.means.is_key_to
            return f"join the table that has the unit: JOIN {table} ON {ours} = {table}.{column}"
    return ""


def sub_query_in_where(sources: Sources, node: exp.Expression, scope: NameScope) -> Refused:
    unit = unit_name(scope)
    fix = way_to_unit(scope) if unit is None else ""
    called = "person_id" if unit is None else unit.name
    return Refused(
        "sub-query-of-many",
        "the condition depends on other people's rows",
        why="one person could decide which rows of everybody else are counted",
        fix=fix
        or f"compare the unit with the units of a sub-query: {called} IN (SELECT {called} FROM …), which asks for rows of those people",
        place=sources.text.place(node),
    )
