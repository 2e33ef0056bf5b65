"""k yes-or-no questions to everybody: epsilon split over all of them, or one random question for each person.

Theorem: answering all at epsilon / k is epsilon-DP by composition; answering one that is drawn without a look at the answers,
         at the full epsilon, is epsilon-DP. The noise of a share has about k^2 / epsilon^2 of variance per person in the
         first way, k / epsilon^2 in the second, which adds that each question is heard from n / k people only.
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
from lapcat.core.mechanisms.binomial import success_bounds, true_count_bounds
from lapcat.core.mechanisms.finite import FiniteLaw, checked_confidence, checked_whole
from lapcat.core.mechanisms.response import ShareEstimate
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

MOST_QUESTIONS = 32
WAYS = ("split", "one")


@dataclass(frozen=True, slots=True)
class Questions:
    """A person's value is a number whose bit j is the answer to question j."""

    epsilon: Fraction
    questions: int
    way: Literal["split", "one"]
    answer: Response = field(init=False)
    """How one question is answered."""
    name: ClassVar[str] = "questions"

    def __post_init__(self) -> None:
        questions = checked_whole(
            "questions-range",
            "questions",
            self.questions,
            1,
            MOST_QUESTIONS,
            "questions=10, or several surveys",
        )
        if not isinstance(self.way, str) or self.way not in WAYS:
            raise BadArgument("questions-way", f"no way {self.way!r}", fix='way="split" or way="one"')
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
            said = np.zeros(len(values), np.int64)
            for j in range(self.questions):
                said |= self.answer.encode(values >> j & 1, words[:, j : j + 1])["said"] << j
            return {"bits_0": said}
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
        """split: the answers are independent. one: a question is drawn by a word's remainder, evenly to 2^-58."""
        if self.way == "split":
            laws = [self.answer.law(value >> j & 1).low for j in range(self.questions)]
            said = range(checked_outcomes(self.outcomes))
            return FiniteLaw.exactly(
                tuple(
                    math.prod((law[s >> j & 1] for j, law in enumerate(laws)), start=Fraction(1))
                    for s in said
                )
            )
        found: list[Fraction] = []
        for j in range(self.questions):
            asked = Fraction((ONE - j + self.questions - 1) // self.questions, ONE)
            found += [asked * p for p in self.answer.law(value >> j & 1).low]
        return FiniteLaw.exactly(tuple(found))

    def event(self, label: str) -> DiscreteRelease:
        """One person's whole report."""
        each = self.answer.event(label).loss.epsilon
        return DiscreteRelease(label, each * self.questions if self.way == "split" else each)

    def estimate(
        self, counts: Sequence[Counts], n: int, confidence: Fraction = Fraction(95, 100)
    ) -> tuple[ShareEstimate, ...]:
        """The share of yes to each question, among all n people.

        split: the interval of randomised response. one: those who were asked are a random part of all, and the interval
        covers that too. How many of those asked hold yes is hypergeometric, which is the law of a sum of independent coins
        (its generating function has real zeros only); answered at random, each stays a coin, and the mean bias of all of them
        is q + (p - q) * share. So the interval is that of coins of different biases (core/mechanisms/binomial.py).
        """
        checked_confidence(confidence)
        p, q = self.answer.holds, self.answer.others
        level = float((1 - confidence) / 2)
        found = dense(counts[0], self.questions if self.way == "split" else 2 * self.questions).tolist()
        if self.way == "split":
            return tuple(self._told_by_all(yes, n, p, q, level, confidence) for yes in found)
        return tuple(
            self._told_by_some(found[2 * j + 1], found[2 * j] + found[2 * j + 1], p, q, level, confidence)
            for j in range(self.questions)
        )

    def _told_by_all(
        self, yes: int, n: int, p: Fraction, q: Fraction, level: float, confidence: Fraction
    ) -> ShareEstimate:
        value = (Fraction(yes, n) - q) / (p - q)
        low, high = true_count_bounds(yes, n, float(p / q), float(q / p), level)
        return ShareEstimate(float(value), low / n, high / n, float(p * q / (n * (p - q) ** 2)), confidence)

    def _told_by_some(
        self, yes: int, asked: int, p: Fraction, q: Fraction, level: float, confidence: Fraction
    ) -> ShareEstimate:
        if not asked:
            return ShareEstimate(0.5, 0.0, 1.0, math.inf, confidence)
        said = Fraction(yes, asked)
        low = success_bounds(max(0, yes - 1), asked, level)[0]
        high = success_bounds(min(asked, yes + 1), asked, level)[1]
        a, b = (min(max((x - float(q)) / float(p - q), 0.0), 1.0) for x in (low, high))
        spread = float(said * (1 - said) / (asked * (p - q) ** 2))
        return ShareEstimate(float((said - q) / (p - q)), a, b, spread, confidence)

    def parameters(self) -> dict[str, object]:
        return {
            "epsilon": exact_text(self.epsilon),
            "questions": self.questions,
            "way": self.way,
            "lie": str(self.answer.lie),
        }
