"""Pricing: from epsilon, rho or an error target to a program with its noise."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from lapcat.core.exact import exact, exact_text, sqrt_down
from lapcat.core.loss import ZCDP, ApproxDP, PureDP
from lapcat.errors import BadArgument, Refused
from lapcat.frontend.catalogue import LARGE_DELTA, LARGE_EPSILON, odds_in_words
from lapcat.ledger.base import amounts_of
from lapcat.plan.compile import Prepared, Program, compile_program
from lapcat.plan.error_target import ErrorTarget, error_target_json
from lapcat.plan.gaussian_pricing import compile_pair, compile_rho
from lapcat.session.floor import floor_of
from lapcat.session.prior_estimates import ANYTHING, prior_estimates_of
from lapcat.session.query_context import QueryContext
from lapcat.session.strategies import best_of, strategic_at

Number = object
"""A number for core.exact: int, Decimal, Fraction, "0.1", or a float by its shortest repr."""


def program_at(
    context: QueryContext, epsilon: Number, delta: Number, rho: Number, error: Number, level: Fraction
) -> Program:
    """The program at exactly one of epsilon, rho and an error target, or at the price in the question itself."""
    offer = context.prepared().asked.offer
    if offer is not None:
        own_delta = delta is None and not context.prepared().plan.private_keys
        epsilon, delta = offer(epsilon, delta, rho is not None or error is not None)
        delta = None if own_delta else delta  # the question may name a delta that it does not need
    given = {
        name: value
        for name, value in (("epsilon", epsilon), ("rho", rho), ("error", error))
        if value is not None
    }
    if len(given) != 1:
        raise price_missing()
    prepared = context.prepared()
    allowed = _delta(context, prepared, delta, by_rho=rho is not None)
    if error is not None:
        return _allowed(context, _wanted(context, prepared, error, level, allowed))
    if rho is not None:
        price = _rho(context, prepared, rho)
        if not _in_rho(context, prepared):
            epsilon_of = sqrt_down(2 * price)
            plain = compile_program(prepared, epsilon_of, allowed)
            return _allowed(context, _best(context, plain, PureDP(epsilon_of)))
        return _allowed(context, _best(context, compile_rho(prepared, price), ZCDP(price)))
    price = positive("epsilon", epsilon)
    if allowed is not None and not (prepared.plan.private_keys or prepared.choices):
        pair = compile_pair(prepared, price, allowed)
        return _allowed(context, _best(context, pair, ApproxDP(price, allowed)))
    plain = compile_program(prepared, price, allowed)
    return _allowed(context, _best(context, plain, PureDP(price)))


def priced_at(context: QueryContext, epsilon: Fraction, delta: Fraction | None) -> Program:
    """The program at a share of a batch's limit."""
    plain = compile_program(context.prepared(), epsilon, _delta(context, context.prepared(), delta))
    return _allowed(context, _best(context, plain, PureDP(epsilon)))


def priced_for(context: QueryContext, error: Number, level: Fraction, delta: Fraction | None) -> Program:
    """The program at the least epsilon that meets an error target."""
    allowed = _delta(context, context.prepared(), delta)
    return _allowed(context, _wanted(context, context.prepared(), error, level, allowed, pure=True))


def _best(context: QueryContext, plain: Program, budget: PureDP | ZCDP | ApproxDP) -> Program:
    """The program of least expected error at a price."""
    workload = context.workload_query()
    if workload is None:
        return plain
    return best_of(plain, workload, budget, written=context.written is not None)


def _in_rho(context: QueryContext, prepared: Prepared) -> bool:
    """Whether a question may be priced in rho alone, with Gaussian noise: not if a budget is in epsilon, groups are private, or
    there are selections. The cost of Laplace noise can be stated in every kind."""
    charges = context.charges(prepared)
    return not (prepared.plan.private_keys or prepared.choices) and all(
        charge.limit.rho is not None for charge in charges
    )


