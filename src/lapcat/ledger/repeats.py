"""Which stored debit answers a question that was asked before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from lapcat.core.event import Event, KeyedRelease
from lapcat.core.loss import PureDP
from lapcat.ledger.base import State, loss_of
from lapcat.ledger.bodies import DebitBody


@dataclass(frozen=True, slots=True)
class Stored:
    """A debit of the same question."""

    id: int
    hash: str
    body: DebitBody
    state: State
    charged: bool
    """Whether whoever asks now has been charged for it (also where nobody is named)."""


def serves(paid: Event, asked: Event) -> bool:
    """Whether what was paid for is at least as good as what is asked: no less epsilon, and no less delta.

    Of private groups not the deltas are compared but the thresholds. A threshold is a whole number, so an event's delta is
    what is left of the delta that somebody asked with, and may be less at a larger epsilon. Whoever asks with no more
    epsilon and no more delta is given a threshold that is no lower; and an answer with no less epsilon and no higher
    threshold has no more noise and no fewer groups.
    """
    if _amounts(paid)[0] < _amounts(asked)[0]:
        return False
    if isinstance(paid, KeyedRelease) and isinstance(asked, KeyedRelease):
        return paid.threshold.tau <= asked.threshold.tau
    return _amounts(paid)[1] >= _amounts(asked)[1]


def by_preference(stored: Iterable[Stored], asked: Event) -> list[Stored]:
    """Those that are at least as good as what is asked, best first.

    What the analyst has paid for comes first, so that a retry never spends twice; what is answered before what is not;
    then the very price that is asked, so that a retry returns the same bytes; then the largest epsilon and delta. Of
    answers that the analyst has yet to pay for, the cheapest that is good enough.
    """

    def preference(one: Stored) -> tuple[bool, bool, bool, Fraction, Fraction]:
        epsilon, delta = _amounts(one.body.event)
        sign = -1 if one.charged else 1
        return (
            not one.charged,
            one.state is not State.ANSWERED,
            (epsilon, delta) != _amounts(asked),
            sign * epsilon,
            sign * delta,
        )

    return sorted((one for one in stored if serves(one.body.event, asked)), key=preference)


def _amounts(event: Event) -> tuple[Fraction, Fraction]:
    loss = loss_of(event)
    return loss.epsilon, Fraction(0) if isinstance(loss, PureDP) else loss.delta
