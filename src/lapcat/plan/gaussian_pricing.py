"""Questions with Gaussian noise: priced in rho, or in (epsilon, delta) where that lowers the error."""

from __future__ import annotations

from fractions import Fraction

from lapcat.core.event import Conversion
from lapcat.core.loss import ZCDP, ApproxDP
from lapcat.core.mechanisms.registry import least_noise
from lapcat.core.zcdp import best_order, rho_of
from lapcat.plan import budget
from lapcat.plan.compile import Measurement, Prepared, Program, Weights, agree, compile_program, priced


def compile_rho(prepared: Prepared, rho: Fraction, weights: Weights = None) -> Program:
    """The question at this rho, with Gaussian noise; not for private groups, whose event is of Laplace noise.

    Theorem: at the same rho, Gaussian noise has at most half the variance of Laplace noise. Of one statistic it has
             l2² / (2 rho) against 2 l1² / epsilon² = l1² / rho at epsilon² / 2 = rho, and l2 is at most l1; of several, rhos
             add up where epsilons do, and Σ rho_j ≤ rho whenever Σ epsilon_j ≤ epsilon.
    """
    program = gaussian(prepared, rho, weights)
    agree(program, ZCDP(rho))
    return program


def compile_pair(prepared: Prepared, epsilon: Fraction, delta: Fraction, weights: Weights = None) -> Program:
    """The question at (epsilon, delta), with Laplace or Gaussian noise, whichever gives the smaller squared error.

    Laplace noise needs no delta, and then none is charged. Gaussian noise wins where one unit moves many numbers a little:
    many statistics, or many groups per unit.
    """
    laplace = priced(prepared, epsilon, None, weights)
    rho = rho_of(epsilon, delta)
    if not rho:
        return compile_program(prepared, epsilon, None, weights)
    other = gaussian(prepared, rho, weights, delta)
    if squared_error(other, weights) >= squared_error(laplace, weights):
        return compile_program(prepared, epsilon, None, weights)
    agree(other, ApproxDP(epsilon, delta))
    return other


def gaussian(
    prepared: Prepared, rho: Fraction, weights: Weights = None, delta: Fraction | None = None
) -> Program:
    """The question with Gaussian noise that costs this rho, quoted at delta if there is one."""
    laplace = priced(prepared, Fraction(1), None, weights)
    shares = budget.split_gaussian(ZCDP(rho), prepared.facts, prepared.matters(weights, squared=True))
    measurements = [
        Measurement(
            m.label,
            m.sensitivity,
            least_noise(m.sensitivity, share, all_add_up=prepared.all_add_up) if share.rho else m.mechanism,
        )
        for m, share in zip(laplace.measurements, shares, strict=True)
    ]
    noisy = any(share.rho for share in shares)
    quoted = Conversion(best_order(rho, delta), delta) if noisy and delta is not None else None
    return Program(prepared, tuple(measurements), quoted=quoted)


def squared_error(program: Program, weights: Weights = None) -> float:
    """The objective by which budgets are split: the weighted variance of the statistics."""
    total = 0.0
    for statistic, weight in program.prepared.weighted(weights).items():
        law = program.law_of(statistic)
        total += weight * (0.0 if law is None else law.variance)
    for chosen in program.chosen:  # a rank errs about as a count at the same price does
        total += 2 * (float(chosen.choice.score_moved) / float(chosen.event.loss.epsilon)) ** 2
    return total
