"""Fixture rows for declared tables: ordinary units, and one extreme unit.

Tables of the same population are generated together: a unit has rows in all of them, and if units are reached through another
table, its rows refer to its own rows there.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random

from lapcat.engines.backends import parse_source
from lapcat.plan.schema import (
    Bounds,
    Catalogue,
    ColumnSpec,
    Dates,
    ListedKeys,
    PrivateKeys,
    PublicTable,
    RangeKeys,
    Relation,
    Table,
    Type,
)

Row = dict[str, object]
World = Mapping[str, list[Row]]
"""The rows of each table."""
OTHERS = 5
"""The number of ordinary units, besides the one that differs."""
HEAVY = 40
"""The rows of a heavy unit, as a multiple of rows_per_unit."""
MAX_ROWS = 120
"""Upper bound on the rows of a heavy unit in one table, unless 4 × rows_per_unit is larger."""
LARGEST = 2**62
ALONE = "in one table alone"
EACH = 3
"""Rows of a unit in each group of its own."""
PUBLIC_ROWS = 5
"""The number of plain values."""
NO_BLOCK = 10**9
"""The index of an undeclared block."""

Style = Callable[[ColumnSpec, int], object]
"""The value of a column in a unit's i-th row."""


@dataclass(frozen=True, slots=True)
class Family:
    """Tables of one population on one server, each after the table through which its units are reached."""

    name: str
    tables: tuple[Table, ...]
    public: tuple[PublicTable, ...] = ()

    @property
    def relation(self) -> Relation:
        return self.tables[0].relation

    @property
    def everything(self) -> tuple[Table | PublicTable, ...]:
        """All tables, private and public."""
        return (*self.tables, *self.public)

    @property
    def server(self) -> str:
        return parse_source(self.tables[0].source, Path()).server

    def in_files(self) -> Family:
        """The same tables as local files."""
        return replace(
            self,
            tables=tuple(replace(table, source=f"{table.name}.parquet") for table in self.tables),
            public=tuple(replace(table, source=f"{table.name}.parquet") for table in self.public),
        )

    def named(self, name: str) -> Table:
        return next(table for table in self.tables if table.name == name)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Two neighbouring worlds: they differ in one unit."""

    what: str
    """A description of the unit."""
    here: World
    there: World
    block: Mapping[str, object] = field(default_factory=dict)
    """The unit's block in each table with blocks."""


def families_of(catalogue: Catalogue) -> list[Family]:
    """The tables of a catalogue by population and server; each family includes the public tables of its server."""
    groups: dict[tuple[str, str], list[Table]] = {}

    def server(table: Table | PublicTable) -> str:
        return parse_source(table.source, Path()).server

    def add(table: Table) -> None:
        if table.unit.through is not None:
            add(catalogue.tables[table.unit.through[0]])
        population = f"row of {table.name}" if table.unit.is_row else str(catalogue.population(table))
        family = groups.setdefault((population, server(table)), [])
        if table not in family:
            family.append(table)

    for table in catalogue.tables.values():
        add(table)
    return [
        Family(
            tables[0].name if len(tables) == 1 else " and ".join(table.name for table in tables),
            tuple(tables),
            tuple(table for table in catalogue.public.values() if server(table) == where),
        )
        for (_, where), tables in groups.items()
    ]


def types_of(table: Table | PublicTable) -> dict[str, Type]:
    """The types of the declared columns; an undeclared unit column is an integer."""
    types = {name: spec.type for name, spec in table.columns.items()}
    column = table.unit.column if isinstance(table, Table) else None
    return types if column is None or column in types else {column: Type.INTEGER, **types}


def neighbours_of(family: Family, seed: int = 1) -> list[Neighbours]:
    """Pairs for the declared relation: with and without the unit, or with two versions of the unit."""
    dice = Random(seed)
    others = _joined(
        [_unit(family, number, _ordinary(dice), _one) for number in range(1, OTHERS + 1)], family
    )
    targets = {
        what: (_unit(family, 0, style, number, block), _blocks(family, block))
        for what, style, number, block in _targets(family, dice)
    }
    if family.relation is Relation.ADD_REMOVE:
        return [
            Neighbours(what, _joined([others, rows], family), others, block)
            for what, (rows, block) in targets.items()
        ] + _in_one_table(family, others)
    names = list(targets)
    pairs = [*pairwise(names), *((names[0], other) for other in names[2:])]
    worlds = {what: _joined([others, rows], family) for what, (rows, _) in targets.items()}
    return [
        Neighbours(f"{left} against {right}", worlds[left], worlds[right], targets[left][1])
        for left, right in pairs
    ] + _in_one_table(family, others)


