"""Arranges the columns of a statement's result as cells.

Results over people's rows become an `ExactResult`; only conformance, which runs on fixture rows, reads them directly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lapcat.core.answers import Group as Combination
from lapcat.core.answers import Integers
from lapcat.core.release import ExactResult
from lapcat.plan.nodes import Group, GroupKey
from lapcat.plan.schema import Type, Value

Figures = tuple[Integers, Sequence[Combination] | None, Integers | None]
"""Cells; with private group keys also the groups and the unit count of each."""


def private_cells(plan: Group, result: Mapping[str, Any]) -> ExactResult:
    """The columns of a statement's result (statement.py) as an `ExactResult`."""
    return ExactResult(*figures(plan, result))


def figures(plan: Group, result: Mapping[str, Any]) -> Figures:
    """The columns of a statement's result (statement.py) as an array of cells."""
    place = np.asarray(result["cell"])
    declared = place >= 0
    if not plan.private_keys:
        cells = np.zeros((len(plan.statistics), plan.cells), dtype=np.int64)
        for position in range(len(plan.statistics)):
            cells[position, place[declared]] = np.asarray(result[f"s{position}"])[declared]
        return cells, None, None
    columns = [_key_values(key, result[f"p{n}"]) for n, key in enumerate(plan.private_keys)]
    combinations = list(zip(*columns, strict=True))
    if len(columns) == len(plan.keys):  # each row of the statement is a combination
        statistics = [np.ma.getdata(result[f"s{position}"]) for position in range(len(plan.statistics))]
        cells = np.array(statistics, dtype=np.int64).reshape(len(plan.statistics), len(combinations))
        return cells, combinations, np.asarray(result["units"], dtype=np.int64)
    first_rows = dict(zip(reversed(combinations), range(len(combinations) - 1, -1, -1), strict=True))
    numbers = {combination: number for number, combination in enumerate(first_rows)}
    units = np.asarray(result["units"], dtype=np.int64)[list(first_rows.values())]
    which = np.fromiter((numbers[combination] for combination in combinations), dtype=np.int64)
    cells = np.zeros((len(plan.statistics), len(numbers) * plan.cells), dtype=np.int64)
    for position in range(len(plan.statistics)):
        values = np.ma.getdata(result[f"s{position}"])
        cells[position, which[declared] * plan.cells + place[declared]] = values[declared]
    return cells, list(numbers), units


def _key_values(key: GroupKey, column: Any) -> list[Value]:
    """A column of private group keys as Python values of the key's type."""
    values = np.asarray(column)
    match key.type:
        case Type.DATE:
            values = values.astype("datetime64[D]")
        case Type.TIMESTAMP:
            values = values.astype("datetime64[us]")
    typed: list[Value] = values.tolist()
    return typed
