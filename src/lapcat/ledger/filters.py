"""Privacy filters: no sum of losses exceeds its cap, however adaptively the questions are chosen.

Theorem: if every question is admitted only while Σ epsilon <= cap (or Σ rho <= cap) and Σ delta <= cap, then the
         whole adaptive interaction satisfies the cap; beside a rho, delta is the chance of an event without a promise
         (core/event.py, KeyedRelease).
Source:  Rogers, Roth, Ullman & Vadhan 2016 (basic composition with parameters chosen adaptively); Feldman & Zrnic
         2021 for rho.

All of it is pure arithmetic on integers: cost rounded up, cap rounded down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from lapcat.core.exact import exact_text, sqrt_down
from lapcat.errors import BudgetExceeded, Error, Refused
from lapcat.ledger.base import Charge, Spent
from lapcat.ledger.fixed_point import (
    DELTAS,
    EPSILONS,
    NOTHING,
    RHOS,
    FixedPointAmounts,
    cap_down,
    own_cap_down,
    per_query_down,
)
from lapcat.plan.schema import SpendingLimit


def left(limit: SpendingLimit, spent: Spent) -> Fraction:
    """The budget left, in the limit's own kind: the number that a refusal names.

    >>> left(SpendingLimit(epsilon=Fraction(1)), Spent(Fraction(1, 4), Fraction(0), Fraction(1, 32)))
    Fraction(3, 4)
    """
    by_epsilon = limit.rho is None
    allowed = own_cap_down(limit)
    before = spent.epsilon if by_epsilon else spent.rho
    if before is None or allowed is None:
        return Fraction(0)
    return max(Fraction(0), Fraction(allowed, EPSILONS if by_epsilon else RHOS) - before)


def refusal(
    charges: Sequence[Charge], cost: FixedPointAmounts, spent: Mapping[str, FixedPointAmounts]
) -> Error | None:
    """Why the charges cannot all be made, or None. A cost of zero always passes."""
    for charge in charges:
        before = spent.get(charge.scope, NOTHING)
        if charge.limit.rho is None:
            asked, had = cost.epsilon, before.epsilon
        else:
            asked, had = cost.rho, before.rho
        cap = own_cap_down(charge.limit)
        if asked is None or had is None or cap is None:
            return _other_kind(charge, asked)
        per_query = per_query_down(charge.limit)
        if per_query is not None and asked > per_query:
            return _above_per_query(charge, asked, per_query, charges, spent)
        if asked and asked > cap - had:
            return _above_cap(charge, asked, charges, spent)
        if cost.delta and cost.delta > _delta_room(charge, spent):
            return _above_delta(charge, cost.delta, charges, spent)
    return None


def affordable(charges: Sequence[Charge], spent: Mapping[str, FixedPointAmounts]) -> Fraction:
    """The largest epsilon, in whole quanta, that every charge still allows; a refusal proposes it."""
    return _tightest(charges, spent)[0]


def _tightest(charges: Sequence[Charge], spent: Mapping[str, FixedPointAmounts]) -> tuple[Fraction, Charge]:
    """The tightest charge and the epsilon it allows."""
    allowed = [(_affordable(charge, spent.get(charge.scope, NOTHING)), charge) for charge in charges]
    quanta, charge = min(allowed, key=lambda pair: pair[0])
    return Fraction(quanta, EPSILONS), charge


def _affordable(charge: Charge, before: FixedPointAmounts) -> int:
    room = _room(charge, before)
    per_query = per_query_down(charge.limit)
    room = room if per_query is None else min(room, per_query)
    if charge.limit.rho is None:
        return room
    root = sqrt_down(Fraction(2 * room, RHOS))  # epsilon² / 2 <= rho
    return root.numerator * EPSILONS // root.denominator


def _room(charge: Charge, before: FixedPointAmounts) -> int:
    """Quanta left in the limit's own kind."""
    cap, spent = own_cap_down(charge.limit), before.epsilon if charge.limit.rho is None else before.rho
    return 0 if spent is None or cap is None else max(0, cap - spent)


