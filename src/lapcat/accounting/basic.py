"""Basic composition: epsilons and deltas add up, also for adaptively chosen questions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from lapcat.accounting.base import (
    BEFOREHAND,
    Quote,
    RepeatedRelease,
    approximate_sum,
    pure_sum,
)
from lapcat.core.loss import ZCDP
from lapcat.core.zcdp import epsilon_of_zcdp, rounded_up


def basic(parts: Sequence[RepeatedRelease], delta: Fraction) -> Quote | None:
    """Σ epsilon and Σ delta; Σρ of the releases known by their rho is converted once, with the remaining delta.

    Theorem: releases that are (epsilon_i, delta_i)-DP are together (Σ epsilon_i, Σ delta_i)-DP, also if each is chosen
             depending on earlier answers.
    Source:  Dwork, McSherry, Nissim & Smith 2006; Dwork & Roth 2014.

    >>> from lapcat.accounting.base import parts_of
    >>> basic(parts_of(["0.1", "0.2", "0.3"]), Fraction(0)).epsilon
    Fraction(3, 5)
    """
    epsilon, spent = approximate_sum(parts)
    epsilon += pure_sum(parts)
    rho = sum((p.loss.rho * p.times for p in parts if isinstance(p.loss, ZCDP)), Fraction(0))
    if spent > delta or (rho and spent == delta):
        return None
    if rho:
        epsilon += epsilon_of_zcdp(rho, delta - spent)
        return Quote(
            "basic",
            rounded_up(epsilon),
            delta,
            "basic composition, with Σρ turned into one (ε, δ)",
            "Dwork & Roth 2014; Canonne, Kamath & Steinke 2020",
            BEFOREHAND,
        )
    return Quote(
        "basic",
        epsilon,
        spent,
        "basic composition: Σε, Σδ" if spent else "basic composition: Σε",
        "Dwork, McSherry, Nissim & Smith 2006",
        BEFOREHAND if spent else "",
    )
