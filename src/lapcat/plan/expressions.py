"""Scalar expressions: typed and total; no data makes one of them fail.

Each node's docstring defines its semantics; engines/evaluation.py implements it in plain Python and engines/base as SQL, and
the engines test suite compares the two. Rules that hold everywhere:

- a value that does not fit its declared type is NULL; NaN is NULL wherever it arises; ±inf stays until it is clamped;
- NULL in gives NULL out, except where a node says otherwise; AND, OR and NOT are Kleene's;
- characters are Unicode code points. A text is never longer than the longest column or constant of the expression, than
  20 characters, the longest integer, than the longest text of a DateText's constant pattern, or than the `max_length` of a
  Concat or Replace: these two alone make longer texts, and give NULL, before building it, where the result would exceed
  their limit;
- numbers of mixed type are compared and combined as IEEE doubles; integers stay integers only where the result is
  proved to fit into 63 bits.

Columns are raw: what the catalogue declares about their values holds only where a node enforces it: Clamp, Within
(NullOutsideBounds) and Coalesce.
"""

from __future__ import annotations

import datetime
import math
import operator
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Literal as OneOf
from typing import assert_never, get_args

from lapcat.plan.schema import Type, Value
from lapcat.stored.forms import stored

ArithmeticOp = OneOf["+", "-", "*", "/"]
Rounding = OneOf["floor", "ceil", "round"]

INT_LIMIT = 2**62
"""Integers whose range is proved to lie within ±INT_LIMIT are computed as integers."""


@stored("Column", "name", "type")
@dataclass(frozen=True, slots=True)
class Column:
    """The value of a declared column, as its declared type."""

    name: str
    type: Type


@stored("Literal", "value", "type")
@dataclass(frozen=True, slots=True)
class Literal:
    """A constant that the analyst wrote; an INTEGER lies within 63 bits (−2⁶³ … 2⁶³−1), a TEXT is valid Unicode."""

    value: Value
    type: Type


@stored("Compare", "op", "left", "right", "type")
@dataclass(frozen=True, slots=True)
class Compare:
    """left ⋈ right. Text compares by code point; an integer and a float compare as doubles."""

    op: OneOf["=", "<>", "<", "<=", ">", ">="]
    left: Expression
    right: Expression
    type: Type = Type.BOOLEAN


@stored(None, "op", unordered="operands")
@dataclass(frozen=True, slots=True)
class Logic:
    """Kleene's AND or OR of two or more booleans."""

    op: OneOf["and", "or"]
    operands: tuple[Expression, ...]
    type: Type = Type.BOOLEAN


@stored("Not", "operand", "type")
@dataclass(frozen=True, slots=True)
class Not:
    """Kleene's NOT."""

    operand: Expression
    type: Type = Type.BOOLEAN


@stored("IsNull", "operand", "type")
@dataclass(frozen=True, slots=True)
class IsNull:
    """Whether the operand is NULL; never NULL itself."""

    operand: Expression
    type: Type = Type.BOOLEAN


@stored("in", "operand", unordered="values")
@dataclass(frozen=True, slots=True)
class InList:
    """Whether the operand equals one of the constants (none of them NULL), each of the operand's own type
    (or any number where the operand is a number: then compared as Compare does)."""

    operand: Expression
    values: tuple[Literal, ...]
    type: Type = Type.BOOLEAN


@stored("Like", "operand", "pattern", "type", unless_empty=("escape",))
@dataclass(frozen=True, slots=True)
class Like:
    """SQL LIKE with a constant pattern: % any run of characters, _ one character. A character after `escape`, which is
    a backslash or absent, stands for itself; only %, _ and the backslash itself are escaped."""

    operand: Expression
    pattern: str
    type: Type = Type.BOOLEAN
    escape: OneOf["", "\\"] = ""


@stored("Arithmetic", "op", "left", "right", "type")
@dataclass(frozen=True, slots=True)
class Arithmetic:
    """left ∘ right. Type INTEGER only for + − * of integers proved to fit; else both are doubles first.
    x / 0 is NULL (also 0.0 and -0.0); a NaN result is NULL."""

    op: ArithmeticOp
    left: Expression
    right: Expression
    type: Type


@stored("Case", "whens", "otherwise", "type")
@dataclass(frozen=True, slots=True)
class Case:
    """The first value whose condition is true, else `otherwise`, else NULL. All values have the node's type
    (an INTEGER value in a FLOAT case is converted to double)."""

    whens: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression | None
    type: Type


