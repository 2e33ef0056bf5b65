"""Refuses questions larger than [limits] allows, by the plan alone and before any expensive step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from lapcat.errors import Refused
from lapcat.plan.columns import ComputedColumn, ValueColumn
from lapcat.plan.compile import Query
from lapcat.plan.expressions import Compare, Expression, InList, IsNull, Like, TextMaker
from lapcat.plan.limits import WorkLimits
from lapcat.plan.nodes import Group, Public, Scan

REWRITE = {
    "aggregates": "ask for fewer aggregates at once",
    "predicates": "ask with fewer conditions at once; x IN (1, 2, 3) is one",
    "expression_size": "write shorter expressions, or compute them when the table is made",
    "expression_depth": "simplify the expressions, or compute them when the table is made",
    "tables": "join fewer tables, and unite fewer parts, at once",
    "groups": "group by fewer columns, or by wider buckets: FLOOR(x / 100)",
}
"""The analyst's remedy for each limit."""
TEXT_SIZE = 10
"""What an operator that makes a text counts for: the text may take as much room as hundreds of numbers."""


def require_within(asked: Query, limits: WorkLimits, *, listed: bool) -> None:
    """Refuses a query beyond a limit; listed: the groups are shown, not just the cells that a workload sums."""
    alone = sum(isinstance(column, ValueColumn) for column in asked.columns)
    inputs = sum(len(column.inputs) for column in asked.columns if isinstance(column, ComputedColumn))
    require("aggregates", alone + inputs, limits)
    predicates = tables = 0
    for part in _parts(asked):
        if isinstance(part, Scan | Public):
            tables += 1
        else:
            size, depth, tests = _measured(part)
            require("expression_size", size, limits)
            require("expression_depth", depth, limits)
            predicates += tests
    require("predicates", predicates, limits)
    require("tables", tables, limits)
    if listed:
        require("groups", Group(asked.rows, asked.keys, (), asked.sets).cells, limits)


def require(name: str, value: int, limits: WorkLimits) -> None:
    """Refuses a number beyond a limit, by its name."""
    limit = getattr(limits, name)
    if value > limit:
        called = name.replace("_", " ")
        raise Refused(
            "beyond-limit",
            f"the {called} of this question would be {value}; the limit is {limit} ([limits] {name})",
            why="the work per question is limited by public numbers, so that failures do not depend on rows; nothing was spent",
            fix=f"{REWRITE[name]}; or the steward raises it: {name} = {value} under [limits]",
        )


def _parts(asked: Query) -> Iterator[Expression | Scan | Public]:
    """The tables read, and every top-level expression."""
    stack: list[object] = [asked.rows, asked.keys, asked.columns, asked.after]
    while stack:
        part = stack.pop()
        if isinstance(part, Expression | Scan | Public):
            yield part
        elif isinstance(part, tuple):
            if part and not isinstance(
                part[0], int | float | str
            ):  # lists of keys are long, and hold no expression
                stack += part
        else:
            stack += [getattr(part, name) for name in _inner(part)]


def _measured(expression: Expression) -> tuple[int, int, int]:
    """The numbers of nodes, levels and conditions in an expression. The values of IN (…) are limited only by the length of the
    question. A node that makes a text counts for TEXT_SIZE."""
    size = deepest = tests = 0
    stack: list[tuple[object, int]] = [(expression, 1)]
    while stack:
        part, depth = stack.pop()
        if isinstance(part, tuple):
            stack += [(item, depth) for item in part]
        elif isinstance(part, Expression):
            size += TEXT_SIZE if isinstance(part, TextMaker) else 1
            deepest = max(deepest, depth)
            tests += isinstance(part, Compare | InList | IsNull | Like)
            inner = ("operand",) if isinstance(part, InList) else _inner(part)
            stack += [(getattr(part, name), depth + 1) for name in inner]
    return size, deepest, tests


def _inner(part: object) -> tuple[str, ...]:
    """The names of a dataclass's fields; none for other values."""
    kind: type = type(part)
    if kind not in _FIELDS:
        _FIELDS[kind] = tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
    return _FIELDS[kind]


_FIELDS: dict[type, tuple[str, ...]] = {}
