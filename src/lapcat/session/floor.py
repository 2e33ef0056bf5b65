"""The minimum price of a question that reads rows: [limits] min_epsilon, and half its square for a budget in rho.

Whether a question fails is an output too, and a failure costs as much as the answer. Repeated answers, answers from cache and
public numbers read no row and are exempt.
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
    """The minimum epsilon, or rho."""
    limits = context.deployment.catalogue.limits
    return limits.min_rho if in_rho else limits.min_epsilon


def is_below_floor(context: QueryContext, program: Program) -> bool:
    """Whether a price is below the floor, in the kind of any budget it debits. Costs are compared in the ledger's quanta,
    rounded up."""
    cost, least = cost_of(program.event), cost_up(PureDP(floor_of(context, in_rho=False)))
    if cost == NOTHING:
        return False
    by_rho = {charge.limit.rho is not None for charge in context.charges(program.prepared)}
    kinds = [(cost.rho, least.rho) if rho else (cost.epsilon, least.epsilon) for rho in by_rho]
    return any(paid is not None and floor is not None and paid < floor for paid, floor in kinds)


def require_floor(context: QueryContext, program: Program) -> None:
    """Raises the question's objection, if any, or refuses a price below the floor, with the minimum price as the fix."""
    objection = context.prepared().asked.objection
    if objection is not None:
        raise objection
    if is_below_floor(context, program):
        kind, least = _named(context, program)
        raise Refused(
            "price-below-floor",
            f"the minimum price of a question is {kind} {least} ([limits] min_epsilon)",
            why=WHY,
            fix=f"{kind}={least}",
        )


def floor_notes(context: QueryContext, program: Program, error: object) -> tuple[str, ...]:
    """A note if an error target is priced at the minimum."""
    if error is None:
        return ()
    in_rho = isinstance(program.loss, ZCDP)
    least = floor_of(context, in_rho=in_rho)
    if cost_of(program.event) != cost_up(ZCDP(least) if in_rho else PureDP(least)):
        return ()
    kind, amount = _named(context, program)
    return (
        f"the error target needs no more than the minimum price of a question, {kind} {amount} "
        "([limits] min_epsilon), which is charged",
    )


def _named(context: QueryContext, program: Program) -> tuple[str, str]:
    in_rho = isinstance(program.loss, ZCDP)
    return "rho" if in_rho else "epsilon", exact_text(floor_of(context, in_rho=in_rho))
