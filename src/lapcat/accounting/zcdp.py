"""Zero-concentrated DP: rhos add up, and the sum is converted to (epsilon, delta) once."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from lapcat.accounting.base import BEFOREHAND, Quote, RepeatedRelease, approximate_sum
from lapcat.core.zcdp import epsilon_of_zcdp, rounded_up


def zcdp(parts: Sequence[RepeatedRelease], delta: Fraction) -> Quote | None:
    """Σ rho, with epsilon² / 2 (or the event's own rho) for pure parts, and basic composition for approximate ones.

    Theorem: rho_i-zCDP releases are together (Σ rho_i)-zCDP; epsilon-DP is (epsilon² / 2)-zCDP.
    Source:  Bun & Steinke 2016 (arXiv:1605.02065); the conversion is `epsilon_of_zcdp`.
    """
    epsilon, spent = approximate_sum(parts)
    if spent >= delta:
        return None
    rho = sum((p.rho * p.times for p in parts if p.rho is not None), Fraction(0))
    return Quote(
        "zcdp",
        rounded_up(epsilon + epsilon_of_zcdp(rho, delta - spent)),
        delta,
        "zCDP: Σρ, turned into (ε, δ)",
        "Bun & Steinke 2016 (arXiv:1605.02065); Canonne, Kamath & Steinke 2020",
        BEFOREHAND,
    )
