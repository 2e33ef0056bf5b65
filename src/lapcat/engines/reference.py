"""What a plan means, in plain Python: the executable specification that every engine is held to.

Written to be read, not to be fast. The comments are in plan/expressions.py: each node's docstring is its meaning.
"""

from __future__ import annotations

import datetime
import hashlib
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, assert_never

import numpy as np

from lapcat.core.door import Private
from lapcat.engines.values import (
    GREATEST,
    LEAST,
    SATURATION,
    canonical_text,
    coerce,
    key_positions,
    literal_value,
    require_proof,
)
from lapcat.errors import Bug
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
    DatePart,
    Expression,
    Extreme,
    InList,
    IsNull,
    Like,
    Literal,
    Logic,
    Not,
    Part,
    Rounded,
    Within,
)
from lapcat.plan.nodes import Bound, Filter, Group, Key, Kind, Rows, Scan, Statistic
from lapcat.plan.schema import Type, Value

__all__ = ["ReferenceEngine", "coerce", "evaluate", "rank_rows"]

Row = Mapping[str, object]
Ranks = Sequence[int | None]


class ReferenceEngine:
    """Looks at rows in memory. `ranks` holds the contribution index of each table that has a unit column."""

    def __init__(self, tables: Mapping[str, Sequence[Row]], ranks: Mapping[str, Ranks] | None = None) -> None:
        self._tables, self._ranks = tables, ranks or {}

    def look(self, plan: Group) -> Private:
        """One row of cells per statistic."""
        totals = [[0] * plan.cells for _ in plan.statistics]
        places = [(key, key_positions(key)) for key in plan.keys]
        for row, _ in self._rows(plan.source):
            cell = cell_of(places, row)
            if cell is not None:
                for total, statistic in zip(totals, plan.statistics, strict=True):
                    total[cell] += contribution(statistic, row)
        cells = [[max(-SATURATION, min(SATURATION, n)) for n in total] for total in totals]
        return Private(np.array(cells, dtype=np.int64).reshape(len(plan.statistics), plan.cells))

    def _rows(self, rows: Rows) -> Iterator[tuple[Row, int]]:
        """The rows with their ranks; where each row is a unit of its own, it is its first."""
        match rows:
            case Scan(table, _, _, unit):
                if unit.is_row:
                    yield from ((row, 1) for row in self._tables[table])
                elif table not in self._ranks:
                    raise Bug("index-missing", f"{table} has a unit column and no contribution index")
                else:
                    for row, rank in zip(self._tables[table], self._ranks[table], strict=True):
                        if rank is not None:
                            yield row, rank
            case Filter(source, predicate):
                yield from (
                    (row, rank) for row, rank in self._rows(source) if evaluate(predicate, row) is True
                )
            case Bound(source, most):
                yield from ((row, rank) for row, rank in self._rows(source) if rank <= most)
            case _:
                assert_never(rows)


def rank_rows(rows: Sequence[Row], unit: str, columns: Mapping[str, Type], key: bytes) -> list[int | None]:
    """The contribution index: each row's rank within its unit, from 1; None where the unit is NULL.

    A unit's rows are ordered by SHA-256 of the key and the row's canonical text (all columns, the unit's too), ties
    by that text, so which rows stay depends on the unit's own rows alone and never on where they stand. Rows that tie
    on both are equal, and which of them comes first makes no difference.
    """
    units: dict[Value, list[tuple[str, str, int]]] = {}
    for position, row in enumerate(rows):
        whose = coerce(row[unit], columns[unit])
        if whose is not None:
            text = canonical_text(row, columns)
            digest = hashlib.sha256((key.hex() + text).encode()).hexdigest()
            units.setdefault(whose, []).append((digest, text, position))
    ranks: list[int | None] = [None] * len(rows)
    for contributions in units.values():
        for rank, (_, _, position) in enumerate(sorted(contributions), start=1):
            ranks[position] = rank
    return ranks


def cell_of(places: Sequence[tuple[Key, Mapping[Value, int]]], row: Row) -> int | None:
    """The cell that a row belongs to: keys in product order, the last running fastest."""
    cell = 0
    for key, positions in places:
        value = evaluate(key.expression, row)
        place = None if value is None else positions.get(value)
        if place is None:
            if not key.other:
                return None
            place = len(key.values)
        cell = cell * key.size + place
    return cell


def contribution(statistic: Statistic, row: Row) -> int:
    """What one row adds to its cell."""
    if statistic.filter is not None and evaluate(statistic.filter, row) is not True:
        return 0
    if statistic.value is None:
        return 1
    value = evaluate(statistic.value, row)
    match statistic.kind:
        case Kind.ROWS | Kind.PRESENT:
            return int(value is not None)
        case Kind.SUM:
            if value is None:
                return 0
            grid = statistic.grid
            assert grid is not None
            return grid.place(_clamped(_number(value), grid.clamp_low, grid.clamp_high))
        case _:
            assert_never(statistic.kind)