@stored("Cast", "operand", "type")
@dataclass(frozen=True, slots=True)
class Cast:
    """The operand as another type, NULL where it does not fit. Allowed pairs: CASTS.

    float → integer: nearest, half to even, NULL outside 63 bits. From text, spaces (U+0020) at both ends are stripped
    first. text → integer, float: only the plain decimal forms INTEGER_TEXT and FLOAT_TEXT. text → date: YYYY-MM-DD in
    years 1..9999; text → timestamp: that, or with ' ' or 'T' and HH:MM:SS and up to 6 decimals. text → boolean: true,
    false, t, f, 1, 0, yes, no in any case. timestamp → date drops the time; date → timestamp is midnight;
    boolean → integer is 1 or 0; integer → text is plain decimal; date → text is YYYY-MM-DD.
    """

    operand: Expression
    type: Type


CASTS: frozenset[tuple[Type, Type]] = frozenset(
    {
        (Type.INTEGER, Type.FLOAT),
        (Type.FLOAT, Type.INTEGER),
        (Type.TEXT, Type.INTEGER),
        (Type.TEXT, Type.FLOAT),
        (Type.TEXT, Type.DATE),
        (Type.TEXT, Type.TIMESTAMP),
        (Type.TEXT, Type.BOOLEAN),
        (Type.TIMESTAMP, Type.DATE),
        (Type.DATE, Type.TIMESTAMP),
        (Type.BOOLEAN, Type.INTEGER),
        (Type.INTEGER, Type.TEXT),
        (Type.DATE, Type.TEXT),
    }
)
INTEGER_TEXT = r"[+-]?[0-9]{1,18}(\.0*)?"
FLOAT_TEXT = r"[+-]?([0-9]{1,40}(\.[0-9]{0,40})?|\.[0-9]{1,40})([eE][+-]?[0-9]{1,3})?|[+-]?[iI][nN][fF]([iI][nN][iI][tT][yY])?"
DATE_TEXT = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
TIMESTAMP_TEXT = DATE_TEXT + r"([ T]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?)?"
TRUE_TEXT, FALSE_TEXT = ("true", "t", "1", "yes"), ("false", "f", "0", "no")


@stored("Coalesce", "operand", "replacement", "type")
@dataclass(frozen=True, slots=True)
class Coalesce:
    """The operand, or the constant where it is NULL."""

    operand: Expression
    replacement: Literal
    type: Type


@stored("Clamp", "operand", "low", "high", "type")
@dataclass(frozen=True, slots=True)
class Clamp:
    """The nearest number in low..high; ±inf become the ends. INTEGER if the operand and both ends are integers."""

    operand: Expression
    low: Literal
    high: Literal
    type: Type


@stored("Within", "operand", "low", "high", "type")
@dataclass(frozen=True, slots=True)
class NullOutsideBounds:
    """The operand if low ≤ operand ≤ high, else NULL. Numbers, dates or timestamps; the ends have the operand's
    type (a timestamp is within if its day is: ends are dates then)."""

    operand: Expression
    low: Literal
    high: Literal
    type: Type


@stored("Absolute", "operand", "type")
@dataclass(frozen=True, slots=True)
class Absolute:
    """|operand|; NULL for the one INTEGER whose absolute value does not fit, −2⁶³."""

    operand: Expression
    type: Type


@stored("Rounded", "how", "operand", "type")
@dataclass(frozen=True, slots=True)
class Rounded:
    """The operand rounded to an integer: down, up, or to the nearest with halves away from zero.
    NULL outside 63 bits and for ±inf."""

    how: Rounding
    operand: Expression
    type: Type = Type.INTEGER


@stored(None, "how", unordered="operands")
@dataclass(frozen=True, slots=True)
class LeastOrGreatest:
    """LEAST or GREATEST of numbers, NULLs ignored; NULL only where all are. FLOAT if any operand is."""

    how: OneOf["least", "greatest"]
    operands: tuple[Expression, ...]
    type: Type


@stored("Bucket", "operand", "low", "high", "count", "type")
@dataclass(frozen=True, slots=True)
class Bucket:
    """WIDTH_BUCKET(operand, low, high, count): 0 below low, count + 1 from high on, else
    min(count, floor((x − low) * count / (high − low)) + 1) in doubles, in this order of operations (and the last
    bucket where ends near ±1e308 make that quotient NaN)."""

    operand: Expression
    low: float
    high: float
    count: int
    type: Type = Type.INTEGER


