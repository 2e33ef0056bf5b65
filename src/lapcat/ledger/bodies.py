"""What an entry says: the JSON body of each kind, written and read in one place.

A debit says all that is needed to account for it again by a better theorem: the event itself, what each scope was
charged in every kind, and how much was spent from it after that. No body holds a digest, size, time or row count of the
data; `time` is the clock's at the request and decides nothing, and `looked`, `answered` and `failed` have none (how long
a question took is an output too).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lapcat.core.event import Event, event_from_json
from lapcat.ledger.base import Charge, Entry, Key, Request
from lapcat.ledger.chain import body_of, damaged
from lapcat.ledger.quanta import Quanta
from lapcat.plan.contents import Content, KeyContent

Body = dict[str, object]


@dataclass(frozen=True, slots=True)
class DebitBody:
    """A debit as it was written."""

    question: str
    event: Event
    charges: Sequence[object]
    """As they were written; `read_charges` and `read_after` read them."""
    charged: Mapping[str, Quanta]
    tables: tuple[str, ...]
    memo: Mapping[str, object]
    analyst: str | None
    content: Content | None
    """None also in entries of before answers said what they hold."""


def debit_body(request: Request, cost: Quanta, before: Mapping[str, Quanta], time: str) -> Body:
    """`before`: what had been spent from each scope."""
    said: Body = {} if request.content is None else {"holds": _holds(request.content)}
    return {
        **said,
        "question": request.question,
        "event": request.event.as_json(),
        "charges": _charges(request.charges, cost, before),
        "tables": list(request.tables),
        "memo": dict(request.memo),
        "analyst": request.analyst,
        "time": time,
    }


def share_body(
    debit_id: int,
    analyst: str,
    charges: Sequence[Charge],
    cost: Quanta,
    before: Mapping[str, Quanta],
    time: str,
) -> Body:
    """A stored answer went to one more analyst, whose own caps paid for it."""
    return {"debit": debit_id, "analyst": analyst, "charges": _charges(charges, cost, before), "time": time}


def key_body(debit_id: int, key: Key, analyst: str | None) -> Body:
    return {"debit": debit_id, "key": key.name, "asks": key.asks, "analyst": analyst}


def answered_body(debit_id: int, answer: bytes) -> Body:
    return {"debit": debit_id, "sha256": digest(answer)}


def digest(answer: bytes) -> str:
    """Of noisy numbers that were released, never of data."""
    return hashlib.sha256(answer).hexdigest()


def read_debit(entry: Entry) -> DebitBody:
    match body_of(entry):
        case {
            "question": str(question),
            "event": dict(event),
            "charges": list(charges),
            "tables": list(tables),
            "memo": dict(memo),
            "analyst": str() | None as analyst,
        } as body:
            charged = read_charges(entry, charges)
            return DebitBody(
                question,
                event_from_json(event),
                charges,
                charged,
                tuple(map(str, tables)),
                memo,
                analyst,
                _read_holds(entry, body.get("holds")),
            )
    raise damaged(entry.id, "is not a debit that lapcat wrote")


def _holds(content: Content) -> Body:
    return {
        "statistics": list(content.statistics),
        "keys": [{"id": key.identity, "size": key.size, "total": key.total} for key in content.keys],
        "sets": [list(grouping) for grouping in content.sets],
    }


def _read_holds(entry: Entry, holds: object) -> Content | None:
    if holds is None:
        return None
    match holds:
        case {"statistics": list(statistics), "keys": list(keys), "sets": list(sets)}:
            return Content(
                tuple(map(str, statistics)),
                tuple(_read_key(entry, key) for key in keys),
                tuple(tuple(map(int, grouping)) for grouping in sets),
            )
    raise damaged(entry.id, "says what its answer holds in a way that lapcat did not write")


def _read_key(entry: Entry, key: object) -> KeyContent:
    match key:
        case {"id": str(identity), "size": int() | None as size, "total": bool(total)}:
            return KeyContent(identity, size, total)
    raise damaged(entry.id, "has a key that lapcat did not write")


def read_charges(entry: Entry, charges: Sequence[object]) -> dict[str, Quanta]:
    """Scope → what it was charged."""
    charged: dict[str, Quanta] = {}
    for charge in charges:
        match charge:
            case {
                "scope": str(scope),
                "epsilon": int() | None as epsilon,
                "delta": int(delta),
                "rho": int() | None as rho,
            }:
                charged[scope] = Quanta(epsilon, delta, rho)
            case _:
                raise damaged(entry.id, "has a charge that lapcat did not write")
    return charged


def read_after(entry: Entry, charges: Sequence[object]) -> dict[str, tuple[str, Quanta]]:
    """Scope → its name and what had been spent from it when it was charged; not in entries of before this was written."""
    found: dict[str, tuple[str, Quanta]] = {}
    for charge in charges:
        match charge:
            case {
                "scope": str(scope),
                "name": str(name),
                "after": {
                    "epsilon": int() | None as epsilon,
                    "delta": int(delta),
                    "rho": int() | None as rho,
                },
            }:
                found[scope] = name, Quanta(epsilon, delta, rho)
            case {"after": _}:
                raise damaged(entry.id, "says what was spent in a way that lapcat did not write")
    return found


def _charges(charges: Sequence[Charge], cost: Quanta, before: Mapping[str, Quanta]) -> list[Body]:
    """One for each scope; a scope that is listed twice (one source under two names) pays once."""
    return [
        {
            "scope": charge.scope,
            "name": charge.called,
            "analyst": charge.analyst,
            **_amounts(cost),
            "after": _amounts(before[charge.scope] + cost),
        }
        for charge in {charge.scope: charge for charge in charges}.values()
    ]


def _amounts(quanta: Quanta) -> Body:
    return {"epsilon": quanta.epsilon, "delta": quanta.delta, "rho": quanta.rho}
