"""A bounded number with Laplace noise, added by the person who reports it.

Theorem: a number of 0 .. N steps with discrete Laplace noise of scale b is (N / b)-DP in the local model: any two numbers
         are neighbours, so the sensitivity is the whole range, however many people report.
Source:  Dwork, McSherry, Nissim & Smith 2006.
Slack:   none; the noise is exact. From given words, it is drawn from the AES-256 keystream keyed by them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np

from lapcat.core.coins import CoinSource, Keystream, below
from lapcat.core.event import LaplaceRelease
from lapcat.core.exact import exact, exact_text
from lapcat.core.mechanisms.checked import checked_whole
from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw
from lapcat.core.mechanisms.laplace import Laplace as Noise
from lapcat.core.sampling import FARTHEST, checked_scale
from lapcat.local.base import Columns, Integers, Tally, Words, checked_values, read_epsilon, set_fields
from lapcat.local.domain import MAX_STEPS, Numbers


@dataclass(frozen=True, slots=True)
class Laplace:
    """Reports of a step in 0 .. steps with noise of this scale, in steps.

    >>> Laplace.of(Numbers(18, 100), scale=3).epsilon  # Alice's age with Lap(3)
    Fraction(82, 3)
    """

    scale: Fraction
    steps: int
    name: ClassVar[str] = "laplace"
    words: ClassVar[int] = 4

    def __post_init__(self) -> None:
        steps = checked_whole("local-steps", "steps", self.steps, 1, MAX_STEPS, "steps = 1000")
        set_fields(self, scale=checked_scale(exact(self.scale)), steps=steps)

    @classmethod
    def of(cls, domain: Numbers, *, scale: object) -> Self:
        """From a scale in the unit of the numbers."""
        return cls(exact(scale) / domain.step, domain.steps)

    @classmethod
    def calibrate(cls, epsilon: Fraction, steps: int) -> Self:
        """The smallest noise that costs at most epsilon."""
        return cls(steps / read_epsilon(epsilon), steps)

    @property
    def epsilon(self) -> Fraction:
        return self.steps / self.scale

    @property
    def inputs(self) -> int:
        return self.steps + 1

    @property
    def tallies(self) -> tuple[Tally, ...]:
        return (Tally(("said",), None),)

    def encode(self, values: Integers, words: Words) -> Columns:
        """Draws each person's exact noise from a keystream keyed by their words."""
        noise = Noise(self.scale)
        keys = words.astype("<u8")
        noisy = [noise.draw_one(int(value), _Stream(keys[i].tobytes())) for i, value in enumerate(values)]
        return {"said": np.array([min(max(z, -FARTHEST), FARTHEST) for z in noisy], np.int64)}

    def draw(self, values: Integers, coins: CoinSource) -> Columns:
        """One report for each value, from fresh coins, vectorised."""
        checked_values(self, values)
        return {"said": Noise(self.scale).draw(values, coins)}

    def law(self, value: int) -> DiscreteLaplaceLaw:
        return Noise(self.scale).law(value)

    def event(self, label: str) -> LaplaceRelease:
        return LaplaceRelease(label, Fraction(self.steps), self.scale)

    def worth(self, said: int) -> Fraction:
        """The unbiased estimate from one report, in steps: the report itself."""
        return Fraction(said)

    def variance(self, value: int) -> Fraction:
        return Fraction(self.law(value).variance)

    def parameters(self) -> dict[str, object]:
        return {"scale": exact_text(self.scale), "steps": self.steps}


class _Stream(Keystream):
    """One person's coins, as unpredictable as the key."""

    __slots__ = ()
    cryptographic = True

    def __init__(self, key: bytes) -> None:
        super().__init__(key, bytes(16))

    def below(self, m: int) -> int:
        return below(m, self.bits)
