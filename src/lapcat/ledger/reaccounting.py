"""History accounted for again: what all that was charged to a budget costs together, by any theorem of composition.

Theorem: the sums that the ledger keeps hold for questions that were chosen by the answers before them. The other figures
         hold for questions that had been fixed beforehand; adaptive questions could have steered them.
Source:  Rogers, Roth, Ullman & Vadhan 2016.

So a figure here is worth knowing, and the guarantee is the cap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from lapcat.core.accounting import ACCOUNTANTS, Accountant, Quote, RepeatedRelease
from lapcat.core.accounting.advanced import advanced
from lapcat.core.accounting.base import approximate_sum, parts_of
from lapcat.core.accounting.basic import basic
from lapcat.core.accounting.renyi import renyi
from lapcat.core.accounting.zcdp import zcdp
from lapcat.ledger.history import HistoryLine, charged
from lapcat.stored.scopes import Scope, ScopeKind


def _loss_distribution(parts: Sequence[RepeatedRelease], delta: Fraction) -> Quote | None:
    from lapcat.core.accounting.loss_distribution import loss_distribution

    return loss_distribution(parts, delta)


BY: Mapping[str, tuple[Accountant, ...]] = {
    "basic": (basic,),
    "advanced": (advanced,),
    "zcdp": (zcdp,),
    "renyi": (renyi,),
    "pld": (_loss_distribution,),
    "all": (*ACCOUNTANTS, _loss_distribution),
}
"""Names of accountants. Loss distributions need the extra `lapcat[accounting]` and are asked only by name."""


@dataclass(frozen=True, slots=True)
class Account:
    """One budget and what its history costs."""

    scope: str
    name: str
    many: int
    """How many questions were charged to it."""
    quotes: tuple[Quote, ...]
    """Of the accountants that say something of them at this delta."""
    needs: Fraction
    """The sum of their own deltas: below it there is nothing to say."""


def accounts(
    lines: Iterable[HistoryLine],
    accountants: Sequence[Accountant],
    delta: Fraction,
    name_of: Callable[[str], str],
) -> list[Account]:
    """Every budget that was ever charged: tables first, then their blocks, populations and analysts."""
    order = list(ScopeKind)
    found = []
    for scope, events in charged(lines).items():
        parts = parts_of(events)
        quotes = tuple(quote for one in accountants if (quote := one(parts, delta)) is not None)
        found.append(Account(scope, name_of(scope), len(events), quotes, approximate_sum(parts)[1]))
    return sorted(found, key=lambda account: (order.index(Scope.read(account.scope).kind), account.name))
