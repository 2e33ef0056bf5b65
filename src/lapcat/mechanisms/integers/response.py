"""Randomised response: each person reports the true value with probability p, and otherwise a uniform other value.

Theorem: with `values` = k it is ln(p * (k - 1) / (1 - p))-DP in the local model: a report is at most p / ((1 - p) / (k - 1))
         times as likely from one value as from another. Under replace-one the collection of reports costs the same.
Source:  Warner 1965 (k = 2).
Slack:   p is the largest multiple of 2^-64 that costs at most epsilon; otherwise none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.event import ResponseRelease
from lapcat.core.exact import exp_bounds, ln_up
from lapcat.core.mechanisms.checked import checked_whole
from lapcat.core.sampling import bernoulli, uniform_below
from lapcat.errors import BadArgument
from lapcat.mechanisms.binomial import LARGEST_NUMBER, true_count_bounds
from lapcat.mechanisms.integers.finite import FiniteLaw, checked_confidence
from lapcat.plan.margins import checked_above_zero

BITS = 64  # p is a multiple of 2^-64
MAX_VALUES = 1 << 32
CHUNK = 1 << 16  # reports at a time: their arrays stay in the processor's cache


@dataclass(frozen=True, slots=True)
class Response:
    """Reports of one of `values` values, at most this epsilon each; the values are 0, 1, ..., or False and True."""

    epsilon: Fraction
    values: int = 2
    truth: Fraction = field(init=False)
    """The probability of the true value."""

    def __post_init__(self) -> None:
        checked_above_zero("epsilon", self.epsilon)
        checked_whole("values-range", "values", self.values, 2, MAX_VALUES, "values = 2 for yes and no")
        truth = _truth_down(self.epsilon, self.values)
        if truth * self.values <= 1:
            raise BadArgument(
                "epsilon-too-small",
                f"epsilon = {self.epsilon} with {self.values} values makes reports uninformative",
                why="to 64 bits, the true value would be no likelier than any other value",
                fix="a larger epsilon, or fewer values",
            )
        object.__setattr__(self, "truth", truth)

    @property
    def lie(self) -> Fraction:
        """The probability of each false value."""
        return (1 - self.truth) / (self.values - 1)

    def draw(
        self, exact: NDArray[np.int64] | NDArray[np.bool_], coins: CoinSource
    ) -> NDArray[np.int64] | NDArray[np.bool_]:
        """One report for each true value, of the same type: int64 in 0 .. values - 1, or bool where there are two.

        >>> from lapcat.core.coins import system_coins
        >>> sure = Response(Fraction(100))  # p = 1 - 2^-64, the largest possible
        >>> sure.draw(np.array([True, False]), system_coins()).tolist()
        [True, False]
        """
        if exact.dtype == np.bool_ and self.values == 2:
            return self._binary(exact.astype(np.bool_, copy=False).ravel(), coins).reshape(exact.shape)
        if exact.dtype != np.int64:
            raise TypeError(
                f"responses are to int64, or to bool where there are two values, not {exact.dtype}"
            )
        true = exact.astype(np.int64, copy=False).ravel()
        if true.size and (true.min() < 0 or true.max() >= self.values):
            raise BadArgument(  # an error is an output too: it does not say which value
                "response-value",
                f"a true value lies outside 0 .. {self.values - 1}",
                fix="number the values from 0, or raise `values`",
            )
        if self.values == 2:
            return self._binary(true.astype(np.bool_), coins).astype(np.int64).reshape(exact.shape)
        return self._many_valued(true, coins).reshape(exact.shape)

    def law(self, exact: int) -> FiniteLaw:
        """The law of the report of this true value, exactly.

        >>> law = Response(Fraction(1), 3).law(1)
        >>> law.pmf(0) == law.pmf(2) < law.pmf(1)
        True
        """
        if not 0 <= exact < self.values:
            raise BadArgument(
                "response-value", f"{exact} lies outside 0 .. {self.values - 1}", fix="one of the values"
            )
        return FiniteLaw.exactly(tuple(self.truth if i == exact else self.lie for i in range(self.values)))

    def event(self, label: str) -> ResponseRelease:
        """One report of one unit; several reports of a unit are charged separately.

        >>> 0 <= Fraction(1, 2) - Response(Fraction(1, 2)).event("smokes").loss.epsilon < Fraction(1, 2**60)
        True
        """
        return ResponseRelease(label, self.values, self.truth)

    def estimate(
        self, reports: Sequence[SupportsIndex], confidence: Fraction = Fraction(95, 100)
    ) -> tuple[ShareEstimate, ...]:
        """The estimated share of each value among those who reported, from the number of reports of each value.

        Theorem: with p = truth, r = lie and n reports, if a people hold a value and c reports name it, c is the sum of a
                 coins of bias p and n - a of bias r. So (c/n - r) / (p - r) is unbiased for a/n, with the variance
                 (a*p*(1-p) + (n-a)*r*(1-r)) / (n*(p-r))^2 given the data. For k = 2 that is p(1-p) / (n(2p-1)^2).
        Interval: every a for which both tails at c exceed (1 - confidence)/2, by the exact law of the sum. It is valid for
                 each n and every data set, unlike a normal approximation, and narrower than Hoeffding's bound, which
                 ignores p, by a quarter or more at 95 %. It is about those who reported, not about a population they
                 were sampled from, and about one value at a time.

        >>> no, yes = Response(Fraction(1)).estimate([400, 600])
        >>> round(yes.value, 4), round(no.value + yes.value, 9), yes.low < yes.value < yes.high
        (0.7164, 1.0, True)
        """
        checked_confidence(confidence)
        if len(reports) != self.values:
            raise BadArgument(
                "reports-length",
                f"{len(reports)} numbers of reports for {self.values} values",
                fix="for each value the number of reports that named it, 0 included",
            )
        named = [
            checked_whole("reports-number", "a number of reports", number, 0, fix="how many reports named it")
            for number in reports
        ]
        n = checked_whole(
            "reports-number",
            "the number of all reports",
            sum(named),
            1,
            LARGEST_NUMBER,
            "at least one report",
        )
        return tuple(self._share(number, n, confidence) for number in named)

    def _share(self, named: int, n: int, confidence: Fraction) -> ShareEstimate:
        p, r = self.truth, self.lie
        value = (Fraction(named, n) - r) / (p - r)
        variance = (value * p * (1 - p) + (1 - value) * r * (1 - r)) / (n * (p - r) ** 2)
        odds, lie_odds = float(p / (1 - p)), float(r / (1 - r))
        low, high = true_count_bounds(named, n, odds, lie_odds, float((1 - confidence) / 2))
        return ShareEstimate(float(value), low / n, high / n, float(max(variance, Fraction(0))), confidence)

    def _binary(self, true: NDArray[np.bool_], coins: CoinSource) -> NDArray[np.bool_]:
        reports = np.empty(len(true), np.bool_)
        for start in range(0, len(true), CHUNK):
            piece = true[start : start + CHUNK]
            np.equal(piece, bernoulli(self.truth, len(piece), coins), out=reports[start : start + CHUNK])
        return reports

    def _many_valued(self, true: NDArray[np.int64], coins: CoinSource) -> NDArray[np.int64]:
        reports = true.copy()
        lies = np.flatnonzero(~bernoulli(self.truth, len(true), coins))
        for start in range(0, len(lies), CHUNK):
            here = lies[start : start + CHUNK]
            other = uniform_below(self.values - 1, len(here), coins)
            other += other >= true[here]  # the values without the true one, in order
            reports[here] = other
        return reports


@dataclass(frozen=True, slots=True)
class ShareEstimate:
    """The estimated share of one value: unbiased, so it may lie outside 0 .. 1; its interval does not.

    The variance is that of the noise, given the data; if it depends on the unknown share, it is itself an
    unbiased estimate (raised to 0 where it would be negative).
    """

    value: float
    low: float
    high: float
    variance: float
    confidence: Fraction


def _truth_down(epsilon: Fraction, values: int) -> Fraction:
    """The largest p that is a multiple of 2^-64 below 1 and certainly costs at most epsilon.

    p = 1 / (1 + (k - 1) * e^-epsilon), rounded down. The cost of an event is itself rounded up (by 2^-64 of its size);
    if that would exceed epsilon, p is one step less.
    """
    largest = (1 << BITS) - 1
    bits = 2 * BITS
    while True:
        e_low, e_high = exp_bounds(epsilon, bits)
        steps, upper_steps = (
            min((1 << (BITS + bits)) // ((1 << bits) + (values - 1) * e), largest) for e in (e_high, e_low)
        )
        if steps == upper_steps:
            break
        bits *= 2  # e^-epsilon is irrational, so enough bits decide
    while ln_up(Fraction(steps * (values - 1), (1 << BITS) - steps)) > epsilon:
        steps -= 1
    return Fraction(steps, 1 << BITS)