Part = OneOf[
    "year", "quarter", "month", "day", "dow", "isodow", "doy", "hour", "minute", "second", "week", "isoyear", "julian"
]  # fmt: skip


@stored("DatePart", "part", "operand", "type")
@dataclass(frozen=True, slots=True)
class DatePart:
    """A part of a date or timestamp as an integer; dow counts from Sunday = 0, isodow from Monday = 1. Week and isoyear
    are those of ISO 8601; second has no decimals; julian is the Julian day number, 2 440 588 for the first day of 1970."""

    part: Part
    operand: Expression
    type: Type = Type.INTEGER


Span = OneOf["year", "quarter", "month", "week", "day", "hour", "minute", "second"]


@stored("DateTrunc", "span", "operand", "type")
@dataclass(frozen=True, slots=True)
class DateTrunc:
    """DATE_TRUNC: where the span that a date or timestamp lies in begins, of the operand's own type. Weeks begin on
    Monday. The first day of year 1 is one, so every start is a date."""

    span: Span
    operand: Expression
    type: Type


MoveUnit = OneOf["month", "day", "second"]


@stored("DateAdd", "number", "unit", "operand", "type")
@dataclass(frozen=True, slots=True)
class DateAdd:
    """A date or timestamp moved by a constant number of months, days or seconds (only timestamps move by seconds), of the
    operand's own type; NULL outside the years 1 to 9999. A day beyond the end of its new month becomes the last one."""

    number: int
    unit: MoveUnit
    operand: Expression
    type: Type


@stored("DateText", "pattern", "operand", "type")
@dataclass(frozen=True, slots=True)
class DateText:
    """A date or timestamp as text: each code of the pattern (`plan/calendar.py`: CODES) stands for a part of it, %% for a
    percent sign, and every other character for itself."""

    pattern: str
    operand: Expression
    type: Type = Type.TEXT


Casing = OneOf["upper", "lower"]


@stored("AsciiCase", "how", "operand", "type")
@dataclass(frozen=True, slots=True)
class AsciiCase:
    """UPPER or LOWER of the 26 ASCII letters; every other character stays. Engines differ on the others: on their version of
    Unicode, and on one character that becomes two."""

    how: Casing
    operand: Expression
    type: Type = Type.TEXT


Sides = OneOf["both", "leading", "trailing"]


@stored("Trim", "sides", "operand", "characters", "type")
@dataclass(frozen=True, slots=True)
class Trim:
    """The text without the longest run of the given characters at these sides."""

    sides: Sides
    operand: Expression
    characters: str
    type: Type = Type.TEXT


@stored("Substring", "operand", "start", "count", "type")
@dataclass(frozen=True, slots=True)
class Substring:
    """The characters from position `start` ≥ 1, at most `count` of them (None: to the end); for start < 0 the last −start
    characters, and count is None."""

    operand: Expression
    start: int
    count: int | None
    type: Type = Type.TEXT


@stored("SplitPart", "operand", "separator", "number", "type")
@dataclass(frozen=True, slots=True)
class SplitPart:
    """Part `number` ≥ 1 of the text between separators, found from left to right; empty if there are fewer parts."""

    operand: Expression
    separator: str
    number: int
    type: Type = Type.TEXT


@stored("Length", "operand", "type")
@dataclass(frozen=True, slots=True)
class Length:
    """The number of characters of a text."""

    operand: Expression
    type: Type = Type.INTEGER


@stored("Position", "operand", "search", "type")
@dataclass(frozen=True, slots=True)
class Position:
    """Where a constant first occurs in a text, from 1; 0 if it does not."""

    operand: Expression
    search: str
    type: Type = Type.INTEGER


@stored("Concat", "operands", "max_length", "type")
@dataclass(frozen=True, slots=True)
class Concat:
    """The texts one after the other; NULL if one of them is, or if they have more than `max_length` characters together."""

    operands: tuple[Expression, ...]
    max_length: int
    type: Type = Type.TEXT


@stored("Replace", "operand", "search", "replacement", "max_length", "type")
@dataclass(frozen=True, slots=True)
class Replace:
    """The text with each occurrence of a constant, found from left to right, replaced by another; NULL if the result has
    more than `max_length` characters."""

    operand: Expression
    search: str
    replacement: str
    max_length: int
    type: Type = Type.TEXT


