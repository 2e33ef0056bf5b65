"""Randomised response, one word per report: the true value with probability p, else one of the others, uniformly.

Theorem: with k values and probabilities p of the true one and r of each other, it is ln(p / r)-DP in the local model.
         The largest p for epsilon is e^epsilon / (e^epsilon + k - 1).
Source:  Warner 1965 (k = 2).
Slack:   r is a multiple of 2^-64, rounded up; p = 1 - (k - 1) * r. Otherwise none.
Proof that r rounded up is safe: p / r = 1 / r - (k - 1) falls as r grows, and is e^epsilon at the unrounded r.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from lapcat.core.coins import CoinSource
from lapcat.core.event import ResponseRelease
from lapcat.core.exact import exact_text, exp_down, ln_up
from lapcat.core.mechanisms.checked import checked_whole
from lapcat.local.base import (
    ONE,
    Columns,
    Counts,
    Integers,
    Tally,
    Words,
    dense,
    drawn,
    law_of,
    read_epsilon,
    set_fields,
    too_small,
)
from lapcat.mechanisms.integers.finite import FiniteLaw

MAX_VALUES = 1 << 32


@dataclass(frozen=True, slots=True)
class Response:
    """Reports of one of `values` values.

    >>> half = Response(Fraction(1), 3)
    >>> float(half.holds), float(half.others)  # e / (e + 2) and 1 / (e + 2)
    (0.5761168847658291, 0.21194155761708544)
    """

    epsilon: Fraction
    values: int = 2
    lie: int = field(init=False)
    """The probability of each value that is not true, in units of 2^-64."""
    name: ClassVar[str] = "response"
    words: ClassVar[int] = 1

    def __post_init__(self) -> None:
        values = checked_whole(
            "values-range", "values", self.values, 2, MAX_VALUES, "values = 2 for yes and no"
        )
        set_fields(self, epsilon=read_epsilon(self.epsilon), values=values)
        others = self.values - 1
        lie = math.ceil(ONE / (exp_down(min(self.epsilon, Fraction(64))) + others))
        while ln_up(Fraction(ONE - others * lie, lie)) > self.epsilon:  # the cost is itself rounded up
            lie += 1
        if ONE - others * lie <= lie:
            raise too_small(self.epsilon, f"{self.values} values")
        object.__setattr__(self, "lie", lie)

    @property
    def inputs(self) -> int:
        return self.values

    @property
    def truth(self) -> int:
        """The probability of the true value, in units of 2^-64."""
        return ONE - (self.values - 1) * self.lie

    @property
    def holds(self) -> Fraction:
        """The probability that a holder of a value supports it."""
        return Fraction(self.truth, ONE)

    @property
    def others(self) -> Fraction:
        """The probability that anybody else supports it."""
        return Fraction(self.lie, ONE)

    @property
    def report_bits(self) -> int:
        return (self.values - 1).bit_length()

    @property
    def tallies(self) -> tuple[Tally, ...]:
        return (Tally(("said",), self.values),)

    @property
    def ranges(self) -> dict[str, int]:
        return {"said": self.values}

    def encode(self, values: Integers, words: Words) -> Columns:
        """A word below (k - 1) * r selects one of the other values; any other word gives the true value.

        >>> made = Response(Fraction(1), 3).encode(np.array([0, 1]), np.array([[0], [2**64 - 1]], np.uint64))
        >>> made["said"].tolist()
        [1, 1]
        """
        last = np.uint64(
            self.values - 1
        )  # the quotient can exceed int64 if r is small: clamp before the cast
        other = np.minimum(words[:, 0] // np.uint64(self.lie), last).astype(np.int64)
        reported = other + (other >= values)  # the values without the true one, in order
        np.copyto(reported, values, where=other == self.values - 1)
        return {"said": reported}

    def draw(self, values: Integers, coins: CoinSource) -> Columns:
        """One report for each value, from fresh coins."""
        return drawn(self, values, coins)

    @property
    def outcomes(self) -> int:
        return self.values

    def numbered(self, reports: Columns) -> Integers:
        return reports["said"]

    def law(self, value: int) -> FiniteLaw:
        return law_of([self.truth if report == value else self.lie for report in range(self.values)])

    def event(self, label: str) -> ResponseRelease:
        """The privacy loss of one report.

        >>> 0 <= 1 - Response(Fraction(1)).event("smokes").loss.epsilon < Fraction(1, 2**60)
        True
        """
        return ResponseRelease(label, self.values, self.holds)

    def support(self, counts: list[Counts], n: int) -> Integers:
        """The number of reports that name each value."""
        return dense(counts[0], self.values)

    def parameters(self) -> dict[str, object]:
        return {"epsilon": exact_text(self.epsilon), "values": self.values, "lie": str(self.lie)}