def _in_one_table(family: Family, others: World) -> list[Neighbours]:
    """With several tables, a unit with a row only in the last of them: high against low, or against none."""
    own = [table for table in family.tables if table.unit.through is None]
    if len(own) == 1:
        return []
    worlds = []
    for high in (True, False):
        style = _in_a_group(partial(_bound, high=high), 0)
        unit = _unit(family, 0, style, lambda table: int(table is own[-1]))
        worlds.append(_joined([others, unit], family))
    there = worlds[1] if family.relation is Relation.REPLACE_ONE else others
    return [Neighbours(ALONE, worlds[0], there, _blocks(family, 0))]


def with_gaps(family: Family, seed: int = 1) -> World:
    """Ordinary units with one row each, within all bounds; one unit lacks a number in each table, one is in no group."""
    ordinary = _ordinary(Random(seed))
    numbers = [
        [spec for spec in table.columns.values() if isinstance(spec.bounds, Bounds) and spec.nullable]
        for table in family.tables
    ]
    gaps = [specs[0] for specs in numbers if specs]
    units = [_unit(family, number, ordinary, _one) for number in range(1, OTHERS + 1)]
    lacking = _unit(family, OTHERS + 1, lambda spec, i: None if spec in gaps else ordinary(spec, i), _one)
    nowhere = _unit(family, 0, lambda spec, i: _undeclared(spec) or ordinary(spec, i), _one)
    return _joined([*units, lacking, nowhere], family)


def single_cell_keys(family: Family, table: Table, column: str, keys: int, seed: int = 1) -> Neighbours:
    """A unit with rows in `keys` groups of a private column that nobody else is in."""
    dice = Random(seed)
    ordinary = _ordinary(dice)
    others = _joined([_unit(family, number, ordinary, _one) for number in range(1, OTHERS + 1)], family)

    def own_key(spec: ColumnSpec, i: int) -> object:
        return _own_key(spec, i % keys) if spec.name == column else ordinary(spec, i)

    unit = _unit(family, 0, own_key, lambda other: EACH * keys if other is table else 1)
    distinct = {row[column] for row in unit[table.name]}
    return Neighbours(f"{len(distinct)} keys of its own", _joined([others, unit], family), others)


# ------------------------------------------------------------------------------------------------ units


def _one(table: Table) -> int:
    return 1


def _unit(
    family: Family, number: int, style: Style, many: Callable[[Table], int], block: int = 0
) -> dict[str, list[Row]]:
    """The rows of one unit in all tables."""
    rows: dict[str, list[Row]] = {}
    for table in family.tables:
        column, through = table.unit.column, table.unit.through
        own: list[Row] = []
        for i in range(min(many(table), _max_rows(table, rows))):
            row = {name: style(spec, i) for name, spec in table.columns.items()}
            row |= {
                name: _unique(spec, number * 10_000 + i)
                for name, spec in table.columns.items()
                if spec.unique or name in _distinguishing(table)
            }
            if through is not None and column is not None:
                row[column] = rows[through[0]][i % len(rows[through[0]])][through[1]]
            elif column is not None:
                row[column] = f"u{number}" if types_of(table)[column] is Type.TEXT else number
            if table.blocks is not None:
                row[table.blocks.column] = _block(table, block)
            own.append(row)
        rows[table.name] = own
    return rows


def _distinguishing(table: Table | PublicTable) -> set[str]:
    """One column of each unique key of several columns: different values there make the key unique."""
    unit = table.unit.column if isinstance(table, Table) else None
    return {next(name for name in key if name != unit) for key in table.unique or ()}


def _max_rows(table: Table, earlier: World) -> int:
    """Upper bound on a unit's rows, given its rows in earlier tables; 1 if the unit column is unique."""
    column, through = table.unit.column, table.unit.through
    if column is None:
        return 1
    if through is not None and not earlier[through[0]]:
        return 0
    if column not in table.columns or not table.columns[column].unique:
        return MAX_ROWS * HEAVY
    return 1 if through is None else len(earlier[through[0]])


def _joined(parts: Sequence[World], family: Family) -> dict[str, list[Row]]:
    """The rows of all these units, and the public rows."""
    rows: dict[str, list[Row]] = {
        table.name: [row for part in parts for row in part[table.name]] for table in family.tables
    }
    for table in family.public:
        rows[table.name] = [
            {
                name: _plain(spec, i)
                if spec.unique or spec.keys is None or name in _distinguishing(table)
                else _nth_key(spec, i)
                for name, spec in table.columns.items()
            }
            for i in range(PUBLIC_ROWS)
        ]
    return rows


