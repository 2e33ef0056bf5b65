"""What an event costs and how it is written, worked out once: the same event is previewed, paid for, found and replayed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from lapcat.core.event import Event
from lapcat.ledger.base import amounts_of
from lapcat.ledger.chain import canonical
from lapcat.ledger.fixed_point import FixedPointAmounts, cost_of, epsilon_up


@dataclass(frozen=True, slots=True)
class Price:
    """Of one event, which is frozen, so that nothing here can grow old."""

    cost: FixedPointAmounts
    epsilon: int
    """Quanta of the epsilon by which stored answers are compared."""
    text: str
    """The event as canonical JSON."""


@lru_cache(maxsize=256)
def price_of(event: Event) -> Price:
    return Price(cost_of(event), epsilon_up(amounts_of(event)[0]), canonical(event.as_json()))
