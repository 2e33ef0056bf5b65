"""The steward's statements: a table's rows as its snapshot holds them, and how they fit the catalogue.

Nothing here is ever shown to an analyst.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from sqlglot import exp

from lapcat.core.exact import exact_text
from lapcat.engines.sql.dialect import Dialect
from lapcat.engines.sql.expressions import NAN
from lapcat.engines.sql.relation import RANK, ROWS, Relation, from_text, may_be_nan
from lapcat.engines.sql.statement import typed_column
from lapcat.engines.sql.words import (
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
from lapcat.engines.values import coerce
from lapcat.plan.schema import ColumnSpec, Dates, Interval, ListedKeys, RangeKeys, Type


def typed_statement(
    relation: Relation, columns: Mapping[str, Type], unit: str | None, key: bytes, dialect: Dialect
) -> str:
    """All rows with their columns as declared; where there is a unit column, with the contribution index, and
    without the rows whose unit is NULL."""
    outputs = [named(_clean_column(relation, n, kind, dialect), n) for n, kind in columns.items()]
    typed = select(*outputs, source=relation.source)
    if unit is None:
        return typed.sql(dialect.name)
    digest = dialect.digest(_canonical_text(columns, key, dialect))
    present = negated(is_null(column(unit)))
    hashed = select(exp.Star(), named(digest, "_lapcat_digest"), source=table("typed"), where=[present])
    rank = exp.Window(
        this=exp.RowNumber(),
        partition_by=[column(unit)],
        order=exp.Order(
            expressions=[exp.Ordered(this=by) for by in dialect.digest_order(column("_lapcat_digest"))]
        ),
    )
    count = exp.Window(this=exp.Count(this=exp.Star()), partition_by=[column(unit)])
    ranked = select(*map(column, columns), named(rank, RANK), named(count, ROWS), source=table("hashed"))
    return steps(ranked, [("typed", typed), ("hashed", hashed)]).sql(dialect.name)


def _clean_column(relation: Relation, column_name: str, kind: Type, dialect: Dialect) -> SQL:
    typed = typed_column(relation, column_name, kind, dialect)
    loose = not relation.typed and may_be_nan(relation.physical[column_name], kind)
    return call("nullif", typed, NAN) if loose else typed


def _canonical_text(columns: Mapping[str, Type], key: bytes, dialect: Dialect) -> SQL:
    """The key and engines/values.py's canonical text. CONCAT leaves NULLs out, as that text does."""
    parts: list[SQL] = []
    for column_name in sorted(columns):
        parts += [string(";"), _field(column(column_name), columns[column_name], dialect)]
    return call("concat", string(key.hex()), *parts[1:])


def _field(x: SQL, kind: Type, dialect: Dialect) -> SQL:
    match kind:
        case Type.INTEGER | Type.DATE:
            return cast(x, "VARCHAR")
        case Type.FLOAT:
            return dialect.float_text(x)
        case Type.TEXT:
            length = cast(call("length", x), "VARCHAR")
            return binary(exp.DPipe, binary(exp.DPipe, length, string(":")), x)
        case Type.BOOLEAN:
            return case((x, string("t")), (negated(x), string("f")))
        case Type.TIMESTAMP:
            return cast(dialect.microseconds(x), "VARCHAR")


def describe_statement(source: SQL, dialect: Dialect) -> str:
    """The names and types of what could stand after FROM; reads no row."""
    return "DESCRIBE " + select(exp.Star(), source=source).sql(dialect.name)


def size_statement(relation: Relation, dialect: Dialect) -> str:
    """How many rows a snapshot has, and how many units."""
    units: SQL = exp.Count(this=exp.Star())
    if relation.ranked:
        first = equal(column(RANK), number(1))
        units = exp.Filter(this=units, expression=exp.Where(this=first))
    return select(exp.Count(this=exp.Star()), units, source=relation.source).sql(dialect.name)


