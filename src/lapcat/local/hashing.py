"""Optimal local hashing: a person draws a hash to g buckets, and reports it with a randomised response to their bucket.

Theorem: given the hash, the report is randomised response over g values, so epsilon-DP; the hash is drawn
         independently of the value. A holder of v supports it with p = e^epsilon / (e^epsilon + g - 1), everybody else with
         exactly 1/g, since the hashes of two values agree with probability 1/g (walsh.py). A rare value's variance is then
         (e^epsilon - 1 + g)^2 / ((e^epsilon - 1)^2 (g - 1)), smallest near g = e^epsilon + 1.
Source:  Wang, Blocki, Li & Jha 2017 (OLH); the hashes are linear here.
Slack:   g is a power of two, which costs 0.3 % of the variance at epsilon = 1 and at most 8 % (near 0.55, where 3 would be
         best); in return the hash is exactly universal, and estimating D values from n reports takes n * g + D log D
         steps instead of n * D.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from lapcat.core.coins import CoinSource
from lapcat.core.event import ResponseRelease
from lapcat.core.exact import exact_text, exp_down
from lapcat.core.mechanisms.checked import checked_whole
from lapcat.local import walsh
from lapcat.local.base import (
    Columns,
    Counts,
    Integers,
    Tally,
    Words,
    checked_outcomes,
    drawn,
    read_epsilon,
    set_fields,
)
from lapcat.local.response import Response
from lapcat.mechanisms.integers.finite import FiniteLaw

MAX_VALUES = 1 << 24  # the estimates are an array of this size
MAX_ROWS = 8  # 2^8 signed counts; more buckets gain nothing below epsilon = 5


@dataclass(frozen=True, slots=True)
class Hashing:
    """Reports of a hash of `rows` rows, and a bucket in 0 .. 2^rows - 1; rows = 0 selects the best number.

    >>> Hashing(Fraction(1), 10_000).rows  # 4 buckets, near e + 1
    2
    """

    epsilon: Fraction
    values: int
    rows: int = 0
    answer: Response = field(init=False)
    """The randomised response to the bucket."""
    name: ClassVar[str] = "hashing"

    def __post_init__(self) -> None:
        values = checked_whole(
            "values-range", "values", self.values, 2, MAX_VALUES, "values = 2 for yes and no"
        )
        rows = checked_whole("rows-range", "rows", self.rows, 0, MAX_ROWS, "rows = 0 takes the best number")
        epsilon = read_epsilon(self.epsilon)
        rows = rows or best_rows(epsilon)
        set_fields(self, epsilon=epsilon, values=values, rows=rows, answer=Response(epsilon, 1 << rows))

    @property
    def inputs(self) -> int:
        return self.values

    @property
    def words(self) -> int:
        return self.rows + 1

    @property
    def size(self) -> int:
        """The number of values, rounded up to a power of two."""
        return 1 << (self.values - 1).bit_length()

    @property
    def holds(self) -> Fraction:
        return self.answer.holds

    @property
    def others(self) -> Fraction:
        return Fraction(1, 1 << self.rows)

    @property
    def report_bits(self) -> int:
        return self.rows * self.size.bit_length()

    @property
    def tallies(self) -> tuple[Tally, ...]:
        return walsh.tallies(self.rows, self.size)

    @property
    def ranges(self) -> dict[str, int]:
        return {**{f"row_{j}": self.size for j in range(self.rows)}, "said": 1 << self.rows}

    def encode(self, values: Integers, words: Words) -> Columns:
        """The rows from the first words, the response from the last."""
        rows = walsh.rows_of(words, self.rows, self.size)
        response = self.answer.encode(walsh.hashed(values, rows), words[:, self.rows :])
        return {**{f"row_{j}": row for j, row in enumerate(rows)}, **response}

    def draw(self, values: Integers, coins: CoinSource) -> Columns:
        """One report for each value, from fresh coins."""
        return drawn(self, values, coins)

    @property
    def outcomes(self) -> int:
        return 1 << (self.size.bit_length() * self.rows)

    def numbered(self, reports: Columns) -> Integers:
        """The rows as digits, then the bucket."""
        checked_outcomes(self.outcomes)
        number = reports["row_0"]
        for j in range(1, self.rows):
            number = number * self.size + reports[f"row_{j}"]
        return number << self.rows | reports["said"]

    def law(self, value: int) -> FiniteLaw:
        """Uniform over the hashes; given the hash, the response to the value's bucket."""
        hashes = checked_outcomes(self.outcomes) >> self.rows
        probabilities = []
        for number in range(hashes):
            rows = [number // self.size ** (self.rows - 1 - j) % self.size for j in range(self.rows)]
            bucket = sum(((row & value).bit_count() & 1) << j for j, row in enumerate(rows))
            probabilities += [p / hashes for p in self.answer.law(bucket).low]
        return FiniteLaw.exactly(tuple(probabilities))

    def event(self, label: str) -> ResponseRelease:
        return self.answer.event(label)

    def support(self, counts: list[Counts], n: int) -> Integers:
        """The number of reports that support each value: their hash maps it to the reported bucket."""
        return walsh.support(counts, n, self.rows, self.size, self.values)

    def parameters(self) -> dict[str, object]:
        return {
            "epsilon": exact_text(self.epsilon),
            "values": self.values,
            "rows": self.rows,
            "lie": str(self.answer.lie),
        }


def best_rows(epsilon: Fraction) -> int:
    """The number of rows whose 2^rows buckets give a rare value the least variance.

    >>> [best_rows(Fraction(e)) for e in (1, 2, 3)]
    [2, 3, 4]
    """
    e = exp_down(min(epsilon, Fraction(16))) - 1  # depends on public numbers only: rounding is harmless
    return min(range(1, MAX_ROWS + 1), key=lambda m: (e + (1 << m)) ** 2 / ((1 << m) - 1))
