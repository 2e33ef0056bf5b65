"""GROUP BY YEAR(d): the public years. The calendar has 9 999, and each would be a group with its own noise.

The public years lie between the bounds of d if it has any; otherwise WHERE must restrict them. Days that are counted, as in
`b - a`, have no such condition: they need bounds, or CLAMP.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator

from sqlglot import exp

from lapcat.errors import Refused
from lapcat.frontend.sql.scopes import NameScope
from lapcat.frontend.sql.text import Text
from lapcat.plan.expressions import (
    Arithmetic,
    Cast,
    Column,
    Compare,
    DatePart,
    Expression,
    InList,
    Literal,
    Logic,
    Rounded,
    children,
    range_of,
)
from lapcat.plan.nodes import Filter
from lapcat.plan.schema import Type

CALENDAR = 9_999
FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def named_years(text: Text, scope: NameScope, node: exp.Expression, expression: Expression) -> range | None:
    """The years of a date without bounds that WHERE allows. None if the expression has no such date, or if WHERE does not
    restrict the years: then `text.objection` is set."""
    year = _of_any_date(expression)
    if year is None:
        return None
    if expression == year and year.part == "year":
        first, last = _left(scope, year)
        if first is not None and last is not None:
            return range(first, max(first, last) + 1)
    objection = _too_many(text, scope, node, year, alone=expression == year)
    if year.part == "julian":  # more groups than any question may have
        raise objection
    text.objection = objection
    return None


def _of_any_date(expression: Expression) -> DatePart | None:
    """The year of a date without bounds inside the expression, if it has one."""
    if isinstance(expression, DatePart) and expression.part in ("year", "isoyear", "julian"):
        reach = range_of(expression)
        return expression if reach.high - reach.low + 1 >= CALENDAR else None
    if not isinstance(expression, (Arithmetic, Cast, Rounded)):
        return None
    return next((year for part in children(expression) if (year := _of_any_date(part)) is not None), None)


def _left(scope: NameScope, year: DatePart) -> tuple[int | None, int | None]:
    """The first and the last year that the conditions on all rows allow."""
    firsts, lasts = [], []
    for condition in _conditions(scope):
        for op, value in _compared(condition, year):
            if op in ("=", ">", ">="):
                firsts.append(_year(value, op == ">", 1))
            if op in ("=", "<", "<="):
                lasts.append(_year(value, op == "<", -1))
    return max(firsts, default=None), min(lasts, default=None)


def _conditions(scope: NameScope) -> Iterator[Expression]:
    rows = scope.rows
    while isinstance(rows, Filter):
        stack = [rows.predicate]
        while stack:
            condition = stack.pop()
            if isinstance(condition, Logic) and condition.op == "and":
                stack += condition.operands
            else:
                yield condition
        rows = rows.source


def _compared(condition: Expression, year: DatePart) -> Iterator[tuple[str, object]]:
    """The comparisons of the date, or of its year, with constants in a condition."""
    match condition:
        case InList(operand, values) if operand in (year, year.operand):
            years = sorted(literal.value for literal in values)
            yield from ((">=", years[0]), ("<=", years[-1]))
        case Compare(op, left, Literal(value, _)) if left in (year, year.operand):
            yield op, value
        case Compare(op, Literal(value, _), right) if right in (year, year.operand):
            yield FLIPPED.get(op, op), value


def _year(value: object, beyond: bool, way: int) -> int:
    """The year of a date, or a year itself; the next one if the condition excludes it (`beyond`)."""
    if isinstance(value, datetime.date):
        step = (
            datetime.timedelta(microseconds=1)
            if isinstance(value, datetime.datetime)
            else datetime.timedelta(1)
        )
        try:
            return (value + way * beyond * step).year
        except OverflowError:
            return value.year
    assert isinstance(value, (int, float))
    whole = math.floor(min(max(value, 0), CALENDAR + 1))
    return min(max(whole + way * (beyond and whole == value), 1), CALENDAR)


def _too_many(text: Text, scope: NameScope, node: exp.Expression, year: DatePart, *, alone: bool) -> Refused:
    column = year.operand
    while isinstance(column, Cast):
        column = column.operand
    declared = scope.declared(column.name) if isinstance(column, Column) else None
    fixes = []
    if alone and declared is not None and year.part == "year":
        fixes.append(f"name the years in WHERE: {text.written(node)} BETWEEN FIRST AND LAST")
    if declared is not None and declared.spec.type is not Type.TEXT and declared.table != "the sub-query":
        bounds = text.declaring.bounds(declared.table, declared.spec.name, declared.spec.type)
        fixes.append(f"give the bounds of {declared.spec.name}, as you know them: {bounds}")
    if year.part == "julian":
        fixes.append(f"ask for fewer: CLAMP({text.written(node)}, LOW, HIGH)")
    return Refused(
        "keys-missing",
        f"{text.written(node)} could be any of {CALENDAR} years"
        if year.part != "julian"
        else f"{text.written(node)} could be any number of days in {CALENDAR} years",
        why="each would be a group with its own noise, and almost all would be empty",
        fix="; or ".join(fixes) or f"GROUP BY CLAMP({text.written(node)}, FIRST, LAST)",
        place=text.place(node),
    )
