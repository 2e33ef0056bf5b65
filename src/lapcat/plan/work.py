"""Upper bounds on the work that one unit causes in a question, from the plan and the catalogue alone.

A question in which one unit could produce more rows than [limits] joined_rows at any node, or more bytes than a hundredth of
the engine's memory, is refused before it has a price. So no unit's rows decide whether an engine runs out of memory.

Bytes per row are upper bounds for all engines: in the table of a hash join, in a sort, in a group.

    a value   DuckDB      8 bytes at most, a text 16 (its length, prefix and pointer) and its UTF-8; a bit for NULL
              PostgreSQL  8 bytes, a text its UTF-8, 4 bytes before and up to 7 of padding; a bit for NULL
              Spark       8 bytes, a text 8 and its UTF-8 with up to 7 of padding; a bit for NULL
    a row     DuckDB      its hash, the next row and its texts (24), 2 to 4 places of 8 bytes for it in the table of a join: 56
              PostgreSQL  16 before a hash tuple, 16 of its own, 2 buckets of 8 bytes; sorted 24 and 16 and 8 or 16: 56
              Spark       two lengths (8), a page and its key (16), 2 to 4 places of 8 bytes in a map or a sort: 56
    lapcat    rank, number of rows, and the three places by which groups are limited (engines/base/rows.py): 40

That is 16 bytes per value with its bit, 4 per character of a text, and 128 per row. Join and group keys are kept in addition
to the columns that are passed on, and count again. Python keeps no rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never

from lapcat.errors import Bug, Refused
from lapcat.plan.expressions import Column, Expression, columns_of
from lapcat.plan.facts import rows_facts
from lapcat.plan.limits import DEFAULT_LIMITS, WorkLimits
from lapcat.plan.nodes import (
    Filter,
    Group,
    Join,
    Kind,
    LimitGroups,
    LimitRows,
    PerUnit,
    Public,
    Rows,
    Scan,
    Union,
    WeightRows,
    private_scans,
)
from lapcat.plan.schema import Catalogue, Table, Type
from lapcat.plan.words import many_rows, sql_name

DEFAULT_MEMORY = 4 * 10**9
"""Bytes of memory assumed where [engine] memory is not set: public, and the same on every machine."""
SHARE = 100
"""One unit's joined rows may use at most 1/SHARE of the memory."""
WIDTH_OF_A_VALUE = 16
"""Maximum bytes of a number, a date or a boolean; for a text, in addition to its characters."""
BYTES_OF_A_CHARACTER = 4
"""The maximum of UTF-8."""
WIDTH_OF_A_ROW = 128
"""Maximum bytes of a row besides its values: the engine's header, lapcat's integers, and the NULL bits of 256 texts."""
UNITS_OF_MEMORY = {"MB": 10**6, "GB": 10**9, "MiB": 2**20, "GiB": 2**30}


@dataclass(frozen=True, slots=True)
class Room:
    """The engine resources that one unit may use."""

    limits: WorkLimits = DEFAULT_LIMITS
    memory: int = DEFAULT_MEMORY
    """The engine's memory in bytes."""
    text_units: frozenset[str] = frozenset()
    """The tables whose unit column is a text, or has no declared type."""

    @property
    def bytes_of_a_unit(self) -> int:
        return self.memory // SHARE


DEFAULT_ROOM = Room()


def room_of(catalogue: Catalogue) -> Room:
    """The resource limits of a catalogue."""
    memory = DEFAULT_MEMORY if catalogue.memory is None else bytes_in(catalogue.memory)
    texts = (name for name, table in catalogue.tables.items() if _unit_is_text(catalogue, table))
    return Room(catalogue.limits, memory, frozenset(texts))


def _unit_is_text(catalogue: Catalogue, table: Table) -> bool:
    seen = {table.name}
    while table.unit.through is not None and table.unit.through[0] not in seen:
        seen.add(table.unit.through[0])
        table = catalogue.tables[table.unit.through[0]]
    spec = table.columns.get(table.unit.column or "")
    return not table.unit.is_row and (spec is None or spec.type is Type.TEXT)


def bytes_in(memory: str) -> int:
    """An amount of memory in the catalogue, in bytes.

    >>> bytes_in("512MB"), bytes_in("1.5 GiB")
    (512000000, 1610612736)
    """
    unit = next(name for name in UNITS_OF_MEMORY if memory.endswith(name))
    return int(Fraction(memory.removesuffix(unit).strip()) * UNITS_OF_MEMORY[unit])


@dataclass(frozen=True, slots=True)
class Station:
    """A node of a plan, with the columns that are read from its rows."""

    rows: Rows
    columns: frozenset[Column]
    unit: bool
    """Whether the unit column is read."""
    held: tuple[Expression, ...] = ()
    """The keys of the node above: an engine keeps them in addition to the columns."""


def stations(plan: Group) -> Iterator[Station]:
    """Every node below a group, from the top."""
    statistics = (x for s in plan.statistics for x in (s.value, s.filter) if x is not None)
    unit = bool(plan.private_keys) or any(s.kind is Kind.UNITS for s in plan.statistics)
    keys = [key.expression for key in plan.keys]
    once = [s.value for s in plan.statistics if s.kind is Kind.DISTINCT and s.value is not None]
    yield from _from(plan.source, _columns([*keys, *statistics]), unit, (*keys, *once))


