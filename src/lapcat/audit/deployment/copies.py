"""A declared table over made-up rows: its own folder, its own ledger, a budget that an audit does not use up.

Nothing here knows where the deployment's own sources and ledger are: of the catalogue only what is declared about the table is
taken over.
"""

from __future__ import annotations

import csv
import hashlib
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from numpy.typing import NDArray

from lapcat.audit.deployment.made import Row, types_of
from lapcat.core.coins import CoinSource, Keystream, Word, below, system_coins
from lapcat.engines.reference import Index, ReferenceEngine, index_rows
from lapcat.engines.values import coerce
from lapcat.ledger import SQLLedger, ledger_at
from lapcat.plan.schema import Catalogue, Limit, Table, Type, Unit
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
    """The table over these rows."""

    table: Table
    rows: list[Row]
    deployment: Deployment

    def session(self, coins: CoinSource | None = None) -> Session:
        """Whoever asks here; with these coins, or with real ones."""
        self.deployment.coins = system_coins() if coins is None else coins
        return Session(self.deployment)

    @property
    def ledger(self) -> SQLLedger:
        assert isinstance(self.deployment.ledger, SQLLedger)
        return self.deployment.ledger

    def reference(self) -> ReferenceEngine:
        """What the rows mean, in plain Python."""
        column, types, rows = self.table.unit.column, types_of(self.table), self.rows
        if self.table.source.endswith(".csv"):  # where all cells are texts, and so is what is not declared
            rows = [{name: None if x is None else str(x) for name, x in row.items()} for row in rows]
            types |= {column: Type.TEXT} if column is not None and column not in self.table.columns else {}
        if column is None:
            return ReferenceEngine({self.table.name: rows})
        units = [coerce(row[column], types[column]) for row in rows]
        index: Index = index_rows(rows, units, types, self.ledger.secret())
        return ReferenceEngine({self.table.name: rows}, {self.table.name: index})


def auditable(table: Table) -> bool:
    """Whether the table stands by itself: its units are in its own rows."""
    return table.unit.through is None


def copied(table: Table, rows: list[Row], folder: Path, limit: Limit | None = None) -> Copy:
    """The table over these rows, accepted and refreshed."""
    folder.mkdir(parents=True)
    kind = "csv" if table.source.endswith(".csv") else "parquet"
    units = table.units
    if units is not None:
        column = table.unit.column
        units = len(rows) if column is None else len({row[column] for row in rows})
    own = replace(
        table,
        source=f"made.{kind}",
        unit=Unit(table.unit.column),
        units=units,
        limit=limit or _plenty(table.limit),
    )
    _write(own, rows, folder / own.source)
    catalogue = Catalogue({own.name: own})
    ledger = ledger_at(":memory:")
    deployment = Deployment(catalogue, FileTables(folder, folder, everything(catalogue)), ledger)
    deployment.require_acceptance()
    refresh(deployment, own.name)
    return Copy(own, rows, deployment)


def _plenty(limit: Limit) -> Limit:
    """A limit of the same kind that nothing here reaches."""
    if limit.rho is not None:
        return Limit(rho=PLENTY, delta=PLENTY_OF_DELTA, i_understand="made-up rows")
    return Limit(epsilon=PLENTY, delta=PLENTY_OF_DELTA, i_understand="made-up rows")


def _write(table: Table, rows: list[Row], path: Path) -> None:
    types = types_of(table)
    if path.suffix == ".csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            written = csv.writer(file)
            written.writerow(types)
            written.writerows(["" if row[name] is None else row[name] for name in types] for row in rows)
        return
    from lapcat.engines.duckdb_made import write_made_up

    write_made_up({name: [row[name] for row in rows] for name in types}, types, path)
