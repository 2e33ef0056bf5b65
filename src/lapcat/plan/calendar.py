"""Calendar spans: the start of a year, quarter, month, week, day or hour, and all starts between two days."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from lapcat.plan.expressions import Cast, DateTrunc, Expression, NullOutsideBounds, Span
from lapcat.plan.schema import Type

DAY = datetime.timedelta(days=1)


def start(span: Span, moment: datetime.date) -> datetime.date:
    """The start of the span that contains a date or timestamp, of the same type.

    Weeks begin on Monday (ISO 8601); the first of January of year 1 is one, so that no start lies before it.

    >>> start("week", datetime.date(2024, 5, 5)), start("quarter", datetime.date(1, 3, 1))
    (datetime.date(2024, 4, 29), datetime.date(1, 1, 1))
    >>> start("hour", datetime.datetime(2024, 5, 5, 13, 45))
    datetime.datetime(2024, 5, 5, 13, 0)
    """
    if isinstance(moment, datetime.datetime):
        if span == "hour":
            return moment.replace(minute=0, second=0, microsecond=0)
        return datetime.datetime.combine(start(span, moment.date()), datetime.time())
    match span:
        case "year":
            return moment.replace(month=1, day=1)
        case "quarter":
            return moment.replace(month=moment.month - (moment.month - 1) % 3, day=1)
        case "month":
            return moment.replace(day=1)
        case "week":
            return moment - moment.weekday() * DAY
    return moment


def days_between(expression: Expression) -> tuple[datetime.date, datetime.date] | None:
    """The first and last possible day of a date or timestamp expression; None where they are not public."""
    match expression:
        case NullOutsideBounds(_, low, high, Type.DATE | Type.TIMESTAMP):
            assert isinstance(low.value, datetime.date) and isinstance(high.value, datetime.date)
            return low.value, high.value
        case Cast(operand, Type.DATE | Type.TIMESTAMP) if operand.type in (Type.DATE, Type.TIMESTAMP):
            return days_between(operand)
        case DateTrunc(span, operand, _):
            days = days_between(operand)
            return None if days is None else (start(span, days[0]), start(span, days[1]))
    return None


def how_many(expression: Expression) -> int | None:
    """Upper bound on the number of `public_starts`, without computing them; None where they are not public."""
    days, span = days_between(expression), _span(expression)
    if days is None or span is None:
        return None
    count = (days[1] - days[0]).days + 1
    if span == "hour" and expression.type is Type.TIMESTAMP:
        return 24 * count
    shortest = {"year": 365, "quarter": 90, "month": 28, "week": 7, "day": 1, "hour": 1}[span]
    return count if shortest == 1 else count // shortest + 2


def public_starts(expression: Expression) -> tuple[datetime.date, ...] | None:
    """All possible values of a truncated date or timestamp with public bounds, in order; None for anything else."""
    days, span = days_between(expression), _span(expression)
    if days is None or span is None:
        return None
    return tuple(_starts(span, *days, timestamps=expression.type is Type.TIMESTAMP))


def _span(expression: Expression) -> Span | None:
    """The span of the expression's values: a cast to or from a date leaves whole days."""
    match expression:
        case DateTrunc(span, _, _):
            return span
        case Cast(operand, Type.DATE | Type.TIMESTAMP) if Type.DATE in (operand.type, expression.type):
            inner = _span(operand)
            return "day" if inner in (None, "hour") else inner
    return None


def _starts(
    span: Span, first: datetime.date, last: datetime.date, *, timestamps: bool
) -> Iterator[datetime.date]:
    """The starts of the spans that overlap the days first..last."""
    longest = {"year": 366, "quarter": 92, "month": 31, "week": 7, "day": 1, "hour": 1}[span]
    day, end = start(span, first), start(span, last)
    while True:
        midnight = datetime.datetime.combine(day, datetime.time())
        if span == "hour" and timestamps:
            yield from (midnight.replace(hour=hour) for hour in range(24))
        else:
            yield midnight if timestamps else day
        if day == end:
            return
        day = start(span, day + longest * DAY)  # the longest span reaches into the next one and not beyond it
