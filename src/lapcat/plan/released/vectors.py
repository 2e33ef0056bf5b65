"""Vectorised evaluation of expressions over columns of a released table, by the semantics of plan/expressions.py.

Used for post-processing: computed columns, HAVING, ORDER BY. Numbers and booleans are NumPy arrays, texts and dates are
arrays of Python objects. An INTEGER that leaves 63 bits is NULL, so nothing here needs a proof of range.
"""

from __future__ import annotations

import datetime
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

import numpy as np
import numpy.typing as npt

from lapcat.plan.calendar import date_part, date_text, moved, start
from lapcat.plan.expressions import (
    Absolute,
    Arithmetic,
    AsciiCase,
    Bucket,
    Case,
    Cast,
    Clamp,
    Coalesce,
    Column,
    Compare,
    Concat,
    DateAdd,
    DatePart,
    DateText,
    DateTrunc,
    Expression,
    InList,
    IsNull,
    LeastOrGreatest,
    Length,
    Like,
    Literal,
    Logic,
    Not,
    NullOutsideBounds,
    Position,
    Replace,
    Rounded,
    SplitPart,
    Substring,
    Trim,
    children,
)
from lapcat.plan.like import regular
from lapcat.plan.schema import Type, Value
from lapcat.plan.texts import cased, concatenated, position_of, replaced, split_part, substring, trimmed

Data = npt.NDArray[Any]
Flags = npt.NDArray[np.bool_]

INTEGER_END = 2.0**63
"""An INTEGER x satisfies −INTEGER_END <= x < INTEGER_END."""
_DTYPES: dict[Type, Any] = {Type.INTEGER: np.int64, Type.FLOAT: np.float64, Type.BOOLEAN: np.bool_}
_NOTHING: dict[Type, Any] = {Type.INTEGER: 0, Type.FLOAT: 0.0, Type.BOOLEAN: False}
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_COMBINE: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
}


@dataclass(frozen=True, slots=True)
class Vector:
    """Values of one type and a NULL mask; zero-dimensional arrays for a constant."""

    data: Data
    null: Flags

    @classmethod
    def of(cls, values: Data, null: Flags | None = None) -> Vector:
        """The values; NaN and masked ones are NULL."""
        absent = np.ma.getmaskarray(values) if null is None else null
        data = np.ma.getdata(values)
        if data.dtype.kind == "f":
            absent = absent | np.isnan(data)
        return cls(data, absent)


def vector(values: Sequence[Value | None], kind: Type) -> Vector:
    """Values of one type; None is NULL."""
    null = np.array([value is None for value in values], dtype=np.bool_)
    nothing = _NOTHING.get(kind)
    data = np.array(
        [nothing if value is None else value for value in values], dtype=_DTYPES.get(kind, object)
    )
    return Vector(data, null)


def listed(x: Vector, count: int) -> list[Value | None]:
    """The values of a vector of `count` rows; a constant is repeated."""
    data, null = (np.broadcast_to(each, (count,)).tolist() for each in (x.data, x.null))
    return [None if absent else value for value, absent in zip(data, null, strict=True)]


def afterwards(expression: Expression) -> Expression | None:
    """The first part of an expression that cannot be computed on a released table: a cast from text; None if there is none."""
    if isinstance(expression, Cast) and expression.operand.type is Type.TEXT is not expression.type:
        return expression
    return next((part for child in children(expression) if (part := afterwards(child)) is not None), None)


def evaluate(expression: Expression, columns: Mapping[str, Vector]) -> Vector:
    """The expression's value in every row of the columns."""
    with np.errstate(all="ignore"):
        return _evaluate(expression, columns)


