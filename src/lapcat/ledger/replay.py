"""Rebuilds a store's derived tables from the entries alone.

A store updates its tables incrementally; `Replay` computes by independent code what they must hold. `verify` compares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lapcat.errors import IntegrityFailed
from lapcat.ledger.base import DebitState, Entry, amounts_of
from lapcat.ledger.chain import damaged, payload_of
from lapcat.ledger.fixed_point import NOTHING, FixedPointAmounts, cost_of, epsilon_up
from lapcat.ledger.pauses import pair
from lapcat.ledger.payload_codec import read_after, read_charges, read_debit, read_reservation


@dataclass(slots=True)
class ReplayedDebit:
    """A debit and its state."""

    question: str
    epsilon: int
    cost: FixedPointAmounts
    tables: tuple[str, ...]
    state: DebitState = DebitState.DEBITED
    answer_digest: str | None = None
    charged: list[str] = field(default_factory=list)
    """The scopes charged, by the debit or by a share of it."""


@dataclass(slots=True)
class Replay:
    """The state of a ledger after the entries that were applied."""

    debits: dict[int, ReplayedDebit] = field(default_factory=dict)
    spent: dict[str, FixedPointAmounts] = field(default_factory=dict)
    receivers: set[tuple[int, str]] = field(default_factory=set)
    holdings: set[tuple[str, int]] = field(default_factory=set)
    keys: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    """Analyst and key → the request's digest and its debit."""
    failures: dict[str, int] = field(default_factory=dict)
    """Number of failed analysts per table, and of failed questions per pair of table and analyst (pauses.py)."""
    pairs: dict[str, set[str]] = field(default_factory=dict)
    pauses: dict[str, str] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    reserved: dict[str, int] = field(default_factory=dict)
    """The last version number reserved for each source."""

    def apply(self, entry: Entry) -> None:
        match entry.kind, payload_of(entry):
            case "debit", _:
                self._debit(entry)
            case "share", {"debit": int(id), "analyst": str(analyst), "charges": list(charges)}:
                self._charge(entry, charges, self._paid(entry, id))
                self.receivers.add((id, analyst))
            case "key", {
                "debit": int(id),
                "key": str(key),
                "asks": str(asks),
                "analyst": str() | None as analyst,
            }:
                self._paid(entry, id)
                self.keys[analyst or "", key] = (asks, id)
            case "looked", {"debit": int(id)}:
                self._in_state(entry, id, DebitState.DEBITED).state = DebitState.LOOKED
            case "answered", {"debit": int(id), "sha256": str(digest)}:
                paid = self._paid(entry, id)
                if paid.epsilon or paid.state is not DebitState.DEBITED:  # public numbers need no execution
                    self._in_state(entry, id, DebitState.LOOKED)
                paid.state, paid.answer_digest = DebitState.ANSWERED, digest
            case "released", {"debit": int(id)}:
                self._in_state(entry, id, DebitState.ANSWERED).state = DebitState.RELEASED
            case "void", {"debit": int(id), "reason": str()}:
                self._void(self._in_state(entry, id, DebitState.DEBITED), id)
            case "failed", {"debit": int(id), "analyst": str() | None as analyst}:
                for table in self._paid(entry, id).tables:
                    self._failed(table, analyst)
            case "failed", {"debit": int(id)}:  # before lapcat 0.2 the analyst was not recorded
                for table in self._paid(entry, id).tables:
                    self.failures[table] = self.failures.get(table, 0) + 1
            case "pause", {"table": str(table), "reason": str(reason)}:
                self.pauses[table] = reason
            case "resume", {"table": str(table), "analyst": str(analyst)}:
                if self.failures.get(pair(table, analyst)):
                    self.failures[pair(table, analyst)] = 0
                    self.failures[table] -= 1
            case "resume", {"table": str(table)}:
                self.pauses.pop(table, None)
                for scope in self.pairs.get(table, ()):
                    self.failures[scope] = 0
                self.failures[table] = 0
            case "reserve", _:
                taken = read_reservation(entry)
                before = max(self.versions.get(taken.source, 0), self.reserved.get(taken.source, 0))
                if taken.version <= before:
                    raise damaged(entry.id, f"reserves version {taken.version} of {taken.source} again")
                self.reserved[taken.source] = taken.version
            case "refresh", {"source": str(source), "version": int(version)}:
                self.versions[source] = version
            case ("accept", {"facts": dict()}) | ("begin" | "adopt", {"reason": str()}):
                pass
            case "checkpoint", {"public_key": str(), "signature": str()}:
                pass  # the signature is checked elsewhere (checkpoints.py)
            case kind, _:
                raise IntegrityFailed(
                    "entry-unknown",
                    f"this version of lapcat cannot read entry {entry.id} of the ledger, of kind {kind!r}",
                    fix="open this ledger with the version of lapcat that wrote it, or a newer one",
                )

    def _failed(self, table: str, analyst: str | None) -> None:
        scope = pair(table, analyst)
        self.pairs.setdefault(table, set()).add(scope)
        before = self.failures.get(scope, 0)
        self.failures[scope] = before + 1
        self.failures[table] = self.failures.get(table, 0) + (before == 0)

    def _debit(self, entry: Entry) -> None:
        body = read_debit(entry)
        cost = cost_of(body.event)
        epsilon = epsilon_up(amounts_of(body.event)[0])
        paid = self.debits[entry.id] = ReplayedDebit(body.question, epsilon, cost, body.tables)
        self._charge(entry, body.charges, paid)
        if body.analyst is not None:
            self.receivers.add((entry.id, body.analyst))
        if body.content is not None:
            self.holdings |= {(statistic, entry.id) for statistic in body.content.held}

    def _charge(self, entry: Entry, charges: Sequence[object], paid: ReplayedDebit) -> None:
        after = read_after(entry, charges)
        for scope, quanta in read_charges(entry, charges).items():
            if quanta != paid.cost:
                raise damaged(entry.id, f"charged {scope} an amount other than the cost of its event")
            self.spent[scope] = self.spent.get(scope, NOTHING) + quanta
            if scope in after and after[scope][1] != self.spent[scope]:
                raise damaged(
                    entry.id,
                    f"records a total spent from {scope} that does not follow from the entries before it",
                )
            paid.charged.append(scope)

    def _void(self, paid: ReplayedDebit, id: int) -> None:
        paid.state = DebitState.VOIDED
        for scope in paid.charged:
            self.spent[scope] -= paid.cost
        self.keys = {key: kept for key, kept in self.keys.items() if kept[1] != id}

    def _in_state(self, entry: Entry, debit_id: int, state: DebitState) -> ReplayedDebit:
        paid = self._paid(entry, debit_id)
        if paid.state is not state:
            raise damaged(entry.id, f"refers to debit {debit_id}, which was not {state.value} at that time")
        return paid

    def _paid(self, entry: Entry, debit_id: int) -> ReplayedDebit:
        try:
            return self.debits[debit_id]
        except KeyError:
            raise damaged(entry.id, f"refers to debit {debit_id}, which does not exist") from None
