"""The contribution index in plain Python: each row's unit, and its rank among the unit's rows.

This is the specification; every engine's index must agree with it. A path of keys is followed one table at a time: the units
of the table it goes through are already known.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lapcat.engines.values import canonical_text, coerce, secret
from lapcat.plan.schema import Type, Value

Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class UnitPath:
    """The table through which units are found: its rows, their units, and its unique key column."""

    rows: Sequence[Row]
    units: Sequence[Value | None]
    key: str
    type: Type


def resolve_units(
    rows: Sequence[Row], column: str, kind: Type, way: UnitPath | None = None
) -> list[Value | None]:
    """The unit of each row: the column's value, or the unit of the row in `way` with this value as its key.

    None if the value is NULL, if no row of `way` has it, or if that row has no unit. Keys are unique among rows that have a
    unit, so at most one row matches.

    >>> orders = [{"id": 1, "who": "ada"}, {"id": 2, "who": None}]
    >>> way = UnitPath(orders, resolve_units(orders, "who", Type.TEXT), "id", Type.INTEGER)
    >>> resolve_units([{"order": 1}, {"order": 2}, {"order": 3}], "order", Type.INTEGER, way)
    ['ada', None, None]
    """
    values = [coerce(row[column], kind) for row in rows]
    if way is None:
        return values
    known = {
        coerce(row[way.key], way.type): unit
        for row, unit in zip(way.rows, way.units, strict=True)
        if unit is not None
    }
    return [None if value is None else known.get(value) for value in values]


def rank_within(
    units: Sequence[Value | None], rows: Sequence[Row], columns: Mapping[str, Type], key: bytes
) -> list[int | None]:
    """Each row's rank among the rows of its unit, from 1; None for a row without a unit.

    A unit's rows are ordered by the MD5 of the secret and the row's canonical text (all columns, including the unit), read
    as a little-endian number; ties by that text. So which rows are kept depends only on the unit's own rows and not on their
    position. Rows that tie on both are equal, so their order does not matter. Why not a stronger hash: docs/decisions/0010.
    """
    contributions: dict[Value, list[tuple[int, str, int]]] = {}
    for position, (unit, row) in enumerate(zip(units, rows, strict=True)):
        if unit is not None:
            text = canonical_text(row, columns)
            digest = hashlib.md5((secret(key) + text).encode(), usedforsecurity=False).digest()
            contributions.setdefault(unit, []).append((int.from_bytes(digest, "little"), text, position))
    ranks: list[int | None] = [None] * len(rows)
    for own in contributions.values():
        for rank, (_, _, position) in enumerate(sorted(own), start=1):
            ranks[position] = rank
    return ranks
