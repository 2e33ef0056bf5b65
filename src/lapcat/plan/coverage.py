"""What the intervals of an answer cover, and what they do not: one sentence that stands beside them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from lapcat.plan.compile import Prepared
from lapcat.plan.nodes import (
    Filter,
    Group,
    Join,
    Kind,
    LimitGroups,
    LimitRows,
    PerUnit,
    Public,
    Rows,
    Scan,
    Union,
    WeightRows,
)
from lapcat.plan.notes import Note, Weight


def uncovered(prepared: Prepared) -> str:
    """Which other errors a number may have, by the plan alone."""
    plan = prepared.plan
    nodes = list(_nodes(plan))
    missing = []
    if any(statistic.kind is Kind.SUM for statistic in prepared.released):
        missing.append("what clamping changes")
    if any(isinstance(node, LimitRows | LimitGroups) for node in nodes):
        missing.append("rows left out beyond a unit's limit")
    if any(isinstance(node, WeightRows) for node in nodes):
        missing.append("rows beyond a unit's limit that count for less")
    if plan.private_keys:
        missing.append("that groups are shown whose noise was high")
    said = ", nor ".join([*missing, "that the table may be a sample"])
    return Note(f"the intervals cover the noise; not {said}", Weight.COVERAGE)


def limits_noted(prepared: Prepared) -> tuple[str, ...]:
    """Before asking: that a limit may move the numbers further than their margins say; none where no row is left out."""
    nodes = list(_nodes(prepared.plan))
    nodes += [node for choice in prepared.choices for node in _nodes(choice.plan)]
    if not any(isinstance(node, LimitRows | LimitGroups | WeightRows) for node in nodes):
        return ()
    unit = prepared.facts.rows.unit
    return (f"not in the margins: the error where a {unit} has more rows or groups than count",)


def _nodes(rows: Rows | Public | Group) -> Iterator[Rows | Public | Group]:
    yield rows
    match rows:
        case Scan() | Public():
            pass
        case Filter() | LimitRows() | WeightRows() | LimitGroups() | PerUnit() | Group():
            yield from _nodes(rows.source)
        case Join(left, right):
            yield from _nodes(left)
            yield from _nodes(right)
        case Union(_, branches):
            for branch in branches:
                yield from _nodes(branch.rows)
        case _:
            assert_never(rows)