def _from(
    rows: Rows, read: frozenset[Column], unit: bool, held: tuple[Expression, ...] = ()
) -> Iterator[Station]:
    yield Station(rows, read, unit, held)
    match rows:
        case Scan() | LimitRows() | WeightRows():
            return
        case Filter(source, predicate):
            yield from _from(source, read | _columns([predicate]), unit, held)
        case LimitGroups(source, keys):
            yield from _from(source, read | _columns(keys), unit=True, held=keys)
        case PerUnit(source, keys, values):
            names = {column.name for column in read}
            made = [value for value in values if value.name in names]
            inputs = (x for value in made for x in (value.value, value.filter) if x is not None)
            by = tuple(key for _, key in keys)
            yield from _from(source, _columns([*by, *inputs]), unit=True, held=by)
        case Union(_, branches):
            wanted = {column.name for column in read}
            for branch in branches:
                given = zip(rows.names, branch.columns, strict=True)
                yield from _from(branch.rows, _columns(x for name, x in given if name in wanted), unit)
        case Join(left, right, on):
            mark = f"@{rows.mark}"
            ours, theirs = _columns(mine for mine, _ in on), _columns(other for _, other in on)
            own = frozenset(column for column in read if not column.name.endswith(mark))
            other = frozenset(Column(c.name.removesuffix(mark), c.type) for c in read - own)
            private = not isinstance(right, Public)
            yield from _from(left, own | ours, unit or private, tuple(mine for mine, _ in on))
            if not isinstance(right, Public):
                yield from _from(right, other | theirs, unit=True, held=tuple(its for _, its in on))
        case _:
            assert_never(rows)


def _columns(expressions: Iterable[Expression]) -> frozenset[Column]:
    return frozenset(column for expression in expressions for column in columns_of(expression))


def width_of(station: Station, room: Room) -> int:
    """Maximum bytes of a row: a text has at most `max_length` characters."""
    values = [value.type is Type.TEXT for value in (*station.columns, *station.held)]
    if station.unit:  # compared, and carried on
        values += 2 * [any(scan.table in room.text_units for scan in private_scans(station.rows))]
    text = BYTES_OF_A_CHARACTER * room.limits.max_length
    return WIDTH_OF_A_ROW + len(values) * WIDTH_OF_A_VALUE + sum(values) * text


def require_room(plan: Group, room: Room) -> None:
    """Refuses a plan in which one unit could use more than its share.

    Rows are counted at every node (plan/produced.py); bytes above many-to-many joins, where one row of a unit is copied for
    many others. Below them an engine holds each row of a table at most as often as the question reads it.
    """
    joined_rows = room.limits.joined_rows
    for station in stations(plan):
        produced = rows_facts(station.rows).produced
        if produced is None:
            raise Bug("plan-unproved", "the number of pairs of one unit's rows is unbounded")
        if produced.copies > joined_rows:
            raise _too_many(plan, station.rows, produced.copies, joined_rows)
        width = width_of(station, room)
        if produced.paired and produced.copies * width > room.bytes_of_a_unit:
            raise _too_wide(plan, station, produced.copies, width, room)


def _too_many(plan: Group, rows: Rows, copies: int, joined_rows: int) -> Refused:
    unit = rows_facts(rows).unit
    return Refused(
        "joined-rows",
        f"one {unit} could produce {copies} rows in this question; at most {joined_rows} are allowed "
        "([limits] joined_rows)",
        why=f"rows of one {unit} are joined with each other or repeated, and their number must not decide whether the "
        "question fails",
        fix=f"{_rewrite(plan)}; or the steward lowers rows_per_unit {_limits(plan)}, or writes joined_rows = {copies} under [limits]",
    )


def _too_wide(plan: Group, station: Station, copies: int, width: int, room: Room) -> Refused:
    unit = rows_facts(station.rows).unit
    texts = sorted({column.name.partition("@")[0] for column in station.columns if column.type is Type.TEXT})
    fewer = f"read fewer text columns of the joined tables (now {', '.join(texts)}); or " if texts else ""
    return Refused(
        "joined-bytes",
        f"one {unit} could produce {many_rows(copies)} of up to {width} bytes in this question; at most "
        f"{room.bytes_of_a_unit} bytes are allowed: 1 % of the engine's memory",
        why=f"the joined rows of one {unit} must not decide whether the engine runs out of memory",
        fix=f"{fewer}{_rewrite(plan)}; or the steward lowers rows_per_unit {_limits(plan)}, lowers max_length under "
        f'[limits], or writes memory = "{-(-copies * width * 100 // 10**9)}GB" under [engine]',
    )


def _limits(plan: Group) -> str:
    """The rows_per_unit of each table."""
    scans = [scan for scan in private_scans(plan) if not scan.unit.is_row]
    return ", ".join(f"of {scan.table} ({scan.rows_per_unit})" for scan in scans) or "of its tables"


def _rewrite(plan: Group) -> str:
    """A question about the same tables without a many-to-many join."""
    named = [
        scan for scan in private_scans(plan) if scan.unit.column is not None and scan.unit.through is None
    ]
    if not named:
        return "query one table at a time"
    first, last = named[0], named[-1]
    assert first.unit.column is not None and last.unit.column is not None
    ours, theirs = sql_name(first.unit.column), sql_name(last.unit.column)
    return (
        f"aggregate one side to one row per {last.unit} first, as in SELECT COUNT(*) AS n FROM {sql_name(first.table)} AS a JOIN "
        f"(SELECT {theirs}, COUNT(*) AS m FROM {sql_name(last.table)} GROUP BY {theirs}) AS b ON a.{ours} = b.{theirs}"
    )
