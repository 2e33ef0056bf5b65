"""The releases about each group of protected units, from the ledger: every debit, and the budget that bounds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lapcat.ledger.base import Charge, Entry
from lapcat.ledger.chain import payload_of
from lapcat.ledger.payload_codec import read_debit
from lapcat.plan.schema import Table
from lapcat.session.acceptance import forgotten_in
from lapcat.session.deployment import Deployment
from lapcat.session.results import loss_text
from lapcat.stored.scopes import ScopeKind

if TYPE_CHECKING:
    from lapcat.session.budgets import Gauge


@dataclass(frozen=True, slots=True)
class Release:
    """A debited question."""

    id: int
    day: str
    """The day it was asked, by the asking machine's clock: 2024-05-31."""
    question: str
    cost: str
    answered: bool
    """Whether an answer was released; a failed question costs as much."""
    scopes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Protected:
    """Units whose losses add up (a population, or those of one source), with all releases about them and the cap."""

    name: str
    tables: tuple[Table, ...]
    gauge: Gauge
    releases: tuple[Release, ...]

    @property
    def unit(self) -> str:
        return str(self.tables[0].unit)

    @property
    def relation(self) -> str:
        return str(self.tables[0].relation)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A table with debits that the steward gave up."""

    name: str
    spent: str
    reason: str


def forgotten_tables(deployment: Deployment) -> tuple[Forgotten, ...]:
    """All tables ever given up."""
    accounts = forgotten_in(deployment.ledger.accepted()).values()
    return tuple(Forgotten(details["table"], details["spent"], details["reason"]) for details in accounts)


@dataclass(frozen=True, slots=True)
class Lost:
    """Lost entries of a ledger that the steward continued without. The amount they spent is unknown."""

    day: str
    """The day the steward continued: 2024-05-31."""
    reason: str
    entries: int | None
    """Lower bound on their number; None if no witness recorded it."""


def lost_entries(deployment: Deployment) -> tuple[Lost, ...]:
    """Every continuation after a loss (`lapcat ledger new`, `lapcat ledger adopt`)."""
    return tuple(
        _lost(payload_of(entry)) for entry in deployment.ledger.entries() if entry.kind in ("begin", "adopt")
    )


def _lost(body: Mapping[str, object]) -> Lost:
    known = body.get("known", body.get("before"))
    last = body.get("last", 0)
    entries = None
    if isinstance(known, dict) and isinstance(last, int) and known["id"] > last:
        entries = known["id"] - last
    return Lost(str(body["time"])[:10], str(body["reason"]), entries)


def protected_in(deployment: Deployment) -> list[Protected]:
    """The groups of protected units in the catalogue, in its order.

    A table reached through another has that table's units, and every question about it is charged there too: so the budget of
    the table that holds the units, or of their population, bounds all releases. If that table has several budgets (blocks),
    with each unit in one of them, the one with the most spent is the worst case.
    """
    releases = releases_in(deployment.ledger.entries())
    catalogue = deployment.catalogue
    groups: dict[frozenset[str], tuple[str, list[Charge], list[Table]]] = {}
    for table in catalogue.tables.values():
        scope = catalogue.population(table)
        name, shared = scope.name, scope.kind is ScopeKind.POPULATION
        charges = deployment.charges([table if shared else catalogue.tables[name]], None)
        called = f"population {name}" if shared else name
        own = [
            charge for charge in charges if (charge.scope == str(scope) if shared else charge.name == name)
        ]
        groups.setdefault(frozenset(c.scope for c in own), (called, own, []))[2].append(table)
    protected_groups = []
    for scopes, (called, own, tables) in groups.items():
        gauges = [deployment.gauge(charge.scope, charge.limit) for charge in own]
        worst = max(gauges, key=lambda gauge: gauge.spent.epsilon or gauge.spent.rho or 0)
        about = tuple(release for release in releases if scopes & release.scopes)
        protected_groups.append(Protected(called, tuple(tables), worst, about))
    return protected_groups


def releases_in(entries: Iterable[Entry]) -> list[Release]:
    """All debits that were not voided, oldest first."""
    debits: dict[int, tuple[Entry, str]] = {}
    answered: set[int] = set()
    for entry in entries:
        if entry.kind == "debit":
            debits[entry.id] = (entry, str(payload_of(entry).get("time", ""))[:10])
        elif entry.kind in ("answered", "void"):
            about = payload_of(entry)["debit"]
            assert isinstance(about, int)
            if entry.kind == "void":
                debits.pop(about)
            else:
                answered.add(about)
    return [_release(entry, day, id in answered) for id, (entry, day) in debits.items()]


def _release(entry: Entry, day: str, answered: bool) -> Release:
    body = read_debit(entry)
    question = " ".join(str(body.memo.get("question", "")).split())
    return Release(entry.id, day, question, loss_text(body.event.loss), answered, frozenset(body.charged))