def _evaluate(expression: Expression, columns: Mapping[str, Vector]) -> Vector:
    def value(part: Expression, kind: Type | None = None) -> Vector:
        return converted(_evaluate(part, columns), part.type, kind or part.type)

    match expression:
        case Column(name, _):
            return columns[name]
        case Literal(constant, kind):
            return _constant(constant, kind)
        case Compare(op, left, right):
            common = _common(left.type, right.type)
            x, y = value(left, common), value(right, common)
            return _only(lambda a, b: _COMPARE[op](a, b), x, y)
        case Logic(op, operands):
            vectors = [value(operand) for operand in operands]
            decisive = np.logical_or if op == "or" else np.logical_and
            sides = [
                np.where(part.null, op == "and", part.data) for part in vectors
            ]  # a NULL decides nothing
            settled = _fold(decisive, sides)
            null = _fold(np.logical_or, [part.null for part in vectors]) & (settled != (op == "or"))
            return Vector(settled.astype(np.bool_), null)
        case Not(operand):
            x = value(operand)
            return Vector(~x.data.astype(np.bool_), x.null)
        case IsNull(operand):
            x = value(operand)
            return Vector(x.null, np.zeros_like(x.null))
        case InList(operand, values):
            tests = tuple(Compare("=", operand, constant) for constant in values)
            return _evaluate(Logic("or", tests), columns)
        case Like(operand, pattern, _, escape):
            matches = re.compile(regular(pattern, escape)).fullmatch
            return _each(lambda text: matches(text) is not None, value(operand), Type.BOOLEAN)
        case Arithmetic(op, left, right, kind):
            return _arithmetic(op, value(left, kind), value(right, kind), kind)
        case Case(whens, otherwise, kind):
            result = value(otherwise, kind) if otherwise is not None else _nothing(kind)
            for condition, branch in reversed(whens):
                test = value(condition)
                result = _chosen(test.data.astype(np.bool_) & ~test.null, value(branch, kind), result)
            return result
        case Cast(operand, kind):
            return _cast(value(operand), operand.type, kind)
        case Coalesce(operand, replacement, kind):
            x = value(operand, kind)
            return _chosen(~x.null, x, value(replacement, kind))
        case Clamp(operand, low, high, kind):
            x, ends = value(operand, kind), [value(end, kind).data for end in (low, high)]
            return Vector(np.clip(x.data, *ends), x.null)
        case NullOutsideBounds(operand, low, high, _):
            x = value(operand)
            day = Cast(operand, Type.DATE) if operand.type is Type.TIMESTAMP else operand
            inside = _evaluate(Logic("and", (Compare(">=", day, low), Compare("<=", day, high))), columns)
            return Vector(x.data, x.null | inside.null | ~inside.data)
        case Absolute(operand, kind):
            x = value(operand, kind)
            least = x.data == np.iinfo(np.int64).min if kind is Type.INTEGER else np.zeros_like(x.null)
            return Vector(np.abs(x.data), x.null | least)
        case Rounded(how, operand):
            x = value(operand)
            return x if operand.type is Type.INTEGER else _whole(rounded(how, x.data), x.null)
        case LeastOrGreatest(how, operands, kind):
            pick = np.minimum if how == "least" else np.maximum
            result = value(operands[0], kind)
            for operand in operands[1:]:
                other = value(operand, kind)
                both = Vector(pick(result.data, other.data), result.null)
                result = _chosen(other.null, result, _chosen(result.null, other, both))
            return result
        case Bucket(operand, low, high, count):
            x = value(operand, Type.FLOAT)
            return Vector(bucket(x.data, low, high, count).astype(np.int64), x.null)
        case DatePart(part, operand):
            return _each(lambda day: date_part(part, day), value(operand), Type.INTEGER)
        case DateTrunc(span, operand, kind):
            return _each(lambda day: start(span, day), value(operand), kind)
        case DateAdd(number, unit, operand, kind):
            return _each(lambda day: moved(day, number, unit), value(operand), kind)
        case DateText(pattern, operand, kind):
            return _each(lambda day: date_text(pattern, day), value(operand), kind)
        case AsciiCase(how, operand, kind):
            return _each(lambda text: cased(how, text), value(operand), kind)
        case Trim(sides, operand, characters, kind):
            return _each(lambda text: trimmed(sides, text, characters), value(operand), kind)
        case Substring(operand, first, count, kind):
            return _each(lambda text: substring(text, first, count), value(operand), kind)
        case SplitPart(operand, separator, number, kind):
            return _each(lambda text: split_part(text, separator, number), value(operand), kind)
        case Length(operand, kind):
            return _each(len, value(operand), kind)
        case Position(operand, search, kind):
            return _each(lambda text: position_of(text, search), value(operand), kind)
        case Concat(operands, max_length, kind):
            pairs = _zipped([value(operand) for operand in operands])
            return _each(lambda texts: concatenated(texts, max_length), pairs, kind)
        case Replace(operand, search, replacement, max_length, kind):
            return _each(lambda text: replaced(text, search, replacement, max_length), value(operand), kind)
        case _:
            assert_never(expression)


