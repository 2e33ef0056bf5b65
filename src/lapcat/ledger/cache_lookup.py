"""Finds the stored debit that answers a repeated question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from lapcat.core.event import Event
from lapcat.ledger.base import DebitState, amounts_of
from lapcat.ledger.payload_codec import DebitPayload


@dataclass(frozen=True, slots=True)
class Stored:
    """A debit of the same question."""

    id: int
    hash: str
    body: DebitPayload
    state: DebitState
    charged: bool
    """Whether the current analyst has been charged for it (True also if no analyst is named)."""


def serves(paid: Event, asked: Event) -> bool:
    """Whether the stored release is at least as good as the requested one: no less epsilon and no less delta.

    If one has Laplace noise and the other Gaussian, their prices are hardly comparable, so the stored release must also
    have no larger variance in any statistic.

    For private groups the thresholds are compared instead of the deltas. A threshold is an integer, so an event's delta is
    the requested delta after rounding, and may be smaller at a larger epsilon. A request with no more epsilon and no more
    delta gets a threshold that is no lower; an answer with no less epsilon and no higher threshold has no more noise and
    no fewer groups.
    """
    if amounts_of(paid)[0] < amounts_of(asked)[0]:
        return False
    stored_threshold, asked_threshold = paid.composition.threshold, asked.composition.threshold
    if stored_threshold is not None and asked_threshold is not None:
        return stored_threshold.tau <= asked_threshold.tau
    if paid.concentrated != asked.concentrated:
        stored_variances, asked_variances = _variances(paid), _variances(asked)
        return len(stored_variances) == len(asked_variances) and all(
            o <= t for o, t in zip(stored_variances, asked_variances, strict=True)
        )
    return amounts_of(paid)[1] >= amounts_of(asked)[1]


def _variances(event: Event) -> list[Fraction]:
    """Variances of the continuous distributions, which suffice to compare Laplace with Gaussian; in the question's order."""
    released = event.composition
    beside_others = released.choices or released.threshold is not None
    return [] if beside_others else [part.variance for part in released.sums]


def by_preference(stored: Iterable[Stored], asked: Event) -> list[Stored]:
    """The debits at least as good as the request, best first.

    Debits already charged to the analyst come first, so that a retry never spends twice; then answered ones; then exactly
    the requested price, so that a retry returns the same bytes; then the largest epsilon and delta. Among debits not yet
    charged to the analyst, the cheapest.
    """

    def preference(debit: Stored) -> tuple[bool, bool, bool, Fraction, Fraction]:
        epsilon, delta = amounts_of(debit.body.event)
        sign = -1 if debit.charged else 1
        return (
            not debit.charged,
            debit.state not in (DebitState.ANSWERED, DebitState.RELEASED),
            (epsilon, delta) != amounts_of(asked),
            sign * epsilon,
            sign * delta,
        )

    return sorted((debit for debit in stored if serves(debit.body.event, asked)), key=preference)
