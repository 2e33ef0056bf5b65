"""Re-accounting: the total privacy loss of everything charged to a budget, by any composition theorem.

Theorem: the sums in the ledger hold for adaptively chosen questions. The other figures hold for questions fixed in advance;
         adaptive questions could have steered them.
Source:  Rogers, Roth, Ullman & Vadhan 2016.

So these figures are informative, and the guarantee is the cap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from lapcat.accounting import ACCOUNTANTS, Accountant, Quote, RepeatedRelease
from lapcat.accounting.advanced import advanced
from lapcat.accounting.base import approximate_sum, parts_of
from lapcat.accounting.basic import basic
from lapcat.accounting.renyi import renyi
from lapcat.accounting.zcdp import zcdp
from lapcat.ledger.history import HistoryLine, charged
from lapcat.stored.scopes import Scope, ScopeKind


def _loss_distribution(parts: Sequence[RepeatedRelease], delta: Fraction) -> Quote | None:
    from lapcat.accounting.loss_distribution import loss_distribution

    return loss_distribution(parts, delta)


BY: Mapping[str, tuple[Accountant, ...]] = {
    "basic": (basic,),
    "advanced": (advanced,),
    "zcdp": (zcdp,),
    "renyi": (renyi,),
    "pld": (_loss_distribution,),
    "all": (*ACCOUNTANTS, _loss_distribution),
}
"""Accountants by name. Loss distributions need the extra `lapcat[accounting]` and are used only on request."""


@dataclass(frozen=True, slots=True)
class Account:
    """One budget and the cost of its history."""

    scope: str
    name: str
    many: int
    """Number of questions charged to it."""
    quotes: tuple[Quote, ...]
    """From the accountants that give a figure at this delta."""
    needs: Fraction
    """The sum of the events' deltas: no figure exists below it."""


def accounts(
    lines: Iterable[HistoryLine],
    accountants: Sequence[Accountant],
    delta: Fraction,
    name_of: Callable[[str], str],
) -> list[Account]:
    """All budgets ever charged: tables first, then their blocks, populations and analysts."""
    order = list(ScopeKind)
    budgets = []
    for scope, events in charged(lines).items():
        parts = parts_of(events)
        quotes = tuple(quote for accountant in accountants if (quote := accountant(parts, delta)) is not None)
        budgets.append(Account(scope, name_of(scope), len(events), quotes, approximate_sum(parts)[1]))
    return sorted(budgets, key=lambda account: (order.index(Scope.read(account.scope).kind), account.name))
