"""The hybrid mechanism: a first coin selects the piecewise mechanism or the one-bit mechanism.

Theorem: a mixture of two epsilon-DP randomisers, chosen independently of the value, is epsilon-DP; each report names its
         part and each part is unbiased, so the mixture is. With weight 1 - e^(-epsilon/2) on the piecewise part the largest
         variance is at most that of either part, for epsilon above 0.61; below that the coin alone is best.
Source:  Wang et al. 2019.
Slack:   that of the parts; the weight is rounded to 2^-64, which affects no guarantee.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from lapcat.core.coins import CoinSource
from lapcat.core.event import DiscreteRelease
from lapcat.core.exact import exact_text, exp_up
from lapcat.local.base import ONE, Columns, Integers, Tally, Words, drawn, set_fields
from lapcat.local.duchi import Duchi
from lapcat.local.piecewise import Piecewise
from lapcat.mechanisms.integers.finite import FiniteLaw

COIN_ALONE = Fraction(61, 100)


@dataclass(frozen=True, slots=True)
class Hybrid:
    """Reports of a place of 0 .. M - 1, or of tails (M) or heads (M + 1), about a step of 0 .. steps."""

    epsilon: Fraction
    steps: int
    near: Piecewise = field(init=False)
    coin: Duchi = field(init=False)
    weight: int = field(init=False)
    """The probability of the piecewise part, in units of 2^-64."""
    name: ClassVar[str] = "hybrid"
    words: ClassVar[int] = 2

    def __post_init__(self) -> None:
        coin = Duchi(self.epsilon, self.steps)
        set_fields(self, epsilon=coin.epsilon, steps=coin.steps, coin=coin)
        set_fields(self, near=Piecewise(self.epsilon, self.steps))
        share = 1 - exp_up(-min(self.epsilon, Fraction(64)) / 2) if self.epsilon > COIN_ALONE else 0
        object.__setattr__(self, "weight", int(share * ONE))

    @property
    def inputs(self) -> int:
        return self.steps + 1

    def draw(self, values: Integers, coins: CoinSource) -> Columns:
        """One report for each value, from fresh coins."""
        return drawn(self, values, coins)

    @property
    def outcomes(self) -> int:
        return self.near.outcomes + 2

    @property
    def tallies(self) -> tuple[Tally, ...]:
        return (Tally(("said",), self.outcomes),)

    @property
    def ranges(self) -> dict[str, int]:
        return {"said": self.outcomes}

    def encode(self, values: Integers, words: Words) -> Columns:
        """The first word selects the part, the second makes the report."""
        near = words[:, 0] < np.uint64(self.weight)
        place = self.near.encode(values, words[:, 1:])["said"]
        coin = self.coin.encode(values, words[:, 1:])["said"] + self.near.outcomes
        return {"said": np.where(near, place, coin)}

    def numbered(self, reports: Columns) -> Integers:
        return reports["said"]

    def law(self, value: int) -> FiniteLaw:
        share = Fraction(self.weight, ONE)
        near, coin = self.near.law(value).low, self.coin.law(value).low
        return FiniteLaw.exactly((*(share * p for p in near), *((1 - share) * p for p in coin)))

    def event(self, label: str) -> DiscreteRelease:
        worst = max(part.event(label).epsilon for part in (self.near, self.coin))
        return DiscreteRelease(label, worst)

    def worth(self, said: int) -> Fraction:
        """The unbiased estimate from one report, in steps."""
        places = self.near.outcomes
        return self.near.worth(said) if said < places else self.coin.worth(said - places)

    def variance(self, value: int) -> Fraction:
        share = Fraction(self.weight, ONE)
        return share * self.near.variance(value) + (1 - share) * self.coin.variance(value)

    def parameters(self) -> dict[str, object]:
        return {
            "epsilon": exact_text(self.epsilon),
            "steps": self.steps,
            "weight": str(self.weight),
            "window": self.near.window,
            "lie": str(self.near.lie),
            "slope": str(self.coin.slope),
        }
