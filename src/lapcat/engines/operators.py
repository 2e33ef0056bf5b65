"""Operators of a plan by their common names: the units of conformance testing and of refusal.

An operator on which an engine differs from engines/reference.py is refused on that engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import assert_never

from lapcat.errors import Refused
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
from lapcat.plan.nodes import (
    Filter,
    Group,
    GroupKey,
    Join,
    Kind,
    LimitGroups,
    LimitRows,
    PerUnit,
    Public,
    Rows,
    Scan,
    Statistic,
    Union,
    UnitAggregate,
    WeightRows,
)

INDEX, FEW_ROWS, FEW_GROUPS, WEIGHED = "whose row it is", "rows_per_unit", "groups_per_unit", "weighed rows"
COUNTS = {
    Kind.ROWS: "COUNT(*)",
    Kind.PRESENT: "COUNT(x)",
    Kind.SUM: "SUM",
    Kind.UNITS: "COUNT of units",
    Kind.DISTINCT: "COUNT(DISTINCT)",
}
PRIVATE = "GROUP BY private values"

Result = OneOf["same", "differs", "fails"]


@dataclass(frozen=True, slots=True)
class OperatorMeaning:
    """The conformance result of an operator on an engine."""

    operator: str
    result: Result


def operator(expression: Expression) -> str:
    """The name of an expression's outermost operator.

    >>> from lapcat.plan.schema import Type
    >>> operator(Cast(Column("s", Type.TEXT), Type.DATE))
    'CAST text AS date'
    """
    match expression:
        case Column(_, kind):
            return f"{kind} columns"
        case Literal(_, kind):
            return f"{kind} constants"
        case Compare(_, left, right):
            return "comparison of " + " and ".join(sorted({str(left.type), str(right.type)}))
        case Logic(op, _):
            return op.upper()
        case Not():
            return "NOT"
        case IsNull():
            return "IS NULL"
        case InList(operand, _):
            return f"{operand.type} IN"
        case Like(escape=escape):
            return "LIKE with ESCAPE" if escape else "LIKE"
        case Arithmetic(op, _, _, kind):
            return f"{kind} {op}"
        case Case():
            return "CASE"
        case Cast(operand, kind):
            return f"CAST {operand.type} AS {kind}"
        case Coalesce():
            return "COALESCE"
        case Clamp(_, _, _, kind):
            return f"{kind} CLAMP"
        case NullOutsideBounds(operand, _, _):
            return f"{operand.type} bounds"
        case Absolute(_, kind):
            return f"{kind} ABS"
        case Rounded(how, _) | LeastOrGreatest(how, _) | AsciiCase(how, _):
            return how.upper()
        case Bucket():
            return "WIDTH_BUCKET"
        case DatePart(part, operand):
            return f"{part.upper()} of a {operand.type}"
        case DateTrunc(span, operand):
            return f"DATE_TRUNC {span} of a {operand.type}"
        case DateAdd(_, unit, operand):
            return f"{operand.type} + {unit}s"
        case DateText(_, operand):
            return f"STRFTIME of a {operand.type}"
        case Trim(sides):
            return f"TRIM {sides.upper()}"
        case Substring(_, start):
            return "SUBSTRING" if start > 0 else "RIGHT"
        case SplitPart():
            return "SPLIT_PART"
        case Length():
            return "LENGTH"
        case Position():
            return "POSITION"
        case Concat():
            return "CONCAT"
        case Replace():
            return "REPLACE"
        case _:
            assert_never(expression)


def unit_aggregate_name(aggregate: UnitAggregate) -> str:
    return f"{aggregate.upper()} per unit"


def key_name(key: GroupKey) -> str:
    return PRIVATE if key.is_private else f"GROUP BY {key.type}"


def operators(plan: Group) -> Iterator[str]:
    """All operators of a plan, with repetitions."""
    for key in plan.keys:
        yield key_name(key)
        yield from _inside(key.expression)
    for statistic in plan.statistics:
        yield from _counted(statistic)
    yield from _of_rows(plan.source)


def _inside(expression: Expression) -> Iterator[str]:
    yield operator(expression)
    for child in children(expression):
        yield from _inside(child)


def _counted(statistic: Statistic) -> Iterator[str]:
    yield COUNTS[statistic.kind]
    for expression in (statistic.value, statistic.filter):
        if expression is not None:
            yield from _inside(expression)


def _of_rows(rows: Rows | Public) -> Iterator[str]:
    match rows:
        case Scan(unit=unit):
            if not unit.is_row:
                yield INDEX
        case Public():
            return
        case Filter(source, predicate):
            yield from _inside(predicate)
            yield from _of_rows(source)
        case LimitRows(source):
            yield FEW_ROWS
            yield from _of_rows(source)
        case WeightRows(source):
            yield WEIGHED
            yield from _of_rows(source)
        case LimitGroups(source, keys):
            yield FEW_GROUPS
            for key in keys:
                yield from _inside(key)
            yield from _of_rows(source)
        case Join(left, right, on):
            yield "LEFT JOIN" if rows.outer else "JOIN"
            for pair in on:
                for side in pair:
                    yield from _inside(side)
            yield from _of_rows(left)
            yield from _of_rows(right)
        case Union(_, branches):
            yield "UNION ALL"
            for branch in branches:
                for column in branch.columns:
                    yield from _inside(column)
                yield from _of_rows(branch.rows)
        case PerUnit(source, named, values):
            for _, key in named:
                yield from _inside(key)
            for unit_column in values:
                yield unit_aggregate_name(unit_column.aggregate)
                for expression in (unit_column.value, unit_column.filter):
                    if expression is not None:
                        yield from _inside(expression)
            yield from _of_rows(source)
        case _:
            assert_never(rows)


def refuse_unlike(plan: Group, unlike: frozenset[str], engine: str) -> None:
    """Refuses a plan that uses an operator on which the engine failed conformance."""
    for name in operators(plan):
        if name in unlike:
            raise Refused(
                "engine-differs",
                f"this question uses {name}, which {engine} computes differently from lapcat's specification",
                why="sensitivities are proved for lapcat's specification of each operator",
                fix="write it without that; after another version of the engine is installed: lapcat check --engine",
            )
