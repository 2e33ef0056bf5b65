"""Made-up rows for the tables of the golden catalogues, and the reference over them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from lapcat.engines.reference import Index, ReferenceEngine, index_rows
from lapcat.engines.units import UnitPath, resolve_units
from lapcat.plan.schema import Catalogue, ListedKeys, PublicTable, RangeKeys, Table, Type
from lapcat.session.files import everything
from tests.engines.holding import KEY
from tests.engines.hostile import POOLS

Row = dict[str, Any]
Held = dict[str, tuple[list[Row], Table | PublicTable, dict[str, Type]]]
PEOPLE = 12
"""How many units there are, so that most have several rows."""


def golden_rows(catalogue: Catalogue, seed: int, count: int = 60) -> Held:
    """For each table strange rows among ordinary ones, with keys that meet, dangle and are NULL."""
    dice = random.Random(seed)
    tables: Held = {}
    for name, table in everything(catalogue).items():
        types = {column: spec.type for column, spec in table.columns.items()}
        if isinstance(table, Table) and table.unit.column is not None:
            types.setdefault(table.unit.column, unit_type(catalogue, table))
        if not types:
            continue  # no question reads it
        rows = [_row(table, types, dice, place, tables) for place in range(count)]
        for key in table.unique or ():
            rows = _distinct(rows, key)
        tables[name] = rows, table, types
    return tables


def _distinct(rows: list[Row], key: Sequence[str]) -> list[Row]:
    """The rows without those that repeat a key; a key with a NULL is none."""
    distinct: dict[object, Row] = {}
    for place, row in enumerate(rows):
        values = tuple(str(row[name]) for name in key)
        distinct.setdefault(place if None in (row[name] for name in key) else values, row)
    return list(distinct.values())


def unit_type(catalogue: Catalogue, table: Table) -> Type:
    """The type of a unit column that is not declared: that of others about the same people."""
    for other in catalogue.tables.values():
        column = other.unit.column
        if (
            column in other.columns
            and other.unit.through is None
            and catalogue.population(other) == catalogue.population(table)
        ):
            return other.columns[column].type
    return Type.INTEGER


def _row(
    table: Table | PublicTable, types: Mapping[str, Type], dice: random.Random, place: int, held: Held
) -> Row:
    row: Row = {}
    for name, kind in types.items():
        spec = table.columns.get(name)
        pool: list[Any] = [None, *POOLS[kind]]
        if spec is not None and isinstance(spec.keys, ListedKeys):
            pool += [*spec.keys.values] * 12
        if spec is not None and isinstance(spec.keys, RangeKeys):
            pool += [*range(spec.keys.low, min(spec.keys.high, spec.keys.low + 9) + 1)] * 8
        if kind.is_number:
            pool += [kind_of(kind)(number) for number in range(-5, 120, 3)]
        row[name] = dice.choice(pool)
        if spec is not None and spec.unique:
            row[name] = None if place % 13 == 12 else _numbered(place, kind)
    if isinstance(table, Table) and table.unit.column is not None:
        unit = table.unit
        assert unit.column is not None
        own = dice.randrange(PEOPLE)
        if not (unit.column in table.columns and table.columns[unit.column].unique):
            kind = types[unit.column]
            row[unit.column] = None if place % 17 == 16 else _numbered(own, kind)
        if unit.through is not None:
            rows, _, way_types = held[unit.through[0]]
            row[unit.column] = dice.choice([None, *(other[unit.through[1]] for other in rows)])
            assert types[unit.column] is way_types[unit.through[1]]
        if table.blocks is not None and table.blocks.within:  # all rows of a unit are in one block
            values = table.blocks.values
            whose = row[unit.column]
            row[table.blocks.column] = (
                None if whose is None else values[sum(map(ord, str(whose))) % len(values)]
            )
    return row


def kind_of(kind: Type) -> Any:
    return int if kind is Type.INTEGER else float


def _numbered(number: int, kind: Type) -> Any:
    match kind:
        case Type.INTEGER:
            return number
        case Type.FLOAT:
            return float(number)
        case _:
            assert kind is Type.TEXT, f"a key that is {kind}"
            return f"p{number}"


def golden_reference(held: Held) -> ReferenceEngine:
    """What the rows are worth."""
    indexes: dict[str, Index] = {}
    for name, (rows, table, types) in held.items():
        if isinstance(table, PublicTable) or table.unit.column is None:
            continue
        way = None
        if table.unit.through is not None:
            other, key = table.unit.through
            way = UnitPath(held[other][0], indexes[other].units, key, held[other][2][key])
        units = resolve_units(rows, table.unit.column, types[table.unit.column], way)
        indexes[name] = index_rows(rows, units, types, KEY)
    return ReferenceEngine({name: rows for name, (rows, _, _) in held.items()}, indexes)
