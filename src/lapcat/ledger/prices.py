"""The cost and the JSON of an event, cached: the same event is previewed, debited, looked up and replayed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from lapcat.core.event import Event
from lapcat.ledger.base import amounts_of
from lapcat.ledger.chain import canonical
from lapcat.ledger.fixed_point import FixedPointAmounts, cost_of, epsilon_up


@dataclass(frozen=True, slots=True)
class Price:
    """Cost and JSON of one (immutable) event."""

    cost: FixedPointAmounts
    epsilon: int
    """The epsilon by which stored answers are compared, in quanta."""
    text: str
    """The event as canonical JSON."""


@lru_cache(maxsize=256)
def price_of(event: Event) -> Price:
    return Price(cost_of(event), epsilon_up(amounts_of(event)[0]), canonical(event.as_json()))
