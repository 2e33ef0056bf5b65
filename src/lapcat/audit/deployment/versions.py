"""The guarantees of `refresh`: it refuses versions that violate a declaration, and integers prepared for old bounds are not used
for new ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from lapcat.audit.deployment.asking import engine_of, program_at, release
from lapcat.audit.deployment.check import COMPARED, PROVED, Check
from lapcat.audit.deployment.copies import Repeated, copied
from lapcat.audit.deployment.fixtures import Family, Row, World, neighbours_of
from lapcat.audit.deployment.questions import numbers_of
from lapcat.errors import Refused
from lapcat.ledger import ledger_at
from lapcat.plan.schema import Bounds, Table
from lapcat.plan.words import sql_name
from lapcat.session.files import FileTables, everything, refresh

FIRST = 1
"""The first version of a copy."""


def versions(family: Family, folder: Path) -> Iterator[Check]:
    """Duplicates in a unique column, a unit in two blocks, and bounds that changed after the refresh."""
    pairs = {pair.what: pair for pair in neighbours_of(family)}
    rows = next(iter(pairs.values())).here
    for table in family.tables:
        for what, forged in _forged(table, rows[table.name]):
            changed = {**rows, table.name: forged}
            yield _check(what, PROVED, _accepted(family, changed, folder / f"{table.name}-{what}"))
    yield _check("the version before a refresh is kept", PROVED, _gone(family, rows, folder / "before"))
    yield _check("versions of two ledgers are kept apart", PROVED, _mixed(family, rows, folder / "mixed"))
    heavy = [pair.here for what, pair in pairs.items() if what.startswith("many rows, all high")]
    narrow = replace(family, tables=tuple(map(_narrower, family.tables)))
    if heavy and narrow != family:
        yield _check("bounds declared after a refresh", COMPARED, _ready(family, narrow, heavy[0], folder))


def _check(text: str, how: str, problem: str) -> Check:
    return Check("versions", "any", "–", "–", how, text, problem)


def _forged(table: Table, rows: list[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Rows that `refresh` must not accept."""
    for name, spec in table.columns.items():
        if spec.unique and len(rows) > 1:
            first = next(row[name] for row in rows)
            yield f"a value twice in {name}", [*rows[:-1], {**rows[-1], name: first}]
    for key in table.unique or () if len(rows) > 1 else ():
        same = {name: rows[0][name] for name in key}
        yield f"the values of {', '.join(key)} twice", [*rows[:-1], {**rows[-1], **same}]
    blocks = table.blocks
    if blocks is not None and blocks.within and len(blocks.values) > 1:
        moved = {**rows[0], blocks.column: blocks.values[1]}
        yield f"one unit in two blocks of {blocks.column}", [*rows, moved]


def _accepted(family: Family, rows: World, folder: Path) -> str:
    try:
        copied(family, rows, folder).remove()
    except Refused:
        return ""
    return "a version that violates its declaration was accepted"


def _gone(family: Family, rows: World, folder: Path) -> str:
    """Questions that run during a refresh must still find their version."""
    copy = copied(family, rows, folder)
    deployment, tables = copy.deployment, copy.deployment.tables
    assert isinstance(tables, FileTables)
    try:
        for table in copy.family.tables:
            refresh(deployment, table.name)
            snapshot = tables.snapshot(deployment.identity(table), table, FIRST)
            if not tables.backend(table).has_snapshot(tables.source(table), snapshot):
                return f"the version of {table.name} that running questions read is gone"
    finally:
        copy.remove()
    return ""


def _mixed(family: Family, rows: World, folder: Path) -> str:
    """The same version number under another ledger may hold other rows."""
    copy = copied(family, rows, folder)
    tables = copy.deployment.tables
    assert isinstance(tables, FileTables)
    everybody = everything(copy.deployment.catalogue)
    others = FileTables(folder, folder, everybody, ledger_at(":memory:").secret)
    try:
        for table in everybody.values():
            identity = copy.deployment.identity(table)
            if others.snapshot(identity, table, FIRST) == tables.snapshot(identity, table, FIRST):
                return f"another ledger's refresh of {table.name} overwrites the snapshot that questions read"
    finally:
        copy.remove()
    return ""


def _narrower(table: Table) -> Table:
    """The same table with half the range of every number, and a larger rows_per_unit."""
    columns = dict(table.columns)
    for name in numbers_of(table):
        bounds = columns[name].bounds
        assert isinstance(bounds, Bounds)
        columns[name] = replace(
            columns[name], bounds=Bounds(bounds.low, (bounds.low + bounds.high) / 2), null=None
        )
    more = table.rows_per_unit if table.unit.is_row else table.rows_per_unit + 1
    return replace(table, columns=columns, rows_per_unit=more)


def _ready(family: Family, narrow: Family, rows: World, folder: Path) -> str:
    """A version written under narrower bounds, and queried under the declared ones."""
    copy = copied(family, rows, folder / "ready", declared=narrow)
    try:
        for table in family.tables:
            for x in numbers_of(table):
                text = f"SELECT SUM({sql_name(x)}) AS a, AVG({sql_name(x)}) AS b FROM {sql_name(table.name)}"
                program = program_at(copy, text, Fraction(1))
                if program is None:
                    continue
                released, expected = (
                    release(program, engine, Repeated("ready"))
                    for engine in (engine_of(copy, program), copy.reference())
                )
                if (released.cells != expected.cells).any():
                    return f"{text}: the integers are those of the earlier bounds"
    finally:
        copy.remove()
    return ""
