"""What snapshots of all engines share: the header, the units of rows, and the checks.

The header records the declaration; a snapshot written for another declaration is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lapcat.engines.base.dialect import Dialect
from lapcat.engines.base.engine import FORMAT, HeldSnapshot, RuleViolation, Size
from lapcat.engines.base.relation import UNIT, SourceRelation
from lapcat.engines.base.sources import Source
from lapcat.engines.base.steward import (
    Owner,
    check_statement,
    repeated_key_statement,
    repeats_statement,
    size_statement,
    straddling_statement,
    typed_statement,
)
from lapcat.engines.base.weights import Ready, declared_ready
from lapcat.engines.base.words import SQL
from lapcat.errors import BadQuery, EngineFailed, Refused
from lapcat.plan.headers import missing_column
from lapcat.plan.limits import DEFAULT_LIMITS
from lapcat.plan.schema import PublicTable, Table, Type
from lapcat.plan.words import toml_key

RESERVED = "_lapcat_"

Opened = tuple[SourceRelation, Mapping[str, Type]]
"""A table's relation, and the declared types of its columns (including UNIT if rows have units)."""
Run = Callable[[str], Sequence[Any]]
"""Runs a statement and returns its single row."""


@dataclass(frozen=True, slots=True)
class OpenSource:
    """A source that is open for the steward."""

    relation: SourceRelation
    rows: Callable[[str], Sequence[Sequence[Any]]]
    """Runs a statement and returns its rows."""
    snapshot: Callable[[HeldSnapshot], Opened]
    """Opens the snapshot of another table."""

    def row(self, statement: str) -> Sequence[Any]:
        return self.rows(statement)[0]

    def short(self, max_length: int) -> SourceRelation:
        """The source, whose texts of more than `max_length` characters are NULL."""
        return replace(self.relation, max_length=max_length)


def declared_columns(
    table: Table | PublicTable, physical: Mapping[str, str], where: str, dialect: Dialect
) -> dict[str, Type]:
    """Types of the declared columns and the unit column. Refuses if one is missing or cannot hold its type."""
    types = {name: spec.type for name, spec in table.columns.items()}
    if isinstance(table, Table) and table.unit.column is not None:
        stored = physical.get(table.unit.column, "")
        types.setdefault(table.unit.column, dialect.unit_type(stored) or Type.TEXT)
    for name, kind in types.items():
        if name.lower().startswith(RESERVED):
            raise BadQuery(
                "column-reserved",
                f"{table.name}: column names that start with {RESERVED} are reserved",
                fix="rename it",
            )
        if name not in physical:
            what, why, fix = missing_column(name, types, physical, where)
            raise BadQuery("column-missing", f"{table.name}: {what}", why=why, fix=fix)
        if not dialect.can_hold(physical[name], kind):
            meant = dialect.declared_type(physical[name])
            raise BadQuery(
                "column-type",
                f"{table.name}: {where} holds {name} as {physical[name]}, which is never {kind}",
                fix=f'{name} = {{ type = "{meant}" }}' if meant else f"leave {name} out of the catalogue",
            )
    return types


def proposed_types(physical: Mapping[str, str], dialect: Dialect) -> dict[str, Type]:
    """A type for each column from the schema; columns of unsupported types are omitted."""
    types = {name: dialect.declared_type(kind) for name, kind in physical.items()}
    return {name: kind for name, kind in types.items() if kind is not None}


# ------------------------------------------------------------------------------------------------ the header


def header_of(
    table: Table | PublicTable, unit_type: Type | None, ready: Ready | None, max_length: int
) -> str:
    """Everything that a snapshot depends on, as JSON."""
    written = {} if ready is None else ready.header()
    header = {**_declared(table), "unit_type": unit_type, "ready": written, "max_length": max_length}
    return json.dumps(header, sort_keys=True)


def ready_for(table: Table | PublicTable) -> Ready | None:
    """The precomputed integers of a snapshot, for the limit and bounds declared now."""
    if isinstance(table, PublicTable):
        return None
    return declared_ready([*table.columns.values()], None if table.unit.is_row else table.rows_per_unit)


def _declared(table: Table | PublicTable) -> dict[str, object]:
    unit = table.unit if isinstance(table, Table) else None
    return {
        "format": FORMAT,
        "unit": None if unit is None else unit.column,
        "through": None if unit is None or unit.through is None else list(unit.through),
        "columns": {name: spec.type for name, spec in table.columns.items()},
    }