def _wanted(
    context: QueryContext,
    prepared: Prepared,
    error: Number,
    level: Fraction,
    delta: Fraction | None,
    *,
    pure: bool = False,
) -> Program:
    """The cheapest program that meets an error target. A stored answer is used only if it meets it too."""
    if context.written is not None and str(error).strip().endswith("%"):
        raise Refused(
            "error-relative",
            f"an error of {error} in a workload would be relative to each of its answers, which are not known yet",
            fix="use an absolute error: error=500",
        )
    ledger = context.deployment.ledger
    charges = context.charges(prepared)
    identity = context.identity(prepared)
    before = ledger.find(identity, ANYTHING, context.analyst, charges)
    if (
        before is not None
        and not before.shared
        and before.memo.get("wanted") == error_target_json(error, level)
    ):
        return context.paid(
            before.event
        )  # prior estimates may have improved since: the same request is not charged again
    goal = ErrorTarget.of(
        prepared,
        error,
        level,
        lambda: (
            ()
            if context.written is not None
            else prior_estimates_of(
                prepared,
                context.asks,
                level,
                ledger,
                context.analyst,
                charges,
                context.deployment.coins.cryptographic,
            )
        ),
    )
    in_rho = not pure and _in_rho(context, prepared)
    floor = floor_of(context, in_rho=in_rho)
    program, at = goal.least(delta, in_rho=in_rho, floor=floor), None
    workload = context.workload_query()
    if workload is not None:
        at = partial(strategic_at, workload, prepared, in_rho)
        other = goal.least(delta, in_rho=in_rho, at=at, floor=floor)
        if context.written is not None or amounts_of(other.event)[0] < amounts_of(program.event)[0]:
            program = other
        else:
            at = None
    while (stored := ledger.find(identity, program.event, context.analyst, charges)) and not goal.met_by(
        context.paid(stored.event)
    ):
        program = goal.above(amounts_of(stored.event)[0], delta, in_rho=in_rho, at=at)
    return program


def _delta(
    context: QueryContext, prepared: Prepared, given: Number, *, by_rho: bool = False
) -> Fraction | None:
    """The delta that a question may spend. Private groups need one, without a default; otherwise it allows Gaussian noise, if
    every budget has a delta."""
    keys = prepared.plan.private_keys
    if not keys:
        if given is None:
            return None
        without = [
            charge.name
            for charge in context.charges(prepared)
            if charge.limit.rho is not None or not charge.limit.delta
        ]
        if without or by_rho:
            budget = (
                f"the budget of {without[0]} has no epsilon with a delta" if without else "rho needs none"
            )
            raise BadArgument(
                "delta-unused",
                f"nothing in this question can use delta: {budget}",
                why="delta is used for Gaussian noise, with a budget of epsilon and delta, or to release private groups",
                fix="leave delta out",
            )
    if given is None:
        raise BadArgument(
            "delta-missing",
            f"the groups by {', '.join(key.name for key in keys)} are private, and need a delta",
            why="a group is released if it has enough units; delta bounds the probability of releasing a group of one unit",
            fix="delta=1e-7",
        )
    delta = exact(given)
    if not 0 < delta < 1:
        raise BadArgument(
            "delta-range",
            f"delta is a probability well below 1, and above 0, not {given}",
            fix="delta=1e-7",
        )
    if delta > LARGE_DELTA:
        _require_understanding(
            context,
            prepared,
            f"delta {exact_text(delta)} for one question allows publishing one random row out of "
            f"{int(1 / delta)}: one person would be exposed",
            "delta=1e-7",
        )
    return delta


def _rho(context: QueryContext, prepared: Prepared, given: Number) -> Fraction:
    for table in context.tables(prepared):
        if table.limit.rho is None:
            raise Refused(
                "rho-against-epsilon",
                f"{table.name} has a budget in epsilon, and rho cannot be converted to it",
                why="rho bounds an average of the privacy loss, epsilon its worst case",
                fix="epsilon=0.1",
            )
    return positive("rho", given)


def _allowed(context: QueryContext, program: Program) -> Program:
    """V15: refuses a question that protects nobody unless the steward declared i_understand."""
    epsilon = amounts_of(program.event)[0]
    if epsilon > LARGE_EPSILON:
        _require_understanding(
            context,
            program.prepared,
            f"epsilon {exact_text(epsilon)} for one question: {odds_in_words(epsilon)}, which protects nobody",
            f"epsilon={exact_text(LARGE_EPSILON)} or less",
        )
    return program


def _require_understanding(context: QueryContext, prepared: Prepared, danger: str, fix: str) -> None:
    for table in context.tables(prepared):
        if table.limit.i_understand is None:
            steward = f'the steward writes i_understand = "why" into the budget of {table.name}'
            raise Refused("protects-nobody", danger, fix=f"{fix}; or {steward}")


def price_missing() -> BadArgument:
    return BadArgument(
        "price-missing",
        "a question is asked with exactly one of epsilon, rho and error",
        why="there is no default: the privacy cost of a question is a decision; and it cannot be answered from cache",
        fix="epsilon=0.1",
    )


def positive(name: str, value: object) -> Fraction:
    number = exact(value)
    if number <= 0:
        raise BadArgument(
            f"{name}-range",
            f"{name} must be above zero, not {value}",
            why="an answer at zero would ignore the data",
            fix=f"{name}=0.1",
        )
    return number


def confidence_of(value: object) -> Fraction:
    level = exact(value)
    if not Fraction(1, 2) <= level <= 1 - Fraction(1, 10**9):
        raise BadArgument(
            "confidence-range", f"confidence lies between 0.5 and 1, not {value}", fix="confidence=0.95"
        )
    return level
