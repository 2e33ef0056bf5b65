"""The piecewise mechanism: reports a place on a grid, where a window of likely places moves with the number.

There are M = L + W places. For step i, the W places from κ*i on have probability a each, the other L have b each.
Theorem: it is ln(a / b)-DP for any two steps. The mean place is exactly an affine function of i, so an affine function of the
         place is unbiased for i.
Source:  Wang et al. 2019; the paper uses a continuum of places, this module a fine grid: L = κ * N, and W is the first integer
         from round(L * e^(-epsilon/2)) upward that is coprime to L.
Slack:   a and b are multiples of 2^-64 with a <= e^epsilon * b. b is the smallest that leaves the W likely places
         the same integer weight: since W and L are coprime, one of W consecutive integers does.
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
from lapcat.mechanisms.integers.finite import FiniteLaw

FINE = 1024  # minimum number of places the window moves over: matches the continuum's variance to 1e-6


@dataclass(frozen=True, slots=True)
class Piecewise:
    """Reports of a place in 0 .. outcomes - 1 about a step in 0 .. steps."""

    epsilon: Fraction
    steps: int
    stride: int = field(init=False)
    """κ: the number of places the window moves per step."""
    window: int = field(init=False)
    """W: the number of likely places."""
    lie: int = field(init=False)
    """b, in units of 2^-64."""
    truth: int = field(init=False)
    """a, in units of 2^-64."""
    origin: Fraction = field(init=False, repr=False)
    """The mean place at step 0."""
    per_step: Fraction = field(init=False, repr=False)
    """The movement of the mean place per step."""
    name: ClassVar[str] = "piecewise"
    words: ClassVar[int] = 1

    def __post_init__(self) -> None:
        steps = checked_whole("local-steps", "steps", self.steps, 1, MAX_STEPS, "steps = 1000")
        set_fields(self, epsilon=read_epsilon(self.epsilon), steps=steps)
        stride = -(-FINE // self.steps)
        slide = stride * self.steps
        window = max(1, round(slide * exp_down(-min(self.epsilon, Fraction(64)) / 2)))
        while math.gcd(window, slide) != 1:
            window += 1
        lie = math.ceil(ONE / (slide + window * exp_down(min(self.epsilon, Fraction(64)))))
        if window > 1:
            lie += (ONE * pow(slide, -1, window) - lie) % window
        while (
            ln_up(Fraction(ONE - lie * slide, window * lie)) > self.epsilon
        ):  # the cost is itself rounded up
            lie += window
        truth = (ONE - lie * slide) // window
        if truth <= lie:
            raise too_small(self.epsilon, f"{self.steps} steps")
        set_fields(self, stride=stride, window=window, lie=lie, truth=truth)
        set_fields(self, origin=self._moment(0, 1), per_step=Fraction((truth - lie) * window * stride, ONE))

    @property
    def inputs(self) -> int:
        return self.steps + 1

    @property
    def slide(self) -> int:
        """L: the number of unlikely places."""
        return self.stride * self.steps

    @property
    def outcomes(self) -> int:
        return self.slide + self.window

    @property
    def tallies(self) -> tuple[Tally, ...]:
        return (Tally(("said",), self.outcomes),)

    @property
    def ranges(self) -> dict[str, int]:
        return {"said": self.outcomes}

    def encode(self, values: Integers, words: Words) -> Columns:
        """A word below L * b selects a place outside the window, any other a place inside."""
        word = words[:, 0]
        edge, start = np.uint64(self.slide * self.lie), values * self.stride
        outside = word < edge
        reported = np.empty(len(values), np.int64)
        place = (word[outside] // np.uint64(self.lie)).astype(np.int64)
        reported[outside] = place + (place >= start[outside]) * self.window
        inside = ~outside
        reported[inside] = start[inside] + ((word[inside] - edge) // np.uint64(self.truth)).astype(np.int64)
        return {"said": reported}

    def draw(self, values: Integers, coins: CoinSource) -> Columns:
        """One report for each value, from fresh coins."""
        return drawn(self, values, coins)

    def numbered(self, reports: Columns) -> Integers:
        return reports["said"]

    def law(self, value: int) -> FiniteLaw:
        start = value * self.stride
        return law_of(
            [
                self.truth if start <= place < start + self.window else self.lie
                for place in range(self.outcomes)
            ]
        )

    def event(self, label: str) -> DiscreteRelease:
        return DiscreteRelease(label, ln_up(Fraction(self.truth, self.lie)))

    def worth(self, said: int) -> Fraction:
        """The unbiased estimate from one report, in steps.

        >>> near = Piecewise(Fraction(2), 82)
        >>> sum(p * near.worth(said) for said, p in enumerate(near.law(40).low))
        Fraction(40, 1)
        """
        return (said - self.origin) / self.per_step

    def variance(self, value: int) -> Fraction:
        """The variance of `worth`, in squared steps."""
        start = value * self.stride
        return (self._moment(start, 2) - self._moment(start, 1) ** 2) / self.per_step**2

    def _moment(self, start: int, power: int) -> Fraction:
        """The mean of place^power if the window begins at `start`."""
        window = _powers(start + self.window, power) - _powers(start, power)
        return Fraction(self.lie * _powers(self.outcomes, power) + (self.truth - self.lie) * window, ONE)

    def parameters(self) -> dict[str, object]:
        return {
            "epsilon": exact_text(self.epsilon),
            "steps": self.steps,
            "window": self.window,
            "lie": str(self.lie),
        }


def _powers(end: int, power: int) -> int:
    """Σ i^power for i < end, where power is 1 or 2."""
    return end * (end - 1) // 2 if power == 1 else end * (end - 1) * (2 * end - 1) // 6