TextMaker = AsciiCase | Trim | Substring | SplitPart | Concat | Replace | DateText
"""Nodes that make a new text."""
Expression = (
    Column
    | Literal
    | Compare
    | Logic
    | Not
    | IsNull
    | InList
    | Like
    | Arithmetic
    | Case
    | Cast
    | Coalesce
    | Clamp
    | NullOutsideBounds
    | Absolute
    | Rounded
    | LeastOrGreatest
    | Bucket
    | DatePart
    | DateTrunc
    | DateAdd
    | DateText
    | AsciiCase
    | Trim
    | Substring
    | SplitPart
    | Length
    | Position
    | Concat
    | Replace
)


FIELD_NAMES: dict[type, tuple[str, ...]] = {
    kind: tuple(field.name for field in fields(kind)) for kind in get_args(Expression)
}
"""Field names by class, cached: `dataclasses.fields` is slow."""


def children(expression: Expression) -> Iterator[Expression]:
    """The expressions directly inside, in order."""
    for name in FIELD_NAMES[type(expression)]:
        yield from _expressions_in(getattr(expression, name))


def _expressions_in(value: object) -> Iterator[Expression]:
    if isinstance(value, Expression):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _expressions_in(item)


def parts_of(expression: Expression) -> Iterator[Expression]:
    """The expression and everything inside it, from left to right."""
    yield expression
    for child in children(expression):
        yield from parts_of(child)


def columns_of(expression: Expression) -> Iterator[Column]:
    """The columns that the expression reads, from left to right, repetitions included."""
    return (part for part in parts_of(expression) if isinstance(part, Column))


# ------------------------------------------------------------------------------------------------ ranges


@dataclass(frozen=True, slots=True)
class Range:
    """An interval that contains a number, and whether it may be NULL. Ends are ints or floats, ±inf where unknown."""

    low: float
    high: float
    nullable: bool

    @property
    def bounded(self) -> bool:
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def fits_integer(self) -> bool:
        return self.low >= -INT_LIMIT and self.high <= INT_LIMIT

    def joined(self, other: Range) -> Range:
        return Range(min(self.low, other.low), max(self.high, other.high), self.nullable or other.nullable)


ANYWHERE = Range(-math.inf, math.inf, True)


def range_of(expression: Expression) -> Range:
    """A range that contains the value for every possible row (numbers; ANYWHERE for other types).

    Interval arithmetic over what Clamp, Within and constants guarantee; a raw column may be anything. Ends of float
    results are computed in doubles by the same operations as the value. Those operations round monotonically, so the
    value cannot leave the computed ends.
    """
    match expression:
        case Literal(value, kind):
            if kind.is_number and isinstance(value, (int, float)):
                return Range(value, value, False)
            return Range(-math.inf, math.inf, False)
        case Column():
            return ANYWHERE
        case Compare() | Like() | InList() | Not() | Logic():
            return Range(-math.inf, math.inf, any(range_of(child).nullable for child in children(expression)))
        case IsNull():
            return Range(-math.inf, math.inf, False)
        case Arithmetic(op, left, right, kind):
            first = range_of(left)
            return _arithmetic_range(op, first, first if right is left else range_of(right), kind)
        case Case(whens, otherwise, _):
            ranges = [range_of(branch) for _, branch in whens]
            ranges += [range_of(otherwise)] if otherwise is not None else []
            nullable = otherwise is None or any(r.nullable for r in ranges)
            return Range(min(r.low for r in ranges), max(r.high for r in ranges), nullable)
        case Cast(operand, kind):
            inner = range_of(operand)
            if operand.type is Type.BOOLEAN and kind is Type.INTEGER:
                return Range(0, 1, inner.nullable)
            if operand.type is Type.INTEGER and kind is Type.FLOAT:
                return inner
            if operand.type is Type.FLOAT and kind is Type.INTEGER and inner.bounded:
                nearest = Range(round(inner.low), round(inner.high), False)
                return Range(nearest.low, nearest.high, inner.nullable or not nearest.fits_integer)
            return ANYWHERE
        case Coalesce(operand, replacement, _):
            inner = range_of(operand)
            return Range(inner.low, inner.high, False).joined(range_of(replacement))
        case Clamp(operand, low, high, kind):
            inner, (bottom, top) = range_of(operand), _ends(low, high, kind)
            return Range(min(max(inner.low, bottom), top), max(min(inner.high, top), bottom), inner.nullable)
        case NullOutsideBounds(operand, low, high, kind):
            if not kind.is_number:
                return ANYWHERE
            inner, (bottom, top) = range_of(operand), _ends(low, high, kind)
            return Range(max(inner.low, bottom), min(inner.high, top), True)
        case Absolute(operand, kind):
            inner = range_of(operand)
            near, far = sorted((abs(inner.low), abs(inner.high)))
            nullable = inner.nullable or (kind is Type.INTEGER and not inner.fits_integer)
            return Range(0 if inner.low <= 0 <= inner.high else near, far, nullable)
        case Rounded(how, operand, _):
            return _rounded_range(how, range_of(operand))
        case LeastOrGreatest(how, operands, _):
            pick = min if how == "least" else max
            ranges = [range_of(operand) for operand in operands]
            if any(r.nullable for r in ranges):  # a NULL is ignored, so any operand may be the answer
                ends = min(r.low for r in ranges), max(r.high for r in ranges)
            else:
                ends = pick(r.low for r in ranges), pick(r.high for r in ranges)
            return Range(*ends, all(r.nullable for r in ranges))
        case Bucket(operand, _, _, count, _):
            return Range(0, count + 1, range_of(operand).nullable)
        case DatePart(part, operand, _):
            return _part_range(part, operand)
        case Length(operand, _) | Position(operand, _, _):
            return Range(0, math.inf, range_of(operand).nullable)
        case AsciiCase(_, operand, _) | Trim(_, operand, _, _) | Substring(operand) | SplitPart(operand):
            return range_of(operand)
        case DateTrunc() | DateAdd() | DateText() | Concat() | Replace():
            return ANYWHERE
        case _:
            assert_never(expression)


