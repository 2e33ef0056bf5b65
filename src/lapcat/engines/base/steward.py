"""The steward's statements: the rows of a snapshot, and checks of rows against the catalogue.

Their results are never shown to an analyst.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from lapcat.core.exact import exact_text
from lapcat.engines.base.dialect import Dialect
from lapcat.engines.base.expressions import in_base
from lapcat.engines.base.relation import RANK, ROWS, UNIT, SourceRelation, read_column, short_enough
from lapcat.engines.base.rows import RowWriter, Step
from lapcat.engines.base.weights import Ready
from lapcat.engines.base.words import (
    SQL,
    binary,
    call,
    case,
    cast,
    column,
    constant,
    equal,
    integer,
    is_null,
    join,
    joined,
    less,
    minus,
    name,
    named,
    negated,
    number,
    one_of,
    select,
    steps,
    string,
    table,
)
from lapcat.engines.values import coerce, secret
from lapcat.plan.schema import Bounds, ColumnSpec, Dates, ListedKeys, RangeKeys, Type


@dataclass(frozen=True, slots=True)
class Owner:
    """How a row's unit is found: in a column, or, through a key, in a row of another table."""

    column: str
    through: tuple[SQL, str] | None = None
    """The other table's snapshot and its unique column."""
    has_one_row: bool = False
    """Whether the column is declared unique, so that every unit has one row and needs no order."""


def typed_statement(
    relation: SourceRelation,
    columns: Mapping[str, Type],
    kept: Sequence[str],
    owner: Owner | None,
    key: bytes | SQL,
    dialect: Dialect,
    ready: Ready | None = None,
) -> str:
    """The rows of a snapshot as SQL text (see `typed_rows`)."""
    return dialect.printed(typed_rows(relation, columns, kept, owner, key, dialect, ready))


def typed_rows(
    relation: SourceRelation,
    columns: Mapping[str, Type],
    kept: Sequence[str],
    owner: Owner | None,
    key: bytes | SQL,
    dialect: Dialect,
    ready: Ready | None = None,
) -> exp.Select:
    """All rows, with the columns `kept`. If rows have an owner, rows without a unit are dropped, the contribution index is
    added, and rows of low rank come first, so that a query with a small limit reads only those. `ready`: the precomputed
    integers to add."""
    if owner is None:
        return _with_ready(
            _typed(relation, {n: columns[n] for n in kept}, dialect), [], columns, kept, ready, dialect
        )
    earlier = [("typed", _typed(relation, columns, dialect)), ("owned", _owned(columns, owner))]
    present = negated(is_null(column(UNIT)))
    if owner.has_one_row:
        first, only = (named(cast(number(1), dialect.index_integer), name) for name in (RANK, ROWS))
        held = select(*map(column, kept), column(UNIT), first, only, source=table("owned"), where=[present])
        return _with_ready(held, earlier, columns, kept, ready, dialect)
    hashed = select(
        *map(column, kept),
        column(UNIT),
        named(dialect.digest(_canonical_text(columns, key, dialect)), "_lapcat_digest"),
        source=table("owned"),
        where=[present],
    )
    order = dialect.digest_order(column("_lapcat_digest"))
    rank = _over_the_unit(exp.RowNumber(), order)
    count = _over_the_unit(exp.Count(this=exp.Star()), order, whole=True)
    kind = dialect.index_integer
    index = [column(UNIT), named(cast(rank, kind), RANK), named(cast(count, kind), ROWS)]
    ranked = select(*map(column, kept), *index, source=table("hashed"))
    before = [*earlier, ("hashed", dialect.named_step(hashed))]
    held = _with_ready(ranked, before, columns, kept, ready, dialect)
    return dialect.stored_by(held, column(RANK))


def _over_the_unit(function: SQL, order: Sequence[SQL], *, whole: bool = False) -> SQL:
    """A window function over the ordered rows of the unit. A function of all of them (`whole`) needs no order but uses the
    same, so that rows are sorted once for both."""
    every = exp.WindowSpec(
        kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="UNBOUNDED", end_side="FOLLOWING"
    )
    return exp.Window(
        this=function,
        partition_by=[column(UNIT)],
        order=exp.Order(expressions=[exp.Ordered(this=by) for by in order]),
        spec=every if whole else None,
    )


