"""A catalogue, its ledger and its engine, opened together: what questions are put to and what the steward tends."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from fractions import Fraction
from typing import Protocol

from lapcat.core.coins import CoinSource, system_coins
from lapcat.core.door import Private
from lapcat.core.loss import PureDP
from lapcat.errors import BadQuery, IntegrityFailed, Refused
from lapcat.ledger import Charge, Ledger, left
from lapcat.plan.nodes import Group, Scan
from lapcat.plan.schema import Catalogue, Limit, Table
from lapcat.session.acceptance import bookings, differences, facts_of, protected
from lapcat.session.results import Amount, Budget, Gauge
from lapcat.version import __version__


class Engine(Protocol):
    """What a deployment needs of an engine."""

    def ready(self, plan: Group) -> None:
        """Raises what keeps the plan from being looked up, if anything; asked before a question is paid."""

    def look(self, plan: Group) -> Private: ...


class Tables(Protocol):
    """Where the tables of a deployment are: files with snapshots, or frames in memory."""

    @property
    def name(self) -> str:
        """The engine's name and version, for receipts."""

    def place(self, table: Table) -> str:
        """Where the table's source really is, seen from the ledger."""

    def needs_refresh(self, table: Table) -> bool:
        """Whether questions may read this table only from the snapshot that `refresh` writes."""

    def version(self, declared: int) -> int:
        """The version that questions read, given the one that the ledger declares."""

    def open(
        self, catalogue: Catalogue, versions: Mapping[str, int], booked: Mapping[str, str]
    ) -> Engine: ...


