"""Declared tables over made-up rows: in places of their own, with a ledger of their own and a budget that an audit does not use up.

Rows of files are written into a folder that is gone afterwards. Rows of a server are written there, into the schema in which
snapshots lie, and removed again; Spark reads a folder. Nothing here knows where the deployment's own rows and ledger are: of the
catalogue only what is declared about the tables is taken over, and the address of their server.
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
from lapcat.engines.backends import backend_of
from lapcat.engines.reference import Index, ReferenceEngine, index_rows
from lapcat.engines.sources import parse_source
from lapcat.engines.units import UnitPath, resolve_units
from lapcat.ledger import SQLLedger, ledger_at
from lapcat.plan.schema import Catalogue, PublicTable, SpendingLimit, Table, Type
from lapcat.session import Session
from lapcat.session.deployment import Deployment
from lapcat.session.files import FileTables, everything, refresh

PLENTY = Fraction(10**6)
PLENTY_OF_DELTA = Fraction(9, 10)


class Repeated:
    """Coins that are the same for both neighbours. Whoever knows the seed knows the noise: for made-up rows alone."""

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
    """The tables of a family over these rows."""

    family: Family
    """As it was declared here: with sources of its own and a large budget."""
    rows: World
    deployment: Deployment
    known: list[ReferenceEngine] = field(default_factory=list)

    def session(self, coins: CoinSource | None = None) -> Session:
        """Whoever asks here; with these coins, or with real ones."""
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
        """What the rows mean, in plain Python."""
        if not self.known:
            self.known.append(reference_of(self.family, self.rows, self.ledger.secret()))
        return self.known[0]

    def remove(self) -> None:
        """Takes back what was written on a server; files go with their folder."""
        tables = self.deployment.tables
        assert isinstance(tables, FileTables)
        for table in self.family.everything:
            source, backend = tables.source(table), tables.backend(table)
            booked_as = self.deployment.identity(table)
            last = self.ledger.version(booked_as)
            for version in (last, last - 1):  # `refresh` leaves the one before, too
                path = tables.snapshot(booked_as, table, version)
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
    """The tables over these rows, accepted and refreshed; `declared`: as something else than what questions are asked of;
    `ledger`: in memory unless one is given."""
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
    made = Copy(own, rows, deployment)
    try:
        for table in everything(deployment.catalogue).values():
            refresh(deployment, table.name)
    except BaseException:
        made.remove()
        raise
    if declared is not None:
        own, deployment = opened(family)
        deployment.accept("an audit declares other bounds")
    return Copy(own, rows, deployment)


def with_null(family: Family) -> World:
    """Rows some of which are in no group."""
    pairs = neighbours_of(family)
    for pair in pairs:
        one, _, other = pair.what.partition(" against ")
        if "NULL" in (one, other):
            return pair.here if one == "NULL" else pair.there
    return pairs[0].here


def _own(table: Table, rows: list[Row], source: str, limit: SpendingLimit | None) -> Table:
    units = table.units
    if units is not None:
        column = table.unit.column
        units = len(rows) if column is None else len({row[column] for row in rows})
    return replace(table, source=source, units=units, limit=limit or _plenty(table.limit), read=None)


def reference_of(family: Family, rows: World, secret: bytes) -> ReferenceEngine:
    """What these rows mean, in plain Python; `secret`: what ranks of a unit's rows go by."""
    held: dict[str, list[Row]] = {}
    indexes: dict[str, Index] = {}
    types: dict[str, Mapping[str, Type]] = {}
    for table in sorted(family.everything, key=lambda table: isinstance(table, Table)):  # public ones first
        own, texts = rows[table.name], types_of(table)
        if parse_source(
            table.source, Path()
        ).is_text:  # where all cells are texts, and so is what is not declared
            own = [{name: None if x is None else str(x) for name, x in row.items()} for row in own]
            texts |= {name: Type.TEXT for name in texts if name not in table.columns}
        held[table.name], types[table.name] = own, texts
        if not isinstance(table, Table) or table.unit.column is None:
            continue
        column, way = table.unit.column, None
        if table.unit.through is not None:
            before, key = table.unit.through
            way = UnitPath(held[before], indexes[before].units, key, types[before][key])
        units = resolve_units(own, column, texts[column], way)
        indexes[table.name] = index_rows(own, units, texts, secret)
    return ReferenceEngine(held, indexes)


def _plenty(limit: SpendingLimit) -> SpendingLimit:
    """A limit of the same kind that nothing here reaches."""
    if limit.rho is not None:
        return SpendingLimit(rho=PLENTY, delta=PLENTY_OF_DELTA, i_understand="made-up rows")
    return SpendingLimit(epsilon=PLENTY, delta=PLENTY_OF_DELTA, i_understand="made-up rows")


def _put(table: Table | PublicTable, rows: list[Row], folder: Path) -> str:
    """Writes the rows where an engine of the table's kind reads them; returns the source, as a catalogue writes it."""
    like, types = parse_source(table.source, folder), types_of(table)
    columns = {name: [row[name] for row in rows] for name in types}
    return backend_of(like).write_fixture(columns, types, folder, table.name, like)
