"""The sentence beside an answer that says which errors its intervals cover, and which they do not."""

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
    """The errors that the intervals do not cover, from the plan alone."""
    plan = prepared.plan
    nodes = list(_nodes(plan))
    missing = []
    if any(statistic.kind is Kind.SUM for statistic in prepared.released):
        missing.append("the effect of clamping")
    if any(isinstance(node, LimitRows | LimitGroups) for node in nodes):
        missing.append("rows left out beyond a unit's limit")
    if any(isinstance(node, WeightRows) for node in nodes):
        missing.append("contributions scaled down to a unit's limit")
    if plan.private_keys:
        missing.append("the selection of groups by noisy counts")
    listed = (
        ", ".join(missing) + f"{',' if missing[1:] else ''} or sampling error"
        if missing
        else "sampling error"
    )
    return Note(f"the intervals cover the noise, not {listed}", Weight.COVERAGE)


def limits_noted(prepared: Prepared) -> tuple[str, ...]:
    """For previews: a note that contribution limits may cause errors beyond the margins; empty where no limit applies."""
    nodes = list(_nodes(prepared.plan))
    nodes += [node for choice in prepared.choices for node in _nodes(choice.plan)]
    if not any(isinstance(node, LimitRows | LimitGroups | WeightRows) for node in nodes):
        return ()
    unit = prepared.facts.rows.unit
    return (f"not in the margins: the error from contributions beyond a {unit}'s limit",)


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
