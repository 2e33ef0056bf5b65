"""Permanent reports: drawn once for each value and kept, then randomised again in every wave of a repeated question.

P(v) is a person's permanent report of the value v, with loss E: the rows of a hash, if the randomiser has one, drawn once for
each person independently of their values; and one symbol, drawn once for each value. In a wave, the person sends B(P(v)): the
rows, and a randomised response to the symbol, drawn afresh in every wave, with loss epsilon between any two symbols. A history
is a person's value in each wave.
Theorem: histories that differ in d waves have a loss of at most d * epsilon. If one history is the
         other with its values renamed, the loss is at most E for each renamed value, however many waves there are: for two
         people whose values never change it is E.
Source:  Erlingsson, Pihur & Korolova 2014 (permanent and instantaneous randomised response).
Slack:   in one wave the loss is below epsilon, since B is not applied to the value itself. The full epsilon is claimed,
         because earlier waves reveal P(v). No smaller bound holds for every number of waves: the loss between the histories
         (a, …, a, b, …, b, a) and (a, …, a, b, …, b, b) comes arbitrarily close to epsilon.
Proof:   the rows have the same law in both histories; take them as given. Both have the same permanent symbols. Given these,
         the waves are independent; in the waves that differ, each report is at most e^epsilon times as likely from one history as
         from the other; in the rest, equally likely. Averaging over the permanent symbols keeps the bound e^(d * epsilon). For
         the second part, the reports are B of one permanent symbol for each distinct value, at the same waves in both:
         renaming a value costs the loss of its draw, E, and B is post-processing.
A permanent report alone (B the identity) has neither bound: (a, a) always gives equal reports and (a, b) often does not. Nor
has B alone if the rows were drawn for each value: different rows would prove a different value. Constant rows let a collector
link a person's reports from wave to wave; the theorem covers this, since it is about whole histories.

Only randomisers of one symbol have permanent reports. Unary encodings differ in two bits, so each bit would get epsilon / 2,
and hashing is more accurate; the piecewise mechanism has thousands of symbols, and a coin is more accurate.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from lapcat.core.coins import CoinSource
from lapcat.core.event import DiscreteRelease
from lapcat.core.exact import exact_text
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
from lapcat.local.hashing import MAX_ROWS, Hashing
from lapcat.local.response import Response
from lapcat.local.shares import rare_variance
from lapcat.mechanisms.integers.finite import FiniteLaw

OneSymbol = Response | Hashing | Hadamard | Duchi
ONE_SYMBOL = (Response, Hashing, Hadamard, Duchi)


@dataclass(frozen=True, slots=True)
class Permanent:
    """A randomiser whose report is kept, and a randomised response to its symbol in every wave.

    >>> asked = Permanent(Response(Fraction(3), 2), Fraction(1))
    >>> round(float(asked.holds), 4), round(float(asked.others), 4)  # e^3/(e^3+1) then e/(e+1)
    (0.7091, 0.2909)
    """

    kept: OneSymbol
    epsilon: Fraction
    """Upper bound on the loss of a wave."""
    again: Response = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.kept, ONE_SYMBOL):
            raise BadArgument(
                "local-permanent",
                "a permanent report must be one of response, hashing, hadamard or duchi",
                fix="Permanent(Response(3, 2), 1)",
            )
        again = Response(read_epsilon(self.epsilon), self.kept.ranges["said"])
        set_fields(self, epsilon=again.epsilon, again=again)

    @property
    def name(self) -> str:
        return f"permanent-{self.kept.name}"

    @property
    def permanent(self) -> Fraction:
        """The loss of the permanent report: the total loss of a person whose value never changes."""
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
        """The columns that do not depend on the value; column j comes from word j."""
        return [name for name in self.ranges if name != "said"]

    def keep(self, values: Integers, coins: CoinSource, before: Columns | None) -> Columns:
        """Permanent reports of new values, with the rows of the earlier reports `before`, if given."""
        words = fresh_words(len(values), self.kept.words, coins)
        for j, name in enumerate(self.rows if before is not None else ()):
            words[:, j] = before[name]  # type: ignore[index]
        return self.kept.encode(values, words)

    def tell(self, kept: Columns, words: Words) -> Columns:
        """The reports of one wave, from the permanent reports."""
        return {**kept, **self.again.encode(kept["said"], words)}

    def encode(self, values: Integers, words: Words) -> Columns:
        """The permanent report from the first words, the response to it from the last."""
        return self.tell(self.kept.encode(values, words[:, :-1]), words[:, -1:])

    def draw(self, values: Integers, coins: CoinSource) -> Columns:
        """One report for each value, from fresh coins, for people with no permanent report yet."""
        return drawn(self, values, coins)

    @property
    def outcomes(self) -> int:
        return self.kept.outcomes

    def numbered(self, reports: Columns) -> Integers:
        return self.kept.numbered(reports)

    def law(self, value: int) -> FiniteLaw:
        """The law of one wave: for each choice of rows, the response to the permanent symbol."""
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
        """The probability that a wave reports a symbol whose permanent probability is `chance`."""
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
        """The probability that a holder of a value supports it."""
        return self.through(self._of_values.holds)

    @property
    def others(self) -> Fraction:
        """The probability that anybody else supports it."""
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
        """The probability of heads in a wave: like the permanent coin's, an affine function of the step."""
        return self.through(self._of_numbers.chance(value))

    def worth(self, said: int) -> Fraction:
        """The unbiased estimate from one report, in steps."""
        return (said - self.chance(0)) / (self.chance(1) - self.chance(0))

    def variance(self, value: int) -> Fraction:
        """The variance of `worth`, in squared steps."""
        heads = self.chance(value)
        return heads * (1 - heads) / (self.chance(1) - self.chance(0)) ** 2


def best_hashing(epsilon: Fraction, values: int, permanent: Fraction) -> Permanent:
    """Hashing with the number of rows that minimises the variance of a rare value in a wave.

    >>> best_hashing(Fraction(1), 100, Fraction(3)).kept.ranges["said"]  # 4 buckets
    4
    """
    candidates = [Permanent(Hashing(permanent, values, rows), epsilon) for rows in range(1, MAX_ROWS + 1)]
    return min(candidates, key=lambda candidate: rare_variance(candidate.holds, candidate.others))
