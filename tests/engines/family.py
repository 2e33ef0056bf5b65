"""Several tables about the same people, made to break careless joins, and random plans over them.

    people   one row of each person (`who` is unique)
    orders   a person's rows; `oid` is unique
    items    rows whose person is that of the order that they name
    places   about nobody; `i`, `s` and `x` are unique

Keys are missing, dangling and NULL; rows of nobody, rows that tie and odd values are among them.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from hypothesis import strategies as st

from lapcat.engines.backends import parse_source
from lapcat.engines.base.engine import HeldSnapshot, OpenTable
from lapcat.engines.duckdb.engine import DuckDBEngine
from lapcat.engines.duckdb.snapshots import write_snapshot
from lapcat.engines.reference import Index, ReferenceEngine, index_by_column, index_rows
from lapcat.engines.units import UnitPath, resolve_units
from lapcat.plan.expressions import Column, Compare, Expression, InList, IsNull, Like, Literal, Logic, Not
from lapcat.plan.nodes import (
    Filter,
    Grid,
    Group,
    GroupKey,
    Join,
    Kind,
    LimitGroups,
    LimitRows,
    Match,
    PerUnit,
    Public,
    Rows,
    Scan,
    Statistic,
    Union,
    UnionBranch,
    UnitAggregate,
    UnitColumn,
    WeightRows,
)
from lapcat.plan.schema import ColumnSpec, PublicTable, Relation, SpendingLimit, Table, Type, Unit
from lapcat.testing.reveal import reveal, reveal_groups
from tests.engines.holding import KEY, arrow
from tests.engines.hostile import POOLS, expressions, hostile_rows, keys

Row = dict[str, object]
Family = dict[str, list[Row]]

OWN = {
    "who": Type.TEXT,
    "oid": Type.INTEGER,
    "i": Type.INTEGER,
    "x": Type.FLOAT,
    "s": Type.TEXT,
    "b": Type.BOOLEAN,
    "d": Type.DATE,
    "m": Type.TIMESTAMP,
}
TYPES: dict[str, dict[str, Type]] = {
    "people": OWN,
    "orders": OWN,
    "items": {name: kind for name, kind in OWN.items() if name != "who"},
    "places": {name: kind for name, kind in OWN.items() if name not in ("who", "oid")},
}
UNIQUE = {"people": ("who",), "orders": ("oid",), "items": (), "places": ("i", "s", "x")}
UNITS = {
    "people": Unit("who", of="humans"),
    "orders": Unit("who", of="humans"),
    "items": Unit("oid", through=("orders", "oid")),
}
SCANS = {
    name: Scan(
        name,
        name,
        1,
        unit,
        Relation.ADD_REMOVE,
        None,
        population="population:humans",
        rows_per_unit=1 if name == "people" else 3,
        groups_per_unit=2 if name == "orders" else None,
        unique=UNIQUE[name],
    )
    for name, unit in UNITS.items()
}
PLACES = Public("places", "places", 1, UNIQUE["places"])


def listed_conditions(b: Expression, i: Expression, s: Expression) -> Group:
    """Each key is an operator of its own; a value is looked up in the list, and what is not there is one group."""
    conditions: tuple[Expression, ...] = (
        Not(b),
        IsNull(s),
        Compare("<>", b, IsNull(i)),
        Logic("and", (b, IsNull(i))),
        Like(s, "%a%"),
        InList(i, (Literal(0, Type.INTEGER), Literal(7, Type.INTEGER))),
    )
    keys = tuple(GroupKey(f"k{at}", each, (True, False), other=True) for at, each in enumerate(conditions))
    return Group(SCANS["orders"], keys, (Statistic(Kind.UNITS), Statistic(Kind.ROWS)))


OF_COLUMNS = listed_conditions(Column("b", Type.BOOLEAN), Column("i", Type.INTEGER), Column("s", Type.TEXT))
OF_CONSTANTS = listed_conditions(
    Literal(False, Type.BOOLEAN), Literal(7, Type.INTEGER), Literal("a", Type.TEXT)
)


def family(seed: int, size: int = 14) -> Family:
    """Four tables of hostile rows: few values, so that keys meet, groups repeat and rows tie."""
    dice = random.Random(seed)
    spare = hostile_rows(400, seed)
    pools = {
        name: [None, *dice.sample([row[name] for row in spare if row[name] is not None], 4)]
        for name in ("i", "x", "s", "b", "d", "m")
    }
    names = ["ada", "Ada", "e\u0301", "a\x00b", "", "heavy", "heavy", "heavy", None]

    def contents() -> Row:
        return {name: dice.choice(pool) for name, pool in pools.items()}

    people = [
        {"who": who, "oid": dice.choice([None, 1, 2, 3]), **contents()}
        for who in [*dict.fromkeys(names), None, "lonely"]
        if who != "Ada"  # has orders, and no row here
    ]
    orders: list[Row] = [
        {"who": dice.choice(names), "oid": oid, **contents()}
        for oid in [*range(size), None, 2**63 - 1, -(2**63)]
    ]
    orders += [dict(row, oid=None) for row in dice.choices(orders, k=3)]  # equal rows
    items: list[Row] = [
        {"oid": dice.choice([*range(size + 2), None, 2**63 - 1]), **contents()} for _ in range(2 * size)
    ]
    items += dice.choices(items, k=4)
    places: list[Row] = []
    taken: dict[str, set[object]] = {name: set() for name in UNIQUE["places"]}
    for row in [contents() for _ in range(40)]:
        for name, seen in taken.items():
            value = None if row[name] != row[name] else row[name]
            row = {**row, name: None if value in seen else value}
            seen.add(row[name])
        places.append(row)
    return {"people": people, "orders": orders, "items": items, "places": places}


def indexes(tables: Family, types: Mapping[str, Mapping[str, Type]] = TYPES) -> dict[str, Index]:
    """The contribution indexes of the three private tables."""
    orders = index_by_column(tables["orders"], "who", types["orders"], KEY)
    way = UnitPath(tables["orders"], orders.units, "oid", Type.INTEGER)
    owners = resolve_units(tables["items"], "oid", Type.INTEGER, way)
    return {
        "people": index_by_column(tables["people"], "who", types["people"], KEY),
        "orders": orders,
        "items": index_rows(tables["items"], owners, types["items"], KEY),
    }


def replace_one(tables: Family) -> dict[str, Scan]:
    """The scans of a family under replace-one: how many units each table has is public."""
    return {
        name: replace(
            SCANS[name], relation=Relation.REPLACE_ONE, units=len({u for u in index.units if u is not None})
        )
        for name, index in indexes(tables).items()
    }


def without(tables: Family, who: str) -> Family:
    """The neighbour that has nothing of a person: neither their rows nor those reached through them."""
    index = indexes(tables)
    kept = {
        name: [row for row, unit in zip(tables[name], index[name].units, strict=True) if unit != who]
        for name in index
    }
    return {**tables, **kept}


def replaced(tables: Family, who: str, seed: int) -> Family:
    """The neighbour in which a person's rows are others, in the same tables as before."""
    dice, rest, index = random.Random(seed), without(tables, who), indexes(tables)
    had = {name: sum(unit == who for unit in index[name].units) for name in index}
    spare = family(seed + 1)

    def others(name: str, **own: list[object]) -> list[Row]:
        count = dice.randint(1, 2 * had[name]) if had[name] else 0
        rows = [
            {**dice.choice(spare[name]), "who": who}
            for _ in range(1 if name == "people" and count else count)
        ]
        fitting = [{column: row[column] for column in TYPES[name]} for row in rows]
        return [{**row, **{c: dice.choice(values) for c, values in own.items()}} for row in fitting]

    orders = others("orders", oid=[None])
    for number, row in enumerate(orders):
        row["oid"] = 10**6 + number if number == 0 or dice.random() < 0.8 else None
    known = [row["oid"] for row in orders if row["oid"] is not None] or [None]
    mine = {"people": others("people"), "orders": orders, "items": others("items", oid=known)}
    return {**rest, **{name: rest[name] + rows for name, rows in mine.items()}}


