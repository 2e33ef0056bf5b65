"""Fixed-point amounts: 64-bit integers in units of 10⁻⁹ epsilon, 10⁻¹² rho and 10⁻¹⁸ delta.

Costs are rounded up and caps down, so an integer sum within the cap proves that the exact sum is within it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import assert_never

from lapcat.core.event import Event
from lapcat.core.loss import ZCDP, ApproxDP, Loss, PureDP
from lapcat.errors import Refused
from lapcat.plan.schema import SpendingLimit

EPSILONS = 10**9  # quanta in epsilon 1
RHOS = 10**12
DELTAS = 10**18
LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class FixedPointAmounts:
    """An amount in every kind of loss; None where no theorem states it, or where it does not fit.

    >>> cost_up(PureDP(Fraction(1, 3)))
    FixedPointAmounts(epsilon=333333334, delta=0, rho=55555555556)
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
        """Subtracts an amount that was added; an unknown sum stays unknown."""
        return FixedPointAmounts(
            None if self.epsilon is None or other.epsilon is None else self.epsilon - other.epsilon,
            self.delta - other.delta,
            None if self.rho is None or other.rho is None else self.rho - other.rho,
        )


def cost_of(event: Event) -> FixedPointAmounts:
    """Cost of an event: from its loss, or from the event itself where that gives more kinds.

    >>> from lapcat.core.event import ADD_REMOVE, KeyedRelease, ThresholdRelease
    >>> cities = ThresholdRelease("city", Fraction(2), 60, 1, ADD_REMOVE)
    >>> cost_of(cities).rho, cost_of(KeyedRelease(cities, None)).rho
    (None, 125000000000)
    """
    cost = cost_up(event.loss)
    if cost.rho is None and event.rho is not None:
        return replace(cost, rho=_or_none(_up(event.rho, RHOS)))
    return cost


def cost_up(loss: Loss) -> FixedPointAmounts:
    """Cost of a loss, rounded up, in every kind that a theorem gives.

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
    """The cap of a limit in quanta, rounded down; None in the kind that it does not limit.

    >>> cap_down(SpendingLimit(epsilon=Fraction(1, 3)))
    FixedPointAmounts(epsilon=333333333, delta=0, rho=None)
    """
    return FixedPointAmounts(
        _down(limit.epsilon, EPSILONS), _down(limit.delta, DELTAS) or 0, _down(limit.rho, RHOS)
    )


def own_cap_down(limit: SpendingLimit) -> int | None:
    """The cap of a limit in quanta of its own kind, rounded down."""
    return _down(limit.epsilon, EPSILONS) if limit.rho is None else _down(limit.rho, RHOS)


def per_query_down(limit: SpendingLimit) -> int | None:
    """The per-question cap in quanta of the limit's own kind, rounded down; None if there is none."""
    return _down(limit.per_query, EPSILONS if limit.rho is None else RHOS)


def _check_fits(amount: int) -> int:
    if not 0 <= amount <= LARGEST:
        raise _too_large()
    return amount


def _too_large() -> Refused:
    return Refused(
        "amount-too-large",
        "an amount, or the sum of what was spent, does not fit into 64 bits",
        why="an overflow would look like an untouched budget",
        fix="ask with a smaller --epsilon; above 10 it protects nobody",
    )


def _or_none(rho: int) -> int | None:
    """The rho of a large epsilon may not fit; a budget in epsilon ignores it, and a budget in rho refuses it."""
    return rho if rho <= LARGEST else None


def _up(amount: Fraction, quanta: int) -> int:
    return -(-amount.numerator * quanta // amount.denominator)


def _down(amount: Fraction | None, quanta: int) -> int | None:
    return None if amount is None else min(amount.numerator * quanta // amount.denominator, LARGEST)


NOTHING = FixedPointAmounts(0, 0, 0)


def within(costs: Iterable[FixedPointAmounts], cap: FixedPointAmounts) -> bool:
    """Whether the sum of the costs is within `cap`, in every kind that `cap` states.

    >>> within([cost_up(PureDP(Fraction(1, 4)))] * 2, cost_up(PureDP(Fraction(1, 2))))
    True
    """
    total = sum(costs, NOTHING)
    kinds = ((total.epsilon, cap.epsilon), (total.rho, cap.rho))
    stated = all(allowed is None or (cost is not None and cost <= allowed) for cost, allowed in kinds)
    return stated and total.delta <= cap.delta
