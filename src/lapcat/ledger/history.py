"""The history of a ledger for display: one line per act, with analyst, subject, cost and state."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from lapcat.core.event import Event
from lapcat.ledger.base import DebitState, Entry
from lapcat.ledger.chain import payload_of
from lapcat.ledger.payload_codec import DebitPayload, read_charges, read_debit
from lapcat.stored.scopes import Scope

STEPS = {"looked": DebitState.LOOKED, "answered": DebitState.ANSWERED, "released": DebitState.RELEASED}
"""Entry kinds that only change a debit's state, which the debit's line shows."""
UNSHOWN = (*STEPS, "key", "reserve")
"""Entry kinds without a line: the above, idempotency keys and reservations."""


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """One act in the history."""

    entry: Entry
    body: Mapping[str, object]
    scopes: frozenset[str]
    """The budgets, tables and sources it concerns."""
    analyst: str | None = None
    debit: DebitPayload | None = None
    """For a debit, a share or a failure: the debit concerned."""
    state: str = ""

    @property
    def time(self) -> str | None:
        time = self.body.get("time")
        return time if isinstance(time, str) else None

    @property
    def event(self) -> Event | None:
        """The release charged by this entry."""
        return self.debit.event if self.debit is not None and self.entry.kind in ("debit", "share") else None

    def of_table(self, source: str, sources: Collection[str]) -> bool:
        """Whether it concerns the table whose source identity is `source`, one of `sources`."""
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
    """The line of the debit that an entry refers to."""
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
    """The events charged to each budget, oldest first: a debit charges its own event, a share the event of its debit.

    Voided debits are left out.
    """
    events: dict[str, list[Event]] = {}
    lines = list(lines)
    voided = {line.entry.id for line in lines if line.state == DebitState.VOIDED.value}
    for line in lines:
        if line.event is not None and not voided & {line.entry.id, line.body.get("debit")}:
            own = line.debit.charged if line.entry.kind == "debit" and line.debit is not None else None
            charges = line.body.get("charges")
            if own is None and isinstance(charges, list):
                own = read_charges(line.entry, charges)
            for scope in own or ():
                events.setdefault(scope, []).append(line.event)
    return events
