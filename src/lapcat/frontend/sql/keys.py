"""GROUP BY: the public values of each group key, and the grouping sets of ROLLUP, CUBE and GROUPING SETS."""

from __future__ import annotations

import datetime
import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from sqlglot import exp

from lapcat.errors import Refused
from lapcat.frontend.sql.dates import public_dates
from lapcat.frontend.sql.images import image
from lapcat.frontend.sql.lookups import PublicLookup, determined, keys_by_join, no_lookup
from lapcat.frontend.sql.naming import referred
from lapcat.frontend.sql.scalars import Scalars
from lapcat.frontend.sql.scopes import DeclaredColumn, NameScope
from lapcat.frontend.sql.text import Text
from lapcat.frontend.sql.years import named_years
from lapcat.plan.buckets import public_multiples
from lapcat.plan.expressions import (
    Case,
    Coalesce,
    Column,
    DateTrunc,
    Expression,
    Length,
    Literal,
    Position,
    children,
    parts_of,
    range_of,
)
from lapcat.plan.nodes import GroupKey
from lapcat.plan.schema import (
    Bounds,
    ColumnSpec,
    Dates,
    ListedKeys,
    PrivateKeys,
    RangeKeys,
    Type,
    Value,
)

MAX_CELLS = 2**24
"""Maximum number of groups: the noise alone of more groups would fill gigabytes."""
MAX_SETS = 64
"""Maximum number of grouping sets: they share the price of the question."""
Items = list[tuple[str | None, exp.Expression]]


@dataclass(frozen=True, slots=True)
class Grouping:
    """The group keys of a question, and its grouping sets if there are several."""

    keys: tuple[GroupKey, ...] = ()
    sets: tuple[tuple[int, ...], ...] = ()


def read_grouping(
    text: Text, scalars: Scalars, group: exp.Expression | None, items: Items, lookup: PublicLookup
) -> Grouping:
    if group is None:
        return Grouping()
    nodes, everything = text.consume(group, "expressions", "all")
    if everything:
        nodes = [
            node for _, node in items if not node.find(exp.AggFunc, exp.Window) and node.find(exp.Column)
        ]
    if not isinstance(nodes, list) or not (nodes or everything):
        raise text.missing(group)
    keys: list[GroupKey] = []
    known = {name.name.casefold() for name in scalars.scope.names}

    def meaning(node: exp.Expression) -> exp.Expression:
        return referred(text, node, items, lambda column: column.name.casefold() in known)

    nodes = _undetermined(text, scalars.scope, nodes, meaning, lookup)

    def place(node: exp.Expression) -> int:
        meant = meaning(node)
        expression = scalars.key(meant)
        for position, key in enumerate(keys):
            if key.expression == expression:
                return position
        keys.append(public_values(text, scalars, meant, expression, lookup))
        return len(keys) - 1

    choices = [_choices(text, node, place) for node in nodes]
    whole = [tuple(itertools.chain.from_iterable(parts)) for parts in itertools.product(*choices)]
    sets = tuple(dict.fromkeys(tuple(sorted(set(positions))) for positions in whole))
    grouping = Grouping(tuple(keys), () if len(sets) == 1 else sets)
    _require_few(text, group, grouping)
    return grouping


def _undetermined(
    text: Text,
    scope: NameScope,
    nodes: list[exp.Expression],
    meaning: Callable[[exp.Expression], exp.Expression],
    lookup: PublicLookup,
) -> list[exp.Expression]:
    """The keys without public columns that another key determines: those make no groups, and are looked up."""
    if any(isinstance(node, (exp.Rollup, exp.Cube, exp.GroupingSets)) for node in nodes):
        return nodes
    columns = [(node, _column(text, scope, meaning(node))) for node in nodes]
    for node, column in reversed(list(columns)):
        others = [other for each, other in columns if each is not node and other is not None]
        if column is not None and any(
            determined(scope, lookup, column, other) is not None for other in others
        ):
            columns = [pair for pair in columns if pair[0] is not node]
    return [node for node, _ in columns]


def _column(text: Text, scope: NameScope, node: exp.Expression) -> Column | None:
    """The column that a key names; None for an expression."""
    if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
        return None
    means = scope.find(text, node).means
    return Column(means.column, means.spec.type) if isinstance(means, DeclaredColumn) else None