class Deployment:
    """Everything that questions share. Thread-safe; one per process and catalogue is enough."""

    def __init__(
        self,
        catalogue: Catalogue,
        tables: Tables,
        ledger: Ledger,
        *,
        notes: tuple[str, ...] = (),
        coins: CoinSource | None = None,
    ) -> None:
        self.catalogue, self.tables, self.ledger, self.notes = catalogue, tables, ledger, notes
        self.coins = coins if coins is not None else system_coins()
        self.version = __version__
        self._engine: tuple[dict[str, int], Engine] | None = None
        self._lock = threading.Lock()
        self._places = {name: tables.place(table) for name, table in catalogue.tables.items()}
        self._booked = bookings(self._places, ledger.accepted())
        self._require_one_meaning()

    def identity(self, table: Table) -> str:
        """Under which name the table's versions and spending are booked; it stays when the source is moved."""
        return self._booked[table.name]

    def _require_one_meaning(self) -> None:
        """Losses of one source, or of one population, add up only if they protect the same units in the same way."""
        seen: dict[str, tuple[str, list[str]]] = {}
        for name, table in self.catalogue.tables.items():
            groups = {f"the source of {name}": (self.identity(table), protected(table))}
            if table.unit.of is not None:
                groups[f"the population {table.unit.of}"] = (
                    f"population:{table.unit.of}",
                    [str(table.relation)],
                )
            for what, (scope, meaning) in groups.items():
                other, before = seen.setdefault(scope, (name, meaning))
                if before != meaning:
                    raise BadQuery(
                        "meaning-differs",
                        f"{other} and {name} share {what}, and protect different units or by different relations",
                        why="an epsilon for each row is not an epsilon for each person: their sum would mean nothing",
                        fix=f"give {name} the unit and relation of {other}, or remove one of them",
                    )

    @property
    def engine_name(self) -> str:
        return self.tables.name

    # -------------------------------------------------------------------------------------------- acceptance

    def changes(self) -> list[str]:
        """What the file says otherwise than what the ledger last accepted."""
        accepted = self.ledger.accepted()
        return [] if accepted is None else differences(accepted, self._facts())

    def require_acceptance(self) -> None:
        """The first catalogue of a new ledger is accepted as it is; every later change needs the steward's reason."""
        if self.ledger.accepted() is None:
            self.ledger.accept(self._facts(), "first use")
            return
        changes = self.changes()
        if changes:
            raise IntegrityFailed(
                "catalogue-unaccepted",
                "the catalogue differs from what was accepted:\n    " + "\n    ".join(changes[:20]),
                why="a promise must not change by an edit in passing",
                fix='lapcat accept --reason "why"   (or undo the change)',
            )

    def accept(self, reason: str) -> list[str]:
        """Appends the catalogue as it is now; returns what changed."""
        changes = self.changes()
        if changes or self.ledger.accepted() is None:
            self._require_what_was_spent_keeps_its_meaning()
            self.ledger.accept(self._facts(), reason)
        return changes

    def _facts(self) -> dict[str, object]:
        return facts_of(self.catalogue, self._places, self.ledger.accepted())

    def _require_what_was_spent_keeps_its_meaning(self) -> None:
        before = (self.ledger.accepted() or {}).get("protects")
        for name, table in self.catalogue.tables.items():
            scope = self.identity(table)
            meant = before.get(scope) if isinstance(before, dict) else None
            spent = self.ledger.spent(f"table:{scope}")
            if meant not in (None, protected(table)) and (spent.epsilon != 0 or spent.rho != 0):
                raise Refused(
                    "spent-otherwise",
                    f"{name} has spent for another unit or relation ({', '.join(map(str, meant or ()))})",
                    why="what was spent for each row says nothing about each person, so it could not be counted any more",
                    fix=f"keep the unit and relation of {name}; or begin a new ledger with [ledger] store, "
                    "knowing that what was spent before comes on top",
                )

    # -------------------------------------------------------------------------------------------- questions

    def scan(self, table: Table) -> Scan:
        """The declared version of a table that questions read now."""
        source = self.identity(table)
        version = self.tables.version(self.ledger.version(source))
        if version == 0 and self.tables.needs_refresh(table):
            raise BadQuery(
                "never-refreshed",
                f"{table.name} has no snapshot yet",
                why="questions read only the snapshot that the steward's `refresh` writes",
                fix=f"lapcat refresh {table.name}",
            )
        return Scan(table.name, source, version, table.unit, table.relation, table.units)

    def engine(self, scan: Scan) -> Engine:
        """The engine over the declared versions; opened once, and again when a version was declared."""
        with self._lock:
            versions = {
                name: self.ledger.version(self.identity(table))
                for name, table in self.catalogue.tables.items()
            }
            if self.tables.version(versions[scan.table]) != scan.version:
                raise BadQuery(
                    "version-changed",
                    f"a new version of {scan.table} was declared while the question was being asked",
                    fix="ask it again",
                )
            if self._engine is None or self._engine[0] != versions:
                self._engine = versions, self.tables.open(self.catalogue, versions, self._booked)
            return self._engine[1]

    def charges(self, table: Table, analyst: str | None) -> tuple[Charge, ...]:
        """Every budget that a question about this table debits; the table's own comes first."""
        source = self.identity(table)
        found = [Charge(f"table:{source}", table.name, table.limit)]
        if table.unit.of is not None:
            limit = self.catalogue.populations[table.unit.of]
            found.append(Charge(f"population:{table.unit.of}", f"the population {table.unit.of}", limit))
        if analyst is not None:
            found.append(self._analyst_charge(analyst, table, source))
        return tuple(found)

    def _analyst_charge(self, analyst: str, table: Table, source: str) -> Charge:
        limits = self.catalogue.analysts[analyst].tables
        if table.name not in limits:
            raise BadQuery(
                "table-not-granted",
                f"{analyst} may not ask about {table.name}",
                fix=f"the steward adds it: tables = {{ {table.name} = {{ epsilon = 1 }} }} under [analysts.{analyst}]",
            )
        return Charge(
            f"analyst:{analyst}@{source}", f"{analyst} on {table.name}", limits[table.name], analyst=True
        )

    # -------------------------------------------------------------------------------------------- budgets

    def left_after(self, charge: Charge, cost: PureDP) -> Amount:
        """What would be left of a budget after this cost."""
        gauge = self.gauge(charge.scope, charge.limit)
        if charge.limit.rho is not None:
            rho = (gauge.left.rho or Fraction(0)) - cost.as_zcdp().rho
            return Amount(rho=rho, delta=gauge.left.delta)
        return Amount(epsilon=(gauge.left.epsilon or Fraction(0)) - cost.epsilon, delta=gauge.left.delta)

    def gauge(self, scope: str, limit: Limit) -> Gauge:
        """What was spent of a limit and what is left, as a refusal would state it."""
        spent = self.ledger.spent(scope)
        rest, by_epsilon = left(limit, spent), limit.rho is None
        delta = limit.delta or None
        return Gauge(
            limit,
            Amount(
                epsilon=spent.epsilon if by_epsilon else None,
                rho=None if by_epsilon else spent.rho,
                delta=None if delta is None else spent.delta,
            ),
            Amount(
                epsilon=rest if by_epsilon else None,
                rho=None if by_epsilon else rest,
                delta=None if delta is None else max(Fraction(0), delta - spent.delta),
            ),
        )

    def budget(self, analyst: str | None = None) -> Budget:
        """All gauges; an analyst sees the tables they may ask about, and their own."""
        tables = {
            name: table
            for name, table in self.catalogue.tables.items()
            if analyst is None or name in self.catalogue.analysts[analyst].tables
        }
        shown = [analyst] if analyst is not None else list(self.catalogue.analysts)
        populations = {table.unit.of for table in tables.values() if table.unit.of is not None}
        return Budget(
            {
                name: self.gauge(f"table:{self.identity(table)}", table.limit)
                for name, table in tables.items()
            },
            {
                name: self.gauge(f"population:{name}", self.catalogue.populations[name])
                for name in sorted(populations)
            },
            {
                person: {
                    name: self.gauge(f"analyst:{person}@{self.identity(self.catalogue.tables[name])}", limit)
                    for name, limit in self.catalogue.analysts[person].tables.items()
                }
                for person in shown
            },
            " ".join(self.notes),
        )
