"""A deployment: a catalogue with its ledger and its engine."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from fractions import Fraction
from types import MappingProxyType
from typing import Protocol

from lapcat.core.coins import CoinSource, system_coins
from lapcat.core.event import (
    Event,
)
from lapcat.engines.base.engine import Engine
from lapcat.errors import BadQuery, Bug, Refused
from lapcat.ledger import Charge, Ledger, left
from lapcat.ledger.base import amounts_of
from lapcat.ledger.fixed_point import DELTAS, cost_of
from lapcat.plan.nodes import Public, Scan, UniqueKeys
from lapcat.plan.schema import Catalogue, ColumnSpec, PublicTable, SpendingLimit, Table, Value
from lapcat.session.acceptance import (
    NOBODY,
    accounts_of,
    differences,
    facts_of,
    known_accounts,
    lost_accounts,
    protected,
    require_unchanged,
)
from lapcat.session.budgets import Budget, Gauge
from lapcat.session.burn_down import History, spending
from lapcat.session.public_columns import from_json, lookup
from lapcat.session.results import Amount, loss_text
from lapcat.stored.scopes import Scope, ScopeKind
from lapcat.version import __version__

Block = int | str
"""The value of the column that splits a table."""
NO_BLOCKS: Mapping[str, Sequence[Block]] = MappingProxyType({})


NO_NAMES: Mapping[str, str] = MappingProxyType({})


def _which_is_which(left: Sequence[str], appeared: Sequence[str]) -> Refused:
    old, new = left[0], appeared[0]
    return Refused(
        "table-gone",
        f"{', '.join(left)} {'has' if len(left) == 1 else 'have'} spent and {'is' if len(left) == 1 else 'are'} gone from the "
        f"catalogue, while {', '.join(appeared)} {'appears' if len(appeared) == 1 else 'appear'}",
        why="if it is the same data under another name, its earlier debits must count against its budget",
        fix=f'lapcat accept --renamed {shlex.quote(f"{old}={new}")} --reason "why"   if it is the same data\n'
        f'lapcat accept --forget {shlex.quote(old)} --reason "why"   if it is not; the ledger and the statement keep showing it',
    )


def _version_changed(table: str) -> BadQuery:
    return BadQuery(
        "version-changed",
        f"a new version of {table} was declared while the question was being asked",
        fix="ask it again",
    )


class TableStore(Protocol):
    """The tables of a deployment: files with snapshots, or data frames in memory."""

    @property
    def name(self) -> str:
        """The engine's name and version, for receipts."""

    def place(self, table: Table | PublicTable) -> str:
        """The actual place of the table's source, relative to the ledger."""

    def version(self, declared: int) -> int:
        """The version that questions read, given the one declared in the ledger."""

    def open(
        self, catalogue: Catalogue, versions: Mapping[str, int], booked: Mapping[str, str]
    ) -> Engine: ...