def snapshot_missing(table: Table | PublicTable) -> EngineFailed:
    return EngineFailed(
        "snapshot-missing",
        f"the snapshot of {table.name} is missing or unreadable",
        why="questions read only the snapshot that the steward's `refresh` writes; lapcat 0.1.0 read some files without one. "
        f"If the data have not changed since the declared version, `lapcat refresh {table.name} --same-version` keeps stored "
        "answers free",
        fix=f"lapcat refresh {table.name}",
    )


def opened(
    table: Table | PublicTable,
    header_text: str | None,
    source: SQL,
    max_length: int = DEFAULT_LIMITS.max_length,
) -> Opened:
    """A snapshot as a relation. Refuses one without a header (None) or written for another declaration.

    Texts of more than `max_length` characters are NULL. If the snapshot was written without that limit (by lapcat 0.1.0) or
    with a larger one, the length is tested on stored."""
    try:
        header: dict[str, Any] = json.loads(header_text or "")
    except ValueError:
        raise snapshot_missing(table) from None
    declared = _declared(table)
    if {key: header.get(key) for key in declared} != declared:
        raise BadQuery(
            "snapshot-stale",
            f"the declared unit or columns of {table.name} changed since its snapshot was written",
            fix=f"lapcat refresh {table.name}",
        )
    types = {name: Type(kind) for name, kind in header["columns"].items()}
    ranked = header["unit_type"] is not None
    if ranked:
        types[UNIT] = Type(header["unit_type"])
    now = ready_for(table)
    ready = None if now is None else now.as_written(header["ready"])
    written = header.get("max_length")
    tested = None if isinstance(written, int) and written <= max_length else max_length
    return SourceRelation(source, ranked=ranked, ready=ready, max_length=tested), types


# ------------------------------------------------------------------------------------------------ while it is written


@dataclass(frozen=True, slots=True)
class SnapshotContent:
    """What a snapshot holds: columns with their types, how the units of rows are found, and the precomputed integers."""

    source: Source
    table: Table | PublicTable
    types: Mapping[str, Type]
    owner: Owner | None
    unit_type: Type | None
    ready: Ready | None
    dialect: Dialect

    def statement(self, relation: SourceRelation, key: bytes | SQL) -> str:
        """The rows of the snapshot."""
        return typed_statement(
            relation, self.types, list(self.table.columns), self.owner, key, self.dialect, self.ready
        )

    def header(self, max_length: int) -> str:
        return header_of(self.table, self.unit_type, self.ready, max_length)

    def checked(self, written: SQL, run: Run) -> Size:
        """The size of a written snapshot. Refuses one in which a unique column repeats a value, or a unit has rows in several
        blocks."""
        relation = SourceRelation(written, ranked=self.owner is not None)
        _require_unique(relation, self.table, self.source.name, self.dialect, run)
        _require_one_block(relation, self.table, self.dialect, run)
        return size_of(relation, self.dialect, run)

    def findings(self, relation: SourceRelation, run: Run) -> tuple[RuleViolation, ...]:
        """Number of rows outside the declared types, bounds, keys and limits, and of units in several blocks; zero counts are
        omitted."""
        table = self.table
        rows_per_unit = table.rows_per_unit if isinstance(table, Table) else 1
        blocks = table.blocks if isinstance(table, Table) else None
        block = blocks.column if blocks is not None and blocks.within else None
        specs, keys = [*table.columns.values()], table.unique or ()
        statement, rules = check_statement(
            relation, self.types, specs, self.owner, rows_per_unit, self.dialect, block, keys
        )
        counts = zip(rules, run(statement), strict=False)
        return tuple(RuleViolation(name, rule, many, of) for (name, rule, of), many in counts if many)


def content_of(
    stored: OpenSource,
    source: Source,
    table: Table | PublicTable,
    people: Mapping[str, HeldSnapshot],
    dialect: Dialect,
) -> SnapshotContent:
    """The content of a table's snapshot. `people`: the snapshots of other tables about the same people. Refuses columns that
    the source cannot hold, and types of units that differ."""
    types = declared_columns(table, stored.relation.physical, source.name, dialect)
    owner, unit_type = _owner(stored, table, types, people)
    return SnapshotContent(source, table, types, owner, unit_type, ready_for(table), dialect)


