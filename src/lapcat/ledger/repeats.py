"""Which stored debit answers a question that was asked before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from lapcat.ledger.base import State
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


def by_preference(stored: Iterable[Stored], epsilon: Fraction) -> list[Stored]:
    """Those that are at least as good as what is asked, best first.

    What the analyst has paid for comes first, so that a retry never spends twice; what is answered before what is not;
    then the very question that is asked, so that a retry returns the same bytes; then the largest epsilon. Of answers
    that the analyst has yet to pay for, the cheapest that is good enough.
    """

    def preference(one: Stored) -> tuple[bool, bool, bool, Fraction]:
        paid = one.body.event.loss.epsilon
        return (
            not one.charged,
            one.state is not State.ANSWERED,
            paid != epsilon,
            -paid if one.charged else paid,
        )

    return sorted((one for one in stored if one.body.event.loss.epsilon >= epsilon), key=preference)
