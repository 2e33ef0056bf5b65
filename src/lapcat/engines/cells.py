"""The columns of a statement as cells at their places.

Whoever looks at people's rows gets them as `ExactResult`; only conformance, whose rows are made up, reads them in the open.
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
"""Cells; where groups are private, also those and the units of each."""


def private_cells(plan: Group, found: Mapping[str, Any]) -> ExactResult:
    """What a statement found, by its columns (sql/statement.py), as exact integers that nobody can read yet."""
    return ExactResult(*figures(plan, found))


def figures(plan: Group, found: Mapping[str, Any]) -> Figures:
    """The columns of a statement's result (sql/statement.py) as cells at their places."""
    place = np.asarray(found["cell"])
    declared = place >= 0
    if not plan.private_keys:
        cells = np.zeros((len(plan.statistics), plan.cells), dtype=np.int64)
        for position in range(len(plan.statistics)):
            cells[position, place[declared]] = np.asarray(found[f"s{position}"])[declared]
        return cells, None, None
    columns = [_key_values(key, found[f"p{n}"]) for n, key in enumerate(plan.private_keys)]
    combinations = list(zip(*columns, strict=True))
    if len(columns) == len(plan.keys):  # each row of the statement is a combination
        statistics = [np.ma.getdata(found[f"s{position}"]) for position in range(len(plan.statistics))]
        cells = np.array(statistics, dtype=np.int64).reshape(len(plan.statistics), len(combinations))
        return cells, combinations, np.asarray(found["units"], dtype=np.int64)
    first_rows = dict(zip(reversed(combinations), range(len(combinations) - 1, -1, -1), strict=True))
    numbers = {combination: number for number, combination in enumerate(first_rows)}
    units = np.asarray(found["units"], dtype=np.int64)[list(first_rows.values())]
    which = np.fromiter((numbers[combination] for combination in combinations), dtype=np.int64)
    cells = np.zeros((len(plan.statistics), len(numbers) * plan.cells), dtype=np.int64)
    for position in range(len(plan.statistics)):
        values = np.ma.getdata(found[f"s{position}"])
        cells[position, which[declared] * plan.cells + place[declared]] = values[declared]
    return cells, list(numbers), units


def _key_values(key: GroupKey, column: Any) -> list[Value]:
    """A column of private keys as the values that the key's type has in Python."""
    values = np.asarray(column)
    match key.type:
        case Type.DATE:
            values = values.astype("datetime64[D]")
        case Type.TIMESTAMP:
            values = values.astype("datetime64[us]")
    found: list[Value] = values.tolist()
    return found
