"""Splits a spending limit over the statistics of a question."""

from __future__ import annotations

from fractions import Fraction

from lapcat.core.loss import PureDP
from lapcat.plan.facts import GroupFacts


def split(total: PureDP, facts: GroupFacts) -> tuple[PureDP, ...]:
    """A share for each statistic, such that all of them together cost exactly the total.

    Theorem: one row moves at most `most` noisy statistics at once, so shares of total / most cost the total. Statistics
             that no unit can change get nothing.
    """
    share = PureDP(total.epsilon / facts.most) if facts.most else PureDP(Fraction(0))
    return tuple(share if fact.sensitivity.l1 > 0 else PureDP(Fraction(0)) for fact in facts.statistics)
