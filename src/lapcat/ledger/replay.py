"""Everything that a store keeps beside the entries, derived again from the entries alone.

A store updates its tables one entry at a time; `Replay` says, by other code, what they must hold. `verify` compares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lapcat.errors import IntegrityFailed
from lapcat.ledger.base import Entry, State, amounts_of
from lapcat.ledger.bodies import read_charges, read_debit
from lapcat.ledger.chain import body_of, damaged
from lapcat.ledger.quanta import NOTHING, Quanta, cost_of, epsilon_up


@dataclass(slots=True)
class Paid:
    """A debit and how far it has come."""

    question: str
    epsilon: int
    cost: Quanta
    tables: tuple[str, ...]
    state: State = State.DEBITED
    answer_digest: str | None = None


@dataclass(slots=True)
class Replay:
    """The state of a ledger after the entries that were applied."""

    debits: dict[int, Paid] = field(default_factory=dict)
    spent: dict[str, Quanta] = field(default_factory=dict)
    receivers: set[tuple[int, str]] = field(default_factory=set)
    holdings: set[tuple[str, int]] = field(default_factory=set)
    failures: dict[str, int] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)

    def apply(self, entry: Entry) -> None:
        match entry.kind, body_of(entry):
            case "debit", _:
                self._debit(entry)
            case "share", {"debit": int(id), "analyst": str(analyst), "charges": list(charges)}:
                self._charge(entry, read_charges(entry, charges), self._paid(entry, id).cost)
                self.receivers.add((id, analyst))
            case "looked", {"debit": int(id)}:
                self._paid(entry, id).state = State.LOOKED
            case "answered", {"debit": int(id), "sha256": str(digest)}:
                paid = self._paid(entry, id)
                paid.state, paid.answer_digest = State.ANSWERED, digest
            case "failed", {"debit": int(id)}:
                for table in self._paid(entry, id).tables:
                    self.failures[table] = self.failures.get(table, 0) + 1
            case "resume", {"table": str(table)}:
                self.failures[table] = 0
            case "refresh", {"source": str(source), "version": int(version)}:
                self.versions[source] = version
            case "accept", {"facts": dict()}:
                pass
            case kind, _:
                raise IntegrityFailed(
                    "entry-unknown",
                    f"this version of lapcat cannot read entry {entry.id} of the ledger, a {kind!r}",
                    fix="open this ledger with the version of lapcat that wrote it, or a newer one",
                )

    def _debit(self, entry: Entry) -> None:
        body = read_debit(entry)
        cost = cost_of(body.event)
        epsilon = epsilon_up(amounts_of(body.event)[0])
        self.debits[entry.id] = Paid(body.question, epsilon, cost, body.tables)
        self._charge(entry, body.charged, cost)
        if body.analyst is not None:
            self.receivers.add((entry.id, body.analyst))
        if body.content is not None:
            self.holdings |= {(statistic, entry.id) for statistic in body.content.statistics}

    def _charge(self, entry: Entry, charged: Mapping[str, Quanta], cost: Quanta) -> None:
        for scope, quanta in charged.items():
            if quanta != cost:
                raise damaged(entry.id, f"charged {scope} another amount than its event costs")
            self.spent[scope] = self.spent.get(scope, NOTHING) + quanta

    def _paid(self, entry: Entry, debit_id: int) -> Paid:
        try:
            return self.debits[debit_id]
        except KeyError:
            raise damaged(entry.id, f"speaks of a debit {debit_id} that was never made") from None
