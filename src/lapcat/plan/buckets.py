"""Automatic histogram buckets: round widths between public bounds, each bucket named by its lower end.

The lower ends are computed from the bounds and the number of buckets alone, so the groups of a histogram are public.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import count

from lapcat.core.exact import exact
from lapcat.plan.calendar import days_between
from lapcat.plan.expressions import (
    INT_LIMIT,
    Arithmetic,
    Clamp,
    DateTrunc,
    Expression,
    Literal,
    Rounded,
    Span,
    range_of,
)
from lapcat.plan.schema import Type, Value

FINEST = Fraction(1, 10**300)
"""The minimum width of a bucket, besides a 2^50th part of its bounds: doubles must distinguish buckets."""
ROUND = (Fraction(1), Fraction(2), Fraction(5, 2), Fraction(5))
SPANS: dict[Span, Fraction] = {
    "hour": Fraction(1, 24),
    "day": Fraction(1),
    "week": Fraction(7),
    "month": Fraction(146097, 4800),  # of the Gregorian calendar's 400 years
    "quarter": Fraction(146097, 1600),
    "year": Fraction(146097, 400),
}
"""The average number of days of a span."""


def bucketed(operand: Expression, buckets: int) -> tuple[Expression, str] | None:
    """The lower end of the operand's bucket, and the width of a bucket in words.

    About `buckets` buckets between the operand's public bounds; None where it has none. NULL stays NULL.
    """
    if operand.type in (Type.DATE, Type.TIMESTAMP):
        days = days_between(operand)
        if days is None:
            return None
        span = round_span(days, buckets, hours=operand.type is Type.TIMESTAMP)
        return DateTrunc(span, operand, operand.type), f"a {span}"
    reach = range_of(operand)
    if not operand.type.is_number or not reach.bounded or not reach.low < reach.high:
        return None
    low, high = exact(reach.low), exact(reach.high)  # as they are written: 0.1 is a tenth
    finest = max(max(abs(low), abs(high)) / 2**50, FINEST)
    width = round_width(max((high - low) / buckets, finest), whole=operand.type is Type.INTEGER)
    text = str(width) if width.denominator == 1 else f"{float(width):.15g}"
    if width == 1 and operand.type is Type.INTEGER:
        return operand, text
    return _numbers(operand, low, high, width), text


def round_width(about: Fraction, *, whole: bool) -> Fraction:
    """The nearest by ratio of 1, 2, 2.5 and 5 times a power of ten; `whole`: of integers.

    >>> [str(round_width(Fraction(x), whole=True)) for x in ("1/9", "5.5", "2.4", "24")]
    ['1', '5', '2', '25']
    >>> [str(round_width(Fraction(x), whole=False)) for x in ("1/9", "2.4", "9000")]
    ['1/10', '5/2', '10000']
    """
    widths: list[Fraction] = []
    for width in _widths(about):
        if not whole or width.denominator == 1:
            widths.append(width)
    return min(widths or [Fraction(1)], key=lambda width: max(width / about, about / width))


def _widths(about: Fraction) -> Iterator[Fraction]:
    """The round widths from a tenth to ten times `about`, and 1."""
    power = Fraction(1)
    while power > about:
        power /= 10
    while power * 10 <= about:
        power *= 10
    yield Fraction(1)
    for scale in (power, power * 10):
        yield from (digits * scale for digits in ROUND)


def round_span(days: tuple[datetime.date, datetime.date], buckets: int, *, hours: bool) -> Span:
    """The calendar span that gives the number of buckets nearest to `buckets`, by ratio."""
    about = Fraction((days[1] - days[0]).days + 1, buckets)
    spans = [span for span in SPANS if hours or span != "hour"]
    return min(spans, key=lambda span: max(SPANS[span] / about, about / SPANS[span]))


def _numbers(operand: Expression, low: Fraction, high: Fraction, width: Fraction) -> Expression:
    """width · ⌊x / width⌋, by integers where the width is whole; else (m · ⌊x · 10^d / m⌋) / 10^d, width = m / 10^d.

    So every lower end is the double nearest to its decimal. A tiny part of the bounds is added before the floor: a value
    that equals a lower end in decimal (0.29 · 100 is 28.999999999999996) belongs to the bucket that begins there. The last
    bucket of a float is closed: there is none for the upper bound alone.
    """
    digits = next(d for d in count() if (width * 10**d).denominator == 1)
    parts = (width * 10**digits).numerator
    quotient = operand
    if digits:
        quotient = Arithmetic("*", quotient, Literal(float(10**digits), Type.FLOAT), Type.FLOAT)
    quotient = Arithmetic("/", quotient, Literal(float(parts), Type.FLOAT), Type.FLOAT)
    if digits:
        nudge = Literal(float(max(abs(low), abs(high)) / width / 2**48), Type.FLOAT)
        quotient = Arithmetic("+", quotient, nudge, Type.FLOAT)
    place: Expression = Rounded("floor", quotient)
    if operand.type is Type.FLOAT:
        first, last = low // width, high // width
        last -= high % width == 0 and last > first
        place = Clamp(place, Literal(first, Type.INTEGER), Literal(last, Type.INTEGER), Type.INTEGER)
    begins = Arithmetic("*", place, Literal(parts, Type.INTEGER), Type.INTEGER)
    if parts > INT_LIMIT or not range_of(begins).fits_integer:
        return Arithmetic("*", place, Literal(float(width), Type.FLOAT), Type.FLOAT)
    if not digits:
        return begins
    return Arithmetic("/", begins, Literal(float(10**digits), Type.FLOAT), Type.FLOAT)


def public_multiples(expression: Expression, limit: int) -> tuple[Value, ...] | None:
    """All values of a bounded integer times (or divided by) a positive constant, in order.

    None for anything else, and for more than `limit` of them.

    >>> from lapcat.plan.expressions import Column
    >>> one, ten = Literal(1, Type.INTEGER), Literal(10, Type.INTEGER)
    >>> decade = Clamp(Column("i", Type.INTEGER), Literal(-1, Type.INTEGER), one, Type.INTEGER)
    >>> public_multiples(Arithmetic("*", decade, ten, Type.INTEGER), 100)
    (-10, 0, 10)
    """
    match expression:
        case Arithmetic("*", operand, Literal(int() | float() as factor), kind) | Arithmetic(
            "*", Literal(int() | float() as factor), operand, kind
        ) if factor > 0:
            places = _whole_values(operand, limit)
            if places is None:
                return None
            return _different(
                place * factor if kind is Type.INTEGER else float(place) * float(factor) for place in places
            )
        case Arithmetic("/", operand, Literal(int() | float() as divisor), Type.FLOAT) if divisor > 0:
            tops = public_multiples(operand, limit) or _whole_values(operand, limit)
            if tops is None or operand.type is not Type.INTEGER:
                return None
            return _different(float(top) / float(divisor) for top in tops)  # type: ignore[arg-type]
    return None


def _different(values: Iterable[Value]) -> tuple[Value, ...]:
    """Each once: different integers beyond 2^53, or products beyond 1e308, may be the same double."""
    return tuple(dict.fromkeys(values))


def _whole_values(expression: Expression, limit: int) -> range | None:
    reach = range_of(expression)
    if expression.type is not Type.INTEGER or not reach.bounded or not reach.high - reach.low < limit:
        return None
    return range(int(reach.low), int(reach.high) + 1)
