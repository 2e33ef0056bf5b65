"""The book as people read it: one line for each act, with who, what, cost and how far it has come."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from lapcat.core.event import Event
from lapcat.ledger.base import DebitState, Entry
from lapcat.ledger.chain import payload_of
from lapcat.ledger.payload_codec import DebitPayload, read_charges, read_debit
from lapcat.stored.scopes import Scope

STEPS = {"looked": DebitState.LOOKED, "answered": DebitState.ANSWERED, "released": DebitState.RELEASED}
"""Entries that only say how far a debit has come: its own line shows it."""
UNSHOWN = (*STEPS, "key", "reserve")
"""… what a client called a request, and the number of a version before it is declared."""


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """One act."""

    entry: Entry
    body: Mapping[str, object]
    scopes: frozenset[str]
    """The budgets, tables and sources that it is about."""
    analyst: str | None = None
    debit: DebitPayload | None = None
    """Of a debit, a share or a failure: what was asked and paid for."""
    state: str = ""

    @property
    def time(self) -> str | None:
        found = self.body.get("time")
        return found if isinstance(found, str) else None

    @property
    def event(self) -> Event | None:
        """What was charged by this very entry."""
        return self.debit.event if self.debit is not None and self.entry.kind in ("debit", "share") else None

    def of_table(self, source: str, sources: Collection[str]) -> bool:
        """Whether it is about the table whose spending is booked under this name, one of all such names."""
        return any(Scope.read(scope, sources).is_of(source) for scope in self.scopes)


def history(entries: Iterable[Entry]) -> list[HistoryLine]:
    """All acts, oldest first."""
    lines: dict[int, HistoryLine] = {}
    for entry in entries:
        body = payload_of(entry)
        about = _about(body, lines)
        reached = DebitState.VOIDED if entry.kind == "void" else STEPS.get(entry.kind)
        if reached is not None and about is not None:
            lines[about.entry.id] = replace(about, state=reached.value)
        if entry.kind in UNSHOWN:
            continue
        if entry.kind == "debit":
            debit = read_debit(entry)
            scopes = frozenset({*debit.charged, *debit.tables})
            lines[entry.id] = HistoryLine(entry, body, scopes, debit.analyst, debit, DebitState.DEBITED.value)
        else:
            analyst = body.get("analyst")
            lines[entry.id] = HistoryLine(
                entry,
                body,
                frozenset(_named(entry, body, about)),
                analyst if isinstance(analyst, str) else None,
                None if about is None else about.debit,
            )
    return list(lines.values())


def _about(body: Mapping[str, object], lines: Mapping[int, HistoryLine]) -> HistoryLine | None:
    """The debit that an entry speaks of."""
    id = body.get("debit")
    return lines.get(id) if isinstance(id, int) else None


def _named(entry: Entry, body: Mapping[str, object], about: HistoryLine | None) -> Iterator[str]:
    table, source = body.get("table"), body.get("source")
    if isinstance(table, str):
        yield table
    if isinstance(source, str):
        yield str(Scope.table(source))
    charges = body.get("charges")
    if isinstance(charges, list):
        yield from read_charges(entry, charges)
    if about is not None and about.debit is not None:
        yield from about.debit.tables


def charged(lines: Iterable[HistoryLine]) -> dict[str, list[Event]]:
    """For each budget all that was charged to it, oldest first: a debit its own event, a share the event of its debit.

    What was taken back before anybody looked was charged to nobody.
    """
    found: dict[str, list[Event]] = {}
    lines = list(lines)
    voided = {line.entry.id for line in lines if line.state == DebitState.VOIDED.value}
    for line in lines:
        if line.event is not None and not voided & {line.entry.id, line.body.get("debit")}:
            own = line.debit.charged if line.entry.kind == "debit" and line.debit is not None else None
            charges = line.body.get("charges")
            if own is None and isinstance(charges, list):
                own = read_charges(line.entry, charges)
            for scope in own or ():
                found.setdefault(scope, []).append(line.event)
    return found
