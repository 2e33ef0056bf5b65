"""Splits a spending limit over the statistics of a question."""

from __future__ import annotations

from fractions import Fraction

from lapcat.core.loss import ApproxDP, PureDP
from lapcat.plan.facts import GroupFacts


def split_keyed(epsilon: Fraction, delta: Fraction, facts: GroupFacts) -> tuple[ApproxDP, PureDP]:
    """What the choice of private groups may cost, and what is left for the statistics of those that are shown.

    The number of units that decides about a group is one more statistic that counts in full.
    """
    share = epsilon / (facts.most + 1)
    return ApproxDP(share, delta), PureDP(epsilon - share)


def split(total: PureDP, facts: GroupFacts) -> tuple[PureDP, ...]:
    """A share for each statistic, such that all of them together cost exactly the total.

    Theorem: one row moves at most `most` noisy statistics at once, so shares of total / most cost the total. Statistics
             that no unit can change get nothing.
    """
    share = PureDP(total.epsilon / facts.most) if facts.most else PureDP(Fraction(0))
    return tuple(share if fact.sensitivity.l1 > 0 else PureDP(Fraction(0)) for fact in facts.statistics)