def _with_ready(
    indexed: exp.Select,
    earlier: Sequence[tuple[str, exp.Select]],
    columns: Mapping[str, Type],
    kept: Sequence[str],
    ready: Ready | None,
    dialect: Dialect,
) -> exp.Select:
    """The indexed rows, with the precomputed integers."""
    if ready is None:
        return steps(indexed, earlier, dialect.materialized)
    rows = RowWriter({}, dialect, [*earlier, ("indexed", indexed)])
    carried = (*kept, UNIT, RANK, ROWS) if ready.max_rows is not None else tuple(kept)
    base = [*map(column, carried), *(named(column(n), in_base(n)) for n in ready.sums)]
    step = Step(rows.add("base", select(*base, source=table("indexed"))), {n: columns[n] for n in ready.sums})
    writer = rows.writer(step)
    codes = ready.columns(writer, call("greatest", integer(ready.max_rows or 1), column(ROWS)))
    outputs = [*map(column, carried), *(named(code.sql, n) for n, code in codes.items())]
    last = select(*outputs, source=table(rows.named_values(step, writer)))
    return steps(last, rows.steps, dialect.materialized)


def _typed(relation: SourceRelation, columns: Mapping[str, Type], dialect: Dialect) -> exp.Select:
    outputs = [named(_clean_column(relation, n, kind, dialect), n) for n, kind in columns.items()]
    return select(*outputs or [named(number(1), "_lapcat_row")], source=relation.source)


def _owned(columns: Mapping[str, Type], owner: Owner) -> exp.Select:
    """The typed rows with their units; NULL if the row names none, or one that the other table does not have."""
    if owner.through is None:
        return select(*map(column, columns), named(column(owner.column), UNIT), source=table("typed"))
    snapshot, key = owner.through
    way = select(named(column(key), "_lapcat_key"), column(UNIT), source=snapshot)
    rows = select(*(column(n, "typed") for n in columns), column(UNIT, "way"), source=table("typed"))
    meet = equal(column(owner.column, "typed"), column("_lapcat_key", "way"))
    return join(rows, exp.Subquery(this=way, alias=name("way")), meet, "left")


def _clean_column(relation: SourceRelation, column_name: str, kind: Type, dialect: Dialect) -> SQL:
    typed = read_column(relation, column(column_name), column_name, kind, dialect)
    assert typed is not None, "columns that cannot hold their type are refused when the table is opened"
    return short_enough(typed, kind, relation.max_length)


def repeats_statement(relation: SourceRelation, names: Sequence[str], dialect: Dialect) -> str:
    """For each column the number of duplicates: non-NULL values minus distinct values."""
    counts = [named(_repeats(column_name), f"c{position}") for position, column_name in enumerate(names)]
    return dialect.printed(select(*counts, source=relation.source))


def repeated_key_statement(relation: SourceRelation, key: Sequence[str], dialect: Dialect) -> str:
    """The number of rows that repeat the values of another row in all columns of a key; rows with a NULL do not count."""
    return dialect.printed(_repeated_key(relation.source, key))


def _repeated_key(source: SQL, key: Sequence[str]) -> exp.Select:
    columns = [column(column_name) for column_name in key]
    present = [negated(is_null(x.copy())) for x in columns]
    counted = named(exp.Count(this=exp.Star()), "_lapcat_n")
    groups = select(counted, source=source, where=present).group_by(*columns, copy=False)
    excess = call("coalesce", call("sum", minus(column("_lapcat_n"), integer(1))), number(0))
    return select(cast(excess, "BIGINT"), source=exp.Subquery(this=groups, alias=name("keys")))


def _repeats(column_name: str) -> SQL:
    different = exp.Count(this=exp.Distinct(expressions=[column(column_name)]))
    return minus(exp.Count(this=column(column_name)), different)


def straddling_statement(relation: SourceRelation, block: str, dialect: Dialect) -> str:
    """The number of units whose rows have different values of a column; NULL counts as a value."""
    return dialect.printed(_straddling(relation.source, block))


def _straddling(source: SQL, block: str) -> exp.Select:
    x = column(block)
    present, rows = exp.Count(this=x), exp.Count(this=exp.Star())
    differ = less(call("min", x), call("max", x))
    partly = joined(exp.And, [less(number(0), present), less(present.copy(), rows)])
    owned = negated(is_null(column(UNIT)))
    people = select(column(UNIT), source=source, where=[owned]).group_by(column(UNIT), copy=False)
    several = people.having(joined(exp.Or, [differ, partly]), copy=False)
    return select(exp.Count(this=exp.Star()), source=exp.Subquery(this=several, alias=name("several")))


