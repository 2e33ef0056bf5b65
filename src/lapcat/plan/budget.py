"""Splits the budget of a question over its statistics, for the least error of the columns.

Nothing here depends on data: a split follows from the question and the catalogue alone. Nor does the guarantee depend on
the split: whatever the shares are, `compile` derives the cost again from the scales.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from lapcat.core.loss import ZCDP, ApproxDP, PureDP
from lapcat.plan.facts import GroupFacts

PARTS = 10**4
"""An uneven share is a whole number of these parts (more of them for ten statistics and more), so that receipts stay
readable; the optimum is flat."""
WORTH = 0.99
"""An even split is kept unless an uneven one takes a hundredth off the objective: its figures are easier to follow."""
MIN_MATTER = 1e-6
"""The minimum weight of a statistic relative to the largest: with less it would be noise alone."""


def split_keyed(
    epsilon: Fraction,
    delta: Fraction,
    facts: GroupFacts,
    matters: Sequence[float],
    counted: float,
    choices: int = 0,
) -> tuple[ApproxDP, PureDP]:
    """The shares of the threshold for private groups and of the statistics of the groups that are shown.

    The unit count of a group is one more statistic that counts in full: its even share is 1 / (max_affected + 1).
    `counted` is the weight of its noise in the columns. It never gets less than the even share, because a higher
    threshold loses groups, which nothing else compensates; it gets more where that reduces the error of columns that
    read it.

    Theorem: c/x² + v/(1 − x)² is least at x = c^(1/3) / (c^(1/3) + v^(1/3)), where v is the least objective of the rest
             at a share of 1.
    """
    share = Fraction(1, facts.max_affected + choices + 1)
    noisy = _noisy(facts, matters)
    rest = _objective(noisy, shares_of(noisy, facts.max_affected)) if noisy else 0.0
    if not choices and 0 < rest < math.inf and math.isfinite(counted):
        best = Fraction(
            math.floor(PARTS * _cube_root(counted) / (_cube_root(counted) + _cube_root(rest))), PARTS
        )

        def objective(x: Fraction) -> float:
            return counted / float(x) ** 2 + rest / float(1 - x) ** 2

        if share < best < 1 and objective(best) < WORTH * objective(share):
            share = best
    return ApproxDP(epsilon * share, delta), PureDP(epsilon - epsilon * share)


def split_chosen(total: PureDP, facts: GroupFacts, choices: int) -> tuple[PureDP, PureDP]:
    """The share of each selection, and the rest for the sums: a selection counts as one sum."""
    if not choices:
        return PureDP(Fraction(0)), total
    share = total.epsilon / (facts.max_affected + choices)
    return PureDP(share), PureDP(total.epsilon - share * choices)


def split(total: PureDP, facts: GroupFacts, matters: Sequence[float]) -> tuple[PureDP, ...]:
    """A share for each statistic, such that all of them together cost exactly the total.

    `matters` has a_j for each statistic j: what its noise adds to the columns' squared error at a share of 1, so the
    objective is Σ a_j / ε_j² (the variance of Laplace noise is in proportion to 1/ε²): see `shares_of`. Statistics that
    no unit can change get nothing.
    """
    return tuple(PureDP(total.epsilon * share) for share in _shares(facts, matters, 2))


def split_gaussian(total: ZCDP, facts: GroupFacts, matters: Sequence[float]) -> tuple[ZCDP, ...]:
    """The same of a rho, for Gaussian noise: its variance is in proportion to 1/ρ, and `matters` goes by l2² in place of l1²."""
    return tuple(ZCDP(total.rho * share) for share in _shares(facts, matters, 1))


def _shares(facts: GroupFacts, matters: Sequence[float], power: int) -> list[Fraction]:
    shares = iter(shares_of(_noisy(facts, matters), facts.max_affected, power))
    return [next(shares) if fact.sensitivity.l1 > 0 else Fraction(0) for fact in facts.statistics]


def shares_of(matters: Sequence[float], max_affected: int, power: int = 2) -> list[Fraction]:
    """Shares whose `max_affected` largest add up to exactly 1, and for which Σ a_j / x_j^power is (nearly) least. k: max_affected.

    The power is 2 where a share is an epsilon (Laplace) and 1 where it is a rho (Gaussian); q is power + 1.

    Theorem: among all shares whose k largest add up to 1, Σ a_j / x_j^power is least for x_j = max(t, s·a_j^(1/q)),
             where Σ min(1, a_j (s/t)^q) = k; where there are at most k statistics, t = 0.
    Proof:   the objective is convex and falls in every share, the limit is the largest of Σ λ_j x_j over 0 ≤ λ ≤ 1 with
             Σ λ_j = k. By the conditions of Karush, Kuhn and Tucker x_j^q is in proportion to a_j / λ_j for such a λ
             at which the largest is reached: λ_j = 1 above the smallest share t that counts, 0 below it, which no share
             is, for it could grow to t for nothing. So those at t have λ_j = a_j (s/t)^q ≤ 1, the others x_j = s·a_j^(1/q).

    >>> shares_of([1.0, 8.0], 2) == [Fraction(3333, 10000), Fraction(6667, 10000)]
    True
    >>> shares_of([1.0, 1.0, 1.0], 2) == [Fraction(1, 2)] * 3
    True
    """
    if not matters:
        return []
    count = min(max_affected, len(matters))
    even = [Fraction(1, count)] * len(matters)
    largest = max(matters)
    if not 0 < largest < math.inf or not math.isfinite(sum(matters)):
        return even
    weighted = [max(a / largest, MIN_MATTER) for a in matters]
    best = _rounded(_best(weighted, count, power + 1), count)
    gained = _objective(weighted, best, power) < WORTH * _objective(weighted, even, power)
    return best if gained else even


def _best(matters: Sequence[float], count: int, q: int) -> list[float]:
    """The optimum of the theorem, by trying how many statistics are above t."""
    roots = [math.pow(a, 1 / q) for a in matters]
    if len(matters) == count:
        return [root / sum(roots) for root in roots]
    order = sorted(range(len(matters)), key=lambda j: -matters[j])
    above, ratio = 0, 0.0
    for above in range(count):
        ratio = math.pow((count - above) / sum(matters[j] for j in order[above:]), 1 / q)  # s / t
        if ratio * roots[order[above]] <= 1:  # the next one would not rise above t; the last never does
            break
    t = 1 / (count - above + ratio * sum(roots[j] for j in order[:above]))
    return [t * max(1.0, ratio * root) for root in roots]


def _rounded(shares: Sequence[float], count: int) -> list[Fraction]:
    """Rounded down to whole parts; the remainder goes to the largest, so that the sum is 1."""
    whole = PARTS * 10 ** (len(str(len(shares))) - 1)
    parts = [math.floor(share * whole) for share in shares]
    first = max(range(len(parts)), key=lambda j: shares[j])
    parts[first] += whole - sum(sorted(parts, reverse=True)[:count])
    return [Fraction(part, whole) for part in parts]


def _noisy(facts: GroupFacts, matters: Sequence[float]) -> list[float]:
    return [a for a, fact in zip(matters, facts.statistics, strict=True) if fact.sensitivity.l1 > 0]


def _objective(matters: Sequence[float], shares: Sequence[Fraction], power: int = 2) -> float:
    return sum(a / float(share) ** power for a, share in zip(matters, shares, strict=True))


def _cube_root(x: float) -> float:
    return math.pow(x, 1 / 3)
