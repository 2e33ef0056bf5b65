"""Rényi accounting: divergences of the same order add up; the best order is chosen for the sum."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from lapcat.accounting.base import BEFOREHAND, Quote, RepeatedRelease, approximate_sum
from lapcat.core.exact import exp_down, exp_up, ln_up
from lapcat.core.loss import PureDP
from lapcat.core.zcdp import least_epsilon, rounded_up

LARGEST_EXPONENT = 700  # beyond it the divergence equals epsilon to many digits


def renyi(parts: Sequence[RepeatedRelease], delta: Fraction) -> Quote | None:
    """Σ of the parts' Rényi curves: rho * a where rho is known, the curve of randomised response where epsilon is.

    Theorem: the divergences of adaptively composed releases add up at every order. An epsilon-DP release is a
             post-processing of binary randomised response, so its divergence is at most that one, and at most epsilon.
    Source:  Mironov 2017; Bun & Steinke 2016 (arXiv:1605.02065). Conversion: Canonne, Kamath & Steinke 2020.
    Slack:   Laplace noise has smaller divergences than randomised response at the same epsilon.
    """
    epsilon, spent = approximate_sum(parts)
    if spent >= delta:
        return None
    concentrated = sum((p.rho * p.times for p in parts if p.rho is not None and not _pure(p)), Fraction(0))
    pure = [(p.loss.epsilon, p.rho, p.times) for p in parts if isinstance(p.loss, PureDP) and p.loss.epsilon]

    def curve(order: Fraction) -> Fraction:
        return concentrated * order + sum(
            (times * pure_divergence(e, order, rho) for e, rho, times in pure), Fraction(0)
        )

    floats = [(float(e), float(rho if rho is not None else e * e / 2), times) for e, rho, times in pure]

    def guess(order: float) -> float:
        return float(concentrated) * order + sum(times * _about(e, order, rho) for e, rho, times in floats)

    if concentrated or pure:
        epsilon += least_epsilon(curve, guess, delta - spent)
    return Quote(
        "renyi",
        rounded_up(epsilon),
        delta,
        "Rényi divergences, turned into (ε, δ)",
        "Mironov 2017; Canonne, Kamath & Steinke 2020",
        BEFOREHAND,
    )


def pure_divergence(epsilon: Fraction, order: Fraction, rho: Fraction | None = None) -> Fraction:
    """The largest Rényi divergence of this order that an epsilon-DP release can have, rounded up.

    ln((e^(a ε) + e^((1 - a) ε)) / (1 + e^ε)) / (a - 1), never above ε nor a * rho (ε² / 2 where no rho is known).

    >>> float(pure_divergence(Fraction(1), Fraction(2)))  # ln((e² + e^-1) / (1 + e))  # doctest: +ELLIPSIS
    0.735...
    """
    bound = min(epsilon, order * (epsilon * epsilon / 2 if rho is None else rho))
    if order * epsilon > LARGEST_EXPONENT:
        return bound
    top = exp_up(order * epsilon) + exp_up((1 - order) * epsilon)
    return min(bound, ln_up(top / (1 + exp_down(epsilon))) / (order - 1))


def _about(epsilon: float, order: float, rho: float) -> float:
    bound = min(epsilon, order * rho)
    if order * epsilon > LARGEST_EXPONENT or order - 1 < 1e-6:
        return bound
    top = (
        (order - 1) * epsilon
        + math.log1p(math.exp((1 - 2 * order) * epsilon))
        - math.log1p(math.exp(-epsilon))
    )
    return min(bound, max(0.0, top / (order - 1)))


def _pure(part: RepeatedRelease) -> bool:
    return isinstance(part.loss, PureDP)
