"""Interval arithmetic over cells: enclosures of a number computed from estimates, given the interval of each estimate.

Theorem: if every input lies within its own ends, the expression's value in IEEE doubles lies within the computed ends,
         or is NULL where the enclosure allows NULL.
Proof:   by induction over the nodes. Each operation is monotone in each argument between the points that its rule
         treats apart (a divisor of 0, the sign of a factor), and so is its rounding, so that its extremes over a box
         are at the corners; what is not decided inside the box (a condition) takes the hull of all that it may choose.
Slack:   an input that occurs twice varies twice (x / (x + y) is wider than it need be).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lapcat.plan.expressions import (
    Absolute,
    Arithmetic,
    Bucket,
    Case,
    Cast,
    Clamp,
    Coalesce,
    Column,
    Compare,
    Expression,
    InList,
    IsNull,
    LeastOrGreatest,
    Literal,
    Logic,
    Not,
    NullOutsideBounds,
    Rounded,
    children,
    columns_of,
)
from lapcat.plan.released.vectors import INTEGER_END, Flags, Vector, bucket, evaluate, rounded
from lapcat.plan.schema import Type

Floats = npt.NDArray[np.float64]

_NODES = (
    *(
        Column,
        Literal,
        Compare,
        Logic,
        Not,
        IsNull,
        InList,
        Arithmetic,
        Case,
        Cast,
        Coalesce,
        Clamp,
        NullOutsideBounds,
    ),
    *(Absolute, Rounded, LeastOrGreatest, Bucket),
)
_EXACT = 2.0**53
"""Below it every integer is a double, and conversion to double is exact."""


def foreign(expression: Expression, exact: frozenset[str] = frozenset()) -> Expression | None:
    """The first part of an expression that is neither a number nor a condition on numbers, nor computed from the exact
    columns alone; None if there is none."""
    if exact and all(column.name in exact for column in columns_of(expression)):
        return None
    if not isinstance(expression, _NODES) or not (
        expression.type.is_number or expression.type is Type.BOOLEAN
    ):
        return expression
    parts = (foreign(child, exact) for child in children(expression))
    return next((part for part in parts if part is not None), None)


@dataclass(frozen=True, slots=True)
class Enclosure:
    """The possible values: low..high (none if low is above high), and whether NULL is possible."""

    low: Floats
    high: Floats
    null: Flags

    @property
    def none(self) -> Flags:
        """Where it must be NULL."""
        return np.asarray(self.low > self.high)

    def where(self, possible: Flags) -> Enclosure:
        """The empty set where `possible` is false."""
        low, high = np.where(possible, self.low, np.inf), np.where(possible, self.high, -np.inf)
        return Enclosure(low, high, self.null & possible)

    def joined(self, other: Enclosure) -> Enclosure:
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return Enclosure(low, high, self.null | other.null)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Which of true, false and NULL a condition may be."""

    true: Flags
    false: Flags
    null: Flags


@dataclass(frozen=True, slots=True)
class _Inputs:
    """The columns of an expression: enclosures of numbers, and exact values."""

    enclosures: Mapping[str, Enclosure]
    exact: Mapping[str, Vector]

    def value(self, expression: Expression) -> Vector | None:
        """The value of an expression of exact columns; None for any other."""
        columns = [column.name for column in columns_of(expression)]
        return evaluate(expression, self.exact) if columns and self.exact.keys() >= set(columns) else None


def enclose(
    expression: Expression, inputs: Mapping[str, Enclosure], exact: Mapping[str, Vector] | None = None
) -> Enclosure:
    """The enclosure of an expression whose columns lie within the given ones, or have the exact values, a cell at a time."""
    with np.errstate(all="ignore"):
        return _number(expression, _Inputs(inputs, exact or {}))


def between(low: Any, high: Any) -> Enclosure:
    """The enclosure of an estimate by the ends of its interval; an end that is NaN is open."""
    return Enclosure(*_ends(low, high), _no())


def exactly(vector: Vector) -> Enclosure:
    """The enclosure of exact numbers."""
    low, high = _ends(vector.data, vector.data)
    return Enclosure(np.where(vector.null, np.inf, low), np.where(vector.null, -np.inf, high), vector.null)


def _ends(low: Any, high: Any) -> tuple[Floats, Floats]:
    """Ends as doubles, integers that are not doubles rounded outwards; an end that is NaN is open."""
    bottom, top = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    if np.asarray(low).dtype.kind == "i":
        bottom = np.where(np.abs(bottom) >= _EXACT, np.nextafter(bottom, -np.inf), bottom)
    if np.asarray(high).dtype.kind == "i":
        top = np.where(np.abs(top) >= _EXACT, np.nextafter(top, np.inf), top)
    return np.where(np.isnan(bottom), -np.inf, bottom), np.where(np.isnan(top), np.inf, top)