def _canonical_text(columns: Mapping[str, Type], key: bytes | SQL, dialect: Dialect) -> SQL:
    """The secret key and the canonical text of engines/values.py. `key`: the bytes, or SQL that reads them."""
    parts: list[SQL] = []
    for column_name in sorted(columns):
        parts += [string(";"), _field(column(column_name), columns[column_name], dialect)]
    first = string(secret(key)) if isinstance(key, bytes) else key
    return dialect.concatenated([first, *parts[1:]])


def _field(x: SQL, kind: Type, dialect: Dialect) -> SQL:
    match kind:
        case Type.INTEGER | Type.DATE:
            return dialect.shown(x)
        case Type.FLOAT:
            return dialect.float_text(x)
        case Type.TEXT:
            return dialect.counted_text(x)
        case Type.BOOLEAN:
            return case((x, string("t")), (negated(x), string("f")))
        case Type.TIMESTAMP:
            return dialect.shown(dialect.microseconds(x))


def size_statement(relation: SourceRelation, dialect: Dialect) -> str:
    """Row count and unit count of a snapshot."""
    units: SQL = exp.Count(this=exp.Star())
    if relation.ranked:
        first = equal(column(RANK), number(1))
        units = exp.Filter(this=units, expression=exp.Where(this=first))
    return dialect.printed(select(exp.Count(this=exp.Star()), units, source=relation.source))


def check_statement(
    relation: SourceRelation,
    columns: Mapping[str, Type],
    specs: Sequence[ColumnSpec],
    owner: Owner | None,
    rows_per_unit: int,
    dialect: Dialect,
    block: str | None = None,
    keys: Sequence[Sequence[str]] = (),
) -> tuple[str, list[tuple[str, str, str]]]:
    """A statement with one row of counts, and for each count its column, its rule and what it counts: rows or units.
    `block`: a column in which each unit must have one value; `keys`: unique keys of several columns."""
    rules: list[tuple[str, str, SQL]] = []
    earlier = [("typed", _typed(relation, columns, dialect))]
    if owner is not None:
        earlier.append(("owned", _owned(columns, owner)))
        rules += _unit_rules(owner.column, rows_per_unit)
    for spec in specs:
        rules += _column_rules(spec, relation.max_length, dialect)
    for key in keys:
        repeated = exp.Subquery(this=_repeated_key(table(earlier[-1][0]), key))
        rules.append((", ".join(key), "repeat the values of another row, and are declared unique", repeated))
    labels = [(column_name, rule, "rows") for column_name, rule, _ in rules]
    expressions = [sql for _, _, sql in rules]
    if owner is not None and block is not None:
        straddling = f"have rows in several {block}, so `refresh` refuses this version"
        labels.append((owner.column, straddling, "units"))
        expressions.append(exp.Subquery(this=_straddling(table("owned"), block)))
    counts = [named(sql, f"c{position}") for position, sql in enumerate(expressions)]
    last = select(*counts or [number(1)], source=table(earlier[-1][0]))
    return dialect.printed(steps(last, earlier, dialect.materialized)), labels


def _unit_rules(unit: str, max_rows: int) -> list[tuple[str, str, SQL]]:
    counted = named(exp.Count(this=exp.Star()), "_lapcat_n")
    present = negated(is_null(column(UNIT)))
    people = select(counted, source=table("owned"), where=[present]).group_by(column(UNIT), copy=False)
    excess = call("sum", call("greatest", minus(column("_lapcat_n"), integer(max_rows)), number(0)))
    over = select(call("coalesce", excess, number(0)), source=exp.Subquery(this=people, alias=name("people")))
    return [
        (unit, "have no unit and are dropped", _count_of(is_null(column(UNIT)))),
        (
            unit,
            f"are more than rows_per_unit = {max_rows} of their unit and are not counted",
            exp.Subquery(this=over),
        ),
    ]