def _owner(
    stored: OpenSource,
    table: Table | PublicTable,
    types: Mapping[str, Type],
    people: Mapping[str, HeldSnapshot],
) -> tuple[Owner | None, Type | None]:
    """How the units of a table's rows are found, and their type."""
    if isinstance(table, PublicTable) or table.unit.column is None:
        return None, None
    column, through = table.unit.column, table.unit.through
    has_one_row = column in table.columns and table.columns[column].unique
    owner, kind = Owner(column, has_one_row=has_one_row), types[column]
    if through is not None:
        way, held = people[through[0]], through[1]
        relation, known = stored.snapshot(way)
        if kind is not known[held]:
            raise _types_differ(table, column, kind, f"{way.table.name}.{held}", known[held])
        owner, kind = Owner(column, (relation.source, held)), known[UNIT]
    for name, other in people.items():
        theirs = stored.snapshot(other)[1][UNIT]
        if theirs is not kind:
            raise _types_differ(table, column, kind, f"the unit of {name}", theirs)
    return owner, kind


def _types_differ(table: Table, column: str, kind: Type, what: str, other: Type) -> BadQuery:
    return BadQuery(
        "unit-type",
        f"{table.name}.{column} is {kind}, and {what} is {other}",
        why="units are compared across tables, so their identifiers must have the same type",
        fix=f'{toml_key(column)} = {{ type = "{other}" }}  under [tables.{table.name}.columns], then lapcat refresh {table.name}',
    )


def _require_unique(
    written: SourceRelation, table: Table | PublicTable, source_name: str, dialect: Dialect, run: Run
) -> None:
    names = [spec.name for spec in table.columns.values() if spec.unique]
    counts = run(repeats_statement(written, names, dialect)) if names else ()
    for name, repeated in zip(names, counts, strict=True):
        if repeated:
            raise Refused(
                "key-not-unique",
                f"{table.name}.{name} is declared unique, and {repeated} rows repeat a value of another row",
                why="a join on it must match at most one row, or a unit's contribution would be unbounded",
                fix=f"remove the duplicates from {source_name}, or `unique = true` from {name} in lapcat.toml",
            )
    for key in table.unique or ():
        _require_key_columns(table, key, source_name)
        (repeated,) = run(repeated_key_statement(written, key, dialect))
        if repeated:
            raise Refused(
                "key-not-unique",
                f"{table.name}: {', '.join(key)} together are declared unique, and {repeated} rows repeat those of another row",
                why="a join on them must match at most one row, or a unit's contribution would be unbounded",
                fix=f"remove the duplicates from {source_name}, or the key from `unique` under [tables.{table.name}]",
            )


def _require_key_columns(table: Table | PublicTable, key: Sequence[str], source_name: str) -> None:
    """Refuses a key of a column that was not read, or of floats, which have two zeros."""
    for name in key:
        spec = table.columns.get(name)
        if spec is None or spec.type is Type.FLOAT:
            raise BadQuery(
                "column-missing" if spec is None else "column-type",
                f"{table.name}: {name} is in a key of `unique`, and "
                + (f"{source_name} has no such column" if spec is None else "is a float"),
                fix=f"a key of other columns: unique = [[…]] under [tables.{table.name}]",
            )


def _require_one_block(
    written: SourceRelation, table: Table | PublicTable, dialect: Dialect, run: Run
) -> None:
    """Refuses units with rows in several blocks if the blocks have separate budgets."""
    if isinstance(table, PublicTable) or table.blocks is None or not table.blocks.within:
        return
    (units,) = run(straddling_statement(written, table.blocks.column, dialect))
    if units:
        raise Refused(
            "unit-in-two-blocks",
            f"{table.name} declares that each {table.unit} has rows in one {table.blocks.column}, but {units} have rows in several",
            why="each block has its own budget, and the loss of a unit in two blocks would be the sum of both; rows without a "
            f"{table.blocks.column} are a block too",
            fix=f"a unit column that combines person and {table.blocks.column}, or leave blocks out of "
            f"[tables.{table.name}]",
        )


def size_of(relation: SourceRelation, dialect: Dialect, run: Run) -> Size:
    rows, units = run(size_statement(relation, dialect))
    return Size(rows, units)
