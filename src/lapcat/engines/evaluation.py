"""The value of an expression on a row, in plain Python. Every engine must agree with it.

The docstrings of the nodes in plan/expressions.py specify their meaning.
"""

from __future__ import annotations

import datetime
import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, assert_never

from lapcat.engines.values import (
    MAX_INTEGER,
    MIN_INTEGER,
    coerce,
    literal_value,
    require_proof,
)
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
)
from lapcat.plan.like import regular
from lapcat.plan.schema import Type, Value
from lapcat.plan.texts import cased, concatenated, position_of, replaced, split_part, substring, trimmed

Row = Mapping[str, object]


def evaluate(expression: Expression, row: Row) -> Value | None:
    """The expression's value on a row of raw cells; None is NULL."""
    match expression:
        case Column(name, kind):
            return coerce(row[name], kind)
        case Literal():
            return literal_value(expression)
        case Compare(op, left, right):
            return compared(op, evaluate(left, row), evaluate(right, row))
        case Logic(op, operands):
            truths = [evaluate(operand, row) for operand in operands]
            decisive = op == "or"
            return decisive if decisive in truths else None if None in truths else not decisive
        case Not(operand):
            value = evaluate(operand, row)
            return None if value is None else not value
        case IsNull(operand):
            return evaluate(operand, row) is None
        case InList(operand, values):
            value = evaluate(operand, row)
            return None if value is None else any(compared("=", value, literal_value(v)) for v in values)
        case Like(operand, pattern, _, escape):
            text = _text(operand, row)
            return None if text is None else re.fullmatch(regular(pattern, escape), text) is not None
        case Arithmetic(op, left, right, kind):
            require_proof(expression)
            return _combined(op, _as(evaluate(left, row), kind), _as(evaluate(right, row), kind))
        case Case(whens, otherwise, kind):
            for condition, result in whens:
                if evaluate(condition, row) is True:
                    return _as(evaluate(result, row), kind)
            return None if otherwise is None else _as(evaluate(otherwise, row), kind)
        case Cast(operand, kind):
            return _cast(evaluate(operand, row), kind)
        case Coalesce(operand, replacement, kind):
            value = evaluate(operand, row)
            return _as(literal_value(replacement) if value is None else value, kind)
        case Clamp(operand, low, high, kind):
            value = _as(evaluate(operand, row), kind)
            ends = [as_number(_as(literal_value(end), kind)) for end in (low, high)]
            return None if value is None else clamped(as_number(value), *ends)
        case NullOutsideBounds(operand, low, high):
            value = evaluate(operand, row)
            day = value.date() if isinstance(value, datetime.datetime) else value
            inside = compared(">=", day, literal_value(low)) and compared("<=", day, literal_value(high))
            return value if inside else None
        case Absolute(operand, kind):
            value = _as(evaluate(operand, row), kind)
            return (
                None
                if value is None or (value == MIN_INTEGER and kind is Type.INTEGER)
                else abs(as_number(value))
            )
        case Rounded(how, operand):
            value = evaluate(operand, row)
            return None if value is None else _fitting(_rounded(how, as_number(value)))
        case LeastOrGreatest(how, operands, kind):
            present = [v for v in (_as(evaluate(o, row), kind) for o in operands) if v is not None]
            pick = min if how == "least" else max
            return pick(map(as_number, present)) if present else None
        case Bucket(operand, low, high, count):
            value = evaluate(operand, row)
            return None if value is None else _bucket(float(as_number(value)), low, high, count)
        case DatePart(part, operand):
            value = evaluate(operand, row)
            assert value is None or isinstance(value, datetime.date)
            return None if value is None else date_part(part, value)
        case DateTrunc(span, operand):
            value = evaluate(operand, row)
            assert value is None or isinstance(value, datetime.date)
            return None if value is None else start(span, value)
        case DateAdd(number, unit, operand):
            value = evaluate(operand, row)
            assert value is None or isinstance(value, datetime.date)
            return None if value is None else moved(value, number, unit)
        case DateText(pattern, operand):
            value = evaluate(operand, row)
            assert value is None or isinstance(value, datetime.date)
            return None if value is None else date_text(pattern, value)
        case AsciiCase(how, operand):
            text = _text(operand, row)
            return None if text is None else cased(how, text)
        case Trim(sides, operand, characters):
            text = _text(operand, row)
            return None if text is None else trimmed(sides, text, characters)
        case Substring(operand, first, count):
            text = _text(operand, row)
            return None if text is None else substring(text, first, count)
        case SplitPart(operand, separator, number):
            text = _text(operand, row)
            return None if text is None else split_part(text, separator, number)
        case Length(operand):
            text = _text(operand, row)
            return None if text is None else len(text)
        case Position(operand, search):
            text = _text(operand, row)
            return None if text is None else position_of(text, search)
        case Concat(operands, max_length):
            texts = [text for text in (_text(operand, row) for operand in operands) if text is not None]
            return concatenated(texts, max_length) if len(texts) == len(operands) else None
        case Replace(operand, search, replacement, max_length):
            text = _text(operand, row)
            return None if text is None else replaced(text, search, replacement, max_length)
        case _:
            assert_never(expression)