def _other_kind(charge: Charge, asked: int | None) -> Error:
    kind = "epsilon" if charge.limit.rho is None else "rho"
    return Refused(
        "loss-kind",
        f"the loss of this question cannot be stated as {kind}, and the budget of {charge.name} is in {kind}"
        if asked is None
        else f"the amount spent from {charge.called} cannot be stated as {kind}",
        why="no theorem converts rho into a sum of epsilons, nor (epsilon, delta) into rho",
        fix=f"ask with --{kind}, or ask the steward for a budget of the other kind",
    )


def _above_per_query(
    charge: Charge,
    asked: int,
    per_query: int,
    charges: Sequence[Charge],
    spent: Mapping[str, FixedPointAmounts],
) -> Error:
    return BudgetExceeded(
        "per-query-exceeded",
        f"this question costs {_amount(charge, asked)}; {charge.called} allows {_amount(charge, per_query)} per question",
        why="the steward set per_query; nothing was spent and no row was read",
        fix=_fix(charges, spent),
    )


def _above_cap(
    charge: Charge, asked: int, charges: Sequence[Charge], spent: Mapping[str, FixedPointAmounts]
) -> Error:
    room = _room(charge, spent.get(charge.scope, NOTHING))
    return BudgetExceeded(
        "budget-exceeded",
        f"this question costs {_amount(charge, asked)}; {charge.called} has {_amount(charge, room)} left",
        why="the cap holds for all questions together; nothing was spent and no row was read",
        fix=_fix(charges, spent),
    )


def _above_delta(
    charge: Charge, cost: int, charges: Sequence[Charge], spent: Mapping[str, FixedPointAmounts]
) -> Error:
    asked, rest = (exact_text(Fraction(quanta, DELTAS)) for quanta in (cost, _delta_room(charge, spent)))
    if not charge.limit.delta:
        return BudgetExceeded(
            "budget-without-delta",
            f"this question costs delta {asked}; the budget of {charge.name} has no delta",
            why="private groups are released by a threshold, which fails with probability delta; nothing was spent",
            fix=f"the steward adds it to the budget of {charge.name} in lapcat.toml, {_with_delta(charge.limit)}, "
            'and runs: lapcat accept --reason "groups by private keys"',
        )
    least = min(_delta_room(other, spent) for other in charges if other.limit.delta)
    return BudgetExceeded(
        "budget-exceeded",
        f"this question costs delta {asked}; {charge.called} has delta {rest} left",
        why="the cap holds for all questions together; nothing was spent and no row was read",
        fix=f"delta={exact_text(Fraction(least, DELTAS))}" if least else _ask_the_steward(charge),
    )


def _delta_room(charge: Charge, spent: Mapping[str, FixedPointAmounts]) -> int:
    return max(0, cap_down(charge.limit).delta - spent.get(charge.scope, NOTHING).delta)


def _with_delta(limit: SpendingLimit) -> str:
    """The budget as the steward would write it with a delta."""
    kind, cap = ("epsilon", limit.epsilon) if limit.rho is None else ("rho", limit.rho)
    return f"{{ {kind} = {exact_text(cap or Fraction(0))}, delta = 1e-7 }}"


def _amount(charge: Charge, quanta: int) -> str:
    if charge.limit.rho is None:
        return f"epsilon {exact_text(Fraction(quanta, EPSILONS))}"
    return f"rho {exact_text(Fraction(quanta, RHOS))}"


def _fix(charges: Sequence[Charge], spent: Mapping[str, FixedPointAmounts]) -> str:
    """The largest --epsilon within every limit, or, if there is none, whose budget to raise."""
    epsilon, tightest = _tightest(charges, spent)
    return f"epsilon={exact_text(epsilon)}" if epsilon else _ask_the_steward(tightest)


def _ask_the_steward(charge: Charge) -> str:
    return (
        f"ask the steward to raise the budget of {charge.name} in lapcat.toml and run: "
        'lapcat accept --reason "why more may be spent"'
    )