def rounded(how: str, x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Down, up, or to the nearest with halves away from zero; the fraction |x| − ⌊|x|⌋ is exact."""
    if how == "round":
        down = np.floor(np.abs(x))
        return np.asarray(np.copysign(down + (np.abs(x) - down >= 0.5), x))
    return np.asarray(np.floor(x) if how == "floor" else np.ceil(x))


def bucket(x: npt.NDArray[np.float64], low: float, high: float, count: int) -> npt.NDArray[np.float64]:
    """WIDTH_BUCKET of doubles, as plan/expressions.py defines it."""
    quotient = (x - low) * float(count) / (high - low)
    inside = np.where(quotient < count, np.floor(quotient) + 1, count)
    return np.where(x < low, 0.0, np.where(x >= high, count + 1.0, inside))


def looked_up(keys: Vector, values: Mapping[Value, Value | None], kind: Type) -> Vector:
    """The value that belongs to each key; NULL where there is none."""
    return _each(values.get, keys, kind)


def _constant(value: Value, kind: Type) -> Vector:
    data = np.empty((), dtype=_DTYPES.get(kind, object))
    data[()] = value
    return Vector(data, np.zeros((), dtype=np.bool_))


def _nothing(kind: Type) -> Vector:
    return Vector(_constant(_NOTHING.get(kind, ""), kind).data, np.ones((), dtype=np.bool_))


def _only(compute: Callable[..., Any], *parts: Vector) -> Vector:
    """A comparison; NULL where an operand is NULL, which is then not compared."""
    null = _fold(np.logical_or, [part.null for part in parts])
    if all(part.data.dtype != object for part in parts):
        return Vector(np.asarray(compute(*(part.data for part in parts)), dtype=np.bool_), null)
    sides = np.broadcast_arrays(*(part.data for part in parts), null)
    present = ~sides[-1]
    result = np.zeros(present.shape, dtype=np.bool_)
    result[present] = compute(*(side[present] for side in sides[:-1]))
    return Vector(result, sides[-1])


def _each(compute: Callable[[Any], Any], x: Vector, kind: Type) -> Vector:
    """A function of texts or dates, computed once per distinct value."""
    shape = np.broadcast_shapes(x.data.shape, x.null.shape)
    items = np.broadcast_to(x.data, shape).ravel().tolist()
    present = (~np.broadcast_to(x.null, shape)).ravel().tolist()
    known = {item: compute(item) for item in {i for i, there in zip(items, present, strict=True) if there}}
    results = [known[i] if there else None for i, there in zip(items, present, strict=True)]
    null = np.array([value is None for value in results], dtype=np.bool_)
    result = np.full(len(results), _NOTHING.get(kind), dtype=_DTYPES.get(kind, object))
    result[~null] = [value for value in results if value is not None]
    return Vector(result.reshape(shape), null.reshape(shape))


def _zipped(parts: list[Vector]) -> Vector:
    """Tuples of the values, NULL where one of them is."""
    sides = np.broadcast_arrays(*(part.data for part in parts), *(part.null for part in parts))
    null = _fold(np.logical_or, list(sides[len(parts) :]))
    data = np.empty(null.size, dtype=object)
    columns = (side.ravel().tolist() for side in sides[: len(parts)])
    for place, values in enumerate(
        zip(*columns, strict=True)
    ):  # NumPy would make two dimensions of a list of tuples
        data[place] = values
    return Vector(data.reshape(null.shape), null)


def _arithmetic(op: str, x: Vector, y: Vector, kind: Type) -> Vector:
    null = x.null | y.null
    result = _COMBINE[op](x.data, y.data)
    if kind is Type.INTEGER:
        near = _COMBINE[op](x.data.astype(np.float64), y.data.astype(np.float64))
        return Vector(result, null | ~(np.abs(near) < INTEGER_END))
    if op == "/":
        null = null | (y.data == 0)
    return Vector(result, null | np.isnan(result))


def _cast(x: Vector, kind: Type, wanted: Type) -> Vector:
    match kind, wanted:
        case Type.FLOAT, Type.INTEGER:
            return _whole(np.rint(x.data), x.null)
        case Type.BOOLEAN, Type.INTEGER:
            return Vector(x.data.astype(np.int64), x.null)
        case ((Type.INTEGER | Type.DATE), Type.TEXT):
            return _each(str, x, Type.TEXT)
        case Type.TIMESTAMP, Type.DATE:
            return _each(lambda moment: moment.date(), x, Type.DATE)
    return converted(x, kind, wanted)


def _whole(whole: npt.NDArray[np.float64], null: Flags) -> Vector:
    """Integral doubles as integers, NULL where they do not fit."""
    fits = (whole >= -INTEGER_END) & (whole < INTEGER_END)
    return Vector(np.where(fits, whole, 0.0).astype(np.int64), null | ~fits)


def converted(x: Vector, kind: Type, wanted: Type) -> Vector:
    """A value as an operand of another type: an integer among doubles, a date among timestamps."""
    match kind, wanted:
        case Type.INTEGER, Type.FLOAT:
            return Vector(x.data.astype(np.float64), x.null)
        case Type.DATE, Type.TIMESTAMP:
            return _each(lambda day: datetime.datetime.combine(day, datetime.time()), x, wanted)
    return x


def _common(left: Type, right: Type) -> Type:
    if left is right:
        return left
    return Type.FLOAT if left.is_number and right.is_number else Type.TIMESTAMP


def _chosen(test: Flags, yes: Vector, no: Vector) -> Vector:
    return Vector(np.where(test, yes.data, no.data), np.where(test, yes.null, no.null))


def _fold(combine: Callable[[Any, Any], Any], parts: list[Any]) -> Any:
    result = parts[0]
    for part in parts[1:]:
        result = combine(result, part)
    return np.asarray(result)
