"""Dates and timestamps moved by an interval: `d + INTERVAL 7 DAY`, `DATE '1994-01-01' + INTERVAL '1' YEAR`.

A constant is folded before the plan is made; anything else becomes a `DateAdd`. A date stays a date, unless it moves by hours,
minutes or seconds. Months move before days, and days before seconds, as in PostgreSQL and DuckDB.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Mapping
from typing import get_args

from sqlglot import exp

from lapcat.plan.calendar import moved
from lapcat.plan.expressions import Cast, DateAdd, Expression, Literal, MoveUnit
from lapcat.plan.schema import Type

UNITS: dict[str, tuple[int, MoveUnit]] = {
    "second": (1, "second"),
    "minute": (60, "second"),
    "hour": (3600, "second"),
    "day": (1, "day"),
    "week": (7, "day"),
    "month": (1, "month"),
    "quarter": (3, "month"),
    "year": (12, "month"),
    "decade": (120, "month"),
}
_SIZE = r"[+-]?\d{1,9}"
Interval = Mapping[MoveUnit, int]
"""How many months, days and seconds."""


def unit_name(word: str) -> str:
    """`DAYS` and `day` are the same unit; so are `dd` and `yyyy` of SQL Server.

    >>> unit_name("DAYS"), unit_name("yyyy")
    ('day', 'year')
    """
    name = word.casefold()
    return _SHORT.get(name, name if name in UNITS else name.removesuffix("s"))


_SHORT = {
    **dict.fromkeys(("yy", "yyyy", "yr"), "year"),
    **dict.fromkeys(("qq", "q", "qtr"), "quarter"),
    **dict.fromkeys(("mm", "mon"), "month"),
    **dict.fromkeys(("ww", "wk"), "week"),
    **dict.fromkeys(("dd", "d"), "day"),
    **dict.fromkeys(("hh", "hr"), "hour"),
    **dict.fromkeys(("mi", "min"), "minute"),
    **dict.fromkeys(("ss", "sec"), "second"),
}


def interval(node: exp.Expression) -> Interval | None:
    """`INTERVAL 7 DAY`, `INTERVAL '1 month 2 days'`; None where it is not a whole number of known units."""
    size, unit = node.args.get("this"), node.args.get("unit")
    if isinstance(unit, exp.Day) and isinstance(unit.this, exp.Literal):
        unit = exp.Var(this="DAY")  # INTERVAL '90' DAY (3): the number has up to three digits
    while isinstance(size, exp.Paren):
        size = size.this
    sign = -1 if isinstance(size, exp.Neg) else 1
    if isinstance(size, exp.Neg):
        size = size.this
    if not isinstance(size, exp.Literal) or (unit is not None and not isinstance(unit, exp.Var)):
        return None
    written = f"{size.this} {unit.name}" if unit is not None else str(size.this)
    if not re.fullmatch(rf"(\s*{_SIZE}\s*[A-Za-z]+)+\s*", written):
        return None
    total: Counter[MoveUnit] = Counter()
    for number, word in re.findall(rf"({_SIZE})\s*([A-Za-z]+)", written):
        if unit_name(word) not in UNITS:
            return None
        factor, step = UNITS[unit_name(word)]
        total[step] += sign * factor * int(number)
    return total


def moved_by(moment: Expression, steps: Interval, sign: int) -> Expression | None:
    """A date or timestamp plus (or minus) an interval; None where a constant leaves the calendar."""
    if steps.get("second") and moment.type is Type.DATE:
        moment = _timestamp(moment)
    for unit in get_args(MoveUnit):
        number = sign * steps.get(unit, 0)
        if not number:
            continue
        if isinstance(moment, Literal):
            assert isinstance(moment.value, datetime.date)
            later = moved(moment.value, number, unit)
            if later is None:
                return None
            moment = Literal(later, moment.type)
        else:
            moment = DateAdd(number, unit, moment, moment.type)
    return moment


def _timestamp(moment: Expression) -> Expression:
    if isinstance(moment, Literal):
        assert isinstance(moment.value, datetime.date)
        return Literal(datetime.datetime.combine(moment.value, datetime.time()), Type.TIMESTAMP)
    return Cast(moment, Type.TIMESTAMP)


def date_of(year: object, month: object, day: object) -> Literal | None:
    """The date of three whole numbers; None where there is no such day."""
    if not (isinstance(year, int) and isinstance(month, int) and isinstance(day, int)):
        return None
    try:
        return Literal(datetime.date(year, month, day), Type.DATE)
    except (ValueError, OverflowError):
        return None