def reference(tables: Family) -> ReferenceEngine:
    return ReferenceEngine(tables, indexes(tables))


def declared_table(name: str) -> Table | PublicTable:
    """One of the family, as a catalogue declares it."""
    columns = {
        column: ColumnSpec(column, kind, unique=column in UNIQUE[name])
        for column, kind in TYPES[name].items()
    }
    if name == "places":
        return PublicTable(name, name, columns)
    limit = SpendingLimit(Fraction(1))
    return Table(name, name, UNITS[name], Relation.ADD_REMOVE, limit, columns, rows_per_unit=3)


def duckdb_over(tables: Family, folder: Path) -> DuckDBEngine:
    """The same tables as snapshots, as `refresh` writes them."""
    opened: dict[str, OpenTable] = {}
    held: dict[str, HeldSnapshot] = {}
    for name, rows in tables.items():
        table = declared_table(name)
        pq.write_table(arrow(rows, TYPES[name]), folder / f"{name}.parquet")
        source, path = parse_source(f"{name}.parquet", folder), folder / "cache" / f"{name}.1.parquet"
        write_snapshot(source, table, path, KEY, people=held if isinstance(table, Table) else {})
        opened[name] = OpenTable(table, source, path)
        if isinstance(table, Table):
            held[name] = HeldSnapshot(table, path)
    return DuckDBEngine(opened, threads=1)


