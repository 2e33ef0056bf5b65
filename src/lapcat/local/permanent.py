"""A report that is drawn once for each value and kept, and randomised again in every wave of a repeated question.

P(v) is a person's permanent report of the value v: drawn once, with the loss E. What leaves in a wave is B(P(v)), drawn anew
in every wave, and B has the loss epsilon between any two permanent reports. A history is a person's value in each wave.
Theorem: histories that differ in d waves have a loss of at most d * epsilon. Histories that repeat at the same places (one is
         the other with its values renamed) have a loss of at most E for each renamed value, however many waves there are: for
         two people whose values never change it is E.
Source:  Erlingsson, Pihur & Korolova 2014 (permanent and instantaneous randomised response).
Slack:   in one wave the loss is smaller than epsilon, since B is not applied to the value itself. It is claimed in full: what
         earlier waves tell of P(v) takes the difference away. No smaller number would do for every number of waves: the
         histories (a, …, a, b, …, b, a) and (a, …, a, b, …, b, b) come as near to epsilon as one likes.
Proof:   both histories have the same permanent reports. Given these, the waves are independent; in those that differ each
         report is at most e^epsilon times as likely from one as from the other, in the rest just as likely. The mean over the
         permanent reports keeps the bound e^(d * epsilon). For the second part, the reports are B of one permanent report for
         each distinct value, at the same waves in both: renaming one of them costs the loss of its draw, E, and B adds none.
A permanent report alone (B the identity) has neither bound: (a, a) always gives equal reports and (a, b) often does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from lapcat.core.coins import CoinSource
from lapcat.core.event import DiscreteRelease
from lapcat.core.exact import exact_text
from lapcat.core.mechanisms.finite import FiniteLaw
from lapcat.local.base import Columns, Counts, Integers, Tally, Words, drawn
from lapcat.local.duchi import Duchi
from lapcat.local.response import Response


@dataclass(frozen=True, slots=True)
class PermanentResponse:
    """One of `values` values: randomised response, kept, and a response to it in every wave.

    >>> asked = PermanentResponse(Fraction(1), 2, permanent=Fraction(3))
    >>> round(float(asked.holds), 4), round(float(asked.others), 4)  # e^3/(e^3+1) then e/(e+1)
    (0.7091, 0.2909)
    """

    epsilon: Fraction
    """What a wave costs."""
    values: int
    permanent: Fraction
    """What the permanent report costs: the most that somebody pays whose value never changes."""
    kept: Response = field(init=False)
    again: Response = field(init=False)
    name: ClassVar[str] = "permanent-response"
    words: ClassVar[int] = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "kept", Response(self.permanent, self.values))
        object.__setattr__(self, "again", Response(self.epsilon, self.values))

    @property
    def inputs(self) -> int:
        return self.values

    @property
    def holds(self) -> Fraction:
        """How likely somebody who holds a value supports it: twice the truth, or a lie that is taken back."""
        return self.kept.holds * self.again.holds + (1 - self.kept.holds) * self.again.others

    @property
    def others(self) -> Fraction:
        """How likely anybody else supports it."""
        return self.kept.others * self.again.holds + (1 - self.kept.others) * self.again.others

    @property
    def report_bits(self) -> int:
        return self.again.report_bits

    @property
    def tallies(self) -> tuple[Tally, ...]:
        return self.again.tallies

    @property
    def ranges(self) -> dict[str, int]:
        return self.again.ranges

    def tell(self, kept: Columns, words: Words) -> Columns:
        """What a wave says of permanent reports."""
        return self.again.encode(kept["said"], words)

    def encode(self, values: Integers, words: Words) -> Columns:
        """The permanent report from the first word, what is said of it from the second."""
        return self.tell(self.kept.encode(values, words[:, :1]), words[:, 1:])

    def draw(self, values: Integers, coins: CoinSource) -> Columns:
        """One report for each value, from fresh coins: of people who were never asked before."""
        return drawn(self, values, coins)

    @property
    def outcomes(self) -> int:
        return self.values

    def numbered(self, reports: Columns) -> Integers:
        return reports["said"]

    def law(self, value: int) -> FiniteLaw:
        """Of one wave."""
        return FiniteLaw.exactly(
            tuple(self.holds if said == value else self.others for said in range(self.values))
        )

    def event(self, label: str) -> DiscreteRelease:
        return DiscreteRelease(label, self.again.event(label).loss.epsilon)

    def support(self, counts: list[Counts], n: int) -> Integers:
        return self.again.support(counts, n)

    def parameters(self) -> dict[str, object]:
        return {
            "epsilon": exact_text(self.epsilon),
            "values": self.values,
            "lie": str(self.kept.lie),
            "permanent": exact_text(self.permanent),
            "wave_lie": str(self.again.lie),
        }


@dataclass(frozen=True, slots=True)
class PermanentDuchi:
    """A step of 0 .. steps: one coin, kept, and a response to it in every wave."""

    epsilon: Fraction
    """What a wave costs."""
    steps: int
    permanent: Fraction
    """What the permanent report costs: the most that somebody pays whose value never changes."""
    kept: Duchi = field(init=False)
    again: Response = field(init=False)
    name: ClassVar[str] = "permanent-duchi"
    words: ClassVar[int] = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "kept", Duchi(self.permanent, self.steps))
        object.__setattr__(self, "again", Response(self.epsilon, 2))

    @property
    def inputs(self) -> int:
        return self.steps + 1

    @property
    def tallies(self) -> tuple[Tally, ...]:
        return self.kept.tallies

    @property
    def ranges(self) -> dict[str, int]:
        return self.kept.ranges

    def tell(self, kept: Columns, words: Words) -> Columns:
        """What a wave says of permanent reports."""
        return self.again.encode(kept["said"], words)

    def encode(self, values: Integers, words: Words) -> Columns:
        """The permanent coin from the first word, what is said of it from the second."""
        return self.tell(self.kept.encode(values, words[:, :1]), words[:, 1:])

    def draw(self, values: Integers, coins: CoinSource) -> Columns:
        """One report for each value, from fresh coins: of people who were never asked before."""
        return drawn(self, values, coins)

    @property
    def outcomes(self) -> int:
        return 2

    def numbered(self, reports: Columns) -> Integers:
        return reports["said"]

    def chance(self, value: int) -> Fraction:
        """The probability of heads in a wave: an affine function of the step, as the permanent coin's is."""
        return self.again.others + (self.again.holds - self.again.others) * self.kept.chance(value)

    def law(self, value: int) -> FiniteLaw:
        """Of one wave."""
        return FiniteLaw.exactly((1 - self.chance(value), self.chance(value)))

    def event(self, label: str) -> DiscreteRelease:
        return DiscreteRelease(label, self.again.event(label).loss.epsilon)

    def worth(self, said: int) -> Fraction:
        """What a report adds to the estimate, in steps: unbiased."""
        return (said - self.chance(0)) / (self.chance(1) - self.chance(0))

    def variance(self, value: int) -> Fraction:
        """Of what one report is worth, in squared steps."""
        heads = self.chance(value)
        return heads * (1 - heads) / (self.chance(1) - self.chance(0)) ** 2

    def parameters(self) -> dict[str, object]:
        return {
            "epsilon": exact_text(self.epsilon),
            "steps": self.steps,
            "slope": str(self.kept.slope),
            "permanent": exact_text(self.permanent),
            "wave_lie": str(self.again.lie),
        }


PERMANENT = (PermanentResponse, PermanentDuchi)
