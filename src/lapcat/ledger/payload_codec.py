"""Encodes and decodes the JSON body of each kind of entry.

A debit holds all that is needed to account for it again by a better theorem: the event itself, the amount charged to each
scope in every kind, and the scope's total after that. No body holds a digest, size, time or row count of the data; `time`
is the clock at the request and decides nothing, and `looked`, `answered` and `failed` have none (a question's duration is
an output too).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lapcat.core.event import Event
from lapcat.core.event_codec import event_from_json
from lapcat.ledger.base import Charge, Entry, IdempotencyKey, Request, Reservation
from lapcat.ledger.chain import canonical, damaged, payload_of, quoted
from lapcat.ledger.fixed_point import FixedPointAmounts
from lapcat.ledger.prices import price_of
from lapcat.plan.cached_statistics import ChoiceContent, Content, KeyContent

Payload = dict[str, object]


@dataclass(frozen=True, slots=True)
class DebitPayload:
    """The body of a debit."""

    question: str
    event: Event
    charges: Sequence[object]
    """Undecoded; see `read_charges` and `read_after`."""
    charged: Mapping[str, FixedPointAmounts]
    tables: tuple[str, ...]
    memo: Mapping[str, object]
    analyst: str | None
    content: Content | None
    """None for debits written before the format recorded which statistics an answer holds."""


class Draft:
    """A debit that is not written yet: everything but the totals spent, which are known only in its transaction.

    The text is assembled here from canonical pieces in canonical order, so that little work is left for the transaction.
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
        """The body; `after`: the total spent from each scope, including this debit."""
        return self._start + _charged(self._charges, after) + self._rest


def share_text(
    debit_id: int,
    analyst: str,
    charges: Sequence[Charge],
    cost: FixedPointAmounts,
    after: Mapping[str, FixedPointAmounts],
    time: str,
) -> str:
    """The body of a share: a stored answer charged to one more analyst's own caps."""
    charged = _charged(_drafted(charges, cost), after)
    return f'{{"analyst":{quoted(analyst)},"charges":[{charged}],"debit":{debit_id},"time":{quoted(time)}}}'


def key_payload(debit_id: int, key: IdempotencyKey, analyst: str | None) -> Payload:
    return {"debit": debit_id, "key": key.name, "asks": key.asks, "analyst": analyst}


def answered_payload(debit_id: int, answer: bytes) -> Payload:
    return {"debit": debit_id, "sha256": digest(answer)}


def digest(answer: bytes) -> str:
    """SHA-256 of released noisy numbers, never of data."""
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
    """Choices follow the statistics in one list, so that older readers find their names; `choices` holds their numbers of
    rows."""
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
    raise damaged(entry.id, "has a list of statistics that lapcat did not write")


def _read_key(entry: Entry, key: object) -> KeyContent:
    match key:
        case {"id": str(identity), "size": int() | None as size, "total": bool(total), **rest}:
            match rest.get("listed"):
                case str() | None as listed:
                    return KeyContent(identity, size, total, listed)
    raise damaged(entry.id, "has a key that lapcat did not write")


def read_charges(entry: Entry, charges: Sequence[object]) -> dict[str, FixedPointAmounts]:
    """Scope → amount charged."""
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
    """Scope → its name and the total spent after the charge; older entries do not record it."""
    totals: dict[str, tuple[str, FixedPointAmounts]] = {}
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
                totals[scope] = name, FixedPointAmounts(epsilon, delta, rho)
            case {"after": _}:
                raise damaged(entry.id, "has a total that lapcat did not write")
    return totals


def _drafted(charges: Sequence[Charge], cost: FixedPointAmounts) -> list[tuple[str, str]]:
    """Each scope with its charge as canonical JSON, without the leading `after`.

    A scope that is listed twice (one source under two names) is charged once.
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