def _no() -> Flags:
    return np.zeros((), dtype=np.bool_)


def _number(expression: Expression, inputs: _Inputs) -> Enclosure:
    def ends(part: Expression) -> Enclosure:
        return _number(part, inputs)

    known = inputs.value(expression)
    if known is not None:
        return exactly(known)
    match expression:
        case Column(name, _):
            return inputs.enclosures[name]
        case Literal(constant, _):
            return Enclosure(*_ends(constant, constant), _no())
        case Arithmetic(op, left, right, kind):
            return _arithmetic(op, ends(left), ends(right), kind)
        case Case(whens, otherwise, _):
            return _case(whens, otherwise, inputs)
        case Cast(operand, Type.INTEGER) if operand.type is Type.BOOLEAN:
            test = _verdict(operand, inputs)
            return Enclosure(
                np.where(test.false, 0.0, np.where(test.true, 1.0, np.inf)),
                np.where(test.true, 1.0, np.where(test.false, 0.0, -np.inf)),
                test.null,
            )
        case Cast(operand, Type.INTEGER) if operand.type is Type.FLOAT:
            return _whole(np.rint, ends(operand))
        case Cast(operand, _):
            return ends(operand)
        case Coalesce(operand, replacement, _):
            x = ends(operand)
            joined = x.joined(ends(replacement).where(x.null))
            return Enclosure(joined.low, joined.high, _no())
        case Clamp(operand, low, high, _):
            x = ends(operand)
            bottom, top = ends(low).low, ends(high).high
            return _present(np.clip(x.low, bottom, top), np.clip(x.high, bottom, top), x.null, x.none)
        case NullOutsideBounds(operand, low, high, _):
            x = ends(operand)
            bottom, top = ends(low).low, ends(high).high
            null = x.null | (x.low < bottom) | (x.high > top)
            return Enclosure(np.maximum(x.low, bottom), np.minimum(x.high, top), null)
        case Absolute(operand, kind):
            x = ends(operand)
            near = np.maximum(0.0, np.maximum(x.low, -x.high))
            far = np.maximum(np.abs(x.low), np.abs(x.high))
            null = x.null | (x.low <= -INTEGER_END) if kind is Type.INTEGER else x.null
            return _present(near, far, null, x.none)
        case Rounded(how, operand):
            x = ends(operand)
            return x if operand.type is Type.INTEGER else _whole(lambda end: rounded(how, end), x)
        case LeastOrGreatest(how, operands, _):
            return _extreme(how, [ends(operand) for operand in operands])
        case Bucket(operand, low, high, count):
            x = ends(operand)
            first, last = (bucket(end, low, high, count) for end in (x.low, x.high))
            return _present(first, last, x.null, x.none)
    raise ValueError(f"{type(expression).__name__} is not computed from numbers")


def _verdict(condition: Expression, inputs: _Inputs) -> Verdict:
    known = inputs.value(condition)
    if known is not None:
        true = known.data.astype(np.bool_)
        return Verdict(true & ~known.null, ~true & ~known.null, known.null)
    match condition:
        case Literal(value, _):
            return Verdict(np.asarray(value is True), np.asarray(value is False), _no())
        case Compare(op, left, right):
            return _compared(op, _number(left, inputs), _number(right, inputs))
        case InList(operand, values):
            x = _number(operand, inputs)
            return _either([_compared("=", x, _number(value, inputs)) for value in values])
        case Logic(op, operands):
            tests = [_verdict(operand, inputs) for operand in operands]
            return _either(tests) if op == "or" else _opposite(_either([_opposite(test) for test in tests]))
        case Not(operand):
            return _opposite(_verdict(operand, inputs))
        case IsNull(operand) if operand.type is Type.BOOLEAN:
            test = _verdict(operand, inputs)
            return Verdict(test.null, test.true | test.false, _no())
        case IsNull(operand):
            x = _number(operand, inputs)
            return Verdict(x.null, ~x.none, _no())
        case Case(whens, otherwise, _):
            return _chosen(whens, otherwise, inputs)
    raise ValueError(f"{type(condition).__name__} is not a condition on numbers")


def _either(tests: list[Verdict]) -> Verdict:
    true, false, null = tests[0].true, tests[0].false, tests[0].null
    for test in tests[1:]:
        true, false, null = true | test.true, false & test.false, null | test.null
    return Verdict(true, false, null)


def _opposite(test: Verdict) -> Verdict:
    return Verdict(test.false, test.true, test.null)


def _compared(op: str, x: Enclosure, y: Enclosure) -> Verdict:
    if op in (">", ">="):
        return _compared({">": "<", ">=": "<="}[op], y, x)
    if op == "<>":
        return _opposite(_compared("=", x, y))
    match op:
        case "<":
            true, false = x.low < y.high, x.high >= y.low
        case "<=":
            true, false = x.low <= y.high, x.high > y.low
        case _:
            true = (x.low <= y.high) & (y.low <= x.high)
            false = (x.low < x.high) | (y.low < y.high) | (x.low != y.low)
    there = ~(x.none | y.none)
    return Verdict(true & there, false & there, x.null | y.null)


