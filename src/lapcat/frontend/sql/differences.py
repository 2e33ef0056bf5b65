"""`b - a` of dates, `DATE_DIFF('month', a, b)`: how many boundaries between days, months, years … lie between two moments.

Each span of the calendar has a number, and a difference is one of these numbers less the other: the composition of DatePart and
integer arithmetic, with no rule of its own. Where the date has public bounds, its number is clamped to them (or NULL outside,
in a group key), so that the difference has bounds too.
"""

from __future__ import annotations

import datetime
from typing import Literal as OneOf
from typing import assert_never

from lapcat.frontend.sql.scopes import ColumnMeaning
from lapcat.plan.calendar import date_part
from lapcat.plan.expressions import (
    Arithmetic,
    Clamp,
    DatePart,
    Expression,
    Literal,
    NullOutsideBounds,
    Part,
)
from lapcat.plan.schema import Type

DiffUnit = OneOf["year", "quarter", "month", "day", "hour", "minute", "second"]
Days = tuple[datetime.date, datetime.date]

_FINER: dict[str, tuple[DiffUnit, int, Part]] = {
    "quarter": ("year", 4, "quarter"),
    "month": ("year", 12, "month"),
    "hour": ("day", 24, "hour"),
    "minute": ("hour", 60, "minute"),
    "second": ("minute", 60, "second"),
}
"""The number of a quarter is 4 times the number of its year, plus the quarter: and so on."""


def numbered(unit: DiffUnit, moment: Expression, days: Days | None, mode: ColumnMeaning) -> Expression:
    """The number of the span that contains a date or timestamp, whose days lie between `days`, if they are public."""
    if isinstance(moment, Literal):
        assert isinstance(moment.value, datetime.date)
        return _integer(span_number(unit, moment.value))
    number = _number(unit, moment)
    if days is None or mode is ColumnMeaning.RAW:
        return number
    last = datetime.datetime.combine(days[1], datetime.time.max)
    ends = _integer(span_number(unit, days[0])), _integer(span_number(unit, last))
    if mode is ColumnMeaning.KEY:
        return NullOutsideBounds(number, *ends, Type.INTEGER)
    return Clamp(number, *ends, Type.INTEGER)


def span_number(unit: DiffUnit, moment: datetime.date) -> int:
    """The value of `numbered` for one moment.

    >>> span_number("month", datetime.date(2024, 1, 1)) - span_number("month", datetime.date(2023, 12, 31))
    1
    """
    match unit:
        case "year":
            return moment.year
        case "day":
            return date_part("julian", moment)
        case "quarter" | "month" | "hour" | "minute" | "second":
            coarse, factor, part = _FINER[unit]
            return factor * span_number(coarse, moment) + date_part(part, moment)
        case _:
            assert_never(unit)


def _number(unit: DiffUnit, moment: Expression) -> Expression:
    match unit:
        case "year":
            return DatePart("year", moment)
        case "day":
            return DatePart("julian", moment)
        case "quarter" | "month" | "hour" | "minute" | "second":
            coarse, factor, part = _FINER[unit]
            product = Arithmetic("*", _integer(factor), _number(coarse, moment), Type.INTEGER)
            return Arithmetic("+", product, DatePart(part, moment), Type.INTEGER)
        case _:
            assert_never(unit)


def _integer(value: int) -> Literal:
    return Literal(value, Type.INTEGER)
