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
from lapcat.ledger.base import Charge, Entry, IdempotencyKey, Request, Reservation
from lapcat.ledger.chain import canonical, damaged, payload_of, quoted
from lapcat.ledger.fixed_point import FixedPointAmounts
from lapcat.ledger.prices import price_of
from lapcat.plan.cached_statistics import ChoiceContent, Content, KeyContent

Payload = dict[str, object]


@dataclass(frozen=True, slots=True)
class DebitPayload:
    """A debit as it was written."""

    question: str
    event: Event
    charges: Sequence[object]
    """As they were written; `read_charges` and `read_after` read them."""
    charged: Mapping[str, FixedPointAmounts]
    tables: tuple[str, ...]
    memo: Mapping[str, object]
    analyst: str | None
    content: Content | None
    """None also in entries of before answers said what they hold."""


class Draft:
    """A debit that is not written yet: everything but what had been spent before it, which only its turn shows.

    The text is put together here from canonical pieces in canonical order, so that what is left for the turn is little.
    """

    __slots__ = ("_charges", "_rest", "_start", "memo", "price", "request")

    def __init__(self, request: Request, time: str) -> None:
        self.request = request
        self.price = price_of(request.event)
        self.memo = canonical(request.memo)
        self._start = f'{{"analyst":{_or_null(request.analyst)},"charges":['
        self._charges = _drafted(request.charges, self.price.cost)
        holds = "" if request.content is None else f'"holds":{canonical(_holds(request.content))},'
        self._rest = (
            f'],"event":{self.price.text},{holds}"memo":{self.memo},"question":{quoted(request.question)},'
            f'"tables":[{",".join(map(quoted, request.tables))}],"time":{quoted(time)}}}'
        )

    def text(self, after: Mapping[str, FixedPointAmounts]) -> str:
        """The body; `after`: what is spent from each scope with it."""
        return self._start + _charged(self._charges, after) + self._rest


def share_text(
    debit_id: int,
    analyst: str,
    charges: Sequence[Charge],
    cost: FixedPointAmounts,
    after: Mapping[str, FixedPointAmounts],
    time: str,
) -> str:
    """A stored answer went to one more analyst, whose own caps paid for it."""
    charged = _charged(_drafted(charges, cost), after)
    return f'{{"analyst":{quoted(analyst)},"charges":[{charged}],"debit":{debit_id},"time":{quoted(time)}}}'


def key_payload(debit_id: int, key: IdempotencyKey, analyst: str | None) -> Payload:
    return {"debit": debit_id, "key": key.name, "asks": key.asks, "analyst": analyst}


def answered_payload(debit_id: int, answer: bytes) -> Payload:
    return {"debit": debit_id, "sha256": digest(answer)}


def digest(answer: bytes) -> str:
    """Of noisy numbers that were released, never of data."""
    return hashlib.sha256(answer).hexdigest()


def read_debit(entry: Entry) -> DebitPayload:
    match payload_of(entry):
        case {
            "question": str(question),
            "event": dict(event),
            "charges": list(charges),
            "tables": list(tables),
            "memo": dict(memo),
            "analyst": str() | None as analyst,
        } as body:
            charged = read_charges(entry, charges)
            return DebitPayload(
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


def _holds(content: Content) -> Payload:
    """Choices stand after the statistics, where a reader that does not know them finds their names; `choices` says how many
    rows of cells each of them has."""
    return {
        "statistics": [*content.statistics, *(choice.identity for choice in content.choices)],
        "keys": [
            {
                "id": key.identity,
                "size": key.size,
                "total": key.total,
                **({} if key.listed is None else {"listed": key.listed}),
            }
            for key in content.keys
        ],
        "sets": [list(grouping) for grouping in content.sets],
        **({} if not content.choices else {"choices": [choice.rows for choice in content.choices]}),
    }


def _read_holds(entry: Entry, holds: object) -> Content | None:
    if holds is None:
        return None
    match holds:
        case {"statistics": list(statistics), "keys": list(keys), "sets": list(sets), **rest}:
            rows = rest.get("choices", [])
            if isinstance(rows, list) and len(rows) <= len(statistics) and all(type(n) is int for n in rows):
                first = len(statistics) - len(rows)
                return Content(
                    tuple(map(str, statistics[:first])),
                    tuple(_read_key(entry, key) for key in keys),
                    tuple(tuple(map(int, grouping)) for grouping in sets),
                    tuple(map(ChoiceContent, map(str, statistics[first:]), rows)),
                )
    raise damaged(entry.id, "says what its answer holds in a way that lapcat did not write")


def _read_key(entry: Entry, key: object) -> KeyContent:
    match key:
        case {"id": str(identity), "size": int() | None as size, "total": bool(total), **rest}:
            match rest.get("listed"):
                case str() | None as listed:
                    return KeyContent(identity, size, total, listed)
    raise damaged(entry.id, "has a key that lapcat did not write")


def read_charges(entry: Entry, charges: Sequence[object]) -> dict[str, FixedPointAmounts]:
    """Scope → what it was charged."""
    charged: dict[str, FixedPointAmounts] = {}
    for charge in charges:
        match charge:
            case {
                "scope": str(scope),
                "epsilon": int() | None as epsilon,
                "delta": int(delta),
                "rho": int() | None as rho,
            }:
                charged[scope] = FixedPointAmounts(epsilon, delta, rho)
            case _:
                raise damaged(entry.id, "has a charge that lapcat did not write")
    return charged


def read_after(entry: Entry, charges: Sequence[object]) -> dict[str, tuple[str, FixedPointAmounts]]:
    """Scope → its name and what had been spent from it when it was charged; not in entries of before this was written."""
    found: dict[str, tuple[str, FixedPointAmounts]] = {}
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
                found[scope] = name, FixedPointAmounts(epsilon, delta, rho)
            case {"after": _}:
                raise damaged(entry.id, "says what was spent in a way that lapcat did not write")
    return found


def _drafted(charges: Sequence[Charge], cost: FixedPointAmounts) -> list[tuple[str, str]]:
    """Each scope with its charge as canonical JSON, but for what is spent after it, which comes first.

    One for each scope: one that is listed twice (one source under two names) pays once.
    """
    delta, epsilon, rho = cost.delta, _or_null(cost.epsilon), _or_null(cost.rho)
    return [
        (
            charge.scope,
            f',"analyst":{"true" if charge.analyst else "false"},"delta":{delta},"epsilon":{epsilon},'
            f'"name":{quoted(charge.called)},"rho":{rho},"scope":{quoted(charge.scope)}}}',
        )
        for charge in {charge.scope: charge for charge in charges}.values()
    ]


def _charged(drafted: Sequence[tuple[str, str]], after: Mapping[str, FixedPointAmounts]) -> str:
    return ",".join([f'{{"after":{_amounts(after[scope])}{rest}' for scope, rest in drafted])


def _amounts(quanta: FixedPointAmounts) -> str:
    return f'{{"delta":{quanta.delta},"epsilon":{_or_null(quanta.epsilon)},"rho":{_or_null(quanta.rho)}}}'


def _or_null(value: int | str | None) -> str:
    return "null" if value is None else quoted(value) if isinstance(value, str) else str(value)


def read_reservation(entry: Entry) -> Reservation:
    match payload_of(entry):
        case {"source": str(source), "version": int(version), "snapshots": list(names)}:
            return Reservation(source, version, tuple(map(str, names)))
    raise damaged(entry.id, "is not a reservation that lapcat wrote")
