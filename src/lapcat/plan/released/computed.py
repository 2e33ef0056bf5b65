"""The estimates of all columns of an answer; the interval of a computed column holds whenever those of its inputs do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from lapcat.plan.aggregates import Estimates
from lapcat.plan.columns import ComputedColumn, ValueColumn
from lapcat.plan.compile import Program
from lapcat.plan.expressions import Expression
from lapcat.plan.released.derived import at_once
from lapcat.plan.released.enclosures import enclose
from lapcat.plan.released.ends import enclosure_of, estimates_within
from lapcat.plan.released.vectors import Vector, evaluate

BLOCK = 2**15
"""Cells per block, so that intermediate results fit into the processor's cache."""


def estimates_of(
    program: Program, cells: npt.NDArray[np.int64], confidence: Fraction
) -> dict[str, Estimates]:
    """The estimates of each column of numbers, hidden ones included, from the noisy cells (one row per statistic)."""
    estimates = {}
    for column in program.prepared.asked.columns:
        if isinstance(column, ValueColumn):
            level = at_once(confidence, column.statements)
            estimates[column.name] = program.finished(column, cells, level)
        elif isinstance(column, ComputedColumn):
            each = program.each(column, confidence)
            inputs = {source.name: program.finished(source, cells, each) for source in column.inputs}
            notes = tuple(note for estimate in inputs.values() for note in estimate.notes)
            made = computed(column.expression, inputs, max(len(e.value) for e in inputs.values()))
            estimates[column.name] = replace(made, notes=tuple(dict.fromkeys(notes)))
    return estimates


def computed(expression: Expression, inputs: Mapping[str, Estimates], cells: int) -> Estimates:
    """The expression over the inputs in each cell; NULL values (x / 0) and open ends are masked."""
    pieces = []
    for first in range(0, max(cells, 1), BLOCK):
        here = slice(first, min(first + BLOCK, cells))
        block = {n: Estimates(e.value[here], e.low[here], e.high[here]) for n, e in inputs.items()}
        pieces.append(_block(expression, block, here.stop - first))
    return joined(pieces)


def joined(pieces: list[Estimates]) -> Estimates:
    """The concatenation of pieces of one column."""
    if len(pieces) == 1:
        return pieces[0]
    return Estimates(
        _joined([piece.value for piece in pieces]),
        _joined([piece.low for piece in pieces]),
        _joined([piece.high for piece in pieces]),
    )


def _joined(parts: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    masked = any(np.ma.isMaskedArray(part) for part in parts)
    return np.ma.concatenate(parts) if masked else np.concatenate(parts)  # type: ignore[no-untyped-call]


def _block(expression: Expression, inputs: Mapping[str, Estimates], cells: int) -> Estimates:
    value = evaluate(expression, {name: Vector.of(estimate.value) for name, estimate in inputs.items()})
    ends = enclose(expression, {name: enclosure_of(estimate) for name, estimate in inputs.items()})
    return estimates_within(value, ends, expression.type, cells)
