"""Short constructors of SQLGlot nodes.

A node may be used in several places: printing copies the whole statement first.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from functools import cache, reduce
from typing import Literal, TypeVar, assert_never

from sqlglot import exp

from lapcat.plan.expressions import Casing
from lapcat.plan.schema import Value
from lapcat.plan.texts import LETTERS

SQL = exp.Expression
Query = TypeVar("Query", exp.Select, exp.Select | exp.SetOperation)

JoinKind = Literal["inner", "left", "right"]
FLOAT_OPERATORS: dict[str, type[SQL]] = {"+": exp.Add, "-": exp.Sub, "*": exp.Mul, "/": exp.Div}


def name(text: str) -> exp.Identifier:
    return exp.to_identifier(text, quoted=True)


def column(text: str, table: str | None = None) -> SQL:
    return exp.Column(this=name(text), table=None if table is None else name(table))


def string(text: str) -> SQL:
    return exp.Literal.string(text)


def number(value: int) -> SQL:
    return exp.Literal.number(value)


def integer(value: int) -> SQL:
    return cast(number(value), "BIGINT")


def double(value: float) -> SQL:
    """A double in its shortest decimal form, which every engine reads back exactly."""
    return cast(string(repr(float(value))), "DOUBLE")


def constant(value: Value) -> SQL:
    match value:
        case bool():
            return exp.Boolean(this=value)
        case int():
            return integer(value)
        case float():
            return double(value)
        case str():
            return string(value)
        case datetime.datetime():
            return cast(string(value.isoformat(sep=" ")), "TIMESTAMP")
        case datetime.date():
            return cast(string(value.isoformat()), "DATE")
        case _:
            assert_never(value)


def cast(x: SQL, kind: str) -> SQL:
    return exp.Cast(this=x, to=_data_type(kind))


def try_cast(x: SQL, kind: str) -> SQL:
    return exp.TryCast(this=x, to=_data_type(kind))


@cache
def _data_type(kind: str) -> exp.DataType:
    """Cached: SQLGlot parses the name of a type on every call."""
    # DuckDB's DECIMAL has 18 digits; this one has the engine's default
    return exp.DataType.build(kind, dialect=None if kind == "DECIMAL" else "duckdb")


def call(function: str, *arguments: SQL) -> SQL:
    """A function call by name; SQLGlot does not translate it."""
    return exp.Anonymous(this=function, expressions=list(arguments))


def translated(x: SQL, how: Casing) -> SQL:
    """A text with its ASCII letters in upper or lower case, letter by letter."""
    return call("translate", x, *map(string, LETTERS[how]))


def binary(operator: type[SQL], left: SQL, right: SQL) -> SQL:
    return operator(this=wrapped(left), expression=wrapped(right))


def less(left: SQL, right: SQL) -> SQL:
    return binary(exp.LT, left, right)


def at_most(left: SQL, right: SQL) -> SQL:
    return binary(exp.LTE, left, right)


def at_least(left: SQL, right: SQL) -> SQL:
    return binary(exp.GTE, left, right)


def equal(left: SQL, right: SQL) -> SQL:
    return binary(exp.EQ, left, right)


def plus(left: SQL, right: SQL) -> SQL:
    return binary(exp.Add, left, right)


def minus(left: SQL, right: SQL) -> SQL:
    return binary(exp.Sub, left, right)


def times(left: SQL, right: SQL) -> SQL:
    return binary(exp.Mul, left, right)


def ratio(left: SQL, right: SQL) -> SQL:
    """left / right of two doubles, or of two integers on an engine that truncates integer division."""
    quotient = binary(exp.Div, left, right)
    quotient.set("typed", True)  # so that SQLGlot adds no conversion
    return quotient


def between(x: SQL, low: SQL, high: SQL) -> SQL:
    return exp.Between(this=wrapped(x), low=wrapped(low), high=wrapped(high))


def one_of(x: SQL, values: Iterable[SQL]) -> SQL:
    return exp.In(this=wrapped(x), expressions=list(values))


def negated(x: SQL) -> SQL:
    return exp.Not(this=wrapped(x))


def is_null(x: SQL) -> SQL:
    return exp.Is(this=wrapped(x), expression=exp.Null())


def joined(operator: type[SQL], operands: Sequence[SQL]) -> SQL:
    """AND or OR of any number of operands, as a balanced tree: a thousand operands are ten levels deep."""
    if len(operands) == 1:
        return operands[0]
    half = len(operands) // 2
    return binary(operator, joined(operator, operands[:half]), joined(operator, operands[half:]))


def case(*whens: tuple[SQL, SQL], otherwise: SQL | None = None) -> SQL:
    return exp.Case(
        ifs=[exp.If(this=condition, true=value) for condition, value in whens],
        default=otherwise,
    )


def filtered(aggregate: SQL, where: SQL | None) -> SQL:
    """An aggregate over the rows for which a condition is true."""
    return aggregate if where is None else exp.Filter(this=aggregate, expression=exp.Where(this=where))


def select(*columns: SQL, source: SQL, where: Sequence[SQL] = ()) -> exp.Select:
    statement = exp.select(*columns, copy=False).from_(source, copy=False)
    return statement.where(joined(exp.And, where), copy=False) if where else statement


def join(statement: exp.Select, other: SQL, on: SQL, kind: JoinKind) -> exp.Select:
    side = {"kind": "INNER"} if kind == "inner" else {"side": kind.upper()}
    statement.append("joins", exp.Join(this=other, on=on, **side))
    return statement


def the_value(of: str, source: SQL) -> SQL:
    """A scalar sub-query: a column of a table with one row."""
    return exp.Subquery(this=select(column(of), source=source))


def named(x: SQL, alias: str) -> SQL:
    return exp.Alias(this=x, alias=name(alias))


def table(alias: str) -> SQL:
    return exp.Table(this=name(alias))


def steps(
    statement: Query,
    earlier: Sequence[tuple[str, exp.Select | exp.SetOperation]],
    materialized: bool | None,
) -> Query:
    """The statement with the earlier steps as WITH clauses."""
    return reduce(
        lambda so_far, step: so_far.with_(name(step[0]), as_=step[1], materialized=materialized, copy=False),
        earlier,
        statement,
    )


def wrapped(x: SQL) -> SQL:
    """In parentheses, unless the node binds tightly."""
    tight = (exp.Column, exp.Literal, exp.Cast, exp.TryCast, exp.Func, exp.Boolean, exp.Paren)
    return x if isinstance(x, tight) and not isinstance(x, exp.Binary) else exp.Paren(this=x)