def check_statement(
    relation: Relation,
    columns: Mapping[str, ColumnSpec],
    unit: tuple[str, Type] | None,
    rows_per_unit: int,
    dialect: Dialect,
) -> tuple[str, list[tuple[str, str]]]:
    """One row of counts, and for each count the column and the rule that so many rows break."""
    kinds = {spec.name: spec.type for spec in columns.values()}
    if unit is not None:
        kinds.setdefault(*unit)
    outputs = [named(_clean_column(relation, n, kind, dialect), n) for n, kind in kinds.items()]
    typed = select(*outputs or [number(1)], source=relation.source)
    rules: list[tuple[str, str, SQL]] = []
    if unit is not None:
        rules += _unit_rules(unit[0], rows_per_unit)
    for spec in columns.values():
        rules += _column_rules(spec)
    counts = [named(sql, f"c{position}") for position, (_, _, sql) in enumerate(rules)]
    statement = steps(select(*counts or [number(1)], source=table("typed")), [("typed", typed)])
    return statement.sql(dialect.name), [(column_name, rule) for column_name, rule, _ in rules]


def _unit_rules(unit: str, most: int) -> list[tuple[str, str, SQL]]:
    counted = named(exp.Count(this=exp.Star()), "_lapcat_n")
    present = negated(is_null(column(unit)))
    people = select(counted, source=table("typed"), where=[present]).group_by(column(unit), copy=False)
    excess = call("sum", call("greatest", minus(column("_lapcat_n"), integer(most)), number(0)))
    over = select(call("coalesce", excess, number(0)), source=exp.Subquery(this=people, alias=name("people")))
    return [
        (unit, "have no unit and are dropped", _count_of(is_null(column(unit)))),
        (
            unit,
            f"are more than rows_per_unit = {most} of their unit and are not counted",
            exp.Subquery(this=over),
        ),
    ]


def _column_rules(spec: ColumnSpec) -> list[tuple[str, str, SQL]]:
    x = column(spec.name)
    rules = [(spec.name, f"are NULL, or not {spec.type}", _count_of(is_null(x)))]
    match spec.bounds:
        case Interval(low, high):
            below, above = _bound(low, spec.type, math.ceil), _bound(high, spec.type, math.floor)
            rules.append((spec.name, f"are below {exact_text(low)}", _count_of(less(x, below))))
            rules.append((spec.name, f"are above {exact_text(high)}", _count_of(less(above, x))))
        case Dates(first, last):
            day = cast(x, "DATE")
            rules.append((spec.name, f"are before {first}", _count_of(less(day, constant(first)))))
            rules.append((spec.name, f"are after {last}", _count_of(less(constant(last), day))))
    match spec.keys:
        case ListedKeys(values):
            typed = [value for value in (coerce(value, spec.type) for value in values) if value is not None]
            unlisted = negated(one_of(x, map(constant, typed)))
            rules.append((spec.name, "are not among the keys", _count_of(unlisted)))
        case RangeKeys(least, greatest):
            outside = joined(exp.Or, [less(x, integer(least)), less(integer(greatest), x)])
            rules.append((spec.name, f"are not among the keys {least} to {greatest}", _count_of(outside)))
    return rules


def _count_of(condition: SQL) -> SQL:
    return exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=condition))


def _bound(end: Fraction, kind: Type, towards_inside: Callable[[Fraction], int]) -> SQL:
    return constant(towards_inside(end) if kind is Type.INTEGER else float(end))


def guess_statement(relation: Relation, candidates: Sequence[Type], dialect: Dialect) -> str:
    """For each text column: how many cells hold something, and how many of them fit each candidate type."""
    outputs: list[SQL] = []
    for column_name in relation.physical:
        x = column(column_name)
        filled = joined(
            exp.And, [negated(is_null(x)), binary(exp.NEQ, call("trim", x, string(" ")), string(""))]
        )
        outputs.append(_count_of(filled))
        outputs += [exp.Count(this=from_text(x, kind, dialect)) for kind in candidates]
    numbered = [named(sql, f"c{position}") for position, sql in enumerate(outputs)]
    return select(*numbered, source=relation.source).sql(dialect.name)
