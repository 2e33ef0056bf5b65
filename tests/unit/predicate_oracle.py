"""Joint sensitivity by brute force: an evaluator of its own and every record of a finite table of values.

It shares nothing with lapcat.plan.predicates but the expressions: values are Python values, NULL is None, and the
meaning of a node is written again from its docstring.
"""

from __future__ import annotations

import datetime
import itertools
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from lapcat.plan.expressions import (
    Absolute,
    Arithmetic,
    Case,
    Cast,
    Clamp,
    Coalesce,
    Column,
    Compare,
    DatePart,
    Expression,
    InList,
    IsNull,
    Like,
    Literal,
    Logic,
    Not,
    NullOutsideBounds,
    columns_of,
)
from lapcat.plan.predicates import StatisticTerm
from lapcat.plan.schema import Relation, Type

Record = Mapping[str, object]
COMPARISONS: Mapping[str, Callable[..., bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def value_of(node: Expression, record: Record):
    """The value of an expression on a record, None for NULL."""
    match node:
        case Column(name):
            return record[name]
        case Literal(value):
            return value
        case Compare(op, left, right):
            return compared(op, value_of(left, record), value_of(right, record))
        case Logic(op, operands):
            order = {False: 0, None: 1, True: 2}
            pick = min if op == "and" else max
            return pick((value_of(operand, record) for operand in operands), key=order.__getitem__)
        case Not(operand):
            value = value_of(operand, record)
            return None if value is None else not value
        case IsNull(operand):
            return value_of(operand, record) is None
        case InList(operand, values):
            value = value_of(operand, record)
            return None if value is None else any(compared("=", value, literal.value) for literal in values)
        case Like(operand, pattern):
            value = value_of(operand, record)
            wild = re.escape(pattern).replace("%", ".*").replace("_", ".")
            return None if value is None else re.fullmatch(wild, value, re.DOTALL) is not None
        case Arithmetic(op, left, right, kind):
            first, other = typed(value_of(left, record), kind), typed(value_of(right, record), kind)
            if first is None or other is None or (op == "/" and other == 0):
                return None
            result = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}[op](
                first, other
            )
            return None if result != result else result
        case Case(whens, otherwise, kind):
            for condition, value in whens:
                if value_of(condition, record) is True:
                    return typed(value_of(value, record), kind)
            return None if otherwise is None else typed(value_of(otherwise, record), kind)
        case Coalesce(operand, replacement, kind):
            value = value_of(operand, record)
            return typed(replacement.value if value is None else value, kind)
        case Clamp(operand, low, high, kind):
            value = typed(value_of(operand, record), kind)
            return None if value is None else max(typed(low.value, kind), min(typed(high.value, kind), value))
        case NullOutsideBounds(operand, low, high):
            value = value_of(operand, record)
            day = value.date() if isinstance(value, datetime.datetime) else value
            return value if day is not None and low.value <= day <= high.value else None
        case Cast(operand, Type.FLOAT):
            value = value_of(operand, record)
            return None if value is None else float(value)
        case Cast(operand, Type.DATE):
            value = value_of(operand, record)
            return None if value is None else value.date()
        case Cast(operand, Type.INTEGER) if operand.type is Type.BOOLEAN:
            value = value_of(operand, record)
            return None if value is None else int(value)
        case Absolute(operand):
            value = value_of(operand, record)
            return None if value is None else abs(value)
        case DatePart(part, operand):
            value = value_of(operand, record)
            return None if value is None else getattr(value, part)
    raise NotImplementedError(node)


def typed(value, kind: Type):
    return float(value) if kind is Type.FLOAT and value is not None else value


def compared(op: str, left, right) -> bool | None:
    if left is None or right is None:
        return None
    if isinstance(left, float) or isinstance(right, float):
        left, right = float(left), float(right)
    return COMPARISONS[op](left, right)


def moved_by(
    record: Record | None, parts: Sequence[StatisticTerm], where: Expression | None
) -> tuple[bool, ...]:
    """For each part whether the record (None: absent) moves it."""
    if record is None or (where is not None and value_of(where, record) is not True):
        return (False,) * len(parts)
    return tuple(part.predicate is None or value_of(part.predicate, record) is True for part in parts)


def difference(first: Sequence[bool], other: Sequence[bool], parts: Sequence[StatisticTerm]) -> int:
    """On how many parts two records differ, given which each of them moves."""
    return sum(a != b if part.counts else a or b for a, b, part in zip(first, other, parts, strict=True))


def records_of(columns: Sequence[str], values: Mapping[str, Sequence[object]]) -> Iterator[Record]:
    for choice in itertools.product(*(values[column] for column in columns)):
        yield dict(zip(columns, choice, strict=True))


def reached(
    parts: Sequence[StatisticTerm], values: Mapping[str, Sequence[object]], where: Expression | None = None
) -> set[tuple[bool, ...]]:
    """Which parts the records move that have the given values in the columns that are read."""
    expressions = [part.predicate for part in parts if part.predicate is not None] + (
        [where] if where else []
    )
    columns = sorted({column.name for expression in expressions for column in columns_of(expression)})
    return {moved_by(record, parts, where) for record in records_of(columns, values)}


def most_of(
    moved: set[tuple[bool, ...]], parts: Sequence[StatisticTerm], relation: Relation, *, may_be_absent: bool
) -> int:
    """The joint sensitivity over records that move these parts."""
    if relation is Relation.ADD_REMOVE:
        return max(map(sum, moved))
    rows = moved | {(False,) * len(parts)} if may_be_absent else moved
    return max(difference(first, other, parts) for first in rows for other in rows)