def _case(
    whens: tuple[tuple[Expression, Expression], ...],
    otherwise: Expression | None,
    inputs: _Inputs,
) -> Enclosure:
    hull = Enclosure(np.asarray(np.inf), np.asarray(-np.inf), _no())
    left = ~_no()  # where no earlier condition must be true
    for condition, value in whens:
        test = _verdict(condition, inputs)
        hull = hull.joined(_number(value, inputs).where(left & test.true))
        left = left & (test.false | test.null)
    if otherwise is None:
        return Enclosure(hull.low, hull.high, hull.null | left)
    return hull.joined(_number(otherwise, inputs).where(left))


def _chosen(
    whens: tuple[tuple[Expression, Expression], ...],
    otherwise: Expression | None,
    inputs: _Inputs,
) -> Verdict:
    """A CASE whose values are conditions."""
    true, false, null, left = _no(), _no(), _no(), ~_no()
    for condition, value in whens:
        test, result = _verdict(condition, inputs), _verdict(value, inputs)
        here = left & test.true
        true, false, null = true | here & result.true, false | here & result.false, null | here & result.null
        left = left & (test.false | test.null)
    if otherwise is None:
        return Verdict(true, false, null | left)
    last = _verdict(otherwise, inputs)
    return Verdict(true | left & last.true, false | left & last.false, null | left & last.null)


def _arithmetic(op: str, x: Enclosure, y: Enclosure, kind: Type) -> Enclosure:
    none, null = x.none | y.none, x.null | y.null
    endless = ~(np.isfinite(x.low) & np.isfinite(x.high) & np.isfinite(y.low) & np.isfinite(y.high))
    match op:
        case "+":
            low, high = x.low + y.low, x.high + y.high
        case "-":
            low, high = x.low - y.high, x.high - y.low
        case "*":
            # 0 · ∞ at a corner stands for products of 0 with finite numbers, which are 0
            low, high = _corners(lambda a, b: np.where((a == 0) | (b == 0), 0.0, a * b), x, y)
        case _:
            holds_zero = (y.low <= 0) & (y.high >= 0)
            none, null = none | (y.low == 0) & (y.high == 0), null | holds_zero
            low, high = _corners(np.divide, x, y)
            low, high = np.where(holds_zero, -np.inf, low), np.where(holds_zero, np.inf, high)
    low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    null = null | endless  # ∞ − ∞ and the like are NULL
    if kind is Type.INTEGER:  # the value is exact where these ends are not
        low = np.where(np.abs(low) >= _EXACT, low - np.abs(low) * 2.0**-50, low)
        high = np.where(np.abs(high) >= _EXACT, high + np.abs(high) * 2.0**-50, high)
        low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
        null = null | (low <= -INTEGER_END) | (high >= INTEGER_END)
    return _present(low, high, null, none)


def _corners(
    combine: Callable[[Floats, Floats], Floats], x: Enclosure, y: Enclosure
) -> tuple[Floats, Floats]:
    corners = [combine(a, b) for a in (x.low, x.high) for b in (y.low, y.high)]
    low, high = corners[0], corners[0]
    for corner in corners[1:]:  # fmin and fmax pass over ∞ / ∞, whose neighbours reach as far
        low, high = np.fmin(low, corner), np.fmax(high, corner)
    return low, high


def _whole(rounding: Callable[[Floats], Floats], x: Enclosure) -> Enclosure:
    """Rounded to an INTEGER, NULL beyond 63 bits."""
    low, high = rounding(x.low), rounding(x.high)
    null = x.null | (low < -INTEGER_END) | (high >= INTEGER_END)
    return _present(low, high, null, x.none)


def _extreme(how: str, parts: list[Enclosure]) -> Enclosure:
    """NULLs are ignored: an operand that cannot be NULL bounds LEAST from above, any operand may be the least."""
    if how == "greatest":
        mirrored = _extreme("least", [Enclosure(-part.high, -part.low, part.null) for part in parts])
        return Enclosure(-mirrored.high, -mirrored.low, mirrored.null)
    low, high, sure, null = parts[0].low, parts[0].high, np.asarray(np.inf), parts[0].null
    for part in parts:
        low, high, null = np.minimum(low, part.low), np.maximum(high, part.high), null & part.null
        sure = np.minimum(sure, np.where(part.null, np.inf, part.high))
    return Enclosure(low, np.minimum(high, sure), null)


def _present(low: Any, high: Any, null: Flags, none: Flags) -> Enclosure:
    """An enclosure with these ends; empty where the operands have no number (`none`)."""
    return Enclosure(np.where(none, np.inf, low), np.where(none, -np.inf, high), null | none)