def seen(engine: Any, plan: Group) -> object:
    """All that a look reveals: integers, or private groups with their units and integers."""
    private = engine.execute(plan)
    return reveal_groups(private) if plan.private_keys else reveal(private).tolist()


# ------------------------------------------------------------------------------------------------ plans


@dataclass(frozen=True)
class Made:
    """Rows with the columns that they have."""

    rows: Rows
    columns: Mapping[str, Type]
    ordered: bool = True
    """Whether no two rows of a unit have the same rank."""
    weighted: bool = False
    once: bool = False
    """Whether a unit has one row at most."""


@dataclass
class Maker:
    """Draws rows of every node, from the inside out."""

    draw: st.DrawFn
    scans: Mapping[str, Scan] = field(default_factory=lambda: SCANS)
    limits: bool = True
    """Whether rows are limited by chance; else not at all, as a front-end leaves them."""
    plain: bool = False
    """Whether keys and conditions are plain ones that many rows satisfy: expressions are not what is looked for."""
    marks: int = 0
    names: int = 0

    def expression(self, made: Made | Mapping[str, Type], kind: Type, depth: int = 2) -> Expression:
        """A random expression of the columns at hand."""
        columns = made.columns if isinstance(made, Made) else made
        if self.plain and kind is Type.BOOLEAN:
            return self.condition(columns)
        return self.moved(self.draw(expressions(kind, depth)), columns)

    def moved(self, value: Any, columns: Mapping[str, Type]) -> Any:
        """The same with other columns of the same types."""
        if isinstance(value, Column):
            fitting = [name for name, kind in columns.items() if kind is value.type]
            if not fitting:
                return self.draw(st.sampled_from(NEUTRAL[value.type]))
            return Column(self.draw(st.sampled_from(fitting)), value.type)
        if isinstance(value, tuple):
            return tuple(self.moved(item, columns) for item in value)
        if isinstance(value, Expression) and is_dataclass(value) and not isinstance(value, Literal):
            return replace(
                value, **{f.name: self.moved(getattr(value, f.name), columns) for f in fields(value)}
            )
        return value

    def condition(self, columns: Mapping[str, Type]) -> Expression:
        name = self.draw(st.sampled_from(sorted(columns)))
        missing = IsNull(Column(name, columns[name]))
        return self.draw(st.sampled_from([Not(missing), Not(missing), missing]))

    def rows(self, depth: int, *, weights: bool) -> Made:
        draw = self.draw
        if depth == 0:
            return self.leaf(weights)
        nodes = [
            "leaf",
            "filter",
            "join",
            "join",
            "join",
            "union",
            "fold",
            *(["groups"] if self.limits else []),
        ]
        node = draw(st.sampled_from(nodes))
        match node:
            case "leaf":
                return self.leaf(weights)
            case "filter":
                inner = self.rows(depth - 1, weights=weights)
                return replace(inner, rows=Filter(inner.rows, self.expression(inner, Type.BOOLEAN)))
            case "groups":
                return self.groups(self.rows(depth - 1, weights=False))
            case "join":
                return self.join(depth, weights)
            case "union":
                return self.union(
                    [self.rows(depth - 1, weights=False) for _ in range(draw(st.integers(2, 3)))]
                )
            case _:
                return self.fold(self.rows(depth - 1, weights=False))

    def leaf(self, weights: bool) -> Made:
        name = self.draw(st.sampled_from(sorted(self.scans)))
        if not self.limits:
            return Made(self.scans[name], TYPES[name], once=name == "people")
        form = self.draw(st.sampled_from(["whole", "bound", "weigh"]))
        limit = self.draw(st.integers(1, 4))
        if form == "weigh" and weights:
            return Made(WeightRows(self.scans[name], limit), TYPES[name], weighted=True)
        once = name == "people" or (form != "whole" and limit == 1)
        return Made(
            self.scans[name] if form == "whole" else LimitRows(self.scans[name], limit),
            TYPES[name],
            once=once,
        )

    def groups(self, inner: Made) -> Made:
        """Groups may be chosen among pairs of rows, which tie; rows within them may not."""
        kinds = self.draw(st.lists(st.sampled_from(list(Type)), max_size=2))
        by = tuple(self.expression(inner, kind, 1) for kind in kinds)
        limit = self.draw(st.none() | st.integers(1, 3)) if inner.ordered else None
        return replace(inner, rows=LimitGroups(inner.rows, by, self.draw(st.integers(1, 3)), limit))

    def join(self, depth: int, weights: bool) -> Made:
        draw = self.draw
        match = draw(st.sampled_from(list(Match)))
        outer = draw(st.booleans())
        other = self.rows(depth - 1, weights=False)
        meets_one = match is not Match.UNIT or other.once
        left = self.rows(depth - 1, weights=weights and meets_one)
        self.marks += 1
        mark = self.marks
        right: Rows | Public
        if match is Match.UNIT:
            right, theirs = other.rows, other.columns
            kinds = draw(st.lists(st.sampled_from(list(Type)), max_size=1))
            on = [(self.expression(left, kind, 1), self.expression(other, kind, 1)) for kind in kinds]
        else:
            name = draw(st.sampled_from(["people", "orders"])) if match is Match.UNIQUE else "places"
            theirs = TYPES[name]
            key = draw(st.sampled_from(UNIQUE[name]))
            on = [(self.expression(left, theirs[key], draw(st.integers(0, 1))), Column(key, theirs[key]))]
            if draw(st.integers(0, 3)) == 0:
                kind = draw(st.sampled_from(list(Type)))
                on.append((self.expression(left, kind, 1), self.expression(theirs, kind, 1)))
            if match is Match.PUBLIC:
                right = PLACES
            else:
                right = self.scans[name]
                if draw(st.booleans()):
                    right = Filter(right, self.expression(theirs, Type.BOOLEAN, 1))
        columns = {**left.columns, **{f"{name}@{mark}": kind for name, kind in theirs.items()}}
        joined = Join(left.rows, right, tuple(on), match, outer, mark)
        return Made(joined, columns, left.ordered and meets_one, left.weighted, left.once and meets_one)

    def union(self, parts: Sequence[Made]) -> Made:
        kinds = [Type.TEXT, Type.INTEGER, *self.draw(st.lists(st.sampled_from(list(Type)), max_size=2))]
        columns = {f"u{self.fresh()}": kind for kind in kinds}
        branches = tuple(
            UnionBranch(part.rows, tuple(self.expression(part, kind, 1) for kind in kinds)) for part in parts
        )
        return Made(Union(tuple(columns), branches), columns, all(part.ordered for part in parts))

    def fold(self, inner: Made) -> Made:
        draw = self.draw
        kinds = draw(st.lists(st.sampled_from(list(Type)), max_size=2))
        by = tuple((f"k{self.fresh()}", self.expression(inner, kind, 1)) for kind in kinds)
        values = tuple(self.folded(inner) for _ in range(draw(st.integers(1, 3))))
        columns = {name: key.type for name, key in by} | {value.name: value.type for value in values}
        return Made(
            PerUnit(inner.rows, by, values), columns, inner.ordered or not by, once=not by or inner.once
        )

    def folded(self, inner: Made) -> UnitColumn:
        draw = self.draw
        fold = draw(st.sampled_from(list(UnitAggregate)))
        name = f"f{self.fresh()}"
        where = self.expression(inner, Type.BOOLEAN, 1) if draw(st.booleans()) else None
        if fold in (UnitAggregate.SUM, UnitAggregate.AVG):
            kind = draw(st.sampled_from([Type.INTEGER, Type.FLOAT]))
            grid = replace(draw(small_grids(kind)), centre=Fraction(0))
            whole = fold is UnitAggregate.SUM and kind is Type.INTEGER and grid.exponent == 0
            result = Type.INTEGER if whole else Type.FLOAT
            return UnitColumn(name, fold, self.expression(inner, kind), where, grid, result)
        kind = draw(st.sampled_from(list(Type)))
        if fold is UnitAggregate.COUNT and draw(st.booleans()):
            return UnitColumn(name, fold, None, where, None, Type.INTEGER)
        result = kind if fold in (UnitAggregate.MIN, UnitAggregate.MAX) else Type.INTEGER
        return UnitColumn(name, fold, self.expression(inner, kind), where, None, result)

    def statistic(self, made: Made) -> Statistic:
        draw = self.draw
        sums = [Kind.ROWS, Kind.PRESENT, Kind.SUM]
        kind = draw(st.sampled_from(sums if made.weighted else list(Kind)))
        where = self.expression(made, Type.BOOLEAN, 1) if draw(st.booleans()) else None
        unit_weight = draw(st.sampled_from([1, 7, 2**20])) if made.weighted and kind is not Kind.SUM else 1
        match kind:
            case Kind.ROWS | Kind.UNITS:
                return Statistic(kind, filter=where, unit_weight=unit_weight)
            case Kind.PRESENT | Kind.DISTINCT:
                value = self.expression(made, draw(st.sampled_from(list(Type))))
                return Statistic(kind, value, where, unit_weight=unit_weight)
            case _:
                number = draw(st.sampled_from([Type.INTEGER, Type.FLOAT]))
                return Statistic(kind, self.expression(made, number), where, draw(small_grids(number)))

    def key(self, made: Made, position: int, *, private: bool) -> GroupKey:
        if private:
            kind = self.draw(st.sampled_from(list(Type)))
            return GroupKey(f"k{position}", self.expression(made, kind, 1), None)
        if self.plain:
            name = self.draw(st.sampled_from(sorted(made.columns)))
            kind = made.columns[name]
            values = tuple(value for value in POOLS[kind] if value == value)
            return GroupKey(f"k{position}", Column(name, kind), values, self.draw(st.booleans()))
        key = self.draw(keys(position))
        return replace(key, expression=self.moved(key.expression, made.columns))

    def fresh(self) -> int:
        self.names += 1
        return self.names


