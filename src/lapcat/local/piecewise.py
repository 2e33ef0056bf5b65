"""A number told by a place near it: a window of likely places slides along with the number (piecewise mechanism).

There are M = L + W places. The W from κ*i on are likely for step i (probability a each), the other L are not (b each).
Theorem: it is ln(a / b)-DP, whichever two steps are compared. The mean place is an affine function of i, exactly, so that an
         affine function of the place is unbiased for i.
Source:  Wang et al. 2019; the places of the paper are a continuum, here a fine grid: L = κ * N, W the nearest to
         L * e^(-epsilon/2) that has no divisor in common with L.
Slack:   a and b are multiples of 2^-64 with a <= e^epsilon * b. b is the least that leaves W likely places the same
         integer weight: as W and L have no common divisor, one of W consecutive integers does (the rest is given up).
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
from lapcat.core.mechanisms.finite import FiniteLaw, checked_whole
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
from lapcat.local.domain import MOST_STEPS

FINE = 1024  # places that the window slides over at least: the continuum's variance, to a millionth


@dataclass(frozen=True, slots=True)
class Piecewise:
    """Reports of a place of 0 .. outcomes - 1 about a step of 0 .. steps."""

    epsilon: Fraction
    steps: int
    stride: int = field(init=False)
    """How many places the window moves with a step: κ."""
    window: int = field(init=False)
    """W."""
    lie: int = field(init=False)
    """b, in units of 2^-64."""
    truth: int = field(init=False)
    """a, in units of 2^-64."""
    origin: Fraction = field(init=False, repr=False)
    """The mean place at step 0."""
    per_step: Fraction = field(init=False, repr=False)
    """By how much the mean place moves with a step."""
    name: ClassVar[str] = "piecewise"
    words: ClassVar[int] = 1

    def __post_init__(self) -> None:
        steps = checked_whole("local-steps", "steps", self.steps, 1, MOST_STEPS, "steps = 1000")
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
        """L: how many places are not likely."""
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
        """A word below L * b is a place outside the window, and says which; any other says which inside."""
        word = words[:, 0]
        edge, start = np.uint64(self.slide * self.lie), values * self.stride
        outside = word < edge
        said = np.empty(len(values), np.int64)
        place = (word[outside] // np.uint64(self.lie)).astype(np.int64)
        said[outside] = place + (place >= start[outside]) * self.window
        inside = ~outside
        said[inside] = start[inside] + ((word[inside] - edge) // np.uint64(self.truth)).astype(np.int64)
        return {"said": said}

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
        """What a report adds to the estimate, in steps: unbiased.

        >>> near = Piecewise(Fraction(2), 82)
        >>> sum(p * near.worth(said) for said, p in enumerate(near.law(40).low))
        Fraction(40, 1)
        """
        return (said - self.origin) / self.per_step

    def variance(self, value: int) -> Fraction:
        """Of what one report is worth, in squared steps."""
        start = value * self.stride
        return (self._moment(start, 2) - self._moment(start, 1) ** 2) / self.per_step**2

    def _moment(self, start: int, power: int) -> Fraction:
        """The mean of place^power where the window begins at `start`."""
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
    """The sum of i^power for i below the end, power 1 or 2."""
    return end * (end - 1) // 2 if power == 1 else end * (end - 1) * (2 * end - 1) // 6
