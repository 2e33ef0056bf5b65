"""The stored form of a strategy in the ledger: enough to rebuild it, whatever the planner would choose now.

It is canonical JSON with its own tags. Its meaning never changes, since it is stored; labels of parts are for people.
`legacy_labels.py` reads the form of 0.1.0, which had everything in the labels.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from lapcat.core.event import Event
from lapcat.core.event_codec import canonical_json
from lapcat.errors import Bug
from lapcat.workload.direct import Direct, direct_of
from lapcat.workload.legacy_labels import specification_of_labels
from lapcat.workload.linear import Weighted
from lapcat.workload.nested import LevelSums, Nested, tables_of
from lapcat.workload.optimised import Optimised
from lapcat.workload.strategy import Strategy
from lapcat.workload.toeplitz import Toeplitz
from lapcat.workload.workload import AxisWorkload


def specification_of(strategy: Strategy) -> str:
    """The text that a strategy is stored as."""
    match strategy:
        case Direct():
            return canonical_json({"strategy": "direct"})
        case Toeplitz(size, grid):
            return canonical_json({"strategy": "square-root", "size": size, "grid": grid})
        case Optimised(axes):
            return canonical_json({"strategy": "weighted", "axes": [_axis(axis) for axis in axes]})
        case Nested():
            return canonical_json(
                {
                    "strategy": "nested",
                    "name": strategy.name,
                    "chains": strategy.chains,
                    "parts": [{"levels": part.levels, "apart": part.apart} for part in strategy.parts],
                }
            )
    raise Bug("strategy-unknown", f"the strategy {strategy.name} has no stored form")


def specification_in(event: Event) -> str | None:
    """The strategy in an event; None if it has none."""
    measured = event.composition
    if measured.choices or measured.threshold is not None:
        return None
    return measured.strategy or specification_of_labels([part.label for part in measured.sums])


def strategy_of(questions: AxisWorkload, text: str) -> Strategy:
    """The stored strategy, for these questions."""
    match json.loads(text):
        case {"strategy": "direct"}:
            return direct_of(questions)
        case {"strategy": "square-root", "size": int(size), "grid": int(grid)}:
            return Toeplitz(size, grid)
        case {"strategy": "weighted", "axes": list(axes)}:
            return Optimised(tuple(map(_weighted, axes)))
        case {"strategy": "nested", "name": str(name), "chains": list(chains), "parts": list(stored)}:
            parts = tuple(LevelSums(tuple(part["levels"]), bool(part["apart"])) for part in stored)
            shares = tuple(Fraction(1, len(parts)) for _ in parts)
            tables = tables_of(questions, parts)
            return Nested(name, questions.shape, tuple(map(tuple, chains)), parts, shares, tables)
    raise Bug("strategy-unknown", "the stored debit has a strategy that this version does not know")


def _axis(axis: Weighted) -> dict[str, object]:
    sums = [_stretches(row) for row in axis.sums]
    return {"size": axis.size, "block": axis.block, "column": axis.column, "sums": sums}


def _stretches(row: Sequence[int]) -> list[list[int]]:
    """A sum as runs of nonzero weights, each preceded by its first block: most weights are 0."""
    runs: list[list[int]] = []
    before = 0
    for place, weight in enumerate(row):
        if weight and not before:
            runs.append([place])
        if weight:
            runs[-1].append(weight)
        before = weight
    return runs


def _weighted(axis: dict[str, Any]) -> Weighted:
    size, block = axis["size"], axis["block"]
    sums = []
    for row in axis["sums"]:
        weights = [0] * -(-size // block)
        for start, *stretch in row:
            weights[start : start + len(stretch)] = stretch
        sums.append(tuple(weights))
    return Weighted(size, block, axis["column"], tuple(sums))