def _column_rules(spec: ColumnSpec, longest: int | None, dialect: Dialect) -> list[tuple[str, str, SQL]]:
    x = column(spec.name)
    unfit = f"are NULL, or not {spec.type}"
    if spec.type is Type.TEXT and longest is not None:
        unfit = f"are NULL, or longer than {longest} characters"
    rules = [(spec.name, unfit, _count_of(is_null(x)))]
    match spec.bounds:
        case Bounds(low, high):
            below, above = _bound(low, spec.type, math.ceil), _bound(high, spec.type, math.floor)
            rules.append((spec.name, f"are below {exact_text(low)}", _count_of(less(x, below))))
            rules.append((spec.name, f"are above {exact_text(high)}", _count_of(less(above, x))))
        case Dates(first, last):
            day = cast(x, "DATE")
            rules.append((spec.name, f"are before {first}", _count_of(less(day, constant(first)))))
            rules.append((spec.name, f"are after {last}", _count_of(less(constant(last), day))))
    match spec.keys:
        case ListedKeys(values):
            coerced = (coerce(value, spec.type) for value in values)
            typed = [value for value in coerced if value is not None and dialect.holds(value)]
            unlisted = negated(one_of(x, map(constant, typed)))
            rules.append((spec.name, "are not among the keys", _count_of(unlisted)))
        case RangeKeys(least, greatest):
            outside = joined(exp.Or, [less(x, integer(least)), less(integer(greatest), x)])
            rules.append((spec.name, f"are not among the keys {least} to {greatest}", _count_of(outside)))
    if spec.unique:
        rules.append((spec.name, "repeat a value, and it is declared unique", _repeats(spec.name)))
    return rules


def _count_of(condition: SQL) -> SQL:
    return exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=condition))


def extents_statement(relation: SourceRelation, columns: Mapping[str, Type], dialect: Dialect) -> str:
    """For each column: the counts of values and of distinct values, and minimum and maximum of numbers and dates, else NULL."""
    outputs: list[SQL] = []
    for column_name, kind in columns.items():
        x = column(column_name)
        outputs += [exp.Count(this=x), exp.Count(this=exp.Distinct(expressions=[x]))]
        ordered = cast(x, "DATE") if kind in (Type.DATE, Type.TIMESTAMP) else x if kind.is_number else None
        outputs += [exp.Null() if ordered is None else call(end, ordered) for end in ("min", "max")]
    numbered = [named(sql, f"c{position}") for position, sql in enumerate(outputs)]
    last = select(*numbered, source=table("typed"))
    return dialect.printed(steps(last, [("typed", _typed(relation, columns, dialect))], dialect.materialized))


def values_statement(relation: SourceRelation, column_name: str, kind: Type, dialect: Dialect) -> str:
    """The distinct values of a column, one per row."""
    x = column(column_name)
    last = select(x, source=table("typed"), where=[negated(is_null(x))]).distinct(copy=False)
    typed = _typed(relation, {column_name: kind}, dialect)
    return dialect.printed(steps(last, [("typed", typed)], dialect.materialized))


def rows_statement(
    relation: SourceRelation, columns: Mapping[str, Type], unique: str, dialect: Dialect
) -> str:
    """All rows in which a unique column is not NULL."""
    wanted = [column(name) for name in columns]
    last = select(*wanted, source=table("typed"), where=[negated(is_null(column(unique)))])
    return dialect.printed(steps(last, [("typed", _typed(relation, columns, dialect))], dialect.materialized))


def _bound(end: Fraction, kind: Type, towards_inside: Callable[[Fraction], int]) -> SQL:
    return constant(towards_inside(end) if kind is Type.INTEGER else float(end))


def guess_statement(
    relation: SourceRelation, readings: Sequence[Callable[[SQL], SQL]], dialect: Dialect, header: bool
) -> str:
    """For each text column: the number of non-empty cells, of cells equal to the column's name (if the file has a header), and
    of cells that each reading accepts."""
    outputs: list[SQL] = []
    for column_name in relation.physical:
        x = column(column_name)
        filled = joined(exp.And, [negated(is_null(x)), binary(exp.NEQ, dialect.trimmed(x), string(""))])
        again = equal(dialect.trimmed(x), string(column_name)) if header else exp.false()
        outputs += [_count_of(filled), _count_of(again)]
        outputs += [exp.Count(this=reading(x)) for reading in readings]
    numbered = [named(sql, f"c{position}") for position, sql in enumerate(outputs)]
    return dialect.printed(select(*numbered, source=relation.source))
