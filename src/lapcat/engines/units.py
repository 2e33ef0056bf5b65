"""Whose row is it, and which of their rows come first: the contribution index in plain Python.

The specification that every engine's index is held to. A path of keys is followed one table at a time: the table that
it goes through has its units already.
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
    """The table through which units are reached: its rows, their units, and the unique column that is named."""

    rows: Sequence[Row]
    units: Sequence[Value | None]
    key: str
    type: Type


def resolve_units(
    rows: Sequence[Row], column: str, kind: Type, way: UnitPath | None = None
) -> list[Value | None]:
    """The unit of each row: the column's value, or the unit of the row on the way that has this value as its key.

    None where the value is NULL, where no row on the way has it, and where that row itself has no unit. A key is
    unique among the rows that have a unit, so there is at most one.

    >>> orders = [{"id": 1, "who": "ada"}, {"id": 2, "who": None}]
    >>> way = Way(orders, resolve_units(orders, "who", Type.TEXT), "id", Type.INTEGER)
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
    """Each row's rank among the rows of its unit, from 1; None where it has none.

    A unit's rows are ordered by MD5 of the secret and the row's canonical text (all columns, the unit's own too), read
    as a number whose last byte is the most significant; ties by that text. So which rows stay depends on the unit's own
    rows alone and never on where they stand. Rows that tie on both are equal, and which of them comes first makes no
    difference. Why not a stronger hash: docs/decisions/0010.
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