def _text(operand: Expression, row: Row) -> str | None:
    """The value of a text expression."""
    value = evaluate(operand, row)
    assert value is None or isinstance(value, str)
    return value


def as_number(value: Value | None) -> float:
    """The value, which must be an int or a float."""
    assert isinstance(value, (int, float))
    return value


def _as(value: Value | None, kind: Type) -> Value | None:
    """A value as an operand of a node of the given type: an integer becomes a double if the node is a float."""
    return float(value) if kind is Type.FLOAT and isinstance(value, int) else value


def compared(op: str, left: Value | None, right: Value | None) -> bool | None:
    if left is None or right is None:
        return None
    if isinstance(left, float) or isinstance(right, float):
        left, right = float(as_number(left)), float(as_number(right))
    elif isinstance(left, datetime.datetime) or isinstance(right, datetime.datetime):
        left, right = _cast(left, Type.TIMESTAMP), _cast(right, Type.TIMESTAMP)
    compare: Callable[[Any, Any], bool] = COMPARISONS[op]  # both have the same ordered type here
    return compare(left, right)


def _combined(op: str, left: Value | None, right: Value | None) -> float | None:
    if left is None or right is None or (op == "/" and right == 0):
        return None
    result = ARITHMETIC[op](as_number(left), as_number(right))
    return None if math.isnan(result) else result


def _cast(value: Value | None, kind: Type) -> Value | None:
    if isinstance(value, float) and kind is Type.INTEGER:
        return _fitting(round(value) if math.isfinite(value) else value)
    return coerce(value, kind)


def clamped(x: float, low: float, high: float) -> float:
    return low if x < low else high if x > high else x


def _rounded(how: str, x: float) -> float:
    """x rounded; ±inf stays."""
    return x if isinstance(x, int) or math.isinf(x) else ROUNDINGS[how](x)


def _half_away_from_zero(x: float) -> int:
    down = math.floor(abs(x))
    nearest = down + (abs(x) - down >= 0.5)  # the difference is exact, as both are not negative
    return nearest if x > 0 else -nearest


COMPARISONS = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
ROUNDINGS: dict[str, Callable[[float], int]] = {
    "floor": math.floor,
    "ceil": math.ceil,
    "round": _half_away_from_zero,
}


def _fitting(whole: float) -> int | None:
    return int(whole) if math.isfinite(whole) and MIN_INTEGER <= whole <= MAX_INTEGER else None


def _bucket(x: float, low: float, high: float, count: int) -> int:
    low, high = float(low), float(high)
    if x < low:
        return 0
    if x >= high:
        return count + 1
    quotient = (x - low) * float(count) / (high - low)
    return math.floor(quotient) + 1 if quotient < count else count
