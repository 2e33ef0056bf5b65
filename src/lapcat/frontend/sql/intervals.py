"""Constants of dates that are computed in the question: `DATE '1994-01-01' + INTERVAL '1' YEAR`, `MAKE_DATE(2024, 6, 1)`.

Only constants move: they are folded before the plan is made. A column that is moved would need a rule of its own, and
`d + INTERVAL 7 DAY > DATE '2024-06-01'` asks the same as `d > DATE '2024-06-01' - INTERVAL 7 DAY`.
"""

from __future__ import annotations

import calendar
import datetime

from lapcat.plan.expressions import Literal
from lapcat.plan.schema import Type

MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
DAYS = {"day": 1, "week": 7}
SECONDS = {"second": 1, "minute": 60, "hour": 3600}


def moved(moment: Literal, number: int, unit: str) -> Literal | None:
    """A date or timestamp plus `number` units; None where the unit does not fit it, or the calendar ends.

    >>> moved(Literal(datetime.date(2024, 1, 31), Type.DATE), 1, "MONTH").value
    datetime.date(2024, 2, 29)
    """
    name, value = unit.casefold().removesuffix("s"), moment.value
    assert isinstance(value, datetime.date)
    try:
        if name in MONTHS:
            months = value.year * 12 + value.month - 1 + number * MONTHS[name]
            year, month = divmod(months, 12)
            day = min(value.day, calendar.monthrange(year, month + 1)[1])
            return Literal(value.replace(year=year, month=month + 1, day=day), moment.type)
        if name in DAYS:
            return Literal(value + datetime.timedelta(days=number * DAYS[name]), moment.type)
        if name in SECONDS and moment.type is Type.TIMESTAMP:
            return Literal(value + datetime.timedelta(seconds=number * SECONDS[name]), moment.type)
    except (ValueError, OverflowError):
        return None
    return None


def date_of(year: object, month: object, day: object) -> Literal | None:
    """The date of three whole numbers; None where there is no such day."""
    if not (isinstance(year, int) and isinstance(month, int) and isinstance(day, int)):
        return None
    try:
        return Literal(datetime.date(year, month, day), Type.DATE)
    except (ValueError, OverflowError):
        return None
