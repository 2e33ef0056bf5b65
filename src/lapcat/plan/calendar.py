"""The calendar: starts of spans, moved dates, dates as text, and all values of them between two days."""

from __future__ import annotations

import calendar
import datetime
import re
from collections.abc import Iterator, Sequence
from functools import cache

from lapcat.plan.expressions import (
    Cast,
    DateAdd,
    DateText,
    DateTrunc,
    Expression,
    MoveUnit,
    NullOutsideBounds,
    Part,
    Span,
)
from lapcat.plan.schema import Type

DAY = datetime.timedelta(days=1)
JULIAN = 1_721_425
"""The Julian day number of a day is this plus Python's ordinal number."""


STEPS = {"second": 1, "minute": 60, "hour": 3600}
"""Spans of less than a day, and parts, in seconds: the finest first."""


def start(span: Span, moment: datetime.date) -> datetime.date:
    """The start of the span that contains a date or timestamp, of the same type.

    Weeks begin on Monday (ISO 8601); the first of January of year 1 is one, so that no start lies before it.

    >>> start("week", datetime.date(2024, 5, 5)), start("quarter", datetime.date(1, 3, 1))
    (datetime.date(2024, 4, 29), datetime.date(1, 1, 1))
    >>> start("hour", datetime.datetime(2024, 5, 5, 13, 45))
    datetime.datetime(2024, 5, 5, 13, 0)
    """
    if isinstance(moment, datetime.datetime):
        if span in STEPS:
            second = moment.hour * 3600 + moment.minute * 60 + moment.second
            return _clock(moment.date(), second - second % STEPS[span])
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


