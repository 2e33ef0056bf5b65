"""k yes-or-no questions: epsilon split over all of them, or one random question for each person at the full epsilon.

Theorem: answering all at epsilon / k is epsilon-DP by composition; answering one that is drawn independently of the answers,
         at the full epsilon, is epsilon-DP. The noise variance of a share per person is about k^2 / epsilon^2 the first way
         and k / epsilon^2 the second, plus sampling error: each question is answered by n / k people only.
Source:  Dwork & Roth 2014 (composition); Warner 1965.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np

from lapcat.core.coins import CoinSource
from lapcat.core.event import DiscreteRelease
from lapcat.core.exact import exact_text
from lapcat.core.mechanisms.checked import checked_whole
from lapcat.errors import BadArgument
from lapcat.local.base import (
    ONE,
    Columns,
    Counts,
    Integers,
    SetBits,
    Tally,
    Words,
    checked_outcomes,
    dense,
    drawn,
    read_epsilon,
    set_fields,
)
from lapcat.local.response import Response
from lapcat.mechanisms.binomial import success_bounds, true_count_bounds
from lapcat.mechanisms.integers.finite import FiniteLaw, checked_confidence
from lapcat.mechanisms.integers.response import ShareEstimate

MAX_QUESTIONS = 32
WAYS = ("split", "one")


@dataclass(frozen=True, slots=True)
class Questions:
    """A person's value is a number whose bit j is the answer to question j."""

    epsilon: Fraction
    questions: int
    way: Literal["split", "one"]
    answer: Response = field(init=False)
    """The randomised response to one question."""
    name: ClassVar[str] = "questions"

    def __post_init__(self) -> None:
        questions = checked_whole(
            "questions-range",
            "questions",
            self.questions,
            1,
            MAX_QUESTIONS,
            "questions=10, or several surveys",
        )
        if not isinstance(self.way, str) or self.way not in WAYS:
            raise BadArgument("questions-way", f"unknown way {self.way!r}", fix='way="split" or way="one"')
        epsilon = read_epsilon(self.epsilon)
        share = epsilon / questions if self.way == "split" else epsilon
        set_fields(self, epsilon=epsilon, questions=questions, answer=Response(share, 2))

    @property
    def inputs(self) -> int:
        return 1 << self.questions

    @property
    def words(self) -> int:
        return self.questions if self.way == "split" else 2

    @property
    def tallies(self) -> tuple[Tally | SetBits, ...]:
        if self.way == "split":
            return (SetBits(("bits_0",), self.questions),)
        return (Tally(("said",), 2 * self.questions),)

    @property
    def ranges(self) -> dict[str, int]:
        return {"bits_0" if self.way == "split" else "said": self.outcomes}

    def encode(self, values: Integers, words: Words) -> Columns:
        """split: bit j from word j. one: the question from the first word, the answer from the second."""
        if self.way == "split":
            bits = np.zeros(len(values), np.int64)
            for j in range(self.questions):
                bits |= self.answer.encode(values >> j & 1, words[:, j : j + 1])["said"] << j
            return {"bits_0": bits}
        asked = (words[:, 0] % np.uint64(self.questions)).astype(np.int64)
        return {"said": asked << 1 | self.answer.encode(values >> asked & 1, words[:, 1:])["said"]}

    def draw(self, values: Integers, coins: CoinSource) -> Columns:
        """One report for each value, from fresh coins."""
        return drawn(self, values, coins)

    @property
    def outcomes(self) -> int:
        return 1 << self.questions if self.way == "split" else 2 * self.questions

    def numbered(self, reports: Columns) -> Integers:
        return reports["bits_0" if self.way == "split" else "said"]

    def law(self, value: int) -> FiniteLaw:
        """split: the answers are independent. one: the question is a word's remainder, uniform to 2^-58."""
        if self.way == "split":
            laws = [self.answer.law(value >> j & 1).low for j in range(self.questions)]
            reports = range(checked_outcomes(self.outcomes))
            return FiniteLaw.exactly(
                tuple(
                    math.prod((law[r >> j & 1] for j, law in enumerate(laws)), start=Fraction(1))
                    for r in reports
                )
            )
        probabilities: list[Fraction] = []
        for j in range(self.questions):
            asked = Fraction((ONE - j + self.questions - 1) // self.questions, ONE)
            probabilities += [asked * p for p in self.answer.law(value >> j & 1).low]
        return FiniteLaw.exactly(tuple(probabilities))

    def event(self, label: str) -> DiscreteRelease:
        """The privacy loss of one person's whole report."""
        each = self.answer.event(label).loss.epsilon
        return DiscreteRelease(label, each * self.questions if self.way == "split" else each)

    def estimate(
        self, counts: Sequence[Counts], n: int, confidence: Fraction = Fraction(95, 100)
    ) -> tuple[ShareEstimate, ...]:
        """The share of yes to each question, among all n people.

        split: the interval of randomised response. one: those who were asked are a random sample, and the interval accounts
        for that. The number of yes among them is hypergeometric, which is the law of a sum of independent coins (its
        generating function has real zeros only); after randomised response each is still a coin, and their mean bias is
        q + (p - q) * share. So the interval is that of coins of different biases (mechanisms/binomial.py).
        """
        checked_confidence(confidence)
        p, q = self.answer.holds, self.answer.others
        level = float((1 - confidence) / 2)
        totals = dense(counts[0], self.questions if self.way == "split" else 2 * self.questions).tolist()
        if self.way == "split":
            return tuple(self._share_of_all(yes, n, p, q, level, confidence) for yes in totals)
        return tuple(
            self._share_of_sample(
                totals[2 * j + 1], totals[2 * j] + totals[2 * j + 1], p, q, level, confidence
            )
            for j in range(self.questions)
        )

    def _share_of_all(
        self, yes: int, n: int, p: Fraction, q: Fraction, level: float, confidence: Fraction
    ) -> ShareEstimate:
        value = (Fraction(yes, n) - q) / (p - q)
        low, high = true_count_bounds(yes, n, float(p / q), float(q / p), level)
        return ShareEstimate(float(value), low / n, high / n, float(p * q / (n * (p - q) ** 2)), confidence)

    def _share_of_sample(
        self, yes: int, asked: int, p: Fraction, q: Fraction, level: float, confidence: Fraction
    ) -> ShareEstimate:
        if not asked:
            return ShareEstimate(0.5, 0.0, 1.0, math.inf, confidence)
        share = Fraction(yes, asked)
        low = success_bounds(max(0, yes - 1), asked, level)[0]
        high = success_bounds(min(asked, yes + 1), asked, level)[1]
        a, b = (min(max((x - float(q)) / float(p - q), 0.0), 1.0) for x in (low, high))
        spread = float(share * (1 - share) / (asked * (p - q) ** 2))
        return ShareEstimate(float((share - q) / (p - q)), a, b, spread, confidence)

    def parameters(self) -> dict[str, object]:
        return {
            "epsilon": exact_text(self.epsilon),
            "questions": self.questions,
            "way": self.way,
            "lie": str(self.answer.lie),
        }