NEUTRAL = {
    kind: [Literal(value, kind)]
    for kind, value in {
        Type.INTEGER: 1,
        Type.FLOAT: 0.5,
        Type.TEXT: "a",
        Type.BOOLEAN: True,
        Type.DATE: datetime.date(2000, 2, 29),
        Type.TIMESTAMP: datetime.datetime(2000, 2, 29, 12, 30),
    }.items()
}
"""What stands for a column where there is none of the type."""


@st.composite
def small_grids(draw: st.DrawFn, kind: Type) -> Grid:
    """Grids on which a weighed integer stays within 63 bits; the ends may have either sign."""
    low = draw(st.sampled_from([-1000, -8, -1, 0, 1]))
    high = low + draw(st.sampled_from([1, 2, 9, 100, 2**31]))
    exponent = draw(st.sampled_from([0, 0, 1, 5]) if kind is Type.INTEGER else st.integers(-20, 5))
    centre = draw(st.sampled_from([0, 0, 1, -3, 12345])) * Fraction(2) ** exponent
    if kind is Type.FLOAT:
        return Grid(float(low), float(high), exponent, centre)
    return Grid(low, high, exponent, centre)


@st.composite
def family_plans(
    draw: st.DrawFn,
    depth: int = 3,
    scans: Mapping[str, Scan] = SCANS,
    *,
    limits: bool = True,
    plain: bool = False,
) -> Group:
    maker = Maker(draw, scans, limits, plain)
    made = maker.rows(draw(st.integers(1, depth)), weights=True)
    private = not made.weighted and draw(st.integers(0, 3)) == 0
    count = draw(st.sampled_from([0, 1, 1] if plain else [0, 1, 1, 2, 3]))
    grouped = [maker.key(made, position, private=False) for position in range(count)]
    if private:
        grouped = grouped[:2]
        for _ in range(draw(st.integers(1, 2))):
            at = draw(st.integers(0, len(grouped)))
            grouped.insert(at, maker.key(made, 10 + len(grouped), private=True))
    sets: tuple[tuple[int, ...], ...] = ()
    if grouped and not private and draw(st.booleans()):
        chosen = st.lists(st.sampled_from(range(len(grouped))), unique=True).map(
            lambda own: tuple(sorted(own))
        )
        sets = tuple(draw(st.lists(chosen, min_size=1, max_size=3)))
    statistics = tuple(maker.statistic(made) for _ in range(draw(st.integers(1, 5))))
    return Group(made.rows, tuple(grouped), statistics, sets)
