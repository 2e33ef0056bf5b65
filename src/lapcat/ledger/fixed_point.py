"""Amounts as the ledger keeps them: 64-bit integers of 10⁻⁹ epsilon, 10⁻¹² rho and 10⁻¹⁸ delta.

A cost is rounded up and a cap down, so that a sum of integers below a cap proves the sum of the exact losses below it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import assert_never

from lapcat.core.event import Event, JointGaussianRelease, KeyedRelease
from lapcat.core.loss import ZCDP, ApproxDP, Loss, PureDP
from lapcat.errors import Refused
from lapcat.plan.schema import SpendingLimit

EPSILONS = 10**9  # quanta in epsilon 1
RHOS = 10**12
DELTAS = 10**18
LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class FixedPointAmounts:
    """An amount in every kind in which it can be stated; None where no theorem states it, or where it would not fit.

    >>> cost_up(PureDP(Fraction(1, 3)))
    Quanta(epsilon=333333334, delta=0, rho=55555555556)
    """

    epsilon: int | None
    delta: int
    rho: int | None

    def __post_init__(self) -> None:
        if not (
            0 <= (self.epsilon or 0) <= LARGEST
            and 0 <= self.delta <= LARGEST
            and 0 <= (self.rho or 0) <= LARGEST
        ):
            raise _too_large()

    def __add__(self, other: FixedPointAmounts) -> FixedPointAmounts:
        return FixedPointAmounts(
            None if self.epsilon is None or other.epsilon is None else self.epsilon + other.epsilon,
            self.delta + other.delta,
            None if self.rho is None or other.rho is None else _or_none(self.rho + other.rho),
        )

    def __sub__(self, other: FixedPointAmounts) -> FixedPointAmounts:
        """What is left when an amount that was added is taken away; a sum that could not be stated stays unknown."""
        return FixedPointAmounts(
            None if self.epsilon is None or other.epsilon is None else self.epsilon - other.epsilon,
            self.delta - other.delta,
            None if self.rho is None or other.rho is None else self.rho - other.rho,
        )


def cost_of(event: Event) -> FixedPointAmounts:
    """What an event costs: by its loss, and where the event knows more than its loss says, by the event.

    >>> from lapcat.core.event import ADD_REMOVE, ThresholdRelease
    >>> cities = ThresholdRelease("city", Fraction(2), 60, 1, ADD_REMOVE)
    >>> cost_of(cities).rho, cost_of(KeyedRelease(cities, None)).rho
    (None, 125000000000)
    """
    cost = cost_up(event.loss)
    if isinstance(event, KeyedRelease):
        return replace(cost, rho=_or_none(_up(event.zcdp_but_for_delta().rho, RHOS)))
    if isinstance(event, JointGaussianRelease):  # quoted as (epsilon, delta) or not, it has its rho
        return replace(cost, rho=_up(event.rho, RHOS))
    return cost


def cost_up(loss: Loss) -> FixedPointAmounts:
    """What a loss costs, never too little, in every kind that a theorem gives for it.

    Theorem: epsilon-DP is (epsilon, 0)-DP and (epsilon² / 2)-zCDP; (epsilon, delta)-DP is no zCDP; and rho-zCDP is no
             (epsilon, delta)-DP for a sum of epsilons.
    Source:  Bun & Steinke 2016 (arXiv:1605.02065).
    """
    match loss:
        case PureDP(epsilon):
            return FixedPointAmounts(_up(epsilon, EPSILONS), 0, _or_none(_up(loss.as_zcdp().rho, RHOS)))
        case ZCDP(rho):
            return FixedPointAmounts(None, 0, _up(rho, RHOS))
        case ApproxDP(epsilon, delta):
            return FixedPointAmounts(_up(epsilon, EPSILONS), _up(delta, DELTAS), None)
    assert_never(loss)


def epsilon_up(epsilon: Fraction) -> int:
    """Quanta of an epsilon, rounded up."""
    return _check_fits(_up(epsilon, EPSILONS))


def cap_down(limit: SpendingLimit) -> FixedPointAmounts:
    """The most quanta that a limit allows, never too many; None in the kind that it does not limit.

    >>> cap_down(Limit(epsilon=Fraction(1, 3)))
    Quanta(epsilon=333333333, delta=0, rho=None)
    """
    return FixedPointAmounts(
        _down(limit.epsilon, EPSILONS), _down(limit.delta, DELTAS) or 0, _down(limit.rho, RHOS)
    )


def own_cap_down(limit: SpendingLimit) -> int | None:
    """The most quanta that a limit allows in its own kind."""
    return _down(limit.epsilon, EPSILONS) if limit.rho is None else _down(limit.rho, RHOS)


def per_query_down(limit: SpendingLimit) -> int | None:
    """The most quanta, in the limit's own kind, that one question may cost; None without such a limit."""
    return _down(limit.per_query, EPSILONS if limit.rho is None else RHOS)


def _check_fits(amount: int) -> int:
    if not 0 <= amount <= LARGEST:
        raise _too_large()
    return amount


def _too_large() -> Refused:
    return Refused(
        "amount-too-large",
        "an amount, or the sum of what was spent, does not fit into 64 bits",
        why="an amount that wraps around would look like an untouched budget",
        fix="ask with a smaller --epsilon; above 10 it protects nobody",
    )


def _or_none(rho: int) -> int | None:
    """A rho of a large epsilon may not fit; a budget of epsilon need not care, and one of rho refuses it."""
    return rho if rho <= LARGEST else None


def _up(amount: Fraction, quanta: int) -> int:
    return -(-amount.numerator * quanta // amount.denominator)


def _down(amount: Fraction | None, quanta: int) -> int | None:
    return None if amount is None else min(amount.numerator * quanta // amount.denominator, LARGEST)


NOTHING = FixedPointAmounts(0, 0, 0)


def within(costs: Iterable[FixedPointAmounts], most: FixedPointAmounts) -> bool:
    """Whether all these costs together are no more than `most`, in every kind in which that is stated.

    >>> within([cost_up(PureDP(Fraction(1, 4)))] * 2, cost_up(PureDP(Fraction(1, 2))))
    True
    """
    total = sum(costs, NOTHING)
    kinds = ((total.epsilon, most.epsilon), (total.rho, most.rho))
    stated = all(allowed is None or (cost is not None and cost <= allowed) for cost, allowed in kinds)
    return stated and total.delta <= most.delta
