"""One-bit Hadamard response: randomised response to a random parity of the value's bits.

Theorem: it is local hashing to two buckets: a holder of v supports it with probability p = e^epsilon / (e^epsilon + 1),
         everybody else with exactly 1/2. A rare value's variance is ((e^epsilon + 1) / (e^epsilon - 1))^2: 27 % above that
         of unary encoding at epsilon = 1; the difference vanishes as epsilon falls.
Source:  Wang, Blocki, Li & Jha 2017 (as binary local hashing).
Slack:   none beyond that of the response, 2^-64.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from lapcat.core.coins import CoinSource
from lapcat.core.event import ResponseRelease
from lapcat.core.exact import exact_text
from lapcat.local.base import Columns, Counts, Integers, Tally, Words, drawn, set_fields
from lapcat.local.hashing import Hashing
from lapcat.mechanisms.integers.finite import FiniteLaw


@dataclass(frozen=True, slots=True)
class Hadamard:
    """Reports of a row and one bit."""

    epsilon: Fraction
    values: int
    inner: Hashing = field(init=False)
    """The equivalent local hashing with one row."""
    name: ClassVar[str] = "hadamard"
    words: ClassVar[int] = 2

    def __post_init__(self) -> None:
        inner = Hashing(self.epsilon, self.values, rows=1)
        set_fields(self, epsilon=inner.epsilon, values=inner.values, inner=inner)

    @property
    def inputs(self) -> int:
        return self.values

    @property
    def holds(self) -> Fraction:
        return self.inner.holds

    @property
    def others(self) -> Fraction:
        return self.inner.others

    @property
    def report_bits(self) -> int:
        return self.inner.report_bits

    @property
    def tallies(self) -> tuple[Tally, ...]:
        return self.inner.tallies

    @property
    def ranges(self) -> dict[str, int]:
        return self.inner.ranges

    def encode(self, values: Integers, words: Words) -> Columns:
        return self.inner.encode(values, words)

    def draw(self, values: Integers, coins: CoinSource) -> Columns:
        """One report for each value, from fresh coins."""
        return drawn(self, values, coins)

    @property
    def outcomes(self) -> int:
        return self.inner.outcomes

    def numbered(self, reports: Columns) -> Integers:
        return self.inner.numbered(reports)

    def law(self, value: int) -> FiniteLaw:
        return self.inner.law(value)

    def event(self, label: str) -> ResponseRelease:
        return self.inner.event(label)

    def support(self, counts: list[Counts], n: int) -> Integers:
        return self.inner.support(counts, n)

    def parameters(self) -> dict[str, object]:
        return {
            "epsilon": exact_text(self.epsilon),
            "values": self.values,
            "lie": str(self.inner.answer.lie),
        }