def _choices(text: Text, node: exp.Expression, place: object) -> list[tuple[int, ...]]:
    """The grouping sets of one item of GROUP BY: one, unless it is ROLLUP, CUBE or GROUPING SETS."""
    assert callable(place)
    if not isinstance(node, (exp.Rollup, exp.Cube, exp.GroupingSets)):
        return [(place(node),)]
    (parts,) = text.consume(node, "expressions")
    assert isinstance(parts, list)
    if isinstance(node, exp.GroupingSets):
        return [choice for part in parts for choice in _set_choices(text, part, place)]
    singles = [_one_set(text, part, place) for part in parts]
    if isinstance(node, exp.Rollup):
        return [
            tuple(itertools.chain.from_iterable(singles[:length])) for length in range(len(singles), -1, -1)
        ]
    if 2 ** len(singles) > MAX_SETS:
        raise _too_many_sets(text, node, 2 ** len(singles))
    kept = itertools.product((True, False), repeat=len(singles))
    return [
        tuple(itertools.chain.from_iterable(s for s, keep in zip(singles, flags, strict=True) if keep))
        for flags in kept
    ]


def _set_choices(text: Text, part: exp.Expression, place: object) -> list[tuple[int, ...]]:
    if isinstance(part, (exp.Rollup, exp.Cube, exp.GroupingSets)):
        return _choices(text, part, place)
    return [_one_set(text, part, place)]


def _one_set(text: Text, part: exp.Expression, place: object) -> tuple[int, ...]:
    """(a, b) or a."""
    assert callable(place)
    if isinstance(part, exp.Tuple):
        (nodes,) = text.consume(part, "expressions")
        return tuple(place(node) for node in nodes or [])  # type: ignore[attr-defined]
    if isinstance(part, exp.Paren):
        (part,) = text.consume(part, "this")  # type: ignore[assignment]
    return (place(part),)


def _too_many_sets(text: Text, node: exp.Expression, sets: int) -> Refused:
    return Refused(
        "too-many-groups",
        f"{sets} grouping sets, more than {MAX_SETS}",
        why="the grouping sets share the price, so each would get a small part of it",
        fix="ask for fewer: ROLLUP of the same columns, or GROUPING SETS with those that you need",
        place=text.place(node),
    )


def _each_set(grouping: Grouping) -> str:
    """GROUP BY of each grouping set, as a question of its own."""
    names = [", ".join(grouping.keys[position].name for position in positions) for positions in grouping.sets]
    return "; ".join(f"GROUP BY {listed}" if listed else "without GROUP BY" for listed in names)


def _width(key: GroupKey) -> int:
    return 1 if key.is_private else key.size


def _require_few(text: Text, node: exp.Expression, grouping: Grouping) -> None:
    if len(grouping.sets) > MAX_SETS:
        raise _too_many_sets(text, node, len(grouping.sets))
    private = [key.name for key in grouping.keys if key.is_private]
    if private and grouping.sets:
        raise Refused(
            "private-sets",
            f"{private[0]} has private keys, which cannot be in several grouping sets",
            why="each grouping set would need a threshold of its own",
            fix=f"ask each grouping by itself: {_each_set(grouping)}",
            place=text.place(node),
        )
    cells = 0
    for positions in grouping.sets or (tuple(range(len(grouping.keys))),):
        product = 1
        for position in positions:
            product *= _width(grouping.keys[position])
        cells += product
    if cells > MAX_CELLS:
        raise Refused(
            "too-many-groups",
            f"the declared keys make {cells} groups, more than {MAX_CELLS}",
            why="every declared group gets noise, whether or not anybody is in it",
            fix=f"group by fewer columns, or by wider groups of {max(grouping.keys, key=_width).name}",
            place=text.place(node),
        )


