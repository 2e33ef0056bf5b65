"""Released tables below each other: the rows of a UNION ALL of answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lapcat.plan.released.table import Field, Part, ReleasedTable
from lapcat.plan.schema import Type

ENDS = ("low", "high")


@dataclass(frozen=True, slots=True)
class UnionOrder:
    """One key of ORDER BY: a column of the table, by name."""

    name: str
    descending: bool = False
    nulls_first: bool = False


@dataclass(frozen=True, slots=True)
class UnionAfter:
    """What is done with the rows of all answers, in this order: DISTINCT, ORDER BY, OFFSET, LIMIT."""

    distinct: bool = False
    order: tuple[UnionOrder, ...] = ()
    limit: int | None = None
    offset: int = 0


def stacked(tables: Sequence[ReleasedTable], after: UnionAfter) -> ReleasedTable:
    """The rows of all tables, matched by position, under the names of the first."""
    columns: dict[str, list[Any]] = {}
    fields: list[Field] = []
    for parts in zip(*(list(_positions(table)) for table in tables), strict=True):
        first = parts[0][0]
        kind = _type([field.type for field, _ in parts])
        ends = any(with_ends for _, with_ends in parts)
        role = next((field.role for field, with_ends in parts if with_ends == ends), first.role)
        fields.append(Field(first.name, kind, role))
        columns[first.name] = [v for t, (f, _) in zip(tables, parts, strict=True) for v in _listed(t[f.name])]
        for end in ENDS if ends else ():
            fields.append(Field(f"{first.name}_{end}", kind, end))
            columns[f"{first.name}_{end}"] = [
                value
                for table, (field, with_ends) in zip(tables, parts, strict=True)
                for value in _end(table, field, end, with_ends)
            ]
    kept = _kept(columns, [f.name for f in fields if f.role not in ENDS], after)
    made = {f.name: _part([columns[f.name][row] for row in kept], f) for f in fields}
    return ReleasedTable(tuple(fields), len(kept), {}, made)


def _positions(table: ReleasedTable) -> Iterator[tuple[Field, bool]]:
    """The columns without the ends of their intervals, and whether each has an interval."""
    for place, field in enumerate(table.fields):
        if field.role not in ENDS:
            yield field, place + 1 < len(table.fields) and table.fields[place + 1].role == "low"


def _end(table: ReleasedTable, field: Field, end: str, with_ends: bool) -> list[Any]:
    """An end of a column's intervals. A public number is exact; a number without an interval has open ends."""
    if with_ends:
        return _listed(table[f"{field.name}_{end}"])
    return _listed(table[field.name]) if field.role == "key" else [None] * table.rows


def _listed(part: Part) -> list[Any]:
    return list(part) if isinstance(part, list) else list(part.tolist())


def _type(kinds: Sequence[str]) -> str:
    return kinds[0] if len(set(kinds)) == 1 else str(Type.FLOAT)


def _part(values: list[Any], field: Field) -> Part:
    """Keys stay a list; numbers become an array, masked where some are NULL."""
    if field.role in ("key", "choice") or field.type not in (Type.INTEGER, Type.FLOAT):
        return values
    null = np.array([value is None for value in values], dtype=np.bool_)
    dtype = np.int64 if field.type == Type.INTEGER else np.float64
    data = np.array([0 if value is None else value for value in values], dtype=dtype)
    return np.ma.masked_array(data, null) if null.any() else data


def _kept(columns: Mapping[str, list[Any]], shown: Sequence[str], after: UnionAfter) -> list[int]:
    """Which rows stay, in which order; ties stay in the order of the answers."""
    rows = list(range(len(columns[shown[0]])))
    if after.distinct:
        rows = list({tuple(columns[name][row] for name in shown): row for row in reversed(rows)}.values())
        rows.sort()
    for key in reversed(after.order):
        values = columns[key.name]
        present = [row for row in rows if values[row] is not None]
        absent = [row for row in rows if values[row] is None]
        present.sort(key=values.__getitem__, reverse=key.descending)
        rows = [*absent, *present] if key.nulls_first else [*present, *absent]
    return rows[after.offset : None if after.limit is None else after.offset + after.limit]