class Deployment:
    """The state shared by all questions. Thread-safe; one per process and catalogue is enough."""

    def __init__(
        self,
        catalogue: Catalogue,
        tables: TableStore,
        ledger: Ledger,
        *,
        notes: tuple[str, ...] = (),
        coins: CoinSource | None = None,
        today: date | None = None,
    ) -> None:
        self.declared, self.tables, self.ledger, self.notes = catalogue, tables, ledger, notes
        self._unread = [name for name, table in catalogue.public.items() if not table.columns]
        self._read: tuple[list[int], Catalogue] | None = None
        self.coins = coins if coins is not None else system_coins()
        self._today = today
        self.version = __version__
        self._engine: tuple[dict[str, int], Engine] | None = None
        self._lock = threading.Lock()
        self._all = catalogue.everything
        self._places = {name: tables.place(table) for name, table in self._all.items()}
        self._booked = accounts_of(self._places, ledger.accepted())
        self.accepted: int | None = None
        """The entry id of the acceptance that applies; None until `require_acceptance`."""
        self._require_one_meaning()

    @property
    def catalogue(self) -> Catalogue:
        """The declared catalogue, with the columns that `refresh` read for public tables that declare none."""
        if not self._unread:
            return self.declared
        versions = [self.ledger.version(self._booked[name]) for name in self._unread]
        known = self._read
        if known is None or known[0] != versions:
            self._read = known = versions, self._with_read(dict(zip(self._unread, versions, strict=True)))
        return known[1]

    def _with_read(self, versions: Mapping[str, int]) -> Catalogue:
        columns = {name: self._columns(name, version) for name, version in versions.items()}
        read = {name: replace(self.declared.public[name], columns=specs) for name, specs in columns.items()}
        return replace(self.declared, public={**self.declared.public, **read}, read=frozenset(self._unread))

    def _columns(self, name: str, version: int) -> dict[str, ColumnSpec]:
        """The columns that `refresh` read; empty if it never did."""
        match self.ledger.version_memo(self._booked[name], version):
            case {"columns": list(written)}:
                return from_json(written)
        return {}

    def identity(self, table: Table | PublicTable) -> str:
        """The account of the table's versions and spending; it does not change when the source is moved."""
        return self._booked[table.name]

    def _require_one_meaning(self) -> None:
        """Losses of one source, or of one population, add up only if they protect the same units in the same way."""
        seen: dict[str, tuple[str, list[str]]] = {}
        for name, table in self._all.items():
            population = self._population(table) if isinstance(table, Table) else None
            groups = {f"the source of {name}": (self.identity(table), [*protected(table), population or ""])}
            if population is not None and isinstance(table, Table):
                groups[f"the population {population}"] = (f"population:{population}", [str(table.relation)])
            for what, (scope, meaning) in groups.items():
                other, before = seen.setdefault(scope, (name, meaning))
                if before != meaning:
                    raise BadQuery(
                        "meaning-differs",
                        f"{other} and {name} share {what}, but declare different privacy units or relations",
                        why="an epsilon per row and an epsilon per person cannot be added up",
                        fix=f"give {name} the unit and relation of {other}, or remove one of them",
                    )

    def _population(self, table: Table) -> str | None:
        """The declared population of a table, or of the table through which it reaches its units."""
        scope = self.catalogue.population(table)
        return scope.name if scope.kind is ScopeKind.POPULATION else None

    @property
    def engine_name(self) -> str:
        return self.tables.name

    # -------------------------------------------------------------------------------------------- acceptance

    def changes(self) -> list[str]:
        """The differences between the file and the last acceptance."""
        accepted = self.ledger.accepted()
        return [] if accepted is None else differences(accepted, self._facts())

    def require_acceptance(self) -> None:
        """Accepts the first catalogue of a new ledger; refuses any later change that the steward has not accepted."""
        acceptance = self.ledger.acceptance()
        if acceptance is None:
            self.accepted = self.ledger.accept(self._facts(), "first use")
            return
        self.accepted, facts = acceptance
        changes = differences(facts, self._facts())
        if self.catalogue.in_python:
            changes = [change.replace("the file says", "the call says") for change in changes]
        require_unchanged(changes, in_python=self.catalogue.in_python)

    def accept(
        self, reason: str, *, renamed: Mapping[str, str] = NO_NAMES, forget: Sequence[str] = ()
    ) -> list[str]:
        """Accepts the current catalogue; returns the changes.

        A removed table takes its spending out of sight. So if a table that has spent is gone and another appears, the steward
        must state that it was renamed (`renamed`: old name → new) or that it is given up (`forget`), which stays in the ledger
        and in the statement.
        """
        changes = self.changes()
        if changes or renamed or forget or self.ledger.accepted() is None:
            accepted = self.ledger.accepted()
            booked = dict(self._booked)
            lost = {
                account: name
                for account, name in lost_accounts(accepted, booked).items()
                if name in renamed or name in forget or self.has_spent(account)
            }
            accounts = {name: account for account, name in lost.items()}
            for old, new in renamed.items():
                booked[new] = self._renamed(old, new, accounts)
            given_up = {self._account(old, accounts): old for old in forget}
            appeared = [
                name for name in self.catalogue.tables if booked[name] not in known_accounts(accepted)
            ]
            left = [name for account, name in lost.items() if account not in {*booked.values(), *given_up}]
            if left and appeared:
                raise _which_is_which(left, appeared)
            self._booked = booked
            self._require_one_meaning()
            self._require_what_was_spent_keeps_its_meaning()
            forgotten = {
                account: {"table": name, "spent": self._spent_text(account), "reason": reason}
                for account, name in given_up.items()
            }
            acts = [f"{old} is now {new}" for old, new in renamed.items()]
            acts += [
                f"gave up {each['table']}, which had spent {each['spent']}" for each in forgotten.values()
            ]
            self.accepted = self.ledger.accept(self._facts(forgotten), "; ".join([reason, *acts]))
            changes += acts
        return changes

    def _account(self, old: str, accounts: Mapping[str, str]) -> str:
        if old not in accounts:
            raise BadQuery(
                "table-not-gone",
                f"{old} is not an accepted table that is gone from the catalogue",
                fix=f"one of: {', '.join(accounts)}" if accounts else "leave it out: no table is gone",
            )
        return accounts[old]

    def _renamed(self, old: str, new: str, accounts: Mapping[str, str]) -> str:
        """The account of a table that was renamed and moved."""
        if new not in self.catalogue.tables:
            raise BadQuery(
                "unknown-table", f"no table {new!r}", fix=f"one of: {', '.join(self.catalogue.tables)}"
            )
        if self.has_spent(self._booked[new]):
            raise Refused(
                "renamed-spent",
                f"{new} has spent under its own name",
                why="the ledger has a separate account for it, which would be lost",
                fix=f'lapcat accept --forget {old} --reason "why"',
            )
        return self._account(old, accounts)

    def _spent_text(self, booked_as: str) -> str:
        """The amount spent from a source; for one in blocks, from the block that has spent most."""
        spent = [self.ledger.spent(scope) for scope in self._scopes_of(booked_as)]
        worst = max(spent, key=lambda each: (each.rho or 0, each.epsilon or 0), default=None)
        if worst is None:
            return "nothing"
        if worst.epsilon is not None:
            return loss_text(Amount(worst.epsilon, None, worst.delta or None))
        return loss_text(Amount(None, worst.rho, worst.delta or None))

    def _facts(self, forgotten: Mapping[str, Mapping[str, str]] = NOBODY) -> dict[str, object]:
        return facts_of(self.declared, self._places, self.ledger.accepted(), self._booked, forgotten)

    def _require_what_was_spent_keeps_its_meaning(self) -> None:
        before = (self.ledger.accepted() or {}).get("protects")
        for name, table in self.catalogue.tables.items():
            scope = self.identity(table)
            meant = before.get(scope) if isinstance(before, dict) else None
            if meant not in (None, protected(table)) and self.has_spent(scope):
                raise Refused(
                    "spent-otherwise",
                    f"{name} has spent for another unit, relation or split into blocks ({', '.join(map(str, meant or ()))})",
                    why="amounts spent per row, or per block, cannot be converted to amounts per person, or for the whole table",
                    fix=f"keep the unit, relation and blocks of {name}; or start a new ledger with [ledger] store, "
                    "whose budget is in addition to the amount already spent",
                )

    def has_spent(self, booked_as: str) -> bool:
        """Whether anything was ever spent from a source or one of its blocks."""
        for scope in self._scopes_of(booked_as):
            spent = self.ledger.spent(scope)
            if spent.epsilon != 0 or spent.rho != 0:
                return True
        return False

    def _scopes_of(self, booked_as: str) -> list[str]:
        return [
            scope
            for scope in self.ledger.scopes()
            if (read := Scope.read(scope, {booked_as, *self._booked.values()})).is_of(booked_as)
            and read.analyst is None
        ]

    # -------------------------------------------------------------------------------------------- questions

    def scan(self, table: Table) -> Scan:
        """The scan of the declared version of a private table."""
        root = self.catalogue.population(table)
        if self._population(table) is None:  # by its account: names are no part of a question's identity
            root = Scope.table(self.identity(self.catalogue.tables[root.name]))
        return Scan(
            table.name,
            self.identity(table),
            self._declared(table),
            table.unit,
            table.relation,
            table.units,
            str(root),
            table.rows_per_unit,
            table.groups_per_unit,
            _unique(table),
            self._ordered_by(table),
        )

    def _ordered_by(self, table: Table) -> tuple[str, ...]:
        """The declared columns, if another table over the same source declares others and so keeps other rows of a unit."""

        def declared(other_table: Table) -> tuple[str, ...]:
            return tuple(f"{name} {spec.type}" for name, spec in sorted(other_table.columns.items()))

        same = [t for t in self.catalogue.tables.values() if self.identity(t) == self.identity(table)]
        alone = table.unit.is_row or all(declared(other) == declared(table) for other in same)
        return () if alone else declared(table)

    def public(self, table: PublicTable) -> Public:
        """The scan of the declared version of a public table."""
        version = self._declared(table)
        if table.name in self._unread:
            columns = self._columns(table.name, version)
            if not columns:
                raise BadQuery(
                    "snapshot-stale",
                    f"the snapshot of {table.name} was written for other columns",
                    why="the table declares no columns, so `refresh` reads them",
                    fix=f"lapcat refresh {table.name}",
                )
            if columns != table.columns:
                raise _version_changed(table.name)
        return Public(table.name, self.identity(table), version, _unique(table))

    def public_lookup(self, table: str, unique: str, column: str) -> Mapping[Value, Value | None] | None:
        """The value of a column of a public table for each value of a unique column; None if `refresh` read no rows."""
        if table not in self._unread:
            return None
        version = self.ledger.version(self._booked[table])
        match self.ledger.version_memo(self._booked[table], version):
            case {"values": dict(values)}:
                return lookup(values, self._columns(table, version), unique, column)
        return None

    def today(self, table: Table | PublicTable) -> date | None:
        """The date that the steward gave with the declared version: CURRENT_DATE in questions. None if they gave none."""
        booked_as = self.identity(table)
        match self.ledger.version_memo(booked_as, self.ledger.version(booked_as)):
            case {"today": str(day)}:
                return date.fromisoformat(day)
        return self._today

    def current(self, scan: Scan | Public) -> bool:
        """Whether a question would still read this scan."""
        if isinstance(scan, Scan):
            return self.scan(self.catalogue.tables[scan.table]) == scan
        return self.public(self.catalogue.public[scan.table]) == scan

    def _declared(self, table: Table | PublicTable) -> int:
        """The version that questions read. A table that was never refreshed has none, unless lapcat 0.1.0, which read some files
        without a snapshot, has spent from it: then stored answers are returned, and new questions are refused for lack of a
        snapshot."""
        version = self.tables.version(self.ledger.version(self.identity(table)))
        if version == 0 and not self.has_spent(self.identity(table)):
            raise BadQuery(
                "never-refreshed",
                f"{table.name} has no snapshot yet",
                why="questions read only the snapshot that `refresh` writes",
                fix=f"lapcat refresh {table.name}",
            )
        return version

    def engine(self, scans: Iterable[Scan | Public]) -> Engine:
        """The engine over the declared versions; reopened when a new version is declared."""
        with self._lock:
            versions = {name: self.ledger.version(self.identity(table)) for name, table in self._all.items()}
            for scan in scans:
                if self.tables.version(versions[scan.table]) != scan.version:
                    raise _version_changed(scan.table)
            if self._engine is None or self._engine[0] != versions:
                catalogue = self._with_read({name: versions[name] for name in self._unread})
                self._engine = versions, self.tables.open(catalogue, versions, self._booked)
            return self._engine[1]

    def charges(
        self, tables: Sequence[Table], analyst: str | None, blocks: Mapping[str, Sequence[Block]] = NO_BLOCKS
    ) -> tuple[Charge, ...]:
        """Every budget that a question about these tables debits: each table's own, or those of the blocks it can read
        (`blocks`; all blocks of a table not listed), then the populations, once each, then the tables through which units are
        reached, then the analyst's limit on each table or block."""
        charges = [charge for table in tables for charge in self.own_charges(table, blocks.get(table.name))]
        for name in dict.fromkeys(map(self._population, tables)):
            if name is not None:
                limit = self.catalogue.populations[name]
                charges.append(Charge(str(Scope.population(name)), f"the population {name}", limit))
        debited = {charge.scope for charge in charges}
        for table in tables:
            while table.unit.through is not None:
                table = self.catalogue.tables[table.unit.through[0]]
                for charge in self.own_charges(table):
                    if charge.scope not in debited:
                        debited.add(charge.scope)
                        charges.append(charge)
        if analyst is not None:
            for table in tables:
                charges += self.analyst_charges(analyst, table, blocks.get(table.name))
        return tuple(charges)

    def scope(self, table: Table) -> str:
        """The scope by which a table is paused, whatever its budgets."""
        return str(Scope.table(self.identity(table)))

    def own_charges(self, table: Table, blocks: Sequence[Block] | None = None) -> list[Charge]:
        """The charge to the table's own budget, or to that of each of these blocks (None: all blocks)."""
        if table.blocks is None:
            return [Charge(self.scope(table), table.name, table.limit, table=table.name)]
        return [
            Charge(
                str(Scope.of_block(self.identity(table), block)),
                table.name,
                table.limit,
                table=table.name,
                block=f"{table.blocks.column} {block}",
            )
            for block in (table.blocks.values if blocks is None else blocks)
        ]

    def analyst_charges(
        self, analyst: str, table: Table, blocks: Sequence[Block] | None = None
    ) -> list[Charge]:
        """The charge to the analyst's own limit on a table, or on each of these blocks (None: all blocks)."""
        limits = self.catalogue.analysts[analyst].tables
        if table.name not in limits:
            raise BadQuery(
                "table-not-granted",
                f"{analyst} may not ask about {table.name}",
                fix=f"the steward adds it: tables = {{ {table.name} = {{ epsilon = 1 }} }} under [analysts.{analyst}]",
            )
        source = self.identity(table)
        parts: list[tuple[Block | None, str]] = [(None, "")]
        if table.blocks is not None:
            read = table.blocks.values if blocks is None else blocks
            parts = [(block, f"{table.blocks.column} {block}") for block in read]
        return [
            Charge(
                str(Scope.of_analyst(analyst, source, block)),
                f"{analyst} on {table.name}",
                limits[table.name],
                analyst=True,
                table=table.name,
                block=shown,
            )
            for block, shown in parts
        ]

    # -------------------------------------------------------------------------------------------- budgets

    def left_after(self, charge: Charge, event: Event | None) -> Amount:
        """The amount left of a budget after this event (None: now); negative if it is too much."""
        left = self.gauge(charge.scope, charge.limit).left
        if event is None:
            return left
        cost, delta = cost_of(event), left.delta
        if cost.delta:
            delta = (delta or Fraction(0)) - Fraction(cost.delta, DELTAS)
        if charge.limit.rho is not None:
            return Amount(rho=(left.rho or Fraction(0)) - _rho_of(event), delta=delta)
        return Amount(epsilon=(left.epsilon or Fraction(0)) - amounts_of(event)[0], delta=delta)

    def gauge(self, scope: str, limit: SpendingLimit) -> Gauge:
        """The gauge of a limit, with the amounts that a refusal would state."""
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

    def budget(self, analyst: str | None = None, *, history: bool = False) -> Budget:
        """All gauges; an analyst sees those of the tables they may query, and their own.

        history: with the burn-down of each, for which the whole ledger is read, and the paused tables; who has failed on them
        is shown to the steward only.
        """
        tables = {
            name: table
            for name, table in self.catalogue.tables.items()
            if analyst is None or name in self.catalogue.analysts[analyst].tables
        }
        shown = [analyst] if analyst is not None else list(self.catalogue.analysts)
        populations = {name for name in map(self._population, tables.values()) if name is not None}
        past = History(spending(self.ledger.entries()), steward=analyst is None) if history else None
        paused, failures, alone = self._pauses(tables, analyst) if history else ({}, {}, {})
        return Budget(
            {name: self._gauges(table, self.own_charges(table), past) for name, table in tables.items()},
            {
                name: self._with_history(f"population:{name}", self.catalogue.populations[name], past)
                for name in sorted(populations)
            },
            {
                person: {
                    name: self._gauges(table, self.analyst_charges(person, table), past)
                    for name, table in self.catalogue.tables.items()
                    if name in self.catalogue.analysts[person].tables
                }
                for person in shown
            },
            " ".join(self.notes),
            paused,
            failures,
            alone,
        )

    def _pauses(
        self, tables: Mapping[str, Table], analyst: str | None
    ) -> tuple[dict[str, str], dict[str, int], dict[str, tuple[str, ...]]]:
        """Why tables are paused, for everybody or for this analyst; and, for the steward, the number of failures and the analysts
        paused individually."""
        paused: dict[str, str] = {}
        failures: dict[str, int] = {}
        alone: dict[str, tuple[str, ...]] = {}
        for name, table in tables.items():
            because = self.ledger.why_paused(self.scope(table), analyst)
            if because is not None:
                paused[name] = because
            if analyst is not None:
                continue
            if self.ledger.failures(self.scope(table)):
                failures[name] = self.ledger.failures(self.scope(table))
            failed = [who for who in self.ledger.failed_analysts(self.scope(table)) if who is not None]
            if failed:
                alone[name] = tuple(failed)
        return paused, failures, alone

    def _gauges(self, table: Table, charges: Sequence[Charge], past: History | None) -> Gauge:
        """The gauge of a table; for one in blocks that of the block that has spent most, which is the loss of the whole (parallel
        composition, plan/blocks.py), with the gauges of all blocks."""
        gauges = [self._with_history(charge.scope, charge.limit, past) for charge in charges]
        if table.blocks is None:
            return gauges[0]
        least = min(gauges, key=lambda gauge: gauge.left.epsilon or gauge.left.rho or Fraction(0))
        return replace(least, blocks=dict(zip(map(str, table.blocks.values), gauges, strict=True)))

    def _with_history(self, scope: str, limit: SpendingLimit, past: History | None) -> Gauge:
        """A gauge, with its burn-down if the history was read."""
        gauge = self.gauge(scope, limit)
        if past is None:
            return gauge
        points, fits = past.of(scope, limit, self.ledger.spent(scope), datetime.now(UTC))
        return replace(gauge, burn_down=points, pace=fits)


def _unique(table: Table | PublicTable) -> UniqueKeys:
    columns = sorted(name for name, spec in table.columns.items() if spec.unique)
    return (*columns, *sorted(tuple(sorted(key)) for key in table.unique or ()))


def _rho_of(event: Event) -> Fraction:
    if event.rho is None:
        raise Bug("cost-differs", "only a whole question is charged")
    return event.rho
