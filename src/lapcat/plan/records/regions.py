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
"""A range of numbers, both ends included."""
Spans = tuple[Span, ...]
"""Disjoint, sorted, with gaps between them."""

MIN_NUMBER, MAX_NUMBER = -(2**63), 2**63 - 1
EVERYWHERE: Spans = ((MIN_NUMBER, MAX_NUMBER),)
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
    """The union in sorted order, with adjacent spans merged and empty ones removed."""
    merged: list[Span] = []
    for low, high in sorted(span for span in spans if span[0] <= span[1]):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def outside(spans: Spans) -> Spans:
    """All numbers that are in none of the spans."""
    lows = (MIN_NUMBER, *(high + 1 for _, high in spans))
    highs = (*(low - 1 for low, _ in spans), MAX_NUMBER)
    return union(zip(lows, highs, strict=True))


def meet(some: Spans, others: Spans) -> Spans:
    """The numbers that are in both."""
    return outside(union((*outside(some), *outside(others))))


def tested(true: Spans, region: Region) -> Region:
    """The preimage of a (boolean) region under a test that is true exactly on `true`, and NULL on NULL."""
    spans = (*(true if 1 in region else ()), *(outside(true) if 0 in region else ()))
    return Region(union(spans), region.null)


def clamped(low: int, high: int, spans: Spans) -> Spans:
    """The numbers that, clamped to low..high, lie in the spans."""
    kept = meet(spans, ((low, high),))
    return tuple((MIN_NUMBER if a == low else a, MAX_NUMBER if b == high else b) for a, b in kept)


def converted(source: Type, target: Type, spans: Spans) -> Spans | None:
    """The values of one type that, converted to another, lie in the spans. None for other pairs of types, which may
    become NULL where they do not fit, or lose their order."""
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
        low, high = MIN_NUMBER, MAX_NUMBER + 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if number_of_double(float(middle)) >= number else (middle + 1, high)
        return low

    return union((first(low), first(high + 1) - 1) for low, high in spans)


def in_days(spans: Spans) -> Spans:
    """The timestamps whose days lie in the spans."""
    return union((max(MIN_NUMBER, low * DAY), min(MAX_NUMBER, high * DAY + DAY - 1)) for low, high in spans)


def number_of(value: object, kind: Type) -> int | None:
    """The number of a constant as a value of this type (except text); None where it is ambiguous."""
    match kind, value:
        case Type.BOOLEAN, bool():
            return int(value)
        case _, bool():
            return None
        case ((Type.INTEGER | Type.FLOAT), int()) if not MIN_NUMBER <= value <= MAX_NUMBER:
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
    Type.INTEGER: (MIN_NUMBER, MAX_NUMBER),
    Type.FLOAT: (number_of_double(-math.inf), number_of_double(math.inf)),
    Type.BOOLEAN: (0, 1),
    Type.DATE: (MIN_NUMBER // DAY, MAX_NUMBER // DAY),
    Type.TIMESTAMP: (MIN_NUMBER, MAX_NUMBER),
    Type.TEXT: (0, MAX_NUMBER),
}
"""The numbers that the values of a type have."""


def value_in(span: Span, kind: Type) -> object:
    """A simple value whose number is in the span (except text); in words where Python cannot represent it."""
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