def _clock(day: datetime.date, second: int) -> datetime.datetime:
    """The moment this many seconds after midnight."""
    return datetime.datetime.combine(day, datetime.time(second // 3600, second // 60 % 60, second % 60))


# ------------------------------------------------------------------------------------------------ moved dates


def moved(moment: datetime.date, number: int, unit: MoveUnit) -> datetime.date | None:
    """A date or timestamp moved by months, days or seconds; None where that leaves the years 1 to 9999.

    >>> moved(datetime.date(2024, 1, 31), 1, "month"), moved(datetime.date(9999, 12, 31), 1, "day")
    (datetime.date(2024, 2, 29), None)
    """
    try:
        if unit == "month":
            year, month = divmod(moment.year * 12 + moment.month - 1 + number, 12)
            day = min(moment.day, calendar.monthrange(year, month + 1)[1])
            return moment.replace(year=year, month=month + 1, day=day)
        return moment + (number * DAY if unit == "day" else datetime.timedelta(seconds=number))
    except (ValueError, OverflowError):
        return None


def movable(number: int, unit: MoveUnit, kind: Type) -> tuple[datetime.date, datetime.date] | None:
    """The first and the last date or timestamp that `moved` keeps within the years 1 to 9999; None if there is none.

    Theorem: those that it keeps are the ones between the two, because moving is monotone.
    """
    first, last = (
        (datetime.date.min, datetime.date.max)
        if kind is Type.DATE
        else (datetime.datetime.min, datetime.datetime.max)
    )
    end = moved(last if number > 0 else first, -number, unit)
    if end is None:
        return None
    return (first, end) if number > 0 else (end, last)


# ------------------------------------------------------------------------------------------------ dates as text


MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
"""English names: those of Python's calendar follow the locale of the process."""
CODES: dict[str, tuple[Part, int | Sequence[str]]] = {
    "%Y": ("year", 4),
    "%G": ("isoyear", 4),
    "%q": ("quarter", 1),
    "%m": ("month", 2),
    "%B": ("month", MONTHS),
    "%b": ("month", tuple(name[:3] for name in MONTHS)),
    "%V": ("week", 2),
    "%d": ("day", 2),
    "%j": ("doy", 3),
    "%u": ("isodow", 1),
    "%w": ("dow", 1),
    "%A": ("isodow", WEEKDAYS),
    "%a": ("isodow", tuple(name[:3] for name in WEEKDAYS)),
    "%H": ("hour", 2),
    "%M": ("minute", 2),
    "%S": ("second", 2),
}
"""The part that each code of a DateText shows: as a number with this many digits, or by a name, the first for 1."""


@cache
def pieces(pattern: str) -> tuple[str, ...]:
    """The codes and the texts between them.

    >>> pieces("%Y-%m at 5%%")
    ('%Y', '-', '%m', ' at 5', '%%')
    """
    return tuple(re.findall(r"%.?|[^%]+", pattern, re.DOTALL))


def date_text(pattern: str, moment: datetime.date) -> str:
    """A date or timestamp as text.

    >>> date_text("%A, %d %B %Y, week %V", datetime.date(2024, 2, 29))
    'Thursday, 29 February 2024, week 09'
    """
    return "".join(_piece(piece, moment) for piece in pieces(pattern))


def longest_text(pattern: str) -> int:
    """Maximum number of characters of a date as text.

    >>> longest_text("%Y %B"), len("2024 September")
    (14, 14)
    """
    shown = [CODES[piece][1] if piece in CODES else (piece,) for piece in pieces(pattern)]
    return sum(width if isinstance(width, int) else max(map(len, width)) for width in shown)


def _piece(piece: str, moment: datetime.date) -> str:
    if piece not in CODES:
        return "%" if piece == "%%" else piece
    part, shown = CODES[piece]
    number = date_part(part, moment)
    return f"{number:0{shown}}" if isinstance(shown, int) else shown[number - 1]


def date_part(part: Part, moment: datetime.date) -> int:
    """A part of a date or timestamp, as plan/expressions.py defines it; a date is at midnight."""
    match part:
        case "quarter":
            return (moment.month + 2) // 3
        case "dow":
            return moment.isoweekday() % 7
        case "isodow":
            return moment.isoweekday()
        case "doy":
            return moment.timetuple().tm_yday
        case "week":
            return moment.isocalendar().week
        case "isoyear":
            return moment.isocalendar().year
        case "julian":
            return moment.toordinal() + JULIAN
    return int(getattr(moment, part, 0))


# ------------------------------------------------------------------------------------------------ public values


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
        case DateAdd(number, unit, operand, kind):
            days = days_between(operand)
            return None if days is None else _moved_days(days, number, unit, kind)
    return None


def _moved_days(
    days: tuple[datetime.date, datetime.date], number: int, unit: MoveUnit, kind: Type
) -> tuple[datetime.date, datetime.date] | None:
    """The first and the last day of what is moved; None where nothing stays in the calendar."""
    kept = movable(number, unit, kind)
    first, last = days
    if kind is Type.TIMESTAMP:
        first = datetime.datetime.combine(first, datetime.time.min)
        last = datetime.datetime.combine(last, datetime.time.max)
    if kept is None or last < kept[0] or first > kept[1]:
        return None
    ends = [moved(end, number, unit) for end in (max(first, kept[0]), min(last, kept[1]))]
    low, high = (end.date() if isinstance(end, datetime.datetime) else end for end in ends)
    assert low is not None and high is not None
    return low, high


def how_many(expression: Expression) -> int | None:
    """Upper bound on the number of `public_moments` or `public_texts`, without computing them; None where they are not
    public."""
    match expression:
        case DateAdd(_, _, operand, _) if _span(operand) is not None:
            return how_many(operand)
        case DateText(pattern, operand, _):
            moments = _shown_moments(pattern, operand)
            return None if moments is None else moments[0]
    days, span = days_between(expression), _span(expression)
    return None if days is None or span is None else _count(span, *days, expression.type)


def _count(span: Span, first: datetime.date, last: datetime.date, kind: Type) -> int:
    count = (last - first).days + 1
    if span in STEPS and kind is Type.TIMESTAMP:
        return count * (86_400 // STEPS[span])
    shortest = {"year": 365, "quarter": 90, "month": 28, "week": 7}.get(span, 1)
    return count if shortest == 1 else count // shortest + 2


def public_moments(expression: Expression) -> tuple[datetime.date, ...] | None:
    """All possible values of a truncated or moved date or timestamp with public bounds, in order; None for anything else."""
    match expression:
        case DateAdd(number, unit, operand, _) if _span(operand) is not None:
            later = (moved(moment, number, unit) for moment in public_moments(operand) or ())
            return tuple(dict.fromkeys(moment for moment in later if moment is not None))
    days, span = days_between(expression), _span(expression)
    if days is None or span is None:
        return None
    return tuple(_starts(span, *days, timestamps=expression.type is Type.TIMESTAMP))


def public_texts(expression: Expression) -> tuple[str, ...] | None:
    """All possible values of a DateText in order of time; None where they are not public.

    A pattern without a year repeats itself. It is shown from a Monday, the first of January of a leap year.
    """
    if not isinstance(expression, DateText):
        return None
    moments = _shown_moments(expression.pattern, expression.operand)
    if moments is None:
        return None
    values = dict.fromkeys(date_text(expression.pattern, moment) for moment in moments[1])
    if _parts(expression.pattern) & YEARS:
        return tuple(values)
    cycle = (
        date_text(expression.pattern, moment)
        for moment in _cycle(expression.pattern, expression.operand.type)[1]
    )
    return tuple(text for text in dict.fromkeys(cycle) if text in values)


YEARS = frozenset({"year", "isoyear"})
CYCLE = datetime.date(2024, 1, 1), datetime.date(2051, 12, 31)
"""28 years with every combination of weekdays, leap years and years before them: all that a pattern without a year can show."""


def _parts(pattern: str) -> frozenset[str]:
    return frozenset(CODES[piece][0] for piece in pieces(pattern) if piece in CODES)


def _shown_moments(pattern: str, operand: Expression) -> tuple[int, Iterator[datetime.date]] | None:
    """Moments that show every text of the pattern, and their number; None where they are not public."""
    days = days_between(operand)
    if _span(operand) is not None and days is not None and not isinstance(operand, NullOutsideBounds):
        return how_many(operand) or 0, iter(public_moments(operand) or ())
    repeats = not _parts(pattern) & YEARS
    if repeats and (days is None or days[1] - days[0] >= CYCLE[1] - CYCLE[0]):
        return _cycle(pattern, operand.type)
    return None if days is None else _moments(pattern, *days, operand.type)


def _cycle(pattern: str, kind: Type) -> tuple[int, Iterator[datetime.date]]:
    parts, (first, last) = _parts(pattern), CYCLE
    if parts <= {"hour", "minute", "second"}:
        last = first
    elif parts <= {"dow", "isodow", "hour", "minute", "second"}:
        last = first + 6 * DAY
    return _moments(pattern, first, last, kind)


def _moments(
    pattern: str, first: datetime.date, last: datetime.date, kind: Type
) -> tuple[int, Iterator[datetime.date]]:
    """Moments from the first to the last day, as close together as the pattern can tell them apart."""
    parts = _parts(pattern)
    span: Span = "month" if parts <= {"year", "quarter", "month"} else "day"
    step = (
        next((size for part, size in STEPS.items() if part in parts), None)
        if kind is Type.TIMESTAMP
        else None
    )
    days = _starts(span, first, last, timestamps=kind is Type.TIMESTAMP)
    if step is None:
        return _count(span, first, last, kind), days
    times = range(0, 86_400, step)
    each = (day + datetime.timedelta(seconds=time) for day in days for time in times)
    return _count(span, first, last, kind) * len(times), each


def _span(expression: Expression) -> Span | None:
    """The span of the expression's values: a cast to or from a date leaves whole days."""
    match expression:
        case DateTrunc(span, _, _):
            return span
        case Cast(operand, Type.DATE | Type.TIMESTAMP) if Type.DATE in (operand.type, expression.type):
            inner = _span(operand)
            return "day" if inner is None or inner in STEPS else inner
        case DateAdd(_, _, _, Type.DATE):
            return "day"
        case NullOutsideBounds(_, _, _, Type.DATE):
            return "day"
    return None


def _starts(
    span: Span, first: datetime.date, last: datetime.date, *, timestamps: bool
) -> Iterator[datetime.date]:
    """The starts of the spans that overlap the days first..last."""
    longest = {"year": 366, "quarter": 92, "month": 31, "week": 7}.get(span, 1)
    day, end = start(span, first), start(span, last)
    while True:
        midnight = datetime.datetime.combine(day, datetime.time())
        if span in STEPS and timestamps:
            yield from (_clock(day, second) for second in range(0, 86_400, STEPS[span]))
        else:
            yield midnight if timestamps else day
        if day == end:
            return
        day = start(span, day + longest * DAY)  # the longest span reaches into the next one and not beyond it
