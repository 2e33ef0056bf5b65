"""Sets of values of one type, as spans of numbers, and their preimages under conversions.

Every value has a number, in the order of its type. Booleans: 0 and 1. Integers: themselves. Doubles: how many lie
between 0 and them, so −0 = 0, and ±inf come last. Dates and timestamps: days and microseconds since 1970.
Texts: arbitrary, as only equality is ever asked of them.
"""

from __future__ import annotations

import datetime
import math
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lapcat.plan.schema import Type

Span = tuple[int, int]
"""A stretch of numbers, both ends included."""
Spans = tuple[Span, ...]
"""Disjoint, in order, with gaps between them."""

LEAST, GREATEST = -(2**63), 2**63 - 1
EVERYWHERE: Spans = ((LEAST, GREATEST),)
DAY = 86_400_000_000
"""Microseconds."""
EPOCH = datetime.datetime(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Region:
    """Some values of one type, by their numbers, and whether NULL is among them."""

    spans: Spans
    null: bool = False

    def __contains__(self, number: int) -> bool:
        return any(low <= number <= high for low, high in self.spans)


def union(spans: Iterable[Span]) -> Spans:
    """The same numbers in order, with neighbours melted together; empty spans vanish."""
    merged: list[Span] = []
    for low, high in sorted(span for span in spans if span[0] <= span[1]):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def outside(spans: Spans) -> Spans:
    """All numbers that are in none of the spans."""
    lows = (LEAST, *(high + 1 for _, high in spans))
    highs = (*(low - 1 for low, _ in spans), GREATEST)
    return union(zip(lows, highs, strict=True))


def meet(some: Spans, others: Spans) -> Spans:
    """The numbers that are in both."""
    return outside(union((*outside(some), *outside(others))))


def tested(true: Spans, region: Region) -> Region:
    """Where a test that is true exactly on `true`, and NULL on NULL, comes out in the (boolean) region."""
    spans = (*(true if 1 in region else ()), *(outside(true) if 0 in region else ()))
    return Region(union(spans), region.null)


def clamped(low: int, high: int, spans: Spans) -> Spans:
    """The numbers which, moved to the nearest in low..high, lie in the spans."""
    kept = meet(spans, ((low, high),))
    return tuple((LEAST if a == low else a, GREATEST if b == high else b) for a, b in kept)


def converted(source: Type, target: Type, spans: Spans) -> Spans | None:
    """The values of one type which, as another, lie in the spans. None where that is not known: other pairs may be
    NULL where they do not fit, or lose their order."""
    match source, target:
        case Type.INTEGER, Type.FLOAT:
            return _doubled(spans)
        case Type.TIMESTAMP, Type.DATE:
            return in_days(spans)
        case Type.BOOLEAN, Type.INTEGER:
            return spans
    return spans if source is target else None


def _doubled(spans: Spans) -> Spans:
    """The integers whose nearest doubles lie in the spans. Rounding is monotone, so a span comes from a span."""

    def first(number: int) -> int:
        low, high = LEAST, GREATEST + 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if number_of_double(float(middle)) >= number else (middle + 1, high)
        return low

    return union((first(low), first(high + 1) - 1) for low, high in spans)


def in_days(spans: Spans) -> Spans:
    """The timestamps whose days lie in the spans."""
    return union((max(LEAST, low * DAY), min(GREATEST, high * DAY + DAY - 1)) for low, high in spans)


def number_of(value: object, kind: Type) -> int | None:
    """The number of a constant as a value of this type (no text); None where it is not certain what it means."""
    match kind, value:
        case Type.BOOLEAN, bool():
            return int(value)
        case _, bool():
            return None
        case ((Type.INTEGER | Type.FLOAT), int()) if not LEAST <= value <= GREATEST:
            return None
        case Type.INTEGER, int():
            return value
        case Type.FLOAT, int() | float():
            return None if math.isnan(value) else number_of_double(float(value))
        case Type.TIMESTAMP, datetime.datetime():
            return None if value.tzinfo else (value - EPOCH) // datetime.timedelta(microseconds=1)
        case Type.DATE, datetime.date() if not isinstance(value, datetime.datetime):
            return (value - EPOCH.date()).days
    return None


def number_of_double(value: float) -> int:
    """How many doubles lie between 0 and the value, with its sign: bit patterns are in the order of magnitude.

    >>> number_of_double(5e-324), number_of_double(-0.0), number_of_double(-5e-324)
    (1, 0, -1)
    """
    bits: int = struct.unpack("<q", struct.pack("<d", abs(value)))[0]
    return bits if value > 0 else -bits


LIMITS: Mapping[Type, Span] = {
    Type.INTEGER: (LEAST, GREATEST),
    Type.FLOAT: (number_of_double(-math.inf), number_of_double(math.inf)),
    Type.BOOLEAN: (0, 1),
    Type.DATE: (LEAST // DAY, GREATEST // DAY),
    Type.TIMESTAMP: (LEAST, GREATEST),
    Type.TEXT: (0, GREATEST),
}
"""The numbers that the values of a type have."""


def value_in(span: Span, kind: Type) -> object:
    """A value whose number is in the span, as plain as possible (no text); in words where Python has none."""
    low, high = span
    near = low if low > 0 else high if high < 0 else 0
    try:
        match kind:
            case Type.BOOLEAN:
                return bool(near)
            case Type.FLOAT:
                return _plain(_double(low), _double(high))
            case Type.DATE:
                return EPOCH.date() + datetime.timedelta(days=near)
            case Type.TIMESTAMP:
                return EPOCH + datetime.timedelta(microseconds=near)
    except OverflowError:
        return "before year 1" if near < 0 else "after year 9999"
    return near


def _double(number: int) -> float:
    value: float = struct.unpack("<d", struct.pack("<q", abs(number)))[0]
    return math.copysign(value, number)


def _plain(low: float, high: float) -> float:
    """A double in low..high that is easy to read: 0, the next whole number, the middle, or an end."""
    if low <= 0 <= high:
        return 0.0
    near = low if low > 0 else high
    whole = math.copysign(math.ceil(abs(near)), near) if math.isfinite(near) else near
    return next(candidate for candidate in (whole, (low + high) / 2, near) if low <= candidate <= high)
