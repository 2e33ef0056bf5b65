"""Margins of one or several answers by three theorems, and the least epsilon for a requested error.

The exact law is always the tightest. The union bound needs no independence, Chebyshev's inequality not even the law.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from lapcat.core.exact import exact, exact_text, exp_up, ln_down, sqrt_up
from lapcat.core.mechanisms.base import Law
from lapcat.errors import BadArgument

QUANTUM = Fraction(1, 10**9)  # the finest epsilon that a ledger counts
LARGEST = 10**6  # beyond it no promise is left


@dataclass(frozen=True, slots=True)
class Margins:
    """A margin that holds for all of `answers` numbers jointly with this confidence, by three theorems."""

    answers: int
    confidence: Fraction
    exact: float
    union_bound: float
    chebyshev: float

    def __str__(self) -> str:
        many = "one answer" if self.answers == 1 else f"{self.answers} answers at once"
        return (
            f"{many} at {float(self.confidence) * 100:.4g} % confidence: exactly ±{self.exact:.6g}, "
            f"by the union bound ±{self.union_bound:.6g}, by Chebyshev ±{self.chebyshev:.6g}"
        )

    __repr__ = __str__


def margins_of(law: Law, step: Fraction, confidence: object, answers: int = 1) -> Margins:
    """The margins of independent noise of one law, in steps.

    Exact: the least t with Pr[|Z| <= t]^k >= 1 - β, so each alone must reach (1 - β)^(1/k).
    Union bound: each alone fails with probability at most β / k.
    Chebyshev: Pr[|Z| >= t] <= variance / t², and again β / k for each.
    """
    sure, k = checked_confidence(confidence), checked_answers(answers)
    beta = (1 - sure) / k
    each = each_of_independent(sure, k)
    size = float(step)
    return Margins(
        k,
        sure,
        law.margin(each) * size,
        law.margin(1 - beta) * size,
        math.sqrt(law.variance / float(beta)) * size,
    )


def each_of_independent(confidence: Fraction, count: int) -> Fraction:
    """The confidence that each of `count` independent statements needs for all to hold jointly: confidence^(1/count),
    rounded up, and at most that of the union bound."""
    if count <= 1:
        return confidence
    # (1 - β)^(1/k) <= 1 - β/k, so the union bound's share also serves where the rounded root would pass it
    return min(exp_up(-ln_down(1 / confidence) / count), 1 - (1 - confidence) / count)


def least_epsilon(margin_at: Callable[[Fraction], float], error: object) -> Fraction:
    """The least epsilon, to one part in a million and rounded up, at which the margin is at most `error`."""
    wanted = exact(error)
    if wanted <= 0:
        raise BadArgument("error-range", f"error must be above zero, not {error}", fix="error=500")
    low, high = Fraction(0), Fraction(1)
    while margin_at(high) > wanted:
        low, high = high, high * 2
        if high > LARGEST:
            raise BadArgument(
                "error-needs-epsilon",
                f"an error of {exact_text(wanted)} needs an epsilon above {LARGEST}, which protects nobody",
                fix="allow a larger error, or use a finer grid",
            )
    while high - low > max(QUANTUM, high / 10**6):
        middle = -(-((low + high) / 2) // QUANTUM) * QUANTUM
        if middle in (low, high):
            break
        if margin_at(middle) <= wanted:
            high = middle
        else:
            low = middle
    return high


def checked_above_zero(name: str, value: Fraction) -> Fraction:
    """An epsilon, or a rate made from one."""
    if not isinstance(value, Fraction):  # an int would turn 1 / rate into a float
        raise TypeError(f"{name} is a Fraction, not {value!r}: exact() makes one")
    if value < 0:
        raise BadArgument("epsilon-sign", f"{name} = {value} is negative", fix=f"{name} = 0.1")
    if not value:
        raise BadArgument(
            "epsilon-zero",
            f"{name} = 0 allows no answer",
            why="an answer that costs nothing ignores the data",
            fix=f"{name} = 0.1",
        )
    return value


def checked_confidence(confidence: object) -> Fraction:
    read = exact(confidence)
    if not 0 < read < 1:
        raise BadArgument(
            "probability-range",
            f"{exact_text(read)} is not a probability strictly between 0 and 1",
            fix="use 0.95 or 0.999: unbounded noise has no margin that always holds",
        )
    return read


def checked_answers(answers: object) -> int:
    if isinstance(answers, bool) or not isinstance(answers, int) or answers < 1:
        raise BadArgument(
            "answers-range",
            f"answers must be a whole number of at least one, not {answers!r}",
            fix="answers=10",
        )
    return answers


def chebyshev_margin(variance: Fraction, failure: Fraction) -> Fraction:
    """sd / sqrt(failure): Pr[|X - mean| >= t] <= variance / t², rounded up.

    >>> chebyshev_margin(Fraction(4), Fraction(1, 4))
    Fraction(4, 1)
    """
    return sqrt_up(variance / failure)
