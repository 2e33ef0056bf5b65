"""One-bit mean estimation: a coin whose probability of heads grows with the number (Duchi, Jordan & Wainwright).

Theorem: with N steps and the probability q + (p - q) * i / N of heads at step i, p = 1 - q, it is ln(p / q)-DP, and
         (heads - q) * N / (p - q) is unbiased for i.
Source:  Duchi, Jordan & Wainwright 2013, in one dimension.
Slack:   p - q is a multiple of 2N * 2^-64, rounded down, so every step's probability is exact.
Proof:   the probabilities of heads and of tails all lie in [q, p], so the largest ratio is p / q.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from lapcat.core.coins import CoinSource
from lapcat.core.event import DiscreteRelease
from lapcat.core.exact import exact_text, ln_up
from lapcat.core.mechanisms.checked import checked_whole
from lapcat.local.base import (
    ONE,
    Columns,
    Integers,
    Tally,
    Words,
    drawn,
    law_of,
    read_epsilon,
    set_fields,
    too_small,
)
from lapcat.local.domain import MAX_STEPS
from lapcat.local.unary import HALF, symmetric_lie
from lapcat.mechanisms.integers.finite import FiniteLaw


@dataclass(frozen=True, slots=True)
class Duchi:
    """One-bit reports about a step in 0 .. steps.

    >>> coin = Duchi(Fraction(1), 1)  # two values: randomised response
    >>> float(coin.chance(0)), float(coin.chance(1))
    (0.2689414213699951, 0.7310585786300049)
    """

    epsilon: Fraction
    steps: int
    slope: int = field(init=False)
    """The increase in the probability of heads per step, in units of 2^-63."""
    name: ClassVar[str] = "duchi"
    words: ClassVar[int] = 1

    def __post_init__(self) -> None:
        steps = checked_whole("local-steps", "steps", self.steps, 1, MAX_STEPS, "steps = 1000")
        set_fields(self, epsilon=read_epsilon(self.epsilon), steps=steps)
        slope = (HALF - symmetric_lie(self.epsilon)) // self.steps
        if not slope:
            raise too_small(self.epsilon, f"{self.steps} steps")
        object.__setattr__(self, "slope", slope)

    @property
    def inputs(self) -> int:
        return self.steps + 1

    @property
    def least(self) -> int:
        """The probability of heads at step 0, in units of 2^-64."""
        return HALF - self.steps * self.slope

    def chance(self, value: int) -> Fraction:
        """The probability of heads."""
        return Fraction(self.least + 2 * self.slope * value, ONE)

    @property
    def tallies(self) -> tuple[Tally, ...]:
        return (Tally(("said",), 2),)

    @property
    def ranges(self) -> dict[str, int]:
        return {"said": 2}

    def encode(self, values: Integers, words: Words) -> Columns:
        """Heads where the word is below q + 2 * slope * i."""
        edge = values.astype(np.uint64) * np.uint64(2 * self.slope) + np.uint64(self.least)
        return {"said": (words[:, 0] < edge).astype(np.int64)}

    def draw(self, values: Integers, coins: CoinSource) -> Columns:
        """One report for each value, from fresh coins."""
        return drawn(self, values, coins)

    @property
    def outcomes(self) -> int:
        return 2

    def numbered(self, reports: Columns) -> Integers:
        return reports["said"]

    def law(self, value: int) -> FiniteLaw:
        heads = self.least + 2 * self.slope * value
        return law_of([ONE - heads, heads])

    def event(self, label: str) -> DiscreteRelease:
        return DiscreteRelease(label, ln_up(Fraction(ONE - self.least, self.least)))

    def worth(self, said: int) -> Fraction:
        """The unbiased estimate from one report, in steps.

        >>> coin = Duchi(Fraction(2), 82)
        >>> sum(p * coin.worth(said) for said, p in enumerate(coin.law(40).low))
        Fraction(40, 1)
        """
        return Fraction((ONE if said else 0) - self.least, 2 * self.slope)

    def variance(self, value: int) -> Fraction:
        """The variance of `worth`, in squared steps."""
        heads = self.chance(value)
        return heads * (1 - heads) * Fraction(ONE, 2 * self.slope) ** 2

    def parameters(self) -> dict[str, object]:
        return {"epsilon": exact_text(self.epsilon), "steps": self.steps, "slope": str(self.slope)}
