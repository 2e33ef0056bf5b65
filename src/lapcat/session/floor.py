"""The least price of a question that reads rows: [limits] min_epsilon, and half its square for a budget of rho.

Whether a question fails is an output too, and a failure costs what its question costs. Answers that are stored, or follow
from stored ones, and numbers that are public read no row: they are free whatever their price.
"""

from __future__ import annotations

from fractions import Fraction

from lapcat.core.exact import exact_text
from lapcat.core.loss import ZCDP, PureDP
from lapcat.errors import Refused
from lapcat.ledger.fixed_point import NOTHING, cost_of, cost_up
from lapcat.plan.compile import Program
from lapcat.session.query_context import QueryContext

WHY = (
    "a question that reads rows can fail, and a failure must not be cheaper than an answer; "
    "nothing was spent and no row was read"
)


def floor_of(context: QueryContext, *, in_rho: bool) -> Fraction:
    """The least epsilon, or rho."""
    limits = context.deployment.catalogue.limits
    return limits.min_rho if in_rho else limits.min_epsilon


def is_below_floor(context: QueryContext, program: Program) -> bool:
    """Whether a price is below the floor, in the kind of any budget that it debits. Costs are compared as the ledger
    counts them, rounded up."""
    cost, least = cost_of(program.event), cost_up(PureDP(floor_of(context, in_rho=False)))
    if cost == NOTHING:
        return False
    by_rho = {charge.limit.rho is not None for charge in context.charges(program.prepared)}
    kinds = [(cost.rho, least.rho) if rho else (cost.epsilon, least.epsilon) for rho in by_rho]
    return any(paid is not None and floor is not None and paid < floor for paid, floor in kinds)


def require_floor(context: QueryContext, program: Program) -> None:
    """Refuses a question that nobody should pay for, or that is priced below the floor, with the least price as the fix."""
    objection = context.prepared().asked.objection
    if objection is not None:
        raise objection
    if is_below_floor(context, program):
        kind, least = _named(context, program)
        raise Refused(
            "price-below-floor",
            f"the least price of a question here is {kind} {least} ([limits] min_epsilon)",
            why=WHY,
            fix=f"{kind}={least}",
        )


def floor_notes(context: QueryContext, program: Program, error: object) -> tuple[str, ...]:
    """Where a wanted error costs the least price: that it does."""
    if error is None:
        return ()
    in_rho = isinstance(program.loss, ZCDP)
    least = floor_of(context, in_rho=in_rho)
    if cost_of(program.event) != cost_up(ZCDP(least) if in_rho else PureDP(least)):
        return ()
    kind, said = _named(context, program)
    return (
        f"the wanted error would need no more than the least price of a question here, {kind} {said} "
        "([limits] min_epsilon): that is its price",
    )


def _named(context: QueryContext, program: Program) -> tuple[str, str]:
    in_rho = isinstance(program.loss, ZCDP)
    return "rho" if in_rho else "epsilon", exact_text(floor_of(context, in_rho=in_rho))