def _ends(low: Literal, high: Literal, kind: Type) -> tuple[float, float]:
    """The ends of a Clamp or Within as numbers of its type."""
    assert isinstance(low.value, (int, float)) and isinstance(high.value, (int, float))
    return (float(low.value), float(high.value)) if kind is Type.FLOAT else (low.value, high.value)


def _arithmetic_range(op: str, left: Range, right: Range, kind: Type) -> Range:
    if not (left.bounded and right.bounded):
        return ANYWHERE
    nullable = left.nullable or right.nullable
    if op == "/" and right.low <= 0 <= right.high:
        return ANYWHERE
    convert = float if kind is Type.FLOAT else lambda end: end
    combine = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}[op]
    corners = [
        combine(convert(a), convert(b)) for a in (left.low, left.high) for b in (right.low, right.high)
    ]
    low, high = min(corners), max(corners)
    if not (math.isfinite(low) and math.isfinite(high)):
        return ANYWHERE
    return Range(low, high, nullable)


def _rounded_range(how: str, inner: Range) -> Range:
    if not inner.bounded:
        return Range(-(2**63), 2**63 - 1, True)
    low, high = (math.floor(inner.low), math.floor(inner.high)) if how == "floor" else (0, 0)
    if how == "ceil":
        low, high = math.ceil(inner.low), math.ceil(inner.high)
    elif how == "round":  # halves go away from zero, so one more than nearest at most
        low, high = math.floor(inner.low), math.ceil(inner.high)
    return Range(low, high, inner.nullable or not Range(low, high, False).fits_integer)


_PARTS: dict[str, tuple[int, int]] = {
    "year": (1, 9999),
    "quarter": (1, 4),
    "month": (1, 12),
    "day": (1, 31),
    "dow": (0, 6),
    "isodow": (1, 7),
    "doy": (1, 366),
    "hour": (0, 23),
    "minute": (0, 59),
    "second": (0, 59),
    "week": (1, 53),
    "isoyear": (1, 9999),
    "julian": (1_721_426, 5_373_484),
}


def _part_range(part: str, operand: Expression) -> Range:
    low, high = _PARTS[part]
    while isinstance(operand, Cast) and operand.operand.type in (Type.DATE, Type.TIMESTAMP):
        operand = operand.operand  # between dates and timestamps, which keeps the year
    if part in ("year", "isoyear") and isinstance(operand, NullOutsideBounds):
        first, last = operand.low.value, operand.high.value
        assert isinstance(first, datetime.date) and isinstance(last, datetime.date)
        low, high = first.year, last.year
        if part == "isoyear":
            low, high = first.isocalendar().year, last.isocalendar().year
    return Range(low, high, True)
