"""Chooses how a question is measured: each number separately, or all of them by a strategy.

The choice depends on the question and the catalogue alone. It minimizes the expected error over all numbers shown; a strategy
is used only if it reduces the error by at least one percent.
"""

from __future__ import annotations

import math
from fractions import Fraction

from lapcat.core.event import Event
from lapcat.core.loss import ZCDP, ApproxDP, PureDP
from lapcat.core.mechanisms.gaussian import Gaussian
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.core.sensitivity import Sensitivity
from lapcat.core.zcdp import rho_of
from lapcat.plan.cached_statistics import Content, content_of
from lapcat.plan.compile import Prepared, Program, program_of
from lapcat.plan.compile import priced as priced_by_itself
from lapcat.plan.gaussian_pricing import gaussian as concentrated
from lapcat.plan.nodes import Statistic
from lapcat.session.results import AnswerMethod
from lapcat.workload.factors import Each
from lapcat.workload.planner import Budget
from lapcat.workload.release import range_of
from lapcat.workload.separate import separate_rmse
from lapcat.workload.strategic import (
    at_price,
    checked,
    from_debit,
    is_of_a_strategy,
    plain_rmse,
    repriced,
    rmse_by,
    rmse_of,
    strategy_in,
)
from lapcat.workload.workload_query import WORTH, WorkloadQuery

BY_ITSELF = "each number by itself"
SEPARATELY = "asked separately"


def best_of(plain: Program, workload: WorkloadQuery, budget: Budget | ApproxDP, *, written: bool) -> Program:
    """The program of least expected error at this price: the plain one, or that of a strategy.

    written: the workload is more than the counts that the plain program measures, so only a strategy can answer it.
    """
    best: Program = plain
    least = math.inf if written else WORTH * plain_rmse(plain, workload)
    for program, price in _strategies(plain.prepared, workload, budget):
        strategy = strategy_in(program)
        assert strategy is not None
        if strategy.expected_rmse < least:
            best, least = checked(program, price), strategy.expected_rmse
    return best


def _strategies(
    prepared: Prepared, workload: WorkloadQuery, budget: Budget | ApproxDP
) -> list[tuple[Program, Budget | ApproxDP]]:
    """The best strategy for each kind of noise that the budget allows."""
    if not isinstance(budget, ApproxDP):
        return [(at_price(workload, prepared, budget), budget)]
    strategies: list[tuple[Program, Budget | ApproxDP]] = []
    pure = PureDP(budget.epsilon)
    strategies.append((at_price(workload, prepared, pure), pure))
    rho = rho_of(budget.epsilon, budget.delta)
    if rho:
        strategies.append((at_price(workload, prepared, ZCDP(rho), budget.delta), budget))
    return strategies


def paid_program(prepared: Prepared, workload: WorkloadQuery | None, event: Event) -> Program:
    """The program of a stored event, with exactly its noise and strategy."""
    if workload is not None and is_of_a_strategy(event):
        return from_debit(workload, prepared, event)
    return program_of(prepared, event)


def content_held(program: Program) -> Content | None:
    """The statistics in a program's answer, for later answers from cache; None if it cannot be reused.

    A strategy that measures each cell once releases noisy counts by all keys, like a direct question for them.
    """
    strategy = strategy_in(program)
    if strategy is None:
        return content_of(program.prepared)
    workload, inner = strategy.workload_query, strategy.inner
    maps = inner.candidate.strategy.maps
    alone = len(maps) == 1 and maps[0].is_identity
    return content_of(workload.cells) if alone and inner.plan == workload.cells.plan else None


def strategic_at(workload: WorkloadQuery, prepared: Prepared, in_rho: bool, price: Fraction) -> Program:
    """The best strategy for a question at an epsilon, or a rho."""
    budget: Budget = ZCDP(price) if in_rho else PureDP(price)
    return checked(at_price(workload, prepared, budget), budget)


def ways_of(program: Program, workload: WorkloadQuery, *, written: bool) -> tuple[AnswerMethod, ...]:
    """The expected error of each method at the price of the program, smallest first."""
    gaussian = program.event.concentrated
    price = _price(program)
    budget: Budget = ZCDP(price) if gaussian else PureDP(price)
    prepared = program.prepared
    reach, unit = range_of(workload.cells.plan), float(workload.cells.labels[0].step)
    errors: dict[str, float] = {}
    if written:
        moved = float(reach(tuple(range(len(workload.questions.axes)))).cells.l1)
        errors[BY_ITSELF] = separate_rmse(workload.questions, budget, moved, unit)
    else:
        plain = concentrated(prepared, price) if gaussian else priced_by_itself(prepared, price)
        errors[BY_ITSELF] = plain_rmse(plain, workload)
    for candidate in workload.tried("gaussian" if gaussian else "laplace"):
        again = repriced(candidate, workload, budget)
        errors[candidate.name] = rmse_of(workload, again.sds)
    asked = _terms(workload) if written else len(prepared.plan.grouping_sets) * len(prepared.plan.statistics)
    errors[SEPARATELY] = _separately(prepared, workload, price / asked, gaussian)
    strategy = strategy_in(program)
    taken = BY_ITSELF if strategy is None else strategy.name
    ordered = sorted(errors.items(), key=lambda way: way[1])
    return tuple(AnswerMethod(name, error, name == taken) for name, error in ordered)


def _price(program: Program) -> Fraction:
    """The epsilon of Laplace noise, or the rho of Gaussian noise, however it is quoted."""
    event, loss = program.event, program.loss
    if event.concentrated and event.rho is not None:
        return event.rho
    assert isinstance(loss, PureDP)
    return loss.epsilon


def _terms(workload: WorkloadQuery) -> int:
    """The number of questions in a workload, counting a histogram of a column as one."""
    return sum(
        math.prod(factor.rows for _, factor in term.factors if not isinstance(factor, Each))
        for term in workload.questions.terms
    )


def _separately(prepared: Prepared, workload: WorkloadQuery, share: Fraction, gaussian: bool) -> float:
    """The error if each grouping set and condition is asked separately with an equal share of the price."""
    sets = len(prepared.plan.grouping_sets)
    variances: dict[Statistic, float] = {}
    for statistic, fact, label in zip(
        prepared.plan.statistics, prepared.facts.statistics, prepared.labels, strict=True
    ):
        own = fact.sensitivity
        if not own.l1:
            continue
        alone = Sensitivity(own.l0, own.linf / sets, own.l1 / sets, own.l2_squared / sets)
        law = (
            Gaussian.calibrate(alone, ZCDP(share)).law()
            if gaussian
            else Laplace.calibrate(alone, PureDP(share)).law()
        )
        variances[statistic] = law.variance * float(label.step) ** 2
    return rmse_by(workload, lambda column: variances[column.readings[0].statistic])