def evaluate(expression: Expression, row: Row) -> Value | None:
    """The expression's value on a row of raw cells; None is NULL."""
    match expression:
        case Column(name, kind):
            return coerce(row[name], kind)
        case Literal():
            return literal_value(expression)
        case Compare(op, left, right):
            return _compared(op, evaluate(left, row), evaluate(right, row))
        case Logic(op, operands):
            found = [evaluate(operand, row) for operand in operands]
            decisive = op == "or"
            return decisive if decisive in found else None if None in found else not decisive
        case Not(operand):
            value = evaluate(operand, row)
            return None if value is None else not value
        case IsNull(operand):
            return evaluate(operand, row) is None
        case InList(operand, values):
            value = evaluate(operand, row)
            return None if value is None else any(_compared("=", value, literal_value(v)) for v in values)
        case Like(operand, pattern):
            value = evaluate(operand, row)
            return None if value is None else _like(pattern).fullmatch(str(value)) is not None
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
            ends = [_number(_as(literal_value(end), kind)) for end in (low, high)]
            return None if value is None else _clamped(_number(value), *ends)
        case Within(operand, low, high):
            value = evaluate(operand, row)
            day = value.date() if isinstance(value, datetime.datetime) else value
            inside = _compared(">=", day, literal_value(low)) and _compared("<=", day, literal_value(high))
            return value if inside else None
        case Absolute(operand, kind):
            value = _as(evaluate(operand, row), kind)
            return None if value is None or (value == LEAST and kind is Type.INTEGER) else abs(_number(value))
        case Rounded(how, operand):
            value = evaluate(operand, row)
            return None if value is None else _fitting(_rounded(how, _number(value)))
        case Extreme(how, operands, kind):
            present = [v for v in (_as(evaluate(o, row), kind) for o in operands) if v is not None]
            pick = min if how == "least" else max
            return pick(map(_number, present)) if present else None
        case Bucket(operand, low, high, count):
            value = evaluate(operand, row)
            return None if value is None else _bucket(float(_number(value)), low, high, count)
        case DatePart(part, operand):
            value = evaluate(operand, row)
            assert value is None or isinstance(value, datetime.date)
            return None if value is None else _part(part, value)
        case _:
            assert_never(expression)


def _number(value: Value | None) -> float:
    """A number, exactly as it is: an int or a float."""
    assert isinstance(value, (int, float))
    return value


def _as(value: Value | None, kind: Type) -> Value | None:
    """A value as an operand of a node of the given type: an integer among doubles becomes one."""
    return float(value) if kind is Type.FLOAT and isinstance(value, int) else value


def _compared(op: str, left: Value | None, right: Value | None) -> bool | None:
    if left is None or right is None:
        return None
    if isinstance(left, float) or isinstance(right, float):
        left, right = float(_number(left)), float(_number(right))
    elif isinstance(left, datetime.datetime) or isinstance(right, datetime.datetime):
        left, right = _cast(left, Type.TIMESTAMP), _cast(right, Type.TIMESTAMP)
    compare: Callable[[Any, Any], bool] = COMPARISONS[op]  # both are of one ordered type by now
    return compare(left, right)


def _combined(op: str, left: Value | None, right: Value | None) -> float | None:
    if left is None or right is None or (op == "/" and right == 0):
        return None
    result = ARITHMETIC[op](_number(left), _number(right))
    return None if math.isnan(result) else result


def _cast(value: Value | None, kind: Type) -> Value | None:
    if isinstance(value, float) and kind is Type.INTEGER:
        return _fitting(round(value) if math.isfinite(value) else value)
    return coerce(value, kind)


def _clamped(x: float, low: float, high: float) -> float:
    return low if x < low else high if x > high else x


def _rounded(how: str, x: float) -> float:
    """Rounded as a number that may still be ±inf."""
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
    return int(whole) if math.isfinite(whole) and LEAST <= whole <= GREATEST else None


def _bucket(x: float, low: float, high: float, count: int) -> int:
    low, high = float(low), float(high)
    if x < low:
        return 0
    if x >= high:
        return count + 1
    quotient = (x - low) * float(count) / (high - low)
    return math.floor(quotient) + 1 if quotient < count else count


def _like(pattern: str) -> re.Pattern[str]:
    pieces = {"%": ".*", "_": "."}
    return re.compile("".join(pieces.get(c, re.escape(c)) for c in pattern), re.DOTALL)


def _part(part: Part, day: datetime.date) -> int:
    moment = day if isinstance(day, datetime.datetime) else None
    match part:
        case "year":
            return day.year
        case "quarter":
            return (day.month + 2) // 3
        case "month":
            return day.month
        case "day":
            return day.day
        case "dow":
            return day.isoweekday() % 7
        case "isodow":
            return day.isoweekday()
        case "doy":
            return day.timetuple().tm_yday
        case "hour":
            return moment.hour if moment else 0
        case "minute":
            return moment.minute if moment else 0
        case _:
            assert_never(part)
