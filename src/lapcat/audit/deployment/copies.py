"""Declared tables over fixture rows, with their own storage, their own ledger and a budget large enough for an audit.

File-based tables are written to a temporary folder. Tables on a server are written there, to the schema of the snapshots, and
removed afterwards; Spark reads a folder. This module does not know where the deployment's rows and ledger are: of the catalogue
it uses only the declarations of the tables and the address of their server.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

from numpy.typing import NDArray

from lapcat.audit.deployment.fixtures import Family, Row, World, neighbours_of, types_of
from lapcat.core.coins import CoinSource, Keystream, Word, below, system_coins
from lapcat.engines.backends import backend_of, parse_source
from lapcat.engines.reference import Index, ReferenceEngine, index_rows
from lapcat.engines.units import UnitPath, resolve_units
from lapcat.ledger import SQLLedger, ledger_at
from lapcat.plan.schema import Catalogue, PublicTable, SpendingLimit, Table, Type
from lapcat.session import Session
from lapcat.session.deployment import Deployment
from lapcat.session.files import FileTables, everything, refresh

PLENTY = Fraction(10**6)
PLENTY_OF_DELTA = Fraction(9, 10)


class Repeated:
    """Deterministic coins, the same for both neighbouring tables. The seed determines the noise: for fixtures only."""

    cryptographic = False

    def __init__(self, seed: str) -> None:
        self._stream = Keystream(hashlib.sha256(f"lapcat audit {seed}".encode()).digest(), bytes(16))

    def array(self, n: int, dtype: type[Word]) -> NDArray[Word]:
        return self._stream.array(n, dtype)

    def bits(self, n: int) -> int:
        return self._stream.bits(n)

    def below(self, m: int) -> int:
        return below(m, self._stream.bits)


@dataclass(frozen=True, slots=True)
class Copy:
    """The tables of a family over fixture rows."""

    family: Family
    """As declared in the copy: with its own sources and a large budget."""
    rows: World
    deployment: Deployment
    cached: list[ReferenceEngine] = field(default_factory=list)

    def session(self, coins: CoinSource | None = None) -> Session:
        """A session with these coins, or with system coins."""
        self.deployment.coins = system_coins() if coins is None else coins
        return Session(self.deployment)

    @property
    def ledger(self) -> SQLLedger:
        assert isinstance(self.deployment.ledger, SQLLedger)
        return self.deployment.ledger

    @property
    def engine(self) -> str:
        return self.deployment.engine_name

    def reference(self) -> ReferenceEngine:
        """The reference engine over these rows."""
        if not self.cached:
            self.cached.append(reference_of(self.family, self.rows, self.ledger.secret()))
        return self.cached[0]

    def remove(self) -> None:
        """Removes what was written to a server; files go with their folder."""
        tables = self.deployment.tables
        assert isinstance(tables, FileTables)
        for table in self.family.everything:
            source, backend = tables.source(table), tables.backend(table)
            identity = self.deployment.identity(table)
            last = self.ledger.version(identity)
            for version in (last, last - 1):  # `refresh` keeps the previous one
                path = tables.snapshot(identity, table, version)
                if backend.has_snapshot(source, path):
                    backend.remove_snapshot(source, path)
            backend.drop_fixture(source)


def copied(
    family: Family,
    rows: World,
    folder: Path,
    limit: SpendingLimit | None = None,
    *,
    declared: Family | None = None,
    ledger: SQLLedger | None = None,
) -> Copy:
    """The tables over these rows, accepted and refreshed.

    declared: the declarations to refresh under, if they differ from those that questions are asked under.
    ledger: in memory unless given.
    """
    folder.mkdir(parents=True)
    places = {table.name: _put(table, rows[table.name], folder) for table in family.everything}
    ledger = ledger_at(":memory:") if ledger is None else ledger

    def opened(family: Family) -> tuple[Family, Deployment]:
        own = Family(
            family.name,
            tuple(_own(table, rows[table.name], places[table.name], limit) for table in family.tables),
            tuple(replace(table, source=places[table.name]) for table in family.public),
        )
        catalogue = Catalogue(
            {table.name: table for table in own.tables},
            {table.name: table for table in own.public},
            {
                table.unit.of: limit or _plenty(table.limit)
                for table in own.tables
                if table.unit.of is not None
            },
        )
        return own, Deployment(
            catalogue, FileTables(folder, folder, everything(catalogue), ledger.secret), ledger
        )

    own, deployment = opened(declared or family)
    deployment.require_acceptance()
    copy = Copy(own, rows, deployment)
    try:
        for table in everything(deployment.catalogue).values():
            refresh(deployment, table.name)
    except BaseException:
        copy.remove()
        raise
    if declared is not None:
        own, deployment = opened(family)
        deployment.accept("an audit declares other bounds")
    return Copy(own, rows, deployment)


def with_null(family: Family) -> World:
    """A world in which some rows belong to no group."""
    pairs = neighbours_of(family)
    for pair in pairs:
        first, _, second = pair.what.partition(" against ")
        if "NULL" in (first, second):
            return pair.here if first == "NULL" else pair.there
    return pairs[0].here


def _own(table: Table, rows: list[Row], source: str, limit: SpendingLimit | None) -> Table:
    units = table.units
    if units is not None:
        column = table.unit.column
        units = len(rows) if column is None else len({row[column] for row in rows})
    return replace(table, source=source, units=units, limit=limit or _plenty(table.limit), read=None)


def reference_of(family: Family, rows: World, secret: bytes) -> ReferenceEngine:
    """The reference engine over these rows; `secret` is the key that ranks a unit's rows."""
    tables: dict[str, list[Row]] = {}
    indexes: dict[str, Index] = {}
    types: dict[str, Mapping[str, Type]] = {}
    for table in sorted(family.everything, key=lambda table: isinstance(table, Table)):  # public ones first
        own, texts = rows[table.name], types_of(table)
        if parse_source(table.source, Path()).is_text:  # all cells are texts, also in undeclared columns
            own = [{name: None if x is None else str(x) for name, x in row.items()} for row in own]
            texts |= {name: Type.TEXT for name in texts if name not in table.columns}
        tables[table.name], types[table.name] = own, texts
        if not isinstance(table, Table) or table.unit.column is None:
            continue
        column, way = table.unit.column, None
        if table.unit.through is not None:
            before, key = table.unit.through
            way = UnitPath(tables[before], indexes[before].units, key, types[before][key])
        units = resolve_units(own, column, texts[column], way)
        indexes[table.name] = index_rows(own, units, texts, secret)
    return ReferenceEngine(tables, indexes)


def _plenty(limit: SpendingLimit) -> SpendingLimit:
    """A limit of the same kind that the audit never reaches."""
    if limit.rho is not None:
        return SpendingLimit(rho=PLENTY, delta=PLENTY_OF_DELTA, i_understand="fixture rows")
    return SpendingLimit(epsilon=PLENTY, delta=PLENTY_OF_DELTA, i_understand="fixture rows")


def _put(table: Table | PublicTable, rows: list[Row], folder: Path) -> str:
    """Writes the rows for the table's backend; returns the source, as written in a catalogue."""
    like, types = parse_source(table.source, folder), types_of(table)
    columns = {name: [row[name] for row in rows] for name in types}
    return backend_of(like).write_fixture(columns, types, folder, table.name, like)
