"""Optimised unary encoding: one bit for each value; the true one is set with probability 1/2, each other with q.

Theorem: two values change the law of two bits, so a report is at most (1/2) / q * (1 - q) / (1/2) = (1 - q) / q times as
         likely from one as from the other: ln((1 - q) / q)-DP. At q = 1 / (e^epsilon + 1) that is epsilon, and of all
         pairs of probabilities, 1/2 and q minimise a rare value's variance, 4 e^epsilon / (e^epsilon - 1)^2.
Source:  Wang, Blocki, Li & Jha 2017 (OUE).
Slack:   q is a multiple of 2^-64, rounded up, which makes (1 - q) / q smaller.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from lapcat.core.coins import CoinSource
from lapcat.core.event import DiscreteRelease
from lapcat.core.exact import exact_text, exp_down, ln_up
from lapcat.core.mechanisms.checked import checked_whole
from lapcat.local.base import (
    ONE,
    Columns,
    Counts,
    Integers,
    SetBits,
    Words,
    checked_outcomes,
    dense,
    drawn,
    read_epsilon,
    set_fields,
    too_small,
)
from lapcat.mechanisms.integers.finite import FiniteLaw

MAX_VALUES = 1 << 14  # a report has one bit, and takes one word of coins, per value
HALF = ONE // 2


@dataclass(frozen=True, slots=True)
class Unary:
    """Reports of `values` bits."""

    epsilon: Fraction
    values: int
    lie: int = field(init=False)
    """The probability that another value's bit is set, in units of 2^-64."""
    name: ClassVar[str] = "unary"

    def __post_init__(self) -> None:
        values = checked_whole(
            "values-range", "values", self.values, 2, MAX_VALUES, "values = 2 for yes and no"
        )
        set_fields(self, epsilon=read_epsilon(self.epsilon), values=values)
        object.__setattr__(self, "lie", symmetric_lie(self.epsilon))

    @property
    def inputs(self) -> int:
        return self.values

    @property
    def words(self) -> int:
        return self.values

    @property
    def holds(self) -> Fraction:
        return Fraction(1, 2)

    @property
    def others(self) -> Fraction:
        return Fraction(self.lie, ONE)

    @property
    def report_bits(self) -> int:
        return self.values

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a report, 32 values each."""
        return tuple(f"bits_{i}" for i in range(-(-self.values // 32)))

    @property
    def tallies(self) -> tuple[SetBits, ...]:
        return (SetBits(self.columns, self.values),)

    @property
    def ranges(self) -> dict[str, int]:
        return {name: 1 << min(32, self.values - 32 * i) for i, name in enumerate(self.columns)}

    def encode(self, values: Integers, words: Words) -> Columns:
        """Bit i is set where word i is below q, or below 1/2 if i is the true value.

        >>> words = np.array([[2**63 - 1, 2**63 - 1, 0]], np.uint64)
        >>> Unary(Fraction(1), 3).encode(np.array([1]), words)["bits_0"].tolist()  # bits 1 and 2
        [6]
        """
        people = np.arange(len(values))
        padded = np.zeros((len(values), 32 * len(self.columns)), np.bool_)
        np.less(words, np.uint64(self.lie), out=padded[:, : self.values])
        padded[people, values] = words[people, values] < np.uint64(HALF)
        packed = np.packbits(padded, axis=1, bitorder="little").view("<u4").astype(np.int64)
        return {name: packed[:, i].copy() for i, name in enumerate(self.columns)}

    def draw(self, values: Integers, coins: CoinSource) -> Columns:
        """One report for each value, from fresh coins."""
        return drawn(self, values, coins)

    @property
    def outcomes(self) -> int:
        return 1 << self.values

    def numbered(self, reports: Columns) -> Integers:
        checked_outcomes(self.outcomes)
        return reports["bits_0"]

    def law(self, value: int) -> FiniteLaw:
        """The bits are independent."""
        checked_outcomes(self.outcomes)
        chance = [self.holds if i == value else self.others for i in range(self.values)]
        return FiniteLaw.exactly(
            tuple(
                math.prod((p if report >> i & 1 else 1 - p for i, p in enumerate(chance)), start=Fraction(1))
                for report in range(self.outcomes)
            )
        )

    def event(self, label: str) -> DiscreteRelease:
        return DiscreteRelease(label, ln_up(Fraction(ONE - self.lie, self.lie)))

    def support(self, counts: list[Counts], n: int) -> Integers:
        """The number of reports with each value's bit set."""
        return dense(counts[0], self.values)

    def parameters(self) -> dict[str, object]:
        return {"epsilon": exact_text(self.epsilon), "values": self.values, "lie": str(self.lie)}


def symmetric_lie(epsilon: Fraction) -> int:
    """The smallest q ≥ 1 / (e^epsilon + 1), in units of 2^-64, with ln((1 - q) / q) provably at most epsilon."""
    lie = math.ceil(ONE / (exp_down(min(epsilon, Fraction(64))) + 1))
    while ln_up(Fraction(ONE - lie, lie)) > epsilon:  # the cost is itself rounded up
        lie += 1
    if lie >= HALF:
        raise too_small(epsilon, "two values")
    return lie
