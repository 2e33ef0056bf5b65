"""Advanced composition: the total of many small epsilons grows like a square root, at the price of a small extra delta."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from lapcat.accounting.base import BEFOREHAND, Quote, RepeatedRelease, approximate_sum
from lapcat.core.exact import exp_up, ln_up, sqrt_up
from lapcat.core.loss import ZCDP
from lapcat.core.zcdp import rounded_up

LARGEST = 50  # an epsilon above it makes e^epsilon worse than every other bound


def advanced(parts: Sequence[RepeatedRelease], delta: Fraction) -> Quote | None:
    """sqrt(2 ln(1/δ') Σ ε_i²) + Σ ε_i (e^ε_i - 1), with δ' = delta − Σ δ_i.

    Theorem: k releases at (ε, δ) are together (ε sqrt(2k ln(1/δ')) + kε(e^ε - 1), kδ + δ')-DP. Where the ε_i differ,
             the same proof gives the sums: the i-th privacy loss lies within ±ε_i and has a mean of at most
             ε_i(e^ε_i - 1), so Azuma's inequality bounds the sum's excess by sqrt(2 ln(1/δ') Σ ε_i²) but for δ'.
    Source:  Dwork & Roth 2014.

    >>> from lapcat.accounting.base import parts_of
    >>> float(advanced(parts_of(["0.01"] * 1000), Fraction(1, 10**6)).epsilon)  # basic: 10  # doctest: +ELLIPSIS
    1.762...
    """
    _, spent = approximate_sum(parts)
    if spent >= delta or any(isinstance(p.loss, ZCDP) for p in parts):
        return None
    losses = [(p.loss.epsilon, p.times) for p in parts if not isinstance(p.loss, ZCDP)]
    if any(epsilon > LARGEST for epsilon, _ in losses):
        return None
    squares = sum((epsilon * epsilon * times for epsilon, times in losses), Fraction(0))
    drift = sum((epsilon * (exp_up(epsilon) - 1) * times for epsilon, times in losses), Fraction(0))
    epsilon = sqrt_up(2 * ln_up(1 / (delta - spent)) * squares) + drift
    return Quote(
        "advanced",
        rounded_up(epsilon),
        delta,
        "advanced composition",
        "Dwork & Roth 2014",
        BEFOREHAND,
    )
