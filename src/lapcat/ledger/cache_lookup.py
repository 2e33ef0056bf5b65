"""Which stored debit answers a question that was asked before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from lapcat.core.event import (
    Event,
    ExactRelease,
    GaussianRelease,
    JointGaussianRelease,
    JointRelease,
    KeyedRelease,
    LaplaceRelease,
)
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
    """Whether whoever asks now has been charged for it (also where nobody is named)."""


def serves(paid: Event, asked: Event) -> bool:
    """Whether what was paid for is at least as good as what is asked: no less epsilon, and no less delta.

    Where one has Laplace and the other Gaussian noise their prices say little about each other, and what was paid for must
    besides have no more variance in any statistic.

    Of private groups not the deltas are compared but the thresholds. A threshold is a whole number, so an event's delta is
    what is left of the delta that somebody asked with, and may be less at a larger epsilon. Whoever asks with no more
    epsilon and no more delta is given a threshold that is no lower; and an answer with no less epsilon and no higher
    threshold has no more noise and no fewer groups.
    """
    if amounts_of(paid)[0] < amounts_of(asked)[0]:
        return False
    if isinstance(paid, KeyedRelease) and isinstance(asked, KeyedRelease):
        return paid.threshold.tau <= asked.threshold.tau
    if isinstance(paid, JointGaussianRelease) != isinstance(asked, JointGaussianRelease):
        ours, theirs = _variances(paid), _variances(asked)
        return len(ours) == len(theirs) and all(o <= t for o, t in zip(ours, theirs, strict=True))
    return amounts_of(paid)[1] >= amounts_of(asked)[1]


def _variances(event: Event) -> list[Fraction]:
    """Of the continuous laws, which is close enough to tell the kinds apart; of the same question, in the same order."""
    parts = event.parts if isinstance(event, JointRelease | JointGaussianRelease) else ()
    return [_variance(part) for part in parts]


def _variance(part: LaplaceRelease | GaussianRelease | ExactRelease) -> Fraction:
    match part:
        case LaplaceRelease():
            return 2 * part.scale**2
        case GaussianRelease():
            return part.sigma_squared
        case ExactRelease():
            return Fraction(0)


def by_preference(stored: Iterable[Stored], asked: Event) -> list[Stored]:
    """Those that are at least as good as what is asked, best first.

    What the analyst has paid for comes first, so that a retry never spends twice; what is answered before what is not;
    then the very price that is asked, so that a retry returns the same bytes; then the largest epsilon and delta. Of
    answers that the analyst has yet to pay for, the cheapest that is good enough.
    """

    def preference(one: Stored) -> tuple[bool, bool, bool, Fraction, Fraction]:
        epsilon, delta = amounts_of(one.body.event)
        sign = -1 if one.charged else 1
        return (
            not one.charged,
            one.state not in (DebitState.ANSWERED, DebitState.RELEASED),
            (epsilon, delta) != amounts_of(asked),
            sign * epsilon,
            sign * delta,
        )

    return sorted((one for one in stored if serves(one.body.event, asked)), key=preference)
