"""A report that is drawn once for each value and kept, and randomised again in every wave of a repeated question.

P(v) is a person's permanent report of the value v, with the loss E: the rows of a hash, if the randomiser has any, which are
drawn once for each person, whatever their values are; and one symbol, drawn once for each value. What leaves in a wave is
B(P(v)): the rows, and a randomised response to the symbol, drawn anew in every wave, with the loss epsilon between any two
symbols. A history is a person's value in each wave.
Theorem: histories that differ in d waves have a loss of at most d * epsilon. Histories that repeat at the same places (one is
         the other with its values renamed) have a loss of at most E for each renamed value, however many waves there are: for
         two people whose values never change it is E.
Source:  Erlingsson, Pihur & Korolova 2014 (permanent and instantaneous randomised response).
Slack:   in one wave the loss is smaller than epsilon, since B is not applied to the value itself. It is claimed in full: what
         earlier waves tell of P(v) takes the difference away. No smaller number would do for every number of waves: the
         histories (a, …, a, b, …, b, a) and (a, …, a, b, …, b, b) come as near to epsilon as one likes.
Proof:   the rows have the same law in both histories; take them as given. Both have the same permanent symbols. Given these,
         the waves are independent; in those that differ each report is at most e^epsilon times as likely from one as from the
         other, in the rest just as likely. The mean over the permanent symbols keeps the bound e^(d * epsilon). For the second
         part, the reports are B of one permanent symbol for each distinct value, at the same waves in both: renaming one of
         them costs the loss of its draw, E, and B adds none.
A permanent report alone (B the identity) has neither bound: (a, a) always gives equal reports and (a, b) often does not. Nor
has B alone where the rows were drawn for each value: other rows would tell of another value for certain. Rows that stay let a
collector link a person's reports from wave to wave; the theorem counts on that, it is about whole histories.

Randomisers of one symbol have permanent reports. The bits of unary encoding differ in two places, so that each would get
epsilon / 2, and hashing says more; the places of the piecewise mechanism are thousands of symbols, and a coin says more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from lapcat.core.coins import CoinSource
from lapcat.core.event import DiscreteRelease
from lapcat.core.exact import exact_text
from lapcat.core.mechanisms.finite import FiniteLaw
from lapcat.errors import BadArgument
from lapcat.local.base import (
    Columns,
    Counts,
    Integers,
    Tally,
    Words,
    drawn,
    fresh_words,
    read_epsilon,
    set_fields,
)
from lapcat.local.duchi import Duchi
from lapcat.local.hadamard import Hadamard
from lapcat.local.hashing import MOST_ROWS, Hashing
from lapcat.local.response import Response
from lapcat.local.shares import rare_variance

OneSymbol = Response | Hashing | Hadamard | Duchi
ONE_SYMBOL = (Response, Hashing, Hadamard, Duchi)


@dataclass(frozen=True, slots=True)
class Permanent:
    """A randomiser whose report is kept, and a response to its symbol in every wave.

    >>> asked = Permanent(Response(Fraction(3), 2), Fraction(1))
    >>> round(float(asked.holds), 4), round(float(asked.others), 4)  # e^3/(e^3+1) then e/(e+1)
    (0.7091, 0.2909)
    """

    kept: OneSymbol
    epsilon: Fraction
    """What a wave costs, at most."""
    again: Response = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.kept, ONE_SYMBOL):
            raise BadArgument(
                "local-permanent",
                "a permanent report is one of response, hashing, hadamard or duchi",
                fix="Permanent(Response(3, 2), 1)",
            )
        again = Response(read_epsilon(self.epsilon), self.kept.ranges["said"])
        set_fields(self, epsilon=again.epsilon, again=again)

    @property
    def name(self) -> str:
        return f"permanent-{self.kept.name}"

    @property
    def permanent(self) -> Fraction:
        """What the permanent report costs: the most that somebody pays whose value never changes."""
        return self.kept.epsilon

    @property
    def inputs(self) -> int:
        return self.kept.inputs

    @property
    def words(self) -> int:
        return self.kept.words + 1

    @property
    def tallies(self) -> tuple[Tally, ...]:
        return self.kept.tallies

    @property
    def ranges(self) -> dict[str, int]:
        return self.kept.ranges

    @property
    def rows(self) -> list[str]:
        """The columns that depend on no value; column j comes from word j."""
        return [name for name in self.ranges if name != "said"]

    def keep(self, values: Integers, coins: CoinSource, before: Columns | None) -> Columns:
        """Permanent reports of values that were never told: with the rows of those before, if there are any."""
        words = fresh_words(len(values), self.kept.words, coins)
        for j, name in enumerate(self.rows if before is not None else ()):
            words[:, j] = before[name]  # type: ignore[index]
        return self.kept.encode(values, words)

    def tell(self, kept: Columns, words: Words) -> Columns:
        """What a wave says of permanent reports."""
        return {**kept, **self.again.encode(kept["said"], words)}

    def encode(self, values: Integers, words: Words) -> Columns:
        """The permanent report from the first words, what is said of it from the last."""
        return self.tell(self.kept.encode(values, words[:, :-1]), words[:, -1:])

    def draw(self, values: Integers, coins: CoinSource) -> Columns:
        """One report for each value, from fresh coins: of people who were never asked before."""
        return drawn(self, values, coins)

    @property
    def outcomes(self) -> int:
        return self.kept.outcomes

    def numbered(self, reports: Columns) -> Integers:
        return self.kept.numbered(reports)

    def law(self, value: int) -> FiniteLaw:
        """Of one wave: with each choice of rows, the permanent symbol through the response."""
        once, symbols = self.kept.law(value).low, self.again.values
        return FiniteLaw.exactly(
            tuple(
                p * (self.again.holds - self.again.others)
                + sum(once[start : start + symbols]) * self.again.others
                for start in range(0, len(once), symbols)
                for p in once[start : start + symbols]
            )
        )

    def event(self, label: str) -> DiscreteRelease:
        return DiscreteRelease(label, self.again.event(label).loss.epsilon)

    def parameters(self) -> dict[str, object]:
        return {
            **self.kept.parameters(),
            "epsilon": exact_text(self.epsilon),
            "permanent": exact_text(self.permanent),
            "wave_lie": str(self.again.lie),
        }

    def through(self, chance: Fraction) -> Fraction:
        """The probability of a symbol in a wave, if this is its probability as the permanent one."""
        return self.again.others + (self.again.holds - self.again.others) * chance

    # ------------------------------------------------------------------------------------------- of values

    @property
    def _of_values(self) -> Response | Hashing | Hadamard:
        assert not isinstance(self.kept, Duchi)
        return self.kept

    @property
    def values(self) -> int:
        return self._of_values.values

    @property
    def holds(self) -> Fraction:
        """How likely somebody who holds a value supports it: twice the truth, or a lie that is taken back."""
        return self.through(self._of_values.holds)

    @property
    def others(self) -> Fraction:
        """How likely anybody else supports it."""
        return self.through(self._of_values.others)

    @property
    def report_bits(self) -> int:
        return self._of_values.report_bits

    def support(self, counts: list[Counts], n: int) -> Integers:
        return self._of_values.support(counts, n)

    # ------------------------------------------------------------------------------------------- of numbers

    @property
    def _of_numbers(self) -> Duchi:
        assert isinstance(self.kept, Duchi)
        return self.kept

    @property
    def steps(self) -> int:
        return self._of_numbers.steps

    def chance(self, value: int) -> Fraction:
        """The probability of heads in a wave: an affine function of the step, as the permanent coin's is."""
        return self.through(self._of_numbers.chance(value))

    def worth(self, said: int) -> Fraction:
        """What a report adds to the estimate, in steps: unbiased."""
        return (said - self.chance(0)) / (self.chance(1) - self.chance(0))

    def variance(self, value: int) -> Fraction:
        """Of what one report is worth, in squared steps."""
        heads = self.chance(value)
        return heads * (1 - heads) / (self.chance(1) - self.chance(0)) ** 2


def best_hashing(epsilon: Fraction, values: int, permanent: Fraction) -> Permanent:
    """Hashing with the number of rows that gives a rare value the least variance in a wave.

    >>> best_hashing(Fraction(1), 100, Fraction(3)).kept.ranges["said"]  # 4 buckets
    4
    """
    found = [Permanent(Hashing(permanent, values, rows), epsilon) for rows in range(1, MOST_ROWS + 1)]
    return min(found, key=lambda one: rare_variance(one.holds, one.others))
