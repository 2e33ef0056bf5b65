"""The mean of a bounded number, from unbiased reports, with a confidence interval.

The interval holds for every n and every data set. One-bit reports use Clopper & Pearson's interval for coins of different
biases, Laplace noise uses Chernoff's bound with its moment generating function, and the others use Bernstein's inequality with
the largest variance and the largest error of a report. The intervals are about those who reported, not a larger population.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from lapcat.core.mechanisms.checked import checked_whole
from lapcat.local.base import Counts, Randomiser, dense
from lapcat.local.domain import Numbers
from lapcat.local.duchi import Duchi
from lapcat.local.laplace import Laplace
from lapcat.local.permanent import Permanent
from lapcat.mechanisms.binomial import LARGEST_NUMBER, success_bounds
from lapcat.mechanisms.integers.finite import checked_confidence


class NumberRandomiser(Randomiser, Protocol):
    """A randomiser whose reports estimate a number."""

    @property
    def steps(self) -> int: ...

    def worth(self, said: int) -> Fraction: ...

    def variance(self, value: int) -> Fraction: ...


@dataclass(frozen=True, slots=True)
class MeanEstimate:
    """The estimated mean: unbiased up to rounding to steps, so it may lie outside the bounds; its interval does not."""

    value: float
    low: float
    high: float
    sd: float
    """Upper bound on the standard deviation of the noise, for any data."""
    confidence: Fraction
    n: int


def worst_variance(randomiser: NumberRandomiser) -> Fraction:
    """The largest variance of one report, over all numbers, in squared steps.

    The variance is a quadratic function of the step, symmetric about the middle: its maximum is at an end or in the middle.
    """
    steps = randomiser.steps
    return max(randomiser.variance(value) for value in (0, steps // 2, (steps + 1) // 2, steps))


def estimate_mean(
    randomiser: NumberRandomiser,
    domain: Numbers,
    counts: Sequence[Counts],
    n: int,
    confidence: Fraction = Fraction(95, 100),
) -> MeanEstimate:
    """The mean, from the count of each report."""
    checked_confidence(confidence)
    checked_whole("reports-number", "the number of reports", n, 1, LARGEST_NUMBER, "at least one report")
    size = randomiser.tallies[0].size
    if size is not None:
        dense(counts[0], size)  # refuses reports of another protocol
    places, numbers = (part.tolist() for part in counts[0])
    total = sum(
        (number * randomiser.worth(report) for report, number in zip(places, numbers, strict=True)),
        Fraction(0),
    )
    mean = total / n
    low, high = _ends(randomiser, mean, n, float((1 - confidence) / 2))
    steps = randomiser.steps
    sd = math.sqrt(worst_variance(randomiser) / n) * float(domain.step)
    return MeanEstimate(
        domain.number(mean),
        domain.number(min(max(low, 0.0), steps)),
        domain.number(max(min(high, float(steps)), 0.0)),
        sd,
        confidence,
        n,
    )


def _ends(randomiser: NumberRandomiser, mean: Fraction, n: int, level: float) -> tuple[float, float]:
    """The ends of the interval, in steps."""
    if isinstance(randomiser, Duchi | Permanent):
        heads = round(n * (mean - randomiser.worth(0)) / (randomiser.worth(1) - randomiser.worth(0)))
        ends = (
            success_bounds(max(0, heads - 1), n, level)[0],
            success_bounds(min(n, heads + 1), n, level)[1],
        )
        low, high = (
            float(randomiser.worth(0)) + x * float(randomiser.worth(1) - randomiser.worth(0)) for x in ends
        )
        return low, high
    if isinstance(randomiser, Laplace):
        margin = laplace_margin(float(randomiser.scale), n, level)
    else:
        size = randomiser.tallies[0].size
        assert size is not None
        worths = [float(randomiser.worth(report)) for report in (0, 1, size - 3, size - 2, size - 1)]
        far = max(max(worths), randomiser.steps - min(worths))
        margin = bernstein_margin(float(worst_variance(randomiser)), far, n, level)
    return float(mean) - margin, float(mean) + margin


def bernstein_margin(variance: float, far: float, n: int, level: float) -> float:
    """t with Pr[the mean of n independent errors is t or more] <= level.

    Theorem: errors of mean 0, of variance at most v and at most m each: Pr <= exp(-n t^2 / (2 (v + m t / 3))) (Bernstein).

    >>> round(bernstein_margin(1.0, 1.0, 10**6, 0.025), 5)  # a normal distribution would give 0.00196
    0.00272
    """
    rate = math.log(1 / level) / n
    third = far * rate / 3
    return third + math.sqrt(third * third + 2 * variance * rate)


def laplace_margin(scale: float, n: int, level: float) -> float:
    """t with Pr[the mean of n Laplace errors is t or more] <= level.

    Theorem: Pr <= E[e^(s Z)]^n e^(-s n t) for every s (Chernoff), and discrete Laplace noise, the difference of two
             geometric numbers of ratio q = e^(-1 / scale), has E[e^(s Z)] = (1 - q)^2 / ((1 - q e^s) (1 - q e^-s)).
    """
    wanted = math.log(1 / level) / n

    def margin(s: float) -> float:  # s in units of 1 / scale
        gone, up, down = (-math.expm1((x - 1) / scale) for x in (0.0, s, -s))
        return (wanted + 2 * math.log(gone) - math.log(up) - math.log(down)) * scale / s

    # The function falls, then rises. Every s gives a valid margin, so a coarse search is sound.
    best = min((i / 2000 for i in range(1, 2000)), key=margin)
    return margin(best)