def public_values(
    text: Text,
    scalars: Scalars,
    node: exp.Expression,
    expression: Expression,
    lookup: PublicLookup = no_lookup,
) -> GroupKey:
    """The public values of a group key; without them the presence of a group would reveal somebody."""
    written = text.written(node)
    if isinstance(expression, Column):
        declared = scalars.scope.declared(expression.name)
        spec = declared.spec if declared is not None else ColumnSpec(written, expression.type)
        values = _declared(spec)
        if isinstance(spec.keys, PrivateKeys) and spec.type is not Type.FLOAT:
            scalars.note(f"groups of {spec.name} below the threshold are not shown (its keys are private)")
            return GroupKey(written, expression, None)
        if values is None:
            joined = keys_by_join(scalars.scope, lookup, expression)
            if joined is not None:
                return GroupKey(written, expression, joined)
            raise _keys_missing(text, node, spec, declared)
        other = isinstance(spec.keys, ListedKeys) and spec.keys.other
        if declared is not None and declared.is_read:
            scalars.note(f"rows without {spec.name} belong to no group")
        elif not other:
            scalars.note(
                f"rows whose {spec.name} is not a declared key belong to no group ({text.declaring.place})"
            )
        return GroupKey(written, expression, values, other)
    if isinstance(expression, Coalesce) and isinstance(expression.operand, Column):
        return _with_replacement(text, scalars, node, expression)
    dates = public_dates(text, node, expression, MAX_CELLS)
    if dates is not None:
        return GroupKey(written, expression, dates)
    if expression.type is Type.BOOLEAN:
        return GroupKey(written, expression, (False, True))
    years = named_years(text, scalars.scope, node, expression)
    if years is not None:
        return GroupKey(written, expression, years)
    if any(isinstance(part, (Length, Position)) for part in parts_of(expression)):
        measures = _image(text, scalars, node, expression)
        if measures is not None:
            return measures
    multiples = public_multiples(expression, MAX_CELLS)
    if multiples is not None:
        return GroupKey(written, expression, multiples)
    reach = range_of(expression)
    if expression.type is Type.INTEGER and reach.bounded and reach.fits_integer:
        return GroupKey(written, expression, range(int(reach.low), int(reach.high) + 1))
    listed = _constants(expression)
    if listed is not None and expression.type is not Type.FLOAT:
        return GroupKey(written, expression, listed)
    if _is_private(scalars, expression):
        scalars.note(f"groups of {written} below the threshold are not shown (its keys are private)")
        return GroupKey(written, expression, None)
    computed = _image(text, scalars, node, expression)
    if computed is not None:
        return computed
    raise Refused(
        "keys-missing",
        f"the groups of {written} are not public",
        why="a group that appears only because one person is in it would reveal that they are in the data",
        fix=_bounded_groups(text, scalars, node, expression)
        or _other_groups(written, expression.type, bounded=False),
        place=text.place(node),
    )


def _is_private(scalars: Scalars, expression: Expression) -> bool:
    """Whether the groups of an expression are private: its values come from columns with private keys, and from bounded ones.

    The threshold protects the groups of any expression; what the declaration adds is that the steward let these values be shown.
    """
    declared = [scalars.scope.declared(column.name) for column in _shown_columns(expression)]
    keys = [means.spec.keys if means is not None else None for means in declared]
    bounded = [means is not None and _is_bounded(means.spec) for means in declared]
    private = [isinstance(values, PrivateKeys) for values in keys]
    return any(private) and all(map(operator.or_, private, bounded)) and expression.type is not Type.FLOAT


def _is_bounded(spec: ColumnSpec) -> bool:
    """Whether a key reads only declared values of the column: those outside its bounds are NULL."""
    return isinstance(spec.keys, RangeKeys) or (spec.keys is None and spec.bounds is not None)


def _shown_columns(expression: Expression) -> Iterator[Column]:
    """The columns whose values an expression may show; a condition shows nothing but which branch is taken."""
    if isinstance(expression, Column):
        yield expression
    for child in children(expression):
        if child.type is not Type.BOOLEAN:
            yield from _shown_columns(child)


def _image(text: Text, scalars: Scalars, node: exp.Expression, expression: Expression) -> GroupKey | None:
    """UPPER(region), region || '-' || sex: what the public values of the columns become."""

    def public(column: str) -> Sequence[Value] | None:
        declared = scalars.scope.declared_inside(column)
        return None if declared is None else _declared(declared.spec)

    values = image(expression, public)
    if values is None:
        return None
    written = text.written(node)
    scalars.note(f"rows whose {written} does not follow from declared values belong to no group")
    return GroupKey(written, expression, values)


def _bounded_groups(text: Text, scalars: Scalars, node: exp.Expression, expression: Expression) -> str:
    """The same groups once the column of a whole number or of a date has bounds; empty where that is not so."""
    columns = list(node.find_all(exp.Column))
    if len(columns) != 1:
        return ""
    means = scalars.scope.find(text, columns[0]).means
    column, written = text.written(columns[0]), text.written(node)
    if isinstance(expression, DateTrunc) and isinstance(means, DeclaredColumn) and means.spec.bounds is None:
        if means.table == "the sub-query" or means.is_read:
            return ""
        line = text.declaring.bounds(means.table, means.spec.name, means.spec.type)
        return f"give the bounds of {column}, as you know them: {line}"
    if expression.type is not Type.INTEGER:
        return ""
    unbounded = isinstance(means, DeclaredColumn) and means.spec.type.is_number and means.spec.bounds is None
    if not unbounded or written.count(column) != 1 or written == column:
        return ""
    clamped = written.replace(column, f"CLAMP({column}, LOW, HIGH)")
    return f"give the bounds of {column}, as you know them, in SELECT and GROUP BY: {clamped}"


