"""Made-up rows for a declared table: ordinary people, and one unit that is everything an adversary could make of it."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from lapcat.plan.schema import (
    ColumnSpec,
    Dates,
    Interval,
    ListedKeys,
    PrivateKeys,
    RangeKeys,
    Relation,
    Table,
    Type,
)

Row = dict[str, object]
OTHERS = 5
"""Ordinary units beside the one that comes, goes or changes."""
HEAVY = 40
"""How many times as many rows as may count a heavy unit has."""
LARGEST = 2**62


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Two tables that differ in one unit."""

    what: str
    """What the unit is, in words."""
    here: list[Row]
    there: list[Row]


def unit_column(table: Table) -> str | None:
    return table.unit.column


def types_of(table: Table) -> dict[str, Type]:
    """The declared columns; a unit's column that is not declared holds whole numbers."""
    found = {name: spec.type for name, spec in table.columns.items()}
    column = unit_column(table)
    return found if column is None or column in found else {column: Type.INTEGER, **found}


def neighbours_of(table: Table, seed: int = 1) -> list[Neighbours]:
    """Pairs for the declared relation: with and without the unit, or the unit as one thing and as another."""
    dice = Random(seed)
    others = [
        row for number in range(1, OTHERS + 1) for row in _unit(table, number, [_ordinary(table, dice)])
    ]
    targets = {what: _unit(table, 0, rows) for what, rows in _targets(table, dice)}
    if table.relation is Relation.ADD_REMOVE:
        return [Neighbours(what, [*others, *rows], others) for what, rows in targets.items()]
    names = list(targets)
    pairs = [*pairwise(names), *((names[0], other) for other in names[2:])]
    return [
        Neighbours(f"{one} against {other}", [*others, *targets[one]], [*others, *targets[other]])
        for one, other in pairs
    ]


def lone_keys(table: Table, column: str, keys: int, seed: int = 1) -> Neighbours:
    """A unit with rows in so many groups of a private column that nobody else is in."""
    dice = Random(seed)
    others = [
        row for number in range(1, OTHERS + 1) for row in _unit(table, number, [_ordinary(table, dice)])
    ]
    spec = table.columns[column]
    rows = [{**_ordinary(table, dice), column: _lone(spec, i)} for i in range(keys)]
    if table.unit.is_row:
        rows = rows[:1]
    return Neighbours(f"{len(rows)} lone keys", [*others, *_unit(table, 0, rows)], others)


def _unit(table: Table, number: int, rows: list[Row]) -> list[Row]:
    """These rows as those of one unit; a unit that is a row has one."""
    column = unit_column(table)
    if column is None:
        return rows[:1]
    name: object = f"u{number}" if types_of(table)[column] is Type.TEXT else number
    return [{**row, column: name} for row in rows]


def _targets(table: Table, dice: Random) -> Iterator[tuple[str, list[Row]]]:
    """What the unit may be."""

    def everywhere(value: Callable[[ColumnSpec], object]) -> Row:
        return {name: value(spec) for name, spec in table.columns.items()}

    yield "an ordinary unit", [_ordinary(table, dice)]
    for what, value in (
        ("at the upper bounds", lambda spec: _bound(spec, high=True)),
        ("at the lower bounds", lambda spec: _bound(spec, high=False)),
        ("beyond the upper bounds", lambda spec: _beyond(spec, 1)),
        ("beyond the lower bounds", lambda spec: _beyond(spec, -1)),
        ("infinite", lambda spec: math.inf if spec.type is Type.FLOAT else _bound(spec, high=True)),
        ("not a number", lambda spec: math.nan if spec.type is Type.FLOAT else None),
        ("NULL", lambda spec: None),
    ):
        row = everywhere(value)
        for name, spec in table.columns.items():  # keys are kept, so that the row is in a group
            if spec.keys is not None and what != "NULL":
                row[name] = _key(spec, dice)
        yield what, [row]
    if not table.unit.is_row:
        number = HEAVY * table.rows_per_unit
        yield (
            "many rows, all high",
            [_spread(table, everywhere(lambda s: _beyond(s, 1)), i) for i in range(number)],
        )
        yield (
            "many rows, all low",
            [_spread(table, everywhere(lambda s: _beyond(s, -1)), i) for i in range(number)],
        )
        yield "many rows, hardly negative", [_spread(table, everywhere(_hardly), i) for i in range(number)]


def _spread(table: Table, row: Row, number: int) -> Row:
    """The row with its keys moved on, so that many rows lie in many groups."""
    keys = {name: _nth_key(spec, number) for name, spec in table.columns.items() if spec.keys is not None}
    return {**row, **keys}


def _ordinary(table: Table, dice: Random) -> Row:
    return {name: _typical(spec, dice) for name, spec in table.columns.items()}


def _typical(spec: ColumnSpec, dice: Random) -> object:
    if spec.keys is not None:
        return _key(spec, dice)
    match spec.bounds:
        case Interval(low, high):
            value = float(low) + dice.random() * float(high - low)
            return round(value) if spec.type is Type.INTEGER else value
        case Dates(low, high):
            return _day(spec, low + (high - low) // 2)
    return _plain(spec, dice.randrange(5))


def _plain(spec: ColumnSpec, number: int) -> object:
    match spec.type:
        case Type.INTEGER:
            return number
        case Type.FLOAT:
            return number / 2
        case Type.TEXT:
            return f"text {number}"
        case Type.BOOLEAN:
            return number % 2 == 0
    return _day(spec, datetime.date(2024, 1, 1 + number))


def _bound(spec: ColumnSpec, *, high: bool) -> object:
    match spec.bounds:
        case Interval(low, top):
            value = top if high else low
            return int(value) if spec.type is Type.INTEGER else float(value)
        case Dates(low, top):
            return _day(spec, top if high else low)
    return _plain(spec, 3)


def _beyond(spec: ColumnSpec, sign: int) -> object:
    match spec.type:
        case Type.INTEGER:
            return sign * LARGEST
        case Type.FLOAT:
            return sign * 1e308
        case Type.DATE | Type.TIMESTAMP:
            return _day(spec, datetime.date(9000 if sign > 0 else 100, 1, 1))
    return _plain(spec, 4)


def _hardly(spec: ColumnSpec) -> object:
    """Just below zero, where there is something below zero; else the lowest."""
    if isinstance(spec.bounds, Interval) and spec.bounds.low < 0:
        return -1 if spec.type is Type.INTEGER else -(2.0**-40)
    return _bound(spec, high=False)


def _key(spec: ColumnSpec, dice: Random) -> object:
    return _nth_key(spec, dice.randrange(1000))


def _nth_key(spec: ColumnSpec, number: int) -> object:
    match spec.keys:
        case ListedKeys(values):
            return values[number % len(values)]
        case RangeKeys(low, high):
            return low + number % (high - low + 1)
    return _plain(spec, number % 3)


def _lone(spec: ColumnSpec, number: int) -> object:
    """A key that nobody else has."""
    assert isinstance(spec.keys, PrivateKeys)
    match spec.type:
        case Type.INTEGER:
            return 1000 + number
        case Type.FLOAT:
            return 1000.5 + number
        case Type.TEXT:
            return f"lone {number}"
    return _plain(spec, 10 + number)


def _day(spec: ColumnSpec, day: datetime.date) -> datetime.date:
    return datetime.datetime(day.year, day.month, day.day) if spec.type is Type.TIMESTAMP else day