def _block(table: Table, number: int) -> object:
    """The block with this index; beyond the declared ones, an undeclared value."""
    assert table.blocks is not None
    values = table.blocks.values
    if number < len(values):
        return values[number]
    last = values[-1]
    if isinstance(last, int):
        return max(value for value in values if isinstance(value, int)) + 1
    digits = re.search(r"\d*$", last)
    counted = digits[0] if digits else ""
    return last.removesuffix(counted) + str(int(counted or 0) + 1).zfill(len(counted))


def _blocks(family: Family, number: int) -> dict[str, object]:
    return {table.name: _block(table, number) for table in family.tables if table.blocks is not None}


def _unique(spec: ColumnSpec, number: int) -> object:
    match spec.type:
        case Type.INTEGER:
            return number
        case Type.FLOAT:
            return float(number)
        case Type.TEXT:
            return f"k{number}"
    return _day(spec, datetime.date(2000, 1, 1) + datetime.timedelta(number % 100_000))


def _targets(family: Family, dice: Random) -> Iterator[tuple[str, Style, Callable[[Table], int], int]]:
    """Versions of the unit: description, values, row count per table, and block index."""
    ordinary = _ordinary(dice)
    yield "an ordinary unit", ordinary, _one, 0
    for what, value in (
        ("at the upper bounds", lambda spec: _bound(spec, high=True)),
        ("at the lower bounds", lambda spec: _bound(spec, high=False)),
        ("beyond the upper bounds", lambda spec: _beyond(spec, 1)),
        ("beyond the lower bounds", lambda spec: _beyond(spec, -1)),
        ("infinite", lambda spec: math.inf if spec.type is Type.FLOAT else _bound(spec, high=True)),
        ("not a number", lambda spec: math.nan if spec.type is Type.FLOAT else None),
    ):
        key = {"at the upper bounds": -1, "at the lower bounds": 0}.get(what, dice.randrange(1000))
        yield what, _in_a_group(value, key), _one, 0
    yield "NULL", lambda spec, i: None, _one, 0
    if any(table.blocks is not None for table in family.tables):
        yield "in another block", ordinary, _one, 1
        yield "in no block", ordinary, _one, NO_BLOCK
    if all(table.unit.is_row for table in family.tables):
        return
    for what, many in (
        ("many rows, all high", lambda spec, i: _beyond(spec, 1)),
        ("many rows, all low", lambda spec, i: _beyond(spec, -1)),
        ("many rows, high and low", lambda spec, i: _bound(spec, high=i % 2 == 0)),
        ("many rows, hardly negative", lambda spec, i: _hardly(spec)),
    ):
        yield what, _over_groups(many), _heavy, 0
    yield "many rows that are alike", _in_a_group(lambda spec: _bound(spec, high=True), 0), _heavy, 0


def _heavy(table: Table) -> int:
    return min(HEAVY * table.rows_per_unit, max(MAX_ROWS, 4 * table.rows_per_unit))


def _in_a_group(value: Callable[[ColumnSpec], object], key: int) -> Style:
    """These values with a declared key, so that the row is in a group."""
    return lambda spec, i: value(spec) if spec.keys is None else _nth_key(spec, key)


def _over_groups(value: Style) -> Style:
    """These values with keys that change from row to row, so that many rows are in many groups."""
    return lambda spec, i: value(spec, i) if spec.keys is None else _nth_key(spec, i)


# ------------------------------------------------------------------------------------------------ values


def _ordinary(dice: Random) -> Style:
    return lambda spec, i: _typical(spec, dice)


def _typical(spec: ColumnSpec, dice: Random) -> object:
    if spec.keys is not None:
        return _key(spec, dice)
    match spec.bounds:
        case Bounds(low, high):
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
        case Bounds(low, top):
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
    """Just below zero if the bounds allow it, else the lower bound."""
    if isinstance(spec.bounds, Bounds) and spec.bounds.low < 0:
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


def _undeclared(spec: ColumnSpec) -> object:
    """An undeclared key above the declared ones; None if keys are not declared, or of another type."""
    match spec.keys:
        case ListedKeys(values) if spec.type is Type.TEXT:
            return f"{max(map(str, values))}~"
        case ListedKeys(values) if spec.type is Type.INTEGER:
            return max(int(str(value)) for value in values) + 1
        case RangeKeys(_, high):
            return high + 1
    return None


def _own_key(spec: ColumnSpec, number: int) -> object:
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