def _with_replacement(text: Text, scalars: Scalars, node: exp.Expression, expression: Coalesce) -> GroupKey:
    """COALESCE(key, 'none'): the key's public values, and one group for rows where it is NULL."""
    inner = public_values(text, scalars, node, expression.operand)
    replacement = expression.replacement.value
    if inner.values is None:
        return GroupKey(text.written(node), expression, None)
    if inner.other:
        raise Refused(
            "keys-missing",
            f"the groups of {text.written(node)} are not public",
            why="the groups of its column are not all listed",
            fix=f"GROUP BY {text.quoted(node.this)}, where rows without a value belong to no group",
            place=text.place(node),
        )
    if isinstance(inner.values, range):
        listed = isinstance(replacement, int) and replacement in inner.values
        values = inner.values if listed else (*inner.values, replacement)
    else:
        values = inner.values if replacement in inner.values else (*inner.values, replacement)
    return GroupKey(text.written(node), expression, values)


def _keys_missing(
    text: Text, node: exp.Expression, spec: ColumnSpec, declared: DeclaredColumn | None
) -> Refused:
    written = text.written(node)
    if declared is not None and declared.is_read:
        return _no_keys_read(text, node, spec, declared)
    fixes = []
    if declared is not None and declared.table != "the sub-query":
        if spec.type is Type.TEXT:
            fixes.append(
                f"list its public values: {text.declaring.keys(declared.table, spec.name, spec.type)}"
            )
        elif spec.type in (Type.INTEGER, Type.DATE):
            ask = "give its bounds, as you know them"
            fixes.append(f"{ask}: {text.declaring.bounds(declared.table, spec.name, spec.type)}")
        elif spec.type is Type.TIMESTAMP:
            line = text.declaring.private_keys(declared.table, spec.name, spec.type)
            fixes.append(f"show those that enough people share: {line}; the question then takes a delta")
    fixes.append(_other_groups(written, spec.type, bounded=isinstance(spec.bounds, Bounds)))
    return Refused(
        "keys-missing",
        f"GROUP BY {written} needs public keys for {written}",
        why="a group that appears only because one person is in it would reveal that they are in the data",
        fix="; or ".join(fixes),
        place=text.place(node),
    )


def _no_keys_read(text: Text, node: exp.Expression, spec: ColumnSpec, declared: DeclaredColumn) -> Refused:
    written = text.written(node)
    fixes = [_other_groups(written, spec.type, bounded=isinstance(spec.bounds, Bounds))]
    if spec.type is not Type.FLOAT:
        fixes.append(f"declare the columns of {declared.table}, with keys for {spec.name}")
    return Refused(
        "keys-missing",
        f"GROUP BY {written} needs keys for {written}, and `refresh` read none",
        why="it reads keys of text, integer and date columns with at most 1000 values, none longer than 100 characters",
        fix="; or ".join(fixes),
        place=text.place(node),
    )


def _other_groups(written: str, kind: Type, *, bounded: bool) -> str:
    """An expression with public values to group by instead; it asks a different question."""
    match kind:
        case Type.INTEGER | Type.FLOAT:
            other = f"BUCKETS({written})" if bounded else f"BUCKETS(CLAMP({written}, LOW, HIGH))"
        case Type.DATE | Type.TIMESTAMP:
            other = f"MONTH({written})"
        case Type.TEXT | Type.BOOLEAN:
            other = f"CASE WHEN {written} = '…' THEN '…' ELSE 'other' END"
        case _:
            assert_never(kind)
    return f"ask for other groups, in SELECT and GROUP BY: {other}"


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
        case Type.INTEGER, Bounds(low_end, high_end):
            return range(int(low_end), int(high_end) + 1)
        case Type.DATE, Dates(first, last):
            return tuple(first + datetime.timedelta(days=day) for day in range((last - first).days + 1))
    return None


def _constants(expression: Expression) -> tuple[Value, ...] | None:
    """The values of a CASE with constant results, in the order they are written."""
    if isinstance(expression, Literal):
        return (expression.value,)
    if not isinstance(expression, Case):
        return None
    distinct: dict[Value, None] = {}
    branches: Sequence[Expression | None] = [*(value for _, value in expression.whens), expression.otherwise]
    for branch in branches:
        values = _constants(branch) if branch is not None else ()
        if values is None:
            return None
        distinct.update(dict.fromkeys(values))
    return tuple(distinct)
